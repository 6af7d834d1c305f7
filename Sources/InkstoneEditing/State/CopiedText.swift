import InkstoneBase
import InkstoneInput
public import InkstoneText

/// A text on its way from one place to another: a copy, a dragged piece, what was cut off.
///
/// Within a process it is handed on as it is; other processes get its text, and of its attributes those that are coded.
public struct CopiedText: Equatable, Sendable {
    /// The text, that of several ranges on lines of their own.
    public var content: StyledText
    /// Whether the attributes count; else the text takes after its new surroundings.
    public var isStyled: Bool
    /// What each of several ranges had, in order; nil if it was one. A piece may have line ends of its own.
    public var pieces: [StyledText]?
    /// The text that it was copied from within this process; nil if that is not known. There its line ends are as they were.
    var source: Source?

    /// A document, with the line ends that were typed into it.
    struct Source: Equatable, Sendable {
        var document: DocumentID
        var newline: String
    }

    /// A text by its parts.
    public init(_ content: StyledText, isStyled: Bool = true, pieces: [StyledText]? = nil) {
        self.content = content
        self.isStyled = isStyled
        self.pieces = pieces
    }

    /// A text without attributes.
    public init(_ text: String) { self.init(StyledText(Rope(text)), isStyled: false) }

    /// A piece of styled text.
    public init(_ fragment: StyledFragment) { self.init(fragment.text) }

    /// The text alone. O(n).
    public var text: String { content.rope.string(in: content.rope.byteRange) }

    /// The first lines of the text, for a picture of it: at most so many, and at most so many characters together. Of a long text no more
    /// than these are read.
    public func beginning(lines: Int, characters: Int) -> String {
        let rope = content.rope
        let last = ParagraphIndex(min(lines, rope.paragraphCount) - 1)
        let end = min(rope.utf16ContentRange(of: last).upperBound, UTF16Offset(16 * characters))
        return String(rope.string(in: 0..<end).prefix(characters))
    }

    /// The same, to take after its new surroundings.
    public var plain: CopiedText {
        var result = self
        result.isStyled = false
        return result
    }

    /// As it may leave the process; nil if the plain text says all there is.
    public var fragment: StyledFragment? { isStyled ? StyledFragment(content) : nil }

    /// The same with LF for every line end, as other programs have it whatever the text's own are. O(n) if it has a CR.
    public var outgoing: CopiedText { CopiedText(content.normalizingNewlines(to: "\n"), isStyled: isStyled) }

    /// Where several pieces lie in the content, in UTF-16 units and in order; nil if it was one, or they do not lie in it as they are.
    ///
    /// - Parameter newline: what stands between two of them.
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

    /// What `count` ranges get of it, if it has as many pieces, or as many lines; else each gets all of it. O(n).
    func shares(_ count: Int) -> [StyledText]? {
        if count < 2 { return nil }
        return [pieces, content.lines].compactMap { $0 }.first { $0.count == count }
    }
}

extension EditorState {
    /// What is selected, for the clipboard and for drags, that of several ranges on lines of their own; nil for carets and in a secure
    /// view. O(n).
    public var selectedCopy: CopiedText? {
        guard let selection, !selection.isEmpty, !options.isSecureTextEntry else { return nil }
        let pieces = selection.ranges.filter { !$0.isCaret }.map { styledText.slice($0.range) }
        guard selection.count > 1 else { return copy(pieces[0]) }
        var content = StyledText()
        for (index, piece) in pieces.enumerated() {
            content.append(piece)
            // A piece that is whole lines has its own end.
            if index + 1 < pieces.count, !piece.endsLine { content.append(StyledText(Rope(newline))) }
        }
        return copy(content, pieces: pieces)
    }

    /// Text of this one, on its way to anywhere.
    func copy(_ content: StyledText, pieces: [StyledText]? = nil) -> CopiedText {
        var result = CopiedText(content, isStyled: styledText.runs != nil, pieces: pieces)
        result.source = CopiedText.Source(document: document, newline: newline)
        return result
    }

    /// The text that is selected, as ``selectedCopy`` has it; nil for carets and in a secure view.
    public var selectedText: String? { selectedCopy?.text }

    /// Text as it may come into this one: text of its own as it was, all other with its line ends as ``newline``; without styles where
    /// the view takes none. Text that was copied before the line ends were converted is converted too. O(n).
    public func admitting(_ copied: CopiedText) -> CopiedText {
        var result = options.takesStyles ? copied : copied.plain
        if copied.source == CopiedText.Source(document: document, newline: newline) { return result }
        result.content = copied.content.normalizingNewlines(to: newline)
        result.pieces = copied.pieces?.map { $0.normalizingNewlines(to: newline) }
        return result
    }

    /// An edit whose text has come.
    public func answering(_ edit: DeferredEdit, with copied: CopiedText) -> DeferredEdit {
        var edit = edit
        edit.content = admitting(copied)
        return edit
    }
}
