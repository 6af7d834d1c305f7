/// A JSON value (RFC 8259), for traces. It avoids a dependency on Foundation.
enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// The members, in the order in which they are written.
    case object([(String, JSONValue)])

    static func == (a: JSONValue, b: JSONValue) -> Bool { a.written == b.written }
    func hash(into hasher: inout Hasher) { hasher.combine(written) }

    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == key }?.1
    }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var double: Double? { if case .number(let value) = self { value } else { nil } }
    var int: Int? { double.flatMap { Int(exactly: $0) } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    // MARK: Writing

    /// The value as JSON text, on one line and without white space.
    var written: String {
        var out = ""
        write(to: &out)
        return out
    }

    private func write(to out: inout String) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .number(let value):
            if let whole = Int(exactly: value) { out += String(whole) } else { out += String(value) }
        case .string(let value): Self.write(value, to: &out)
        case .array(let values):
            out += "["
            for (index, value) in values.enumerated() {
                if index > 0 { out += "," }
                value.write(to: &out)
            }
            out += "]"
        case .object(let members):
            out += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { out += "," }
                Self.write(member.0, to: &out)
                out += ":"
                member.1.write(to: &out)
            }
            out += "}"
        }
    }

    private static func write(_ text: String, to out: inout String) {
        out += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7f || scalar.value == 0x2028 || scalar.value == 0x2029 {
                    let digits = String(scalar.value, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    out.unicodeScalars.append(scalar)
                }
            }
        }
        out += "\""
    }

    // MARK: Reading

    /// Creates a value from JSON text; nil if the text is not valid JSON.
    init?(parsing text: some StringProtocol) {
        var reader = Reader(bytes: Array(text.utf8))
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

        private mutating func skipBlanks() {
            while let byte = next, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 { at += 1 }
        }

        var isAtEnd: Bool {
            mutating get {
                skipBlanks()
                return at == bytes.count
            }
        }

        private mutating func take(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
            let expected = String(describing: word).utf8
            guard bytes[at...].starts(with: expected) else { return nil }
            at += expected.count
            return value
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipBlanks()
            guard next == byte else { return false }
            at += 1
            return true
        }

        mutating func value(depth: Int) -> JSONValue? {
            guard depth < 64 else { return nil }
            skipBlanks()
            switch next {
            case UInt8(ascii: "n"): return take("null", .null)
            case UInt8(ascii: "t"): return take("true", .bool(true))
            case UInt8(ascii: "f"): return take("false", .bool(false))
            case UInt8(ascii: "\""): return string().map(JSONValue.string)
            case UInt8(ascii: "["): return array(depth)
            case UInt8(ascii: "{"): return object(depth)
            default: return number()
            }
        }

        private mutating func number() -> JSONValue? {
            let start = at
            while let byte = next, "+-.eE0123456789".utf8.contains(byte) { at += 1 }
            return Double(String(decoding: bytes[start..<at], as: UTF8.self)).map(JSONValue.number)
        }

        private mutating func array(_ depth: Int) -> JSONValue? {
            at += 1
            var values: [JSONValue] = []
            if take(UInt8(ascii: "]")) { return .array(values) }
            repeat {
                guard let value = value(depth: depth + 1) else { return nil }
                values.append(value)
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "]")) ? .array(values) : nil
        }

        private mutating func object(_ depth: Int) -> JSONValue? {
            at += 1
            var members: [(String, JSONValue)] = []
            if take(UInt8(ascii: "}")) { return .object(members) }
            repeat {
                skipBlanks()
                guard next == UInt8(ascii: "\""), let key = string(), take(UInt8(ascii: ":")),
                    let value = value(depth: depth + 1)
                else { return nil }
                members.append((key, value))
            } while take(UInt8(ascii: ","))
            return take(UInt8(ascii: "}")) ? .object(members) : nil
        }

        private mutating func string() -> String? {
            at += 1
            var units: [UInt8] = []
            while let byte = next {
                at += 1
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let scalar = escape() else { return nil }
                    units += Array(String(Character(scalar)).utf8)
                default: units.append(byte)
                }
            }
            return nil
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard let byte = next else { return nil }
            at += 1
            switch byte {
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{c}"
            case UInt8(ascii: "u"):
                guard let unit = hex() else { return nil }
                guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{fffd}" }
                guard next == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u")
                else { return "\u{fffd}" }
                at += 2
                guard let trail = hex(), UTF16.isTrailSurrogate(trail) else { return "\u{fffd}" }
                return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
            default: return Unicode.Scalar(byte)
            }
        }

        private mutating func hex() -> UInt16? {
            guard at + 4 <= bytes.count else { return nil }
            defer { at += 4 }
            return UInt16(String(decoding: bytes[at..<(at + 4)], as: UTF8.self), radix: 16)
        }
    }
}
