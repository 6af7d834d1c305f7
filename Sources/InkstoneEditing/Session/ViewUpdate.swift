public import InkstoneInput
public import InkstoneText

/// A turn of an ``EditingSession`` and of the view that presents it: a transaction of the text, by any of its views, or a change without one,
/// such as a selection, scrolling, another frame, style or mode, the focus, or the begin or end of a composition.
public struct ViewUpdate: Sendable {
    /// Kinds of change in a turn.
    public struct Changes: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Characters or attributes of the text, given by ``ViewUpdate/applied``.
        public static let text = Changes(rawValue: 1)
        /// The selection, even if only the length of the text before it has changed.
        public static let selection = Changes(rawValue: 2)
        /// The text being composed, or its position.
        public static let markedText = Changes(rawValue: 4)
        /// The part of the text in sight, because the view has scrolled.
        public static let scrolling = Changes(rawValue: 8)
        /// The view's frame, its position on the screen, its style, or the width of its lines.
        public static let geometry = Changes(rawValue: 16)
        /// Whether keys go to the view.
        public static let focus = Changes(rawValue: 32)
        /// Whether typing replaces the text behind the caret.
        public static let mode = Changes(rawValue: 64)
        /// The marks of misspelt words: decorations of the layer of spelling.
        public static let spelling = Changes(rawValue: 128)
    }

    /// The kinds of change in this turn. Never empty.
    public internal(set) var changes: Changes
    /// The transaction, with the exact map of its changes; nil if the text has not changed. Its selection is that of the view that made it:
    /// ``selection`` is this view's.
    public internal(set) var applied: AppliedTransaction?
    /// The change of finished text, for programs that show or keep no other: several transactions as one at the end of a composition, nil within it
    /// and if they cancel out. See ``TextChanges``.
    public internal(set) var textChange: TextChange?
    /// The selection before the turn, in the text before.
    public let selectionBefore: Selection?
    /// The selection after the turn, in the text after.
    public internal(set) var selection: Selection?
    /// The marked text before the turn, in the text before.
    public let markedTextBefore: MarkedText?
    /// The marked text after the turn, in the text after.
    public internal(set) var markedText: MarkedText?
    /// The origin of a transaction, selection or composition; nil if the view has only moved, or has another style or the focus.
    public let origin: Origin?
    /// Whether the view's own input system caused the turn.
    public let isFromInputSystem: Bool
    /// Whether input delegates have been notified of the turn's beginning, and are to be notified of its end.
    var endsChange = false

    /// Whether positions in the text may have moved on the screen.
    public var movesText: Bool {
        !changes.isDisjoint(with: [.text, .selection, .markedText, .scrolling, .geometry])
    }
}

/// The observers of a view, and the undelivered updates, in order. The store decides when the next is due, so that all views and observers of a
/// text get everything in one order.
///
/// A class, because observers re-enter it.
final class ViewDelivery {
    private final class Observer {
        var body: ((ViewUpdate) -> Void)?
        /// The number of the first turn that it is called for.
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

    /// Adds an observer of future turns; the state that it sees already includes the queued ones.
    func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation {
        observers.removeAll { $0.body == nil }
        let observer = Observer(since: count, body)
        observers.append(observer)
        return TextObservation { observer.body = nil }
    }

    /// Queues a turn that has happened: a transaction of the store, or a change of the view itself.
    func append(isTransaction: Bool, _ update: ViewUpdate) {
        queue.append(Turn(update: update, number: count, isTransaction: isTransaction))
        count += 1
    }

    /// Removes the turn queued last.
    func removeLast() { queue.removeLast() }

    /// Delivers the oldest turn of a kind, which is due. A view may have scrolled before it followed a transaction that is due earlier.
    ///
    /// - Parameter complete: adds the data known only now.
    func deliver(isTransaction: Bool, completing complete: (inout ViewUpdate) -> Void) -> ViewUpdate? {
        guard let index = queue.firstIndex(where: { $0.isTransaction == isTransaction }) else { return nil }
        var turn = queue.remove(at: index)
        complete(&turn.update)
        for observer in observers where observer.since <= turn.number { observer.body?(turn.update) }
        return turn.update
    }
}
