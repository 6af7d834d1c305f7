import CUnicode

/// The bidi levels of a text with isolates (UAX #9, X1–X10 and L1). Each isolating run sequence is passed to
/// FriBidi as a text without explicit formatting, to resolve its weak and neutral characters.
///
/// FriBidi can resolve isolates itself, but up to version 1.0.8 it reads freed memory where runs of different
/// isolates meet (fribidi 9e78abb, 71530f4, a2dd935): some thousand characters in a document from outside were
/// enough to crash the program.
struct IsolatingRuns {
    private typealias Class = BidiClasses.Class

    /// The highest embedding level (BD2).
    private static let highestLevel: UInt8 = 125
    /// A left-to-right and a right-to-left letter. One of them is passed to FriBidi in place of each overridden
    /// character. One is also passed at each end of a sequence, in place of the text beyond the sequence.
    private static let letters: [UInt32] = [0x61, 0x5d0]
    /// A neutral character that is no bracket, passed to FriBidi in place of an isolate control.
    private static let neutral: UInt32 = 0xfffc
    private static let removed = UInt8.max

    private let scalars: UnsafeBufferPointer<UInt32>
    private let base: UInt8
    private let classes: [Class]
    /// For each isolate terminator, the index of the isolate initiator that it ends; for each initiator, the index
    /// of its terminator (BD9). -1 for none.
    private var partners: [Int32]
    /// The level of the first letter in each first-strong isolate, by the index of the isolate initiator (P2 and
    /// P3).
    private var strong: [Int: UInt8] = [:]
    /// The explicit level of each character, and in the end its resolved level. At first ``removed`` for the
    /// characters that X9 removes.
    private var levels: [UInt8]
    /// The characters as they are passed to FriBidi: letters in place of overridden characters, and neutrals in
    /// place of isolate controls.
    private var shown: [UInt32]

    /// Resolves the levels of a paragraph with a base level. Returns one level for each scalar. O(n).
    static func levels(_ scalars: UnsafeBufferPointer<UInt32>, base: UInt8) -> [UInt8] {
        var runs = IsolatingRuns(scalars, base: base)
        runs.matchIsolates()
        runs.findExplicitLevels()
        runs.resolveSequences()
        runs.levelRemoved()
        runs.resetSpaces()
        return runs.levels
    }

    /// Returns the explicit level of each scalar (X1–X8). Characters that X9 removes have the level of the
    /// character before them. O(n).
    static func explicitLevels(_ scalars: UnsafeBufferPointer<UInt32>, base: UInt8) -> [UInt8] {
        var runs = IsolatingRuns(scalars, base: base)
        runs.matchIsolates()
        runs.findExplicitLevels()
        runs.levelRemoved()
        return runs.levels
    }

    private init(_ scalars: UnsafeBufferPointer<UInt32>, base: UInt8) {
        self.scalars = scalars
        self.base = base
        classes = scalars.map { cunicode_bidi_class($0) }
        partners = [Int32](repeating: -1, count: scalars.count)
        levels = [UInt8](repeating: base, count: scalars.count)
        shown = Array(scalars)
    }

    /// Whether a class opens or ends an isolate.
    static func isIsolating(_ class: BidiClasses.Class) -> Bool {
        `class` >= BidiClasses.firstStrongIsolate && `class` <= BidiClasses.popIsolate
    }

    private static func opensIsolate(_ class: Class) -> Bool {
        isIsolating(`class`) && `class` != BidiClasses.popIsolate
    }

    /// Finds the end of each isolate, and the level of the first letter in each first-strong isolate.
    private mutating func matchIsolates() {
        var open: [Int] = []
        for (index, kind) in classes.enumerated() {
            switch kind {
            case BidiClasses.left, BidiClasses.right, BidiClasses.arabic:
                if let isolate = open.last, strong[isolate] == nil, classes[isolate] == BidiClasses.firstStrongIsolate {
                    strong[isolate] = kind == BidiClasses.left ? 0 : 1
                }
            case BidiClasses.popIsolate:
                guard let isolate = open.popLast() else { continue }
                (partners[index], partners[isolate]) = (Int32(isolate), Int32(index))
            case BidiClasses.block: open = []
            case let other: if Self.opensIsolate(other) { open.append(index) }
            }
        }
    }

    /// An entry of the directional status stack (X1).
    private struct Status {
        var level: UInt8
        /// The letter by which overridden characters are replaced; nil without an override.
        var letter: UInt32?
        var isIsolate = false
    }

    /// Resolves explicit formatting (X1–X8).
    private mutating func findExplicitLevels() {
        var stack = [Status(level: base)]
        var (overflowingIsolates, overflowingEmbeddings, validIsolates) = (0, 0, 0)
        for (index, kind) in classes.enumerated() {
            let top = stack[stack.count - 1]
            levels[index] = top.level
            switch kind {
            case BidiClasses.leftEmbedding, BidiClasses.rightEmbedding, BidiClasses.leftOverride,
                BidiClasses.rightOverride:
                levels[index] = Self.removed
                let isRight = kind == BidiClasses.rightEmbedding || kind == BidiClasses.rightOverride
                let level = Self.next(top.level, isRight ? 1 : 0)
                if level <= Self.highestLevel, overflowingIsolates == 0, overflowingEmbeddings == 0 {
                    let overrides = kind == BidiClasses.leftOverride || kind == BidiClasses.rightOverride
                    stack.append(Status(level: level, letter: overrides ? Self.letters[isRight ? 1 : 0] : nil))
                } else if overflowingIsolates == 0 {
                    overflowingEmbeddings += 1
                }
            case BidiClasses.leftIsolate, BidiClasses.rightIsolate, BidiClasses.firstStrongIsolate:
                shown[index] = top.letter ?? Self.neutral
                let parity: UInt8 =
                    kind == BidiClasses.firstStrongIsolate
                    ? strong[index] ?? 0 : kind == BidiClasses.rightIsolate ? 1 : 0
                let level = Self.next(top.level, parity)
                if level <= Self.highestLevel, overflowingIsolates == 0, overflowingEmbeddings == 0 {
                    validIsolates += 1
                    stack.append(Status(level: level, isIsolate: true))
                } else {
                    overflowingIsolates += 1
                }
            case BidiClasses.popIsolate:
                if overflowingIsolates > 0 {
                    overflowingIsolates -= 1
                } else if validIsolates > 0 {
                    overflowingEmbeddings = 0
                    while stack.count > 1, !stack[stack.count - 1].isIsolate { stack.removeLast() }
                    stack.removeLast()
                    validIsolates -= 1
                }
                levels[index] = stack[stack.count - 1].level
                shown[index] = stack[stack.count - 1].letter ?? Self.neutral
            case BidiClasses.popEmbedding:
                levels[index] = Self.removed
                if overflowingIsolates > 0 { continue }
                if overflowingEmbeddings > 0 {
                    overflowingEmbeddings -= 1
                } else if stack.count > 1, !top.isIsolate {
                    stack.removeLast()
                }
            case BidiClasses.boundary: levels[index] = Self.removed
            case BidiClasses.block:
                stack = [Status(level: base)]
                (overflowingIsolates, overflowingEmbeddings, validIsolates) = (0, 0, 0)
                levels[index] = base
            default: if let letter = top.letter { shown[index] = letter }
            }
        }
    }

    /// Returns the lowest even (`parity` 0) or odd (`parity` 1) level above `level`.
    private static func next(_ level: UInt8, _ parity: UInt8) -> UInt8 { level + (level & 1 == parity ? 2 : 1) }

    /// Joins level runs to isolating run sequences, and resolves each sequence (X10).
    private mutating func resolveSequences() {
        let kept = levels.indices.filter { levels[$0] != Self.removed }
        var sequences: [[Range<Int>]] = []
        /// The number of each sequence that continues after an isolate, by the index of the isolate's initiator.
        var waiting: [Int32: Int] = [:]
        var at = 0
        while at < kept.count {
            var end = at + 1
            while end < kept.count, levels[kept[end]] == levels[kept[at]] { end += 1 }
            let (first, last) = (kept[at], kept[end - 1])
            var sequence = sequences.count
            if classes[first] == BidiClasses.popIsolate, let known = waiting[partners[first]] { sequence = known }
            if sequence == sequences.count { sequences.append([]) }
            sequences[sequence].append(at..<end)
            if Self.opensIsolate(classes[last]), partners[last] >= 0 { waiting[Int32(last)] = sequence }
            at = end
        }
        // Resolve into a copy, because the boundaries of each sequence depend on the explicit levels of its
        // neighbours.
        var resolved = levels
        for runs in sequences { resolve(runs, kept, &resolved) }
        levels = resolved
    }

    private func resolve(_ runs: [Range<Int>], _ kept: [Int], _ resolved: inout [UInt8]) {
        guard let first = runs.first?.lowerBound, let end = runs.last?.upperBound else { return }
        let level = levels[kept[first]]
        let before = first > 0 ? levels[kept[first - 1]] : base
        let isOpen = Self.opensIsolate(classes[kept[end - 1]])
        let behind = end < kept.count && !isOpen ? levels[kept[end]] : base
        var text = [Self.letters[Int(max(level, before) & 1)]]
        for run in runs { for index in run { text.append(shown[kept[index]]) } }
        text.append(Self.letters[Int(max(level, behind) & 1)])
        let found = [Int8](unsafeUninitializedCapacity: text.count) { out, filled in
            let isRight = level & 1 == 1
            let result = cunicode_bidi_levels(
                text, Int32(text.count),
                Int32(isRight ? CUNICODE_BIDI_RIGHT_TO_LEFT : CUNICODE_BIDI_LEFT_TO_RIGHT), out.baseAddress)
            // If FriBidi ran out of memory, give every character the level of its sequence.
            if result < 0 { out.update(repeating: Int8(level & 1)) }
            filled = text.count
        }
        var at = 1
        for run in runs {
            for index in run {
                resolved[kept[index]] = level - (level & 1) + UInt8(bitPattern: found[at])
                at += 1
            }
        }
    }

    /// Gives each removed character the level of the character before it.
    private mutating func levelRemoved() {
        var last = base
        for index in levels.indices {
            if levels[index] == Self.removed { levels[index] = last }
            last = levels[index]
        }
    }

    /// Sets to the base level the separators, and the white space and invisible controls before them and at the end
    /// of the text (L1).
    private mutating func resetSpaces() {
        var isReset = true
        for index in levels.indices.reversed() {
            let kind = classes[index]
            if kind == BidiClasses.segment || kind == BidiClasses.block {
                isReset = true
            } else if kind != BidiClasses.space, kind != BidiClasses.boundary, !BidiClasses.isControl(kind) {
                isReset = false
            }
            if isReset { levels[index] = base }
        }
    }
}
