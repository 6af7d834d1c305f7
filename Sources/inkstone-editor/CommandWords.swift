import ArgumentParser
import Inkstone

/// The arguments of the command line as text that can be converted back to the exact bytes.
///
/// ArgumentParser works on text, and the standard library repairs invalid UTF-8: it would change a file name that is
/// not valid UTF-8. So each invalid byte is encoded as a character of a private use plane, U+10FE00 plus the byte's
/// value. A character of that range in an argument is itself encoded as its four bytes. A combining mark is encoded in
/// this way too, because it would form one `Character` with a `=` or `-` before it. ``FilePath/init(argument:)``
/// decodes them.
enum CommandWords {
    /// The code point that stands for the byte 0.
    private static let base: UInt32 = 0x10fe00

    /// The arguments after the program's name.
    static var all: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { text(of: FilePath(cString: $0).bytes) }
        }
    }

    /// Encodes an argument's bytes as text.
    static func text(of bytes: [UInt8]) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        var text = String.UnicodeScalarView()
        var index = 0
        while index < bytes.count {
            var decoder = UTF8()
            var iterator = bytes[index...].makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&iterator), byte(of: scalar) == nil, !joins(scalar) {
                text.append(scalar)
                index += UTF8.width(scalar)
            } else {
                if let scalar = Unicode.Scalar(base + UInt32(bytes[index])) { text.append(scalar) }
                index += 1
            }
        }
        return String(text)
    }

    /// Decodes an encoded argument to its bytes.
    static func bytes(of text: String) -> [UInt8] {
        guard text.utf8.contains(0xf4) else { return Array(text.utf8) }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) { bytes.append(byte) } else { bytes += String(scalar).utf8 }
        }
        return bytes
    }

    /// Decodes an encoded argument that is not a file name; invalid UTF-8 is replaced by U+FFFD.
    static func plainText(_ text: String) -> String { String(decoding: bytes(of: text), as: UTF8.self) }

    /// Whether a scalar forms one `Character` with the preceding text.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        let properties = scalar.properties
        return properties.isGraphemeExtend || properties.generalCategory == .spacingMark || scalar.value == 0x200d
    }

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        base + 0x80...base + 0xff ~= scalar.value ? UInt8(scalar.value - base) : nil
    }
}

extension FilePath: ExpressibleByArgument {
    /// Creates a file name from an argument that ``CommandWords`` has encoded.
    public init(argument: String) { self.init(CommandWords.bytes(of: argument)) }

    /// The file name as shown in help.
    public var defaultValueDescription: String { description }
}
