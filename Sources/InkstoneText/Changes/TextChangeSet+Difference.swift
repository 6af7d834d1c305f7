import InkstoneBase

extension TextChangeSet {
    /// The comparison is given up if the differing part of either text has more than `bytes` bytes. Myers's algorithm is
    /// given up if more than `edits` lines or scalars were added and removed.
    private static let comparison = (bytes: 64 << 20, edits: 1500)

    /// Creates the difference of two texts: the replacements that turn `old` into `new`. Sections are few and small, so
    /// that offsets in unchanged text are kept.
    ///
    /// Between the first and the last line that differ, lines are compared by Myers's algorithm. A line ends here
    /// with LF or CR LF, not with CR alone. If more than 1500 lines were added and removed, the text is divided at lines
    /// that occur once. A part with that many lines that cannot be divided becomes one section, unless both texts have
    /// as many lines there: then each line is compared with its counterpart. If the part that differs has more than
    /// 64 MB, it becomes one section. O(n + m) for the equal text at the start and the end of both texts; O((n + m) d)
    /// for the part between, with d lines added and removed, at most 1500. Call this on a background thread for large
    /// texts.
    ///
    /// - Parameter byScalars: whether the scalars of differing lines are compared by the same algorithm, so that
    ///   unchanged text between two edits of one line is in no section. Otherwise neighbouring lines that differ
    ///   form one section.
    public init(from old: Rope, to new: Rope, byScalars: Bool = false) {
        self = Self.difference(from: old, to: new, byScalars: byScalars, findsOldText: false).changes
    }

    /// Returns the difference of two texts, compared by scalars as in ``init(from:to:byScalars:)``, and the indices of
    /// its coarse sections. The new text of a coarse section may contain text of the old one: the comparison was given
    /// up there, a line that is not ASCII was moved or copied, or lines were compared in pairs and text that is not
    /// ASCII was inserted.
    package static func difference(from old: Rope, to new: Rope) -> (changes: TextChangeSet, coarse: Set<Int>) {
        difference(from: old, to: new, byScalars: true, findsOldText: true)
    }

    private static func difference(
        from old: Rope, to new: Rope, byScalars: Bool, findsOldText: Bool
    ) -> (changes: TextChangeSet, coarse: Set<Int>) {
        guard !old.isIdentical(to: new) else { return (TextChangeSet(none: old), []) }
        let (oldCount, newCount) = (old.byteRange.count, new.byteRange.count)
        let start = lineStart(in: old, commonStart(old, new))
        let end = commonEnd(old, new, limit: min(oldCount, newCount) - start)
        let oldRange = ByteOffset(start)..<ByteOffset(oldCount - end)
        let newRange = ByteOffset(start)..<ByteOffset(newCount - end)
        guard !oldRange.isEmpty || !newRange.isEmpty else { return (TextChangeSet(none: old), []) }
        guard max(oldRange.count, newRange.count) <= comparison.bytes else {
            return (TextChangeSet(replacing: oldRange, with: new.slice(newRange), in: old), [0])
        }
        let (a, b) = (Pieces(lines: old.bytes(in: oldRange)), Pieces(lines: new.bytes(in: newRange)))
        var builder = Builder(over: old)
        var (coarse, count) = (Set<Int>(), 0)
        var oldLines: Set<ArraySlice<UInt8>>?
        let isOther: (UInt8) -> Bool = { $0 >= 0x80 }
        for hunk in lineHunks(a, b, joiningPairs: !byScalars) {
            let (removed, inserted) = (a.bytes(of: hunk.old), b.bytes(of: hunk.new))
            let (x, y) = (a.bytes[removed], b.bytes[inserted])
            let fine = byScalars ? differingScalars(x, y) : nil
            var isCoarse = fine == nil
            if !isCoarse, findsOldText, y.contains(where: isOther) {
                // The two lines of a pair may not correspond: the inserted text may then be text of other old lines.
                // Only inserted text outside of ASCII counts, because ASCII is the same in all encodings.
                isCoarse =
                    hunk.isPair
                    && fine?.contains { y.dropFirst($0.new.lowerBound).prefix($0.new.count).contains(where: isOther) }
                        == true
                // A line that the old text has elsewhere was moved or copied.
                let known = oldLines ?? Set(Pieces(lines: old.bytes(in: old.byteRange)).all)
                oldLines = known
                let lines = Pieces(lines: Array(y)).all
                isCoarse = isCoarse || lines.contains { known.contains($0) && $0.contains(where: isOther) }
            }
            for part in fine ?? [trimmed(x, y)] {
                let low = ByteOffset(start + removed.lowerBound + part.old.lowerBound)
                let text = ByteOffset(start + inserted.lowerBound + part.new.lowerBound)
                builder.replace(low..<low + part.old.count, with: new.slice(text..<text + part.new.count))
                if isCoarse { coarse.insert(count) }
                count += 1
            }
        }
        return (builder.finish(), coarse)
    }

    /// Creates the difference of a text and a new one that was made from its decoded form, which has U+FFFD in place of
    /// invalid bytes. Where the new text still has this U+FFFD, the bytes are kept. Otherwise as
    /// ``init(from:to:byScalars:)``.
    package init(from old: Rope, toDecoded new: Rope) {
        guard old.metrics.invalidParts > 0 else {
            self.init(from: old, to: new)
            return
        }
        var builder = Builder(over: old)
        for section in Self(from: Rope(old.description), to: new, byScalars: true).changeMap {
            let inserted = new.slice(UTF16Offset(section.newStart.utf16)..<UTF16Offset(section.newEnd.utf16))
            builder.replace(UTF16Offset(section.oldStart.utf16)..<UTF16Offset(section.oldEnd.utf16), with: inserted)
        }
        self = builder.finish()
    }

    /// Returns the ranges of two slices that differ when compared scalar by scalar, in bytes from the starts of the
    /// slices. Nil if the comparison was given up.
    private static func differingScalars(_ old: ArraySlice<UInt8>, _ new: ArraySlice<UInt8>) -> [Hunk]? {
        let (a, b) = (Pieces(scalars: Array(old)), Pieces(scalars: Array(new)))
        var known: [ArraySlice<UInt8>: Int] = [:]
        let (x, y) = (a.numbers(&known), b.numbers(&known))
        return hunks(x[...], y[...])?.map { Hunk(old: a.bytes(of: $0.old), new: b.bytes(of: $0.new)) }
    }

    /// Returns the lines that differ, in order. If there are too many (see `comparison`), the texts are divided at lines
    /// that occur once in each, and the parts are compared. In a part that still has too many differing lines, each old
    /// line is compared with the new line of the same index; if their numbers differ, the part is one hunk.
    ///
    /// - Parameter joiningPairs: whether neighbouring lines that were compared one by one, and differ, form one hunk.
    private static func lineHunks(_ a: Pieces, _ b: Pieces, joiningPairs: Bool) -> [Hunk] {
        var known: [ArraySlice<UInt8>: Int] = [:]
        let (x, y) = (a.numbers(&known), b.numbers(&known))
        if let hunks = hunks(x[...], y[...]) { return hunks }
        var hunks: [Hunk] = []
        var (old, new) = (0, 0)
        for (oldEnd, newEnd) in anchors(x, y, known.count) + [(x.count, y.count)] where oldEnd >= old && newEnd >= new {
            let (part, other) = (x[old..<oldEnd], y[new..<newEnd])
            hunks += Self.hunks(part, other) ?? pairs(part, other, joined: joiningPairs)
            (old, new) = (oldEnd, newEnd)
            while old < x.count, new < y.count, x[old] == y[new] { (old, new) = (old + 1, new + 1) }
        }
        return hunks
    }

    private static func pairs(_ x: ArraySlice<Int>, _ y: ArraySlice<Int>, joined: Bool) -> [Hunk] {
        guard x.count == y.count else { return [Hunk(old: x.indices, new: y.indices)] }
        var hunks: [Hunk] = []
        for (old, new) in zip(x.indices, y.indices) where x[old] != y[new] {
            if joined, let last = hunks.last, last.old.upperBound == old {
                hunks[hunks.count - 1] = Hunk(old: last.old.lowerBound..<old + 1, new: last.new.lowerBound..<new + 1)
            } else {
                hunks.append(Hunk(old: old..<old + 1, new: new..<new + 1, isPair: true))
            }
        }
        return hunks
    }

    /// Returns the indices of equal lines that occur once in each text and are in the same order in both: as many as
    /// possible.
    ///
    /// - Parameter count: the number of different lines of both texts.
    private static func anchors(_ x: [Int], _ y: [Int], _ count: Int) -> [(old: Int, new: Int)] {
        // For each line, the index of its only occurrence; -1 if there is none, -2 if there are several.
        func occurrences(_ lines: [Int]) -> [Int] {
            var found = [Int](repeating: -1, count: count)
            for (index, line) in lines.enumerated() { found[line] = found[line] == -1 ? index : -2 }
            return found
        }
        let inNew = occurrences(y)
        let common = occurrences(x).enumerated().filter { $0.element >= 0 && inNew[$0.offset] >= 0 }
            .map { (old: $0.element, new: inNew[$0.offset]) }.sorted { $0.old < $1.old }
        // The longest increasing sequence. Of the increasing sequences of n + 1 pairs found so far, `ends[n]` is the
        // index of the last pair of the one that ends at the smallest index in `y`. `before` has the index of the pair
        // before each pair in its sequence.
        var (ends, before) = ([Int](), [Int](repeating: -1, count: common.count))
        for (index, pair) in common.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if common[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var chain: [(old: Int, new: Int)] = []
        var next = ends.last ?? -1
        while next >= 0 {
            chain.append(common[next])
            next = before[next]
        }
        return chain.reversed()
    }

    // MARK: Equal text at the starts and the ends of both texts

    /// The number of bytes of each text that are compared at a time.
    private static let block = 64 << 10

    /// Returns the number of equal bytes at the starts of two texts.
    private static func commonStart(_ a: Rope, _ b: Rope) -> Int {
        let limit = min(a.byteRange.count, b.byteRange.count)
        var done = 0
        while done < limit {
            let range = ByteOffset(done)..<ByteOffset(min(done + block, limit))
            let (x, y) = (a.bytes(in: range), b.bytes(in: range))
            if x != y { return done + (zip(x, y).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0) }
            done += range.count
        }
        return limit
    }

    /// Returns the start of the line that contains a byte.
    private static func lineStart(in text: Rope, _ offset: Int) -> Int {
        var high = offset
        while high > 0 {
            let low = max(0, high - block)
            let bytes = text.bytes(in: ByteOffset(low)..<ByteOffset(high))
            if let newline = bytes.lastIndex(of: 0x0a) { return low + newline + 1 }
            high = low
        }
        return 0
    }

    /// Returns the length in bytes of the whole lines that are equal at the ends of two texts, at most `limit`.
    private static func commonEnd(_ a: Rope, _ b: Rope, limit: Int) -> Int {
        let (m, n) = (a.byteRange.count, b.byteRange.count)
        var (done, whole) = (0, 0)
        while done < limit {
            let count = min(block, limit - done)
            let x = a.bytes(in: ByteOffset(m - done - count)..<ByteOffset(m - done))
            let y = b.bytes(in: ByteOffset(n - done - count)..<ByteOffset(n - done))
            var same = 0
            while same < count, x[count - 1 - same] == y[count - 1 - same] {
                // If this byte is a line feed, the `same` bytes after it are whole lines.
                if x[count - 1 - same] == 0x0a { whole = done + same }
                same += 1
            }
            done += same
            if same < count { break }
        }
        return whole
    }

    /// Returns the ranges of two slices without their common start and end, in bytes from the starts of the slices.
    /// No range starts or ends inside a scalar or a CR LF.
    private static func trimmed(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Hunk {
        func isInside(_ slice: ArraySlice<UInt8>, _ index: Int) -> Bool {
            guard index > 0, index < slice.count else { return false }
            return slice.withUnsafeBufferPointer { buffer in
                guard let p = buffer.baseAddress else { return false }
                return UTF8Scan.partStart(p, index, buffer.count) != index || p[index - 1] == 0x0d && p[index] == 0x0a
            }
        }
        let limit = min(a.count, b.count)
        var start = zip(a, b).prefix { $0 == $1 }.count
        while start > 0, isInside(a, start) || isInside(b, start) { start -= 1 }
        var end = zip(a.reversed(), b.reversed()).prefix(limit - start).prefix { $0 == $1 }.count
        while end > 0, isInside(a, a.count - end) || isInside(b, b.count - end) { end -= 1 }
        return Hunk(old: start..<a.count - end, new: start..<b.count - end)
    }

    // MARK: Lines and scalars

    /// A byte string split into pieces: lines or scalars.
    private struct Pieces {
        let bytes: [UInt8]
        /// The start of each piece, and the end of the last one.
        private var bounds = [0]

        init(lines bytes: [UInt8]) {
            self.bytes = bytes
            for (index, byte) in bytes.enumerated() where byte == 0x0a { bounds.append(index + 1) }
            if bounds.last != bytes.count { bounds.append(bytes.count) }
        }

        /// Creates pieces by splitting bytes at scalars: a piece is one scalar, one CR LF or one invalid sequence.
        init(scalars bytes: [UInt8]) {
            self.bytes = bytes
            bounds += bytes.withUnsafeBufferPointer { buffer in
                guard let p = buffer.baseAddress else { return [] }
                var ends: [Int] = []
                var end = 0
                while end < buffer.count {
                    let isReturn = p[end] == 0x0d && end + 1 < buffer.count && p[end + 1] == 0x0a
                    end += isReturn ? 2 : UTF8Scan.part(p, end, buffer.count).length
                    ends.append(end)
                }
                return ends
            }
        }

        var count: Int { bounds.count - 1 }

        /// The bytes of each piece.
        var all: [ArraySlice<UInt8>] { (0..<count).map { bytes[bounds[$0]..<bounds[$0 + 1]] } }

        func bytes(of pieces: Range<Int>) -> Range<Int> { bounds[pieces.lowerBound]..<bounds[pieces.upperBound] }

        /// Returns a number for each piece. Equal pieces have equal numbers, also across calls with the same
        /// `known`.
        func numbers(_ known: inout [ArraySlice<UInt8>: Int]) -> [Int] {
            (0..<count).map { piece in
                let slice = bytes[bounds[piece]..<bounds[piece + 1]]
                if let number = known[slice] { return number }
                known[slice] = known.count
                return known.count - 1
            }
        }
    }

    private struct Hunk {
        var old: Range<Int>
        var new: Range<Int>
        /// Whether old and new lines belong together only because they have the same index.
        var isPair = false
    }

    /// Returns the pieces that differ, in order; nil if there are too many (see `comparison`). Source: Myers, "An O(ND)
    /// Difference Algorithm and Its Variations". For each number of edits, the furthest points reached are kept, to
    /// trace the path back.
    private static func hunks(_ a: ArraySlice<Int>, _ b: ArraySlice<Int>) -> [Hunk]? {
        guard !a.isEmpty, !b.isEmpty else {
            return a.isEmpty && b.isEmpty ? [] : [Hunk(old: a.indices, new: b.indices)]
        }
        let (x, y) = (Array(a), Array(b))
        let most = min(comparison.edits, x.count + y.count)
        var furthest = [Int](repeating: 0, count: 2 * most + 3)
        let middle = most + 1
        var trace: [[Int]] = []
        search: for edits in 0...most {
            trace.append(Array(furthest[(middle - edits)...(middle + edits)]))
            for diagonal in stride(from: -edits, through: edits, by: 2) {
                let (below, above) = (furthest[middle + diagonal - 1], furthest[middle + diagonal + 1])
                var old = diagonal == -edits || diagonal != edits && below < above ? above : below + 1
                while old < x.count, old - diagonal < y.count, x[old] == y[old - diagonal] { old += 1 }
                furthest[middle + diagonal] = old
                if old >= x.count, old - diagonal >= y.count { break search }
            }
            if edits == most { return nil }
        }
        return path(back: trace, x.count, y.count).map { hunk in
            Hunk(
                old: hunk.old.lowerBound + a.startIndex..<hunk.old.upperBound + a.startIndex,
                new: hunk.new.lowerBound + b.startIndex..<hunk.new.upperBound + b.startIndex)
        }
    }

    /// Returns the differing ranges (hunks) along the shortest path, which is traced back from the ends of both texts
    /// through the furthest points that were reached with each number of edits.
    private static func path(back trace: [[Int]], _ oldCount: Int, _ newCount: Int) -> [Hunk] {
        var hunks: [Hunk] = []
        var (old, new) = (oldCount, newCount)
        for edits in stride(from: trace.count - 1, to: 0, by: -1) {
            // The furthest points that were reached with fewer than `edits` edits, for the diagonals from -edits to
            // edits. The two outermost diagonals cannot be reached with so few edits.
            let furthest = trace[edits]
            let diagonal = old - new
            let (below, above) = (
                furthest[max(0, edits + diagonal - 1)], furthest[min(2 * edits, edits + diagonal + 1)]
            )
            let isInsertion = diagonal == -edits || diagonal != edits && below < above
            let (oldBefore, newBefore) = isInsertion ? (above, above - diagonal - 1) : (below, below - diagonal + 1)
            let step =
                isInsertion
                ? Hunk(old: oldBefore..<oldBefore, new: newBefore..<newBefore + 1)
                : Hunk(old: oldBefore..<oldBefore + 1, new: newBefore..<newBefore)
            if let last = hunks.last, last.old.lowerBound == step.old.upperBound,
                last.new.lowerBound == step.new.upperBound
            {
                hunks[hunks.count - 1] = Hunk(
                    old: step.old.lowerBound..<last.old.upperBound, new: step.new.lowerBound..<last.new.upperBound)
            } else {
                hunks.append(step)
            }
            (old, new) = (oldBefore, newBefore)
        }
        return hunks.reversed()
    }
}
