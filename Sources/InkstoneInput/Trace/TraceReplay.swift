import InkstoneBase
import InkstoneText

/// A replay of a recorded trace on a client. The recorded answers take the place of an input method, and the
/// recorded times that of a clock. The same trace always makes the same calls.
package final class TraceReplay: InputMethodLink {
    /// A call of the replay that differs from the recorded one.
    package struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The index of the call among all calls to the client, from 0.
        package var index: Int
        /// The recorded call; nil if the recording had no more calls.
        package var recorded: ClientCall?
        /// The replayed call; nil if the replay has made no more calls.
        package var replayed: ClientCall?

        /// A description of both calls, for people.
        package var description: String {
            "call \(index): recorded \(recorded.map { "\($0)" } ?? "nothing"), replayed "
                + (replayed.map { "\($0)" } ?? "nothing")
        }
    }

    /// The records of the trace, in order.
    package let records: [TraceRecord]
    /// The calls made by the last ``run(on:)``.
    package private(set) var calls: [ClientCall] = []
    /// Whether keys go to an input method at the present time of the recording.
    package private(set) var isEngaged: Bool
    private let isEngagedAtFirst: Bool
    /// Whether the trace contains no preedit. The replay then assumes that the recorded input method, if there was
    /// one, showed its compositions itself.
    package let composesUnseen: Bool
    /// The recorded traits of the input method.
    package private(set) var traits = InputMethodTraits()
    private var now: Milliseconds = 0
    /// The keys that the input method was sent.
    private var keys: [KeyTicket: KeyEvent] = [:]

    /// Creates a replay of records.
    package init(_ records: [TraceRecord]) {
        self.records = records
        // Find out whether keys went to an input method when the trace began. They did if the first link record states
        // that they cease to, or that a method was lost. Without link records, they did if the trace contains answers
        // of a method.
        let before = records.lazy.compactMap { record -> Bool? in
            guard case .link(let isEngaged, let loss) = record.event else { return nil }
            return loss != nil || !isEngaged
        }.first
        isEngagedAtFirst = before ?? records.contains { if case .event = $0.event { true } else { false } }
        isEngaged = isEngagedAtFirst
        composesUnseen = !records.contains { if case .event(.preeditDraw, _) = $0.event { true } else { false } }
    }

    /// Replays against a fresh context over `client`. If the trace begins with a document, the client's text and
    /// selection are first set to it; later documents are ignored. Returns the calls that differ from the recorded
    /// ones; empty if none does.
    package func run(on client: any TextInputClient & TextInput) -> [Difference] {
        (calls, keys) = ([], [:])
        isEngaged = isEngagedAtFirst
        traits = InputMethodTraits()
        now = records.first?.time ?? 0
        let context = TextInputContext(client: client)
        let session = InputSession(link: self) { [unowned self] in now }
        session.onRecord = { [unowned self] in if case .call(let call) = $0.event { calls.append(call) } }
        var isStarted = false
        var index = 0
        while index < records.count {
            let record = records[index]
            pass(to: record.time, session)
            if !isStarted {
                if case .document(let text, let selection) = record.event {
                    set(client, text, selection)
                }
                context.session = session
                context.activate()
                session.windowFocusChanged(true)
                isStarted = true
            }
            switch record.event {
            case .keyBindings(let table): context.keyBindings = table
            case .key(let key): session.handle(key)
            case .item(let kind, let endsComposition):
                let selection = selectionAfterItem(index)
                session.perform(kind, endsComposition: endsComposition) { [unowned self] in
                    if let selection { select(client, selection) }
                }
            case .event(_, let batch):
                var together: [InputMethodEvent] = []
                while index < records.count {
                    switch records[index].event {
                    case .event(let event, let other) where other == batch: together.append(event)
                    case .event, .keyBindings, .key, .item, .focus, .document, .link, .method: break
                    case .call, .spot, .selection, .reset:
                        index += 1
                        continue
                    }
                    guard case .event(_, let other) = records[index].event, other == batch else { break }
                    index += 1
                }
                session.receive(together)
                continue
            case .link(let isEngaged, let loss):
                self.isEngaged = isEngaged
                if var loss {
                    loss.owed = loss.owed.filter { keys[$0] != nil }
                    session.linkWasLost(loss, owing: loss.owed.compactMap { keys[$0] })
                } else {
                    session.linkDidChange()
                }
            case .method(let traits): self.traits = traits
            case .focus, .document, .call, .spot, .selection, .reset: break
            }
            index += 1
        }
        pass(to: now + 1000, session)
        return differences()
    }

    private func differences() -> [Difference] {
        let recorded = records.compactMap { if case .call(let call) = $0.event { call } else { nil } }
        return (0..<max(recorded.count, calls.count)).compactMap { index in
            let (a, b) = (
                recorded.indices.contains(index) ? recorded[index] : nil,
                calls.indices.contains(index) ? calls[index] : nil
            )
            return a == b ? nil : Difference(index: index, recorded: a, replayed: b)
        }
    }

    /// Returns the selection that an item has left in the recording: the n-th recorded selection for the n-th item.
    /// Nil if there are fewer.
    private func selectionAfterItem(_ index: Int) -> UTF16Range? {
        func count(_ range: Range<Int>, _ isWanted: (TraceRecord.Event) -> Bool) -> Int {
            records[range].count { isWanted($0.event) }
        }
        let before = count(0..<index) { if case .item = $0 { true } else { false } }
        var seen = 0
        for record in records {
            guard case .selection(let range) = record.event else { continue }
            if seen == before { return range }
            seen += 1
        }
        return nil
    }

    private func pass(to time: Milliseconds, _ session: InputSession) {
        while let due = session.nextDeadline, due <= time {
            let before = now
            now = max(now, due)
            session.advance()
            if session.nextDeadline == due, now == before { break }
        }
        now = max(now, time)
    }

    private func set(_ client: any TextInputClient & TextInput, _ text: String, _ selection: UTF16Range) {
        if let all = client.textRange(from: client.beginningOfDocument, to: client.endOfDocument) {
            client.replace(all, withText: text)
        }
        select(client, selection)
    }

    private func select(_ client: any TextInputClient & TextInput, _ range: UTF16Range) {
        client.selectedTextRange = client.textRange(for: range)
    }

    // MARK: Requests to the input method (InputMethodLink)

    /// Stores the key for its recorded return. No input method gets it: the recorded answers are replayed.
    package func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) { keys[ticket] = key }
    /// Does nothing: in a replay no candidate window follows the caret.
    package func setSpot(_ rect: RootRect?) {}
    /// Does nothing: the reply comes from the recording.
    package func reset() {}
    /// Does nothing: the replay has no input method to notify.
    package func focusIn() {}
    /// Does nothing: the replay has no input method to notify.
    package func focusOut() {}
}
