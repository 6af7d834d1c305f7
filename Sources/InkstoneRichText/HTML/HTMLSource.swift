import InkstoneBase
import InkstoneUnicode

/// Preparation of the bytes of an HTML document: conversion to UTF-8 that libxml2 parses in linear time.
enum HTMLSource {
    /// Decodes a document, and removes parts that must not be parsed; nil if the document exceeds the limits.
    /// `hadHeader` is whether it had the header of the Windows clipboard format `HTML Format`.
    static func prepare(_ bytes: [UInt8]) -> (text: [UInt8], hadHeader: Bool)? {
        var text = decode(bytes)
        text.removeAll { $0 == 0 }
        let hadHeader = removeHeaders(&text)
        removeConditions(&text)
        return isWithinLimits(text) ? (text, hadHeader) : nil
    }

    // MARK: Encodings

    /// Converts a document to UTF-8. The encoding is that of its byte order mark; little-endian UTF-16 if every
    /// second of the first 64 bytes is 0; UTF-8 if the bytes are valid; else the declared encoding, or
    /// windows-1252.
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

    /// Returns the encoding given after `charset=` near the start of a document; UTF-8 if that is UTF-16 or UTF-32.
    /// Nil if there is none, or if it is unknown.
    private static func declaredEncoding(_ bytes: [UInt8]) -> TextEncoding? {
        let start = String(decoding: bytes.prefix(4096), as: UTF8.self).lowercased()
        guard let equals = start.firstRange(of: "charset=")?.upperBound else { return nil }
        let label = start[equals...].drop { $0 == "\"" || $0 == "'" }.prefix { !"\"' />;".contains($0) }
        let encoding = TextEncoding(named: String(label.prefix(40)))
        // If the declaration can be read as ASCII, the document is not UTF-16, whatever it says (WHATWG HTML
        // §13.2.3.2).
        let isWide = encoding?.withByteOrder(of: UnsafeRawBufferPointer(start: nil, count: 0)).codeUnit != nil
        return isWide ? .utf8 : encoding
    }

    // MARK: Removing headers and conditions

    /// Removes the header lines of the Windows clipboard format `HTML Format`; returns false if there are none.
    private static func removeHeaders(_ text: inout [UInt8]) -> Bool {
        guard text.starts(with: "Version:".utf8), let page = text.prefix(1024).firstIndex(of: UInt8(ascii: "<")) else {
            return false
        }
        text.removeSubrange(..<page)
        return true
    }

    /// Removes `<![if …]>`, which libxml2 would treat as text. Does not change comments, even those that begin or
    /// end with such a condition.
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

    // MARK: Limits of the parser's time

    /// Returns the number of searches that libxml2 makes through all open elements: one for each end tag and each
    /// `body` tag. The number may be too high, because tags within quotation marks, comments and scripts are
    /// counted too.
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

    /// The maximum number of tags. A document with more is rejected.
    static let tagLimit = 1_000_000
    /// The maximum number of attributes of a tag. A document with a tag that has more is rejected.
    private static let attributeLimit = 500
    /// The maximum number of comparisons of attributes that libxml2 would make: it compares each attribute of a tag
    /// with those before it. A document that needs more is rejected.
    private static let comparisonLimit = 100_000_000

    private static func isWithinLimits(_ text: [UInt8]) -> Bool {
        text.withUnsafeBufferPointer { text in
            var rest = HTMLTagRest()
            var (tags, comparisons) = (0, 0)
            for at in text.indices.reversed() {
                let byte = text[at]
                if byte == UInt8(ascii: "<"), at + 1 < text.count, isTagStart(text[at + 1]) {
                    let attributes = text[at + 1] == UInt8(ascii: "/") ? 0 : rest.attributesOfTag
                    tags += 1
                    comparisons += attributes * attributes
                    if tags > tagLimit || attributes > attributeLimit || comparisons > comparisonLimit { return false }
                }
                rest.goBack(over: byte, next: at + 1 < text.count ? text[at + 1] : 0)
            }
            return true
        }
    }

    private static func isTagStart(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) || byte == 0x2f }
}

/// The number of attributes that libxml2 before 2.14 would find between a position and the end of the tag. There is
/// one number for each state that the parser may be in at that position.
///
/// The document is scanned from its end to its start. So every position at which a tag could begin is counted, even
/// within a comment, script or quoted value, because the parser may take it for a tag.
private struct HTMLTagRest {
    // The numbers of attributes for each state of the parser, in 64ths of an attribute. The length of a name counts
    // too, because the parser splits a name of more than 100 bytes into several attributes.
    private var (tagName, between, junk, name, afterName, value, unquoted) = (0, 0, 0, 0, 0, 0, 0)
    private var (singleQuoted, doubleQuoted) = (0, 0)

    /// The number of attributes of a tag whose name begins at the present position.
    var attributesOfTag: Int { tagName / 64 }

    /// Moves the position back over a byte.
    ///
    /// - Parameter next: the byte after it; 0 at the end.
    mutating func goBack(over byte: UInt8, next: UInt8) {
        let behind = self
        /// Sets the counts for a byte that is not part of an attribute: the parser skips to the next blank.
        func skip() {
            (tagName, between, junk) = (behind.junk, behind.junk, behind.junk)
            (name, afterName) = (behind.junk, behind.junk)
            (value, unquoted) = (behind.unquoted, behind.unquoted)
        }
        switch byte {
        case 0...0x20:
            (tagName, between, junk, unquoted) = (behind.between, behind.between, behind.between, behind.between)
            (name, afterName) = (behind.afterName, behind.afterName)
        case UInt8(ascii: ">"):
            (tagName, between, junk, name, afterName, value, unquoted) = (0, 0, 0, 0, 0, 0, 0)
        case UInt8(ascii: "\""):
            skip()
            (value, doubleQuoted) = (behind.doubleQuoted, behind.between)
        case UInt8(ascii: "'"):
            skip()
            (value, singleQuoted) = (behind.singleQuoted, behind.between)
        case UInt8(ascii: "="):
            skip()
            (name, afterName) = (behind.value, behind.value)
        case UInt8(ascii: "/"):
            skip()
            if next == UInt8(ascii: ">") { (tagName, between, junk, name, afterName) = (0, 0, 0, 0, 0) }
        case 0x30...0x39, UInt8(ascii: "-"):
            skip()
            (tagName, name) = (behind.tagName, behind.name + 1)
        case 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "."):
            skip()
            (tagName, name) = (behind.tagName, behind.name + 1)
            (between, afterName) = (behind.name + 64, behind.name + 64)
        default: skip()
        }
    }
}

extension Collection where Element == UInt8 {
    /// Decodes the bytes; invalid ones become U+FFFD.
    func decoded(as encoding: TextEncoding) -> String { decoded(by: TextConverter(encoding)) }

    /// Decodes the bytes with a converter, which is reset before and after; invalid bytes become U+FFFD.
    func decoded(by converter: TextConverter) -> String {
        var units: [UInt16] = []
        Array(self).withUnsafeBytes { bytes in
            converter.decode(
                bytes, isLast: true, text: { units.append(contentsOf: $0) }, invalid: { _ in units.append(0xfffd) })
        }
        return String(decoding: units, as: UTF16.self)
    }
}
