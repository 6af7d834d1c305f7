import InkstoneBase
import InkstoneText

/// The title of a link: the text in quotation marks after the link's destination in Markdown.
public enum LinkTitleAttribute: CodedAttributeKey {
    /// The title as text.
    public typealias Value = String
    /// The name of the attribute in stored documents.
    public static let name = "inkstone.link-title"
    /// False: text added at the ends of the link does not get the title.
    public static let inheritedByAddedText = false
    /// True: text inserted within the link gets the title.
    public static let inheritedByTextInside = true
}

/// The complete destination of a link that `LinkAttribute` has cut to its maximum length.
package enum MarkdownDestinationAttribute: CodedAttributeKey {
    package typealias Value = String
    package static let name = "inkstone.markdown-destination"
    package static let inheritedByAddedText = false
    package static let inheritedByTextInside = true
}

/// The picture that a run of text stands for in Markdown; the text is the picture's description. The picture is not
/// loaded. If the run is a character with an `AttachmentAttribute`, the attachment shows the picture and has its
/// description.
public enum MarkdownImageAttribute: CodedAttributeKey {
    /// The address of a picture, and its title.
    public struct Value: Hashable, Sendable {
        /// The address of the picture, as in the Markdown source.
        public var source: String
        /// The title of the picture; empty for none.
        public var title: String

        /// A number that distinguishes equal pictures next to each other: without it, their descriptions would be
        /// joined. Not encoded with the value, and not written as Markdown.
        var ordinal = 0

        /// Creates a value from an address and a title.
        public init(source: String, title: String = "") { (self.source, self.title) = (source, title) }

        init(source: String, title: String, ordinal: Int) {
            (self.source, self.title, self.ordinal) = (source, title, ordinal)
        }

        /// Whether two values have the same scalars in address and title. False for equal pictures that stood next to
        /// each other in a text that was read.
        public static func == (a: Self, b: Self) -> Bool {
            a.ordinal == b.ordinal && a.source.hasSameScalars(as: b.source) && a.title.hasSameScalars(as: b.title)
        }
    }

    /// The name of the attribute in stored documents.
    public static let name = "inkstone.markdown-image"
    /// False: text added at the ends of the run does not belong to the picture.
    public static let inheritedByAddedText = false
    /// True: text inserted within the run belongs to the picture.
    public static let inheritedByTextInside = true

    /// Encodes the value as the address, a newline, and the title.
    public static func encode(_ value: Value) -> [UInt8] { Array("\(value.source)\n\(value.title)".utf8) }
    /// Decodes a value; nil if the bytes are invalid.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        guard let text = String(validating: bytes, as: UTF8.self), let end = text.unicodeScalars.firstIndex(of: "\n")
        else { return nil }
        return Value(source: String(text[..<end]), title: String(text[text.unicodeScalars.index(after: end)...]))
    }

    /// Returns the value without newlines in the address.
    public static func checked(_ value: Value) -> Value? {
        guard value.source.unicodeScalars.contains("\n") else { return value }
        return Value(
            source: String(value.source.unicodeScalars.filter { $0 != "\n" }.map(Character.init)), title: value.title)
    }
}
