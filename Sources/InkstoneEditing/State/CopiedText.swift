import InkstoneBase
import InkstoneInput
public import InkstoneText

/// A text in transit: a copy, a dragged piece, a killed text.
///
/// Within a process it is passed on unchanged; other processes get its text, and those of its attributes that are coded.
public struct CopiedText: Equatable, Sendable {
    /// The text; for several ranges, each on lines of its own.
    public var content: StyledText
    /// Whether the attributes count; if not, the text gets those of its new surroundings.
    public var isStyled: Bool
    /// The texts of several ranges, in order; nil for one range. A piece may have line ends of its own.
    public var pieces: [StyledText]?
    /// The source of the copy within this process; nil if unknown. In that document, the line ends need no conversion.
    var source: Source?

    /// A document, with the line end that is typed into it.
    struct Source: Equatable, Sendable {
        var document: DocumentID
        var newline: String
    }

    /// Creates a text from its parts.
    public init(_ content: StyledText, isStyled: Bool = true, pieces: [StyledText]? = nil) {
        self.content = content
        self.isStyled = isStyled
        self.pieces = pieces
    }

    /// Creates a text without attributes.
    public init(_ text: String) { self.init(StyledText(Rope(text)), isStyled: false) }

    /// Creates a text from a styled fragment.
    public init(_ fragment: StyledFragment) { self.init(fragment.text) }

    /// The text alone. O(n).
    public var text: String { content.rope.string(in: content.rope.byteRange) }

    /// Returns the first lines of the text, for a picture of it: at most a number of lines, and of characters together. Reads no more of a long
    /// text.
    public func beginning(lines: Int, characters: Int) -> String {
        let rope = content.rope
        let last = ParagraphIndex(min(lines, rope.paragraphCount) - 1)
        let end = min(rope.utf16ContentRange(of: last).upperBound, UTF16Offset(16 * characters))
        return String(rope.string(in: 0..<end).prefix(characters))
    }

    /// The same text without styles, which gets those of its new surroundings.
    public var plain: CopiedText {
        var result = self
        result.isStyled = false
        return result
    }

    /// The form with coded attributes for other processes; nil if the plain text is complete.
    public var fragment: StyledFragment? { isStyled ? StyledFragment(content) : nil }

    /// The same text with LF for every line end, the form for other programs. O(n) if it has a CR.
    public var outgoing: CopiedText { CopiedText(content.normalizingNewlines(to: "\n"), isStyled: isStyled) }

    /// Returns the ranges of several pieces in the content, in UTF-16 units and in order; nil for one piece, or if the content is not their
    /// concatenation.
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

    /// Returns the shares of `count` ranges: the pieces or else the lines if there are as many; nil if each range gets the whole text. O(n).
    func shares(_ count: Int) -> [StyledText]? {
        if count < 2 { return nil }
        return [pieces, content.lines].compactMap { $0 }.first { $0.count == count }
    }
}

extension EditorState {
    /// The selected text, for the clipboard and for drags, that of several ranges on lines of their own; nil for carets and in a secure view. O(n).
    public var selectedCopy: CopiedText? {
        guard let selection, !selection.isEmpty, !options.isSecureTextEntry else { return nil }
        let pieces = selection.ranges.filter { !$0.isCaret }.map { styledText.slice($0.range) }
        guard selection.count > 1 else { return copy(pieces[0]) }
        var content = StyledText()
        for (index, piece) in pieces.enumerated() {
            content.append(piece)
            // A piece of whole lines has its own end.
            if index + 1 < pieces.count, !piece.endsLine { content.append(StyledText(Rope(newline))) }
        }
        return copy(content, pieces: pieces)
    }

    /// Returns a copy of a part of this text.
    func copy(_ content: StyledText, pieces: [StyledText]? = nil) -> CopiedText {
        var result = CopiedText(content, isStyled: styledText.runs != nil, pieces: pieces)
        result.source = CopiedText.Source(document: document, newline: newline)
        return result
    }

    /// The text of ``selectedCopy``; nil for carets and in a secure view.
    public var selectedText: String? { selectedCopy?.text }

    /// Returns a text in the form for this one: text copied from here unchanged, all other with ``newline`` for its line ends; without styles if
    /// the view takes none. Text that was copied before the line ends were converted is converted too. O(n).
    package func admitting(_ copied: CopiedText) -> CopiedText {
        var result = options.takesStyles ? copied : copied.plain
        if copied.source == CopiedText.Source(document: document, newline: newline) { return result }
        result.content = copied.content.normalizingNewlines(to: newline)
        result.pieces = copied.pieces?.map { $0.normalizingNewlines(to: newline) }
        return result
    }

    /// Returns the edit with `copied` as its text, in the form that this text takes: see ``admitting(_:)``.
    package func answering(_ edit: DeferredEdit, with copied: CopiedText) -> DeferredEdit {
        var edit = edit
        edit.content = admitting(copied)
        return edit
    }
}
