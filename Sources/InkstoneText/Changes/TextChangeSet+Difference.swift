import InkstoneBase

extension TextChangeSet {
    /// The largest parts of two texts that are compared line by line, in bytes, and the most lines that may differ.
    private static let comparison = (bytes: 8 << 20, edits: 1500)

    /// The difference of two texts: what of `old` is replaced to make `new` of it, in as few and small sections as the lines and the scalars in them
    /// show. So places in parts that are the same stay where they are.
    ///
    /// Between the first and the last line that differ, lines are compared by Myers's algorithm. If more than 8 MB lie there, or more than
    /// 1500 lines were added and removed, they are one section. O(n + m) for texts that share a start and an end, else O((n + m) d) for d lines
    /// added and removed; on a thread of its own for large texts.
    public init(from old: Rope, to new: Rope) {
        guard !old.isIdentical(to: new) else {
            self.init(none: old)
            return
        }
        let (oldCount, newCount) = (old.byteRange.count, new.byteRange.count)
        let start = Self.lineStart(in: old, Self.commonStart(old, new))
        let end = Self.commonEnd(old, new, limit: min(oldCount, newCount) - start)
        let oldRange = ByteOffset(start)..<ByteOffset(oldCount - end)
        let newRange = ByteOffset(start)..<ByteOffset(newCount - end)
        guard !oldRange.isEmpty || !newRange.isEmpty else {
            self.init(none: old)
            return
        }
        guard oldRange.count <= Self.comparison.bytes, newRange.count <= Self.comparison.bytes else {
            self.init(replacing: oldRange, with: new.slice(newRange), in: old)
            return
        }
        let (a, b) = (Lines(old.bytes(in: oldRange)), Lines(new.bytes(in: newRange)))
        var builder = Builder(over: old)
        for hunk in Self.hunks(a, b) {
            let (removed, inserted) = (a.bytes(of: hunk.old), b.bytes(of: hunk.new))
            let trim = Self.trim(a.bytes[removed], b.bytes[inserted])
            let low = start + removed.lowerBound + trim.start
            let high = start + removed.upperBound - trim.end
            let text =
                ByteOffset(
                    start + inserted.lowerBound + trim.start)..<ByteOffset(start + inserted.upperBound - trim.end)
            builder.replace(ByteOffset(low)..<ByteOffset(high), with: new.slice(text))
        }
        self = builder.finish()
    }

    // MARK: Common parts

    private static let block = 64 << 10

    /// The number of bytes that two texts begin with alike.
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

    /// The start of the line that a byte is in.
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

    /// The number of bytes of whole lines that two texts end with alike, at most `limit`. What stands before them ends with a line, too, in both.
    private static func commonEnd(_ a: Rope, _ b: Rope, limit: Int) -> Int {
        let (m, n) = (a.byteRange.count, b.byteRange.count)
        var (done, whole) = (0, 0)
        while done < limit {
            let count = min(block, limit - done)
            let x = a.bytes(in: ByteOffset(m - done - count)..<ByteOffset(m - done))
            let y = b.bytes(in: ByteOffset(n - done - count)..<ByteOffset(n - done))
            var same = 0
            while same < count, x[count - 1 - same] == y[count - 1 - same] {
                // The bytes behind this line feed are whole lines.
                if x[count - 1 - same] == 0x0a { whole = done + same }
                same += 1
            }
            done += same
            if same < count { break }
        }
        return whole
    }

    /// The common start and end of two parts, in bytes, where neither a scalar nor CR LF is cut. Nothing where a part is not UTF-8.
    private static func trim(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> (start: Int, end: Int) {
        guard !a.isEmpty, !b.isEmpty, String(validating: a, as: UTF8.self) != nil,
            String(validating: b, as: UTF8.self) != nil
        else { return (0, 0) }
        func isInside(_ part: ArraySlice<UInt8>, _ index: Int) -> Bool {
            guard index > 0, index < part.count else { return false }
            let (before, byte) = (part[part.startIndex + index - 1], part[part.startIndex + index])
            return byte & 0xc0 == 0x80 || before == 0x0d && byte == 0x0a
        }
        let limit = min(a.count, b.count)
        var start = zip(a, b).prefix { $0 == $1 }.count
        while start > 0, isInside(a, start) || isInside(b, start) { start -= 1 }
        var end = zip(a.reversed(), b.reversed()).prefix(limit - start).prefix { $0 == $1 }.count
        while end > 0, isInside(a, a.count - end) || isInside(b, b.count - end) { end -= 1 }
        return (start, end)
    }

    // MARK: Lines

    /// A part of a text in lines.
    private struct Lines {
        let bytes: [UInt8]
        /// The start of each line, and the end of the last one.
        private var bounds = [0]

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            for (index, byte) in bytes.enumerated() where byte == 0x0a { bounds.append(index + 1) }
            if bounds.last != bytes.count { bounds.append(bytes.count) }
        }

        var count: Int { bounds.count - 1 }

        func bytes(of lines: Range<Int>) -> Range<Int> { bounds[lines.lowerBound]..<bounds[lines.upperBound] }

        /// A number for each line; equal lines have equal numbers.
        func numbers(_ known: inout [ArraySlice<UInt8>: Int]) -> [Int] {
            (0..<count).map { line in
                let slice = bytes[bounds[line]..<bounds[line + 1]]
                if let number = known[slice] { return number }
                known[slice] = known.count
                return known.count - 1
            }
        }
    }

    private struct Hunk {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// The lines that differ, in order. Myers, "An O(ND) Difference Algorithm and Its Variations", with the furthest points of each number of edits kept.
    private static func hunks(_ a: Lines, _ b: Lines) -> [Hunk] {
        let whole = [Hunk(old: 0..<a.count, new: 0..<b.count)]
        guard a.count > 0, b.count > 0 else { return whole }
        var known: [ArraySlice<UInt8>: Int] = [:]
        let (x, y) = (a.numbers(&known), b.numbers(&known))
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
            if edits == most { return whole }
        }
        return path(back: trace, x.count, y.count)
    }

    /// The hunks of the path that the furthest points lead back along.
    private static func path(back trace: [[Int]], _ oldCount: Int, _ newCount: Int) -> [Hunk] {
        var hunks: [Hunk] = []
        var (old, new) = (oldCount, newCount)
        for edits in stride(from: trace.count - 1, to: 0, by: -1) {
            // As they were before this round: of the diagonals from -edits to edits, of which the outer ones were not reached.
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
