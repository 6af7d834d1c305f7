/// A single complete type of D-Bus. File descriptors (`h`) are not supported, since connections refuse messages
/// that carry them.
package indirect enum BusType: Hashable, Sendable {
    case byte, boolean, int16, uint16, int32, uint32, int64, uint64, double, string, objectPath, signature, variant
    case array(BusType)
    /// A structure of at least one field.
    case structure([BusType])
    /// An array of entries, each a key of a basic type and a value.
    case dictionary(BusType, BusType)

    /// The largest nesting depth of containers; a type or value with a greater one is not valid. Variants count, and so
    /// do dictionary entries. The specification allows 64.
    package static let maximumDepth = 32
    /// The largest number of bytes of a signature (D-Bus Specification, *Valid Signatures*); a longer one is not valid.
    package static let maximumSignature = 255

    /// Creates the type that a signature describes; nil if the signature is malformed, nested too deeply, or not
    /// exactly one type.
    package init?(_ signature: String) {
        guard let types = Self.types(of: signature), types.count == 1 else { return nil }
        self = types[0]
    }

    /// Returns the types that a signature describes, possibly none; nil if the signature is malformed or nested too
    /// deeply.
    package static func types(of signature: String) -> [BusType]? {
        guard signature.utf8.count <= maximumSignature else { return nil }
        var rest = signature.utf8[...]
        var types: [BusType] = []
        while !rest.isEmpty {
            guard let type = parse(&rest, depth: 0) else { return nil }
            types.append(type)
        }
        return types
    }

    /// The signature of this type in D-Bus's notation, such as `a{sv}`.
    package var signature: String {
        switch self {
        case .array(let element): "a" + element.signature
        case .structure(let fields): "(" + fields.map(\.signature).joined() + ")"
        case .dictionary(let key, let value): "a{" + key.signature + value.signature + "}"
        default: String(UnicodeScalar(code))
        }
    }

    /// The first character of this type's signature.
    var code: UInt8 {
        switch self {
        case .byte: UInt8(ascii: "y")
        case .boolean: UInt8(ascii: "b")
        case .int16: UInt8(ascii: "n")
        case .uint16: UInt8(ascii: "q")
        case .int32: UInt8(ascii: "i")
        case .uint32: UInt8(ascii: "u")
        case .int64: UInt8(ascii: "x")
        case .uint64: UInt8(ascii: "t")
        case .double: UInt8(ascii: "d")
        case .string: UInt8(ascii: "s")
        case .objectPath: UInt8(ascii: "o")
        case .signature: UInt8(ascii: "g")
        case .variant: UInt8(ascii: "v")
        case .array, .dictionary: UInt8(ascii: "a")
        case .structure: UInt8(ascii: "(")
        }
    }

    /// The types that are not containers, and the variant. All of them except ``variant`` may be keys of a
    /// dictionary.
    private static let simple: [UInt8: BusType] = Dictionary(
        uniqueKeysWithValues: [
            .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature, .variant,
        ].map { ($0.code, $0) })

    private static func parse(_ rest: inout Substring.UTF8View, depth: Int) -> BusType? {
        guard depth <= maximumDepth, let first = rest.popFirst() else { return nil }
        if let type = simple[first] { return type }
        switch first {
        case UInt8(ascii: "a") where rest.first == UInt8(ascii: "{"):
            rest.removeFirst()
            guard let key = parse(&rest, depth: depth + 2), simple[key.code] == key, key != .variant,
                let value = parse(&rest, depth: depth + 2), rest.popFirst() == UInt8(ascii: "}")
            else { return nil }
            return .dictionary(key, value)
        case UInt8(ascii: "a"):
            return parse(&rest, depth: depth + 1).map { .array($0) }
        case UInt8(ascii: "("):
            var fields: [BusType] = []
            while rest.first != UInt8(ascii: ")") {
                guard let field = parse(&rest, depth: depth + 1) else { return nil }
                fields.append(field)
            }
            rest.removeFirst()
            return fields.isEmpty ? nil : .structure(fields)
        default: return nil
        }
    }
}
