/// An attribute that text can have: the type of its value, and its rules for edits.
///
/// The attribute is declared as a type without cases:
///
/// ```swift
/// enum Link: AttributeKey {
///     typealias Value = String
///     static let name = "com.example.link"
///     static let inheritedByAddedText = false
/// }
/// ```
///
/// A key is identified by its name: two types with the same name are one key, and must have the same values and
/// rules.
public protocol AttributeKey: SendableMetatype {
    /// The type of the attribute's value.
    associatedtype Value: Hashable & Sendable

    /// The name of the key, unique among all keys of a process.
    static var name: String { get }
    /// Whether text typed next to text with the attribute inherits the attribute. Default: true.
    static var inheritedByAddedText: Bool { get }
    /// Whether text inserted between two characters with the same value inherits the attribute. Default:
    /// ``inheritedByAddedText``; no effect if that is true. For example a link does not grow at its ends, and an
    /// edit inside a link does not split it.
    static var inheritedByTextInside: Bool { get }
    /// Whether the empty paragraph after the last newline of a text inherits the attribute from the paragraph
    /// before. Default: true.
    static var inheritedByLastParagraph: Bool { get }
    /// The only positions where the value may change from one character to the next. A run ends where the value
    /// changes. Nil, the default, if it may change anywhere.
    static var runBoundaries: AttributeRunBoundaries? { get }
    /// The conditions that remove the attribute from text that has it. Default: none.
    static var invalidationConditions: Set<AttributeInvalidationCondition> { get }

    /// Returns the value to store for a value that comes from the program, a clipboard or a journal, for example
    /// with its numbers clamped; nil if the value cannot be made valid. Each value passes through this function
    /// before it is stored. A value that is not equal to itself, such as a NaN, must be rejected, because no table
    /// would find it again. The default rejects only such values.
    static func checked(_ value: Value) -> Value?
}

extension AttributeKey {
    /// The default: true.
    public static var inheritedByAddedText: Bool { true }
    /// The default of a key that does not state it: the value of ``inheritedByAddedText``.
    public static var inheritedByTextInside: Bool { inheritedByAddedText }
    /// The default: true.
    public static var inheritedByLastParagraph: Bool { true }
    /// The default of a key that does not state it: nil, so that the value may change anywhere.
    public static var runBoundaries: AttributeRunBoundaries? { nil }
    /// The default of a key that does not state it: no conditions.
    public static var invalidationConditions: Set<AttributeInvalidationCondition> { [] }
    /// Returns the default: the value itself; nil for a value that is not equal to itself.
    public static func checked(_ value: Value) -> Value? { value == value ? value : nil }
}

/// An attribute whose value consists of parts with different rules for edits. An example is an attribute of the
/// roles of text: text typed after emphasis is emphasis too, but text typed after code is not code.
///
/// Text inserted between two characters inherits the parts that both characters have, whatever the rules of the
/// parts.
public protocol PartlyInheritedAttributeKey: AttributeKey where Value: SetAlgebra {
    /// The parts that are inherited by text which is typed next to text with these parts.
    static var partsInheritedByAddedText: Value { get }
}

/// An attribute whose values can be encoded. Such attributes survive copies to other processes and are recorded in
/// recovery journals.
///
/// Other attributes are left out of copies and journals. Call ``AttributeKeys/register(_:)`` for keys whose values
/// may have to be decoded before the program has used them.
public protocol CodedAttributeKey: AttributeKey {
    /// Encodes a value as bytes.
    static func encode(_ value: Value) -> [UInt8]
    /// Decodes a value from bytes; nil if the bytes do not encode a value of this key.
    static func decode(_ bytes: [UInt8]) -> Value?
}

extension CodedAttributeKey where Value: LosslessStringConvertible {
    /// Encodes the value's description in UTF-8.
    public static func encode(_ value: Value) -> [UInt8] { Array(value.description.utf8) }
    /// Decodes a value from its description; nil if the bytes are not the description of a value.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        String(validating: bytes, as: UTF8.self).flatMap { Value($0) }
    }
}

/// The positions to which the ends of an attribute's runs are restricted.
public enum AttributeRunBoundaries: Hashable, Sendable {
    /// At the ends of paragraphs: all of a paragraph has the value of the paragraph's first character.
    case paragraph
    /// Around each occurrence of a scalar: only that scalar may have the attribute. For example, attachments are
    /// usually on U+FFFC.
    case scalar(Unicode.Scalar)
}

/// A condition that removes an attribute.
public enum AttributeInvalidationCondition: Hashable, Sendable {
    /// An edit of the text in a run removes the attribute from the whole run: for example a spelling mark. Text
    /// inserted between two runs removes it from neither.
    case textChanged
    /// A change of another attribute, identified by its name, removes the attribute from the text where the other
    /// changed.
    case attributeChanged(named: String)

    /// Returns the condition that another attribute, identified by its key, changes.
    public static func attributeChanged<Key: AttributeKey>(_ key: Key.Type) -> Self {
        .attributeChanged(named: key.name)
    }
}
