import InkstoneBase

/// The attributes of a run of text: at most one value for each key.
///
/// A value type without text or position. Runs with equal attributes share one object that holds them.
public struct TextAttributes: Sendable {
    struct Item: Sendable {
        var key: AttributeKeyInfo
        var value: any Hashable & Sendable
    }

    /// The attributes in ascending order of the keys' indices.
    private(set) var items: [Item] = []

    /// Creates an empty set of attributes.
    public init() {}

    /// Creates a set of a single attribute.
    public init<Key: AttributeKey>(_ key: Key.Type, _ value: Key.Value) { self[key] = value }

    init(items: [Item]) { self.items = items }

    /// Whether there are no attributes.
    public var isEmpty: Bool { items.isEmpty }

    /// The names of the keys that have a value.
    public var names: [String] { items.map(\.key.name) }

    /// The value of a key; nil for none. Setting a value that the key rejects removes the attribute. O(n) in the
    /// number of attributes, which are few. Reading takes no lock.
    public subscript<Key: AttributeKey>(_ key: Key.Type) -> Key.Value? {
        get {
            // Find the key by its name, because reading the table of all keys would take a lock.
            let name = Key.name
            return items.first { $0.key.name == name }?.value as? Key.Value
        }
        set {
            // Avoid `flatMap`, whose closure costs as much as the rest of this setter.
            if let newValue { self[AttributeKeys.info(key)] = Key.checked(newValue) } else { remove(key) }
        }
    }

    /// The keys that have a value, with their values, in ascending order of the keys' registration, which differs
    /// between processes.
    package var values: [(key: any AttributeKey.Type, value: any Hashable & Sendable)] {
        items.map { ($0.key.type, $0.value) }
    }

    /// Sets the value of a key that has been looked up. With a value that the key rejects, removes the key. Inlinable,
    /// so that code that sets very many values is compiled for its key.
    @inlinable
    package mutating func set<Key: AttributeKey>(_ value: Key.Value, of key: KnownAttributeKey<Key>) {
        set(Key.checked(value), of: key.info)
    }

    @usableFromInline
    mutating func set(_ value: (any Hashable & Sendable)?, of key: AttributeKeyInfo) { self[key] = value }

    private mutating func remove<Key: AttributeKey>(_ key: Key.Type) {
        if !items.isEmpty { self[AttributeKeys.info(key)] = nil }
    }

    subscript(key: AttributeKeyInfo) -> (any Hashable & Sendable)? {
        get {
            let place = place(of: key)
            return place < items.count && items[place].key.index == key.index ? items[place].value : nil
        }
        set {
            let place = place(of: key)
            let isThere = place < items.count && items[place].key.index == key.index
            switch (newValue, isThere) {
            case (let value?, true): items[place].value = value
            case (let value?, false) where place == items.count: items.append(Item(key: key, value: value))
            case (let value?, false): items.insert(Item(key: key, value: value), at: place)
            case (nil, true): items.remove(at: place)
            case (nil, false): break
            }
        }
    }

    private func place(of key: AttributeKeyInfo) -> Int {
        items.partitioningIndex { $0.key.index >= key.index }
    }

    /// Merges other attributes into these. If both have a value of a key, the other's value is used.
    public mutating func merge(_ other: TextAttributes) {
        for item in other.items { self[item.key] = item.value }
    }

    /// Returns the attributes without the values of some keys.
    package func removing(_ keys: [any AttributeKey.Type]) -> TextAttributes {
        let names = Set(keys.map { $0.name })
        return filter { !names.contains($0.name) }
    }

    /// Whether both sets of attributes have the same value of a key, or both have no value.
    func agrees(with other: TextAttributes, on key: AttributeKeyInfo) -> Bool {
        Self.isEqual(self[key], other[key])
    }

    static func isEqual(_ a: (any Hashable & Sendable)?, _ b: (any Hashable & Sendable)?) -> Bool {
        switch (a, b) {
        case (nil, nil): true
        case (let a?, let b?): isEqual(a, to: b)
        default: false
        }
    }

    private static func isEqual<Value: Hashable>(_ a: Value, to b: any Hashable & Sendable) -> Bool {
        guard let b = b as? Value, a == b else { return false }
        // Compare strings scalar by scalar: canonically equivalent strings may be different addresses or file names.
        guard Value.self == String.self, let a = a as? String, let b = b as? String else { return true }
        return a.hasSameScalars(as: b)
    }

    /// Returns the attributes whose keys meet a condition.
    func filter(_ isIncluded: (AttributeKeyInfo) -> Bool) -> TextAttributes {
        TextAttributes(items: items.filter { isIncluded($0.key) })
    }

    /// Removes the attributes whose keys depend on the `changed` keys, and in turn those whose keys depend on the
    /// removed ones. A key for which `set` returns true was set in the same step: its attribute stays.
    mutating func removeDependents(of changed: [AttributeKeyInfo], but set: (AttributeKeyInfo) -> Bool) {
        var changed = changed
        while let key = changed.popLast() {
            for item in items where item.key !== key && item.key.depends(on: key) && !set(item.key) {
                self[item.key] = nil
                changed.append(item.key)
            }
        }
    }

    /// Returns the keys whose values differ between these and other attributes.
    func differences(from other: TextAttributes) -> [AttributeKeyInfo] {
        items.map(\.key).filter { !agrees(with: other, on: $0) }
            + other.items.map(\.key).filter { self[$0] == nil }
    }
}

extension TextAttributes: Hashable {
    /// Whether both sets of attributes have the same keys and values.
    public static func == (a: Self, b: Self) -> Bool {
        guard a.items.count == b.items.count else { return false }
        for i in a.items.indices {
            guard a.items[i].key === b.items[i].key, isEqual(a.items[i].value, b.items[i].value) else { return false }
        }
        return true
    }

    /// Hashes keys and values.
    public func hash(into hasher: inout Hasher) {
        for item in items {
            hasher.combine(item.key.index)
            item.value.hash(into: &hasher)
        }
    }
}
