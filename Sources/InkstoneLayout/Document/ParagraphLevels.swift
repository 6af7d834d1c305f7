import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Bidi embedding levels (UAX #9) of a paragraph that is laid out in several fragments. The paragraph is resolved
/// once as a whole, then updated by edits.
///
/// If a paragraph has more than ``wholeLimit`` units, only a part around the requested range is resolved.
/// Embeddings and isolates open at that part's start are respected if they were opened at most ``reach`` units
/// before it.
///
/// Offsets are UTF-16 units of the document.
struct ParagraphLevels {
    /// Range of the paragraph without its terminator.
    private(set) var content: Range<Int>
    /// Base level of the paragraph, 0 or 1.
    let base: UInt8
    /// Range of UTF-16 units whose levels are known: the whole paragraph or, if that was too long, the range requested
    /// when it was resolved, with ``margin`` units before it and twice as many after it.
    private(set) var covered: Range<Int>
    /// Level of each covered unit; empty if all levels are 0.
    private var levels: [UInt8] = []
    /// For each covered unit, the level of the embedding or isolate that contains the UTF-16 unit. Empty if the text
    /// has no explicit formatting.
    private var explicit: [UInt8] = []
    private var hasBrackets = false
    /// An upper bound of the number of brackets open at once. UAX #9 pairs brackets only up to a depth of 63
    /// (BD16).
    private var bracketDepth = 0
    /// Whether there are overrides or first-strong isolates. Inside these, a letter may affect levels of text that
    /// is not next to it.
    private var hasOverrides = false

    /// The length of the longest paragraph that is resolved as a whole, in UTF-16 units. Resolving it takes some 10
    /// ms.
    static let wholeLimit = 1 << 18
    /// The number of units that are resolved before the requested range of a longer paragraph. After the range,
    /// twice as many are resolved.
    static let margin = 1 << 13
    /// The number of UTF-16 units before the covered part that are searched for open explicit controls. The search
    /// takes some milliseconds at most.
    static let reach = 1 << 19

    /// Whether the covered text has no right-to-left part. All levels are then 0.
    var isPlain: Bool { base == 0 && levels.isEmpty }

    /// Memory cost, counted as UTF-16 units.
    var memoryUnits: Int { levels.count + explicit.count + 64 }

    /// Creates the levels of a paragraph with a base level; of a very long paragraph, only those of a part around
    /// `range`. O(n) in the covered part.
    init(_ text: Rope, _ content: Range<Int>, base: UInt8, around range: Range<Int>) {
        self.content = content
        self.base = base
        covered = content
        if base == 0, Self.isASCII(text, content) { return }
        if content.count > Self.wholeLimit {
            let low = text.scalarBoundary(max(content.lowerBound, range.lowerBound - Self.margin))
            let high = text.scalarBoundary(min(content.upperBound, range.upperBound + 2 * Self.margin))
            covered = low..<high
        }
        let start = text.scalarBoundary(max(content.lowerBound, covered.lowerBound - Self.reach))
        let open = ExplicitControls.open(text, start..<covered.lowerBound)
        resolve(open + text.utf16(in: UTF16Offset(covered.lowerBound)..<UTF16Offset(covered.upperBound)))
        if !levels.isEmpty { levels.removeFirst(open.count) }
        if !explicit.isEmpty { explicit.removeFirst(open.count) }
    }

    private mutating func resolve(_ units: [UInt16]) {
        units.withUnsafeBufferPointer { units in
            if base == 0, !BidiParagraph.mayRunFromRight(units) { return }
            levels = BidiParagraph(units, baseDirection: base == 0 ? .leftToRight : .rightToLeft).levels
            var hasControls = false
            var brackets = BracketStack()
            for unit in units {
                let entry = BidiClasses.table[Int(unit)]
                brackets.take(unit, entry)
                switch entry & BidiClasses.classBits {
                case BidiClasses.leftOverride, BidiClasses.rightOverride, BidiClasses.firstStrongIsolate:
                    (hasControls, hasOverrides) = (true, true)
                case let other: if BidiClasses.isControl(other) { hasControls = true }
                }
            }
            hasBrackets = brackets.hasAny
            // An isolate separates the brackets inside it from those outside. Since isolates are not tracked here,
            // count all opening brackets if there are explicit controls.
            bracketDepth = hasControls ? brackets.openers : brackets.deepest
            if hasControls { explicit = BidiParagraph.explicitLevels(units, base: base) }
        }
    }

    /// Returns whether a range is all ASCII. O(log n).
    static func isASCII(_ text: Rope, _ range: Range<Int>) -> Bool {
        let low = text.metrics(before: UTF16Offset(range.lowerBound))
        let high = text.metrics(before: UTF16Offset(range.upperBound))
        return high.bytes - low.bytes == range.count
    }

    /// Returns whether the levels of a range are known, with enough known text around it.
    func covers(_ range: Range<Int>) -> Bool {
        let low = covered.lowerBound == content.lowerBound ? range.lowerBound : range.lowerBound - Self.margin / 4
        let high = covered.upperBound == content.upperBound ? range.upperBound : range.upperBound + Self.margin / 4
        return max(low, content.lowerBound) >= covered.lowerBound && min(high, content.upperBound) <= covered.upperBound
    }

    /// The levels of a covered range; empty if all are 0. O(n).
    subscript(range: Range<Int>) -> [UInt8] {
        if levels.isEmpty { return [] }
        let part = levels[range.lowerBound - covered.lowerBound..<range.upperBound - covered.lowerBound]
        return base == 0 && part.allSatisfy { $0 == 0 } ? [] : Array(part)
    }

    /// Moves the paragraph's offsets after an edit of text before the paragraph.
    mutating func move(by delta: Int) {
        content = content.lowerBound + delta..<content.upperBound + delta
        covered = covered.lowerBound + delta..<covered.upperBound + delta
    }

    // MARK: Edits

    /// Applies a replacement within the paragraph. Returns the range of the new text, outside the inserted text,
    /// whose levels changed; nil if there is none. If the edit may add or remove an explicit control in a paragraph
    /// of more than ``wholeLimit`` units, returns everything from the edit on.
    ///
    /// O(log n) and a copy of the levels in two cases. First, if the edit inserts or removes letters after a letter
    /// of the same class. Second, if the edit lies between two letters (or ends of the paragraph) with no explicit
    /// control and no unpaired bracket between them, and does not change the direction of brackets around it. O(n)
    /// otherwise.
    mutating func follow(_ edit: FollowedChange, from old: Rope, to new: Rope) -> Range<Int>? {
        let delta = edit.delta
        let whole = content.lowerBound..<content.upperBound + delta
        let inserted = new.utf16(in: UTF16Offset(edit.low)..<UTF16Offset(edit.insertedEnd))
        if isPlain, !inserted.withUnsafeBufferPointer({ BidiParagraph.mayRunFromRight($0) }) {
            let isAll = covered == content
            content = whole
            covered = isAll ? whole : Self.moved(covered, edit)
            return nil
        }
        if whole.count > Self.wholeLimit, mayHoldControl(edit, inserted, old) {
            self = ParagraphLevels(
                new, whole, base: base, around: edit.low..<min(edit.insertedEnd, edit.low + Self.margin))
            return edit.low..<whole.upperBound
        }
        if edit.low < covered.lowerBound || edit.high > covered.upperBound {
            let before = self
            (content, covered) = (whole, Self.moved(covered, edit))
            // If the edit is outside the covered part, the levels of the part are still right. If it crosses an
            // edge of the part, a part of the inserted text is inside now: resolve the part anew.
            guard edit.low < before.covered.upperBound, edit.high > before.covered.lowerBound else { return nil }
            let end = min(covered.upperBound, covered.lowerBound + Self.wholeLimit)
            self = ParagraphLevels(new, whole, base: base, around: covered.lowerBound..<end)
            return difference(from: before, edit)
        }
        let removed = old.utf16(in: UTF16Offset(edit.low)..<UTF16Offset(edit.high))
        if !isPlain {
            if followAlike(edit, removed, inserted, new) { return nil }
            if let changed = followLocally(edit, removed, inserted, new) { return changed.isEmpty ? nil : changed }
        }
        let before = self
        let around = edit.low..<min(edit.insertedEnd, edit.low + Self.wholeLimit)
        self = ParagraphLevels(new, whole, base: base, around: around)
        return difference(from: before, edit)
    }

    /// Returns whether an edit may remove or insert an explicit control, which affects all text after it.
    private func mayHoldControl(_ edit: FollowedChange, _ inserted: [UInt16], _ old: Rope) -> Bool {
        inserted.contains(where: Self.isControl) || edit.high - edit.low > Self.reach
            || old.utf16(in: UTF16Offset(edit.low)..<UTF16Offset(edit.high)).contains(where: Self.isControl)
    }

    /// Returns a range of the text before an edit as a range of the text after the edit.
    private static func moved(_ range: Range<Int>, _ edit: FollowedChange) -> Range<Int> {
        func moved(_ unit: Int) -> Int {
            unit <= edit.low ? unit : unit >= edit.high ? unit + edit.delta : edit.low
        }
        return moved(range.lowerBound)..<moved(range.upperBound)
    }

    /// Returns the range of UTF-16 units, apart from the inserted text, whose levels differ from the levels before an
    /// edit; nil if there is none.
    private func difference(from before: ParagraphLevels, _ edit: FollowedChange) -> Range<Int>? {
        var (first, last) = (Int.max, Int.min)
        func compare(_ range: Range<Int>, _ delta: Int) {
            for unit in range where level(unit) != before.level(unit - delta) {
                first = min(first, unit)
                last = max(last, unit)
            }
        }
        let low = max(covered.lowerBound, before.covered.lowerBound)
        if low < edit.low { compare(low..<edit.low, 0) }
        let high = min(covered.upperBound, before.covered.upperBound + edit.delta)
        if edit.insertedEnd < high { compare(edit.insertedEnd..<high, edit.delta) }
        return first <= last ? first..<last + 1 : nil
    }

    @inline(__always)
    private func level(_ unit: Int) -> UInt8 { levels.isEmpty ? 0 : levels[unit - covered.lowerBound] }

    /// Applies an edit that inserts or removes letters directly after a letter of the same class. These letters
    /// have that letter's level, and no other level depends on them, whatever brackets and controls are around. For
    /// any other edit returns false and changes nothing.
    private mutating func followAlike(
        _ edit: FollowedChange, _ removed: [UInt16], _ inserted: [UInt16], _ new: Rope
    ) -> Bool {
        guard edit.low > covered.lowerBound else { return false }
        let known = new.utf16(in: UTF16Offset(edit.low - 1)..<UTF16Offset(edit.low))[0]
        let entry = BidiClasses.table[Int(known)]
        // Surrogates are never alike, because the table has no class for the scalar that two of them form.
        func isAlike(_ unit: UInt16) -> Bool {
            unit & 0xf800 != 0xd800 && BidiClasses.table[Int(unit)] == entry
        }
        guard BidiClasses.isLetter(entry), isAlike(known), removed.allSatisfy(isAlike), inserted.allSatisfy(isAlike)
        else { return false }
        let before = edit.low - 1 - covered.lowerBound
        replace(
            edit, by: repeatElement(levels[before], count: inserted.count),
            explicit: explicit.isEmpty ? base : explicit[before])
        return true
    }

    /// Replaces the levels of an edited range by those of the inserted text, and moves the ends of the paragraph
    /// and of the covered part.
    private mutating func replace(_ edit: FollowedChange, by values: some Collection<UInt8>, explicit level: UInt8) {
        let place = edit.low - covered.lowerBound..<edit.high - covered.lowerBound
        levels.replaceSubrange(place, with: values)
        if !explicit.isEmpty { explicit.replaceSubrange(place, with: repeatElement(level, count: values.count)) }
        content = content.lowerBound..<content.upperBound + edit.delta
        covered = covered.lowerBound..<covered.upperBound + edit.delta
    }

    /// Applies an edit that can only affect levels up to the next letter on each side, and returns the range whose
    /// levels changed. Returns nil, with nothing changed, if the edit may affect more.
    private mutating func followLocally(
        _ edit: FollowedChange, _ removed: [UInt16], _ inserted: [UInt16], _ new: Rope
    ) -> Range<Int>? {
        guard !removed.contains(where: Self.isControl), !inserted.contains(where: Self.isControl),
            let ((left, startsWithLetter), (right, endsWithLetter)) = surroundings(edit, removed, inserted, new)
        else { return nil }
        let low = edit.low - left.count
        let level = startsWithLetter && !explicit.isEmpty ? explicit[low - covered.lowerBound] : base
        let units = left + inserted + right
        if level != base {
            // The text is resolved as if it were a paragraph of its own. Controls or separators at its end would
            // get that paragraph's base level, which is wrong in an embedding. Return nil unless the text certainly
            // has none.
            guard startsWithLetter, endsWithLetter, !hasOverrides, !units.contains(where: Self.isSegment) else {
                return nil
            }
        }
        let local = BidiParagraph(units, baseDirection: level & 1 == 0 ? .leftToRight : .rightToLeft)
        let raised = level - level & 1
        let at = low - covered.lowerBound
        var (first, last) = (Int.max, Int.min)
        for i in units.indices {
            let isLeft = i < left.count
            guard isLeft || i >= left.count + inserted.count else { continue }
            let own = at + (isLeft ? i : i - edit.delta)
            let value = raised + (local.levels.isEmpty ? 0 : local.levels[i])
            if levels[own] != value {
                first = min(first, low + i)
                last = max(last, low + i + 1)
                levels[own] = value
            }
        }
        var brackets = BracketStack()
        for unit in inserted { brackets.take(unit, BidiClasses.table[Int(unit)]) }
        hasBrackets = hasBrackets || brackets.hasAny
        bracketDepth += brackets.openers
        replace(
            edit, by: inserted.indices.map { raised + (local.levels.isEmpty ? 0 : local.levels[left.count + $0]) },
            explicit: level)
        return first < last ? first..<last : edit.low..<edit.low
    }

    private static func isSegment(_ unit: UInt16) -> Bool { BidiClasses.table[Int(unit)] == BidiClasses.segment }

    private static func isControl(_ unit: UInt16) -> Bool {
        BidiClasses.isControl(BidiClasses.table[Int(unit)] & BidiClasses.classBits)
    }

    private static func isBracket(_ unit: UInt16) -> Bool { BidiClasses.table[Int(unit)] > BidiClasses.classBits }

    /// The text on one side of an edit, up to a letter or to the paragraph's end.
    private enum Side {
        case known([UInt16], hasLetter: Bool)
        /// A control or bracket lies between the edit and the nearest letter, and may affect levels beyond this text.
        case blocked
        /// The searched length has no letter: search farther.
        case farther
    }

    /// The largest distance from an edit, in units, in which a letter is searched.
    private static let surroundingLength = 1 << 12

    /// Returns text on both sides of an edit that is sufficient to compute the levels of this text. Each bracket in
    /// the text has its partner in it, before and after the edit, and the edit does not change the direction of
    /// brackets around the text. Nil if there is no such text.
    private func surroundings(
        _ edit: FollowedChange, _ removed: [UInt16], _ inserted: [UInt16], _ new: Rope
    ) -> (left: (units: [UInt16], hasLetter: Bool), right: (units: [UInt16], hasLetter: Bool))? {
        let mayPair = bracketDepth < 48
        guard mayPair || !(removed + inserted).contains(where: Self.isBracket) else { return nil }
        for passesBrackets in hasBrackets && mayPair ? [false, true] : [false] {
            var length = passesBrackets ? 64 : 16
            search: while length <= Self.surroundingLength {
                switch (before(edit, length, passesBrackets, new), behind(edit, length, passesBrackets, new)) {
                case (.known(var left, var startsWithLetter), .known(var right, var endsWithLetter)):
                    // Cut off brackets whose partner is outside of this text.
                    while let cut = BracketStack.unpaired(left, inserted, right) {
                        if let before = cut.before {
                            left = Self.part(left, after: before)
                            startsWithLetter = true
                        }
                        if let behind = cut.behind {
                            right = Self.part(right, before: behind)
                            endsWithLetter = true
                        }
                    }
                    if !startsWithLetter || !left.isEmpty, !endsWithLetter || !right.isEmpty,
                        BracketStack.isPaired(left, removed, right), BracketStack.isPaired(left, inserted, right),
                        !hasBrackets
                            || Self.directions(left + removed + right) == Self.directions(left + inserted + right)
                    {
                        return ((left, startsWithLetter), (right, endsWithLetter))
                    }
                    if !passesBrackets { break search }
                case (.blocked, _), (_, .blocked): break search
                default: break
                }
                length *= 4
            }
        }
        return nil
    }

    /// Returns the part of the text from the first letter after an index; empty if there is none.
    private static func part(_ units: [UInt16], after index: Int) -> [UInt16] {
        var start = units.count
        forEach(units) { at, entry, _ in
            if at > index, BidiClasses.isLetter(entry) { start = at }
            return start == units.count
        }
        return Array(units[start...])
    }

    /// Returns the part of the text up to the last letter before an index; empty if there is none.
    private static func part(_ units: [UInt16], before index: Int) -> [UInt16] {
        var end = 0
        forEach(units) { at, entry, length in
            if at < index, BidiClasses.isLetter(entry) { end = at + length }
            return at < index
        }
        return Array(units[..<end])
    }

    /// Returns up to `length` units before an edit, starting at a letter or at the paragraph's start.
    private func before(_ edit: FollowedChange, _ length: Int, _ passesBrackets: Bool, _ text: Rope) -> Side {
        let start = text.scalarBoundary(max(covered.lowerBound, edit.low - length))
        let units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(edit.low))
        var letter: Int?
        var isBlocked = false
        Self.forEach(units) { index, entry, _ in
            if Self.blocks(entry, passesBrackets) { (letter, isBlocked) = (nil, true) }
            if letter == nil, BidiClasses.isLetter(entry) { letter = index }
            return true
        }
        if start == content.lowerBound, !isBlocked, letter == nil || passesBrackets {
            return .known(units, hasLetter: false)
        }
        if let letter { return .known(Array(units[letter...]), hasLetter: true) }
        return isBlocked || start == covered.lowerBound ? .blocked : .farther
    }

    /// Returns up to `length` units after an edit, ending at a letter or at the paragraph's end.
    private func behind(_ edit: FollowedChange, _ length: Int, _ passesBrackets: Bool, _ text: Rope) -> Side {
        let (start, limit) = (edit.insertedEnd, covered.upperBound + edit.delta)
        let end = text.scalarBoundary(min(limit, start + length))
        let units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(end))
        var letterEnd: Int?
        var isBlocked = false
        Self.forEach(units) { index, entry, length in
            isBlocked = Self.blocks(entry, passesBrackets)
            if BidiClasses.isLetter(entry) { letterEnd = index + length }
            return !isBlocked
        }
        if end == limit, covered.upperBound == content.upperBound, !isBlocked, letterEnd == nil || passesBrackets {
            return .known(units, hasLetter: false)
        }
        if let letterEnd { return .known(Array(units[..<letterEnd]), hasLetter: true) }
        return isBlocked || end == limit ? .blocked : .farther
    }

    private static func blocks(_ entry: UInt8, _ passesBrackets: Bool) -> Bool {
        entry > BidiClasses.classBits ? !passesBrackets : BidiClasses.isControl(entry)
    }

    /// Calls `body` with the index, class and length of each scalar until it returns false.
    private static func forEach(_ units: [UInt16], _ body: (_ index: Int, _ entry: UInt8, _ length: Int) -> Bool) {
        units.withUnsafeBufferPointer { units in
            var index = 0
            while index < units.count {
                let (entry, length) = BidiClasses.entry(units, index)
                if !body(index, entry, length) { return }
                index += length
            }
        }
    }

    /// Returns the strong directions in a text that decide the direction of brackets around it (rule N0): 1 for
    /// left to right, 2 for right to left, 3 for both.
    private static func directions(_ units: [UInt16]) -> Int {
        units.withUnsafeBufferPointer { units in
            var (found, last) = (0, 0)
            var i = 0
            while i < units.count {
                let (entry, length) = BidiClasses.entry(units, i)
                i += length
                switch entry & BidiClasses.classBits {
                case BidiClasses.left: last = 1
                case BidiClasses.right, BidiClasses.arabic: last = 2
                case BidiClasses.arabicNumber: found |= 2
                case BidiClasses.europeanNumber: found |= last == 1 ? 1 : 2
                default: break
                }
                found |= last
            }
            return found
        }
    }
}

/// The brackets that are open at some point of a text that is read in order (UAX #9, BD16).
private struct BracketStack {
    private var open: [UInt16] = []
    /// Whether any bracket was read. ``openers`` is the number of opening brackets, and ``deepest`` the largest
    /// number of brackets open at once, which is counted up to 64.
    private(set) var hasAny = false
    private(set) var openers = 0
    private(set) var deepest = 0
    /// Whether each closing bracket so far had its opening bracket.
    private(set) var isClosed = true

    /// The number of open brackets from which on ``deepest`` is not counted further, and opening brackets are not
    /// recorded.
    private static let limit = 64

    /// Updates the open brackets for the next UTF-16 unit of the text, given the unit's entry in `BidiClasses.table`.
    @inline(__always)
    mutating func take(_ unit: UInt16, _ entry: UInt8) {
        if entry > BidiClasses.classBits { takeBracket(unit, opens: entry & BidiClasses.opens != 0) }
    }

    private mutating func takeBracket(_ unit: UInt16, opens: Bool) {
        hasAny = true
        let pair = BidiClasses.pair(unit, opens: opens)
        if opens {
            openers += 1
            if deepest < Self.limit { open.append(pair) }
            deepest = max(deepest, open.count)
        } else if let match = open.lastIndex(of: pair) {
            open.removeSubrange(match...)
        } else {
            isClosed = false
        }
    }

    /// Returns the last bracket of the first part and the first bracket of the third part that have no partner in
    /// any of the three parts; nil if there is none.
    static func unpaired(_ first: [UInt16], _ second: [UInt16], _ third: [UInt16]) -> (before: Int?, behind: Int?)? {
        var (before, behind): (Int?, Int?)
        let start = first.count + second.count
        func note(_ index: Int) {
            if index < first.count { before = max(before ?? 0, index) }
            if index >= start { behind = min(behind ?? .max, index - start) }
        }
        var open: [(pair: UInt16, index: Int)] = []
        var index = 0
        for part in [first, second, third] {
            for unit in part {
                let entry = BidiClasses.table[Int(unit)]
                if entry > BidiClasses.classBits {
                    let pair = BidiClasses.pair(unit, opens: entry & BidiClasses.opens != 0)
                    if entry & BidiClasses.opens != 0, open.count < limit {
                        open.append((pair, index))
                    } else if let match = open.lastIndex(where: { $0.pair == pair }) {
                        open.removeSubrange(match...)
                    } else {
                        note(index)
                    }
                }
                index += 1
            }
        }
        for bracket in open { note(bracket.index) }
        return before == nil && behind == nil ? nil : (before, behind)
    }

    /// Returns whether each bracket in the parts has its partner among them.
    static func isPaired(_ parts: [UInt16]...) -> Bool {
        var stack = BracketStack()
        for part in parts { for unit in part { stack.take(unit, BidiClasses.table[Int(unit)]) } }
        return stack.isClosed && stack.open.isEmpty && stack.deepest < limit / 4
    }
}
