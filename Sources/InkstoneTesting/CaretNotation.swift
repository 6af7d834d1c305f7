import InkstoneBase
import InkstoneInput
import InkstoneText
import InkstoneView

/// A text and what is selected and marked in it, written as one string: `ab[cd|]e` selects `cd` with the moving end at
/// the right, `ab|` is a caret, `x⟨にほん⟩|` has marked text.
public struct CaretNotation: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text without the signs.
    public var text = ""
    /// The fixed end of the selection, in UTF-16 code units.
    public var anchor = 0
    /// The moving end of the selection, in UTF-16 code units.
    public var head = 0
    /// What is marked, in UTF-16 code units.
    public var marked: Range<Int>?

    /// Reads the notation; `[`, `]`, `|`, `⟨` and `⟩` are always signs. Without a caret it is at the start.
    public init(_ notation: String) {
        var bracket: Int?
        var close: Int?
        var markStart: Int?
        for character in notation {
            let offset = text.utf16.count
            switch character {
            case "|": head = offset
            case "[": bracket = offset
            case "]": close = offset
            case "⟨": markStart = offset
            case "⟩": marked = (markStart ?? 0)..<offset
            default: text.append(character)
            }
        }
        anchor = head
        if let bracket, let close { anchor = head == bracket ? close : bracket }
    }

    /// Reads the notation.
    public init(stringLiteral value: String) { self.init(value) }

    /// What a view shows.
    public init(_ view: EditorView) {
        text = view.text
        anchor = view.selection?.anchor.value ?? 0
        head = view.selection?.head.value ?? 0
        marked = view.markedText.map { $0.range.lowerBound.value..<$0.range.upperBound.value }
    }

    /// The notation.
    public var description: String {
        var signs: [(offset: Int, rank: Int, sign: String)] = [(head, 2, "|")]
        if anchor < head {
            signs += [(anchor, 1, "["), (head, 3, "]")]
        } else if anchor > head {
            signs += [(head, 1, "["), (anchor, 3, "]")]
        }
        if let marked { signs += [(marked.lowerBound, 0, "⟨"), (marked.upperBound, 4, "⟩")] }
        signs.sort { ($0.offset, $0.rank) < ($1.offset, $1.rank) }
        let units = Array(text.utf16)
        var result = ""
        var position = 0
        for sign in signs {
            result += String(decoding: units[position..<sign.offset], as: UTF16.self) + sign.sign
            position = sign.offset
        }
        return result + String(decoding: units[position...], as: UTF16.self)
    }
}

extension EditorView {
    /// Puts a text and a selection into the view, as one undo step; marked text is not marked.
    public func set(_ notation: CaretNotation) {
        text = notation.text
        select(Selection(anchor: UTF16Offset(notation.anchor), head: UTF16Offset(notation.head)))
    }
}
