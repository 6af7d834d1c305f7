import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneInput

/// The state of keys in flight, computed from stamped events alone: no session, client or clock.
@Suite(.timeLimit(.minutes(5))) struct KeyLedgerTests {
    private func ledger(_ letters: String, at now: Milliseconds = 1000) -> (MatchedLedger, [KeyTicket]) {
        var ledger = MatchedLedger()
        let tickets = letters.map { letter in
            ledger.keySent(
                KeyEvent(keysym: Keysym(letter.unicodeScalars.first ?? " "), characters: String(letter)), at: now)
        }
        return (ledger, tickets)
    }

    private func key(_ letter: String, _ ticket: KeyTicket) -> InputMethodEvent {
        .key(KeyEvent(keysym: Keysym(letter.unicodeScalars.first ?? " "), characters: letter), ticket)
    }

    private func draw(_ text: String, over length: Int = 0) -> InputMethodEvent {
        .preeditDraw(
            PreeditDraw(
                caret: text.unicodeScalars.count, changeFirst: 0, changeLength: length, text: text.isEmpty ? nil : text)
        )
    }

    @Test func eachAnswerIsForTheOldestKeyWithoutOne() {
        var (ledger, _) = ledger("abc")
        for (step, answer) in [draw("a"), draw("ab", over: 1), .commit("abc")].enumerated() {
            #expect(ledger.hasKeysInFlight(at: 1010), "\(step)")
            #expect(ledger.destination(of: answer, at: 1010) == .current)
        }
        #expect(!ledger.hasKeysInFlight(at: 1010))
    }

    @Test func aKeyGivenBackAnswersThoseBeforeItWhereTheyComeInTurn() {
        for isOutOfTurn in [false, true] {
            var (ledger, tickets) = ledger("abc")
            ledger.traits.returnsKeysOutOfTurn = isOutOfTurn
            _ = ledger.destination(of: key("c", tickets[2]), at: 1010)
            #expect(ledger.hasKeysInFlight(at: 1010) == isOutOfTurn)
            #expect(ledger.isAwaited(before: tickets[2], at: 1010) == isOutOfTurn)
            // Two answers later, the returned key is its turn's answer.
            _ = ledger.destination(of: draw("a"), at: 1020)
            _ = ledger.destination(of: draw("ab", over: 1), at: 1021)
            #expect(!ledger.isAwaited(before: tickets[2], at: 1021))
        }
    }

    @Test func aSyllablesEndAndTheNextOnesBeginningAreOneAnswer() {
        var (ledger, _) = ledger("gksr")
        ledger.traits.returnsKeysOutOfTurn = true
        for answer in [draw("ㅎ"), draw("하", over: 1), draw("한", over: 1)] {
            _ = ledger.destination(of: answer, at: 1010)
        }
        #expect(ledger.hasKeysInFlight(at: 1010))
        _ = ledger.keySent(KeyEvent(keysym: 0x6d, characters: "m"), at: 1011)
        for answer in [draw("", over: 1), .preeditDone, .commit("한"), .preeditStart, draw("ㄱ")] {
            _ = ledger.destination(of: answer, at: 1012)
        }
        #expect(ledger.hasKeysInFlight(at: 1012), "the last key has had no answer")
        _ = ledger.destination(of: draw("그", over: 1), at: 1013)
        #expect(!ledger.hasKeysInFlight(at: 1013))
    }

    @Test func answersToKeysOfAnEarlierEpochBelongToIt() {
        var (ledger, _) = ledger("ab")
        let ended = ledger.beginEpoch(hadComposition: false, expectsReply: true, at: 1010)
        let late = ledger.keySent(KeyEvent(keysym: 0x63, characters: "c"), at: 1060)
        #expect(ledger.destination(of: .commit("a"), at: 1070) == .epoch(ended))
        #expect(ledger.destination(of: .commit("b"), at: 1080) == .epoch(ended))
        #expect(ledger.destination(of: .resetReply(nil), at: 1081) == .epoch(ended))
        #expect(ledger.destination(of: .commit("c"), at: 1090) == .current)
        #expect(ledger.destination(of: key("c", late), at: 1091) == .current)
    }

    @Test func aPressWaitsForQuietAndNoLongerThanItsLimit() {
        var (ledger, _) = ledger("a")
        let timing = ledger.timing
        #expect(!ledger.mayPerform(.press, since: 1000, at: 1000 + timing.quiet - 1))
        #expect(ledger.mayPerform(.press, since: 1000, at: 1000 + timing.quiet))
        #expect(ledger.mayPerform(.edit, since: 1000, at: 1000))
        // Saving waits as long as an answer may come.
        #expect(!ledger.mayPerform(.save, since: 1000, at: 1000 + timing.probeDelay - 1))
        #expect(ledger.performDeadline(.save, since: 1000) == 1000 + timing.probeDelay)
        for step in 1...10 {
            _ = ledger.keySent(KeyEvent(keysym: 0x62, characters: "b"), at: 1000 + Double(step) * 10)
        }
        #expect(!ledger.mayPerform(.press, since: 1060, at: 1060 + timing.pressWait - 1))
        #expect(ledger.mayPerform(.press, since: 1060, at: 1060 + timing.pressWait))
    }

    @Test func unansweredKeysAreForgottenAfterAPauseOrWhenTheyAreLost() {
        var (ledger, _) = ledger("ab")
        _ = ledger.destination(of: draw("ab"), at: 1010)
        ledger.pass(to: 1010 + ledger.timing.quiescence - 1)
        #expect(ledger.hasKeysInFlight(at: 1059))
        ledger.pass(to: 1010 + ledger.timing.quiescence)
        #expect(!ledger.hasKeysInFlight(at: 1060))
        (ledger, _) = self.ledger("a")
        #expect(ledger.hasKeysInFlight(at: 1000 + ledger.timing.probeDelay - 1))
        #expect(!ledger.hasKeysInFlight(at: 1000 + ledger.timing.probeDelay))
    }

    @Test func keysThatAreHeldAreTypedInTheOrderInWhichTheyWereTyped() {
        var (ledger, tickets) = ledger("a  ")
        ledger.traits.returnsKeysOutOfTurn = true
        for index in [2, 1] {
            let event = key(" ", tickets[index])
            _ = ledger.destination(of: event, at: 1005)
            let decision = ledger.decision(
                on: tickets[index], typesText: true, isComposing: false, isMoreKnown: false, composesUnseen: false,
                at: 1005)
            #expect(decision == .hold)
            ledger.hold(event, tickets[index], isComposing: false, at: 1005)
        }
        #expect(ledger.takeDueKey(isComposing: false, at: 1030) == nil)
        _ = ledger.destination(of: .commit("a"), at: 1040)
        #expect(ledger.takeDueKey(isComposing: false, at: 1040) == key(" ", tickets[1]))
        #expect(ledger.takeDueKey(isComposing: false, at: 1040) == key(" ", tickets[2]))
        #expect(!ledger.holdsKeys)
    }

    @Test func aSaveWaitsAsLongAsAnswersCome() {
        var (ledger, _) = ledger(String(repeating: "a", count: 20))
        var now: Milliseconds = 1000
        for _ in 0..<19 {
            now += 490
            ledger.pass(to: now, isSaving: true)
            #expect(!ledger.mayPerform(.save, since: 1000, at: now))
            _ = ledger.destination(of: .commit("a"), at: now)
        }
        #expect(!ledger.mayPerform(.save, since: 1000, at: now + 490))
        now += ledger.timing.probeDelay
        ledger.pass(to: now, isSaving: true)
        #expect(ledger.mayPerform(.save, since: 1000, at: now), "no answer for so long, none comes")
    }

    /// A busy ibus reads hundreds of keys, returns their releases, and only then forwards what its engine has
    /// drawn.
    @Test func aServerThatReportsQuietIsWaitedForHoweverLongItDrawsNothing() {
        for kind in [InputItemKind.save, .action, .command] {
            var (ledger, tickets) = ledger("gksrmf")
            ledger.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
            var now: Milliseconds = 1000
            for step in 0..<500 {
                now += 5
                let release = KeyEvent(phase: .up, keysym: 0x67, characters: "g")
                _ = ledger.destination(of: .key(release, tickets[step % 6]), at: now)
                ledger.pass(to: now, isSaving: kind == .save)
                #expect(!ledger.mayPerform(kind, since: 1000, at: now), "\(kind) after \(now - 1000) ms")
                #expect(ledger.hasKeysInFlight(at: now))
            }
            for answer in [draw("ㅎ"), draw("하", over: 1), draw("한", over: 1)] {
                _ = ledger.destination(of: answer, at: now)
            }
            now += 1000
            ledger.pass(to: now)
            #expect(!ledger.mayPerform(kind, since: 1000, at: now))
            #expect(ledger.destination(of: .quiet(through: tickets[5]), at: now) == .current)
            #expect(ledger.mayPerform(kind, since: 1000, at: now))
            #expect(!ledger.hasKeysInFlight(at: now))
        }
    }

    /// A slow engine in a process of its own: the server answers queries, but has no answer to the key yet.
    @Test func aSaveWaitsForAKeyThatTheMethodHasNotAnswered() {
        var (ledger, tickets) = ledger("ab")
        let timing = ledger.timing
        ledger.traits.reportsQuiet = true
        var now = 1000 + timing.probeDelay
        _ = ledger.destination(of: .quiet(through: tickets[1]), at: now)
        #expect(!ledger.hasKeysInFlight(at: now) && ledger.mayPerform(.command, since: 1000, at: now))
        #expect(!ledger.mayPerform(.save, since: 1000, at: now))
        now = 2900
        _ = ledger.destination(of: draw("", over: 1), at: now)
        _ = ledger.destination(of: .commit("a"), at: now)
        ledger.pass(to: now + 1000)
        #expect(!ledger.mayPerform(.save, since: 1000, at: now + 1000), "the second key's turn has come only now")
        now += 1900
        _ = ledger.destination(of: .commit("b"), at: now)
        #expect(!ledger.mayPerform(.save, since: 1000, at: now), "more of the answer may follow")
        #expect(ledger.performDeadline(.save, since: 1000) == now + timing.quiescence)
        #expect(ledger.mayPerform(.save, since: 1000, at: now + timing.quiescence))
    }

    /// A method that ignores a key, or merges its answer with another's, delays a save only for a limited time.
    @Test func aKeyWithoutAnAnswerHoldsUpASaveNoLongerThanAServerThatHangs() {
        var (ledger, tickets) = ledger("a")
        ledger.traits.reportsQuiet = true
        _ = ledger.destination(of: .quiet(through: tickets[0]), at: 1500)
        let end = 1000 + ledger.timing.response
        #expect(ledger.performDeadline(.save, since: 1000) == end)
        #expect(!ledger.mayPerform(.save, since: 1000, at: end - 1) && ledger.mayPerform(.save, since: 1000, at: end))
        (ledger, tickets) = self.ledger("abc")
        ledger.traits.reportsQuiet = true
        _ = ledger.destination(of: draw("abc"), at: 1010)
        _ = ledger.destination(of: .quiet(through: tickets[2]), at: 1060)
        #expect(ledger.mayPerform(.save, since: 1000, at: 1060))
    }

    /// A key without effect delays an action less than a save or a close.
    @Test func anActionDoesNotWaitForAKeyThatTheMethodSwallows() {
        var (ledger, tickets) = ledger("a")
        ledger.traits.reportsQuiet = true
        #expect(!ledger.mayPerform(.action, since: 1000, at: 1499))
        _ = ledger.destination(of: .quiet(through: tickets[0]), at: 1500)
        #expect(ledger.mayPerform(.action, since: 1000, at: 1500) && !ledger.mayPerform(.save, since: 1000, at: 1500))
        #expect(ledger.performDeadline(.action, since: 1000) <= 1500)
    }

    /// For example, a swallowed key and then one to a method that no longer reports when it is quiet.
    @Test func aSaveIsNotAskedAboutBeforeKeysWithoutAnAnswerHaveHadTheirTime() {
        var (ledger, tickets) = ledger("a")
        ledger.traits.reportsQuiet = true
        _ = ledger.destination(of: .quiet(through: tickets[0]), at: 1500)
        ledger.traits.reportsQuiet = false
        _ = ledger.keySent(KeyEvent(keysym: 0x62, characters: "b"), at: 1510)
        let end = 1000 + ledger.timing.response
        #expect(ledger.performDeadline(.save, since: 1510) == end)
        #expect(!ledger.mayPerform(.save, since: 1510, at: end - 1))
        #expect(ledger.performDeadline(.action, since: 1510) == 1510 + ledger.timing.probeDelay)
    }

    /// Some servers clear an empty preedit before their engine has handled the key.
    @Test func aDrawThatChangesNothingIsNoAnswer() {
        var (ledger, tickets) = ledger("a")
        ledger.traits.reportsQuiet = true
        _ = ledger.destination(of: draw(""), at: 1010)
        #expect(ledger.hasKeysInFlight(at: 1010))
        _ = ledger.destination(of: .quiet(through: tickets[0]), at: 1500)
        #expect(!ledger.mayPerform(.save, since: 1000, at: 1500))
        #expect(ledger.mayPerform(.save, since: 1000, at: 1000 + ledger.timing.response))
    }

    @Test func aSaveWaitsForKeysThatWereTypedElsewhereToo() {
        for kind in [InputItemKind.save, .action] {
            var (ledger, _) = ledger("a")
            ledger.traits.reportsQuiet = true
            let ended = ledger.beginEpoch(hadComposition: false, expectsReply: true, at: 1060)
            #expect(ledger.mayPerform(.press, since: 1100, at: 1100))
            #expect(!ledger.mayPerform(kind, since: 1100, at: 1100))
            #expect(ledger.destination(of: .commit("a"), at: 1150) == .epoch(ended))
            _ = ledger.destination(of: .resetReply(nil), at: 1151)
            #expect(ledger.mayPerform(kind, since: 1100, at: 1151))
        }
    }

    @Test func aKeyGivenBackWaitsForTheServersWordAndNotForATime() {
        var (ledger, tickets) = ledger("gks ")
        ledger.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
        let event = key(" ", tickets[3])
        _ = ledger.destination(of: event, at: 1005)
        ledger.hold(event, tickets[3], isComposing: false, at: 1005)
        for (step, answer) in [draw("ㅎ"), draw("하", over: 1)].enumerated() {
            _ = ledger.destination(of: answer, at: 2000 + Double(step) * 1000)
            ledger.pass(to: 2500 + Double(step) * 1000)
            #expect(ledger.takeDueKey(isComposing: true, at: 2500 + Double(step) * 1000) == nil)
            #expect(ledger.heldDeadline(at: 2500) == nil, "no time ends the wait")
        }
        _ = ledger.destination(of: .quiet(through: tickets[3]), at: 4000)
        #expect(ledger.takeDueKey(isComposing: true, at: 4000) == event)
    }

    /// On a busy machine, a clearing and its commit arrive far apart.
    @Test func aClearingAndItsCommitAreOneAnswerHoweverFarApart() {
        var (ledger, _) = ledger("gksrm")
        ledger.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
        for answer in [draw("ㅎ"), draw("하", over: 1), draw("한", over: 1), draw("", over: 1)] {
            _ = ledger.destination(of: answer, at: 1010)
        }
        _ = ledger.destination(of: .commit("한"), at: 1100)
        _ = ledger.destination(of: draw("ㄱ"), at: 1200)
        #expect(ledger.hasKeysInFlight(at: 1200), "the last key has had no answer")
        _ = ledger.destination(of: draw("그", over: 1), at: 1300)
        #expect(!ledger.hasKeysInFlight(at: 1300))
    }

    @Test func outputAfterTheReplyToAResetIsOfTheNewEpochIfTheMethodReportsQuiet() {
        var (ledger, _) = ledger("abc")
        ledger.traits.reportsQuiet = true
        let ended = ledger.beginEpoch(hadComposition: false, expectsReply: true, at: 1010)
        _ = ledger.keySent(KeyEvent(keysym: 0x64, characters: "d"), at: 1060)
        #expect(ledger.destination(of: .commit("a"), at: 5000) == .epoch(ended), "no time ends the wait for the reply")
        #expect(ledger.destination(of: .resetReply(nil), at: 9000) == .epoch(ended))
        #expect(ledger.destination(of: .commit("d"), at: 9001) == .current, "the other keys had no answer of their own")
    }

    @Test func aServersDeathLeavesNothingToWaitFor() {
        var (ledger, _) = ledger("abc")
        _ = ledger.beginEpoch(hadComposition: true, expectsReply: true, at: 1001)
        _ = ledger.keySent(KeyEvent(keysym: 0x64, characters: "d"), at: 1002)
        #expect(!ledger.mayForward(at: 1003) && !ledger.mayPerform(.press, since: 1003, at: 1003))
        ledger.methodWasLost()
        #expect(ledger.mayForward(at: 1003) && ledger.mayPerform(.press, since: 1003, at: 1003))
        #expect(ledger.destination(of: .commit("x"), at: 2000) == .current)
    }

    @Test func heldAndOwedKeysAreTypedInTheirOrder() {
        var (ledger, tickets) = ledger("ab c")
        ledger.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
        let event = key(" ", tickets[2])
        _ = ledger.destination(of: event, at: 1005)
        ledger.hold(event, tickets[2], isComposing: false, at: 1005)
        _ = ledger.destination(of: draw("a"), at: 1006)
        #expect(ledger.takeOwed(afterSilence: 0).map(\.ticket) == [tickets[1], tickets[2], tickets[3]])
        #expect(!ledger.holdsKeys)
        #expect(ledger.takeOwed(afterSilence: 0).isEmpty)
    }

    /// ibus answers queries while an engine in a process of its own has still to draw.
    @Test func aPauseLetsKeysGoOnAndNoCommand() {
        for kind in [InputItemKind.save, .action, .command] {
            var (ledger, tickets) = ledger("a ")
            ledger.traits = InputMethodTraits(returnsKeysOutOfTurn: true, reportsQuiet: true)
            _ = ledger.destination(of: .pause(through: tickets[1]), at: 1005)
            #expect(!ledger.hasKeysInFlight(at: 1005) && !ledger.isAwaited(before: tickets[1], at: 1005))
            #expect(!ledger.mayPerform(kind, since: 1000, at: 1005))
            _ = ledger.destination(of: draw("あ"), at: 1011)
            #expect(!ledger.mayPerform(kind, since: 1000, at: 1011))
            _ = ledger.destination(of: .quiet(through: tickets[1]), at: 1070)
            #expect(ledger.mayPerform(kind, since: 1000, at: 1070))
        }
    }

    /// A server may send without end: waiting commands are performed some time after the last key was answered.
    @Test func aServerThatKeepsSendingDoesNotDelayActionsWithoutEnd() {
        var (ledger, _) = ledger("ab", at: 0)
        ledger.traits.reportsQuiet = true
        let maximumAnswerWait = ledger.timing.maximumAnswerWait
        func talk(from start: Milliseconds, to end: Milliseconds) -> Milliseconds? {
            for now in stride(from: start, to: end, by: 40) {
                if ledger.mayPerform(.save, since: 0, at: now) { return now }
                #expect(ledger.performDeadline(.save, since: 0) > now)
                _ = ledger.destination(
                    of: .preeditCaret(PreeditCaret(direction: .absolute, position: 0, style: .primary)), at: now)
            }
            return nil
        }
        #expect(talk(from: 0, to: 4000) == nil)
        // Both keys are answered, the second one after four seconds.
        _ = ledger.destination(of: draw("a"), at: 1000)
        _ = ledger.destination(of: draw("ab", over: 1), at: 4000)
        #expect(talk(from: 4000, to: 60_000) == 4000 + maximumAnswerWait)
    }
}

/// A ledger whose answers are stamped like a real method's.
private struct MatchedLedger {
    private var ledger = KeyLedger()
    private let matched = MatchedAnswers()
    private var sent: [(KeyEvent, KeyTicket)] = []

    var timing: InputTiming { ledger.timing }
    var holdsKeys: Bool { ledger.holdsKeys }
    var traits: InputMethodTraits {
        get { ledger.traits }
        set { ledger.traits = newValue }
    }

    mutating func keySent(_ key: KeyEvent, at now: Milliseconds) -> KeyTicket {
        let ticket = ledger.keySent(key, at: now)
        sent.append((key, ticket))
        return ticket
    }

    mutating func destination(of event: InputMethodEvent, at now: Milliseconds) -> KeyLedger.Destination {
        giveKeys()
        return matched.stamped([event]).map { ledger.destination(of: $0, at: now) }.last ?? .current
    }

    mutating func takeOwed(afterSilence silence: Milliseconds) -> [KeyLedger.OwedKey] {
        giveKeys()
        let (loss, keys) = matched.loss(afterSilence: silence)
        return ledger.takeOwed(loss, keys)
    }

    private mutating func giveKeys() {
        for (key, ticket) in sent { matched.didSend(key, ticket, isInTurn: !traits.returnsKeysOutOfTurn) }
        sent = []
    }

    mutating func pass(to now: Milliseconds, isSaving: Bool = false) { ledger.pass(to: now, isSaving: isSaving) }

    func hasKeysInFlight(at now: Milliseconds) -> Bool { ledger.hasKeysInFlight(at: now) }

    func isAwaited(before ticket: KeyTicket, at now: Milliseconds) -> Bool { ledger.isAwaited(before: ticket, at: now) }

    func mayForward(at now: Milliseconds) -> Bool { ledger.mayForward(at: now) }

    func mayPerform(_ kind: InputItemKind, since: Milliseconds, at now: Milliseconds) -> Bool {
        ledger.mayPerform(kind, since: since, at: now)
    }

    func performDeadline(_ kind: InputItemKind, since: Milliseconds) -> Milliseconds {
        ledger.performDeadline(kind, since: since)
    }

    mutating func beginEpoch(hadComposition: Bool, expectsReply: Bool, at now: Milliseconds) -> Int {
        ledger.beginEpoch(hadComposition: hadComposition, expectsReply: expectsReply, at: now)
    }

    mutating func methodWasLost() { ledger.methodWasLost() }

    func decision(
        on ticket: KeyTicket?, typesText: Bool, isComposing: Bool, isMoreKnown: Bool, composesUnseen: Bool,
        at now: Milliseconds
    ) -> KeyLedger.KeyDecision {
        ledger.decision(
            on: ticket, typesText: typesText, isComposing: isComposing, isMoreKnown: isMoreKnown,
            composesUnseen: composesUnseen, at: now)
    }

    mutating func hold(_ event: InputMethodEvent, _ ticket: KeyTicket?, isComposing: Bool, at now: Milliseconds) {
        ledger.hold(event, ticket, isComposing: isComposing, at: now)
    }

    func heldDeadline(at now: Milliseconds) -> Milliseconds? { ledger.heldDeadline(at: now) }

    mutating func takeDueKey(isComposing: Bool, at now: Milliseconds) -> InputMethodEvent? {
        ledger.takeDueKey(isComposing: isComposing, at: now)
    }
}
