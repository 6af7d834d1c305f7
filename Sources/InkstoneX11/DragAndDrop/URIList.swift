import Glibc

/// A list of addresses as programs drag it (`text/uri-list`, RFC 2483): a line each, comments after `#`.
public struct URIList: Hashable, Sendable {
    /// The addresses, as they are written.
    public let addresses: [String]

    /// The addresses in a list; lines may end in CR LF, as they should, or in LF.
    public init(_ bytes: [UInt8]) {
        addresses = bytes.split { $0 == 0x0a || $0 == 0x0d || $0 == 0 }
            .filter { $0.first != UInt8(ascii: "#") }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The addresses, a line each.
    public var text: String { addresses.joined(separator: "\n") }

    /// The paths of the files on this machine, as the bytes that their names are made of. Files of others are left out.
    public var localPaths: [String] { addresses.compactMap { Self.localPath($0, host: Self.hostName) } }

    /// The path of a file address; nil if it names another host, or is no file's.
    static func localPath(_ address: String, host ours: String) -> String? {
        guard address.lowercased().hasPrefix("file:") else { return nil }
        var rest = address.dropFirst(5)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" || host.lowercased() == ours.lowercased() else {
                return nil
            }
            rest = rest.dropFirst(host.count)
        }
        guard rest.hasPrefix("/") else { return nil }
        return decoded(rest.utf8)
    }

    private static func decoded(_ bytes: Substring.UTF8View) -> String? {
        var result: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            result.append(value)
            rest = rest.dropFirst(2)
        }
        // No file has a name with a NUL in it.
        return result.contains(0) ? nil : String(decoding: result, as: UTF8.self)
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
