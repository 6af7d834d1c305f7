import CUnicode
import InkstoneBase

/// A character encoding, by the name ICU gives it.
public struct TextEncoding: Hashable, Sendable, CustomStringConvertible {
    /// ICU's own name, such as `UTF-8`, `ibm-943_P15A-2003` (Shift_JIS) or `ISO-8859-1`.
    public let icuName: String
    /// The name it was asked for by.
    public let name: String

    private init(icuName: String, name: String) {
        self.icuName = icuName
        self.name = name
    }

    /// The encoding with a name or alias that ICU knows, upper or lower case; nil if it knows none.
    public init?(named name: String) {
        guard let converter = TextConverter(name: name) else { return nil }
        self.init(icuName: converter.icuName, name: name)
    }

    /// UTF-8, which texts are kept in.
    public static let utf8 = TextEncoding(icuName: "UTF-8", name: "UTF-8")
    /// UTF-16, low byte first.
    public static let utf16LittleEndian = TextEncoding(icuName: "UTF-16LE", name: "UTF-16LE")
    /// UTF-16, high byte first.
    public static let utf16BigEndian = TextEncoding(icuName: "UTF-16BE", name: "UTF-16BE")
    /// UTF-32, low byte first.
    public static let utf32LittleEndian = TextEncoding(icuName: "UTF-32LE", name: "UTF-32LE")
    /// UTF-32, high byte first.
    public static let utf32BigEndian = TextEncoding(icuName: "UTF-32BE", name: "UTF-32BE")

    /// Two encodings are equal if ICU takes them for the same.
    public static func == (a: Self, b: Self) -> Bool { a.icuName == b.icuName }

    /// Hashes what equality looks at.
    public func hash(into hasher: inout Hasher) { hasher.combine(icuName) }

    /// The name it was asked for by.
    public var description: String { name }

    /// The bytes that mark a text of this encoding at its start; empty for encodings that have no such mark.
    public var byteOrderMark: [UInt8] {
        switch icuName {
        case "UTF-8": [0xef, 0xbb, 0xbf]
        case "UTF-16LE": [0xff, 0xfe]
        case "UTF-16BE": [0xfe, 0xff]
        case "UTF-32LE": [0xff, 0xfe, 0, 0]
        case "UTF-32BE": [0, 0, 0xfe, 0xff]
        default: []
        }
    }

    /// The encoding that a text's first bytes mark it with; nil if they do not.
    public static func marked(by start: UnsafeRawBufferPointer) -> TextEncoding? {
        // UTF-32's mark starts with UTF-16's.
        [utf8, utf32LittleEndian, utf32BigEndian, utf16LittleEndian, utf16BigEndian].first {
            start.starts(with: $0.byteOrderMark)
        }
    }
}
