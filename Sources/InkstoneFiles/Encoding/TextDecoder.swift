import InkstoneText
import InkstoneUnicode

/// A decoder of bytes in an encoding to UTF-8, piece by piece.
///
/// Bytes that are invalid in the encoding are kept unchanged as invalid bytes of the text, if ``TextEncoder`` can
/// distinguish them from text later: see ``keeps(_:)``. An unpaired surrogate is kept as the three bytes that UTF-8
/// would have for it if it allowed surrogates (ED A0 80 to ED BF BF); ``TextEncoder`` converts them back.
/// Everything else becomes U+FFFD.
struct TextDecoder {
    private let converter: TextConverter
    private let codeUnit: CodeUnit?
    /// For each ASCII character, whether the encoding encodes it as the same byte.
    private let isPlain: [Bool]
    /// The invalid bytes since the last valid text. They are kept until valid text follows, because the invalid
    /// bytes of several pieces may together form a character of UTF-8.
    private var run: [UInt8] = []
    /// The number of invalid sequences in ``run``.
    private var runCount = 0

    init(_ encoding: TextEncoding) {
        converter = TextConverter(encoding)
        codeUnit = encoding.codeUnit
        let prober = TextConverter(encoding)
        isPlain = (0..<0x80).map { (byte: UInt16) in
            var bytes: [UInt8] = []
            prober.reset()
            try? withUnsafePointer(to: byte) {
                try prober.encode(UnsafeBufferPointer(start: $0, count: 1), isLast: true) { bytes += $0 }
            }
            return bytes == [UInt8(byte)]
        }
    }

    /// Decodes the next bytes and appends the text to `output`. Unless `isLast`, the bytes may end within a
    /// character. O(n).
    mutating func decode(_ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: inout [UInt8]) {
        var state = (run: run, count: runCount)
        // Drop this reference to the bytes, because `state` refers to them too: appending to bytes with two references
        // would copy them.
        run = []
        converter.decode(bytes, isLast: isLast) { units in
            flush(&state, into: &output)
            Self.append(units, to: &output)
        } invalid: { bytes in
            if let codeUnit, let value = codeUnit.value(of: bytes), 0xd800..<0xe000 ~= value {
                flush(&state, into: &output)
                Self.append(surrogate: UInt16(value), to: &output)
            } else {
                state.run += bytes
                state.count += 1
            }
        }
        if isLast { flush(&state, into: &output) }
        (run, runCount) = state
    }

    private func flush(_ state: inout (run: [UInt8], count: Int), into output: inout [UInt8]) {
        guard state.count > 0 else { return }
        if keeps(state.run) {
            output += state.run
        } else {
            for _ in 0..<state.count { output += "\u{fffd}".utf8 }
        }
        state = ([], 0)
    }

    /// Whether invalid bytes can stay in the text as they are. False if they contain valid UTF-8: the text would show
    /// that as characters, and ``TextEncoder`` would encode these instead of restoring the bytes. ASCII characters that
    /// the encoding encodes as the same byte do no harm. False also if every character of the encoding has more than
    /// one byte: ``TextEncoder`` could not restore the bytes then.
    private func keeps(_ bytes: [UInt8]) -> Bool {
        guard codeUnit == nil, converter.minimumWidth == 1 else { return false }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let p = buffer.baseAddress else { return true }
            var i = 0
            while i < buffer.count {
                let part = UTF8Scan.part(p, i, buffer.count)
                if part.isValid, part.length > 1 || !isPlain[Int(p[i])] { return false }
                i += part.length
            }
            return true
        }
    }

    private static func append(_ units: UnsafeBufferPointer<UInt16>, to output: inout [UInt8]) {
        var i = 0
        while i < units.count {
            let unit = units[i]
            i += 1
            if unit < 0x80 {
                output.append(UInt8(unit))
            } else if unit < 0x800 {
                output.append(0xc0 | UInt8(unit >> 6))
                output.append(0x80 | UInt8(unit & 0x3f))
            } else if unit & 0xfc00 == 0xd800, i < units.count, units[i] & 0xfc00 == 0xdc00 {
                let scalar = 0x10000 + UInt32(unit & 0x3ff) << 10 + UInt32(units[i] & 0x3ff)
                i += 1
                output.append(0xf0 | UInt8(scalar >> 18))
                output.append(0x80 | UInt8(scalar >> 12 & 0x3f))
                output.append(0x80 | UInt8(scalar >> 6 & 0x3f))
                output.append(0x80 | UInt8(scalar & 0x3f))
            } else {
                append(surrogate: unit, to: &output)
            }
        }
    }

    /// Appends a unit of 0x800 or more as three bytes, even if the unit is a surrogate.
    private static func append(surrogate unit: UInt16, to output: inout [UInt8]) {
        output.append(0xe0 | UInt8(unit >> 12))
        output.append(0x80 | UInt8(unit >> 6 & 0x3f))
        output.append(0x80 | UInt8(unit & 0x3f))
    }
}
