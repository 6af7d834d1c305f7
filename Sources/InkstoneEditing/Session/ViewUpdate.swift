public import InkstoneInput
public import InkstoneText

/// A turn of an ``EditingSession`` and of the view that presents it: a transaction of the text, whoever made it, or a change without one,
/// such as a selection, scrolling, another frame, style or mode, the focus, or the begin or end of a composition.
public struct ViewUpdate: Sendable {
    /// Kinds of change in a turn.
    public struct Changes: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// A set by its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Characters or attributes of the text: ``ViewUpdate/applied`` says which.
        public static let text = Changes(rawValue: 1)
        /// The selection; also where only the text before it has another length.
        public static let selection = Changes(rawValue: 2)
        /// The text being composed, or its place.
        public static let markedText = Changes(rawValue: 4)
        /// The part of the text in sight, because the view has scrolled.
        public static let scrolling = Changes(rawValue: 8)
        /// The view's frame, its place on the screen, its style, or the width of its lines.
        public static let geometry = Changes(rawValue: 16)
        /// Whether keys go to the view.
        public static let focus = Changes(rawValue: 32)
        /// Whether typing replaces what stands behind the caret.
        public static let mode = Changes(rawValue: 64)
        /// The marks of misspelt words: decorations of the layer of spelling.
        public static let spelling = Changes(rawValue: 128)
    }

    /// The kinds of change in this turn. Never empty.
    public internal(set) var changes: Changes
    /// The transaction, with the exact map of its changes; nil if the text is as it was. What it selects is that of the view that made it:
    /// ``selection`` is this view's.
    public internal(set) var applied: AppliedTransaction?
    /// The change of finished text, for programs that show or keep no other: several transactions as one at the end of a composition, nil
    /// within it and if nothing has come of it. See ``TextChanges``.
    public internal(set) var textChange: TextChange?
    /// The selection before, in the text before.
    public let selectionBefore: Selection?
    /// The selection after, in the text after.
    public internal(set) var selection: Selection?
    /// The marked text before, in the text before.
    public let markedTextBefore: MarkedText?
    /// The marked text after, in the text after.
    public internal(set) var markedText: MarkedText?
    /// Origin of a transaction, selection or composition; nil if the view has only moved, or has another look or the focus.
    public let origin: Origin?
    /// Whether the view's own input system did it.
    public let isFromInputSystem: Bool
    /// Whether input delegates have been told that it begins, and are to be told that it is over.
    var endsChange = false

    /// Whether places in the text may lie elsewhere on the screen now.
    public var movesText: Bool {
        !changes.isDisjoint(with: [.text, .selection, .markedText, .scrolling, .geometry])
    }
}

/// The observers of a view, and the updates that they have not heard of yet, in the order in which they happened. The store says when the
/// next is due, so that all views and observers of a text hear of everything in one order.
///
/// A class, because those who are called come back to it.
final class ViewDelivery {
    private final class Observer {
        var body: ((ViewUpdate) -> Void)?
        /// The first turn that it hears of.
        let since: Int

        init(since: Int, _ body: @escaping (ViewUpdate) -> Void) {
            self.since = since
            self.body = body
        }
    }

    private struct Turn {
        var update: ViewUpdate
        var number: Int
        var isTransaction: Bool
    }

    private var observers: [Observer] = []
    private var queue: [Turn] = []
    /// Number of turns so far.
    private var count = 0

    /// Adds an observer of turns that are still to come; of those that wait in the queue it sees the outcome already.
    func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation {
        observers.removeAll { $0.body == nil }
        let observer = Observer(since: count, body)
        observers.append(observer)
        return TextObservation { observer.body = nil }
    }

    /// A turn that has happened: a transaction of the store, or what the view did by itself.
    func append(isTransaction: Bool, _ update: ViewUpdate) {
        queue.append(Turn(update: update, number: count, isTransaction: isTransaction))
        count += 1
    }

    /// Drops the turn that was appended last.
    func removeLast() { queue.removeLast() }

    /// Delivers the oldest turn of a kind, since it is due. A view may have scrolled while it was still to follow a transaction, which is
    /// due before.
    ///
    /// - Parameter complete: adds to it what is known only now.
    func deliver(isTransaction: Bool, completing complete: (inout ViewUpdate) -> Void) -> ViewUpdate? {
        guard let index = queue.firstIndex(where: { $0.isTransaction == isTransaction }) else { return nil }
        var turn = queue.remove(at: index)
        complete(&turn.update)
        for observer in observers where observer.since <= turn.number { observer.body?(turn.update) }
        return turn.update
    }
}
