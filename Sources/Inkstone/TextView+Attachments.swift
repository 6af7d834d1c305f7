import InkstoneBase
import InkstoneInput
import InkstoneView

/// The views of attachments in the window, with focus and pointer of their own.
extension TextView {
    func showAttachmentViews() {
        let views = presenter.viewportLayout.attachmentViews
        views.onLoad = { provider in
            guard let responder = provider.view as? BasicResponder, responder.nextResponder == nil else { return }
            responder.nextResponder = provider
        }
        views.onLeave = { [weak self] provider in
            guard let self, let first = window?.firstResponder, first === provider.view else { return }
            // The view refused to give up the focus, but its attachment is gone.
            if !focus() { window?.focusSystem.remove(first) }
        }
    }

    /// Gives the focus to the view of the selected attachment; returns false if there is none that accepts it.
    func focusSelectedAttachment() -> Bool {
        guard let provider = presenter.viewportLayout.attachmentViews.focusable(in: selection) else { return false }
        return window?.makeFirstResponder(provider.view as? any Responder) ?? false
    }

    /// The text view that shows this one in place of an attachment.
    var outerTextView: TextView? { (nextResponder as? TextAttachmentViewProvider)?.textView as? TextView }

    /// The loaded views of attachments that accept pointer and focus.
    public var children: [any WindowContent] {
        presenter.viewportLayout.attachmentViews.providers.compactMap { $0.view as? any WindowContent }
    }

    /// Returns the view of an attachment at a point of the window.
    public func child(at point: WindowPoint) -> (any WindowContent)? {
        guard let child = presenter.viewportLayout.attachmentViews.provider(at: point)?.view as? any WindowContent
        else {
            return nil
        }
        return child.child(at: point) ?? child
    }
}
