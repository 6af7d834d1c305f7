import InkstoneBase
import InkstoneInput
public import InkstoneText

/// A text that is copied, dragged or killed.
///
/// Within a process it is passed on unchanged. Other processes get the text with those attributes that can be
/// encoded.
public struct CopiedText: Equatable, Sendable {
    /// The whole text. The texts of several ranges are on separate lines.
    public var content: StyledText
    /// Whether the text keeps its attributes when it is inserted; if not, it gets those of the text around it.
    public var isStyled: Bool
    /// The texts of the selected ranges, in order; nil if a single range was copied. A piece may contain line ends.
    public var pieces: [StyledText]?
    /// The document in this process from which the text was copied; nil if unknown. When the text is pasted into
    /// the same document, its line ends need not be converted, and its invalid bytes are kept.
    var source: Source?

    /// A document, and its line end and decoding when the text was copied.
    struct Source: Equatable, Sendable {
        var document: DocumentID
        /// The line end that Return typed.
        var newline: String
        /// The ``EditorState/decoding`` of the document's bytes.
        var decoding: DocumentID?
    }

    /// Creates a text from its parts.
    public init(_ content: StyledText, isStyled: Bool = true, pieces: [StyledText]? = nil) {
        self.content = content
        self.isStyled = isStyled
        self.pieces = pieces
    }

    /// Creates a text without attributes.
    public init(_ text: String) { self.init(StyledText(Rope(text)), isStyled: false) }

    /// Creates a text from a styled fragment, such as one of another process.
    public init(_ fragment: StyledFragment) { self.init(fragment.text) }

    /// The text without attributes, as a string. O(n).
    public var text: String { content.rope.string(in: content.rope.byteRange) }

    /// Returns the beginning of the text, for a picture of it: at most a number of lines, and a number of
    /// characters in all. Does not read further in a long text.
    public func beginning(lines: Int, characters: Int) -> String {
        let rope = content.rope
        let last = ParagraphIndex(min(lines, rope.paragraphCount) - 1)
        let end = min(rope.utf16ContentRange(of: last).upperBound, UTF16Offset(16 * characters))
        return String(rope.string(in: 0..<end).prefix(characters))
    }

    /// The same text without styles. When inserted, it gets those of the text around it.
    public var plain: CopiedText {
        var result = self
        result.isStyled = false
        return result
    }

    /// The text with its encoded attributes, for other processes; nil if it has no styles.
    public var fragment: StyledFragment? { isStyled ? StyledFragment(content) : nil }

    /// The text with LF for every line end and U+FFFD for each invalid sequence, for other programs. O(n) if it has
    /// a CR or an invalid sequence.
    public var outgoing: CopiedText {
        CopiedText(content.normalizingNewlines(to: "\n").replacingInvalidBytes(), isStyled: isStyled)
    }

    /// Returns the ranges of the pieces within the content, in UTF-16 units and in order. Nil if there are no
    /// pieces, or if the pieces with the line ends between them are not as long as the content.
    ///
    /// - Parameter newline: the line end between two pieces.
    func pieceRanges(on newline: String) -> [Range<UTF16Offset>]? {
        guard let pieces, !pieces.isEmpty else { return nil }
        var (ranges, start): ([Range<UTF16Offset>], UTF16Offset) = ([], 0)
        for piece in pieces {
            let end = start + piece.rope.metrics.utf16
            ranges.append(start..<end)
            start = piece.endsLine ? end : end + newline.utf16.count
        }
        return ranges.last?.upperBound.value == content.rope.metrics.utf16 ? ranges : nil
    }

    /// Returns the text for each of `count` ranges: the pieces if there are `count` of them, or else the lines if
    /// there are `count` of them. Otherwise, and for a single range, returns nil: each range then gets the whole
    /// text. O(n).
    func shares(_ count: Int) -> [StyledText]? {
        if count < 2 { return nil }
        return [pieces, content.lines].compactMap { $0 }.first { $0.count == count }
    }
}

extension EditorState {
    /// The selected text, for the clipboard and for drags. The texts of several ranges are on separate lines. Nil
    /// for carets and in a secure view. O(n).
    public var selectedCopy: CopiedText? {
        guard let selection, !selection.isEmpty, !options.isSecureTextEntry else { return nil }
        let pieces = selection.ranges.filter { !$0.isCaret }.map { styledText.slice($0.range) }
        guard selection.count > 1 else { return copy(pieces[0]) }
        var content = StyledText()
        for (index, piece) in pieces.enumerated() {
            content.append(piece)
            // Separate the pieces by line ends. A piece that already ends with a line end needs no other one.
            if index + 1 < pieces.count, !piece.endsLine { content.append(StyledText(Rope(newline))) }
        }
        return copy(content, pieces: pieces)
    }

    /// Returns a copy of a part of this state's text.
    package func copy(_ content: StyledText, pieces: [StyledText]? = nil) -> CopiedText {
        var result = CopiedText(content, isStyled: styledText.runs != nil, pieces: pieces)
        result.source = source
        return result
    }

    /// The source of a text that is copied now.
    private var source: CopiedText.Source {
        CopiedText.Source(document: document, newline: newline, decoding: decoding)
    }

    /// The text of ``selectedCopy`` as a string; nil for carets and in a secure view.
    public var selectedText: String? { selectedCopy?.text }

    /// Returns a text in the form in which it is inserted here. Its styles are removed if the view does not accept
    /// styles. Its line ends are converted to ``newline``, unless the text was copied from this document while it had
    /// the same ``newline``. Each invalid sequence is replaced by U+FFFD, unless the text was copied from this document
    /// while it had the same ``decoding``: elsewhere the bytes could stand for other characters, or for none. O(n).
    package func admitting(_ copied: CopiedText) -> CopiedText {
        var result = options.takesStyles ? copied : copied.plain
        if copied.source == source { return result }
        let isSameText = copied.source?.document == document
        let (keepsLineEnds, keepsBytes) = (
            isSameText && copied.source?.newline == newline, isSameText && copied.source?.decoding == decoding
        )
        func admitted(_ text: StyledText) -> StyledText {
            let text = keepsLineEnds ? text : text.normalizingNewlines(to: newline)
            return keepsBytes ? text : text.replacingInvalidBytes()
        }
        result.content = admitted(copied.content)
        result.pieces = copied.pieces?.map(admitted)
        return result
    }

    /// Returns the edit with `copied` as its text, in the form in which it is inserted here: see ``admitting(_:)``.
    package func answering(_ edit: DeferredEdit, with copied: CopiedText) -> DeferredEdit {
        var edit = edit
        edit.content = admitting(copied)
        return edit
    }
}
