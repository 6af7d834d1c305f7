import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import InkstoneView

/// A text with its selection and marked text, written as one string. In `ab[cd|]e`, `cd` is selected with the
/// moving end at the right; `ab|` has a caret; `x⟨にほん⟩|` has marked text, of which `x⟨に[ほん|]⟩` selects a part.
public struct CaretNotation: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The text, without the characters for selection and marked text.
    public var text = ""
    /// The fixed end of the selection, in UTF-16 code units.
    public var anchor = 0
    /// The moving end of the selection, in UTF-16 code units.
    public var head = 0
    /// The marked range, in UTF-16 code units; nil without marked text.
    public var marked: Range<Int>?

    /// The selected range, in UTF-16 code units; empty at the caret.
    package var selection: Range<UTF16Offset> { UTF16Offset(min(anchor, head))..<UTF16Offset(max(anchor, head)) }

    /// Creates the state that a notation describes. The characters `[`, `]`, `|`, `⟨` and `⟩` are never part of the
    /// text. Without a `|`, the caret is at the start.
    ///
    /// Traps if a bracket is unpaired, or the `|` of a selection is at neither end of it.
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
        precondition((bracket == nil) == (close == nil), "a bracket without the other: \(notation)")
        precondition((markStart == nil) == (marked == nil), "an angle bracket without the other: \(notation)")
        guard let bracket, let close else { return }
        precondition(notation.contains("|") && (head == bracket || head == close), "| at no end of [ ]: \(notation)")
        anchor = head == bracket ? close : bracket
    }

    /// Creates the state that a notation in a string literal describes.
    public init(stringLiteral value: String) { self.init(value) }

    /// Creates the notation of a view's state.
    public init(_ view: EditorView) {
        text = view.text
        anchor = view.selection?.anchor.value ?? 0
        head = view.selection?.head.value ?? 0
        marked = view.markedText.map { $0.range.lowerBound.value..<$0.range.upperBound.value }
    }

    /// Creates the notation of a reference view's state.
    package init(_ view: ReferenceTextView) {
        text = view.string
        anchor = view.content.selection?.lowerBound.value ?? 0
        head = view.content.selection?.upperBound.value ?? 0
        marked = view.content.marked.map { $0.lowerBound.value..<$0.upperBound.value }
    }

    /// The state as a string in this notation.
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
    /// Sets the view's text and selection, as one undo step; marked text is inserted as plain text.
    public func set(_ notation: CaretNotation) {
        text = notation.text
        select(Selection(anchor: UTF16Offset(notation.anchor), head: UTF16Offset(notation.head)))
    }
}
