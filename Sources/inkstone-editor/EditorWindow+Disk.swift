import Glibc
import Inkstone

/// Questions to the disk, asked on a background thread because the disk may hang, and the keys that wait for the
/// answers.
extension EditorWindow {
    /// The maximum time, in milliseconds, for which the user's keys are held for an answer of the disk. After that they
    /// are delivered without it.
    private static let maximumHold = 500
    /// The maximum time, in milliseconds, for which the display's thread blocks for an answer of the disk. A disk that
    /// does not hang answers within this time. The key that led to the question is then still being handled, and the
    /// next key comes after the answer.
    static let promptness = 50

    /// Asks the disk on a background thread, and calls `work` on the display's thread with the answer, or with nil if
    /// the answer takes too long or no thread can be started. Keys typed meanwhile are delivered after `work`. `work`
    /// is not called if the window is closed by then.
    func askDisk<Answer: Sendable>(
        _ question: @escaping @Sendable () -> Answer, then work: @escaping (EditorWindow, Answer?) -> Void
    ) {
        ask(question, holdingKeys: true, givingUp: true, then: work)
    }

    /// Runs work on a background thread, and calls `then` on the display's thread with its result. With
    /// `holdingKeys`, keys typed meanwhile are delivered after `then`; if the result takes too long, they are
    /// delivered at once, and the message `late` is shown. Nothing is called if the window is closed by then. If no
    /// thread can be started, reports that to the user and calls `orElse`.
    func perform<Answer: Sendable>(
        inBackground work: @escaping @Sendable () -> Answer, holdingKeys: Bool = false, late: String? = nil,
        then: @escaping (EditorWindow, Answer) -> Void, orElse: @escaping (EditorWindow) -> Void = { _ in }
    ) {
        ask(work, holdingKeys: holdingKeys, givingUp: false, late: late) { window, answer in
            if let answer { return then(window, answer) }
            window.notify(Words.noResources, isProblem: true)
            orElse(window)
        }
    }

    private func ask<Answer: Sendable>(
        _ question: @escaping @Sendable () -> Answer, holdingKeys: Bool, givingUp: Bool, late: String? = nil,
        then work: @escaping (EditorWindow, Answer?) -> Void
    ) {
        var hold: KeyWaits.Wait?
        let pending = PendingAnswer<Answer> { [weak self] answer in
            guard let self, !isClosed else { return }
            if let late, message?.text == late { clearMessage() }
            work(self, answer)
            // End only this wait: if `work` has begun another one, the keys stay held.
            if let hold { letKeysCome(hold) }
        }
        let poster = display.poster
        // `owned` is used only in closures passed to `poster.post`, which run on the display's thread.
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
            hold = holdKeys(forMilliseconds: Self.maximumHold) { [weak self] in
                if givingUp { return pending.take(nil) }
                if let late, let self, !isClosed, !pending.isTaken { notify(late) }
            }
        }
    }

    // MARK: Keys that wait

    /// Holds the window's keys until ``letKeysCome(_:)-(KeyWaits.Wait)`` is called with the returned wait. The
    /// reason nil is for work that may lead to a question.
    @discardableResult
    func holdKeys(_ reason: KeyWaits.Reason?) -> KeyWaits.Wait {
        let wait = life.keyWaits.begin(reason)
        keyWaitsDidChange()
        return wait
    }

    /// Holds the window's keys as ``holdKeys(_:)`` does, but at most `milliseconds`. When that time is over, calls
    /// `work`, also if the wait has been ended by then, and ends the wait.
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

    /// Ends a wait, and delivers the held keys unless another wait holds them.
    func letKeysCome(_ wait: KeyWaits.Wait) {
        life.keyWaits.end(wait)
        keyWaitsDidChange()
    }

    /// Ends the wait for a reason, and delivers the held keys unless another wait holds them.
    func letKeysCome(_ reason: KeyWaits.Reason) {
        life.keyWaits.end(reason)
        keyWaitsDidChange()
    }

    /// Ends all waits, and delivers the held keys.
    func letAllKeysCome() {
        life.keyWaits.endAll()
        keyWaitsDidChange()
    }

    private func keyWaitsDidChange() {
        if window.keysWait == life.keyWaits.isEmpty { window.keysWait.toggle() }
    }
}

/// A closure that is called once: with the answer of a thread, or with nil if the answer takes too long.
private final class PendingAnswer<Answer> {
    private var work: ((Answer?) -> Void)?
    var isTaken: Bool { work == nil }

    init(_ work: @escaping (Answer?) -> Void) { self.work = work }

    func take(_ answer: Answer?) {
        let work = work
        self.work = nil
        work?(answer)
    }
}
