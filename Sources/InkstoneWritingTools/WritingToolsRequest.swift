public import InkstoneBase
public import InkstoneText

/// The part that writing tools may play in a text.
public enum WritingToolsBehavior: Hashable, Sendable {
    /// No writing tools.
    case none
    /// Results are kept as a proposal beside the text, which the user accepts or rejects.
    case limited
    /// Results are put into the text as they come.
    case complete
}

/// The kinds of results that a text takes. Engines get them with each request; attributes of a result count only with ``rich``.
public struct WritingToolsResultOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// A set by its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Characters alone.
    public static let plain = WritingToolsResultOptions(rawValue: 1)
    /// Text with attributes.
    public static let rich = WritingToolsResultOptions(rawValue: 2)
    /// Lists.
    public static let list = WritingToolsResultOptions(rawValue: 4)
    /// Tables.
    public static let table = WritingToolsResultOptions(rawValue: 8)
    /// Presentation intents, such as headings.
    public static let presentationIntent = WritingToolsResultOptions(rawValue: 16)
}

/// The part of a text that a tool works on.
public enum WritingToolsScope: Hashable, Sendable {
    /// The selected ranges; for a caret, its paragraph.
    case selection
    /// The whole text.
    case document
    /// The part in sight.
    case visible
}

/// A kind of work.
public enum WritingTool: Hashable, Sendable {
    /// Marks mistakes.
    case proofread
    /// Writes the text in other words.
    case rewrite
    /// Makes the text shorter.
    case summarize
    /// Another tool, by its name.
    case custom(String)
}

/// A part of a document's text as it was at one version, for an engine. Ranges are in UTF-16 units of ``text``.
public struct WritingToolsContext: Sendable, Identifiable {
    /// The identity, unique in the process.
    public let id: DocumentID
    /// The version of the document that the text is of.
    public let version: TextVersion
    /// The start of the text in that version of the document, in UTF-16 units.
    public let start: UTF16Offset
    /// The text: whole paragraphs around ``range``.
    public let text: StyledText
    /// The part to work on.
    public let range: Range<UTF16Offset>
    /// The language, such as `de_DE`; nil if it is not known.
    public let language: String?
    /// The parts that must stay as they are, in order and without overlap.
    public let protected: [Range<UTF16Offset>]
}

/// A request to an engine.
public struct WritingToolsRequest: Sendable {
    /// The text to work on.
    public let context: WritingToolsContext
    /// The kind of work.
    public let tool: WritingTool
    /// The kinds of results that the text takes.
    public let resultOptions: WritingToolsResultOptions

    /// A request for a tool.
    public init(_ tool: WritingTool, on context: WritingToolsContext, resultOptions: WritingToolsResultOptions = .plain)
    {
        (self.tool, self.context, self.resultOptions) = (tool, context, resultOptions)
    }
}

/// Text that writing tools must leave as it is. Text typed next to it is not protected; text put inside is.
public enum WritingToolsExclusionAttribute: CodedAttributeKey {
    /// Always true.
    public typealias Value = Bool
    /// The name of the key.
    public static let name = "inkstone.exclude-from-writing-tools"
    /// False.
    public static let inheritedByAddedText = false
    /// True.
    public static let inheritedByTextInside = true
    /// Nil for false, which means the same as no value.
    public static func checked(_ value: Bool) -> Bool? { value ? value : nil }
}
