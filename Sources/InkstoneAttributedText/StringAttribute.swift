import FoundationEssentials
import InkstoneText
import Synchronization

/// A key of `AttributedString` as a key of a ``StyledText``: of the same name, with the same values and rules.
///
/// Its dependence on other keys is known as far as these are made known by one ``AttributeBridging`` together with it, or before.
/// It is coded, as JSON, if the key can be encoded and decoded.
public enum StringAttribute<Key: AttributedStringKey>: AttributeKey
where Key: SendableMetatype, Key.Value: Sendable {
    /// The key's.
    public typealias Value = Key.Value

    /// The key's.
    public static var name: String { Key.name }
    /// The key's.
    public static var inheritedByAddedText: Bool { Key.inheritedByAddedText }

    /// The key's; a character means its first scalar.
    public static var runBoundaries: AttributeRunBoundaries? {
        switch Key.runBoundaries {
        case .paragraph?: .paragraph
        case .character(let character)?: character.unicodeScalars.first.map { .scalar($0) }
        default: nil
        }
    }

    /// The key's, as far as they concern the text or keys that are known.
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
    /// The value as JSON; nothing if it cannot be encoded.
    public static func encode(_ value: Value) -> [UInt8] {
        (try? JSONEncoder().encode(Coded(value: value))).map { Array($0) } ?? []
    }

    /// The value of some JSON.
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

/// The keys of attributed strings that were made known: a condition says which keys it is about only when it is asked.
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

/// Attributes of a string that no bridging knows: they travel together, unchanged, and without rules of their own.
public enum OtherStringAttributes: AttributeKey {
    /// The value that the string had.
    public typealias Value = AttributeContainer
    /// The name of the attribute.
    public static let name = "inkstone.other-string-attributes"

    /// The attributes; nil if one of them is not equal to itself, as a number that is none.
    public static func checked(_ attributes: AttributeContainer) -> AttributeContainer? {
        // A container is equal to a copy that shares its storage without a look at the values.
        var copy = AttributeContainer()
        copy.merge(attributes)
        return copy == attributes ? attributes : nil
    }
}
