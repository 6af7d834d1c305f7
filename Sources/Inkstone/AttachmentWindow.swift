import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneX11

/// An X window in place of an attachment: for what needs one of its own, such as video or another toolkit's drawing.
///
/// It lies in a second window, which is as large as what is seen of it. Keys struck over it are the text's, or its own while it has the
/// focus of the ``WidgetWindow`` as a responder: it leaves them all to that window. What another program puts into it must not
/// select keys, or it has them while the pointer is over it.
open class AttachmentWindow: BasicResponder, AttachmentView {
    /// The window; its delegate paints it and hears of the pointer.
    public let window: Window
    private let clip: Window
    private weak var parent: Window?

    /// A window that is shown where the text view places it. Throws if the text view is in no window of the server any more.
    public init(in textView: TextView) throws(X11Error) {
        guard let parent = textView.window?.window else { throw .noSuchWindow(WindowID(xid: 0)) }
        self.parent = parent
        let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
        clip = try Window(parent.display, parent: parent.id, frame: frame, takesKeys: false)
        window = try Window(parent.display, parent: clip.id, frame: frame, takesKeys: false)
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
        let visible = frame.intersection(area)
        clip.setFrame(visible)
        window.setFrame(
            WindowRect(
                origin: WindowPoint(x: frame.minX - visible.minX, y: frame.minY - visible.minY), size: frame.size))
        guard !clip.isShown else { return }
        clip.show()
        parent?.coveringParts += 1
    }

    /// Takes it off the screen.
    public func hide() {
        guard clip.isShown else { return }
        clip.hide()
        parent?.coveringParts -= 1
    }
}
