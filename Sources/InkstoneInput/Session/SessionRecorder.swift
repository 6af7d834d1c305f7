import InkstoneBase

/// The recorder of a session's trace. It keeps the state that was recorded last, so it records only changes. Secret
/// clients are never recorded.
final class SessionRecorder {
    /// Called with each record; nil if there is no trace.
    private(set) var onRecord: ((TraceRecord) -> Void)?
    /// Whether, according to the trace so far, keys go to an input method.
    private(set) var isEngaged = false
    /// The key bindings according to the trace so far.
    private var bindings = KeyBindingTable.desktop
    /// The input method's traits according to the trace so far.
    private var traits = InputMethodTraits()
    /// The last recorded spot. The inner nil means a spot off the screen. The outer nil means that no spot was
    /// recorded.
    private var spot: RootRect??
    /// Keys whose client is not known yet, and the records that wait behind them.
    private var held = HeldTrace()
    /// The keys that were pressed in a secret client, by keycode. Their releases are secret too, even if the focus
    /// has moved by then.
    private var secretPresses: Set<UInt8> = []

    var isRecording: Bool { onRecord != nil }

    /// Begins a trace whose records are passed to `onRecord`; ends the trace if `onRecord` is nil.
    func begin(_ onRecord: ((TraceRecord) -> Void)?, isEngaged: Bool) {
        self.onRecord = onRecord
        self.isEngaged = isEngaged
        (bindings, traits, spot) = (.desktop, InputMethodTraits(), nil)
    }

    /// Holds a key whose client is not known yet. Returns its identifier for ``release(_:_:isSecret:)``; nil if
    /// there is no trace.
    func hold(_ key: KeyEvent, at now: Milliseconds) -> Int? {
        isRecording ? held.hold(TraceRecord(time: now, .key(key))) : nil
    }

    /// Releases a key whose client is known now. `id` is the result of ``hold(_:at:)``; nil if there was no trace
    /// then.
    func release(_ id: Int?, _ key: KeyEvent, isSecret: Bool) {
        let wasSecret = note(key, isSecret: isSecret)
        guard let id else { return }
        for record in held.release(id, isSecret: isSecret || wasSecret) { onRecord?(record) }
    }

    /// Updates the keys that were pressed in secret clients. Returns whether the event is the release of such a key;
    /// false for a press.
    private func note(_ key: KeyEvent, isSecret: Bool) -> Bool {
        if key.phase == .up { return secretPresses.remove(key.keycode) != nil }
        if isSecret {
            secretPresses.insert(key.keycode)
        } else if key.phase == .down, !secretPresses.isEmpty {
            secretPresses.remove(key.keycode)
        }
        return false
    }

    /// Records an event. If `isSecret`, records nothing, because the event concerns a client that must not be
    /// recorded.
    func record(_ event: TraceRecord.Event, isSecret: Bool, at now: Milliseconds) {
        guard isRecording, !isSecret else { return }
        for record in held.add(TraceRecord(time: now, event)) { onRecord?(record) }
    }

    /// Records whether keys go to an input method from now on. `loss` describes the loss of a method; nil if none
    /// was lost.
    func recordLink(isEngaged: Bool, _ loss: InputMethodLoss?, isSecret: Bool, at now: Milliseconds) {
        self.isEngaged = isEngaged
        record(.link(isEngaged: isEngaged, loss: loss), isSecret: isSecret, at: now)
    }

    /// Records the input method's traits if they have changed.
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

    /// Records the key bindings if they have changed.
    func record(_ bindings: KeyBindingTable, at now: Milliseconds) {
        guard isRecording, bindings != self.bindings else { return }
        self.bindings = bindings
        record(.keyBindings(bindings), isSecret: false, at: now)
    }
}
