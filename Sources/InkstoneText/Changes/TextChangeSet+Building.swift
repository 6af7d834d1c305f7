import InkstoneBase

extension TextChangeSet {
    /// Makes a change set of replacements of one text, given in any order.
    ///
    /// O(k log n) for k replacements, O(k + n / 1000) if they are given in order and lie close together; and the size of
    /// the new texts.
    public struct Builder {
        private struct Input {
            var low: Int
            var high: Int
            /// Where the new text is in the buffer, or which of the long ones it is.
            var text: Range<Int>
            var isLong: Bool
        }

        private let base: Rope
        private var unit = TextPointUnit.bytes
        private var inputs: [Input] = []
        private var buffer: [UInt8] = []
        private var long: [Rope] = []
        private var isSorted = true

        /// A builder of changes to a text.
        public init(over text: Rope) { base = text }

        /// Whether nothing was added.
        public var isEmpty: Bool { inputs.isEmpty }

        /// Makes room for a number of replacements.
        public mutating func reserve(_ count: Int) { inputs.reserveCapacity(count) }

        /// Adds the replacement of a range of bytes, clamped to the text; an end inside a scalar means its start.
        public mutating func replace(_ range: Range<ByteOffset>, with new: Rope) {
            let range = range.clamped(into: base.byteRange)
            use(.bytes)
            add(place(range.lowerBound.value, .bytes), place(range.upperBound.value, .bytes), new)
        }

        /// Adds the replacement of a range of bytes by a string.
        public mutating func replace(_ range: Range<ByteOffset>, with new: String) {
            let range = range.clamped(into: base.byteRange)
            use(.bytes)
            add(place(range.lowerBound.value, .bytes), place(range.upperBound.value, .bytes), new)
        }

        /// Adds the replacement of a range of UTF-16 units, clamped to the text; an end inside a scalar means its start.
        public mutating func replace(_ range: Range<UTF16Offset>, with new: Rope) {
            let range = range.clamped(into: base.utf16Range)
            use(.utf16)
            add(place(range.lowerBound.value, .utf16), place(range.upperBound.value, .utf16), new)
        }

        /// Adds the replacement of a range of UTF-16 units by a string.
        public mutating func replace(_ range: Range<UTF16Offset>, with new: String) {
            let range = range.clamped(into: base.utf16Range)
            use(.utf16)
            add(place(range.lowerBound.value, .utf16), place(range.upperBound.value, .utf16), new)
        }

        /// The first replacement says in which unit all are kept; one in the other unit is converted.
        private mutating func use(_ unit: TextPointUnit) {
            if inputs.isEmpty { self.unit = unit }
        }

        private func place(_ offset: Int, _ unit: TextPointUnit) -> Int {
            if unit == self.unit { return offset }
            return unit == .bytes
                ? base.utf16Offset(at: ByteOffset(offset)).value : base.byteOffset(at: UTF16Offset(offset)).value
        }

        private mutating func add(_ low: Int, _ high: Int, _ new: Rope) {
            guard new.metrics.bytes <= TextPieces.limit else {
                long.append(new)
                return add(low, high, long.count - 1..<long.count, isLong: true)
            }
            let start = buffer.count
            new.forEachChunk(in: new.byteRange) { chunk, _ in buffer.append(contentsOf: chunk) }
            add(low, high, start..<buffer.count, isLong: false)
        }

        private mutating func add(_ low: Int, _ high: Int, _ new: String) {
            guard new.utf8.count <= TextPieces.limit else { return add(low, high, Rope(new)) }
            let start = buffer.count
            buffer.append(contentsOf: new.utf8)
            add(low, high, start..<buffer.count, isLong: false)
        }

        private mutating func add(_ low: Int, _ high: Int, _ text: Range<Int>, isLong: Bool) {
            guard low < high || !text.isEmpty else { return }
            if let last = inputs.last, (last.low, last.high) > (low, high) { isSorted = false }
            inputs.append(Input(low: low, high: high, text: text, isLong: isLong))
        }

        /// The change set of all that was added. Replacements at one place keep the order in which they were added, but
        /// insertions come before a range that starts there. Where two overlap, the one that starts later replaces only what
        /// the other leaves; its text comes behind the other's.
        public consuming func finish() -> TextChangeSet {
            if inputs.count == 1 {
                let input = inputs[0]
                let new = text(of: input)
                return unit == .bytes
                    ? TextChangeSet(replacing: ByteOffset(input.low)..<ByteOffset(input.high), with: new, in: base)
                    : TextChangeSet(replacing: UTF16Offset(input.low)..<UTF16Offset(input.high), with: new, in: base)
            }
            if !isSorted {
                inputs.sort { ($0.low, $0.high) < ($1.low, $1.high) }
            }
            clipOverlaps()
            var resolver = TextChangeResolver(base, buffer)
            for (i, input) in inputs.enumerated() {
                let isFollowed = i + 1 < inputs.count && inputs[i + 1].low == input.high
                resolver.add(
                    input.low, input.high, unit,
                    input.isLong ? .rope(long[input.text.lowerBound]) : .buffer(input.text), isFollowed: isFollowed)
            }
            return resolver.finish()
        }

        /// Ranges come from carets and from places that were mapped: that two overlap is no programmer's error.
        private mutating func clipOverlaps() {
            var end = 0
            for i in inputs.indices {
                if inputs[i].low < end {
                    inputs[i].low = end
                    inputs[i].high = max(end, inputs[i].high)
                }
                end = inputs[i].high
            }
        }

        private func text(of input: Input) -> Rope {
            input.isLong
                ? long[input.text.lowerBound]
                : buffer.withUnsafeBytes { Rope(bytes: UnsafeRawBufferPointer(rebasing: $0[input.text])) }
        }
    }
}
