/// Reading of bytes that should be UTF-8: their division into scalars and invalid sequences.
///
/// A *part* is a scalar, or a maximal subpart of an ill-formed sequence (Unicode §3.9, table 3-8), which is read as
/// one U+FFFD. A byte that is not a continuation byte (80…BF) always starts a part, so reading may start at any
/// such byte.
package enum UTF8Scan {
    /// A pointer to bytes that are valid for the duration of the call.
    package typealias Bytes = UnsafePointer<UInt8>

    @inline(__always)
    static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xc0 == 0x80 }

    /// Returns the part (a scalar or an invalid sequence) that starts at byte `i` of `n`: its length, and whether
    /// it is a scalar.
    @inline(__always)
    package static func part(_ p: Bytes, _ i: Int, _ n: Int) -> (length: Int, isValid: Bool) {
        let lead = p[i]
        if lead < 0x80 { return (1, true) }
        if lead < 0xc2 || lead > 0xf4 { return (1, false) }
        if lead < 0xe0 {
            return i + 1 < n && isContinuation(p[i + 1]) ? (2, true) : (1, false)
        }
        guard i + 1 < n else { return (1, false) }
        let second = p[i + 1]
        if lead < 0xf0 {
            let low: UInt8 = lead == 0xe0 ? 0xa0 : 0x80
            let high: UInt8 = lead == 0xed ? 0x9f : 0xbf
            guard second >= low, second <= high else { return (1, false) }
            return i + 2 < n && isContinuation(p[i + 2]) ? (3, true) : (2, false)
        }
        let low: UInt8 = lead == 0xf0 ? 0x90 : 0x80
        let high: UInt8 = lead == 0xf4 ? 0x8f : 0xbf
        guard second >= low, second <= high else { return (1, false) }
        guard i + 2 < n, isContinuation(p[i + 2]) else { return (2, false) }
        return i + 3 < n && isContinuation(p[i + 3]) ? (4, true) : (3, false)
    }

    /// Returns the scalar that a part (a scalar or an invalid sequence) encodes; U+FFFD for an invalid sequence.
    @inline(__always)
    package static func scalar(_ p: Bytes, _ i: Int, _ part: (length: Int, isValid: Bool)) -> UInt32 {
        guard part.isValid else { return 0xfffd }
        let lead = UInt32(p[i])
        switch part.length {
        case 1: return lead
        case 2: return (lead & 0x1f) << 6 | UInt32(p[i + 1] & 0x3f)
        case 3: return (lead & 0x0f) << 12 | UInt32(p[i + 1] & 0x3f) << 6 | UInt32(p[i + 2] & 0x3f)
        default:
            return (lead & 0x07) << 18 | UInt32(p[i + 1] & 0x3f) << 12 | UInt32(p[i + 2] & 0x3f) << 6
                | UInt32(p[i + 3] & 0x3f)
        }
    }

    /// Returns the start of the scalar or invalid sequence that contains byte `i`; `i` itself if it is `n`.
    static func partStart(_ p: Bytes, _ i: Int, _ n: Int) -> Int {
        guard i < n, isContinuation(p[i]) else { return i }
        // A scalar has at most four bytes. A continuation byte that does not belong to a lead byte up to three
        // bytes before is an invalid sequence of its own.
        var lead = i - 1
        while lead >= 0, lead >= i - 3 {
            if !isContinuation(p[lead]) {
                return lead + part(p, lead, n).length > i ? lead : i
            }
            lead -= 1
        }
        return i
    }

    /// Whether `n` bytes end in a CR or in an incomplete UTF-8 sequence, which bytes after them could continue.
    package static func isOpenEnded(_ p: Bytes, _ n: Int) -> Bool {
        guard n > 0 else { return false }
        let last = p[n - 1]
        if last == 0x0d { return true }
        if last < 0x80 { return false }
        var lead = n - 1
        while lead > 0, lead > n - 4, isContinuation(p[lead]) { lead -= 1 }
        let part = part(p, lead, n)
        return !part.isValid && p[lead] >= 0xc2 && p[lead] <= 0xf4 && lead + part.length == n
    }

    /// Whether a scalar, an invalid sequence or a CR LF at the end of `n` bytes continues in the `m` bytes after
    /// them.
    static func joins(_ p: Bytes, _ n: Int, _ q: Bytes, _ m: Int) -> Bool {
        guard n > 0, m > 0, mayJoinLeft(q[0]), isOpenEnded(p, n) else { return false }
        if q[0] == 0x0a { return p[n - 1] == 0x0d }
        var lead = n - 1
        while isContinuation(p[lead]) { lead -= 1 }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { whole in
            guard let base = whole.baseAddress else { return false }
            for i in lead..<n { base[i - lead] = p[i] }
            base[n - lead] = q[0]
            return part(base, 0, n - lead + 1).length > n - lead
        }
    }

    /// Whether a byte may continue a scalar or a CR LF that began before it.
    @inline(__always)
    static func mayJoinLeft(_ byte: UInt8) -> Bool { isContinuation(byte) || byte == 0x0a }

    /// Returns an offset at or before `i` at which `n` bytes can be cut without cutting a scalar, an invalid
    /// sequence or a CR LF; 0 if there is none.
    static func cut(_ p: Bytes, _ i: Int, _ n: Int) -> Int {
        var at = partStart(p, i, n)
        if at > 0, at < n, p[at] == 0x0a, p[at - 1] == 0x0d { at -= 1 }
        return at
    }

    /// Returns the length, in all units, of `n` bytes that neither start nor end inside a scalar. O(n), near memory
    /// speed for ASCII.
    package static func measure(_ p: Bytes, _ n: Int) -> TextMetrics {
        var lf = 0
        var cr = 0
        var seen: UInt8 = 0
        var i = 0
        // Counters of one byte let the compiler use vectors. Add them up after every 248 bytes, so that they cannot
        // overflow.
        while i < n {
            let end = min(i + 248, n)
            var blockLF: UInt8 = 0
            var blockCR: UInt8 = 0
            var blockSeen: UInt8 = 0
            for j in i..<end {
                let byte = p[j]
                blockLF &+= byte == 0x0a ? 1 : 0
                blockCR &+= byte == 0x0d ? 1 : 0
                blockSeen |= byte
            }
            lf += Int(blockLF)
            cr += Int(blockCR)
            seen |= blockSeen
            i = end
        }
        var metrics = TextMetrics(bytes: n, scalars: n, utf16: n, newlines: lf + cr, invalidParts: 0)
        if cr > 0, lf > 0 {
            for j in 0..<(n - 1) where p[j] == 0x0d && p[j + 1] == 0x0a { metrics.newlines -= 1 }
        }
        if seen >= 0x80 { measureWide(p, n, &metrics) }
        return metrics
    }

    /// Corrects a length that was counted as if each byte were a scalar.
    private static func measureWide(_ p: Bytes, _ n: Int, _ metrics: inout TextMetrics) {
        var i = 0
        var trailing = 0
        var astral = 0
        var invalid = 0
        let raw = UnsafeRawPointer(p)
        while i < n {
            if i + 8 <= n {
                let word = raw.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080
                if word == 0 {
                    i += 8
                    continue
                }
                i += word.littleEndian.trailingZeroBitCount >> 3
            }
            // Scalars beyond ASCII usually follow each other: read on without testing for eight ASCII bytes.
            repeat {
                let part = part(p, i, n)
                trailing += part.length - 1
                if part.isValid {
                    if part.length == 4 { astral += 1 }
                } else {
                    invalid += 1
                }
                i += part.length
            } while i < n && p[i] >= 0x80
        }
        metrics.scalars -= trailing
        metrics.utf16 -= trailing - astral
        metrics.invalidParts = invalid
    }

    /// Returns the length, in all units, of the first `k` of `n` bytes. If `k` lies inside a scalar, it is first
    /// moved back to the scalar's start.
    ///
    /// A newline counts once it is complete: not between CR and LF.
    static func measurePrefix(_ p: Bytes, _ k: Int, _ n: Int, isValid: Bool) -> TextMetrics {
        let end = partStart(p, k, n)
        var metrics = isValid ? UTF8Blocks.measure(p, end) : measure(p, end)
        if end > 0, end < n, p[end - 1] == 0x0d, p[end] == 0x0a { metrics.newlines -= 1 }
        return metrics
    }

    /// Returns the length, in all units, of the first `k` bytes of a leaf of known length. In ASCII only newlines
    /// are counted, from the nearer end.
    static func measurePrefix(_ p: Bytes, _ k: Int, of leaf: TextMetrics) -> TextMetrics {
        let n = leaf.bytes
        guard leaf.isUniform, leaf.invalidParts == 0 else {
            return measurePrefix(p, k, n, isValid: leaf.invalidParts == 0)
        }
        let k = min(k, n)
        var newlines = 0
        if leaf.newlines > 0 {
            if k > n / 2 {
                newlines = leaf.newlines - UTF8Blocks.newlines(inASCII: p + k, n - k)
            } else {
                newlines = UTF8Blocks.newlines(inASCII: p, k)
                if k > 0, k < n, p[k - 1] == 0x0d, p[k] == 0x0a { newlines -= 1 }
            }
        }
        return TextMetrics(bytes: k, scalars: k, utf16: k, newlines: newlines, invalidParts: 0)
    }
}
