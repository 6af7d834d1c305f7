public import InkstoneBase
public import InkstoneText
import InkstoneWords

/// A service that marks or rewrites text. It gets values and gives values, on any thread.
public protocol WritingToolsEngine: Sendable {
    /// The tools that the engine has.
    var tools: [WritingTool] { get }
    /// Whether no text leaves the machine.
    var isLocal: Bool { get }
    /// Begins to work. The stream ends after ``WritingToolsEvent/finished(_:)``, or throws the reason why there is no result. Ending the
    /// iteration of the stream gives the work up.
    func process(_ request: WritingToolsRequest) -> AsyncThrowingStream<WritingToolsEvent, any Error>
}

/// A step of an engine's work. Ranges are in UTF-16 units of the context's text as it was sent, whatever was replaced since.
public enum WritingToolsEvent: Sendable {
    /// A mark on a part of the text; one with the same identity is replaced.
    case mark(WritingToolsMark)
    /// The mark with an identity is void.
    case retract(Int)
    /// Text in place of a range. Where `isFinal` is false the text is only the beginning of what it will be: the whole comes again for the
    /// same range.
    case replace(Range<UTF16Offset>, with: WritingToolsText, isFinal: Bool = true)
    /// The part of the work that is done, from 0 to 1; nil if the engine cannot say.
    case progress(Double?)
    /// The end of the work, perhaps with a sentence for the user.
    case finished(String? = nil)
}

/// A result of an engine.
public enum WritingToolsText: Sendable, ExpressibleByStringLiteral {
    /// Characters, which take the attributes of what they replace.
    case plain(String)
    /// Text with its own attributes.
    case rich(StyledText)

    /// Characters.
    public init(stringLiteral value: String) { self = .plain(value) }

    /// The text without its attributes.
    public var string: String {
        switch self {
        case .plain(let string): string
        case .rich(let text): text.rope.string(in: text.rope.byteRange)
        }
    }
}

/// A part of a text that an engine has something to say about.
public struct WritingToolsMark: Hashable, Sendable, Identifiable {
    /// A class of mistakes.
    public enum Kind: Hashable, Sendable {
        /// A word that no dictionary has.
        case spelling
        /// A fault in a sentence.
        case grammar
        /// Anything else.
        case style
    }

    /// The identity, unique among the marks of a request.
    public var id: Int
    /// The marked part in UTF-16 units: of the context as it was sent in an event, of the present text in ``WritingToolsCoordinator/marks(of:)``.
    public var range: Range<UTF16Offset>
    /// The class of the mistake.
    public var kind: Kind
    /// A sentence for the user.
    public var message: String
    /// Texts that might stand there, the best first.
    public var suggestions: [String]

    /// A mark.
    public init(
        id: Int, range: Range<UTF16Offset>, kind: Kind, message: String = "", suggestions: [String] = []
    ) {
        (self.id, self.range, self.kind, self.message, self.suggestions) = (id, range, kind, message, suggestions)
    }
}

/// The effect of an event on the text.
public enum WritingToolsOutcome: Hashable, Sendable {
    /// The text or the marks have changed; so many parts of a replacement were refused, because the user has changed what they replace or
    /// because they are protected.
    case applied(refusedParts: Int)
    /// A proposal was kept beside the text.
    case proposed
    /// A refusal: nothing was done.
    case refused(WritingToolsRefusal)
    /// The event takes effect at the end of the composition that is going on.
    case waiting
    /// The request has ended before.
    case ignored
}

/// A reason why nothing was done.
public enum WritingToolsRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The user has changed the text in question.
    case changed
    /// The range is not in the text that was sent.
    case outOfRange
    /// The range covers a part of one that was replaced before.
    case overlapping
    /// The text in question is protected.
    case protected
    /// The text may not be edited here.
    case notEditable
    /// The context is too old.
    case expired
    /// The engine has sent more than anybody can use.
    case excess

    /// A sentence for the user.
    public var description: String {
        switch self {
        case .changed: localized("The text was changed meanwhile, so the result was left out.")
        case .outOfRange: localized("The tool has named a part of the text that is not there.")
        case .overlapping: localized("The tool has rewritten a part of what it had rewritten before.")
        case .protected: localized("This part of the text is protected from writing tools.")
        case .notEditable: localized("This text cannot be edited.")
        case .expired: localized("The tool was asked about a text that is too old. Try again.")
        case .excess: localized("The tool has sent too much, and was stopped.")
        }
    }
}
