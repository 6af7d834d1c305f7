import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window that is displayed in place of an attachment, for contents that need a window of their own, such as
/// video or another toolkit's drawing.
///
/// The window lies in a clipping window, which is as large as the visible part. Keys struck while the pointer is over
/// the window go to the text, or to this object if it has the focus of the ``WidgetWindow``. A program that draws into
/// the window must not select keys, or the program would receive these keys. This window also receives turns of the
/// wheel; pass them on by ``passToText(_:)``.
open class AttachmentWindow: BasicResponder, AttachmentView {
    /// The window. Its delegate paints it and receives the pointer's events.
    public let window: Window
    private let clip: Window
    private weak var parent: Window?
    private weak var textView: TextView?
    /// The origin of ``window`` in the parent, in the parent's pixels.
    private var origin = WindowPoint(x: 0, y: 0)
    /// Whether the window counts as one of the parent's ``Window/coveringParts``.
    private var isCovering = false

    /// Creates a window for a text view, which sets the window's frame. Throws if the text view is in no window, or
    /// if the server cannot create the X window.
    public init(in textView: TextView) throws(X11Error) {
        guard let parent = textView.window?.window else { throw .noSuchWindow(WindowID(xid: 0)) }
        (self.parent, self.textView) = (parent, textView)
        let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
        clip = try Window(parent.display, parent: parent.id, frame: frame, takesKeys: false)
        do throws(X11Error) {
            window = try Window(parent.display, parent: clip.id, frame: frame, takesKeys: false)
        } catch {
            // Close the clipping window here, because `deinit` is not called after a throw.
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

    /// Moves and shows the window. The server moves the pixels that are visible before and after; the window's delegate
    /// must paint all others.
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

    /// Passes an event of ``window`` to the window around it. Use this for turns of the wheel that this window does not
    /// handle: the text under the pointer then scrolls.
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

    /// Moves the window into another window. ``show(in:clippedTo:)`` shows it there.
    func move(to other: Window) {
        hide()
        parent = other
        clip.reparent(into: other.id)
    }
}
