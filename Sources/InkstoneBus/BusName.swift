/// The grammar of names and object paths (D-Bus Specification, *Valid Names* and *Valid Object Paths*).
package enum BusName {
    /// The name of the bus itself.
    package static let bus = "org.freedesktop.DBus"
    /// The interface `Peer`, which the bus thread answers for all objects.
    static let peerInterface = "org.freedesktop.DBus.Peer"
    package static let busPath = "/org/freedesktop/DBus"
    /// The largest number of bytes of an object path; a longer one is not valid. This limit is ours; the specification
    /// has none.
    package static let maximumPathLength = 1024

    /// Whether `path` is an object path of at most ``maximumPathLength`` bytes.
    package static func isPath(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= maximumPathLength else { return false }
        return path == "/" || elements(path.utf8.dropFirst(), separator: "/").allSatisfy { isElement($0) }
    }

    /// Whether `name` is a valid name of an interface or an error: at least two elements separated by dots.
    package static func isInterface(_ name: String) -> Bool {
        guard name.utf8.count <= 255 else { return false }
        let elements = elements(name.utf8[...], separator: ".")
        return elements.count > 1 && elements.allSatisfy { isElement($0) && !startsWithDigit($0) }
    }

    /// Whether `name` is a valid name of a method or a signal.
    package static func isMember(_ name: String) -> Bool {
        name.utf8.count <= 255 && isElement(name.utf8[...]) && !startsWithDigit(name.utf8[...])
    }

    /// Whether `name` has the form of a unique name of a connection, such as `:1.42`: it begins with a colon.
    package static func isUnique(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }

    /// Whether `name` is a valid unique or well-known name of a connection.
    package static func isConnection(_ name: String) -> Bool {
        guard name.utf8.count <= 255 else { return false }
        let elements = elements(name.utf8.dropFirst(isUnique(name) ? 1 : 0), separator: ".")
        return elements.count > 1
            && elements.allSatisfy {
                isElement($0, plus: UInt8(ascii: "-")) && (isUnique(name) || !startsWithDigit($0))
            }
    }

    /// Whether `path` is `ancestor` or a descendant of it.
    package static func isPath(_ path: String, within ancestor: String) -> Bool {
        path == ancestor || ancestor == "/" || path.hasPrefix(ancestor + "/")
    }

    /// Whether `name` is `ancestor`, or `ancestor` followed by more elements: the test of `arg0namespace` in a
    /// match rule.
    package static func isName(_ name: String, within ancestor: String) -> Bool {
        name == ancestor || name.hasPrefix(ancestor + ".")
    }

    private static func elements(_ text: Substring.UTF8View, separator: Unicode.Scalar) -> [Substring.UTF8View] {
        text.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false)
    }

    private static func isElement(_ element: Substring.UTF8View, plus extra: UInt8? = nil) -> Bool {
        !element.isEmpty
            && element.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: byte == extra
                }
            }
    }

    private static func startsWithDigit(_ element: Substring.UTF8View) -> Bool {
        element.first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
    }
}
