public import InkstoneBase
public import InkstoneText

/// The way in which writing tools may change a text.
public enum WritingToolsBehavior: Hashable, Sendable {
    /// Writing tools are not available.
    case none
    /// Results are kept as proposals, which the user accepts or rejects.
    case limited
    /// Results are applied to the text as they arrive.
    case complete
}

/// The kinds of results that a text accepts. Engines get them with each request; the attributes of a result are
/// used only with ``rich``.
public struct WritingToolsResultOptions: OptionSet, Hashable, Sendable {
    /// The raw bits of the set.
    public let rawValue: UInt8

    /// Creates a set from its raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Text without attributes is accepted.
    public static let plain = WritingToolsResultOptions(rawValue: 1)
    /// Text with attributes is accepted.
    public static let rich = WritingToolsResultOptions(rawValue: 2)
    /// Lists are accepted.
    public static let list = WritingToolsResultOptions(rawValue: 4)
    /// Tables are accepted.
    public static let table = WritingToolsResultOptions(rawValue: 8)
    /// Presentation intents, such as headings, are accepted.
    public static let presentationIntent = WritingToolsResultOptions(rawValue: 16)
}

/// The part of a text to work on.
public enum WritingToolsScope: Hashable, Sendable {
    /// The selected ranges; for a caret, the paragraph that contains it.
    case selection
    /// The whole text.
    case document
    /// The visible part of the text.
    case visible
}

/// The kind of work that an engine does on a text.
public enum WritingTool: Hashable, Sendable {
    /// Marks mistakes in the text.
    case proofread
    /// Rewords the text.
    case rewrite
    /// Makes the text shorter.
    case summarize
    /// Another kind of work, by its name.
    case custom(String)
}

/// A part of a document's text at one version, for an engine. Ranges are in UTF-16 units of ``text``.
public struct WritingToolsContext: Sendable, Identifiable {
    /// The identity of the context, unique in the process.
    public let id: DocumentID
    /// The version of the document that contains the text.
    public let version: TextVersion
    /// The start of the text in that version of the document, in UTF-16 units.
    public let start: UTF16Offset
    /// The text: the whole paragraphs that contain ``range``.
    public let text: StyledText
    /// The range of the text to work on.
    public let range: Range<UTF16Offset>
    /// The language of the text, such as `de_DE`; nil if it is unknown.
    public let language: String?
    /// The ranges of the text that must not be changed, in order and without overlap.
    public let protected: [Range<UTF16Offset>]
}

/// A request to an engine: the text, the kind of work, and the accepted kinds of results.
public struct WritingToolsRequest: Sendable {
    /// The text, with the range to work on.
    public let context: WritingToolsContext
    /// The kind of work to do.
    public let tool: WritingTool
    /// The kinds of results that the text accepts.
    public let resultOptions: WritingToolsResultOptions

    /// Creates a request for a tool's work on a context.
    public init(_ tool: WritingTool, on context: WritingToolsContext, resultOptions: WritingToolsResultOptions = .plain)
    {
        (self.tool, self.context, self.resultOptions) = (tool, context, resultOptions)
    }
}

/// An attribute of text that writing tools must not change. Text inserted next to such text is not protected; text
/// inserted within it is.
public enum WritingToolsExclusionAttribute: CodedAttributeKey {
    /// The value, which is always true.
    public typealias Value = Bool
    /// The name of the attribute in stored documents.
    public static let name = "inkstone.exclude-from-writing-tools"
    /// False: text added at the ends of protected text is not protected.
    public static let inheritedByAddedText = false
    /// True: text inserted within protected text is protected too.
    public static let inheritedByTextInside = true
    /// Returns the value, or nil for false, which means the same as a missing attribute.
    public static func checked(_ value: Bool) -> Bool? { value ? value : nil }
}
