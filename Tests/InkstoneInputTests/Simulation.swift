import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import Testing

/// A window with one or two views and an input method whose answers take time, on a clock of its own.
final class Simulation {
    /// How the method treats keys that type something.
    enum Kind: String, CaseIterable, Sendable {
        /// Gives every key back.
        case forwarding
        /// Commits each key's text.
        case committing
        /// Composes letters; a blank commits them.
        case composing
        /// Composes every other key and gives the rest back.
        case mixed
    }

    /// What becomes of a composition when the method is asked to forget it (ime-lab's three kinds of servers).
    enum ResetKind: String, CaseIterable, Sendable {
        static let allCases: [ResetKind] = [.reply, .lateCommit, .lateClear, .nothing]

        /// The reply holds the text (uim, nabi).
        case reply
        /// The reply is empty, then the text is committed (ibus hangul, mozc).
        case lateCommit
        /// The reply is empty, then the preedit is cleared (ibus anthy).
        case lateClear
        /// The reply is empty, and the next key clears what the server still counts (fcitx5, scim).
        case nothing
        /// No reply comes at all: the input context is gone.
        case silent
    }

    struct Server: Sendable, CustomTestStringConvertible {
        var kind: Kind
        var reset: ResetKind = .nothing
        /// Milliseconds that it takes for each key.
        var delay: Double = 1
        /// Replies to a reset at once, although keys are still being worked on (ibus).
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

    /// Client calls so far, in short.
    var calls: [String] { records.compactMap { if case .call(let call) = $0.event { call.short } else { nil } } }

    /// Work of the client that comes by itself, in the order in which it was asked for.
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

    /// Does something later.
    func later(_ delay: Double, _ work: @escaping () -> Void) { timers.append((now + delay, work)) }

    /// Lets time pass, doing what falls due in order.
    func run(_ milliseconds: Double) {
        let end = now + milliseconds
        while true {
            let due = [method.nextAnswer, session.nextDeadline, timers.map(\.at).min()].compactMap { $0 }.min()
            guard let due, due <= end else { break }
            set(max(now, due))
            if let index = timers.firstIndex(where: { $0.at <= now }) {
                timers.remove(at: index).work()
            } else if let answer = method.nextAnswer, answer <= now {
                session.hear(method.takeAnswers(until: now))
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

    /// Until nothing is left to happen.
    func settle() { run(5000) }

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

    /// A click so many units before the end: where that is shows when the click is performed.
    func click(fromEnd distance: Int) {
        session.perform(.press) { [view] in
            let offset = UTF16Offset(view.content.length - distance)
            view.select(offset..<offset)
        }
    }

    /// The server's side.
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
            // The server comes to it after the keys before it.
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
    /// As one reads it in a test: `mark "にほ" [1,2)`.
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
