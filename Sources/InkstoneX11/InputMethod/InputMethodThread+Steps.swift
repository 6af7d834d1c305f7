import CX11
import InkstoneBase

extension InputMethodThread {
    /// Does what has become due: connecting to the server, queries, reports, and the pending commands. Call after the
    /// messages of this turn were handled.
    func step(_ now: Milliseconds) {
        if let owner = notices.newOwner {
            notices.newOwner = nil
            ownerChanged(owner)
        }
        handleQueryReply(now)
        if life.nudges(at: now, timing) {
            guard check(cx11_xim_nudge(xim)) else { return }
        }
        if phase == .refused, let due = offer.retryAt, now >= due {
            offer.retryAt = nil
            probe()
        }
        if let locale = notices.locale {
            notices.locale = nil
            if phase == .probing { open(in: locale) }
        }
        guard end == nil else { return }
        report()
        if silence.serializedKey != nil {
            if mayBeOvertaken { noteTalking(now) } else if isPausing(now) { releaseSerializedKey() }
        }
        guard end == nil else { return }
        if phase == .ready { carryOut(now) } else { handBack(now) }
        guard end == nil, phase == .ready else { return }
        sendSpot(now)
        watch(now)
    }

    /// Handles the answer to the pending query, or its time-out.
    private func handleQueryReply(_ now: Milliseconds) {
        if notices.hasPong {
            notices.hasPong = false
            if life.query?.probedKey != nil { keys.stopWaiting() }
            life.endQuery()
            if phase == .probing { outputs.append(.wantsLocale) }
        } else if let due = life.query?.overdueAt(lastMessage: life.lastIn, timing), now >= due {
            if phase == .ready {
                end = .hung
            } else {
                publish(.notResponding)
            }
        }
    }

    private func ownerChanged(_ owner: UInt) {
        self.owner = owner
        if phase == .ready {
            end = .died
        } else if owner == 0 {
            phase = .waiting
            life.endQuery()
            offer.begin()
            publish(.notRunning)
        } else {
            probe()
        }
    }

    func probe() {
        phase = .probing
        life.endQuery()
        askForLife(now)
    }

    private func open(in locale: String) {
        var styles = [UInt](repeating: 0, count: 64)
        var count: Int32 = 0
        if publishedState?.phase != .notResponding, offer.refusals == 0 { publish(.connecting) }
        let result = waiting { cx11_xim_open(xim, locale, &styles, 64, &count) }
        // Do nothing if the server has gone meanwhile, which is no refusal: ``ownerChanged(_:)`` handles that.
        guard check(result), end == nil, notices.newOwner == nil else { return }
        let offered = result == CX11_XIM_OK ? Array(styles.prefix(Int(count))) : []
        guard offer.take(offered, canLoadFontSet: loadFontSet) else { return refuse() }
        phase = .ready
        // A server that has refused contexts before counts as ready only when it has made one.
        if offer.refusals == 0 || windows.focused == nil { publish(.ready) }
        // Notify the server of the focus, which a window may have got while there was no server.
        if let window = windows.focused {
            windows.focus(nil)
            pending.insert(.focusIn(window), at: 0)
        }
    }

    private func loadFontSet() -> Bool { cx11_xim_load_font_set(xim) == CX11_XIM_OK }

    /// Records that the server has made a context for some window, and so accepts this program as a client.
    func didServe(_ window: WindowID) {
        offer.served(window)
        publish(.ready)
    }

    /// Handles the server's refusal to make a context for `window`. Returns true if the next best style was chosen
    /// and must be tried.
    ///
    /// A server may offer a style and then refuse it. But if other windows have contexts, the refusal concerns only
    /// this window.
    func takesNextStyle(for window: WindowID) -> Bool {
        guard offer.style != nil else { return false }
        if !windows.served.isEmpty {
            offer.notServed(window, at: now, timing)
            return false
        }
        if offer.takeNext(canLoadFontSet: loadFontSet) { return true }
        windows.focus(window)
        refuse()
        return false
    }

    /// Handles a server that makes no context for any of our windows. Another attempt follows later: a server that has
    /// just started, or was stopped for a while, may refuse once and accept the next time.
    private func refuse() {
        // Close the input method, which the server may have opened although it serves no window. The next attempt opens
        // it again.
        guard check(waiting { cx11_xim_close(xim) }) else { return }
        offer.refused(at: now, timing)
        phase = .refused
        publish(.refused)
    }

    // MARK: Queries

    /// Queries whether the server is alive, unless a query is pending. Returns false if the connection is lost.
    @discardableResult
    func askForLife(_ now: Milliseconds, isRoutine: Bool = false, probing number: UInt64? = nil) -> Bool {
        guard life.asks(at: now, isRoutine: isRoutine, probing: number, timing) else { return true }
        keys.didAsk()
        return check(cx11_xim_ping(xim))
    }

    /// Whether the server has sent a message recently, and no check of its liveness is pending. If not, queries whether
    /// it is alive, unless a query is pending.
    func allowsBlockingCalls(_ now: Milliseconds) -> Bool {
        if life.allowsBlockingCalls(at: now, timing) { return true }
        askForLife(now)
        return false
    }

    /// Whether the server has no more output for the keys and requests sent to it. If that is unknown, queries the
    /// server. Ends the connection if the server keeps sending output without answering any more keys.
    func isSilent(_ now: Milliseconds) -> Bool {
        guard isPausing(now) else { return false }
        guard isAwaitingRelease(now) else { return true }
        noteTalking(now)
        return false
    }

    /// Whether the server has answered enough queries without output between them: further keys may be sent, although
    /// an engine may be at work. Otherwise queries the server. Ends the connection if the server keeps sending output
    /// without answering any more keys.
    func isPausing(_ now: Milliseconds) -> Bool {
        if silence.isSilent {
            if !isAwaitingRelease(now) { progress.talking = nil }
            return true
        }
        noteTalking(now)
        guard end == nil else { return false }
        askForLife(now, isRoutine: true)
        return false
    }

    /// Whether an engine in a process of its own is known to be still at work on keys.
    private func isAwaitingRelease(_ now: Milliseconds) -> Bool {
        releases.isAwaiting(at: now, since: life.lastWord, timing)
    }

    /// Records that a command waits until the server has no more output. Ends the connection if the output never ends.
    private func noteTalking(_ now: Milliseconds) {
        let presses = keys.unansweredPresses
        // Restart the measurement if this process itself was stopped meanwhile, because it could not read the server's
        // output then.
        if let talking = progress.talking, talking.presses == presses, now - talking.seen < timing.response {
            progress.talking?.seen = now
            if now >= talking.since + timing.maximumAnswerWait { end = .faulty(owner: owner) }
        } else {
            progress.talking = (now, now, presses)
        }
    }

    /// Reports the keys for which the server has no more output, as ``InputMethodEvent/quiet(through:)``.
    private func report() {
        guard phase == .ready else { return }
        let reports = silence.takeReports()
        for (window, ticket) in reports {
            keys.update(window) { $0.markAnswered(through: ticket) }
            outputs.append(.event(.quiet(through: ticket), window))
        }
    }

    /// Whether a returned key may have overtaken output that is still to come, because the server draws later than
    /// it answers queries. If so, the key must not be delivered after a pause, but only when the server has
    /// finished.
    private var mayBeOvertaken: Bool {
        keys.hasOvertaken || silence.serializedKey?.isReturned ?? false && keys.isClearing
    }

    /// Whether the server has answered each press, according to the count of answers. A server that returns keys out of
    /// turn (ibus) merges the output of several keys, so its count proves nothing. Always true for such a server.
    private var isAnswered: Bool { isOutOfTurn || !keys.hasUnansweredPress }

    /// Ends the wait for the serialized key, which was sent alone. If the key was returned, it is delivered now, after all of
    /// its own output.
    private func releaseSerializedKey() {
        guard let (window, last, key) = silence.takeSerializedKey() else { return }
        outputs.append(.event(.pause(through: last), window))
        if let key { outputs.append(.key(key)) }
    }

    /// Queries the server if it is unknown which keys it has read, or whether it has answered all of them. Also queries
    /// whether it is alive when a key has been unanswered for a while.
    private func watch(_ now: Milliseconds) {
        if life.query == nil,
            !isAwaitingRelease(now) && silence.probes(at: now, isAsking: false, isAnswered: isAnswered, timing)
                || keys.wantsQuery
        {
            askForLife(now, isRoutine: true)
            return
        }
        guard let due = life.probeDue(keys, timing), due <= now else { return }
        askForLife(now, probing: keys.last)
    }

    var nextDeadline: Milliseconds? {
        var deadlines: [Milliseconds] = []
        if phase == .refused, let due = offer.retryAt { deadlines.append(due) }
        if let query = life.query {
            deadlines.append(query.nudgeDue)
            if phase == .ready || publishedState?.phase == .connecting {
                deadlines.append(query.overdueAt(lastMessage: life.lastIn, timing))
            }
        }
        if phase == .ready {
            if let due = life.probeDue(keys, timing) { deadlines.append(due) }
            if life.query == nil {
                if let spotDue { deadlines.append(spotDue) }
                if let due = silence.probeDue(timing, isAnswered: isAnswered) {
                    deadlines.append(max(due, releases.awaitedUntil(since: life.lastWord, timing) ?? due))
                }
            }
            if !pending.isEmpty { deadlines.append(now + timing.pollInterval) }
        } else if !pending.isEmpty {
            deadlines.append(started + timing.connecting)
        }
        return deadlines.min()
    }

    // MARK: Spots

    /// Sends the spot of the focused window if it is due.
    private func sendSpot(_ now: Milliseconds) {
        guard life.query == nil, let due = spotDue, due <= now else { return }
        _ = placeSpot(now)
    }

    /// Sends the spot of the focused window if the server does not have it. If the server has not recently shown
    /// that it is alive, queries it first. Returns false if the spot has to wait.
    func placeSpot(_ now: Milliseconds) -> Bool {
        guard let window = spotted, let spot = windows.spots.unsent(in: window) else { return true }
        guard allowsBlockingCalls(now) else { return false }
        var hasEvents = false
        guard check(cx11_xim_has_events(xim, &hasEvents)), !hasEvents else { return false }
        let point = XPoint(x: spot.x, y: spot.y)
        var area = XRectangle(
            x: spot.areaX, y: spot.areaY, width: spot.areaWidth, height: spot.areaHeight)
        // Pass the composition's rectangle only in the inline style. In other styles, the server would take it for
        // the area in which it may draw.
        let isInline = offer.style?.preedit == .callbacks
        let result = waiting {
            isInline
                ? cx11_xim_context_set_spot(xim, window.xid, point, &area)
                : cx11_xim_context_set_spot(xim, window.xid, point, nil)
        }
        guard check(result) else { return false }
        windows.spots.didSend(spot, in: window)
        return true
    }

    /// The focused window, if the server is to be sent the spot of its composition.
    private var spotted: WindowID? {
        guard phase == .ready, offer.style?.preedit != InputMethodStyle.Preedit.none else { return nil }
        return windows.focusedAndServed
    }

    /// The time at which the spot of the focused window may be sent. Nil if the server has the spot, or has to read
    /// keys first.
    private var spotDue: Milliseconds? {
        guard let spotted, windows.spots.unsent(in: spotted) != nil else { return nil }
        // Do not send the spot now: the call would wait until the server has read and handled these keys.
        if isOutOfTurn, keys.hasUnconfirmedPress { return nil }
        return InputMethodSpots.dueTime(
            lastTraffic: max(life.lastIn, life.lastOut), lastPress: keys.lastPress,
            hasUnansweredPress: keys.hasUnansweredPress, timing: timing)
    }
}
