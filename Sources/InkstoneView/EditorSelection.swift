import InkstoneBase
import InkstoneText

/// Where the user is in a text: a caret, or a range with one fixed and one moving end. A plain value.
public struct EditorSelection: Hashable, Sendable {
    /// The fixed end, in UTF-16 code units.
    public var anchor: UTF16Offset
    /// The moving end, where the caret is, in UTF-16 code units.
    public var head: UTF16Offset
    /// At a soft wrap: whether the caret shows at the end of the upper line or at the start of the lower one.
    public var affinity: TextAffinity
    /// The column that moving up and down keeps, as an x in document space; nil to take the caret's.
    public var goalX: Double?

    /// A caret.
    public init(caret: UTF16Offset, affinity: TextAffinity = .downstream) {
        self.init(anchor: caret, head: caret, affinity: affinity)
    }

    /// A range from its fixed to its moving end, which may come first.
    public init(anchor: UTF16Offset, head: UTF16Offset, affinity: TextAffinity = .downstream) {
        self.anchor = anchor
        self.head = head
        self.affinity = affinity
    }

    /// What is selected; empty for a caret.
    public var range: Range<UTF16Offset> { min(anchor, head)..<max(anchor, head) }

    /// Whether nothing is selected.
    public var isCaret: Bool { anchor == head }

    /// The selection after text before or around it has changed: ends inside what was replaced go to its new end.
    public func mapped(through edit: TextEdit) -> EditorSelection {
        var result = self
        result.anchor = edit.map(anchor, leaning: .downstream)
        result.head = edit.map(head, leaning: .downstream)
        result.goalX = nil
        return result
    }
}
