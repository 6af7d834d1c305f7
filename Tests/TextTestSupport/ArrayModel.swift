import InkstoneText

/// A model of a rope: an array of bytes, measured by the standard library's UTF-8 parser.
package struct ArrayModel: Equatable {
    /// The text.
    package var bytes: [UInt8]

    /// A model of some bytes.
    package init(bytes: [UInt8] = []) { self.bytes = bytes }

    /// A part of the text, with its start in all units.
    package struct Part {
        package var byte: Int
        package var scalar: Int
        package var utf16: Int
        package var isValid: Bool
        package var value: UInt32
    }

    /// All parts, in order.
    package static func parts(_ bytes: some Sequence<UInt8>) -> [Part] {
        var parts: [Part] = []
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var byte = 0
        var utf16 = 0
        while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                parts.append(Part(byte: byte, scalar: parts.count, utf16: utf16, isValid: true, value: scalar.value))
                byte += encoded.count
                utf16 += scalar.value > 0xffff ? 2 : 1
            case .error(let length):
                parts.append(Part(byte: byte, scalar: parts.count, utf16: utf16, isValid: false, value: 0xfffd))
                byte += length
                utf16 += 1
            case .emptyInput:
                return parts
            }
        }
    }

    /// Bytes after each newline: where paragraphs start, the first left out.
    package static func paragraphStarts(_ bytes: [UInt8]) -> [Int] {
        let parts = parts(bytes)
        var starts: [Int] = []
        for (i, part) in parts.enumerated() {
            let next = i + 1 < parts.count ? parts[i + 1] : nil
            switch part.value {
            case 0x0a: starts.append(next?.byte ?? bytes.count)
            case 0x0d where next?.value != 0x0a: starts.append(next?.byte ?? bytes.count)
            default: break
            }
        }
        return starts
    }

    package static func metrics(_ bytes: [UInt8]) -> TextMetrics {
        let parts = parts(bytes)
        return TextMetrics(
            bytes: bytes.count, scalars: parts.count,
            utf16: parts.last.map { $0.utf16 + ($0.value > 0xffff ? 2 : 1) } ?? 0,
            newlines: paragraphStarts(bytes).count, invalidParts: parts.filter { !$0.isValid }.count)
    }
}
