import InkstoneBase
import InkstoneText

/// An edit that waits: an edit by the program during a composition, a paste or drop whose text is pending, or the
/// deletion of text that is being dragged. Meanwhile, it is mapped through the changes of the text.
///
/// If others insert text within the range of a paste, that text is kept: the paste replaces the rest of its range,
/// and its text is inserted before the text typed there. An edit by the program replaces everything that its range
/// then contains.
public struct DeferredEdit: Equatable, Sendable {
    /// The identity of a deferred edit.
    public struct ID: Hashable, Sendable {
        private let number = DocumentID()
    }

    /// An offset at which the edit inserts its text, and the ranges that the text replaces.
    struct Target: Hashable, Sendable {
        /// The offset at which the text is inserted.
        var place: UTF16Offset
        /// The ranges to replace: in order, not adjacent, and not empty.
        var kept: [Range<UTF16Offset>]

        init(_ range: Range<UTF16Offset>) {
            place = range.lowerBound
            kept = range.isEmpty ? [] : [range]
        }

        /// The range that the text replaces, if that is a single range and the text is inserted at it. If no text
        /// is replaced, an empty range at the insertion offset. Nil for several ranges, and for a range elsewhere.
        var whole: Range<UTF16Offset>? {
            guard let only = kept.first else { return place..<place }
            return kept.count == 1 && only.lowerBound == place ? only : nil
        }
    }

    /// The identity of the edit.
    public let id = ID()
    /// The origin of the edit, such as a paste or the program, which its transaction gets.
    package let origin: Origin
    /// The text to insert. If it has as many pieces, or else as many lines, as the edit has targets, each target
    /// gets one of them; otherwise each target gets the whole text. Nil while the text is pending, and for the
    /// deletion of dragged text.
    package var content: CopiedText?
    /// Whether the edit replaces the whole text, whatever the text is when the edit is made.
    package let replacesAll: Bool
    /// Whether the edit appends its text at the end, wherever the end is when the edit is made.
    let appends: Bool
    /// The way in which the edit is recorded for undo.
    let undo: UndoJoining
    /// The ``TextStore/generation`` when the edit was deferred.
    var generation = 0
    /// The transaction to make instead of replacing the targets, if the edit does more than replace text. The store
    /// maps it to the present text.
    let transaction: Transaction?
    var targets: [Target]

    /// Creates an edit that replaces ranges of the present text, each by `text`. `text` is nil while it is pending.
    package init(
        replacing ranges: [Range<UTF16Offset>], with text: String?, origin: Origin, replacesAll: Bool = false
    ) {
        targets = ranges.map(Target.init)
        content = text.map { CopiedText($0) }
        self.origin = origin
        self.replacesAll = replacesAll
        (appends, undo) = (false, .step)
        transaction = nil
    }

    /// Creates an edit by the program that appends to a text or, if `replacesAll` is true, replaces the whole text.
    init(_ content: CopiedText, replacesAll: Bool, of text: Rope, undo: UndoJoining) {
        let end = text.utf16Range.upperBound
        targets = [Target(replacesAll ? text.utf16Range : end..<end)]
        self.content = content
        origin = .program
        self.replacesAll = replacesAll
        appends = !replacesAll
        self.undo = undo
        transaction = nil
    }

    /// Creates a deferred edit from a transaction of the program that has to wait.
    init(_ transaction: Transaction) {
        let changes = transaction.changes
        let pieces = (0..<changes.count).map { StyledText(changes.insertedText($0)) }
        var all = StyledText()
        for piece in pieces { all.append(piece) }
        targets = changes.changeMap.map { Target($0.oldRange) }
        content = CopiedText(all, isStyled: false, pieces: pieces)
        origin = transaction.origin
        replacesAll = false
        (appends, undo) = (false, .step)
        self.transaction = transaction.onlyReplacesText ? nil : transaction
    }

    /// Whether two values are the same edit, with the same targets and text.
    public static func == (a: Self, b: Self) -> Bool {
        a.id == b.id && a.content == b.content && a.targets == b.targets && a.generation == b.generation
    }

    /// Maps the edit through a change of the text.
    mutating func map(through changes: TextChangeMap) {
        for index in targets.indices {
            let kept = targets[index].kept
            if !origin.isUser {
                targets[index] = Target(
                    kept.first.map(changes.covering) ?? Self.empty(changes.map(targets[index].place, bias: .upstream)))
            } else {
                targets[index].place = changes.map(targets[index].place, bias: .upstream)
                targets[index].kept = kept.flatMap(changes.remains)
            }
        }
    }

    /// Maps the edit to the present text. Call this if the transaction that defers the edit was rebased on changes
    /// by others; `move` describes the rebasing.
    mutating func map(through move: TransactionMove) {
        for index in targets.indices {
            let (place, kept) = (targets[index].place, targets[index].kept)
            let isInserted = kept.contains { move.changes.inverted.overlaps($0) }
            if origin.isUser {
                targets[index].place = move.map(place, bias: .upstream)
                targets[index].kept = kept.flatMap(move.remains)
            } else if isInserted || kept.isEmpty {
                targets[index] = Target(kept.first.map(move.map) ?? Self.empty(move.map(place, bias: .upstream)))
            } else if let first = kept.first {
                targets[index] = Target(move.maps.reduce(first) { $1.covering($0) })
            }
        }
    }

    private static func empty(_ place: UTF16Offset) -> Range<UTF16Offset> { place..<place }

    /// Returns the changes that the edit makes in a text. Call when the edit is made; its text must have arrived.
    func changes(of text: StyledText) -> (changes: TextChangeSet, restyling: Restyling?) {
        let new = content ?? CopiedText("")
        if replacesAll { return text.replacing([(text.rope.utf16Range, new.content)], isStyled: new.isStyled) }
        if appends {
            let end = text.rope.utf16Range.upperBound
            return text.replacing([(end..<end, new.content)], isStyled: new.isStyled)
        }
        let shares = new.shares(targets.count)
        var replacements: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for (index, target) in targets.enumerated() {
            let new = shares?[index] ?? new.content
            if let whole = target.whole {
                replacements.append((whole, new))
            } else {
                replacements.append((target.place..<target.place, new))
                for range in target.kept { replacements.append((range, StyledText())) }
            }
        }
        if origin.isUser {
            replacements = replacements.flatMap { range, part in
                // If the edit inserts text, the inserted text keeps line ends apart. So the ranges that are only
                // deleted need no line end in their place.
                let isBeside = part.rope.isEmpty && !new.content.rope.isEmpty
                let part = text.makingNoEmptyItems(part, range, isStyled: new.isStyled)
                return text.fittingCells(part, range, isStyled: new.isStyled).filter {
                    !$0.range.isEmpty || !$0.text.rope.isEmpty
                }.map { range, part in (range, isBeside ? part : text.keepingLineEndsApart(part, replacing: range)) }
            }
        }
        // If whole paragraphs are inserted before a paragraph, none of them is joined with it, and it keeps its own
        // paragraph style.
        let joins =
            origin.isUser
            && !replacements.allSatisfy { $0.text.rope.isEmpty || text.insertsParagraphs($0.text, at: $0.range) }
        return text.replacing(replacements, isStyled: new.isStyled, joinsParagraphs: joins)
    }
}

extension Transaction {
    /// Whether the transaction only replaces text by other text, as an undo step of its own.
    fileprivate var onlyReplacesText: Bool {
        !changes.isEmpty && !changes.hasStyles && insertedAttributes == nil && typing == nil && restyling == nil
            && effects.isEmpty && selection == .mapped && undo == .step && !reveal
    }
}

extension TextChangeMap {
    /// Returns the range of the text that has replaced a range's text. Text inserted at the ends of the range is
    /// not included.
    fileprivate func covering(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        func end(_ offset: UTF16Offset, _ bias: TextAffinity) -> UTF16Offset {
            let found = mapReporting(offset, bias: bias)
            guard found.deletion.contains(.across) else { return found.offset }
            return map(offset, bias: bias == .upstream ? .downstream : .upstream)
        }
        let start = end(range.lowerBound, .downstream)
        return start..<Swift.max(start, end(range.upperBound, .upstream))
    }
}
