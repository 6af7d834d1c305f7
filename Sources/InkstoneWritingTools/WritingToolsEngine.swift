public import InkstoneBase
public import InkstoneText
import InkstoneWords

/// A service that marks or rewrites text. Requests and results are values, so it may work on any thread.
public protocol WritingToolsEngine: Sendable {
    /// The tools that the engine offers.
    var tools: [WritingTool] { get }
    /// Whether the engine keeps all text on this machine.
    var isLocal: Bool { get }
    /// Processes a request. The stream of events ends after ``WritingToolsEvent/finished(_:)``, or throws the
    /// reason why there is no result. Terminating the iteration cancels the work.
    func process(_ request: WritingToolsRequest) -> AsyncThrowingStream<WritingToolsEvent, any Error>
}

/// An event of an engine's work. Ranges are in UTF-16 units of the context's text as it was sent, regardless of
/// replacements since.
public enum WritingToolsEvent: Sendable {
    /// A part of the text is marked. The mark replaces an earlier one with the same identity.
    case mark(WritingToolsMark)
    /// The mark with this identity is removed.
    case retract(Int)
    /// A range is to be replaced by a text. If `isFinal` is false, the text is only the beginning of the
    /// replacement, and a later event has a longer text for the same range.
    case replace(Range<UTF16Offset>, with: WritingToolsText, isFinal: Bool = true)
    /// The part of the work that is done, from 0 to 1; nil if unknown.
    case progress(Double?)
    /// The work is complete, perhaps with a sentence for the user.
    case finished(String? = nil)
}

/// A replacement by an engine.
public enum WritingToolsText: Sendable, ExpressibleByStringLiteral {
    /// A text that gets the attributes of the text that it replaces.
    case plain(String)
    /// A text with attributes of its own.
    case rich(StyledText)

    /// Creates a text without attributes.
    public init(stringLiteral value: String) { self = .plain(value) }

    /// The text without its attributes.
    public var string: String {
        switch self {
        case .plain(let string): string
        case .rich(let text): text.rope.string(in: text.rope.byteRange)
        }
    }
}

/// A part of a text that an engine comments on.
public struct WritingToolsMark: Hashable, Sendable, Identifiable {
    /// The kind of problem that a mark points out.
    public enum Kind: Hashable, Sendable {
        /// A word is in no dictionary.
        case spelling
        /// A sentence has a mistake.
        case grammar
        /// The style, or something else, could be improved.
        case style
    }

    /// The identity of the mark, unique among the marks of a request.
    public var id: Int
    /// The marked range in UTF-16 units. In an event it refers to the context's text as it was sent; in
    /// ``WritingToolsCoordinator/marks(of:)`` to the present text.
    public var range: Range<UTF16Offset>
    /// The kind of problem in the marked text.
    public var kind: Kind
    /// The comment, as a sentence for the user.
    public var message: String
    /// The suggested replacements of the marked text, the best first.
    public var suggestions: [String]

    /// Creates a mark on a range, by default without a comment and suggestions.
    public init(
        id: Int, range: Range<UTF16Offset>, kind: Kind, message: String = "", suggestions: [String] = []
    ) {
        (self.id, self.range, self.kind, self.message, self.suggestions) = (id, range, kind, message, suggestions)
    }
}

/// The outcome of an event: the change that it has made, or the reason for none.
public enum WritingToolsOutcome: Hashable, Sendable {
    /// The event was handled; it may have changed the text, the marks or the progress, or ended the run. The given
    /// number of parts of a replacement was refused: the user has changed the text that they replace, or that text is
    /// protected.
    case applied(refusedParts: Int)
    /// The replacement was stored as a proposal, and the text is unchanged.
    case proposed
    /// The event was refused, and the text is unchanged.
    case refused(WritingToolsRefusal)
    /// The event will be handled when the present composition has ended.
    case waiting
    /// The event was ignored, because its run had already ended.
    case ignored
}

/// The reason why a request or an event was refused.
public enum WritingToolsRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text that the event refers to was changed since it was sent, or the session has refused the edit.
    case changed
    /// The range is outside the text that was sent.
    case outOfRange
    /// The range covers only a part of a range that was replaced before.
    case overlapping
    /// The text that the event refers to is protected.
    case protected
    /// The text is not editable, or permits no tools.
    case notEditable
    /// A run cannot begin on the context: another run has used it, or 16 newer contexts have replaced it.
    case expired
    /// The engine has sent too many events.
    case excess

    /// The reason as a sentence for the user.
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
