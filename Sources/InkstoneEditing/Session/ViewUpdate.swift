public import InkstoneInput
public import InkstoneText

/// An update of an ``EditingSession`` and of the view that presents it. The update is caused by a transaction of
/// the text, by any of its views, or by a change without a transaction: of the selection, the scroll position, the
/// frame, style, mode or focus, or the beginning or end of a composition.
public struct ViewUpdate: Sendable {
    /// The kinds of change in an update.
    public struct Changes: OptionSet, Hashable, Sendable {
        /// The kinds as bits.
        public let rawValue: UInt8

        /// Creates a set of kinds from their bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Characters or attributes of the text, given by ``ViewUpdate/applied``.
        public static let text = Changes(rawValue: 1)
        /// The selection. Included even if only its offsets have changed with the length of the text before it.
        public static let selection = Changes(rawValue: 2)
        /// The text being composed, or its position.
        public static let markedText = Changes(rawValue: 4)
        /// The visible part of the text, because the view has scrolled.
        public static let scrolling = Changes(rawValue: 8)
        /// The view's frame, its position on the screen, its style or options, or the width of its lines.
        public static let geometry = Changes(rawValue: 16)
        /// Whether keys go to the view.
        public static let focus = Changes(rawValue: 32)
        /// Whether typing replaces the text after the caret.
        public static let mode = Changes(rawValue: 64)
        /// The marks of misspelt words, which are the decorations of the spelling layer.
        public static let spelling = Changes(rawValue: 128)
    }

    /// The kinds of change in this update. Never empty.
    public internal(set) var changes: Changes
    /// The transaction, with the exact map of its changes; nil if the text has not changed. Its selection is that
    /// of the view that made it. For the selection of this view, see ``selection``.
    public internal(set) var applied: AppliedTransaction?
    /// The change of finished text, for programs that ignore text being composed. Nil during a composition. At its
    /// end, all transactions of the composition together are one change; nil if they cancel out. See
    /// ``TextChanges``.
    public internal(set) var textChange: TextChange?
    /// The selection before the update, in offsets of the text before it.
    public let selectionBefore: Selection?
    /// The selection after the update, in offsets of the text after it.
    public internal(set) var selection: Selection?
    /// The marked text before the update, in offsets of the text before it.
    public let markedTextBefore: MarkedText?
    /// The marked text after the update, in offsets of the text after it.
    public internal(set) var markedText: MarkedText?
    /// The origin of the transaction, selection or composition; nil for a change of scroll position, style or
    /// focus.
    public let origin: Origin?
    /// Whether the view's own input system caused the update.
    public let isFromInputSystem: Bool
    /// Whether input delegates were notified of the beginning of this change. If so, they must also be notified of
    /// its end.
    var endsChange = false

    /// Whether positions in the text, or the caret, may have moved on the screen: text, selection, marked text,
    /// scroll position or geometry have changed.
    public var movesText: Bool {
        !changes.isDisjoint(with: [.text, .selection, .markedText, .scrolling, .geometry])
    }
}

/// The observers of a session, and the updates that were not delivered yet, in order. The store decides when the
/// next one is delivered. All sessions and observers of a text are thus notified in the same order.
///
/// A class, because observers may re-enter it.
final class ViewDelivery {
    private final class Observer {
        var body: ((ViewUpdate) -> Void)?
        /// The number of the first update for which the observer is called.
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
    /// The number of updates queued so far.
    private var count = 0

    /// Adds an observer of later updates. Updates that are queued already are not delivered to it, since the state
    /// that it sees includes them.
    func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation {
        observers.removeAll { $0.body == nil }
        let observer = Observer(since: count, body)
        observers.append(observer)
        return TextObservation { observer.body = nil }
    }

    /// Queues an update that has happened: a transaction of the store, or a change of the session itself.
    func append(isTransaction: Bool, _ update: ViewUpdate) {
        queue.append(Turn(update: update, number: count, isTransaction: isTransaction))
        count += 1
    }

    func removeLast() { queue.removeLast() }

    /// Removes the oldest queued update of one kind, delivers it and returns it. Nil if there is none. If
    /// `isTransaction` is true, the update was caused by a transaction of the store; otherwise by the session itself.
    /// An update of the other kind may be older and still come later: a view may have scrolled before it followed a
    /// transaction that is delivered first.
    ///
    /// - Parameter complete: adds the data that are known only at delivery.
    func deliver(isTransaction: Bool, completing complete: (inout ViewUpdate) -> Void) -> ViewUpdate? {
        guard let index = queue.firstIndex(where: { $0.isTransaction == isTransaction }) else { return nil }
        var turn = queue.remove(at: index)
        complete(&turn.update)
        for observer in observers where observer.since <= turn.number { observer.body?(turn.update) }
        return turn.update
    }
}
