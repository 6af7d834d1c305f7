import CX11
import InkstoneBase
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// The decisions of the connection, without a server.
    @Suite struct InputMethodValueTests {
        @Test(arguments: [
            ("@im=ibus", "ibus"), ("@im=fcitx@foo=bar", "fcitx"), ("@foo=bar@im=SCIM", "SCIM"), ("@im=none", nil),
            ("@im=local", nil),
            ("@im=", nil), ("", nil), ("ibus", nil), ("@im=none@im=ibus", nil),
        ])
        func theServersNameIsReadFromTheModifiers(_ value: String, name: String?) {
            #expect(InputMethodState.serverName(modifiers: value) == name)
        }

        @Test func fcitxsDefaultSaysWhichSettingGivesInlineComposition() throws {
            let offered: [UInt] = [0x104, 0x404, 0x804, 0x408, 0x808]
            let style = try #require(InputMethodStyle.best(of: offered) { true })
            #expect(style.preedit == .position)
            let state = InputMethodState(phase: .ready, serverName: "fcitx", style: style)
            let diagnosis = try #require(state.diagnosis)
            #expect(diagnosis.contains("UseOnTheSpot=True"))
            #expect(diagnosis.contains("~/.config/fcitx5/conf/xim.conf"))
            #expect(diagnosis.contains("fcitx5 shows"))
        }

        @Test func withoutAFontSetPositionIsPassedOver() {
            #expect(InputMethodStyle.best(of: [0x404, 0x408]) { false }?.preedit == .nothing)
            #expect(InputMethodStyle.best(of: [0x404]) { false } == nil)
            #expect(InputMethodStyle.best(of: [0x202]) { false }?.preedit == .callbacks)
            #expect(InputMethodStyle.best(of: []) { true } == nil)
        }

        private func key(_ ticket: UInt64, keycode: UInt8 = 38, isPress: Bool = true) -> InputMethodKey {
            var event = XKeyEvent()
            event.type = isPress ? 2 : 3
            event.keycode = UInt32(keycode)
            event.time = UInt(1000 + ticket)
            let raw = RawKey(event)
            return InputMethodKey(
                window: WindowID(rawValue: 1), raw: raw, event: KeyEvent(keysym: 0),
                ticket: KeyTicket(rawValue: ticket),
                number: ticket)
        }

        private func keys(_ tickets: UInt64...) -> InputMethodKeys {
            var keys = InputMethodKeys()
            for ticket in tickets { keys.add(key(ticket), at: 0) }
            return keys
        }

        @Test func eachDrawAnswersOnePress() {
            var keys = keys(1, 2, 3)
            keys.noteDraw(hasText: true)
            #expect(keys.unansweredPresses == 2)
            keys.noteDraw(hasText: true)
            #expect(keys.unansweredPresses == 1)
        }

        @Test func aDrawThatChangesNothingAnswersNoPress() {
            var keys = keys(1)
            keys.noteDraw(hasText: false, isNothing: true)
            #expect(keys.hasUnansweredPress && !keys.isClearing)
            keys.noteDraw(hasText: true)
            #expect(!keys.hasUnansweredPress)
        }

        @Test func outputBeforeTheReplyToAQueryIsNotForLaterKeys() {
            var keys = keys(1)
            keys.didAsk()
            keys.add(key(2), at: 0)
            keys.noteDraw(hasText: true)
            keys.noteDraw(hasText: true)
            #expect(keys.unansweredPresses == 1)
            keys.didAnswer()
            #expect(keys.wantsQuery)
            keys.noteDraw(hasText: true)
            #expect(!keys.hasUnansweredPress && !keys.wantsQuery)
        }

        @Test func aKeyThatAServerKeepsToItselfIsAskedAboutOnce() {
            var keys = keys(1)
            keys.noteDraw(hasText: true)
            keys.add(key(2), at: 0)
            keys.didAsk()
            keys.didAnswer()
            #expect(keys.hasUnansweredPress)
            #expect(!keys.wantsQuery, "another query would show nothing new")
            keys.stopWaiting()
            #expect(!keys.hasUnansweredPress)
        }

        @Test func aReturnedPressAnswersThoseBeforeItAndAReleaseOnlyItself() throws {
            var keys = keys(1, 2)
            keys.add(key(3, isPress: false), at: 0)
            let release = key(3, isPress: false)
            #expect(keys.take(serial: UInt(release.mark), keycode: 38, isPress: false, time: 0) == release)
            #expect(keys.unansweredPresses == 2)
            #expect(keys.take(serial: UInt(key(2).mark), keycode: 38, isPress: true, time: 0) == key(2))
            #expect(!keys.hasUnansweredPress)
        }

        @Test func aPressReturnedOutOfTurnAnswersOnlyItself() {
            var keys = InputMethodKeys(isInTurn: false)
            for ticket in 1...3 as ClosedRange<UInt64> { keys.add(key(ticket), at: 0) }
            func takeLast() -> InputMethodKey? {
                keys.take(serial: UInt(key(3).mark), keycode: 38, isPress: true, time: 0)
            }
            #expect(!keys.hasOvertaken)
            #expect(takeLast() == key(3))
            #expect(keys.unansweredPresses == 2 && keys.hasOvertaken)
            keys.noteDraw(hasText: true)
            #expect(keys.hasOvertaken)
            keys.noteDraw(hasText: true)
            #expect(!keys.hasOvertaken)
            // A key without an answer delays nothing once the server is quiet, nor keys sent before it.
            keys.add(key(4), at: 0)
            #expect(!keys.hasOvertaken)
            keys.add(key(5), at: 0)
            _ = keys.take(serial: UInt(key(5).mark), keycode: 38, isPress: true, time: 0)
            #expect(keys.hasOvertaken)
            keys.markAnswered(through: 5)
            #expect(!keys.hasOvertaken && !keys.hasUnansweredPress)
        }

        @Test func clearedTextMayStillBeCommitted() {
            func sent(_ keysym: Keysym) -> InputMethodKeys {
                var keys = InputMethodKeys()
                var key = key(1)
                key.event = KeyEvent(keysym: keysym)
                keys.add(key, at: 0)
                return keys
            }
            var keys = sent(0xff0d)
            keys.noteDraw(hasText: false)
            #expect(keys.isClearing)
            keys.noteCommit()
            #expect(!keys.isClearing)
            keys.noteDraw(hasText: false)
            #expect(!keys.isClearing, "the other way round they are one answer too")
            for end in [{ $0.noteDraw(hasText: true) }, { $0.markAnswered(through: 1) }, { $0.forgetClearing() }]
                as [(inout InputMethodKeys) -> Void]
            {
                keys = sent(0xff0d)
                keys.noteDraw(hasText: false)
                #expect(keys.isClearing)
                end(&keys)
                #expect(!keys.isClearing)
            }
            keys = sent(0xff08)
            keys.noteDraw(hasText: false)
            #expect(!keys.isClearing, "that was all")
        }

        @Test func anAnsweredKeyThatComesBackIsStillKnown() {
            var keys = keys(1)
            keys.noteCommit()
            #expect(!keys.hasUnansweredPress)
            // ibus forwards keys for its engines with neither serial number nor time.
            #expect(keys.take(serial: 0, keycode: 38, isPress: true, time: 0) == key(1))
            #expect(keys.take(serial: 0, keycode: 38, isPress: true, time: 0) == nil)
        }

        @Test func theTimeDoesWhereTheSerialNumberIsLost() {
            var keys = keys(1, 2, 3)
            #expect(keys.take(serial: 77, keycode: 38, isPress: true, time: 1002) == key(2))
        }

        /// After a loss, keys that were never sent follow those that were sent but not answered.
        @Test func aLossIsMadeOfUnansweredAndUnsentKeys() {
            var keys = keys(1, 2)
            keys.noteDraw(hasText: true)
            var losses = keys.losses(afterSilence: 7, InputTiming())
            losses.add(key(3))
            losses.add(key(4, isPress: false))
            let (loss, events) = losses[WindowID(rawValue: 1)]
            #expect(loss == InputMethodLoss(silence: 7, owed: [2, 3].map { KeyTicket(rawValue: $0) }))
            #expect(events.count == 2)
            #expect(losses[WindowID(rawValue: 2)].loss == InputMethodLoss(silence: 7))
        }

        @Test func thousandsOfKeysThatNeverComeBackAreForgotten() {
            var keys = InputMethodKeys()
            for ticket in 1...20_000 {
                keys.add(key(UInt64(ticket)), at: 0)
                keys.noteDraw(hasText: true)
            }
            #expect(!keys.hasUnansweredPress)
            #expect(keys.take(serial: UInt(key(1).mark), keycode: 38, isPress: true, time: 1001) == nil)
            #expect(keys.take(serial: UInt(key(19_999).mark), keycode: 38, isPress: true, time: 0) == key(19_999))
        }

        @Test func spotsWaitForQuietAndForUnansweredKeys() {
            let timing = InputTiming()
            func due(_ traffic: Milliseconds, _ press: Milliseconds, _ unanswered: Bool) -> Milliseconds {
                InputMethodSpots.dueTime(
                    lastTraffic: traffic, lastPress: press, hasUnansweredPress: unanswered, timing: timing)
            }
            #expect(due(1000, 990, false) == 1020)
            #expect(due(1000, 1000, true) == 1500)
            #expect(due(1600, 1000, true) == 1620)
        }
    }
}

extension InputMethodKeys {
    fileprivate mutating func noteDraw(hasText: Bool, isNothing: Bool = false) {
        _ = update(WindowID(rawValue: 1)) {
            $0.didDraw(
                hasText: hasText, from: hasText ? [] : ["o"], to: hasText ? ["n"] : [], isNothing: isNothing, at: 0,
                InputTiming())
        }
    }

    fileprivate mutating func noteCommit() { _ = update(WindowID(rawValue: 1)) { $0.didCommit(at: 0) } }

    fileprivate mutating func markAnswered(through ticket: UInt64) {
        update(WindowID(rawValue: 1)) { $0.markAnswered(through: KeyTicket(rawValue: ticket)) }
    }
}
