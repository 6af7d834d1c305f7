import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText

/// A view whose text another thread holds: each key is answered as its plan says.
final class AsyncView: ReferenceTextView, AsyncTextInput {
    /// The handling of a key entry.
    enum Plan: Hashable, Sendable {
        /// Inserts the text and answers the entry after so many milliseconds; 0 within the call.
        case handled(after: Double)
        /// Answers that the entry was not handled.
        case declined(after: Double)
        /// Inserts the text and gives all these answers.
        case answered([Bool], after: Double)
        /// Never answers.
        case silent
        /// Defers to the system within the call, and passes on its answer later.
        case deferred(after: Double)
    }

    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    weak var simulation: Simulation?
    /// Plans for keys by their characters; others use ``plan``.
    var plans: [String: Plan] = [:]
    var plan = Plan.handled(after: 0)
    /// The events in order: `+a` received, `a` answered for the first time, `-a` a release, `~a` a repetition, and
    /// notes of the test.
    var log: [String] = []
    var given: [(entry: KeyEntry, at: Double)] = []
    /// All completions, so that a test can call them again.
    var completions: [KeyEntryCompletion] = []
    var shiftStates: [KeyModifiers] = []
    /// Whether releases are answered within the call.
    var answersReleases = true

    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
        let name = entry.key.characters.isEmpty ? "\(entry.key.keysym.rawValue)" : entry.key.characters
        given.append((entry, simulation?.now ?? 0))
        completions.append(completion)
        guard entry.state == .down else {
            log.append("-\(name)")
            if answersReleases { completion(true) }
            return
        }
        log.append((entry.isRepeating ? "~" : "+") + name)
        switch plans[name] ?? plan {
        case .handled(let delay): after(delay) { [unowned self] in answer(name, [true], completion) }
        case .answered(let answers, let delay): after(delay) { [unowned self] in answer(name, answers, completion) }
        case .declined(let delay): after(delay) { completion(false) }
        case .silent: break
        case .deferred(let delay):
            let isDone =
                asyncInputDelegate?.shouldDeferEventHandlingToSystem(for: self, context: KeyEntryContext(entry))
                ?? false
            after(delay) { completion(isDone) }
        }
    }

    private func answer(_ name: String, _ answers: [Bool], _ completion: KeyEntryCompletion) {
        log.append(name)
        insertText(name)
        for answer in answers { completion(answer) }
    }

    private func after(_ delay: Double, _ work: @escaping () -> Void) {
        if delay == 0 { work() } else { simulation?.later(delay, work) }
    }

    func shiftKeyStateChanged(from oldState: KeyModifiers, to newState: KeyModifiers) { shiftStates.append(newState) }

    var textAlternatives: TextAlternativesList? = TextAlternativesList()
}

extension Simulation {
    /// Creates a window with an asynchronous view.
    static func asynchronous(
        _ text: String = "", server: Server? = nil, isRecording: Bool = false, plan: AsyncView.Plan = .handled(after: 0)
    ) -> (Simulation, AsyncView) {
        let view = AsyncView(text, columns: 40)
        view.content.selection = UTF16Offset(text.utf16.count)..<UTF16Offset(text.utf16.count)
        let simulation = Simulation(server: server, isRecording: isRecording, view: view)
        view.simulation = simulation
        view.plan = plan
        return (simulation, view)
    }

    /// Presses and releases a key with a keycode of its own.
    func press(_ character: Character, _ phases: [KeyEvent.Phase] = [.down, .up], _ modifiers: KeyModifiers = []) {
        let scalar = character.unicodeScalars.first ?? " "
        for phase in phases {
            session.handle(
                KeyEvent(
                    phase: phase, keycode: UInt8(8 + scalar.value % 240), keysym: Keysym(scalar),
                    characters: String(character), modifiers: modifiers))
        }
    }
}
