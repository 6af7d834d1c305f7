import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import Testing

/// A window with one or two views and a slow input method, on a simulated clock.
final class Simulation {
    /// The method's handling of keys that type characters.
    enum Kind: String, CaseIterable, Sendable {
        /// Returns every key.
        case forwarding
        /// Commits each key's text.
        case committing
        /// Composes letters; a space commits them.
        case composing
        /// Composes every other key and returns the rest.
        case mixed
    }

    /// The method's reaction to a reset during a composition (the three kinds of servers of ime-lab).
    enum ResetKind: String, CaseIterable, Sendable {
        static let allCases: [ResetKind] = [.reply, .lateCommit, .lateClear, .nothing]

        /// The reply contains the text (uim, nabi).
        case reply
        /// The reply is empty, then the text is committed (ibus hangul, mozc).
        case lateCommit
        /// The reply is empty, then the preedit is cleared (ibus anthy).
        case lateClear
        /// The reply is empty, and the next key clears the preedit that the server still has (fcitx5, scim).
        case nothing
        /// No reply, because the input context is destroyed.
        case silent
    }

    struct Server: Sendable, CustomTestStringConvertible {
        var kind: Kind
        var reset: ResetKind = .nothing
        /// The milliseconds that the method needs for each key.
        var delay: Double = 1
        /// Whether a reset is answered at once, although keys are still being processed (ibus).
        var repliesEarly = false
        var testDescription: String {
            "\(kind), \(delay) ms a key, reset \(reset)\(repliesEarly ? " answered early" : "")"
        }
    }

    var now: Double = 1000
    let view: ReferenceTextView
    private(set) var context: TextInputContext
    private(set) var session: InputSession
    let method: Method
    var records: [TraceRecord] = []

    /// The client calls so far, in short form.
    var calls: [String] { records.compactMap { if case .call(let call) = $0.event { call.short } else { nil } } }

    /// Deferred work of the client, in order.
    private var timers: [(at: Double, work: () -> Void)] = []

    init(
        _ text: String = "", caret: Int? = nil, server: Server? = nil, isRecording: Bool = true,
        timing: InputTiming = InputTiming(), view: ReferenceTextView? = nil
    ) {
        self.view = view ?? ReferenceTextView(text, columns: 40)
        if let caret { self.view.content.selection = UTF16Offset(caret)..<UTF16Offset(caret) }
        context = TextInputContext(client: self.view)
        let time = Box()
        time.now = 1000
        self.time = time
        session = InputSession(timing: timing, clock: { time.now })
        method = Method(server ?? Server(kind: .forwarding))
        if server != nil { session.link = method }
        method.simulation = self
        if isRecording { session.onRecord = { [unowned self] in records.append($0) } }
        session.activate(context)
        session.windowFocusChanged(true)
        records = []
    }

    final class Box { var now: Double = 0 }
    private let time: Box

    /// Defers some work.
    func later(_ delay: Double, _ work: @escaping () -> Void) { timers.append((now + delay, work)) }

    /// Advances the clock, and performs due work in order.
    func run(_ milliseconds: Double) {
        let end = now + milliseconds
        while true {
            let due = [method.nextAnswer, session.nextDeadline, timers.map(\.at).min()].compactMap { $0 }.min()
            guard let due, due <= end else { break }
            set(max(now, due))
            if let index = timers.firstIndex(where: { $0.at <= now }) {
                timers.remove(at: index).work()
            } else if let answer = method.nextAnswer, answer <= now {
                session.deliver(method.takeAnswers(until: now))
            } else {
                session.advance()
                if session.nextDeadline.map({ $0 <= now }) ?? false {
                    Issue.record("a deadline at \(session.nextDeadline ?? 0) that nothing is done at, now \(now)")
                    return
                }
            }
        }
        set(end)
    }

    private func set(_ value: Double) {
        now = value
        time.now = value
    }

    /// Runs until no work is left.
    func waitUntilIdle() { run(5000) }

    func type(_ text: String, every interval: Double = 0) {
        for character in text {
            key(Keysym(character.unicodeScalars.first ?? " "), String(character))
            if interval > 0 { run(interval) }
        }
    }

    func key(_ keysym: Keysym, _ characters: String = "", _ modifiers: KeyModifiers = []) {
        for phase in [KeyEvent.Phase.down, .up] {
            session.handle(
                KeyEvent(phase: phase, keycode: 38, keysym: keysym, characters: characters, modifiers: modifiers))
        }
    }

    /// Clicks so many units before the end; the position is computed when the click is performed.
    func click(fromEnd distance: Int) {
        session.perform(.press) { [view] in
            let offset = UTF16Offset(view.content.length - distance)
            view.select(offset..<offset)
        }
    }

    /// The simulated server.
    final class Method: MatchedMethod {
        let matched = MatchedAnswers()
        let server: Server
        weak var simulation: Simulation?
        var isEngaged = true
        private(set) var spots: [RootRect?] = []
        private(set) var log: [String] = []
        private var queue: [(at: Double, events: [InputMethodEvent])] = []
        private var busyUntil = 0.0
        private var preedit = ""
        private var drawnLength = 0
        private var forgets = false
        private var count = 0

        init(_ server: Server) { self.server = server }

        private var now: Double { simulation?.now ?? 0 }
        var nextAnswer: Double? { queue.map(\.at).min() }

        func takeAnswers(until time: Double) -> [InputMethodEvent] {
            let due = queue.filter { $0.at <= time }.flatMap(\.events)
            queue.removeAll { $0.at <= time }
            return due
        }

        private func answer(_ events: [InputMethodEvent], after delay: Double) {
            busyUntil = max(busyUntil, now) + delay
            if !events.isEmpty { queue.append((busyUntil, events)) }
        }

        private func draw(_ text: String) -> InputMethodEvent {
            let event = InputMethodEvent.preeditDraw(
                PreeditDraw(
                    caret: text.unicodeScalars.count, changeFirst: 0, changeLength: drawnLength,
                    text: text.isEmpty ? nil : text,
                    feedback: Array(repeating: .underline, count: text.unicodeScalars.count)))
            drawnLength = text.unicodeScalars.count
            return event
        }

        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
            matched.didSend(key, ticket, to: self)
            guard key.phase != .up else { return answer([.key(key, ticket)], after: 0) }
            log.append("key \(key.characters)")
            count += 1
            var events: [InputMethodEvent] = []
            if forgets {
                forgets = false
                events += [draw(""), .preeditDone]
            }
            let isLetter = key.characters.first?.isLetter ?? false && key.modifiers.isDisjoint(with: .commanding)
            switch server.kind {
            case .committing where isLetter || key.characters == " ":
                events.append(.commit(key.characters))
            case .composing where isLetter, .mixed where isLetter && count % 2 == 0:
                if preedit.isEmpty { events.append(.preeditStart) }
                preedit += key.characters
                events.append(draw(preedit))
            case .composing where key.characters == " " && !preedit.isEmpty:
                events += [.commit(preedit), draw(""), .preeditDone]
                preedit = ""
            case .mixed where !preedit.isEmpty:
                events += [draw(""), .preeditDone, .commit(preedit), .key(key, ticket)]
                preedit = ""
            default:
                events.append(.key(key, ticket))
            }
            answer(events, after: server.delay)
        }

        func reset() {
            log.append("reset")
            // The server handles the reset after the earlier keys.
            var reply: [InputMethodEvent] = []
            var later: [InputMethodEvent] = []
            let text = preedit
            preedit = ""
            switch server.reset {
            case .reply:
                reply = [.resetReply(text.isEmpty ? nil : text)]
                drawnLength = 0
            case .lateCommit:
                reply = [.resetReply(nil)]
                if !text.isEmpty { later = [draw(""), .preeditDone, .commit(text)] }
            case .lateClear:
                reply = [.resetReply(nil)]
                if !text.isEmpty { later = [draw(""), .preeditDone] }
            case .silent: break
            case .nothing:
                reply = [.resetReply(nil)]
                forgets = !text.isEmpty
            }
            if server.repliesEarly, !reply.isEmpty {
                queue.append((now + 0.3, reply))
            } else {
                answer(reply, after: 0.3)
            }
            if !later.isEmpty { answer(later, after: 2) }
        }

        func setSpot(_ rect: RootRect?) { spots.append(rect) }
        func focusIn() { log.append("focus in") }
        func focusOut() { log.append("focus out") }
    }
}

extension ClientCall {
    /// The call in the short form of tests: `mark "にほ" [1,2)`.
    var short: String {
        switch self {
        case .insertText(let text, let range): "insert \(text)" + (range.isNotFound ? "" : " \(range)")
        case .setMarkedText(let text, let range, _): "mark \(text.string) \(range)"
        case .unmarkText: "unmark"
        case .doCommand(let command): "do \(command)"
        case .compositionDidBegin: "begin"
        case .compositionDidEnd: "end"
        case .replaceText(let range, let text): "replace \(range) \(text)"
        }
    }
}
