import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The first bytes of a file, for previewing its text in several encodings.
public struct EncodingPreview: Sendable {
    private let bytes: [UInt8]
    /// Whether the bytes are known to be the whole file.
    private let isWhole: Bool

    /// The maximum length of a preview, in bytes.
    static let length = 16 << 10

    /// Creates a preview from the first bytes of a file. Blocks.
    public init(of path: FilePath) throws(TextFileError) {
        let source = try FileSource(path: path)
        defer { source.close() }
        bytes = try source.next(Self.length).map { Array($0) } ?? []
        isWhole = bytes.count < Self.length
    }

    /// Returns the encodings sorted. First come those in which the preview is valid text, the likely ones among
    /// them before the rest. Otherwise the order of `encodings` is kept. O(n) in the length of the preview, for
    /// each encoding.
    package func sorted(_ encodings: [TextEncoding], by guess: EncodingGuess) -> [TextEncoding] {
        bytes.withUnsafeBytes { bytes in
            let likely = guess.candidates(for: bytes, isWhole: isWhole)
            var seen: Set<TextEncoding> = []
            let all = (likely + encodings).filter { encodings.contains($0) && seen.insert($0).inserted }
            let clean = Set(all.filter { EncodingGuess.isValid(bytes, in: $0, isWhole: isWhole) })
            return all.filter(clean.contains) + encodings.filter { !clean.contains($0) }
        }
    }

    /// Returns lines of the preview decoded in an encoding. They are joined to one line, with a sign for each line
    /// end. Uses at most `limit` scalars of the text. Lines before the first one with a non-ASCII character are
    /// left out. O(n) in the length of the preview.
    public func lines(in encoding: TextEncoding, limit: Int = 160) -> String {
        var builder = RopeBuilder()
        bytes.withUnsafeBytes { bytes in
            let decoder = TextFileDecoder(start: bytes, encoding: encoding)
            decoder.append(bytes, to: &builder)
        }
        let text = builder.finish()
        let scalars = Array(text.string(in: text.byteRange).unicodeScalars)
        let wide = scalars.firstIndex { !$0.isASCII } ?? 0
        let start = scalars[..<wide].lastIndex { $0 == "\n" }.map { $0 + 1 } ?? 0
        var shown = String.UnicodeScalarView()
        for scalar in scalars[start...].prefix(limit) {
            switch scalar {
            case "\r": break
            case "\n": shown.append(contentsOf: " ⏎ ".unicodeScalars)
            case "\t": shown.append(" ")
            case _ where scalar.properties.generalCategory == .control: shown.append("\u{fffd}")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
