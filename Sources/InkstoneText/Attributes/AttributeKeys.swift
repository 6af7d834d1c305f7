import Synchronization

/// The registry of the attribute keys known to the process.
public enum AttributeKeys {
    private struct Known {
        var byType: [ObjectIdentifier: AttributeKeyInfo] = [:]
        var byName: [String: AttributeKeyInfo] = [:]
        var former: [String: @Sendable ([UInt8]) -> TextAttributes?] = [:]
    }

    private static let known = Mutex(Known())

    /// Registers a key, so that its encoded values can be decoded. Using a key registers it as well.
    ///
    /// Traps if a key with the same name, but another type of value or other rules, is registered.
    public static func register<Key: AttributeKey>(_ key: Key.Type) { _ = info(key) }

    static func info(of key: any AttributeKey.Type) -> AttributeKeyInfo { info(key) }

    static func info<Key: AttributeKey>(_ key: Key.Type) -> AttributeKeyInfo {
        known.withLock { known in
            let type = ObjectIdentifier(key)
            if let info = known.byType[type] { return info }
            let new = AttributeKeyInfo(key, index: known.byName.count)
            let info = known.byName[new.name] ?? new
            precondition(info.agrees(with: new), "two attribute keys named \(new.name) differ in values or rules")
            known.byType[type] = info
            known.byName[new.name] = info
            return info
        }
    }

    /// Registers a replacement for a key that no longer exists but may still occur in journals and on clipboards.
    /// `attributes` converts an encoded value of the former key to attributes; it returns nil for bytes that are no
    /// such value.
    package static func registerFormer(
        _ name: String, attributes: @escaping @Sendable (_ value: [UInt8]) -> TextAttributes?
    ) {
        known.withLock { $0.former[name] = attributes }
    }

    /// Returns the attributes that an encoded value of a registered or former key stands for. No attributes if the
    /// key is neither, if it has no encoding, or if the bytes do not encode a value of the key.
    static func decode(_ value: [UInt8], named name: String) -> TextAttributes {
        let (info, former) = known.withLock { ($0.byName[name], $0.former[name]) }
        guard let info else { return former?(value) ?? TextAttributes() }
        var result = TextAttributes()
        result[info] = info.coding?.decode(value)
        return result
    }
}

/// The registered properties of an attribute key. Code that sets very many values of a key looks the key up once and
/// keeps this value.
@usableFromInline
package struct KnownAttributeKey<Key: AttributeKey>: Sendable {
    @usableFromInline let info: AttributeKeyInfo

    package init(_ key: Key.Type) { info = AttributeKeys.info(key) }
}

/// The properties of an attribute key, stored once for each key of the process.
@usableFromInline
final class AttributeKeyInfo: Sendable {
    /// A key's functions for encoding and decoding values.
    struct Coding: Sendable {
        var encode: @Sendable (any Hashable & Sendable) -> [UInt8]?
        var decode: @Sendable ([UInt8]) -> (any Hashable & Sendable)?
    }

    /// The rules of a key whose values have parts: see ``PartlyInheritedAttributeKey``.
    struct Parts: Sendable {
        /// Returns the parts of a value that are inherited by text typed next to text with the value; nil if there are
        /// none.
        var added: @Sendable (any Hashable & Sendable) -> (any Hashable & Sendable)?
        /// Returns the parts of a value that text inserted between two characters inherits; nil if there are none.
        /// The first two arguments are the values of the two characters: the parts that both have are inherited.
        /// The third argument has the parts that the text inherits from one character alone (see ``added``), or is
        /// nil: these parts are inherited as well.
        var shared:
            @Sendable (any Hashable & Sendable, any Hashable & Sendable, (any Hashable & Sendable)?) -> (
                any Hashable & Sendable
            )?
    }

    /// The number by which keys are sorted: the order of their registration.
    let index: Int
    let name: String
    let type: any AttributeKey.Type
    let valueType: ObjectIdentifier
    let isInherited: Bool
    /// Whether text inserted inside a run inherits the attribute, although text added at the run's ends does not.
    let isInheritedInside: Bool
    /// Whether the empty paragraph after the last newline inherits the attribute from the paragraph before.
    let goesOnAtEnd: Bool
    let boundaries: AttributeRunBoundaries?
    let conditions: Set<AttributeInvalidationCondition>
    /// Whether values are attachments, whose contents may be large.
    let holdsContents: Bool
    let coding: Coding?
    /// The rules for inheriting parts of a value; nil for a key whose values are inherited whole or not at all.
    let parts: Parts?

    init<Key: AttributeKey>(_ key: Key.Type, index: Int) {
        self.index = index
        name = key.name
        type = key
        valueType = ObjectIdentifier(Key.Value.self)
        isInherited = key.inheritedByAddedText
        isInheritedInside = !key.inheritedByAddedText && key.inheritedByTextInside
        goesOnAtEnd = key.inheritedByLastParagraph
        boundaries = key.runBoundaries
        conditions = key.invalidationConditions
        holdsContents = Key.Value.self == TextAttachment.self
        if let coded = key as? any CodedAttributeKey.Type { coding = Self.makeCoding(coded) } else { coding = nil }
        if let key = key as? any PartlyInheritedAttributeKey.Type { parts = Self.makeParts(key) } else { parts = nil }
    }

    private static func makeParts<Key: PartlyInheritedAttributeKey>(_ key: Key.Type) -> Parts {
        Parts(
            added: { ($0 as? Key.Value)?.intersection(Key.partsInheritedByAddedText).nonEmpty },
            shared: { a, b, rest in
                guard let a = a as? Key.Value, let b = b as? Key.Value else { return rest }
                return a.intersection(b).union(rest as? Key.Value ?? []).nonEmpty
            })
    }

    private static func makeCoding<Key: CodedAttributeKey>(_ key: Key.Type) -> Coding {
        Coding(encode: { ($0 as? Key.Value).map(Key.encode) }, decode: { Key.decode($0).flatMap(Key.checked) })
    }

    func agrees(with other: AttributeKeyInfo) -> Bool {
        valueType == other.valueType && isInherited == other.isInherited
            && isInheritedInside == other.isInheritedInside && goesOnAtEnd == other.goesOnAtEnd
            && boundaries == other.boundaries && conditions == other.conditions
            && (parts == nil) == (other.parts == nil)
    }

    var isTextDependent: Bool { conditions.contains(.textChanged) }

    func depends(on other: AttributeKeyInfo) -> Bool { conditions.contains(.attributeChanged(named: other.name)) }
}

extension SetAlgebra {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
