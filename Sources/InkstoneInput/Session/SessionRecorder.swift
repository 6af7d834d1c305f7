import InkstoneBase

/// Where a session's trace goes, and what its reader knows by now. Nothing of a secret client gets into it.
final class SessionRecorder {
    /// Takes the records; nil if nobody wants them.
    private(set) var onRecord: ((TraceRecord) -> Void)?
    /// Whether a reader takes keys to go to an input method.
    private(set) var isEngaged = false
    /// What a reader takes keys to be bound to.
    private var bindings = KeyBindingTable.desktop
    /// How a reader takes the method to answer.
    private var traits = InputMethodTraits()
    /// The last spot that a reader has seen.
    private var spot: RootRect??
    /// Keys of which it is not known yet which client takes them, and what came behind them.
    private var held = HeldTrace()
    /// Keys that went down in a secret client, by keycode: they come up as secretly, wherever the focus is by then.
    private var secretPresses: Set<UInt8> = []

    var isRecording: Bool { onRecord != nil }

    /// A trace begins, or ends.
    func begin(_ onRecord: ((TraceRecord) -> Void)?, isEngaged: Bool) {
        self.onRecord = onRecord
        self.isEngaged = isEngaged
        (bindings, traits, spot) = (.desktop, InputMethodTraits(), nil)
    }

    /// A key whose client is not known yet. Returns what ``release(_:isSecret:)`` knows it by.
    func hold(_ key: KeyEvent, at now: Milliseconds) -> Int? {
        isRecording ? held.hold(TraceRecord(time: now, .key(key))) : nil
    }

    /// The client of a key is known. `id` is what ``hold(_:at:)`` gave for it, if anything was recorded then.
    func release(_ id: Int?, _ key: KeyEvent, isSecret: Bool) {
        let wasSecret = note(key, isSecret: isSecret)
        guard let id else { return }
        for record in held.release(id, isSecret: isSecret || wasSecret) { onRecord?(record) }
    }

    /// Keeps track of what is down; returns whether a key that comes up went down in a secret client.
    private func note(_ key: KeyEvent, isSecret: Bool) -> Bool {
        if key.phase == .up { return secretPresses.remove(key.keycode) != nil }
        if isSecret {
            secretPresses.insert(key.keycode)
        } else if key.phase == .down, !secretPresses.isEmpty {
            secretPresses.remove(key.keycode)
        }
        return false
    }

    /// Something has happened. `isSecret`: to a client of which nothing is told.
    func record(_ event: TraceRecord.Event, isSecret: Bool, at now: Milliseconds) {
        guard isRecording, !isSecret else { return }
        for record in held.add(TraceRecord(time: now, event)) { onRecord?(record) }
    }

    /// Keys go to a method from now on, or no longer. `silence`: it was lost.
    func recordLink(isEngaged: Bool, silence: Milliseconds?, isSecret: Bool, at now: Milliseconds) {
        self.isEngaged = isEngaged
        record(.link(isEngaged: isEngaged, lostAfterSilence: silence), isSecret: isSecret, at: now)
    }

    /// How the method answers, if that is news.
    func record(_ traits: InputMethodTraits, isSecret: Bool, at now: Milliseconds) {
        guard isRecording, traits != self.traits else { return }
        self.traits = traits
        record(.method(traits), isSecret: isSecret, at: now)
    }

    /// Records the spot of the composition if it has changed.
    func record(_ spot: RootRect?, isSecret: Bool, at now: Milliseconds) {
        guard isRecording, !isSecret, .some(spot) != self.spot else { return }
        self.spot = .some(spot)
        record(.spot(spot), isSecret: false, at: now)
    }

    /// What keys are bound to, if that is news.
    func record(_ bindings: KeyBindingTable, at now: Milliseconds) {
        guard isRecording, bindings != self.bindings else { return }
        self.bindings = bindings
        record(.keyBindings(bindings), isSecret: false, at: now)
    }
}
