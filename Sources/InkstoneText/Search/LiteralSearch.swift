import InkstoneBase
import InkstoneUnicode

/// Looks for bytes, leaf by leaf, at the speed of `memmem`.
struct LiteralSearch {
    private let needle: [UInt8]
    /// What is looked for first; the rest of a long needle is compared where that stands.
    private let head: Int
    private let wholeWords: Bool
    /// Bytes that a match has at most.
    var longestMatch: Int { needle.count }

    init(_ pattern: String, wholeWords: Bool = false) {
        needle = Array(pattern.utf8)
        self.wholeWords = wholeWords
        head = min(needle.count, 256)
    }

    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, isCancelled: () -> Bool, _ body: (TextMatch, inout Bool) -> Void
    ) {
        // The last bytes before the present leaf, for what begins there.
        var carry: [UInt8] = []
        carry.reserveCapacity(2 * head)
        var position = range.lowerBound.value
        // Matches may start here.
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

    /// Calls `found` with every place of the needle's head, overlapping ones too.
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

/// Looks for a string without regard to case, by simple folding of each scalar.
struct FoldedSearch {
    private let needle: [UInt32]
    /// Where to go on in the needle after a mismatch (Knuth–Morris–Pratt), so that nothing is read twice.
    private let fallback: [Int]
    /// Whether a scalar that starts with a byte may be the needle's first.
    private let mayStart: [Bool]
    private let wholeWords: Bool
    /// Bytes that a match has at most.
    var longestMatch: Int { 4 * needle.count }

    init(_ pattern: String, wholeWords: Bool = false) {
        self.wholeWords = wholeWords
        let needle = pattern.unicodeScalars.map { UnicodeData.folded($0.value) }
        var fallback = [0]
        var k = 0
        for i in needle.indices.dropFirst() {
            while k > 0, needle[i] != needle[k] { k = fallback[k - 1] }
            if needle[i] == needle[k] { k += 1 }
            fallback.append(k)
        }
        self.needle = needle
        self.fallback = fallback
        let first = needle.first ?? 0
        // Of ASCII, only k and s have other cases outside of it: U+212A and U+017F.
        let isWide = first >= 0x80 || first == 0x6b || first == 0x73
        mayStart = (0...255).map { $0 < 0x80 ? UnicodeData.folded(UInt32($0)) == first : $0 >= 0xc0 && isWide }
    }

    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, isCancelled: () -> Bool, _ body: (TextMatch, inout Bool) -> Void
    ) {
        var matched = 0
        var position = range.lowerBound.value
        // Starts of the scalars read last, to know where a match began.
        var starts = [Int](repeating: 0, count: needle.count)
        var count = 0
        var untilAsked = 32
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
            let p = base.assumingMemoryBound(to: UInt8.self)
            var i = 0
            while i < chunk.count {
                if matched == 0 {
                    mayStart.withUnsafeBufferPointer { mayStart in
                        while i < chunk.count, !mayStart[Int(p[i])] { i += 1 }
                    }
                    if i == chunk.count { break }
                }
                let part = UTF8Scan.part(p, i, chunk.count)
                // What is not valid equals nothing.
                let scalar = part.isValid ? UnicodeData.folded(UTF8Scan.scalar(p, i, part)) : .max
                starts[count % needle.count] = position + i
                count += 1
                i += part.length
                while matched > 0, scalar != needle[matched] { matched = fallback[matched - 1] }
                if scalar == needle[matched] { matched += 1 }
                guard matched == needle.count else { continue }
                let found = ByteOffset(starts[count % needle.count])..<ByteOffset(position + i)
                if wholeWords, !text.isAtWordEdges(found) {
                    // A match may overlap one that does not count.
                    matched = fallback[matched - 1]
                    continue
                }
                matched = 0
                body(TextMatch(range: found), &stop)
                if stop { return }
            }
            position += chunk.count
        }
    }
}
