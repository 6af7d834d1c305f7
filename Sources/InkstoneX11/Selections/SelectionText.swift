import CX11
import Glibc

/// Conversion of text from and to the encodings of selections (ICCCM §2.6.2).
enum SelectionText {
    /// Returns the text targets to request from an owner, best first. Only UTF8_STRING is reliable in every
    /// program.
    static func preferredTargets(_ atoms: Atoms) -> [Atom] {
        [
            atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["COMPOUND_TEXT"], atoms["TEXT"],
            PredefinedAtom.string, atoms["text/plain"],
        ]
    }

    /// Returns the targets as which text is offered.
    static func offeredTargets(_ atoms: Atoms) -> [Atom] {
        [
            atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["text/plain"], PredefinedAtom.string,
            atoms["TEXT"], atoms["COMPOUND_TEXT"],
        ]
    }

    /// Returns the offered targets for which text must be converted.
    static func encodedTargets(_ atoms: Atoms) -> [Atom] {
        [PredefinedAtom.string, atoms["TEXT"], atoms["COMPOUND_TEXT"]]
    }

    /// The greatest length, in bytes, of text that is converted to COMPOUND_TEXT; a request for longer text in it is
    /// refused. Also the greatest length of COMPOUND_TEXT that is decoded, unless it is just Latin-1. Xlib takes 45 to
    /// 90 ms for a megabyte, during which the window does not respond.
    static let longestCompound = 1 << 20
    /// The greatest length, in bytes, of text that is converted to Latin-1; a request for longer text in it is refused.
    /// The conversion takes 2 to 3 ms for a megabyte.
    static let longestLatin1 = 8 << 20

    /// Converts UTF-8 to the bytes and type for a target. Nil if the target is no text target, if the text is too
    /// long for it, or if Xlib cannot convert the text. For STRING, characters outside Latin-1 become `?`. O(n) for the
    /// targets that ``encodedTargets(_:)`` returns, O(1) for the others.
    static func encode(
        _ text: PasteboardItem.Bytes, as target: Atom, _ display: Display
    ) -> (bytes: PasteboardItem.Bytes, type: Atom)? {
        let atoms = display.atoms
        switch target {
        case atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["text/plain"]:
            return (text, target)
        case PredefinedAtom.string:
            guard text.count <= longestLatin1 else { return nil }
            return (.init(latin1(text.all, replacing: true) ?? []), PredefinedAtom.string)
        case atoms["TEXT"]:
            guard text.count <= longestLatin1 else { return nil }
            let bytes = text.all
            if let simple = latin1(bytes, replacing: false) { return (.init(simple), PredefinedAtom.string) }
            return compound(bytes, display)
        case atoms["COMPOUND_TEXT"]:
            return text.count <= longestCompound ? compound(text.all, display) : nil
        default:
            return nil
        }
    }

    /// The encoding and the form of line ends of received text, as its type indicates.
    enum Kind: Hashable, Sendable {
        /// UTF-8 with line ends of LF.
        case utf8
        /// UTF-8 in which some programs write line ends as CR LF.
        case mimeUTF8
        /// Latin-1, or UTF-8 from programs that mislabel it.
        case eightBit
        /// Latin-1 or UTF-8 in which some programs write line ends as CR LF.
        case mimeEightBit
        /// COMPOUND_TEXT that is too long to be decoded, unless it is just Latin-1.
        case longCompound
    }

    /// Returns the kind of received text, by its type and length. Nil for COMPOUND_TEXT that is not too long, which
    /// ``fromCompound(_:_:)`` decodes with the display.
    static func kind(of type: Atom, count: Int, _ atoms: Atoms) -> Kind? {
        switch type {
        case atoms["COMPOUND_TEXT"]: count > longestCompound ? .longCompound : nil
        case PredefinedAtom.string: .eightBit
        case atoms["text/plain"]: .mimeEightBit
        case atoms["text/plain;charset=utf-8"]: .mimeUTF8
        default: .utf8
        }
    }

    /// A decoded text, with the number of invalid sequences.
    struct Decoded: Hashable, Sendable {
        var text: String
        /// The number of invalid byte sequences that were replaced by U+FFFD.
        var replaced = 0

        /// Creates a text from UTF-8, with invalid sequences replaced by U+FFFD.
        init(repairing bytes: some RandomAccessCollection<UInt8>) {
            if let valid = String(validating: bytes, as: UTF8.self) {
                text = valid
                return
            }
            text = String(decoding: bytes, as: UTF8.self)
            // Do not count characters U+FFFD that the sender's text itself contains.
            let own = zip(bytes, zip(bytes.dropFirst(), bytes.dropFirst(2))).count { $0 == 0xef && $1 == (0xbf, 0xbd) }
            replaced = text.unicodeScalars.count { $0 == "\u{fffd}" } - own
        }

        init(_ text: String, replaced: Int = 0) { (self.text, self.replaced) = (text, replaced) }

        /// Whether this decoding of a selection is better than another one, which has invalid sequences. It is not
        /// better if it is empty, or if it has `?` for the characters that its encoding lacks. Nor is it better if
        /// the owner has sent the same bytes as Latin-1, in which every byte is valid.
        func isBetter(than other: Decoded) -> Bool {
            func questions(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "?") } }
            return replaced < other.replaced && !text.isEmpty && questions(text) <= questions(other.text)
                && text.unicodeScalars.count <= other.text.unicodeScalars.count
        }
    }

    /// Decodes received bytes. NULs at the end are dropped. NULs within the text separate the texts of a list (ICCCM
    /// §2.7.1), and become line ends. In text of a MIME type, CR LF become LF if the text has no other line ends.
    /// Invalid sequences are replaced. Fails for COMPOUND_TEXT that is too long to be converted, unless it is all
    /// Latin-1. O(n).
    static func decode(_ bytes: [UInt8], as kind: Kind) -> Result<Decoded, Clipboard.Failure> {
        let content = separatingLines(withoutTerminators(bytes))
        var decoded: Decoded
        switch kind {
        case .longCompound:
            return isLatin1(content) ? .success(Decoded(fromLatin1(content))) : .failure(.tooLongForEncoding)
        case .eightBit, .mimeEightBit:
            decoded = Decoded(String(validating: content, as: UTF8.self) ?? fromLatin1(content))
        case .utf8, .mimeUTF8: decoded = Decoded(repairing: content)
        }
        if kind == .mimeUTF8 || kind == .mimeEightBit, hasOnlyPairs(content) {
            decoded.text = String(decoding: decoded.text.utf8.filter { $0 != 0x0d }, as: UTF8.self)
        }
        return .success(decoded)
    }

    /// Returns the targets to request if an owner's UTF-8 is invalid. Some owners provide valid text in another
    /// encoding.
    static func targetsBesideUTF8(_ atoms: Atoms) -> [Atom] { [atoms["COMPOUND_TEXT"], PredefinedAtom.string] }

    /// Decodes COMPOUND_TEXT. Slow for long text.
    static func fromCompound(_ bytes: [UInt8], _ display: Display) -> Decoded {
        let content = withoutTerminators(bytes)
        return isLatin1(content)
            ? Decoded(fromLatin1(separatingLines(content))) : convertCompound(Array(content), display)
    }

    /// Whether COMPOUND_TEXT is just Latin-1. This is so unless an escape sequence changes the encoding (X11's
    /// Compound Text Encoding §3).
    private static func isLatin1(_ bytes: ArraySlice<UInt8>) -> Bool { !bytes.contains { $0 == 0x1b || $0 == 0x9b } }

    private static func fromLatin1(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func withoutTerminators(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[..<((bytes.lastIndex { $0 != 0 } ?? -1) + 1)]
    }

    private static func separatingLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.contains(0) ? bytes.map { $0 == 0 ? 0x0a : $0 }[...] : bytes
    }

    /// Whether all line ends are CR LF, and there are any. If so, the sender has converted its line ends, and the CRs
    /// are not part of the text.
    private static func hasOnlyPairs(_ bytes: ArraySlice<UInt8>) -> Bool {
        var pairs = 0
        var wasReturn = false
        for byte in bytes {
            if (byte == 0x0a) != wasReturn { return false }
            if byte == 0x0a { pairs += 1 }
            wasReturn = byte == 0x0d
        }
        return pairs > 0 && !wasReturn
    }

    /// Converts UTF-8 to Latin-1.
    ///
    /// - Parameter replacing: whether characters that are not in Latin-1 become `?`. If false, the result is nil if
    ///   there are any.
    static func latin1(_ text: [UInt8], replacing: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x100 {
                bytes.append(UInt8(scalar.value))
            } else if replacing {
                bytes.append(UInt8(ascii: "?"))
            } else {
                return nil
            }
        }
        return bytes
    }

    private static func compound(_ text: [UInt8], _ display: Display) -> (bytes: PasteboardItem.Bytes, type: Atom)? {
        guard text.count <= longestCompound else { return nil }
        // Pass the parts between NULs as a list, as the parts of COMPOUND_TEXT are separated: a C string would end at
        // the first NUL.
        let parts = text.split(separator: 0, omittingEmptySubsequences: false)
        var list = parts.map { strdup(String(decoding: $0, as: UTF8.self)) }
        defer { for part in list { free(part) } }
        var property = XTextProperty()
        let status = list.withUnsafeMutableBufferPointer {
            Xutf8TextListToTextProperty(
                display.connection, $0.baseAddress, Int32($0.count), XCompoundTextStyle, &property)
        }
        guard status >= 0, let value = property.value else { return nil }
        defer { XFree(value) }
        return (.init(Array(UnsafeBufferPointer(start: value, count: Int(property.nitems)))), property.encoding)
    }

    private static func convertCompound(_ bytes: [UInt8], _ display: Display) -> Decoded {
        var bytes = bytes + [0]
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        var count: Int32 = 0
        let status = bytes.withUnsafeMutableBufferPointer { buffer in
            var property = XTextProperty(
                value: buffer.baseAddress, encoding: display.atoms["COMPOUND_TEXT"], format: 8,
                nitems: UInt(buffer.count - 1))
            return Xutf8TextPropertyToTextList(display.connection, &property, &list, &count)
        }
        guard status >= 0, let list else { return Decoded(repairing: bytes.dropLast()) }
        defer { XFreeStringList(list) }
        // The status of the conversion is the number of characters that Xlib could not convert.
        return Decoded(
            (0..<Int(count)).compactMap { list[$0].map { String(cString: $0) } }.joined(separator: "\n"),
            replaced: Int(status))
    }
}
