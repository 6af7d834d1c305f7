import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window in place of an attachment: for contents that need a window of their own, such as video or another toolkit's drawing.
///
/// It lies in a second window, which is as large as its visible part. Keys struck over it go to the text, or to this responder while it has the
/// focus of the ``WidgetWindow``: it leaves all keys to that window. A program that draws into it must not select keys, otherwise it receives them
/// while the pointer is over it. Turns of the wheel arrive here as well: ``passToText(_:)``.
open class AttachmentWindow: BasicResponder, AttachmentView {
    /// The window; its delegate paints it and receives the pointer's events.
    public let window: Window
    private let clip: Window
    private weak var parent: Window?
    private weak var textView: TextView?
    /// The origin of ``window`` in the parent, in the parent's pixels.
    private var origin = WindowPoint(x: 0, y: 0)
    /// Whether the window counts as one of the parent's ``Window/coveringParts``.
    private var isCovering = false

    /// Creates a window for a text view, which sets its frame. Throws if the text view is no longer in a window of the server.
    public init(in textView: TextView) throws(X11Error) {
        guard let parent = textView.window?.window else { throw .noSuchWindow(WindowID(xid: 0)) }
        (self.parent, self.textView) = (parent, textView)
        let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
        clip = try Window(parent.display, parent: parent.id, frame: frame, takesKeys: false)
        do throws(X11Error) {
            window = try Window(parent.display, parent: clip.id, frame: frame, takesKeys: false)
        } catch {
            // Close the clip here: no deinit follows.
            clip.close()
            throw error
        }
        super.init()
        window.show()
    }

    deinit {
        hide()
        window.close()
        clip.close()
    }

    /// Sets the window's frame; the server moves its pixels.
    public func show(in frame: WindowRect, clippedTo area: WindowRect) {
        origin = frame.origin
        let visible = frame.intersection(area)
        clip.setFrame(visible)
        window.setFrame(
            WindowRect(
                origin: WindowPoint(x: frame.minX - visible.minX, y: frame.minY - visible.minY), size: frame.size))
        guard !isCovering, !clip.isClosed else { return }
        clip.show()
        isCovering = true
        parent?.coveringParts += 1
    }

    /// Passes an event of ``window`` on to the window around it, as if this window were not there: turns of the wheel that it does not use, so that
    /// the text scrolls under the pointer.
    public func passToText(_ event: PointerEvent) {
        guard let outer = textView?.window else { return }
        var event = event
        event.location = event.location.converted(from: origin)
        outer.window(outer.window, didReceivePointer: event)
    }

    /// Hides the window.
    public func hide() {
        guard isCovering else { return }
        clip.hide()
        isCovering = false
        parent?.coveringParts -= 1
    }

    /// Moves the window into another window, which shows it the next time.
    func move(to other: Window) {
        hide()
        parent = other
        clip.reparent(into: other.id)
    }
}
