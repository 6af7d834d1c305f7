import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window in place of an attachment: for what needs one of its own, such as video or another toolkit's drawing.
///
/// It lies in a second window, which is as large as what is seen of it. Keys struck over it are the text's, or its own while it has the
/// focus of the ``WidgetWindow`` as a responder: it leaves them all to that window. What another program puts into it must not
/// select keys, or it has them while the pointer is over it. The wheel is its own as well: ``passToText(_:)``.
open class AttachmentWindow: BasicResponder, AttachmentView {
    /// The window; its delegate paints it and hears of the pointer.
    public let window: Window
    private let clip: Window
    private weak var parent: Window?
    private weak var textView: TextView?
    /// The place of ``window`` in the parent, in its pixels.
    private var origin = WindowPoint(x: 0, y: 0)
    /// Whether it is one of the parent's ``Window/coveringParts``.
    private var isCovering = false

    /// A window that is shown where the text view places it. Throws if the text view is in no window of the server any more.
    public init(in textView: TextView) throws(X11Error) {
        guard let parent = textView.window?.window else { throw .noSuchWindow(WindowID(xid: 0)) }
        (self.parent, self.textView) = (parent, textView)
        let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
        clip = try Window(parent.display, parent: parent.id, frame: frame, takesKeys: false)
        do throws(X11Error) {
            window = try Window(parent.display, parent: clip.id, frame: frame, takesKeys: false)
        } catch {
            // No deinit follows.
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

    /// Places it; the server moves what it shows.
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

    /// Hands an event of ``window`` on to the window around it, as if this one were not there: turns of the wheel that it does not use, so that
    /// the text scrolls under the pointer.
    public func passToText(_ event: PointerEvent) {
        guard let outer = textView?.window else { return }
        var event = event
        event.location = event.location.converted(from: origin)
        outer.window(outer.window, didReceivePointer: event)
    }

    /// Takes it off the screen.
    public func hide() {
        guard isCovering else { return }
        clip.hide()
        isCovering = false
        parent?.coveringParts -= 1
    }

    /// Puts it into another window, where it is shown next time.
    func move(to other: Window) {
        hide()
        parent = other
        clip.reparent(into: other.id)
    }
}
