import InkstoneText
import InkstoneUnicode

/// A decoder of a file's bytes to text. It removes the byte order mark and keeps bytes that cannot be decoded.
final class TextFileDecoder {
    private(set) var format: TextFileFormat
    /// Whether the encoding was guessed without evidence.
    let isGuess: Bool
    /// Whether encoding the text again produces the same bytes. This is checked while decoding. The value is final
    /// after ``finish(_:)``.
    private(set) var isLossless = true
    /// The decoder; nil for UTF-8, which needs no conversion.
    private var decoder: TextDecoder?
    /// An encoder of the decoded text, for the check. Nil once the bytes have differed.
    private var encoder: TextEncoder?
    private var roundTrip = RoundTrip()
    /// The number of bytes of the byte order mark that are still to be skipped.
    private var markLeft: Int

    /// Creates a decoder for a file that starts with the given bytes: at least 4, or the whole file.
    ///
    /// - Parameter isWhole: whether the bytes are the whole file.
    init(
        start: UnsafeRawBufferPointer, encoding: TextEncoding?, guess: EncodingGuess? = nil, isWhole: Bool = false
    ) {
        let known = encoding ?? TextEncoding.marked(by: start)
        let guessed = known == nil ? guess?.encoding(of: start, isWhole: isWhole) : nil
        isGuess = guessed != nil
        let encoding = (known ?? guessed ?? .utf8).withByteOrder(of: start)
        let mark = encoding.byteOrderMark
        let hasMark = !mark.isEmpty && start.starts(with: mark)
        format = TextFileFormat(encoding: encoding, hasByteOrderMark: hasMark)
        markLeft = hasMark ? mark.count : 0
        guard encoding != .utf8 else { return }
        decoder = TextDecoder(encoding)
        encoder = TextEncoder(encoding)
    }

    /// Whether a file's first bytes are probably not text, because they contain NUL bytes or many control
    /// characters. Always false in UTF-16 and UTF-32: they encode ASCII characters with NUL bytes.
    func looksBinary(_ start: UnsafeRawBufferPointer) -> Bool {
        guard decoder == nil || format.encoding.byteOrderMark.isEmpty else { return false }
        return Self.hasManyControls(start)
    }

    /// Whether the first 64 KB of some bytes contain NUL bytes or many control characters.
    static func hasManyControls(_ start: UnsafeRawBufferPointer) -> Bool {
        let sample = start.prefix(65_536)
        var controls = 0
        for byte in sample where byte < 0x20 {
            switch byte {
            case 0x09...0x0d, 0x1b: break
            case 0: return true
            default: controls += 1
            }
        }
        return controls * 20 > sample.count
    }

    func append(_ bytes: UnsafeRawBufferPointer, to builder: inout RopeBuilder) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(markLeft))
        markLeft = 0
        convert(bytes, isLast: false, &builder)
    }

    func finish(_ builder: inout RopeBuilder) {
        guard decoder != nil else { return }
        convert(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, &builder)
    }

    private func convert(_ bytes: UnsafeRawBufferPointer, isLast: Bool, _ builder: inout RopeBuilder) {
        guard decoder != nil else {
            builder.append(bytes)
            return
        }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        decoder?.decode(bytes, isLast: isLast, into: &text)
        text.withUnsafeBytes {
            builder.append($0)
            compare($0, with: bytes, isLast: isLast)
        }
    }

    /// Encodes the text again, and compares the result with the bytes. They may differ, because some encodings have
    /// two codes for a character, or escapes without effect.
    private func compare(_ text: UnsafeRawBufferPointer, with bytes: UnsafeRawBufferPointer, isLast: Bool) {
        guard encoder != nil else { return }
        var again: [UInt8] = []
        do {
            try encoder?.encode(text, into: &again)
            if isLast { try encoder?.finish(into: &again) }
            again.withUnsafeBytes { roundTrip.compare(bytes, $0) }
            isLossless = isLast ? roundTrip.endsSame : roundTrip.isSame
        } catch {
            isLossless = false
        }
        if !isLossless { encoder = nil }
    }
}
