/// Compares two streams of bytes that come in different pieces. Holds no more than the one is ahead of the other.
struct RoundTrip {
    /// Whether they are alike so far.
    private(set) var isSame = true
    /// What one of them is ahead.
    private var rest: [UInt8] = []
    private var isFirstAhead = false

    /// Takes the next bytes of both. O(n).
    mutating func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
        guard isSame else { return }
        advance(first, isFirst: true)
        advance(second, isFirst: false)
    }

    /// Whether both were the same, now that they have ended.
    var endsSame: Bool { isSame && rest.isEmpty }

    private mutating func advance(_ bytes: UnsafeRawBufferPointer, isFirst: Bool) {
        guard isSame else { return }
        guard isFirst != isFirstAhead, !rest.isEmpty else {
            rest.append(contentsOf: bytes)
            isFirstAhead = isFirst
            return
        }
        let common = min(rest.count, bytes.count)
        isSame = rest.prefix(common).elementsEqual(bytes.prefix(common))
        if common == rest.count {
            rest = Array(bytes.dropFirst(common))
            isFirstAhead = isFirst
        } else {
            rest.removeFirst(common)
        }
    }
}
