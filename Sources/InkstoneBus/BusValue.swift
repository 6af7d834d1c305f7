/// A value in a message, of any type of D-Bus; containers may be nested up to ``BusType/maximumDepth``.
package indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    /// A string without NUL, which D-Bus forbids, and without noncharacters, which some libraries refuse.
    /// ``text(_:)`` makes such a string from any text.
    case string(String)
    case objectPath(String)
    /// A signature, which may consist of any number of types.
    case signature(String)
    case variant(BusValue)
    /// An array of bytes (`ay`). An ``array(_:_:)`` of bytes is the same on the wire, but received arrays of bytes
    /// always have this case.
    case bytes([UInt8])
    /// An array: the type of its elements, which an empty array needs as well, and the elements.
    case array(BusType, [BusValue])
    /// A structure with at least one field.
    case structure([BusValue])
    /// A dictionary: the types of its keys and values, and the entries in their order on the wire. A key may occur
    /// twice.
    case dictionary(BusType, BusType, [BusEntry])

    /// Returns a string value of a text, with U+FFFD in place of each scalar that cannot be sent.
    package static func text(_ text: String) -> BusValue {
        guard !canCarry(text) else { return .string(text) }
        var sound = String.UnicodeScalarView()
        sound.append(contentsOf: text.unicodeScalars.map { canCarry($0) ? $0 : "\u{FFFD}" })
        return .string(String(sound))
    }

    /// Whether all scalars of a text can be sent in a string. Scans the UTF-8 bytes, so that a text of some
    /// megabytes takes only milliseconds.
    package static func canCarry(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for i in bytes.indices where bytes[i] == 0 || bytes[i] >= 0xEF {
                switch bytes[i] {
                case 0: return false
                // Refuse U+FDD0…FDEF, U+FFFE and U+FFFF, the noncharacters of the first plane.
                case 0xEF where bytes[i + 1] == 0xB7 && 0x90...0xAF ~= bytes[i + 2]: return false
                case 0xEF where bytes[i + 1] == 0xBF && bytes[i + 2] >= 0xBE: return false
                // Refuse the last two code points of a plane beyond the first, which are noncharacters.
                case 0xF0... where bytes[i + 1] & 0x0F == 0x0F && bytes[i + 2] == 0xBF && bytes[i + 3] >= 0xBE:
                    return false
                default: break
                }
            }
            return true
        }
    }

    /// Whether a scalar can be sent in a string: not NUL (D-Bus Specification), and not a noncharacter (sd-bus).
    package static func canCarry(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0, 0xFDD0...0xFDEF: false
        case let value: value & 0xFFFE != 0xFFFE
        }
    }

    /// Returns a dictionary from names to variants (`a{sv}`), with its entries in the given order.
    package static func options(_ options: KeyValuePairs<String, BusValue>) -> BusValue {
        .dictionary(.string, .variant, options.map { BusEntry(.string($0.key), .variant($0.value)) })
    }

    /// The entries of a dictionary from names to variants (`a{sv}`), the last one of each name; nil for any other
    /// value.
    package var options: [String: BusValue]? {
        guard case .dictionary(.string, .variant, let entries) = self else { return nil }
        var options: [String: BusValue] = [:]
        for entry in entries {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value else { return nil }
            options[name] = value
        }
        return options
    }

    /// The type of this value. The type of a structure is made of the types of its fields.
    package var type: BusType {
        switch self {
        case .byte: .byte
        case .boolean: .boolean
        case .int16: .int16
        case .uint16: .uint16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .double: .double
        case .string: .string
        case .objectPath: .objectPath
        case .signature: .signature
        case .variant: .variant
        case .bytes: .array(.byte)
        case .array(let element, _): .array(element)
        case .structure(let fields): .structure(fields.map(\.type))
        case .dictionary(let key, let value, _): .dictionary(key, value)
        }
    }
}

/// A key and its value in a dictionary.
package struct BusEntry: Hashable, Sendable {
    package var key: BusValue
    package var value: BusValue

    package init(_ key: BusValue, _ value: BusValue) { (self.key, self.value) = (key, value) }
}

extension Sequence where Element == BusValue {
    /// The signature of these values.
    package var signature: String { map(\.type.signature).joined() }
}

/// The weight that the values of a message's body may still have. Checked for sent and for received messages.
package struct BusBudget {
    /// The weight of one value without its text or bytes: about the memory that it takes.
    static let unit = 16
    /// The weight that further values may still have, in bytes.
    private(set) var remaining: Int

    package init(_ limit: Int) { remaining = limit }

    /// Subtracts the weight of one value with `bytes` bytes of content; throws ``BusFailure/tooLarge`` if less than
    /// that remains.
    mutating func take(_ bytes: Int = 0) throws(BusFailure) {
        guard bytes <= remaining - Self.unit else { throw .tooLarge }
        remaining -= Self.unit + bytes
    }
}

extension [BusValue] {
    /// Checks that these values are a valid body of a message, and returns their weight in bytes, at most `limit`.
    /// O(n) in their size.
    package func weight(limit: Int) throws(BusFailure) -> Int {
        var budget = BusBudget(limit)
        for value in self { try value.check(as: value.type, depth: 0, &budget) }
        guard signature.utf8.count <= BusType.maximumSignature else { throw .invalid("too many types") }
        return limit - budget.remaining
    }
}

extension BusValue {
    fileprivate func check(as type: BusType, depth: Int, _ budget: inout BusBudget) throws(BusFailure) {
        guard depth <= BusType.maximumDepth else { throw .invalid("values too deep") }
        func require(_ condition: Bool, _ reason: String) throws(BusFailure) {
            guard condition else { throw .invalid(reason) }
        }
        switch (self, type) {
        case (.string(let text), .string):
            try budget.take(text.utf8.count)
            try require(
                Self.canCarry(text), "a character in a text that D-Bus does not carry")
        case (.objectPath(let path), .objectPath):
            try budget.take(path.utf8.count)
            try require(BusName.isPath(path), "malformed object path")
        case (.signature(let signature), .signature):
            try budget.take(signature.utf8.count)
            try require(BusType.types(of: signature) != nil, "malformed signature")
        case (.bytes(let bytes), .array(.byte)): try budget.take(bytes.count)
        case (.variant(let value), .variant):
            try budget.take()
            try value.check(as: value.type, depth: depth + 1, &budget)
            try require(value.type.signature.utf8.count <= BusType.maximumSignature, "too many types")
        case (.array(let own, let elements), .array(let element)):
            try budget.take()
            try require(own == element, "array of another type")
            for value in elements { try value.check(as: element, depth: depth + 1, &budget) }
        case (.structure(let fields), .structure(let types)):
            try budget.take()
            try require(!fields.isEmpty && fields.count == types.count, "structure with other fields")
            for (value, type) in zip(fields, types) { try value.check(as: type, depth: depth + 1, &budget) }
        case (.dictionary(let key, let value, let entries), .dictionary(let keyType, let valueType)):
            try budget.take()
            try require(key == keyType && value == valueType, "dictionary of other types")
            try require(BusType(type.signature) == type, "dictionary with such keys")
            for entry in entries {
                try entry.key.check(as: key, depth: depth + 2, &budget)
                try entry.value.check(as: value, depth: depth + 2, &budget)
            }
        default:
            try budget.take()
            try require(self.type == type, "value of another type")
        }
    }
}
