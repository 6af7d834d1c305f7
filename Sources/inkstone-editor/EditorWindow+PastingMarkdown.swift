import Inkstone
import InkstoneMarkdown

/// Pasting Markdown source from other programs as styled text.
extension EditorWindow {
    /// The menu item that pastes Markdown source as styled text; empty in a plain text document.
    var markdownItems: [MenuItem] {
        guard let rich else { return [] }
        let isEnabled = !isAsking && rich.isReady && view.isEditable
        return [
            MenuItem(Words.pasteAsMarkdown, isEnabled: isEnabled) { [weak self] in
                self?.performUnlessAsking { $0.pasteAsMarkdown() }
            }
        ]
    }

    /// Pastes the clipboard's text over the selection, with its Markdown markup converted to styles. Does nothing in
    /// plain text, or if the text cannot be edited now.
    private func pasteAsMarkdown() {
        guard rich?.isReady == true, view.isEditable, !isClosed else { return }
        view.session.endComposition()
        let paste = view.session.deferPaste()
        display.clipboard.request(
            timestamp: display.latestTimestamp,
            onReplacement: { [weak self] in self?.view.onPasteReplacement?($0) }, as: { Self.styled($0) }
        ) { [weak self] result in
            // Do nothing if the paste was cancelled.
            guard let view = self?.view, view.state.deferredEdit(paste) != nil else { return }
            switch result {
            case .success(let copied):
                view.session.paste(copied, for: paste)
                view.scrollToCaret()
            case .failure(let failure):
                view.session.cancelPaste(paste)
                view.onPasteFailure?(failure)
            }
            view.onPasteEnd?()
        }
    }

    /// Converts Markdown source to styled text; returns the source itself if it is empty, too large or cannot be
    /// parsed.
    private nonisolated static func styled(_ source: String) -> CopiedText {
        guard source.utf8.count <= RichDocument.limit, let document = try? MarkdownDocument(source) else {
            return CopiedText(source)
        }
        var text = document.text
        let end = text.rope.utf16Range.upperBound
        guard end > 0 else { return CopiedText(source) }
        let last = text.attributes(at: end - 1)
        let isBlock = last[PresentationIntentAttribute.self] != nil || last[ListAttribute.self] != nil
        // End a block with a line end, which carries the block's attributes: without one, the inserted text would
        // become part of the paragraph into which it is pasted.
        if text.rope.paragraphCount > 1 || isBlock, text.rope.string(in: end - 1..<end) != "\n" {
            var attributes = TextAttributes()
            attributes[PresentationIntentAttribute.self] = last[PresentationIntentAttribute.self]
            attributes[ListAttribute.self] = last[ListAttribute.self]
            text.append(StyledText(Rope("\n"), attributes))
        }
        return CopiedText(text)
    }
}
