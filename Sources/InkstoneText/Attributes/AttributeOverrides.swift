/// Values that some keys are to have, or no value, apart from any text: what a user has chosen to type with, beside what the text
/// around it gives.
public struct AttributeOverrides: Sendable {
    private var values = TextAttributes()
    /// Those of which a value is taken away. None of them is in ``values``.
    private var removed: [AttributeKeyInfo] = []

    /// None.
    public init() {}

    /// The difference that makes the attributes of text that is typed somewhere those of other text; paragraph keys are left alone.
    package init(of typed: TextAttributes, like other: TextAttributes) {
        for key in other.differences(from: typed) where key.boundaries == nil {
            values[key] = other[key]
            if values[key] == nil { removed.append(key) }
        }
    }

    /// Whether no key is concerned.
    public var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// Has a key have a value, or none; none also for a value that the key does not let pass.
    public mutating func set<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        let info = AttributeKeys.info(key)
        values[key] = value
        removed.removeAll { $0 === info }
        if values[info] == nil { removed.append(info) }
    }

    /// Attributes with these in place of their own. What depends on a key that changes goes.
    public func applied(to attributes: TextAttributes) -> TextAttributes {
        isEmpty ? attributes : applied(to: AttributeTable.id(of: attributes)).attributes
    }

    /// Attributes with the values of these that other attributes have as well, of keys whose values have parts.
    package func applied(to attributes: TextAttributes, asIn other: TextAttributes) -> TextAttributes {
        var result = attributes
        for item in values.items where item.key.parts != nil && values.agrees(with: other, on: item.key) {
            result[item.key] = item.value
        }
        return result
    }

    func applied(to id: AttributeID) -> AttributeID {
        isEmpty ? id : id.replacing(values.items.map(\.key) + removed, by: values)
    }
}
