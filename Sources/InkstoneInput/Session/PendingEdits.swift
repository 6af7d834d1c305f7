public import InkstoneBase

/// Edits by the program that arrive while text is being composed.
///
/// One that lies apart from the marked text may be applied at once, wherever earlier ones do not wait; one that touches
/// it waits until the composition ends, and so do all behind it. What waits is rebased by every edit made meanwhile, so it
/// means the text that it was made for. A plain value: the view applies what it gives out.
public struct PendingEdits {
    /// One edit: a range, in UTF-16 units of the present text, and what replaces it.
    public struct Edit: Hashable, Sendable {
        /// What to replace.
        public var range: Range<UTF16Offset>
        /// By what.
        public var text: String
        /// Whether it stands for a replacement of all text, whatever the text is when its turn comes.
        public var replacesAll: Bool

        /// An edit by its parts.
        public init(range: Range<UTF16Offset>, text: String, replacesAll: Bool = false) {
            self.range = range
            self.text = text
            self.replacesAll = replacesAll
        }
    }

    /// What is to become of an edit.
    public enum Decision: Hashable, Sendable {
        /// Apply it now.
        case apply
        /// It waits.
        case wait
    }

    /// What waits, first come first.
    public private(set) var waiting: [Edit] = []

    /// Nothing waits.
    public init() {}

    /// Takes an edit in while `marked` is being composed (nil: nothing is).
    ///
    /// To touch is to overlap, to lie inside, or to be an insertion within the marked text; an edit that ends where the
    /// marked text starts, or starts where it ends, lies apart.
    public mutating func submit(_ edit: Edit, marked: Range<UTF16Offset>?) -> Decision {
        guard let marked else { return waiting.isEmpty ? .apply : enqueue(edit) }
        let touches =
            edit.replacesAll
            || (edit.range.isEmpty
                ? edit.range.lowerBound > marked.lowerBound && edit.range.lowerBound < marked.upperBound
                : edit.range.lowerBound < marked.upperBound && edit.range.upperBound > marked.lowerBound)
        return touches || !waiting.isEmpty ? enqueue(edit) : .apply
    }

    private mutating func enqueue(_ edit: Edit) -> Decision {
        waiting.append(edit)
        return .wait
    }

    /// The text was edited, by a composition or otherwise: what waits moves along. O(n) in what waits.
    public mutating func textDidChange(_ change: TextChange) {
        for index in waiting.indices { waiting[index].range = waiting[index].range.moved(by: change) }
    }

    /// The composition is over: the next edit to apply, taken out; nil if none waits. Report each applied edit by
    /// ``textDidChange(_:)`` before asking for the next.
    public mutating func next(textLength: Int) -> Edit? {
        guard !waiting.isEmpty else { return nil }
        var edit = waiting.removeFirst()
        let all = UTF16Offset(0)..<UTF16Offset(max(0, textLength))
        edit.range = edit.replacesAll ? all : edit.range.clamped(into: all)
        return edit
    }
}

extension Range<UTF16Offset> {
    /// Where this range lies after a change: ends inside what was replaced go to the new text's end if they are the
    /// range's end, to its start if they are its start.
    func moved(by change: TextChange) -> Self {
        func move(_ offset: UTF16Offset, isEnd: Bool) -> UTF16Offset {
            if offset < change.oldRange.lowerBound { return offset }
            if offset == change.oldRange.lowerBound, isEnd || offset < change.oldRange.upperBound { return offset }
            if offset >= change.oldRange.upperBound { return offset + change.delta }
            return isEnd ? change.newRange.upperBound : change.newRange.lowerBound
        }
        let start = move(lowerBound, isEnd: isEmpty)
        return start..<Swift.max(start, move(upperBound, isEnd: true))
    }
}
