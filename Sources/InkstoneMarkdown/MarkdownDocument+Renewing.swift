import InkstoneText

extension MarkdownDocument {
    /// The size of new text, in bytes, from which a document is renewed after it was written.
    private static let mostNewText = 1 << 16

    /// Returns the document to which the next edits are compared if this one was written with much new text; nil if the
    /// text can go on to be compared to this one. Each write of a document makes the source of all blocks that are not
    /// in its own source, which takes long for a large pasted text.
    ///
    /// Undoing an edit from before cannot bring back the former spelling of a block whose text it changes. So a document
    /// with few changes is not renewed.
    ///
    /// - Parameters:
    ///   - written: the result of writing `text`, without a loss.
    ///   - source: the source of `written`, if necessary with other line ends.
    package func renewed(by written: Written, source: String, showing text: StyledText) -> MarkdownDocument? {
        guard written.isExact, written.changedBytes > Self.mostNewText else { return nil }
        // A large block of which only a few bytes were edited has kept its spelling.
        let (old, new) = (self.source.utf8, source.utf8)
        let most = min(old.count, new.count)
        let low = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.reversed(), new.reversed()).prefix(most - low).prefix { $0 == $1 }.count
        guard new.count - low - tail > Self.mostNewText, let read = try? MarkdownDocument(source) else { return nil }
        return MarkdownDocument(read, showing: text)
    }
}
