public import InkstoneBase
public import InkstoneText

/// An edit whose time has not come: one by the program that a composition is in the way of, or a paste whose text has been
/// asked for. Meanwhile it moves along with the text.
///
/// What others insert within the range of a paste stays: of what it was to replace, it replaces what is left then, and its
/// text comes before what was typed in its place. An edit by the program replaces all that stands in its range then.
public struct DeferredEdit: Equatable, Sendable {
    /// Tells it from others.
    public struct ID: Hashable, Sendable {
        private let number = DocumentID()
    }

    /// One of the places that it edits.
    struct Target: Hashable, Sendable {
        /// Where its text goes.
        var place: UTF16Offset
        /// What it replaces: in order, apart from each other, none empty.
        var kept: [Range<UTF16Offset>]

        init(_ range: Range<UTF16Offset>) {
            place = range.lowerBound
            kept = range.isEmpty ? [] : [range]
        }

        /// What it replaces, if it is in one piece at its place.
        var whole: Range<UTF16Offset>? {
            guard let only = kept.first else { return place..<place }
            return kept.count == 1 && only.lowerBound == place ? only : nil
        }
    }

    /// Its identity.
    public let id = ID()
    /// Where it comes from.
    public let origin: Origin
    /// What it inserts: each of its ranges gets a piece of it, if they are as many, or a line; else all. Nil as long as that has been
    /// asked for and not come.
    public var content: CopiedText?
    /// Whether it stands for a replacement of all text, whatever the text is when its turn comes.
    public let replacesAll: Bool
    /// Whether its text goes to the end of the text, wherever that is when its turn comes.
    let appends: Bool
    /// How it can be taken back.
    let undo: UndoJoining
    /// ``TextStore/generation`` of the moment in which it was put off.
    var generation = 0
    /// The transaction that waits, if it does more than to replace text. The targets don't count then: it is moved along as a store does
    /// it with one that is late.
    let transaction: Transaction?
    var targets: [Target]

    /// An edit that replaces ranges of the present text, each by the same text.
    public init(
        replacing ranges: [Range<UTF16Offset>], with text: String?, origin: Origin, replacesAll: Bool = false
    ) {
        targets = ranges.map(Target.init)
        content = text.map { CopiedText($0) }
        self.origin = origin
        self.replacesAll = replacesAll
        (appends, undo) = (false, .step)
        transaction = nil
    }

    /// An edit by the program that adds to the end of a text or, with `replacesAll`, replaces all of it.
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

    /// A transaction of the program that has to wait.
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

    /// Whether they are the same edit, and wait at the same places for the same text.
    public static func == (a: Self, b: Self) -> Bool {
        a.id == b.id && a.content == b.content && a.targets == b.targets && a.generation == b.generation
    }

    /// Moves it along with a change of the text. O(t · k) for t ranges and k sections.
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

    /// Moves it along with a transaction that has it wait and is late itself, by the same rules.
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

    /// What it does to a text when its turn has come, and its text is known.
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
        return text.replacing(replacements, isStyled: new.isStyled, joinsParagraphs: origin.isUser)
    }
}

extension Transaction {
    /// Whether all that it does is to replace text by other text, as a step of its own.
    fileprivate var onlyReplacesText: Bool {
        !changes.isEmpty && !changes.hasStyles && insertedAttributes == nil && typing == nil && restyling == nil
            && effects.isEmpty && selection == .mapped && undo == .step && !reveal
    }
}

extension TextChangeMap {
    /// Where a range lies that covers what took the place of its text: what is inserted at its ends stays outside.
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
