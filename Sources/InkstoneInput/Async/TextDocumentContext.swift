public import InkstoneBase
import InkstoneText

/// The text around a selection, cut into strings so that no offset is needed. Apple's `BETextDocumentContext`.
public struct TextDocumentContext: Hashable, Sendable {
    /// The selected text; nil for a caret.
    public var selectedText: String?
    /// The text before the selection; nil at the start of the document.
    public var contextBefore: String?
    /// The text after the selection; nil at the end of the document.
    public var contextAfter: String?
    /// The marked text; nil if nothing is composed.
    public var markedText: String?
    /// The selection in UTF-16 units from the start of the marked text; `notFound` if nothing is composed.
    public var selectedRangeInMarkedText: UTF16Range

    /// A context by its parts.
    public init(
        selectedText: String? = nil, contextBefore: String? = nil, contextAfter: String? = nil,
        markedText: String? = nil,
        selectedRangeInMarkedText: UTF16Range = .notFound
    ) {
        self.selectedText = selectedText
        self.contextBefore = contextBefore
        self.contextAfter = contextAfter
        self.markedText = markedText
        self.selectedRangeInMarkedText = selectedRangeInMarkedText
    }
}

/// A text that the user may choose instead of typing on. Apple's `BETextSuggestion`.
public struct TextSuggestion: Hashable, Sendable {
    /// The text to insert.
    public var inputText: String
    /// The text before the caret that it replaces, such as the beginning of a word; may be empty. If another text stands there by now,
    /// nothing is inserted.
    public var replacedText: String

    /// A suggestion by its parts.
    public init(_ inputText: String, replacing replacedText: String = "") {
        self.inputText = inputText
        self.replacedText = replacedText
    }
}

/// Other readings of a stretch of text, such as of handwriting or dictation. Apple's `BETextAlternatives`.
public struct TextAlternatives: Hashable, Sendable {
    /// The text that stands there.
    public var primary: String
    /// Texts that could stand there instead, the likeliest first.
    public var alternatives: [String]

    /// Readings by their parts.
    public init(_ primary: String, alternatives: [String]) {
        self.primary = primary
        self.alternatives = alternatives
    }
}

/// The alternatives of one view's text, each on a range that moves with edits. They go when their text is edited, and the oldest when
/// there are more than a thousand.
public final class TextAlternativesList {
    /// The most entries of a list: each costs every edit a little, and every look at the list a look at its text.
    private static let limit = 1000

    /// Oldest first.
    private var entries: [(anchor: any InputAnchor, alternatives: TextAlternatives)] = []

    /// No alternatives.
    public init() {}

    /// Adds readings of a range of a client's text, unless something else stands there.
    public func add(
        _ alternatives: TextAlternatives, at range: UTF16Range, in client: any TextInputClient & AnchoredTextInput
    ) {
        removeEdited(in: client)
        guard text(at: range, in: client) == alternatives.primary, !alternatives.primary.isEmpty else { return }
        entries.removeAll { overlaps($0.anchor.range, range) }
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append((client.makeInputAnchor(for: range), alternatives))
    }

    /// The readings of the text that a range overlaps, or that a caret is in or beside, and where that text is; nil if there are none.
    public func alternatives(
        at range: UTF16Range, in client: any TextInputClient
    ) -> (alternatives: TextAlternatives, range: UTF16Range)? {
        removeEdited(in: client)
        let found = entries.first {
            range.length > 0 ? overlaps($0.anchor.range, range) : touches($0.anchor.range, range)
        }
        return found.map { ($0.alternatives, $0.anchor.range) }
    }

    /// Removes all.
    public func removeAll() { entries = [] }

    private func removeEdited(in client: any TextInputClient) {
        entries.removeAll { text(at: $0.anchor.range, in: client) != $0.alternatives.primary }
    }

    private func text(at range: UTF16Range, in client: any TextInputClient) -> String? {
        guard let found = client.attributedSubstring(forProposedRange: range), found.actualRange == range else {
            return nil
        }
        return found.string.string
    }

    private func overlaps(_ a: UTF16Range, _ b: UTF16Range) -> Bool {
        a.location < b.location + b.length && b.location < a.location + a.length
    }

    private func touches(_ a: UTF16Range, _ b: UTF16Range) -> Bool {
        a.location <= b.location + b.length && b.location <= a.location + a.length
    }
}
