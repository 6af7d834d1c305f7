import FoundationEssentials
import InkstoneText
import Synchronization

/// A key of `AttributedString` as a key of a ``StyledText``, with the same name, values and rules.
///
/// If the key depends on other keys, they are recognized only if they were registered before it, or together with
/// it by one ``AttributeBridging``. Values are encoded as JSON, if the key of `AttributedString` is encodable and
/// decodable.
public enum StringAttribute<Key: AttributedStringKey>: AttributeKey
where Key: SendableMetatype, Key.Value: Sendable {
    /// The value type of `Key`, the key of `AttributedString`.
    public typealias Value = Key.Value

    /// The name of `Key`, the key of `AttributedString`.
    public static var name: String { Key.name }
    /// Whether typed text inherits the attribute: the rule of `Key`.
    public static var inheritedByAddedText: Bool { Key.inheritedByAddedText }

    /// The run boundaries of `Key`. If runs have to end at a character, the boundary is at that character's first
    /// scalar.
    public static var runBoundaries: AttributeRunBoundaries? {
        switch Key.runBoundaries {
        case .paragraph?: .paragraph
        case .character(let character)?: character.unicodeScalars.first.map { .scalar($0) }
        default: nil
        }
    }

    /// The invalidation conditions of `Key`, as far as they concern the text or registered keys.
    public static var invalidationConditions: Set<AttributeInvalidationCondition> {
        guard let theirs = Key.invalidationConditions else { return [] }
        var ours = Set(
            StringAttributeKeys.names(in: theirs).map { AttributeInvalidationCondition.attributeChanged(named: $0) })
        if theirs.contains(.textChanged) { ours.insert(.textChanged) }
        return ours
    }
}

extension StringAttribute: CodedAttributeKey
where Key: EncodableAttributedStringKey & DecodableAttributedStringKey {
    /// Encodes a value as JSON; empty if the value cannot be encoded.
    public static func encode(_ value: Value) -> [UInt8] {
        (try? JSONEncoder().encode(Coded(value: value))).map { Array($0) } ?? []
    }

    /// Decodes a value from JSON; nil if that fails.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        (try? JSONDecoder().decode(Coded.self, from: Data(bytes)))?.value
    }

    private struct Coded: Codable {
        var value: Value

        init(value: Value) { self.value = value }
        init(from decoder: any Decoder) throws { value = try Key.decode(from: decoder) }
        func encode(to encoder: any Encoder) throws { try Key.encode(value, to: encoder) }
    }
}

/// The registered keys of attributed strings. They are needed because an invalidation condition does not list the
/// keys that it refers to: it can only be compared with the condition for a given key.
enum StringAttributeKeys {
    typealias Conditions = Set<AttributedString.AttributeInvalidationCondition>

    private static let known = Mutex<[String: @Sendable (Conditions) -> Bool]>([:])

    static func add<Key: AttributedStringKey & SendableMetatype>(_ key: Key.Type) {
        known.withLock { $0[key.name] = { $0.contains(.attributeChanged(Key.self)) } }
    }

    static func names(in conditions: Conditions) -> [String] {
        known.withLock { known in known.filter { $0.value(conditions) }.map(\.key) }
    }
}

/// All attributes of a string that have no mapping, as one attribute of the text: they are kept together and
/// unchanged, without rules of their own.
public enum OtherStringAttributes: AttributeKey {
    /// The attributes that have no mapping, as they were in the string.
    public typealias Value = AttributeContainer
    /// The name of the attribute.
    public static let name = "inkstone.other-string-attributes"

    /// Returns the attributes; nil if one of the values is not equal to itself, such as a NaN.
    public static func checked(_ attributes: AttributeContainer) -> AttributeContainer? {
        // Compare with a copy that has storage of its own: two containers that share their storage are equal
        // without a comparison of their values, so a NaN would not be noticed.
        var copy = AttributeContainer()
        copy.merge(attributes)
        return copy == attributes ? attributes : nil
    }
}
