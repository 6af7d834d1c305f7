import FoundationEssentials
import InkstoneText

/// The keys of attributed strings with the keys of styled texts that they stand for.
public struct AttributeBridging: Sendable {
    private struct Bridge: Sendable {
        /// Copies a value of a string's attributes to a text's.
        var toText: @Sendable (AttributeContainer, inout TextAttributes) -> Void
        /// Copies a value of a text's attributes to a string's.
        var toString: @Sendable (TextAttributes, inout AttributeContainer) -> Void
        /// Takes the value from a string's attributes.
        var remove: @Sendable (inout AttributeContainer) -> Void
    }

    private var bridges: [Bridge] = []

    /// No keys: all attributes of a string travel as ``OtherStringAttributes``, all of a text are left out of strings.
    public init() {}

    /// Keys that stand for themselves, each as a ``StringAttribute``.
    public init<each Key: AttributedStringKey & SendableMetatype>(_ keys: repeat (each Key).Type)
    where repeat (each Key).Value: Sendable {
        // All of them first: their conditions may be about each other.
        repeat StringAttributeKeys.add(each keys)
        repeat add(StringAttribute<each Key>.self, for: each keys)
    }

    /// Has a key of texts stand for one of strings with the same values.
    public mutating func add<TextKey: AttributeKey, StringKey: AttributedStringKey & SendableMetatype>(
        _ textKey: TextKey.Type, for stringKey: StringKey.Type
    ) where TextKey.Value == StringKey.Value {
        add(textKey, for: stringKey, toText: { $0 }, toString: { $0 })
    }

    /// Has a key of texts stand for one of strings, with a conversion each way; what one of them makes nil is left out.
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
        // Setting one takes those away that depend on it; those are set again, for as long as that changes anything.
        for _ in bridges {
            let before = result
            for bridge in bridges { bridge.toString(attributes, &result) }
            if result == before { break }
        }
        return result
    }
}
