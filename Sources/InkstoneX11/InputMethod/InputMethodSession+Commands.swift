import CX11
import Glibc
import InkstoneBase

extension InputMethodSession {
    /// Carries out commands in their order while the server may be trusted to answer; the rest waits.
    func carryOut(_ now: Int64) {
        while end == nil, phase == .ready, !isServerGone, let command = pending.first {
            guard carryOut(command, now) else { return }
            if end == nil || end == .closed { pending.removeFirst() }
            drainStart = nil
        }
    }

    /// Does what needs no server, while there is none: keys come straight back.
    ///
    /// Keys typed while the connection is being made wait a moment, because people start to type at once.
    func handBack(_ now: Int64) {
        if phase == .probing, !isRetrying, now < started + timing.patience, !worker.startsInDoubt { return }
        for command in pending {
            switch command {
            case .key(let key): outputs.append(.key(key))
            case .focusIn(let window): focused = window
            case .focusOut(let window): if focused == window { focused = nil }
            case .spot(let spot, let window): spots.want(spot, in: window)
            case .reset(let window): outputs.append(.event(.resetReply(nil), window))
            case .remove(let window), .destroy(let window, _): forget(window)
            case .close: end = .closed
            case .open: break
            }
        }
        pending = []
    }

    /// False if the command has to wait.
    private func carryOut(_ command: InputMethodCommand, _ now: Int64) -> Bool {
        switch command {
        case .key(let key): return send(key, now)
        case .focusIn(let window): return focus(window, now)
        case .focusOut(let window): return unfocus(window, now)
        case .spot(let spot, let window):
            spots.want(spot, in: window)
            return true
        case .reset(let window): return reset(window, now)
        case .remove(let window):
            guard unfocus(window, now) else { return false }
            // Trap “stale mark”: answers to the loss of focus come late. Without its context a commit would be lost, and would
            // let the next key bypass the server.
            if contexts.contains(window) {
                pending.insert(.destroy(window, since: InputMethodTiming.now), at: 1)
            } else {
                forget(window)
            }
            return true
        case .destroy(let window, let since):
            guard isQuiet(now, since: since) else { return false }
            guard isTrusted(now) else { return false }
            guard check(waiting { cx11_xim_context_destroy(xim, window.xid) }) else { return false }
            forget(window)
            return true
        case .close: return closeAll(now)
        case .open: return true
        }
    }

    private func send(_ key: InputMethodKey, _ now: Int64) -> Bool {
        // Without a window manager the focus is nobody's, and keys come without its having been told.
        guard focus(key.window, now) else { return false }
        guard contexts.contains(key.window) else {
            outputs.append(.key(key))
            return true
        }
        guard isIntroduced(now) else { return false }
        var event = key.raw.event(display: OpaquePointer(bitPattern: 1)!, window: key.window)
        event.serial = UInt(key.mark)
        var isConsumed = false
        lastKey = key.number
        // Answers come inside the call if the server takes keys synchronously.
        keys.add(key, at: now)
        guard check(waiting { cx11_xim_key(xim, key.window.xid, event, &isConsumed) }), isConsumed || !isServerGone
        else {
            // It comes back with those that the server owes, in their order.
            pending.removeFirst()
            return false
        }
        if !isConsumed {
            keys.removeLast()
            outputs.append(.key(key))
        }
        return true
    }

    /// Makes `window` the one that keys go to, with a context if it has none.
    private func focus(_ window: WindowID, _ now: Int64) -> Bool {
        if focused == window, contexts.contains(window) { return true }
        if let other = focused, other != window, contexts.contains(other) {
            guard unfocus(other, now) else { return false }
        }
        guard isTrusted(now) else { return false }
        if !contexts.contains(window) {
            if let due = unserved[window], now < due { return true }
            let spot = spots.spot(of: window).map { XPoint(x: $0.x, y: $0.y) } ?? XPoint(x: 1, y: 1)
            while true {
                guard let style else { return true }
                let result = waiting { cx11_xim_context_create(xim, window.xid, style.rawValue, spot) }
                guard check(result) else { return false }
                if result == CX11_XIM_OK { break }
                if isServerGone { return false }
                guard takesNextStyle(for: window) else { return end == nil }
            }
            contexts.insert(window)
            didServe(window)
            spots.forgetTold(in: window)
        }
        guard check(waiting { cx11_xim_context_focus(xim, window.xid, true) }) else { return false }
        focused = window
        introduction = .wanted
        return true
    }

    /// Whether the server has answered since it heard of the focus, and knows where the caret is. Trap “untold keys”: a server
    /// says which keys it wants when it makes a context or gives it the focus, without being waited for, and until then Xlib
    /// sends it none: they would be typed plainly. A list that a server opens at the first key it may not move until the next.
    private func isIntroduced(_ now: Int64) -> Bool {
        if introduction == .asked, ping == nil, placeSpot(now) { introduction = .over }
        if introduction == .wanted, ping == nil {
            askForLife(now)
            introduction = .asked
        }
        return introduction == .over
    }

    /// Takes the focus away once the answers to what was sent have come.
    private func unfocus(_ window: WindowID, _ now: Int64) -> Bool {
        guard focused == window, contexts.contains(window) else {
            if focused == window { focused = nil }
            return true
        }
        guard isDrained(now), isTrusted(now) else { return false }
        guard check(waiting { cx11_xim_context_focus(xim, window.xid, false) }) else { return false }
        focused = nil
        return true
    }

    /// Trap “overtaken keys”: a server that paces itself puts keys by until the SYNC that it sent with the one before is
    /// answered, but comes to a reset at once (libxcb-imdkit). What it composes of them afterwards has to be forgotten as well,
    /// before any later key: so it is asked again until all are answered, or one more request has settled none.
    private func reset(_ window: WindowID, _ now: Int64) -> Bool {
        guard contexts.contains(window) else {
            outputs.append(.event(.resetReply(nil), window))
            return true
        }
        guard isDrained(now), isTrusted(now) else { return false }
        var reply: String?
        let isShown = style?.preedit == .callbacks
        if overtakenPresses == nil || !isShown || preedits[window]?.isEmpty == false {
            var text: UnsafeMutablePointer<CChar>?
            guard check(waiting { cx11_xim_context_reset(xim, window.xid, &text) }) else { return false }
            reply = text.map { String(cString: $0) }
            free(text)
            if reply == nil, isServerGone { return false }
            if reply?.isEmpty == true { reply = nil }
            preedits[window] = nil
        }
        let left = keys.unansweredPresses
        if left > 0, left < overtakenPresses ?? .max {
            overtakenPresses = left
            drainStart = nil
            if let reply { outputs.append(.event(.commit(reply), window)) }
            return false
        }
        overtakenPresses = nil
        outputs.append(.event(.resetReply(reply), window))
        return true
    }

    private func closeAll(_ now: Int64) -> Bool {
        if let focused {
            guard unfocus(focused, now) else { return false }
            drainStart = InputMethodTiming.now
        }
        guard isQuiet(now, since: drainStart ?? 0), isTrusted(now) else { return false }
        guard check(waiting { cx11_xim_close(xim) }) else { return false }
        contexts = []
        end = .closed
        return true
    }

    /// Whether no answer is on its way, or has been waited for long enough: since the server was last heard, unless that goes
    /// on for too long. One that has not even taken the keys would not answer what is to follow them either.
    private func isDrained(_ now: Int64) -> Bool {
        let start = drainStart ?? now
        drainStart = start
        if !keys.hasUnansweredPress { return now - lastIn >= min(timing.quiet, 5) || now >= start + timing.drain }
        let limit = start + max(timing.drain, timing.unanswered)
        guard now >= min(max(start, lastIn) + timing.drain, limit) else { return false }
        if keys.hasUntakenPress {
            askForLife(now)
            return false
        }
        return true
    }

    /// Whether nothing has come for a quiet time since then, or long enough has been waited.
    private func isQuiet(_ now: Int64, since start: Int64) -> Bool {
        now >= start + timing.drain || now - max(lastIn, lastOut, start) >= timing.quiet
    }

    private func forget(_ window: WindowID) {
        contexts.remove(window)
        unserved[window] = nil
        spots.forget(window)
        preedits[window] = nil
        if focused == window { focused = nil }
    }
}
