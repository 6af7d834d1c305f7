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
    /// that, unless it is long in coming. Nothing is done when the window is closed by then.
    func perform<Answer: Sendable>(
        inBackground work: @escaping @Sendable () -> Answer, holdingKeys: Bool = false,
        then: @escaping (EditorWindow, Answer) -> Void
    ) {
        ask(work, holdingKeys: holdingKeys, givingUp: false) { window, answer in
            guard let answer else { return window.tell(Words.noResources, isProblem: true) }
            then(window, answer)
        }
    }

    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () -> Answer, holdingKeys: Bool, givingUp: Bool,
        then work: @escaping (EditorWindow, Answer?) -> Void
    ) {
        var hold: TimerID?
        let pending = PendingAnswer<Answer> { [weak self] answer in
            guard let self, !isClosed else { return }
            work(self, answer)
            // The work may have keys wait for something else.
            if hold != nil, life.heldKeys == hold { releaseHeldKeys() }
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

    /// Has keys wait for what is asked of the disk, which a question may follow, but no longer than that. Then `work` is done, whoever has keys
    /// wait by then, and the keys meet what comes of it.
    @discardableResult
    func holdKeys(forMilliseconds milliseconds: Int, whenOver work: @escaping () -> Void = {}) -> TimerID {
        window.keysWait = true
        var hold: TimerID?
        let timer = display.schedule(afterMilliseconds: milliseconds) { [weak self] in
            work()
            if let self, life.heldKeys == hold { releaseHeldKeys() }
        }
        (hold, life.heldKeys) = (timer, timer)
        return timer
    }

    /// Has the keys come that wait for the disk.
    func releaseHeldKeys() {
        guard life.heldKeys != nil else { return }
        stopHoldingKeys()
        window.keysWait = false
    }

    /// Leaves the keys that wait to who has them wait for something else.
    func stopHoldingKeys() { life.heldKeys = nil }
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
