import InkstoneBase

extension TextChangeSet {
    /// A builder of a change set from replacements of one text, added in any order.
    ///
    /// Costs O(k log n) for k replacements, or O(k + n / 1000) if they are in order and close together; plus the
    /// size of the new texts.
    public struct Builder {
        private struct Input {
            var low: Int
            var high: Int
            /// The range of the new text in `buffer`. If `isLong` is true, a range whose start is the index of the new
            /// text in `long`.
            var text: Range<Int>
            /// Whether the new text is stored in `long`, because it is too long to be copied.
            var isLong: Bool
        }

        private let base: Rope
        private var unit = TextPointUnit.bytes
        private var inputs: [Input] = []
        private var buffer: [UInt8] = []
        private var long: [Rope] = []
        private var isSorted = true

        /// Creates a builder of changes to a text.
        public init(over text: Rope) { base = text }

        /// Whether no replacement was added.
        public var isEmpty: Bool { inputs.isEmpty }

        /// Reserves memory for a number of replacements.
        public mutating func reserve(_ count: Int) { inputs.reserveCapacity(count) }

        /// Adds the replacement of a range of bytes. The range is clamped to the text; an end inside a scalar means
        /// the scalar's start.
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

        /// Adds the replacement of a range of UTF-16 units. The range is clamped to the text; an end inside a
        /// scalar means the scalar's start.
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

        /// Sets the unit in which all replacements are kept, if this is the first replacement. Later ranges in the
        /// other unit are converted.
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

        /// Returns the change set of all replacements. They are ordered by their starts, then by their ends:
        /// insertions come before the replacement of a range that starts there. Replacements of equal ranges keep
        /// the order in which they were added. If two ranges overlap, the later one in this order replaces only the
        /// text after the end of the first. Its new text comes after the new text of the first.
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

        /// Moves the start of each range that overlaps the range before it. Overlaps are not a programmer's error,
        /// because ranges come from carets and from mapped offsets.
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
