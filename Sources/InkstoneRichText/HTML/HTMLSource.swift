import InkstoneBase
import InkstoneUnicode

/// The bytes of a document of HTML as UTF-8 that libxml2 reads in linear time.
enum HTMLSource {
    /// Decodes a document and removes what no reader needs; nil for one beyond the limits.
    static func prepare(_ bytes: [UInt8]) -> [UInt8]? {
        var text = decode(bytes)
        text.removeAll { $0 == 0 }
        removeHeaders(&text)
        removeConditions(&text)
        return isWithinLimits(text) ? text : nil
    }

    // MARK: Encodings

    /// The document in UTF-8: by its mark, by the NULs of UTF-16, as UTF-8 if it is that, by what it says, or as windows-1252.
    private static func decode(_ bytes: [UInt8]) -> [UInt8] {
        let marked = bytes.withUnsafeBytes { TextEncoding.marked(by: $0) }
        if let marked { return decode(Array(bytes.dropFirst(marked.byteOrderMark.count)), marked) }
        let start = bytes.prefix(64)
        if start.count >= 2, start.indices.allSatisfy({ $0 % 2 == 0 || start[$0] == 0 }) {
            return decode(bytes, .utf16LittleEndian)
        }
        if isUTF8(bytes) { return bytes }
        return decode(bytes, declaredEncoding(bytes) ?? TextEncoding(named: "windows-1252") ?? .utf8)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
    }

    private static func decode(_ bytes: [UInt8], _ encoding: TextEncoding) -> [UInt8] {
        if encoding == .utf8 { return Array(String(decoding: bytes, as: UTF8.self).utf8) }
        return Array(bytes.decoded(as: encoding).utf8)
    }

    /// The encoding after `charset=` near the start.
    private static func declaredEncoding(_ bytes: [UInt8]) -> TextEncoding? {
        let start = String(decoding: bytes.prefix(4096), as: UTF8.self).lowercased()
        guard let equals = start.firstRange(of: "charset=")?.upperBound else { return nil }
        let label = start[equals...].drop { $0 == "\"" || $0 == "'" }.prefix { !"\"' />;".contains($0) }
        let encoding = TextEncoding(named: String(label.prefix(40)))
        // A document whose label could be read is none of UTF-16 (WHATWG HTML §13.2.3).
        return encoding?.codeUnit == nil ? encoding : nil
    }

    // MARK: Removing

    /// Removes the lines before the page in what Windows calls `HTML Format`.
    private static func removeHeaders(_ text: inout [UInt8]) {
        guard text.starts(with: "Version:".utf8), let page = text.prefix(1024).firstIndex(of: UInt8(ascii: "<")) else {
            return
        }
        text.removeSubrange(..<page)
    }

    /// Removes `<![if …]>`, which libxml2 takes for text. Comments are left alone, also those that begin or end with such a condition.
    private static func removeConditions(_ text: inout [UInt8]) {
        var result: [UInt8] = []
        var copied = 0
        var at = 0
        while let found = find("<!", in: text, from: at) {
            if text[(found + 2)...].starts(with: "--".utf8) {
                guard let end = find("-->", in: text, from: found + 4) else { break }
                at = end + 3
                continue
            }
            guard let end = find(">", in: text, from: found) else { break }
            at = end + 1
            if text[found + 2] != UInt8(ascii: "[") || text[end - 1] != UInt8(ascii: "]") { continue }
            result += text[copied..<found]
            copied = at
        }
        if copied == 0 { return }
        text = result + text[copied...]
    }

    private static func find(_ pattern: StaticString, in text: [UInt8], from start: Int) -> Int? {
        let count = pattern.utf8CodeUnitCount
        return pattern.withUTF8Buffer { pattern in
            text.withUnsafeBufferPointer { text in
                var at = start
                while at + count <= text.count {
                    if text[at] == pattern[0], (1..<count).allSatisfy({ text[at + $0] == pattern[$0] }) { return at }
                    at += 1
                }
                return nil
            }
        }
    }

    // MARK: Limits

    /// Ends of tags, and starts of `body`, for each of which libxml2 looks through all open elements. None is missed: what stands in quotes,
    /// comments and scripts counts too.
    static func stackSearches(in text: [UInt8]) -> Int {
        text.withUnsafeBufferPointer { text in
            var count = 0
            for at in text.indices.dropLast() where text[at] == UInt8(ascii: "<") {
                if text[at + 1] == UInt8(ascii: "/") || text[at + 1] | 0x20 == UInt8(ascii: "b") && isBody(text, at + 2)
                {
                    count += 1
                }
            }
            return count
        }
    }

    private static func isBody(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
        at < text.count && text[at] | 0x20 == UInt8(ascii: "o")
    }

    static let tagLimit = 1_000_000
    /// Blanks, equals signs and closing quotes: three for an attribute as it is written by all programs.
    private static let separatorLimit = 1500
    /// libxml2 compares each attribute of a tag with those before it.
    private static let comparisonLimit = 100_000_000

    private static func isWithinLimits(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { text in
            var (tags, comparisons, at) = (0, 0, 0)
            while at < text.count {
                guard text[at] == UInt8(ascii: "<"), at + 1 < text.count, isTagStart(text[at + 1]) else {
                    at += 1
                    continue
                }
                tags += 1
                var separators = 0
                at = endOfTag(in: text, from: at + 1, &separators)
                comparisons += separators * separators
                if tags > tagLimit || separators > separatorLimit || comparisons > comparisonLimit { return false }
            }
            return true
        }
    }

    private static func isTagStart(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) || byte == 0x2f }

    /// The position behind a tag, or of the byte that is one separator too many.
    private static func endOfTag(in text: UnsafeBufferPointer<UInt8>, from start: Int, _ separators: inout Int) -> Int {
        var quote: UInt8 = 0
        var wasBlank = false
        for at in start..<text.count {
            let byte = text[at]
            if quote != 0 {
                if byte == quote {
                    quote = 0
                    separators += 1
                }
                continue
            }
            let isBlank = byte <= 0x20
            switch byte {
            case UInt8(ascii: ">"): return at + 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "="), UInt8(ascii: "/"): separators += 1
            default: if isBlank, !wasBlank { separators += 1 }
            }
            wasBlank = isBlank
            if separators > separatorLimit { return at }
        }
        return text.count
    }
}

extension Collection where Element == UInt8 {
    /// The bytes as text; U+FFFD for what is none.
    func decoded(as encoding: TextEncoding) -> String {
        var units: [UInt16] = []
        Array(self).withUnsafeBytes { bytes in
            TextConverter(encoding).decode(
                bytes, isLast: true, text: { units.append(contentsOf: $0) }, invalid: { _ in units.append(0xfffd) })
        }
        return String(decoding: units, as: UTF16.self)
    }
}
