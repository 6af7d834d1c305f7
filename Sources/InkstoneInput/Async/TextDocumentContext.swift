public import InkstoneBase
import InkstoneText

/// The text around a selection. It is split into strings, so no offsets are needed. The counterpart of Apple's
/// `BETextDocumentContext`.
public struct TextDocumentContext: Hashable, Sendable {
    /// The selected text; nil for a caret.
    public var selectedText: String?
    /// The text before the selection; nil at the start of the document.
    public var contextBefore: String?
    /// The text after the selection; nil at the end of the document.
    public var contextAfter: String?
    /// The marked text; nil without a composition.
    public var markedText: String?
    /// The selected range, in UTF-16 units from the start of the marked text. `notFound` without a composition.
    public var selectedRangeInMarkedText: UTF16Range

    /// Creates a context from its parts.
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

/// A text that the user may choose instead of typing on. The counterpart of Apple's `BETextSuggestion`.
public struct TextSuggestion: Hashable, Sendable {
    /// The text that the suggestion inserts.
    public var inputText: String
    /// The text before the caret that the suggestion replaces, such as the beginning of a word; may be empty. If
    /// the text there has changed, the suggestion is not inserted.
    public var replacedText: String

    /// Creates a suggestion from its parts.
    public init(_ inputText: String, replacing replacedText: String = "") {
        self.inputText = inputText
        self.replacedText = replacedText
    }
}

/// Other possible readings of a range of text, for example of handwriting or dictation. The counterpart of Apple's
/// `BETextAlternatives`.
public struct TextAlternatives: Hashable, Sendable {
    /// The reading that the document contains.
    public var primary: String
    /// The possible replacements, the likeliest first.
    public var alternatives: [String]

    /// Creates alternatives for a text.
    public init(_ primary: String, alternatives: [String]) {
        self.primary = primary
        self.alternatives = alternatives
    }
}

/// The alternatives for the text of one view. Each is for a range, which moves with edits. If the text of an entry
/// was edited, the next access to the list removes the entry. If there are more than a thousand entries, the oldest
/// is removed.
public final class TextAlternativesList {
    /// The maximum number of entries; a further one removes the oldest. Each entry adds some cost to every edit, and
    /// every access compares its text with the document.
    private static let limit = 1000

    /// The ranges of text with their alternatives, oldest first.
    private var entries: [(anchor: any InputAnchor, alternatives: TextAlternatives)] = []

    /// Creates an empty list.
    public init() {}

    /// Adds alternatives for a range of a client's text, in place of older ones that overlap it. Does nothing if
    /// the text there is empty or differs from the primary one.
    public func add(
        _ alternatives: TextAlternatives, at range: UTF16Range, in client: any TextInputClient & AnchoredTextInput
    ) {
        removeEdited(in: client)
        guard text(at: range, in: client) == alternatives.primary, !alternatives.primary.isEmpty else { return }
        entries.removeAll { overlaps($0.anchor.range, range) }
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append((client.makeInputAnchor(for: range), alternatives))
    }

    /// Returns the alternatives for the text that a range overlaps, and the range of that text. At a caret, it is
    /// the text that the caret is in or touches. Nil if that text has no alternatives.
    public func alternatives(
        at range: UTF16Range, in client: any TextInputClient
    ) -> (alternatives: TextAlternatives, range: UTF16Range)? {
        removeEdited(in: client)
        let found = entries.first {
            range.length > 0 ? overlaps($0.anchor.range, range) : touches($0.anchor.range, range)
        }
        return found.map { ($0.alternatives, $0.anchor.range) }
    }

    /// Removes the alternatives of all ranges.
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
