import InkstoneBase
import InkstoneUnicode

/// An exact search for the bytes of a string, leaf by leaf, at the speed of `memmem`.
struct LiteralSearch {
    private let needle: [UInt8]
    /// Length of the needle's head, in bytes, at most 256. Only the head is searched for; the rest of a long needle is
    /// compared where the head is found.
    private let head: Int
    private let wholeWords: Bool
    /// The number of bytes of every match.
    var longestMatch: Int { needle.count }

    init(_ pattern: String, wholeWords: Bool = false) {
        needle = Array(pattern.utf8)
        self.wholeWords = wholeWords
        head = min(needle.count, 256)
    }

    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, isCancelled: () -> Bool, _ body: (TextMatch, inout Bool) -> Void
    ) {
        // The last bytes before the present leaf: a match may begin there and end in the present leaf.
        var carry: [UInt8] = []
        carry.reserveCapacity(2 * head)
        var position = range.lowerBound.value
        // The first offset at which the next match may start. Matches do not overlap.
        var least = position
        var untilAsked = 32
        let end = range.upperBound.value
        needle.withUnsafeBufferPointer { needle in
            guard let pattern = needle.baseAddress else { return }
            func report(_ at: Int, _ stop: inout Bool) {
                let found = ByteOffset(at)..<ByteOffset(at + needle.count)
                guard at >= least, found.upperBound.value <= end, matchesRest(text, at) else { return }
                if wholeWords, !text.isAtWordEdges(found) { return }
                least = found.upperBound.value
                body(TextMatch(range: found), &stop)
            }
            text.forEachChunk(in: range) { chunk, stop in
                untilAsked -= 1
                if untilAsked == 0 {
                    untilAsked = 32
                    if isCancelled() {
                        stop = true
                        return
                    }
                }
                guard let base = chunk.baseAddress else { return }
                if !carry.isEmpty {
                    let start = position - carry.count
                    let kept = carry.count
                    carry.append(contentsOf: chunk.prefix(head - 1))
                    carry.withUnsafeBytes { seam in
                        scan(seam, pattern, stop: &stop) { at, stop in
                            if at < kept { report(start + at, &stop) }
                        }
                    }
                    if stop { return }
                    carry.removeLast(carry.count - kept)
                }
                scan(UnsafeRawBufferPointer(start: base, count: chunk.count), pattern, stop: &stop) { at, stop in
                    report(position + at, &stop)
                }
                if head > 1 {
                    if chunk.count >= head - 1 { carry.removeAll(keepingCapacity: true) }
                    carry.append(contentsOf: chunk.suffix(head - 1))
                    if carry.count > head - 1 { carry.removeFirst(carry.count - (head - 1)) }
                }
                position += chunk.count
            }
        }
    }

    /// Calls `found` with the byte offset of each occurrence of the needle's first `head` bytes, also of overlapping
    /// ones.
    @inline(__always)
    private func scan(
        _ bytes: UnsafeRawBufferPointer, _ pattern: UnsafePointer<UInt8>, stop: inout Bool,
        _ found: (Int, inout Bool) -> Void
    ) {
        let bytes = bytes.bindMemory(to: UInt8.self)
        let wanted = UnsafeBufferPointer(start: pattern, count: head)
        var at = 0
        while !stop, bytes.count - at >= head,
            let hit = firstOffset(of: wanted, in: UnsafeBufferPointer(rebasing: bytes[at...]))
        {
            found(at + hit, &stop)
            at += hit + 1
        }
    }

    private func matchesRest(_ text: Rope, _ at: Int) -> Bool {
        guard needle.count > head else { return true }
        let range = ByteOffset(at + head)..<ByteOffset(at + needle.count)
        var i = head
        var isEqual = range.upperBound <= text.byteRange.upperBound
        if !isEqual { return false }
        text.forEachChunk(in: range) { chunk, stop in
            isEqual = chunk.elementsEqual(needle[i..<(i + chunk.count)])
            i += chunk.count
            stop = !isEqual
        }
        return isEqual
    }
}
