import Glibc

/// The name of a file as the system stores it: bytes of any value but NUL, separated by slashes.
///
/// Two names are equal if they have the same bytes. Only the file system can decide whether two names lead to the
/// same file: hard links, symbolic links and `./` give a file many names. A name need not be valid in any encoding.
/// ``description`` shows it to people, and ``init(typed:)`` reads that form back.
public struct FilePath: Hashable, Sendable {
    /// The name's bytes, without the NUL that ends it.
    public let bytes: [UInt8]

    /// Creates a name that consists of the given bytes. It ends before the first NUL, because the system does not read
    /// further.
    public init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        self.bytes = bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) } ?? bytes
    }

    /// Creates a name that consists of the UTF-8 bytes of a text, unchanged: escapes and `~` are not interpreted, and
    /// nothing is normalized.
    public init(_ text: String) { self.init(text.utf8) }

    /// Creates a name that consists of the bytes of a C string, without its NUL.
    public init(cString: UnsafePointer<CChar>) {
        bytes = [UInt8](
            UnsafeRawBufferPointer(start: cString, count: strlen(cString)))
    }

    /// The bytes of the name with a NUL at their end, for functions of C.
    public var cString: [CChar] {
        [CChar](unsafeUninitializedCapacity: bytes.count + 1) { buffer, count in
            for (i, byte) in bytes.enumerated() { buffer[i] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
            count = bytes.count + 1
        }
    }

    /// The name as text, unchanged; nil if its bytes are not valid UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// Whether the name is empty.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Whether the name begins with a slash, at the root directory.
    public var isAbsolute: Bool { bytes.first == Self.slash }

    /// Whether the name ends in a slash, as only the names of directories do.
    public var endsInSlash: Bool { bytes.last == Self.slash }

    // MARK: Components

    /// The byte that separates the components of a name.
    static let slash = UInt8(ascii: "/")

    /// The last component of the name. Slashes at the end of the name are ignored. Empty for the root and for an
    /// empty name.
    public var lastComponent: FilePath {
        guard let last = bytes.lastIndex(where: { $0 != Self.slash }) else { return FilePath([]) }
        let start = bytes[..<last].lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        return FilePath(bytes[start...last])
    }

    /// The directory that contains the file, according to the name. `.` for a name without a slash; `/` for an
    /// entry of the root. A slash at the end is not ignored: the directory of `a/b/` is `a/b`.
    public var directory: FilePath {
        guard let slash = bytes.lastIndex(of: Self.slash) else { return "." }
        return slash == 0 ? "/" : FilePath(bytes[..<slash])
    }

    /// The part of the name up to its last slash, including that slash; empty if there is no slash.
    public var directoryPrefix: FilePath {
        FilePath(bytes.lastIndex(of: Self.slash).map { bytes[...$0] } ?? [])
    }

    /// The part of the name after its last slash; empty if the name ends in a slash.
    public var nameInDirectory: FilePath {
        FilePath(bytes.lastIndex(of: Self.slash).map { bytes[($0 + 1)...] } ?? bytes[...])
    }

    /// Returns the path of a file in this directory, by its name relative to the directory.
    public func appending(_ name: FilePath) -> FilePath {
        FilePath(isEmpty || endsInSlash ? bytes + name.bytes : bytes + [Self.slash] + name.bytes)
    }

    /// Returns the path with a suffix added to its end.
    public func appending(suffix: String) -> FilePath { FilePath(bytes + Array(suffix.utf8)) }

    /// Whether the name ends in a suffix.
    public func hasSuffix(_ suffix: String) -> Bool { bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Returns the name without a suffix; unchanged if the name does not end in it.
    public func dropping(suffix: String) -> FilePath {
        hasSuffix(suffix) ? FilePath(bytes.dropLast(suffix.utf8.count)) : self
    }

    /// Returns the part of the name that follows `directory`, whose own name must not end in a slash. The part is
    /// empty or begins with a slash. Nil if the name is neither that of the directory nor of something in it.
    public func remainder(in directory: FilePath) -> FilePath? {
        guard bytes.starts(with: directory.bytes) else { return nil }
        let rest = bytes.dropFirst(directory.bytes.count)
        return rest.isEmpty || rest.first == Self.slash ? FilePath(rest) : nil
    }
}

extension FilePath: ExpressibleByStringLiteral {
    /// Creates a name from a literal in the program.
    public init(stringLiteral value: StaticString) {
        self = value.withUTF8Buffer { FilePath($0) }
    }
}

extension FilePath: Comparable {
    /// Whether the bytes of one name order before those of another.
    public static func < (a: FilePath, b: FilePath) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

// MARK: - The form for people

extension FilePath: CustomStringConvertible {
    /// The name for people, on one line. `\x` and two hexadecimal digits stand for each byte that is not valid
    /// UTF-8, or belongs to U+FFFD, a line break, another control or most invisible characters, such as direction
    /// marks. A backslash is doubled where it could be read as the start of such an escape. No two names have the same
    /// description.
    public var description: String {
        let isPlain = bytes.allSatisfy { 0x20...0x7e ~= $0 && $0 != UInt8(ascii: "\\") }
        if isPlain { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\") {
                text += isPlainBackslash(at: index) ? "\\" : "\\\\"
                index += 1
            } else if let (scalar, length) = Self.scalar(bytes[index...]), !Self.isHidden(scalar) {
                text.unicodeScalars.append(scalar)
                index += length
            } else {
                text += Self.escape(byte)
                index += 1
            }
        }
        return text
    }

    /// Creates the name that a person has typed in the form of ``description``. `\x` and two hexadecimal digits stand
    /// for a byte, and two backslashes for one. All other text stands for itself.
    public init(typed text: String) {
        let typed = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < typed.count {
            let rest = typed[(index + 1)...]
            if typed[index] == UInt8(ascii: "\\"), let value = Self.escapedByte(rest) {
                result.append(value)
                index += 4
            } else if typed[index] == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "\\") {
                result.append(typed[index])
                index += 2
            } else {
                result.append(typed[index])
                index += 1
            }
        }
        self.init(result)
    }

    /// Whether a backslash at `index` needs no doubling: the text after it could not be read as part of an escape.
    private func isPlainBackslash(at index: Int) -> Bool {
        let rest = bytes[(index + 1)...]
        guard let next = rest.first else { return true }
        return 0x20...0x7e ~= next && next != UInt8(ascii: "\\") && Self.escapedByte(rest) == nil
    }

    /// Returns the byte that the text after a backslash encodes as `x` and two hexadecimal digits; nil if that text
    /// is no such escape.
    private static func escapedByte(_ rest: ArraySlice<UInt8>) -> UInt8? {
        guard rest.count >= 3, rest.first == UInt8(ascii: "x") else { return nil }
        let digits = rest.dropFirst().prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        return digits.count == 2 ? UInt8(digits[0] << 4 | digits[1]) : nil
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "\\x" + (byte < 0x10 ? "0" : "") + digits
    }

    /// Returns the scalar with which some bytes begin, and its length in bytes; nil if the bytes do not begin with
    /// valid UTF-8.
    private static func scalar(_ bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
        return (scalar, UTF8.width(scalar))
    }

    /// Whether ``description`` shows the bytes of a scalar instead of the scalar: line breaks, other controls, most
    /// invisible characters except the joiners U+200C and U+200D, and U+FFFD, which other programs show for invalid
    /// bytes.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0xad, 0x061c, 0x180e, 0x200b, 0x200e...0x200f, 0x2028...0x202e, 0x2060...0x206f,
            0xfeff,
            0xfff9...0xfffb,
            0xfffd, 0xe0000...0xe0fff:
            true
        default: false
        }
    }
}
