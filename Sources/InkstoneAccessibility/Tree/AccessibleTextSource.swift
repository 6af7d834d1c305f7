import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText
import InkstoneView

/// The text of a node, and what of its changes readers were notified of.
package final class AccessibleTextSource {
    /// A change of a text as readers hear of it. Offsets and lengths are scalars.
    package enum Event: Hashable, Sendable {
        /// Text that is gone: its length, its beginning, and whether not the person but a machine took it.
        case deleted(at: Int, length: Int, String, isSystem: Bool)
        /// Text that has come.
        case inserted(at: Int, length: Int, String, isSystem: Bool)
        case caretMoved(Int)
        case selectionChanged
        case attributesChanged
    }

    /// The bytes of a change that are carried by its event. Readers ask for the rest, if they want it.
    static let longestText = 64 << 10

    /// The view; nil once it is gone.
    package private(set) weak var view: EditorView?
    var observation: TextObservation?
    private let links = AccessibleLinks()
    /// The state that was reported last; nil before anything was.
    private var last: (text: Rope, caret: Int, selections: [Range<Int>])?

    init(_ view: EditorView) { self.view = view }

    /// The text as it is now; nil if its view is gone.
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

    /// Forgets what was reported: nobody listens.
    func forget() { last = nil }

    /// Takes the present state for known.
    func note() {
        guard let text = current else { return }
        last = (text.text, text.caret, text.selections)
    }

    // MARK: Events

    /// The events of a turn of the view: one deletion and one insertion of the smallest range that holds all changes, then the caret, then
    /// the selection. Observers may have edited since: offsets are those of the turn's own text.
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
            // The text stays and is the person's now.
            let start = text.scalarOffset(at: wasMarked.lowerBound).value
            let (length, kept) = excerpt(of: text, text.byteRange(of: wasMarked))
            events.append(.deleted(at: start, length: length, kept, isSystem: true))
            events.append(.inserted(at: start, length: length, kept, isSystem: false))
        }
        let caret = text.scalarOffset(at: update.selection?.head ?? 0).value
        // Text in place of other text moves the caret there and on.
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

    /// The length of a range in scalars, and its text up to ``longestText``.
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
