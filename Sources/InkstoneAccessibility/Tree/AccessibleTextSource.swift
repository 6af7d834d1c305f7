import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import InkstoneView

/// The text of a node, with the state that was last reported to screen readers.
package final class AccessibleTextSource {
    /// A change of a text, as it is reported to screen readers. Offsets and lengths are in scalars.
    package enum Event: Hashable, Sendable {
        /// Deleted text: its offset, its length, and the text, cut at ``longestText`` bytes. `isSystem`: whether
        /// the program or an input method has deleted it, not the user.
        case deleted(at: Int, length: Int, String, isSystem: Bool)
        /// Inserted text, with the same values as deleted text.
        case inserted(at: Int, length: Int, String, isSystem: Bool)
        case caretMoved(Int)
        case selectionChanged
        case attributesChanged
    }

    /// The largest number of bytes of a text that an event carries; for a secure text, the largest number of
    /// bullets. Screen readers can ask for the rest.
    static let longestText = 64 << 10

    /// The view that shows the text; nil if it no longer exists.
    package private(set) weak var view: EditorView?
    var observation: TextObservation?
    private let links = AccessibleLinks()
    /// The state that was last reported to screen readers; nil before the first report.
    private var last: (text: Rope, caret: Int, selections: [Range<Int>])?

    init(_ view: EditorView) { self.view = view }

    /// The present text; nil if its view no longer exists.
    package var current: AccessibleText? { view.map { AccessibleText(of: $0, known: links) } }

    var role: AccessibleRole { view?.isSecureTextEntry == true ? .passwordText : .text }

    var states: AccessibleStates {
        guard let view else { return [] }
        var states: AccessibleStates = [.focusable, .selectableText]
        states.insert(view.options.isSingleLine ? .singleLine : .multiLine)
        states.insert(view.isEditable ? .editable : .readOnly)
        if view.isFocused { states.insert(.focused) }
        return states
    }

    /// Forgets the reported state. Call when no screen readers listen any more.
    func forget() { last = nil }

    /// Records the present state as reported.
    func note() {
        guard let text = current else { return }
        last = (text.text, text.caret, text.selections)
    }

    // MARK: Events

    /// Returns the events of one update of the view; none if no state was reported before. A change of the text is
    /// at most one deletion and one insertion, of the smallest range that contains all changes. The events of the
    /// caret, of the attributes and of the selection follow. Offsets refer to the text directly after this update;
    /// observers may have edited the text since.
    func events(of update: ViewUpdate) -> [Event] {
        guard let before = last else {
            note()
            return []
        }
        let text = update.applied?.text ?? before.text
        var events: [Event] = []
        let marked = update.markedText?.range
        let wasMarked = update.markedTextBefore?.range
        if let applied = update.applied, !applied.changes.changeMap.isEmpty {
            let ranges = applied.coveringRanges
            let start = text.scalarOffset(at: ranges.new.lowerBound).value
            let isMachine = !applied.origin.isUser
            if !ranges.old.isEmpty {
                let isSystem = isMachine || wasMarked.map { $0.holds(ranges.old) } ?? false
                let single = applied.changes.count == 1 ? applied.changes.removedText(0) : nil
                let old =
                    single.map { ($0, $0.byteRange) }
                    ?? {
                        let before = applied.textBefore
                        return (before, before.byteRange(of: ranges.old))
                    }()
                let (length, removed) = excerpt(of: old.0, old.1)
                events.append(.deleted(at: start, length: length, removed, isSystem: isSystem))
            }
            if !ranges.new.isEmpty {
                let isSystem = isMachine || marked.map { $0.holds(ranges.new) } ?? false
                let (length, inserted) = excerpt(of: text, text.byteRange(of: ranges.new))
                events.append(.inserted(at: start, length: length, inserted, isSystem: isSystem))
            }
        } else if let wasMarked, marked == nil, !wasMarked.isEmpty, update.changes.contains(.markedText) {
            // A composition has ended and kept its text. Report the composed text as deleted, and the same text as
            // inserted by the user. From this, screen readers learn that the text is final.
            let start = text.scalarOffset(at: wasMarked.lowerBound).value
            let (length, kept) = excerpt(of: text, text.byteRange(of: wasMarked))
            events.append(.deleted(at: start, length: length, kept, isSystem: true))
            events.append(.inserted(at: start, length: length, kept, isSystem: false))
        }
        let caret = text.scalarOffset(at: update.selection?.head ?? 0).value
        // If text was replaced, report the caret even if its offset is the same as before.
        if caret != before.caret || events.count > 1 { events.append(.caretMoved(caret)) }
        let isRestyled = update.applied.map { !$0.changes.restyledRanges.isEmpty } ?? false
        if isRestyled || update.changes.contains(.spelling) { events.append(.attributesChanged) }
        let selections = AccessibleText.selectedRanges(of: update.selection, marked: update.markedText).map {
            text.scalarOffset(at: $0.lowerBound).value..<text.scalarOffset(at: $0.upperBound).value
        }
        if selections != before.selections { events.append(.selectionChanged) }
        last = (text, caret, selections)
        return events
    }

    /// Returns the length of a range in scalars, and the text of the range, cut at ``longestText`` bytes. For secure
    /// text, returns a bullet for each scalar instead, at most ``longestText`` bullets.
    private func excerpt(of text: Rope, _ range: Range<ByteOffset>) -> (length: Int, text: String) {
        let start = text.scalarOffset(at: range.lowerBound).value
        let length = text.scalarOffset(at: range.upperBound).value - start
        let end = min(range.upperBound, text.roundedDown(toScalar: range.lowerBound + Self.longestText))
        guard view?.isSecureTextEntry != true else {
            return (length, String(repeating: String(AccessibleText.bullet), count: min(length, Self.longestText)))
        }
        return (length, text.string(in: range.lowerBound..<end))
    }
}
