import CUnicode
import InkstoneBase

/// A character encoding: one of the WHATWG Encoding Standard, or another of ICU's.
public struct TextEncoding: Hashable, Sendable, CustomStringConvertible {
    /// ICU's name of the converter, such as `UTF-8` or `ibm-943_P15A-2003` (Shift_JIS).
    public let icuName: String
    /// The standard's name, such as `Shift_JIS`; for other encodings, the name that was passed to ``init(named:)``.
    public let name: String

    private init(icuName: String, name: String) {
        self.icuName = icuName
        self.name = name
    }

    /// Creates the encoding with a label, in any case and with blanks around it; nil if there is none.
    ///
    /// Labels mean the same as on the web, where `ISO-8859-1` is windows-1252, `GB2312` is GBK and `EUC-KR` is
    /// windows-949 (WHATWG Encoding Standard §4.2). Labels that are not in the standard are ICU's names. `UTF-16`
    /// leaves the byte order open: see ``withByteOrder(of:)``.
    public init?(named name: String) {
        let blanks: Set<Character> = [" ", "\t", "\n", "\r", "\r\n", "\u{c}"]
        let name = String(name.drop { blanks.contains($0) }.reversed().drop { blanks.contains($0) }.reversed())
        let standard = EncodingLabels.find(name)
        // Refuse a name with a comma: ICU would read only the part before the comma. Refuse an empty name too: ICU
        // reads it as the system's own encoding.
        guard standard != nil || !name.isEmpty && !name.contains(","),
            let converter = TextConverter(name: standard?.converter ?? name)
        else { return nil }
        self.init(icuName: converter.icuName, name: standard?.name ?? name)
    }

    /// The encodings of the WHATWG Encoding Standard, in its order.
    public static let standard: [TextEncoding] = EncodingLabels.all.compactMap { TextEncoding(named: $0.name) }

    /// Returns the encodings of the standard that have a label which contains a text. ASCII case is ignored. An
    /// encoding with exactly that label comes first, the others in the standard's order. An empty text matches all
    /// encodings.
    public static func standard(matching text: String) -> [TextEncoding] {
        let exact = EncodingLabels.find(text)?.name
        let names = EncodingLabels.all.filter { $0.name == exact || $0.hasLabel(containing: text) }.map(\.name)
        return ((exact.map { [$0] } ?? []) + names.filter { $0 != exact }).compactMap(TextEncoding.init(named:))
    }

    /// Every encoding of ICU's, once each, by ICU's own names: about 230. Opens the converter of each, to check that
    /// it can be opened.
    public static var all: [TextEncoding] {
        var known: Set<TextEncoding> = []
        return (0..<cunicode_converter_available_count()).compactMap { index in
            guard let name = cunicode_converter_available_name(index),
                let converter = TextConverter(name: String(cString: name))
            else { return nil }
            let encoding = TextEncoding(icuName: converter.icuName, name: converter.icuName)
            return known.insert(encoding).inserted ? encoding : nil
        }
    }

    /// UTF-8, the encoding of texts in memory.
    public static let utf8 = TextEncoding(icuName: "UTF-8", name: "UTF-8")
    /// UTF-16, low byte first.
    public static let utf16LittleEndian = TextEncoding(icuName: "UTF-16LE", name: "UTF-16LE")
    /// UTF-16, high byte first.
    public static let utf16BigEndian = TextEncoding(icuName: "UTF-16BE", name: "UTF-16BE")
    /// UTF-32, low byte first.
    public static let utf32LittleEndian = TextEncoding(icuName: "UTF-32LE", name: "UTF-32LE")
    /// UTF-32, high byte first.
    public static let utf32BigEndian = TextEncoding(icuName: "UTF-32BE", name: "UTF-32BE")

    /// Whether both encodings use the same converter of ICU's.
    public static func == (a: Self, b: Self) -> Bool { a.icuName == b.icuName }

    /// Hashes the name of the converter.
    public func hash(into hasher: inout Hasher) { hasher.combine(icuName) }

    /// The name of the encoding.
    public var description: String { name }

    /// The byte order mark of UTF-8, or of UTF-16 or UTF-32 with a definite byte order; empty for all other
    /// encodings.
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

    /// The width and byte order of a code unit of UTF-16 or UTF-32; nil for all other encodings, and if the byte
    /// order is left open.
    package var codeUnit: CodeUnit? {
        switch icuName {
        case "UTF-16LE": CodeUnit(width: 2, isBigEndian: false)
        case "UTF-16BE": CodeUnit(width: 2, isBigEndian: true)
        case "UTF-32LE": CodeUnit(width: 4, isBigEndian: false)
        case "UTF-32BE": CodeUnit(width: 4, isBigEndian: true)
        default: nil
        }
    }

    /// Returns the encoding with a definite byte order, found in the first bytes of a text, if this is UTF-16 or
    /// UTF-32 with the order left open. Returns other encodings unchanged.
    ///
    /// A byte order mark decides. Without one, UTF-16 is decided by the zero bytes, most of which are the high
    /// bytes of ASCII characters. If they do not decide, the low byte comes first (WHATWG Encoding Standard §4.2).
    /// UTF-32 without a mark has the high byte first.
    public func withByteOrder(of start: UnsafeRawBufferPointer) -> TextEncoding {
        let candidates: [TextEncoding]
        switch icuName {
        case "UTF-16": candidates = [.utf16LittleEndian, .utf16BigEndian]
        case "UTF-32": candidates = [.utf32BigEndian, .utf32LittleEndian]
        default: return self
        }
        if let marked = candidates.first(where: { start.starts(with: $0.byteOrderMark) }) { return marked }
        guard icuName == "UTF-16" else { return candidates[0] }
        var zeros = (even: 0, odd: 0)
        for (index, byte) in start.prefix(4096).enumerated() where byte == 0 {
            if index % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
        }
        return candidates[zeros.even > zeros.odd ? 1 : 0]
    }

    /// Returns the encoding that the byte order mark at the start of a text indicates; nil without a mark.
    public static func marked(by start: UnsafeRawBufferPointer) -> TextEncoding? {
        // Check UTF-32 before UTF-16, because UTF-32's little-endian mark begins with UTF-16's.
        [utf8, utf32LittleEndian, utf32BigEndian, utf16LittleEndian, utf16BigEndian].first {
            start.starts(with: $0.byteOrderMark)
        }
    }
}

/// The byte layout of a code unit of UTF-16 or UTF-32.
package struct CodeUnit: Hashable, Sendable {
    /// Number of bytes of a unit: 2 or 4.
    package var width: Int
    /// Whether the high byte comes first.
    package var isBigEndian: Bool

    /// Returns the number that the bytes of a unit encode; nil unless there are ``width`` of them.
    package func value(of bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count == width else { return nil }
        return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the bytes of a unit that encode a number.
    package func bytes(of value: UInt32) -> [UInt8] {
        let littleEndian = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        return isBigEndian ? littleEndian.reversed() : littleEndian
    }
}
