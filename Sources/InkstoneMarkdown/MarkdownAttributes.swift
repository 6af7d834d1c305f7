import InkstoneBase
import InkstoneText

/// Title of a link: words that Markdown has beside its destination.
public enum LinkTitleAttribute: CodedAttributeKey {
    /// A title.
    public typealias Value = String
    /// The name of the key.
    public static let name = "inkstone.link-title"
    /// Not at its ends, as the link.
    public static let inheritedByAddedText = false
    /// Between two of its characters.
    public static let inheritedByTextInside = true
}

/// The whole destination of a link, where it is longer than `LinkAttribute` takes it.
package enum MarkdownDestinationAttribute: CodedAttributeKey {
    package typealias Value = String
    package static let name = "inkstone.markdown-destination"
    package static let inheritedByAddedText = false
    package static let inheritedByTextInside = true
}

/// The picture that a stretch of text stands for in Markdown: the text says what the picture shows. Nothing opens it. A character with an
/// `AttachmentAttribute` beside it shows the picture, and the attachment says what that shows.
public enum MarkdownImageAttribute: CodedAttributeKey {
    /// The picture's address, and its title.
    public struct Value: Hashable, Sendable {
        /// The address, as in the source.
        public var source: String
        /// Words beside it; empty for none.
        public var title: String

        /// A picture.
        public init(source: String, title: String = "") { (self.source, self.title) = (source, title) }
    }

    /// The name of the key.
    public static let name = "inkstone.markdown-image"
    /// Not at its ends.
    public static let inheritedByAddedText = false
    /// Between two of its characters.
    public static let inheritedByTextInside = true

    /// The address, a line end, the title.
    public static func encode(_ value: Value) -> [UInt8] { Array("\(value.source)\n\(value.title)".utf8) }
    /// The picture of such lines.
    public static func decode(_ bytes: [UInt8]) -> Value? {
        guard let text = String(validating: bytes, as: UTF8.self), let end = text.unicodeScalars.firstIndex(of: "\n")
        else { return nil }
        return Value(source: String(text[..<end]), title: String(text[text.unicodeScalars.index(after: end)...]))
    }

    /// The picture, without line ends in its address.
    public static func checked(_ value: Value) -> Value? {
        guard value.source.unicodeScalars.contains("\n") else { return value }
        return Value(
            source: String(value.source.unicodeScalars.filter { $0 != "\n" }.map(Character.init)), title: value.title)
    }
}
