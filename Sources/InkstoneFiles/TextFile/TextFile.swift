import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneWords

/// The format of a text file: its encoding, and whether it starts with a byte order mark.
public struct TextFileFormat: Hashable, Sendable, CustomStringConvertible {
    /// The encoding of the file.
    public var encoding: TextEncoding
    /// Whether the file starts with the encoding's byte order mark. The mark is not part of the text.
    public var hasByteOrderMark: Bool

    /// Creates a format with the given encoding, with or without a byte order mark.
    public init(encoding: TextEncoding = .utf8, hasByteOrderMark: Bool = false) {
        self.encoding = encoding
        self.hasByteOrderMark = hasByteOrderMark
    }

    /// The encoding in words for the user, and whether there is a byte order mark.
    public var description: String {
        hasByteOrderMark ? localized("\(encoding.description) with BOM") : encoding.description
    }

    /// UTF-8 without a byte order mark.
    public static let utf8 = TextFileFormat()
}

/// The kind of line end in a file. Line ends that the user types are of this kind too.
public enum Newline: String, Hashable, Sendable {
    /// LF, as on Unix.
    case lf = "\n"
    /// CR LF, as on Windows.
    case crlf = "\r\n"
    /// CR, as on the old Macintosh.
    case cr = "\r"

    /// Creates the most common kind of line end in the first 64 KB of a text; LF if there is none.
    public init(commonestIn text: Rope) {
        let counts = Self.counts(in: text)
        self = counts.crlf > counts.lf && counts.crlf >= counts.cr ? .crlf : counts.cr > counts.lf ? .cr : .lf
    }

    /// Whether the first 64 KB of a text contain more than one kind of line end.
    public static func areMixed(in text: Rope) -> Bool {
        let counts = counts(in: text)
        return [counts.lf, counts.crlf, counts.cr].count { $0 > 0 } > 1
    }

    private static func counts(in text: Rope) -> (lf: Int, crlf: Int, cr: Int) {
        var counts: (lf: Int, crlf: Int, cr: Int) = (0, 0, 0)
        var last: UInt8 = 0
        let end = ByteOffset(min(65_536, text.metrics.bytes))
        text.forEachChunk(in: 0..<end) { chunk, _ in
            for byte in chunk {
                if byte == 0x0a {
                    if last == 0x0d { counts.crlf += 1 } else { counts.lf += 1 }
                } else if last == 0x0d {
                    counts.cr += 1
                }
                last = byte
            }
        }
        // Count a CR at the end of the 64 KB only if the text ends there: otherwise it may belong to a CR LF.
        if last == 0x0d, end == text.byteRange.upperBound { counts.cr += 1 }
        return counts
    }
}

/// The text of a file, with what is needed to write it back unchanged.
public struct TextFile: Sendable {
    /// The path from which the file was read, as passed by the caller.
    public var path: FilePath
    /// The text, without the byte order mark. Invalid bytes are kept.
    public var text: Rope
    /// The format for writing the text back.
    public var format: TextFileFormat
    /// The identity of the file when it was read.
    public var identity: FileIdentity
    /// Whether the file is more likely a program or a picture than text. If so, ask the user before showing it.
    public var looksBinary: Bool
    /// Whether the encoding was guessed without evidence. If so, report the encoding to the user, who may know
    /// better.
    public var isEncodingGuessed = false
    /// Whether writing the text back produces the same bytes. Always true for UTF-8.
    public var isLossless = true

    /// The kind of line end to use for typed line ends.
    public var newline: Newline { Newline(commonestIn: text) }

    /// Whether the first 64 KB of the text contain more than one kind of line end.
    public var hasMixedNewlines: Bool { Newline.areMixed(in: text) }

    /// The invalid bytes of the text; nil if there are none.
    public var invalidBytes: InvalidBytes? { InvalidBytes(in: text) }
}

/// The bytes of a text that are invalid in its encoding. They are shown as U+FFFD, and saved unchanged.
public struct InvalidBytes: Hashable, Sendable, CustomStringConvertible {
    /// The number of invalid sequences, each of which is shown as one U+FFFD.
    public var count: Int
    /// The start of the first invalid sequence, in bytes of the text.
    public var firstOffset: ByteOffset
    /// The line of the first invalid sequence, counted from 1.
    public var firstLine: Int

    /// A localized sentence about the invalid bytes, for the user.
    public var description: String {
        localized(
            count, one: "Invalid bytes in line \(firstLine). They are kept.",
            other: "Invalid bytes in \(count) places, the first in line \(firstLine). They are kept.")
    }
}

extension InvalidBytes {
    /// Creates the value for the invalid bytes of a text; nil if there are none.
    public init?(in text: Rope) {
        guard let first = text.firstInvalidPart() else { return nil }
        self.init(
            count: text.metrics.invalidParts, firstOffset: first.lowerBound,
            firstLine: text.paragraphIndex(at: first.lowerBound).value + 1)
    }
}
