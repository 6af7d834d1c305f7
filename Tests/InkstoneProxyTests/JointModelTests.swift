import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// Keys, an input method, keyboards in other processes and a client that answers late, all editing one text.
@Suite(.timeLimit(.minutes(5))) struct JointModelTests {
    /// A view whose keys are answered when its world says so.
    private final class RemoteView: EditorView, AsyncTextInput {
        weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
        weak var world: World?

        func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
            guard let world, entry.state == .down else { return completion(true) }
            let text = entry.key.characters
            let isOwn = !text.isEmpty && world.random.below(3) > 0
            world.later(Double(world.random.below(3) * world.random.below(20))) { [unowned self] in
                // Entries that the view does not handle go to the system.
                if isOwn { insertText(text) }
                completion(isOwn)
            }
        }
    }

    /// An input method that composes small Latin letters; a blank commits them, and so does all else, before it comes back.
    private final class Method: MatchedMethod {
        let matched = MatchedAnswers()
        unowned let world: World
        let isEngaged = true
        let wantsSpot = false
        private var preedit = ""
        private var drawn = 0
        private var busyUntil = 0.0
        private(set) var answers: [(at: Double, events: [InputMethodEvent])] = []

        init(_ world: World) { self.world = world }

        func takeAnswers() -> [InputMethodEvent] {
            let due = answers.filter { $0.at <= world.now }.flatMap(\.events)
            answers.removeAll { $0.at <= world.now }
            return due
        }

        private func answer(_ events: [InputMethodEvent], after delay: Double) {
            busyUntil = max(busyUntil, world.now) + delay
            answers.append((busyUntil, events))
        }

        private func draw(_ text: String) -> InputMethodEvent {
            defer { drawn = text.unicodeScalars.count }
            return .preeditDraw(
                PreeditDraw(
                    caret: text.unicodeScalars.count, changeFirst: 0, changeLength: drawn,
                    text: text.isEmpty ? nil : text,
                    feedback: Array(repeating: .underline, count: text.unicodeScalars.count)))
        }

        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {
            matched.didSend(key, ticket, to: self)
            guard key.phase != .up else { return answer([.key(key, ticket)], after: 0) }
            let delay = Double(world.random.below(4))
            if let letter = key.characters.first, letter.isASCII, letter.isLowercase {
                let start: [InputMethodEvent] = preedit.isEmpty ? [.preeditStart] : []
                preedit.append(letter)
                return answer(start + [draw(preedit)], after: delay)
            }
            guard !preedit.isEmpty else { return answer([.key(key, ticket)], after: delay) }
            let committed: [InputMethodEvent] = [.commit(preedit), draw(""), .preeditDone]
            preedit = ""
            answer(key.characters == " " ? committed : committed + [.key(key, ticket)], after: delay)
        }

        func reset() {
            answer([.resetReply(preedit.isEmpty ? nil : preedit)], after: 0.5)
            (preedit, drawn) = ("", 0)
        }

        func setSpot(_ rect: RootRect?) {}
        func focusIn() {}
        func focusOut() {}
    }

    /// A window with one view, on a clock of its own.
    private final class World {
        private final class Time { var now = 1000.0 }

        var random: SeededGenerator
        let view: RemoteView
        let input: InputSession
        let proxied: ProxiedView
        private(set) var method: Method?
        private let time = Time()
        private var timers: [(at: Double, work: () -> Void)] = []

        var now: Double { time.now }
        var session: EditingSession { view.session }

        init(_ random: SeededGenerator, hasMethod: Bool) {
            self.random = random
            let store = TextStore(Rope(""))
            store.clock = { 0 }
            view = RemoteView(store: store, font: ViewScene.font, clock: { 0 })
            // No view shows it, so that nothing is laid out.
            view.session.presenter = nil
            view.session.select(Selection(caret: 0))
            input = InputSession(clock: { [time] in time.now })
            proxied = ProxiedView(view.session, epoch: 1)
            view.world = self
            if hasMethod {
                method = Method(self)
                input.link = method
            }
            input.activate(view.inputContext)
            input.windowFocusChanged(true)
        }

        func later(_ delay: Double, _ work: @escaping () -> Void) {
            if delay == 0 { work() } else { timers.append((now + delay, work)) }
        }

        /// Lets time pass, doing what falls due in order.
        func run(_ milliseconds: Double) {
            let end = now + milliseconds
            while true {
                let answer = method?.answers.map(\.at).min()
                let due = [answer, input.nextDeadline, timers.map(\.at).min()].compactMap { $0 }.min()
                guard let due, due <= end else { break }
                time.now = max(now, due)
                if let index = timers.indices.min(by: { timers[$0].at < timers[$1].at }), timers[index].at <= now {
                    timers.remove(at: index).work()
                } else if let answer, answer <= now {
                    input.deliver(method?.takeAnswers() ?? [])
                } else {
                    input.advance()
                    guard input.nextDeadline.map({ $0 > now }) ?? true else {
                        Issue.record("a deadline at which nothing is done")
                        return
                    }
                }
            }
            time.now = end
        }

        func press(_ keysym: Keysym, _ characters: String) {
            for phase in [KeyEvent.Phase.down, .up] {
                input.handle(
                    KeyEvent(
                        phase: phase, keycode: UInt8(8 + keysym.rawValue % 240), keysym: keysym,
                        characters: characters))
            }
        }
    }

    /// The expected text, if everything happens one after the other.
    private struct Expected {
        var text = ModelText("")
        /// The owner of the marked text; nil for the input method.
        var owner: DocumentID?

        var isComposing: Bool { text.marked != nil && owner == nil }

        mutating func endComposition() {
            guard let end = text.marked?.range.upperBound else { return }
            text.marked = nil
            text.selection = end..<end
        }

        mutating func type(_ new: String) {
            endComposition()
            text.replace(text.selection, with: new)
        }

        mutating func deleteBackward() {
            endComposition()
            text.beginBatch()
            _ = text.apply(.deleteBackward(1))
        }

        mutating func compose(_ letter: String) {
            let before = isComposing ? text.marked?.text.before ?? "" : ""
            if !isComposing { endComposition() }
            owner = nil
            _ = text.apply(.setMarked(ProxyMarkedText(before: before + letter, selected: "", after: "")))
        }

        /// Applies a batch; returns whether the text that it expects is there.
        mutating func make(_ operations: [ProxyOperation], by peer: DocumentID) -> Bool {
            var wanted = self
            wanted.text.beginBatch()
            if owner != peer { wanted.endComposition() }
            guard operations.allSatisfy({ wanted.text.apply($0) }) else { return false }
            (self, owner) = (wanted, peer)
            return true
        }
    }

    private func operation(_ text: ModelText, _ random: inout SeededGenerator) -> ProxyOperation {
        let piece = ["1", "23", "\n"][random.below(3)]
        switch random.below(10) {
        case 0...2: return .insert(piece)
        case 3: return .deleteBackward(UInt32(1 + random.below(3)))
        case 4: return .deleteForward(UInt32(1 + random.below(3)))
        case 5, 6: return .adjust(Int32(random.below(9) - 4))
        case 7:
            return .setMarked(
                ProxyMarkedText(
                    before: ["", "4"][random.below(2)], selected: ["", "56"][random.below(2)],
                    after: ["", "7"][random.below(2)]))
        case 8: return .unmark
        default: return .replaceBefore(expected: String(text.text.last ?? "x"), piece)
        }
    }

    /// 10⁵ steps with INKSTONE_LONG_TESTS.
    @Test(arguments: [false, true]) func nothingIsLostDoubledOrOutOfOrder(_ hasMethod: Bool) throws {
        let long = getenv("INKSTONE_LONG_TESTS") != nil
        var random = SeededGenerator()
        print("all at once, \(hasMethod ? "with" : "without") a method: seed \(random.seed)")
        let world = World(SeededGenerator(seed: random.seed &+ 1), hasMethod: hasMethod)
        let peers = [DocumentID(), DocumentID()]
        var expected = Expected()
        var (outcomes, wanted): ([TextEditStatus], [TextEditStatus]) = ([], [])
        var serial: UInt64 = 0
        var deeds: [String] = []
        for step in 0..<(long ? 50_000 : 5000) {
            switch random.below(12) {
            case 0...3:
                let letter = String(Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(random.below(26)))))
                deeds.append("letter \(letter)")
                if hasMethod { expected.compose(letter) } else { expected.type(letter) }
                world.press(Keysym(Unicode.Scalar(letter) ?? "a"), letter)
            case 4, 5:
                let letter = Unicode.Scalar(UInt32(0x4e00 + step % 20_000)) ?? "?"
                deeds.append("letter \(letter)")
                expected.type(String(letter))
                world.press(Keysym(letter), String(letter))
            case 6:
                deeds.append("blank")
                if expected.isComposing { expected.endComposition() } else { expected.type(" ") }
                world.press(Keysym(" "), " ")
            case 7 where !expected.isComposing:
                deeds.append("backspace")
                expected.deleteBackward()
                world.press(0xff08, "")
            case 8:
                let place = random.below(1000)
                deeds.append("click \(place)")
                expected.endComposition()
                let caret = place % (expected.text.text.count + 1)
                expected.text.selection = caret..<caret
                world.input.perform(.press) {
                    let caret = place % (world.session.textRange.length() + 1)
                    world.session.select(Selection(caret: UTF16Offset(caret)))
                }
            case 9 where !hasMethod:
                deeds.append("paste")
                expected.type("|")
                world.input.perform(.edit, endsComposition: false) { world.view.insertText("|") }
            default:
                let peer = peers[random.below(2)]
                let operations = (0...random.below(3)).map { _ in operation(expected.text, &random) }
                deeds.append("\(peer == peers[0] ? "first" : "second") keyboard \(operations)")
                wanted.append(expected.make(operations, by: peer) ? .applied : .stale)
                serial += 1
                let batch = ProxyBatch(epoch: 1, serial: serial, base: 0, mode: .now, operations: operations)
                world.input.perform(.command, endsComposition: false) {
                    outcomes.append(world.proxied.apply(batch, by: peer).status)
                }
            }
            if random.below(3) == 0 { world.run(Double(random.below(40))) }
            guard step % 10 == 9 else { continue }
            world.run(3000)
            let text = expected.text
            func offsets(_ range: Range<Int>) -> Range<UTF16Offset> {
                UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)
            }
            guard world.session.text == String(text.text), world.session.selection?.range == offsets(text.selection),
                world.session.markedText?.range == text.marked.map({ offsets($0.range) }), outcomes == wanted,
                !world.input.isWaiting
            else {
                Issue.record(
                    """
                    step \(step), seed \(random.seed): \(world.session.text.debugDescription) \
                    \(String(describing: world.session.selection)) \(String(describing: world.session.markedText?.range)) \
                    \(outcomes); expected \(String(text.text).debugDescription) \(text.selection) \
                    \(String(describing: text.marked?.range)) \(wanted) after:
                    \(deeds.joined(separator: "\n"))
                    """)
                return
            }
            (deeds, outcomes, wanted) = ([], [], [])
            guard text.text.count > 40 else { continue }
            world.session.endComposition()
            world.run(3000)
            world.session.text = ""
            world.session.select(Selection(caret: 0))
            expected = Expected()
        }
    }
}
