import CX11
import InkstoneBase

extension InputMethodThread {
    /// Copies a message of the server to ``outputs`` or ``notices``. Called from within requests that wait for replies.
    /// So it must not make another request. Returns the new position of the preedit's caret for a message that moves
    /// the caret; otherwise 0.
    func receive(_ message: cx11_xim_message) -> Int32 {
        // Ignore events that still arrive after the connection was cut off: they were read before.
        guard !notices.isOverfull else { return 0 }
        // Do not count notices that the server has ended or was replaced as signs of life: they come from the X server.
        if ![CX11_XIM_OWNER, CX11_XIM_DESTROYED].contains(message.kind) {
            let now = now
            let isWord = ![CX11_XIM_PONG, CX11_XIM_RESET_REPLY].contains(message.kind)
            let isAnswer =
                [CX11_XIM_PREEDIT_DRAW, CX11_XIM_COMMIT, CX11_XIM_KEY].contains(message.kind) && keys.last > 0
            life.didReceive(isWord: isWord, isAnswer: isAnswer, at: now)
            let isRelease = message.kind == CX11_XIM_KEY && message.key.type == KeyRelease
            if isWord { silence.didReceiveOutput(isRelease: isRelease, at: now) }
        }
        let window = WindowID(xid: message.window)
        defer { limitOutputs() }
        switch message.kind {
        case CX11_XIM_PREEDIT_START:
            giveResetText()
            windows.preedits[window, default: PreeditBuffer()].start()
            outputs.append(.event(.preeditStart, window))
        case CX11_XIM_PREEDIT_DRAW:
            let draw = PreeditDraw(message)
            let hasText = draw.text?.isEmpty == false
            if hasText { giveResetText() }
            noteDraw(in: window, hasText: hasText, isNothing: !hasText && draw.changeLength <= 0) { $0.apply(draw) }
            outputs.append(.event(.preeditDraw(draw), window))
        case CX11_XIM_PREEDIT_CARET:
            let caret = PreeditCaret(message)
            outputs.append(.event(.preeditCaret(caret), window))
            return Int32(clamping: windows.preedits[window, default: PreeditBuffer()].apply(caret))
        case CX11_XIM_PREEDIT_DONE:
            // Count the end of a composition as a change of the preedit, because some servers end it without clearing
            // it.
            let isNothing = windows.preedits[window]?.isEmpty ?? true
            noteDraw(in: window, hasText: false, isNothing: isNothing) { $0.finish() }
            outputs.append(.event(.preeditDone, window))
        case CX11_XIM_COMMIT:
            giveResetText()
            receiveCommit(message, window)
        case CX11_XIM_RESET_REPLY:
            giveResetText()
            windows.preedits[window] = nil
            progress.resetText = message.string.map { ($0, window) }
        case CX11_XIM_KEY:
            receiveKey(message.key, window)
        case CX11_XIM_PONG:
            notices.hasPong = true
            silence.didAnswerQuery()
            // Treat the keys sent before the query as read by the server. Later output may be for keys sent after it.
            keys.didAnswer()
        case CX11_XIM_OWNER:
            notices.newOwner = message.value
        case CX11_XIM_DESTROYED:
            windows.served = []
            if end == nil { end = .died }
        default: break
        }
        return 0
    }

    /// Changes the preedit of a window. Also counts the change as the answer to a key, unless `isNothing`: a
    /// message that changes nothing answers no key.
    private func noteDraw(
        in window: WindowID, hasText: Bool, isNothing: Bool, _ change: (inout PreeditBuffer) -> Void
    ) {
        let old = windows.preedits[window] ?? PreeditBuffer()
        var new = old
        change(&new)
        windows.preedits[window] = new
        stamp(window) {
            $0.didDraw(
                hasText: hasText, from: old.scalars, to: new.scalars, isNothing: isNothing, at: now, timing)
        }
    }

    /// Adds the stamp for the next output of a window, if that output begins an answer. The stamp names the key
    /// that is answered.
    private func stamp(_ window: WindowID, _ answer: (inout AnswerMatcher) -> AnswerStamp?) {
        if let stamp = keys.update(window, answer) { outputs.append(.event(.stamp(stamp), window)) }
    }

    private func receiveCommit(_ message: cx11_xim_message, _ window: WindowID) {
        // If the commit has only a key symbol, use the text that this key symbol stands for.
        let text =
            message.string ?? Keyboard.characters(for: Keysym(rawValue: UInt32(truncatingIfNeeded: message.value)))
        guard message.string != nil || !text.isEmpty else { return }
        stamp(window) { $0.didCommit(at: now) }
        outputs.append(.event(.commit(text), window))
    }

    private func receiveKey(_ event: XKeyEvent, _ window: WindowID) {
        let raw = RawKey(event)
        if let key = keys.take(
            serial: event.serial, keycode: raw.keycode, isPress: raw.isPress, time: raw.time)
        {
            if isOutOfTurn { releases.didReturn(key) }
            if !silence.keeps(key) { outputs.append(.key(key)) }
        } else {
            outputs.append(.foreignKey(raw, window))
        }
    }
}

func receiveInputMethodMessage(
    _ message: UnsafePointer<cx11_xim_message>, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<InputMethodThread>.fromOpaque(context).takeUnretainedValue().receive(message.pointee)
}

extension cx11_xim_message {
    /// The text of the message as UTF-8; nil if there is none.
    fileprivate var string: String? {
        guard let text, text_length > 0 || kind == CX11_XIM_PREEDIT_DRAW else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(text_length)), as: UTF8.self)
    }
}

extension PreeditDraw {
    fileprivate init(_ message: cx11_xim_message) {
        let feedback = UnsafeBufferPointer(start: message.feedback, count: Int(message.feedback_count))
        self.init(
            caret: Int(message.caret), changeFirst: Int(message.change_first),
            changeLength: Int(message.change_length), text: message.string,
            feedback: feedback.map {
                PreeditFeedback(rawValue: $0).intersection(.ofServers)
            })
    }
}

extension PreeditCaret {
    fileprivate init(_ message: cx11_xim_message) {
        self.init(
            direction: Direction(rawValue: message.direction) ?? .unchanged, position: Int(message.caret),
            style: Style(rawValue: message.style) ?? .primary)
    }
}
