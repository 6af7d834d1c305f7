import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

/// An encoder of a text for a file. Invalid bytes are kept if the text after them is still decoded correctly.
///
/// The output is decoded again and compared with the text, unless the encoding is so simple that this cannot fail.
/// So no file is saved that would be read as another text. The check is needed because, in one or two encodings,
/// ICU silently drops characters without a code.
struct TextFileEncoder {
    private let path: FilePath
    private let encoding: TextEncoding
    private var encoder: TextEncoder
    /// The number of newlines in the pieces encoded so far.
    private var newlines = 0
    /// A decoder of the output, for the comparison. Nil if each byte or unit has only one meaning, whatever comes
    /// before it.
    private var decoder: TextDecoder?
    private var roundTrip = RoundTrip()
    /// The number of the line with the first invalid bytes, counted from 1. Nil if there are none.
    private let invalidLine: Int?

    /// Creates an encoder of a text for the file at `path`, which is named in errors.
    init(_ text: Rope, _ encoding: TextEncoding, path: FilePath) {
        self.path = path
        self.encoding = encoding
        encoder = TextEncoder(encoding)
        invalidLine = InvalidBytes(in: text)?.firstLine
        if encoding.codeUnit == nil, TextConverter(encoding).maximumWidth > 1 { decoder = TextDecoder(encoding) }
    }

    /// Encodes the next piece of the text. The piece must end between characters.
    mutating func encode(_ text: UnsafeRawBufferPointer) throws(TextFileError) -> [UInt8] {
        var output: [UInt8] = []
        do throws(TextEncoder.Failure) {
            try encoder.encode(text, into: &output)
        } catch {
            throw problem(error, in: text)
        }
        if let base = text.baseAddress {
            newlines += UTF8Scan.measure(base.assumingMemoryBound(to: UInt8.self), text.count).newlines
        }
        try check(output, text, isLast: false)
        return output
    }

    /// Returns the bytes that the encoding requires at the end of a text.
    mutating func finish() throws(TextFileError) -> [UInt8] {
        var output: [UInt8] = []
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        do throws(TextEncoder.Failure) {
            try encoder.finish(into: &output)
        } catch {
            throw problem(error, in: nothing)
        }
        try check(output, nothing, isLast: true)
        return output
    }

    private mutating func check(
        _ output: [UInt8], _ text: UnsafeRawBufferPointer, isLast: Bool
    ) throws(TextFileError) {
        guard decoder != nil else { return }
        var again: [UInt8] = []
        output.withUnsafeBytes { decoder?.decode($0, isLast: isLast, into: &again) }
        again.withUnsafeBytes { roundTrip.compare(text, $0) }
        if isLast ? roundTrip.endsSame : roundTrip.isSame { return }
        guard let invalidLine else { throw .writeFailed(path: path, step: "encoding", code: EILSEQ) }
        throw .invalidBytes(path: path, encoding: encoding.name, line: invalidLine)
    }

    private func problem(_ failure: TextEncoder.Failure, in text: UnsafeRawBufferPointer) -> TextFileError {
        func line(_ offset: Int) -> Int {
            guard let base = text.baseAddress else { return newlines + 1 }
            return newlines + 1 + UTF8Scan.measure(base.assumingMemoryBound(to: UInt8.self), offset).newlines
        }
        switch failure {
        case .inexpressible(let scalar, let at):
            return .inexpressible(path: path, encoding: encoding.name, scalar: scalar, line: line(at))
        case .invalid(let at): return .invalidBytes(path: path, encoding: encoding.name, line: line(at))
        case .failed: return .writeFailed(path: path, step: "encoding", code: EILSEQ)
        }
    }
}
