/// An attribute that text can have: what its value is, and how it follows edits.
///
/// A type without cases that names the attribute:
///
/// ```swift
/// enum Link: AttributeKey {
///     typealias Value = String
///     static let name = "com.example.link"
///     static let inheritedByAddedText = false
/// }
/// ```
///
/// A key is known by its name: two types of one name are one key, and must have the same values and rules.
public protocol AttributeKey: SendableMetatype {
    /// What the attribute says of a run.
    associatedtype Value: Hashable & Sendable

    /// Its name, unique among all keys of a process.
    static var name: String { get }
    /// Whether text that is typed next to text that has it gets it too. True unless said otherwise.
    static var inheritedByAddedText: Bool { get }
    /// Whether text that is put between two characters that have the same value of it gets it too. ``inheritedByAddedText`` unless said
    /// otherwise: a link does not grow at its ends, and is no two links where it is edited.
    static var inheritedByTextInside: Bool { get }
    /// Whether text that is put behind the last newline of a text takes it over from the paragraph before. True unless said otherwise.
    static var inheritedByLastParagraph: Bool { get }
    /// Where its runs have to end; nil, unless said otherwise, for anywhere.
    static var runBoundaries: AttributeRunBoundaries? { get }
    /// What takes it away from text that has it; nothing unless said otherwise.
    static var invalidationConditions: Set<AttributeInvalidationCondition> { get }

    /// The value in range that stands for a value of the program, a clipboard or a journal; nil for none. Each value passes here before
    /// it is stored. A value that is not equal to itself, as a number that is none, must not pass: no table would find it again. Unless said
    /// otherwise that is all that does not.
    static func checked(_ value: Value) -> Value?
}

extension AttributeKey {
    /// True.
    public static var inheritedByAddedText: Bool { true }
    /// The value of ``inheritedByAddedText``.
    public static var inheritedByTextInside: Bool { inheritedByAddedText }
    /// True.
    public static var inheritedByLastParagraph: Bool { true }
    /// Anywhere.
    public static var runBoundaries: AttributeRunBoundaries? { nil }
    /// None.
    public static var invalidationConditions: Set<AttributeInvalidationCondition> { [] }
    /// The value itself; nil for one that is not equal to itself.
    public static func checked(_ value: Value) -> Value? { value == value ? value : nil }
}

/// An attribute of several parts that follow edits in different ways: of the roles of text, emphasis grows with what is typed behind it, and
/// code does not.
///
/// Text that is put between two characters gets the parts that both have, whatever they are.
public protocol PartlyInheritedAttributeKey: AttributeKey where Value: SetAlgebra {
    /// The parts that text gets which is typed next to text that has them.
    static var partsInheritedByAddedText: Value { get }
}

/// An attribute whose values can be written down: it survives copies to other processes and is in recovery journals.
///
/// What is not coded is left out there. Say ``AttributeKeys/register(_:)`` for keys that may have to be read before
/// the program has used them.
public protocol CodedAttributeKey: AttributeKey {
    /// A value as bytes.
    static func encode(_ value: Value) -> [UInt8]
    /// The value that bytes stand for; nil if they are none of this key's.
    static func decode(_ bytes: [UInt8]) -> Value?
}

extension CodedAttributeKey where Value: LosslessStringConvertible {
    /// The value's description in UTF-8.
    public static func encode(_ value: Value) -> [UInt8] { Array(value.description.utf8) }
    /// The value with that description.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        String(validating: bytes, as: UTF8.self).flatMap { Value($0) }
    }
}

/// Where runs of an attribute have to end.
public enum AttributeRunBoundaries: Hashable, Sendable {
    /// At the ends of paragraphs: all of a paragraph has the same value, that of its first character.
    case paragraph
    /// Around each occurrence of a scalar: nothing but that scalar has the attribute. Attachments commonly stand on U+FFFC.
    case scalar(Unicode.Scalar)
}

/// What takes an attribute away.
public enum AttributeInvalidationCondition: Hashable, Sendable {
    /// An edit of the text in a run takes it from the whole of the run: a spelling mark. Text that is inserted between two
    /// runs touches neither.
    case textChanged
    /// A change of another attribute, known by its name, takes it from the text where that changed.
    case attributeChanged(named: String)

    /// A change of another attribute.
    public static func attributeChanged<Key: AttributeKey>(_ key: Key.Type) -> Self {
        .attributeChanged(named: key.name)
    }
}
