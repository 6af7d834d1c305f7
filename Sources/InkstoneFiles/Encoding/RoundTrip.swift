/// A comparison of two streams of bytes that arrive in different pieces. Stores only the bytes of one stream that
/// the other one does not have yet.
struct RoundTrip {
    /// Whether the streams are equal so far.
    private(set) var isSame = true
    /// The bytes that have arrived in one of the two streams and not yet in the other.
    private var rest: [UInt8] = []
    private var isFirstAhead = false

    /// Compares the next bytes of both streams. O(n).
    mutating func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) {
        guard isSame else { return }
        advance(first, isFirst: true)
        advance(second, isFirst: false)
    }

    /// Whether both streams were equal. The value is final after both have ended.
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
