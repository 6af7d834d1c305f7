import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneWords

/// How a file's text is written: its encoding, and whether a byte order mark stands first.
public struct TextFileFormat: Hashable, Sendable, CustomStringConvertible {
    /// The encoding of the file.
    public var encoding: TextEncoding
    /// Whether the file starts with the encoding's byte order mark, which is no part of the text.
    public var hasByteOrderMark: Bool

    /// A format by its parts.
    public init(encoding: TextEncoding = .utf8, hasByteOrderMark: Bool = false) {
        self.encoding = encoding
        self.hasByteOrderMark = hasByteOrderMark
    }

    /// The encoding, and whether a mark stands first, for a person.
    public var description: String {
        hasByteOrderMark ? localized("\(encoding.description) with BOM") : encoding.description
    }

    /// UTF-8 without a mark.
    public static let utf8 = TextFileFormat()
}

/// The newlines that a file is written with, to type the same ones.
public enum Newline: String, Hashable, Sendable {
    /// Unix.
    case lf = "\n"
    /// Windows.
    case crlf = "\r\n"
    /// Old Macintosh.
    case cr = "\r"

    /// The kind that is commonest in the first 64 KB of a text; LF if there is none.
    public init(commonestIn text: Rope) {
        let counts = Self.counts(in: text)
        self = counts.crlf > counts.lf && counts.crlf >= counts.cr ? .crlf : counts.cr > counts.lf ? .cr : .lf
    }

    /// Whether there is more than one kind in the first 64 KB of a text.
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
        // The newline may be cut in two there.
        if last == 0x0d, end == text.byteRange.upperBound { counts.cr += 1 }
        return counts
    }
}

/// A file's text as it was read, with what is needed to write it back as it was.
public struct TextFile: Sendable {
    /// Where it was read from, as given.
    public var path: FilePath
    /// The text, without byte order mark; bytes that are not valid are in it as they are.
    public var text: Rope
    /// How it is to be written back.
    public var format: TextFileFormat
    /// What the file was when it was read.
    public var identity: FileIdentity
    /// Whether it is more likely a program or a picture than text: ask before showing it.
    public var looksBinary: Bool
    /// Whether nothing told its encoding, and it was guessed at: to be said to the user, who may know better.
    public var isEncodingGuessed = false
    /// Whether writing the text back gives the same bytes: always so for UTF-8.
    public var isLossless = true

    /// The newlines to type into it.
    public var newline: Newline { Newline(commonestIn: text) }

    /// Whether its first lines end in several ways.
    public var hasMixedNewlines: Bool { Newline.areMixed(in: text) }

    /// What to say about bytes that are not valid: how many parts, and the first one's line from 1 and byte from 0.
    /// Nil if there are none.
    public var invalidBytes: InvalidBytes? { InvalidBytes(in: text) }
}

/// Bytes of a text that are not valid in its encoding. They are shown as U+FFFD and saved unchanged.
public struct InvalidBytes: Hashable, Sendable, CustomStringConvertible {
    /// Number of maximal parts.
    public var count: Int
    /// Where the first one starts, in bytes of the text.
    public var firstOffset: ByteOffset
    /// The line that the first one is in, counted from 1.
    public var firstLine: Int

    /// One sentence for a person.
    public var description: String {
        localized(
            count, one: "Invalid bytes in line \(firstLine). They are kept.",
            other: "Invalid bytes in \(count) places, the first in line \(firstLine). They are kept.")
    }
}

extension InvalidBytes {
    /// The bytes of a text that are not valid; nil if there are none. Looks through it for the first.
    public init?(in text: Rope) {
        guard let first = text.firstInvalidPart() else { return nil }
        self.init(
            count: text.metrics.invalidParts, firstOffset: first.lowerBound,
            firstLine: text.paragraphIndex(at: first.lowerBound).value + 1)
    }
}
