/// Values of some keys, and other keys to remove, independent of any text: the user's typing attributes, which
/// override inherited attributes.
package struct AttributeOverrides: Sendable {
    private var values = TextAttributes()
    /// The keys to remove; disjoint from the keys of ``values``.
    private var removed: [AttributeKeyInfo] = []

    /// Creates no overrides: attributes are left as they are.
    package init() {}

    /// Creates the overrides that turn the attributes of typed text into those of another text. Paragraph keys and keys
    /// bound to a scalar are left alone.
    package init(of typed: TextAttributes, like other: TextAttributes) {
        for key in other.differences(from: typed) where key.boundaries == nil {
            values[key] = other[key]
            if values[key] == nil { removed.append(key) }
        }
    }

    package var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// Sets the value of a key. If the value is nil, or one that the key rejects, the overrides remove the key.
    package mutating func set<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) {
        let info = AttributeKeys.info(key)
        values[key] = value
        removed.removeAll { $0 === info }
        if values[info] == nil { removed.append(info) }
    }

    /// Returns the value that the overrides set for a key; nil if they set none.
    package func value<Key: AttributeKey>(of key: Key.Type) -> Key.Value? { values[key] }

    /// Returns `attributes` with the overrides applied. Attributes that depend on a changed key are removed.
    package func applied(to attributes: TextAttributes) -> TextAttributes {
        isEmpty ? attributes : applied(to: AttributeTable.id(of: attributes)).attributes
    }

    /// Returns `attributes` with only some of the overrides applied: those of keys whose values consist of parts (see
    /// ``PartlyInheritedAttributeKey``) and for which `other` has the value of the overrides.
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
