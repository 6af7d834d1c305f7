import CX11
import InkstoneBase

extension InputMethodThread {
    /// Executes commands in order, while the server counts as alive. The remaining commands wait.
    func carryOut(_ now: Milliseconds) {
        while end == nil, phase == .ready, !isServerGone, silence.serializedKey == nil, let command = pending.first {
            guard carryOut(command, now) else { return }
            if end == nil || end == .closed { pending.removeFirst() }
            (progress.drainStart, progress.talking) = (nil, nil)
        }
    }

    /// Executes the pending commands while there is no server: keys are returned at once.
    ///
    /// But while the connection to a server is being made, all commands are held for a short time. Users start to type
    /// immediately, and these keys should reach the server.
    func handBack(_ now: Milliseconds) {
        if phase == .probing, offer.refusals == 0, now < started + timing.connecting, !worker.startsAfterHang { return }
        for command in pending {
            switch command {
            case .key(let key): outputs.append(.key(key))
            case .focusIn(let window): windows.focus(window)
            case .focusOut(let window): windows.unfocus(window)
            case .spot(let spot, let window): windows.spots.want(spot, in: window)
            case .reset(let window): outputs.append(.event(.resetReply(nil), window))
            case .remove(let window), .destroy(let window, _):
                forget(window)
                outputs.append(.removed(window))
            case .close: end = .closed
            case .open: break
            }
        }
        pending = []
    }

    /// Executes a command. Returns false if it has to wait.
    private func carryOut(_ command: InputMethodCommand, _ now: Milliseconds) -> Bool {
        switch command {
        case .key(let key): return send(key, now)
        case .focusIn(let window): return focus(window, now)
        case .focusOut(let window): return unfocus(window, now)
        case .spot(let spot, let window):
            windows.spots.want(spot, in: window)
            return true
        case .reset(let window): return reset(window, now)
        case .remove(let window):
            guard unfocus(window, now) else { return false }
            // Destroy the context later: the server may answer the loss of focus with a late commit, whose window is
            // found through the context.
            if windows.served.contains(window) {
                pending.insert(.destroy(window, since: self.now), at: 1)
            } else {
                forget(window)
                outputs.append(.removed(window))
            }
            return true
        case .destroy(let window, let since):
            guard isQuiet(now, since: since) else { return false }
            guard allowsBlockingCalls(now) else { return false }
            guard check(waiting { cx11_xim_context_destroy(xim, window.xid) }) else { return false }
            forget(window)
            outputs.append(.removed(window))
            return true
        case .close: return closeAll(now)
        case .open: return true
        }
    }

    private func send(_ key: InputMethodKey, _ now: Milliseconds) -> Bool {
        // Let each key move the focus to its window: without a window manager, no window has the focus, and keys come
        // without a focus event before them.
        guard focus(key.window, now) else { return false }
        guard windows.served.contains(key.window) else {
            outputs.append(.key(key))
            return true
        }
        guard isIntroduced(now) else { return false }
        // Send the key alone, so that it cannot overtake the output of another key. If it is returned, it is kept here
        // until its own output has come (see the trap “keys out of turn” on the page KeysAndAnswers).
        let isSerialized = isOutOfTurn && key.raw.isPress && !key.isLetter
        if isSerialized, !isPausing(now) { return false }
        var event = key.raw.event(window: key.window)
        event.serial = UInt(key.mark)
        var isConsumed = false
        // Record the key before the call below. If the server handles keys synchronously, its answers come during
        // that call.
        keys.add(key, at: now)
        if isOutOfTurn { releases.didSend(key, at: now) }
        silence.didSend(key, isAsking: life.query != nil, isSerialized: isSerialized, at: now)
        guard
            check(waiting { cx11_xim_key(xim, key.window.xid, event, KeySym(key.event.keysym.rawValue), &isConsumed) }),
            isConsumed || !isServerGone
        else {
            // The server or the connection to it is lost: return this key together with the other unanswered keys, in
            // the order of typing.
            pending.removeFirst()
            return false
        }
        if !isConsumed, keys.takeBack(key) {
            if isOutOfTurn { releases.didRefuse(key) }
            if !silence.keeps(key) { outputs.append(.key(key)) }
        }
        return true
    }

    /// Makes `window` the focused one, and makes a context for it if it has none. Returns false if that has to
    /// wait. Returns true also if the server has refused to make a context.
    private func focus(_ window: WindowID, _ now: Milliseconds) -> Bool {
        if windows.focusedAndServed == window { return true }
        if let other = windows.focusedAndServed, other != window {
            guard unfocus(other, now) else { return false }
        }
        guard allowsBlockingCalls(now) else { return false }
        if !windows.served.contains(window) {
            if offer.isUnserved(window, at: now) { return true }
            let spot = windows.spots.spot(of: window).map { XPoint(x: $0.x, y: $0.y) } ?? XPoint(x: 1, y: 1)
            while true {
                guard let style = offer.style else { return true }
                let result = waiting { cx11_xim_context_create(xim, window.xid, style.rawValue, spot) }
                guard check(result) else { return false }
                if result == CX11_XIM_OK { break }
                if isServerGone { return false }
                guard takesNextStyle(for: window) else { return end == nil }
            }
            windows.served.insert(window)
            didServe(window)
            windows.spots.invalidateSent(in: window)
        }
        guard check(sending { cx11_xim_context_focus(xim, window.xid, true) }) else { return false }
        keys.forgetClearing()
        windows.focus(window)
        return true
    }

    /// Whether keys may be sent for the focused window: the server has answered a query since it got the focus event,
    /// and has the spot.
    ///
    /// A server reports which keys it wants only some time after it has made a context or got the focus. Until then
    /// it is sent no keys, because it would not handle them (see the trap “unannounced keys” on the page KeysAndAnswers).
    /// The spot is sent before the first key: a list that opens at this key may not move until the next one.
    private func isIntroduced(_ now: Milliseconds) -> Bool {
        if windows.introduction == .asked, life.query == nil, placeSpot(now) { windows.introduction = .over }
        if windows.introduction == .wanted, life.query == nil {
            askForLife(now)
            windows.introduction = .asked
        }
        return windows.introduction == .over
    }

    /// Removes the focus from a window, after the answers to earlier requests have come. Returns false until then.
    private func unfocus(_ window: WindowID, _ now: Milliseconds) -> Bool {
        guard windows.focusedAndServed == window else {
            windows.unfocus(window)
            return true
        }
        guard isDrained(now), allowsBlockingCalls(now) else { return false }
        guard check(sending { cx11_xim_context_focus(xim, window.xid, false) }) else { return false }
        windows.unfocus(window)
        return true
    }

    /// Resets the composition of a window. Returns false until the reset is complete.
    ///
    /// A server may defer keys until the SYNC that it sent with the previous key is answered, but handle a reset at
    /// once, as libxcb-imdkit does (see the trap “overtaken keys” on the page KeysAndAnswers). It then composes text of
    /// the deferred keys. This text must be discarded as well, before any further key is sent.
    ///
    /// So the reset is repeated until all keys are answered, or until a repetition leaves as many keys unanswered
    /// as before. Before each repetition, the server gets time for its keys: an engine in a process of its own may
    /// still be at work on them, even if the server answers queries.
    ///
    /// Output before the reply counts as output from before the reset; later output does not. So the reply is delivered
    /// only when the server has no more output.
    private func reset(_ window: WindowID, _ now: Milliseconds) -> Bool {
        if progress.isReset {
            guard isSilent(now) else { return false }
            keys.update(window) { $0.forgetClearing() }
            finishReset(window)
            return true
        }
        guard windows.served.contains(window) else {
            outputs.append(.event(.resetReply(nil), window))
            return true
        }
        guard isDrained(now), allowsBlockingCalls(now) else { return false }
        if progress.overtakenPresses != nil, keys.hasUnansweredPress,
            now < max(keys.lastPress, life.lastWord) + timing.probeDelay
        {
            return false
        }
        let isShown = offer.style?.preedit == .callbacks
        if progress.overtakenPresses == nil || !isShown || windows.preedits[window]?.isEmpty == false {
            guard check(waiting { cx11_xim_context_reset(xim, window.xid) }) else { return false }
            if progress.resetText == nil, isServerGone { return false }
        }
        let left = keys.unansweredPresses
        if left > 0, left < progress.overtakenPresses ?? .max {
            progress.overtakenPresses = left
            progress.drainStart = nil
            giveResetText()
            return false
        }
        progress.overtakenPresses = nil
        progress.isReset = true
        return self.reset(window, now)
    }

    /// Delivers the reply to the current reset.
    func finishReset(_ window: WindowID) {
        outputs.append(.event(.resetReply(progress.resetText?.text), window))
        (progress.isReset, progress.resetText) = (false, nil)
    }

    /// Delivers the text of a reset's answer as a commit. Call when other output comes before the reset ends.
    func giveResetText() {
        guard let (text, window) = progress.resetText else { return }
        progress.resetText = nil
        outputs.append(.event(.commit(text), window))
    }

    private func closeAll(_ now: Milliseconds) -> Bool {
        if let focused = windows.focused {
            guard unfocus(focused, now) else { return false }
            progress.drainStart = self.now
        }
        guard isQuiet(now, since: progress.drainStart ?? 0), allowsBlockingCalls(now) else { return false }
        guard check(waiting { cx11_xim_close(xim) }) else { return false }
        windows.served = []
        end = .closed
        return true
    }

    /// Whether the next command may be executed: no answer to a key is pending, or the wait for answers has been long
    /// enough. The wait counts from the server's last message; its whole length is limited. If the server may not even
    /// have read the keys, it is queried and the wait goes on. Such a server would not answer the following commands
    /// either.
    private func isDrained(_ now: Milliseconds) -> Bool {
        let start = progress.drainStart ?? now
        progress.drainStart = start
        if isOutOfTurn, !isSilent(now) { return false }
        if !keys.hasUnansweredPress {
            return now - life.lastIn >= min(timing.quiet, timing.pollInterval) || now >= start + timing.pressWait
        }
        let limit = start + max(timing.pressWait, timing.probeDelay)
        guard now >= min(max(start, life.lastIn) + timing.pressWait, limit) else { return false }
        if keys.hasUnconfirmedPress {
            askForLife(now)
            return false
        }
        return true
    }

    /// Whether there has been no message in either direction for a while since `start`, or the wait since then has been
    /// long enough.
    private func isQuiet(_ now: Milliseconds, since start: Milliseconds) -> Bool {
        now >= start + timing.pressWait || now - max(life.lastIn, life.lastOut, start) >= timing.quiet
    }

    private func forget(_ window: WindowID) {
        windows.forget(window)
        offer.forget(window)
        silence.forget(window)
        releases.forget(window)
        keys.forget(window)
    }
}
