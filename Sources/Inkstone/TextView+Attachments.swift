import InkstoneBase
import InkstoneInput
import InkstoneView

/// The views that are displayed in place of attachments, which have the focus and receive pointer events themselves.
extension TextView {
    func showAttachmentViews() {
        let views = presenter.viewportLayout.attachmentViews
        views.onLoad = { provider in
            guard let responder = provider.view as? BasicResponder, responder.nextResponder == nil else { return }
            responder.nextResponder = provider
        }
        views.onLeave = { [weak self] provider in
            guard let self, let first = window?.firstResponder, first === provider.view else { return }
            // Remove the focus from the view of a deleted attachment, even if that view refuses to give it to the text
            // view.
            if !focus() { window?.focusSystem.remove(first) }
        }
    }

    /// Moves the focus to the view of the selected attachment. Returns false if no attachment with a view is
    /// selected, or if the view does not accept the focus.
    func focusSelectedAttachment() -> Bool {
        guard let provider = presenter.viewportLayout.attachmentViews.focusable(in: selection) else { return false }
        return window?.makeFirstResponder(provider.view as? any Responder) ?? false
    }

    /// The text view that displays this one in place of an attachment; nil for any other view.
    var outerTextView: TextView? { (nextResponder as? TextAttachmentViewProvider)?.textView as? TextView }

    /// The loaded views of attachments that receive pointer events and focus.
    public var children: [any WindowContent] {
        presenter.viewportLayout.attachmentViews.providers.compactMap { $0.view as? any WindowContent }
    }

    /// Returns the innermost view of an attachment at a point, which is in window pixels; nil for none.
    public func child(at point: WindowPoint) -> (any WindowContent)? {
        guard let child = presenter.viewportLayout.attachmentViews.provider(at: point)?.view as? any WindowContent
        else {
            return nil
        }
        return child.child(at: point) ?? child
    }
}
