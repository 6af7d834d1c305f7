import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// Random keys, answers (early, late, twice, never), clicks, pastes, focus changes and ends, compared with the
/// order that a user expects.
@Suite(.timeLimit(.minutes(5))) struct AsyncOrderModelTests {
    struct Flavour: CustomTestStringConvertible, Sendable {
        var name: String
        /// Whether some answers are late or missing, and the focus changes.
        var isHard: Bool
        var server: Simulation.Server?
        var testDescription: String { name }
    }

    static let flavours = [
        Flavour(name: "no method", isHard: false),
        Flavour(name: "a method", isHard: false, server: .init(kind: .forwarding, delay: 0.5)),
        Flavour(name: "no method, no answers", isHard: true),
        Flavour(name: "a method, no answers", isHard: true, server: .init(kind: .forwarding, delay: 0.5)),
    ]

    private func plan(_ isHard: Bool, _ random: inout SeededGenerator) -> AsyncView.Plan {
        let delay = Double(Int.random(in: 0...8, using: &random) * 50)
        switch Int.random(in: 0..<(isHard ? 9 : 5), using: &random) {
        case 0, 1: return .handled(after: delay)
        case 2: return .declined(after: delay)
        case 3: return .answered([true, false, true], after: delay)
        case 4: return .deferred(after: delay)
        case 5, 6: return .silent
        case 7: return .handled(after: 500 + delay + 50)
        default: return .declined(after: 500 + delay + 50)
        }
    }

    @Test(arguments: flavours, 0..<60)
    func everyKeyIsDoneOnceAndInOrder(_ flavour: Flavour, _ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed) &* 977 &+ 11)
        let (simulation, view) = Simulation.asynchronous(server: flavour.server)
        var expected: [String] = []
        var pressedAt: [String: Double] = [:]
        var hasEnded = false
        var atEnd = (log: [String](), text: "")
        for step in 0..<80 where !hasEnded {
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                expected.append("click \(step)")
                simulation.session.perform(.press) { view.log.append("click \(step)") }
            case 1 where flavour.server == nil:
                // A paste requested after a key of the method's does not wait for answers, as the contract says.
                expected.append("paste \(step)")
                simulation.session.perform(.edit, endsComposition: false) {
                    view.log.append("paste \(step)")
                    view.insertText("|")
                }
            case 2 where flavour.isHard && flavour.server == nil:
                // Keys that the method returns after the focus has left do not belong to the view.
                simulation.context.deactivate()
                simulation.context.activate()
            case 3 where flavour.isHard && seed % 4 == 0 && step > 40:
                simulation.session.end()
                atEnd = (view.log, view.string)
                hasEnded = true
            case 4, 5: simulation.run(Double(Int.random(in: 0...600, using: &random)))
            default:
                let character = Character(Unicode.Scalar(UInt32(0x4e00 + step)) ?? "?")
                view.plans[String(character)] = plan(flavour.isHard, &random)
                expected.append("+\(character)")
                pressedAt["\(character)"] = simulation.now
                simulation.press(character)
            }
        }
        simulation.run(120_000)
        let done = view.log.filter { $0.hasPrefix("+") || $0.hasPrefix("click") || $0.hasPrefix("paste") }
        #expect(!simulation.session.isWaiting)
        #expect(simulation.session.nextDeadline == nil)
        if hasEnded {
            // The client may finish work in progress, but receives no new entries.
            #expect(atEnd.log.filter { $0.hasPrefix("+") } == view.log.filter { $0.hasPrefix("+") })
            #expect(expected.starts(with: done))
            return
        }
        #expect(done == expected)
        checkTimes(view, pressedAt)
        let text = Array(view.string)
        if !flavour.isHard {
            // All typed keys are in order.
            let order = expected.compactMap { $0.hasPrefix("+") ? $0.last : $0.hasPrefix("paste") ? "|" : nil }
            #expect(text == order)
        }
        for (key, plan) in view.plans {
            let count = text.count { String($0) == key }
            switch plan {
            case .handled, .answered: #expect(count == 1, "\(key): \(plan)")
            case .declined, .deferred: #expect(count <= 1, "\(key): \(plan)")
            case .silent: #expect(count == 0, "\(key): \(plan)")
            }
        }
    }

    /// Checks that no key waits longer than half a second for each entry before it.
    private func checkTimes(_ view: AsyncView, _ pressedAt: [String: Double]) {
        for (index, given) in view.given.enumerated() where given.entry.state == .down {
            guard let pressed = pressedAt[given.entry.key.characters] else { continue }
            #expect(given.at - pressed <= Double(index + 1) * 500 + 100)
        }
    }
}
