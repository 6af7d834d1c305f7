import InkstoneProxy

/// The recipes of the page *Keyboards in other processes*, written as in a keyboard's own program: by what is public.
enum ProxyRecipes {
    /// The paragraph around the caret.
    static func paragraph(_ proxy: TextDocumentProxy) -> String {
        let before = proxy.documentContextBeforeInput ?? ""
        let after = proxy.documentContextAfterInput ?? ""
        return before + (proxy.selectedText ?? "") + after
    }

    /// Gives the word before the caret a capital, as one step of undo. The caret stays.
    static func capitalize(_ proxy: TextDocumentProxy) {
        let word = (proxy.documentContextBeforeInput ?? "").reversed().prefix { $0.isLetter }
        guard let first = word.last else { return }
        proxy.perform {
            $0.adjustTextPosition(byCharacterOffset: 1 - word.count)
            $0.deleteBackward()
            $0.insertText(first.uppercased())
            $0.adjustTextPosition(byCharacterOffset: word.count - 1)
        }
    }

    /// Deletes the character after the caret; nothing at the document's end.
    static func deleteForward(_ proxy: TextDocumentProxy) {
        proxy.perform {
            $0.adjustTextPosition(byCharacterOffset: 1)
            $0.deleteBackward()
        }
    }

    /// Shows an accent that waits for its letter, on a blank. What is inserted next takes its place.
    static func markAccent(_ proxy: TextDocumentProxy) {
        let accent = " \u{0301}"
        proxy.setMarkedText(accent, selectedRange: 0..<accent.utf16.count)
    }

    /// Shows a word that was begun as it could go on: what is inserted next replaces only that.
    static func complete(_ start: String, to word: String, _ proxy: TextDocumentProxy) {
        proxy.setMarkedText(word, selectedRange: start.utf16.count..<word.utf16.count)
    }
}
