import CX11
import Glibc

/// Text in the encodings of selections (ICCCM §2.6.2).
enum SelectionText {
    /// The targets to ask an owner for, best first.
    static func preferredTargets(_ atoms: Atoms) -> [Atom] {
        [
            atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["COMPOUND_TEXT"], Atom(31), atoms["TEXT"],
            atoms["text/plain"],
        ]
    }

    /// The targets that text is offered as.
    static func offeredTargets(_ atoms: Atoms) -> [Atom] {
        [
            atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["text/plain"], Atom(31), atoms["TEXT"],
            atoms["COMPOUND_TEXT"],
        ]
    }

    /// The bytes of a text for a target and their type; nil if the target is not one of text.
    static func encode(_ text: String, as target: Atom, _ display: Display) -> (bytes: [UInt8], type: Atom)? {
        let atoms = display.atoms
        switch target {
        case atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"], atoms["text/plain"]:
            return (Array(text.utf8), target)
        case Atom(31):
            return (latin1(text, replacing: true) ?? [], Atom(31))
        case atoms["TEXT"]:
            if let bytes = latin1(text, replacing: false) { return (bytes, Atom(31)) }
            return compound(text, display)
        case atoms["COMPOUND_TEXT"]:
            return compound(text, display)
        default:
            return nil
        }
    }

    /// The text of bytes of a type; damaged encodings are repaired.
    static func decode(_ bytes: [UInt8], type: Atom, _ display: Display) -> String {
        // Some owners count the terminator of a C string.
        let content = bytes.last == 0 ? bytes.prefix(1 + (bytes.lastIndex { $0 != 0 } ?? -1)) : bytes[...]
        switch type {
        case Atom(31):
            return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        case display.atoms["COMPOUND_TEXT"]:
            return fromCompound(Array(content), display)
        default:
            return String(decoding: content, as: UTF8.self)
        }
    }

    private static func latin1(_ text: String, replacing: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
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

    private static func compound(_ text: String, _ display: Display) -> (bytes: [UInt8], type: Atom)? {
        var copy: UnsafeMutablePointer<CChar>? = strdup(text)
        defer { free(copy) }
        var property = XTextProperty()
        guard Xutf8TextListToTextProperty(display.connection, &copy, 1, XCompoundTextStyle, &property) >= 0,
            let value = property.value
        else { return nil }
        defer { XFree(value) }
        return (Array(UnsafeBufferPointer(start: value, count: Int(property.nitems))), property.encoding)
    }

    private static func fromCompound(_ bytes: [UInt8], _ display: Display) -> String {
        var bytes = bytes + [0]
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        var count: Int32 = 0
        let status = bytes.withUnsafeMutableBufferPointer { buffer in
            var property = XTextProperty(
                value: buffer.baseAddress, encoding: display.atoms["COMPOUND_TEXT"], format: 8,
                nitems: UInt(buffer.count - 1))
            return Xutf8TextPropertyToTextList(display.connection, &property, &list, &count)
        }
        guard status >= 0, let list else { return String(decoding: bytes.dropLast(), as: UTF8.self) }
        defer { XFreeStringList(list) }
        return (0..<Int(count)).compactMap { list[$0].map { String(cString: $0) } }.joined(separator: "\n")
    }
}
