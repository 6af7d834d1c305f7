import CX11
import InkstoneBase

extension InputMethodThread {
    /// Does what has become due, after what came has been taken.
    func step(_ now: Milliseconds) {
        if let owner = notices.newOwner {
            notices.newOwner = nil
            ownerChanged(owner)
        }
        heed(now)
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
        if silence.lone != nil {
            if mayBeOvertaken { noteTalking(now) } else if isSilent(now) { releaseLoneKey() }
        }
        guard end == nil else { return }
        if phase == .ready { carryOut(now) } else { handBack(now) }
        guard end == nil, phase == .ready else { return }
        tellSpot(now)
        watch(now)
    }

    /// Takes note of the answer to the query, or that there is none in time.
    private func heed(_ now: Milliseconds) {
        if notices.hasPong {
            notices.hasPong = false
            if let number = life.query?.doubted { keys.settle(through: number) }
            life.endQuery()
            if phase == .probing { outputs.append(.wantsLocale) }
        } else if let due = life.query?.overdueAt(lastHeard: life.lastIn, timing), now >= due {
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
        // One that has gone meanwhile has not refused: ``ownerChanged(_:)`` follows.
        guard check(result), end == nil, notices.newOwner == nil else { return }
        let offered = result == CX11_XIM_OK ? Array(styles.prefix(Int(count))) : []
        guard offer.take(offered, canLoadFontSet: loadFontSet) else { return refuse() }
        phase = .ready
        // One that has refused before has to make a context first.
        if offer.refusals == 0 || windows.focused == nil { publish(.ready) }
        // The focus may have come while there was no server to tell.
        if let window = windows.focused {
            windows.focus(nil)
            pending.insert(.focusIn(window), at: 0)
        }
    }

    private func loadFontSet() -> Bool { cx11_xim_load_font_set(xim) == CX11_XIM_OK }

    /// The server has made a context for some window: it serves us.
    func didServe(_ window: WindowID) {
        offer.served(window)
        publish(.ready)
    }

    /// The server refuses to make a context for `window`: true if it is to be asked for the next best style, which is
    /// chosen then.
    ///
    /// A server may offer a style and refuse it. Where other windows have contexts it is the window that the server does not like.
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

    /// The server does not serve us now. One that has just started, or been stopped for a while, may refuse once and serve the
    /// next time: it is asked again later.
    private func refuse() {
        // The input method may be open all the same, and is opened anew the next time.
        guard check(waiting { cx11_xim_close(xim) }) else { return }
        offer.refused(at: now, timing)
        phase = .refused
        publish(.refused)
    }

    // MARK: Questions

    /// Asks whether the server lives, unless a question is on its way. False if the connection is lost.
    @discardableResult
    func askForLife(_ now: Milliseconds, isRoutine: Bool = false, doubting number: UInt64? = nil) -> Bool {
        let window = windows.focused
        guard life.asks(at: now, isRoutine: isRoutine, doubting: number, in: window, timing) else { return true }
        keys.didAsk()
        if let window { outputs.append(.event(.progress(.asked), window)) }
        return check(cx11_xim_ping(xim))
    }

    /// Whether the server has given a sign of life lately; if not, asks for one.
    func isTrusted(_ now: Milliseconds) -> Bool {
        if life.isTrusted(at: now, timing) { return true }
        askForLife(now)
        return false
    }

    /// Whether nothing of what the server has been sent is still to be answered; if that is not known, it is asked. One that always has
    /// something more to say, although it has answered every key, is let go.
    func isSilent(_ now: Milliseconds) -> Bool {
        if silence.isProven {
            progress.talking = nil
            return true
        }
        noteTalking(now)
        guard end == nil else { return false }
        askForLife(now, isRoutine: true)
        return false
    }

    /// Something waits for the server to be done, which it is not.
    private func noteTalking(_ now: Milliseconds) {
        let presses = keys.unansweredPresses
        // A process that was stopped meanwhile has not listened.
        if let talking = progress.talking, talking.presses == presses, now - talking.seen < timing.response {
            progress.talking?.seen = now
            if now >= talking.since + timing.patience { end = .faulty(owner: owner) }
        } else {
            progress.talking = (now, now, presses)
        }
    }

    /// Says what the server has been found to have nothing more to say of.
    private func report() {
        guard phase == .ready else { return }
        let reports = silence.takeReports()
        for (window, ticket) in reports { outputs.append(.event(.quiet(through: ticket), window)) }
        if isOutOfTurn, !reports.isEmpty { keys.settleAll() }
    }

    /// Whether a key that has come back may have overtaken what the server is still to say, because it draws later than it answers
    /// queries: then a pause is not enough, and it must have been found quiet.
    private var mayBeOvertaken: Bool {
        keys.hasOvertaken || silence.lone?.isReturned ?? false && keys.hasOnlyCleared
    }

    /// Whether each press has been answered. A server that gives keys back out of turn (ibus) merges what several keys change: there the
    /// count says nothing.
    private var isAnswered: Bool { isOutOfTurn || !keys.hasUnansweredPress }

    /// The wait for the key that was sent alone is over: it comes behind all that it has led to.
    private func releaseLoneKey() {
        guard let (window, last, key) = silence.takeLone() else { return }
        outputs.append(.event(.pause(through: last), window))
        if let key { outputs.append(.key(key)) }
    }

    /// Asks which keys the server has taken, whether it has said all of them, and for a sign of life when one has drawn no answer for
    /// a while.
    private func watch(_ now: Milliseconds) {
        if life.query == nil,
            silence.probes(at: now, isAsking: false, isAnswered: isAnswered, timing) || keys.wantsQuery
        {
            askForLife(now, isRoutine: true)
            return
        }
        guard let due = life.doubtDue(keys, timing), due <= now else { return }
        askForLife(now, doubting: keys.last)
    }

    var nextDeadline: Milliseconds? {
        var deadlines: [Milliseconds] = []
        if phase == .refused, let due = offer.retryAt { deadlines.append(due) }
        if let query = life.query {
            deadlines.append(query.nudgeDue)
            if phase == .ready || publishedState?.phase == .connecting {
                deadlines.append(query.overdueAt(lastHeard: life.lastIn, timing))
            }
        }
        if phase == .ready {
            if let due = life.doubtDue(keys, timing) { deadlines.append(due) }
            if life.query == nil {
                if let spotDue { deadlines.append(spotDue) }
                if let due = silence.probeDue(timing, isAnswered: isAnswered) { deadlines.append(due) }
            }
            if !pending.isEmpty { deadlines.append(now + timing.lull) }
        } else if !pending.isEmpty {
            deadlines.append(started + timing.connecting)
        }
        return deadlines.min()
    }

    // MARK: Spots

    /// Sets the spot of the focused window if it is due.
    private func tellSpot(_ now: Milliseconds) {
        guard life.query == nil, let due = spotDue, due <= now else { return }
        _ = placeSpot(now)
    }

    /// Sets the spot of the focused window if the server does not know it; asks for life first if there has been no sign of
    /// it lately. False if it has to wait.
    func placeSpot(_ now: Milliseconds) -> Bool {
        guard let window = spotted, let spot = windows.spots.unsent(in: window) else { return true }
        guard isTrusted(now) else { return false }
        var hasEvents = false
        guard check(cx11_xim_has_events(xim, &hasEvents)), !hasEvents else { return false }
        let point = XPoint(x: spot.x, y: spot.y)
        var area = XRectangle(
            x: spot.areaX, y: spot.areaY, width: spot.areaWidth, height: spot.areaHeight)
        // In the other styles the area is what the server may draw in, not where the composition is.
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

    /// The focused window, if the server wants to know where its caret is.
    private var spotted: WindowID? {
        guard phase == .ready, offer.style?.preedit != InputMethodStyle.Preedit.none else { return nil }
        return windows.focusedAndServed
    }

    /// When the spot of the focused window may be set; nil if the server knows it.
    private var spotDue: Milliseconds? {
        guard let spotted, windows.spots.unsent(in: spotted) != nil else { return nil }
        // The call would wait behind all keys that the server has not come to.
        if isOutOfTurn, keys.hasUntakenPress { return nil }
        return InputMethodSpots.dueTime(
            lastTraffic: max(life.lastIn, life.lastOut), lastPress: keys.lastPress,
            hasUnansweredPress: keys.hasUnansweredPress, timing: timing)
    }
}
