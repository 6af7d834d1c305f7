import InkstoneText

extension MarkdownDocument {
    /// The size of new text, in bytes, above which a document is renewed after it was written.
    private static let mostNewText = 1 << 16

    /// Returns a document to be used in place of this one for later writes, if much new text was written; otherwise
    /// nil. Each write makes the source of all blocks that are not in the document's own source, which takes long for a
    /// large pasted text.
    ///
    /// With the new document, undoing an earlier edit cannot restore the former spelling of the blocks that it changes.
    /// So a document with few changes is not renewed.
    ///
    /// - Parameters:
    ///   - written: the result of writing `text`. If it is not exact, the method returns nil.
    ///   - source: the source of `written`, if necessary with other line ends.
    package func renewed(by written: Written, source: String, showing text: StyledText) -> MarkdownDocument? {
        guard written.isExact, written.changedBytes > Self.mostNewText else { return nil }
        // If only a few bytes of a large block were edited, the block has kept its spelling. So count only the bytes
        // between the first and the last difference.
        let (old, new) = (self.source.utf8, source.utf8)
        let most = min(old.count, new.count)
        let low = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.reversed(), new.reversed()).prefix(most - low).prefix { $0 == $1 }.count
        guard new.count - low - tail > Self.mostNewText, let read = try? MarkdownDocument(source) else { return nil }
        return MarkdownDocument(read, showing: text)
    }
}
