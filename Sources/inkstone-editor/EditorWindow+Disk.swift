import Glibc
import Inkstone

/// Questions to the disk. It may hang, so that another thread asks, and the window goes on.
extension EditorWindow {
    /// Milliseconds that the user waits for an answer.
    private static let patience = 500
    /// Milliseconds that this thread waits for one: a disk that does not hang answers in the turn of the key that asks it, so that the keys
    /// behind that meet what comes of it.
    static let promptness = 50

    /// Asks the disk something on a thread of its own, and goes on with the answer, or without one if that takes too long. Keys struck
    /// meanwhile come after that. Nothing is done when the window is closed by then.
    func askDisk<Answer: Sendable>(
        _ question: @escaping @Sendable () -> Answer, then work: @escaping (EditorWindow, Answer?) -> Void
    ) {
        ask(question, holdingKeys: true, givingUp: true, then: work)
    }

    /// Does work that may take long on a thread of its own, and goes on with what it gives. With `holdingKeys` keys struck meanwhile come after
    /// that, unless it is long in coming. Nothing is done when the window is closed by then. Where there is no thread for it, that is said, and
    /// `orElse` is called for those who would wait.
    func perform<Answer: Sendable>(
        inBackground work: @escaping @Sendable () -> Answer, holdingKeys: Bool = false,
        then: @escaping (EditorWindow, Answer) -> Void, orElse: @escaping (EditorWindow) -> Void = { _ in }
    ) {
        ask(work, holdingKeys: holdingKeys, givingUp: false) { window, answer in
            if let answer { return then(window, answer) }
            window.tell(Words.noResources, isProblem: true)
            orElse(window)
        }
    }

    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () -> Answer, holdingKeys: Bool, givingUp: Bool,
        then work: @escaping (EditorWindow, Answer?) -> Void
    ) {
        var hold: KeyWaits.Wait?
        let pending = PendingAnswer<Answer> { [weak self] answer in
            guard let self, !isClosed else { return }
            work(self, answer)
            // The work may have keys wait for something else: then they still do.
            if let hold { letKeysCome(hold) }
        }
        let poster = display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) let owned = pending
        let found = Monitor<Answer?>(nil)
        let thread = try? BackgroundThread.start {
            let answer = question()
            found.withLock(waking: true) { $0 = .some(answer) }
            poster.post { owned.take(answer) }
        }
        guard let thread else { return pending.take(nil) }
        pthread_detach(thread)
        if holdingKeys, found.wait(atMost: Self.promptness, until: { $0 != nil }) {
            pending.take(found.withLock { $0 })
        } else if holdingKeys {
            hold = holdKeys(forMilliseconds: Self.patience) { if givingUp { pending.take(nil) } }
        }
    }

    // MARK: Keys that wait

    /// Has keys wait for something, with nil for work that a question may follow, until ``letKeysCome(_:)-(KeyWaits.Wait)``.
    @discardableResult
    func holdKeys(_ reason: KeyWaits.Reason?) -> KeyWaits.Wait {
        let wait = life.keyWaits.begin(reason)
        keyWaitsDidChange()
        return wait
    }

    /// Has keys wait as ``holdKeys(_:)`` does, but no longer than that. Then `work` is done, and the keys meet what comes of it.
    @discardableResult
    func holdKeys(
        _ reason: KeyWaits.Reason? = nil, forMilliseconds milliseconds: Int, whenOver work: @escaping () -> Void = {}
    ) -> KeyWaits.Wait {
        let wait = holdKeys(reason)
        display.schedule(afterMilliseconds: milliseconds) { [weak self] in
            work()
            self?.letKeysCome(wait)
        }
        return wait
    }

    /// Ends a wait: its keys come, unless something else has them wait.
    func letKeysCome(_ wait: KeyWaits.Wait) {
        life.keyWaits.end(wait)
        keyWaitsDidChange()
    }

    /// Ends the wait for something.
    func letKeysCome(_ reason: KeyWaits.Reason) {
        life.keyWaits.end(reason)
        keyWaitsDidChange()
    }

    /// Has the keys come, whatever they wait for.
    func letAllKeysCome() {
        life.keyWaits.endAll()
        keyWaitsDidChange()
    }

    private func keyWaitsDidChange() {
        if window.keysWait == life.keyWaits.isEmpty { window.keysWait.toggle() }
    }
}

/// Work that is done once: with an answer, or without.
private final class PendingAnswer<Answer> {
    private var work: ((Answer?) -> Void)?

    init(_ work: @escaping (Answer?) -> Void) { self.work = work }

    func take(_ answer: Answer?) {
        let work = work
        self.work = nil
        work?(answer)
    }
}
