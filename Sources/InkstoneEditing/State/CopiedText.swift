public import InkstoneText

/// A text on its way from one place to another: a copy, a dragged piece, what was cut off.
///
/// Within a process it is handed on as it is; other processes get its text, and its ``styled`` form if they know that.
public struct CopiedText: Equatable, Sendable {
    /// The text, that of several ranges on lines of their own.
    public var text: String
    /// The same with its attributes; nil for those of its new surroundings.
    public var styled: StyledFragment?
    /// What each of several ranges had, in order; nil if it was one. A piece may have line ends of its own.
    public var pieces: [String]?

    /// A text by its parts.
    public init(_ text: String, styled: StyledFragment? = nil, pieces: [String]? = nil) {
        self.text = text
        self.styled = styled
        self.pieces = pieces
    }

    /// A piece of styled text.
    public init(_ styled: StyledFragment) {
        self.init(styled.text.rope.string(in: styled.text.rope.byteRange), styled: styled)
    }

    /// The lines of a text, without the line end at its end. O(n).
    static func lines(of text: String) -> [String] {
        var lines: [String] = []
        var line: [UInt8] = []
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0x0a where last == 0x0d: break
            case 0x0a, 0x0d:
                lines.append(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            default: line.append(byte)
            }
            last = byte
        }
        if !line.isEmpty || lines.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines
    }
}

extension EditorState {
    /// What is selected, for the clipboard and for drags; nil for carets and in a secure view. O(n).
    public var selectedCopy: CopiedText? {
        guard let text = selectedText, let selection else { return nil }
        guard selection.count == 1 else { return CopiedText(text, pieces: selectedPieces) }
        return CopiedText(text, styled: StyledFragment(of: selection.range, in: styledText))
    }

    /// An edit whose text has come.
    public func answering(_ edit: DeferredEdit, with copied: CopiedText) -> DeferredEdit {
        var edit = edit
        edit.text = normalizingNewlines(of: copied.text)
        edit.pieces = copied.pieces?.map(normalizingNewlines)
        return edit
    }
}
