import Glibc
import InkstoneBase

/// A list of URIs as used in drags (`text/uri-list`, RFC 2483): one on each line; lines that begin with `#` are
/// comments.
package struct URIList: Hashable, Sendable {
    /// The bytes of each URI, unchanged.
    private let lines: [[UInt8]]

    /// Creates a list from its text. Lines may end in CR LF, as the format requires, or in LF alone.
    package init(_ bytes: [UInt8]) {
        lines = bytes.split { $0 == 0x0a || $0 == 0x0d || $0 == 0 }
            .filter { $0.first != UInt8(ascii: "#") }
            .map { Array($0) }
    }

    /// The URIs as strings.
    package var addresses: [String] { lines.map { String(decoding: $0, as: UTF8.self) } }

    /// The URIs as text, one on each line.
    package var text: String { addresses.joined(separator: "\n") }

    /// The paths of the files on this machine. Files on other hosts are left out.
    package var localPaths: [FilePath] { lines.compactMap { Self.localPath($0, host: Self.hostName) } }

    /// Returns the path of a file URI. Nil if the URI is no valid file URI, names a host other than `ours` and
    /// `localhost`, or contains a NUL.
    static func localPath(_ address: [UInt8], host ours: [UInt8]) -> FilePath? {
        guard isAlike(address.prefix(5), "file:".utf8) else { return nil }
        var rest = address.dropFirst(5)
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || isAlike(host, "localhost".utf8) || isAlike(host, ours) else { return nil }
            rest = rest.dropFirst(host.count)
        }
        guard rest.first == UInt8(ascii: "/") else { return nil }
        return decoded(rest)
    }

    /// Whether two parts of a URI are equal apart from the case of ASCII letters (RFC 3986 §3.1, §3.2.2).
    private static func isAlike(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
        return a.elementsEqual(b) { lower($0) == lower($1) }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> FilePath? {
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard rest.count >= 2, let high = digit(rest.removeFirst()), let low = digit(rest.removeFirst()) else {
                return nil
            }
            result.append(high << 4 | low)
        }
        // A file name cannot contain a NUL.
        return result.contains(0) ? nil : FilePath(result)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static var hostName: [UInt8] {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return [] }
        return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }
}
