import FoundationEssentials
import InkstoneText

/// A mapping between keys of attributed strings and keys of styled texts.
public struct AttributeBridging: Sendable {
    private struct Bridge: Sendable {
        /// Copies a value from a string's attributes to a text's attributes.
        var toText: @Sendable (AttributeContainer, inout TextAttributes) -> Void
        /// Copies a value from a text's attributes to a string's attributes.
        var toString: @Sendable (TextAttributes, inout AttributeContainer) -> Void
        /// Removes the value from a string's attributes.
        var remove: @Sendable (inout AttributeContainer) -> Void
    }

    private var bridges: [Bridge] = []

    /// Creates a mapping without keys: all attributes of a string become ``OtherStringAttributes`` of the text, and a
    /// text's other attributes are left out of strings.
    public init() {}

    /// Creates a mapping of keys of strings to themselves, each as a ``StringAttribute``.
    public init<each Key: AttributedStringKey & SendableMetatype>(_ keys: repeat (each Key).Type)
    where repeat (each Key).Value: Sendable {
        // Register all keys before any is mapped, because their invalidation conditions may refer to each other.
        repeat StringAttributeKeys.add(each keys)
        repeat add(StringAttribute<each Key>.self, for: each keys)
    }

    /// Maps a key of texts to a key of strings with the same type of value.
    public mutating func add<TextKey: AttributeKey, StringKey: AttributedStringKey & SendableMetatype>(
        _ textKey: TextKey.Type, for stringKey: StringKey.Type
    ) where TextKey.Value == StringKey.Value {
        add(textKey, for: stringKey, toText: { $0 }, toString: { $0 })
    }

    /// Maps a key of texts to a key of strings, with a conversion of values in each direction. A value whose
    /// conversion returns nil is left out.
    public mutating func add<TextKey: AttributeKey, StringKey: AttributedStringKey & SendableMetatype>(
        _ textKey: TextKey.Type, for stringKey: StringKey.Type,
        toText: @escaping @Sendable (StringKey.Value) -> TextKey.Value?,
        toString: @escaping @Sendable (TextKey.Value) -> StringKey.Value?
    ) where StringKey.Value: Sendable {
        StringAttributeKeys.add(stringKey)
        AttributeKeys.register(textKey)
        bridges.append(
            Bridge(
                toText: { string, text in
                    if let value = string[StringKey.self] { text[TextKey.self] = toText(value) }
                },
                toString: { text, string in
                    if let value = text[TextKey.self] { string[StringKey.self] = toString(value) }
                }, remove: { $0[StringKey.self] = nil }))
    }

    func textAttributes(_ container: AttributeContainer) -> TextAttributes {
        var result = TextAttributes()
        for bridge in bridges { bridge.toText(container, &result) }
        var rest = container
        for bridge in bridges { bridge.remove(&rest) }
        if rest != AttributeContainer() { result[OtherStringAttributes.self] = rest }
        return result
    }

    func container(_ attributes: TextAttributes) -> AttributeContainer {
        var result = attributes[OtherStringAttributes.self] ?? AttributeContainer()
        // Setting a value removes other values that depend on it. So set all values again until that changes
        // nothing.
        for _ in bridges {
            let before = result
            for bridge in bridges { bridge.toString(attributes, &result) }
            if result == before { break }
        }
        return result
    }
}
