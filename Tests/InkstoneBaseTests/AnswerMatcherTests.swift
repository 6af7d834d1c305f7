import InkstoneBase
import Testing

/// The keys to type plainly after a server is lost, computed from what was sent and received.
@Suite(.timeLimit(.minutes(5))) struct AnswerMatcherTests {
    private let timing = InputTiming()

    private func event(_ ticket: UInt64, _ phase: KeyEvent.Phase = .down, _ keysym: Keysym? = nil) -> KeyEvent {
        KeyEvent(
            phase: phase, keysym: keysym ?? Keysym(rawValue: 0x60 + UInt32(ticket)),
            characters: keysym == nil ? "\(ticket)" : "")
    }

    /// Creates a matcher with keys that were sent to the server.
    private func keys(_ tickets: UInt64..., isInTurn: Bool = true) -> AnswerMatcher {
        var keys = AnswerMatcher(isInTurn: isInTurn)
        for ticket in tickets { give(ticket, to: &keys) }
        return keys
    }

    private func give(
        _ ticket: UInt64, _ phase: KeyEvent.Phase = .down, _ keysym: Keysym? = nil, to keys: inout AnswerMatcher
    ) {
        keys.didSend(event(ticket, phase, keysym), KeyTicket(rawValue: ticket))
    }

    private func draw(_ keys: inout AnswerMatcher, _ hasText: Bool = true, at now: Milliseconds = 0) {
        _ = keys.didDraw(hasText: hasText, from: hasText ? [] : ["o"], to: hasText ? ["n"] : [], at: now, timing)
    }

    private func loss(_ keys: AnswerMatcher, afterQuiet: Bool) -> InputMethodLoss {
        keys.loss(afterSilence: afterQuiet ? timing.quiet : 0, timing).loss
    }

    private func owed(_ keys: AnswerMatcher, afterQuiet: Bool = true) -> [UInt64] {
        loss(keys, afterQuiet: afterQuiet).owed.map(\.rawValue)
    }

    @Test func eachDrawAnswersOnePress() {
        var keys = keys(1, 2, 3)
        draw(&keys)
        #expect(owed(keys) == [2, 3])
        draw(&keys)
        #expect(owed(keys) == [3])
    }

    @Test func aDeletionACommitAndANewTextAreOneAnswerInAnyOrder() {
        var ibus = keys(1, 2)
        _ = ibus.didCommit(at: 0)
        draw(&ibus, false)
        #expect(owed(ibus) == [2])
        var hangul = keys(1, 2)
        draw(&hangul, false)
        _ = hangul.didCommit(at: 0)
        draw(&hangul)
        #expect(owed(hangul) == [2])
        var committing = keys(1, 2, 3)
        _ = committing.didCommit(at: 0)
        _ = committing.didCommit(at: 0)
        #expect(owed(committing) == [3])
    }

    @Test func aMergedAnswerAnswersAllKeysThatTheServerHasRead() {
        // ibus draws late, after the reply to the query.
        var late = keys(1, 2, 3)
        late.didAsk()
        late.didAnswer()
        #expect(owed(late) == [1, 2, 3], "it has said nothing of them")
        draw(&late)
        #expect(owed(late).isEmpty)
        #expect(owed(late, afterQuiet: false) == [2, 3], "amid its answers fewer are presumed answered")
        // The server draws the effect of several keys before it handles the query.
        var early = keys(1, 2, 3)
        early.didAsk()
        draw(&early)
        #expect(owed(early) == [2, 3])
        early.didAnswer()
        #expect(owed(early).isEmpty)
    }

    @Test func outputBeforeTheReplyToAQueryIsNotForLaterKeys() {
        var keys = keys(1)
        keys.didAsk()
        give(2, to: &keys)
        draw(&keys)
        draw(&keys)
        #expect(owed(keys) == [2])
        keys.didAnswer()
        #expect(owed(keys) == [2])
        draw(&keys)
        #expect(owed(keys).isEmpty)
    }

    @Test func aServerThatAnswersQueriesOutOfTurnIsNotPresumedToHaveAnsweredKeys() {
        var keys = keys(1, 2, 3)
        keys.didAsk()
        keys.didAnswer()
        draw(&keys, at: 100)
        #expect(owed(keys).isEmpty)
        // The server was processing the second key all the time.
        draw(&keys, at: 100 + timing.quiet)
        #expect(owed(keys) == [3])
    }

    /// A busy ibus or fcitx5 handles a burst of keys one by one; if it dies, the rest must be typed.
    @Test func aServerThatGoesThroughItsKeysOneByOneOwesTheRestOfThem() {
        var keys = keys(1, 2, 3, 4, 5)
        keys.didAsk()
        keys.didAnswer()
        for _ in 0..<2 {
            _ = keys.didCommit(at: 100)
            draw(&keys, at: 100)
        }
        #expect(owed(keys) == [3, 4, 5])
    }

    @Test func aConsumedKeyStaysOwedUntilTheServerIsQuiet() {
        var keys = keys(1)
        draw(&keys)
        give(2, to: &keys)
        keys.didAsk()
        keys.didAnswer()
        #expect(owed(keys) == [2])
        keys.markAnswered(through: KeyTicket(rawValue: 2))
        #expect(owed(keys).isEmpty)
    }

    @Test func aPressReturnedInTurnAnswersThoseBeforeItAndAReleaseOnlyItself() {
        for isInTurn in [true, false] {
            var keys = keys(1, 2, isInTurn: isInTurn)
            give(3, .up, to: &keys)
            keys.didReturn(KeyTicket(rawValue: 3), isPress: false)
            #expect(owed(keys) == [1, 2])
            keys.didReturn(KeyTicket(rawValue: 2), isPress: true)
            #expect(owed(keys) == (isInTurn ? [] : [1]))
        }
    }

    @Test func anUnsentOrRefusedKeyMarksNoOtherKeyAsAnswered() {
        var keys = keys(1)
        keys.didReturn(KeyTicket(rawValue: 2), isPress: true)
        #expect(owed(keys) == [1])
        give(3, to: &keys)
        keys.didRefuse(KeyTicket(rawValue: 3), isPress: true)
        #expect(owed(keys) == [1])
    }

    @Test func aRefusedReleaseHasOvertakenNoPress() {
        var keys = keys(1)
        give(2, .up, to: &keys)
        keys.didRefuse(KeyTicket(rawValue: 2), isPress: false)
        #expect(!keys.hasOvertaken)
        give(3, to: &keys)
        keys.didRefuse(KeyTicket(rawValue: 3), isPress: true)
        #expect(keys.hasOvertaken)
    }

    // MARK: What is waited for

    /// A key without an answer for long is no longer waited for, but still counts as unanswered: a later answer may
    /// belong to the next key.
    @Test func aKeyThatIsNotWaitedForIsOwedInPlaceOfTheNext() {
        var keys = keys(1)
        keys.didAsk()
        keys.didAnswer()
        #expect(keys.hasOpen && !keys.wantsQuery)
        keys.stopWaiting()
        #expect(!keys.hasOpen && owed(keys) == [1])
        for ticket in [2, 3] as [UInt64] { give(ticket, to: &keys) }
        #expect(keys.openCount == 2 && keys.wantsQuery)
        draw(&keys)
        #expect(keys.openCount == 1 && keys.isOpen(KeyTicket(rawValue: 3), isPress: true))
        #expect(owed(keys) == [2, 3])
        keys.markAnswered(through: KeyTicket(rawValue: 3))
        #expect(!keys.hasOpen && owed(keys).isEmpty)
    }

    @Test func aCommitMayFollowAClearingUntilItHasCome() {
        var keys = cleared()
        #expect(keys.isClearing)
        _ = keys.didCommit(at: 0)
        #expect(!keys.isClearing)
        draw(&keys, false)
        #expect(!keys.isClearing, "the other way round they are one answer too")
        #expect(!cleared(by: 0xff08).isClearing, "that was all")
    }

    // MARK: Stamps

    private func stamp(_ keys: inout AnswerMatcher, _ old: String, _ new: String) -> UInt64? {
        keys.didDraw(
            hasText: !new.isEmpty, from: Array(old.unicodeScalars), to: Array(new.unicodeScalars), at: 0, timing)?.key?
            .rawValue
    }

    @Test func eachAnswerIsStampedWithItsKey() {
        var keys = keys(1, 2, 3)
        #expect(stamp(&keys, "", "a") == 1 && stamp(&keys, "a", "ab") == 2)
        #expect(keys.didCommit(at: 0) == AnswerStamp(key: KeyTicket(rawValue: 3)))
        #expect(keys.didDraw(hasText: false, from: ["a"], to: [], at: 0, timing) == nil, "the same answer")
        #expect(keys.didCommit(at: 0) == AnswerStamp(key: nil), "no key is waited for")
    }

    @Test func aModifierIsStampedOnlyIfThereIsNoOtherKey() {
        var keys = AnswerMatcher()
        give(1, .down, 0xffe1, to: &keys)
        #expect(stamp(&keys, "", "a") == 1)
        give(2, .down, 0xffe1, to: &keys)
        give(3, to: &keys)
        #expect(stamp(&keys, "a", "b") == 3)
        #expect(owed(keys) == [3], "an uncertain key is owed")
    }

    /// m17n engines under ibus draw the same preedit again.
    @Test func aCompositionThatIsShownAgainIsPartOfOneAnswer() {
        var keys = keys(1, 2, 3)
        #expect(stamp(&keys, "", "a") == 1)
        #expect(stamp(&keys, "a", "") == 2 && stamp(&keys, "", "a") == nil && stamp(&keys, "a", "â") == nil)
        #expect(stamp(&keys, "â", "") == 3)
        // Text deleted by BackSpace is composed again.
        keys = self.keys(1)
        #expect(stamp(&keys, "", "a") == 1)
        give(2, .down, 0xff08, to: &keys)
        give(3, to: &keys)
        #expect(stamp(&keys, "a", "") == 2 && stamp(&keys, "", "a") == 3)
    }

    /// The same text after a complete answer is typed anew: if it counted as shown again, its key would stay owed.
    @Test func aCompositionThatWasClearedForGoodIsNotShownAgain() {
        let two = KeyTicket(rawValue: 2)
        let ends: [(String, (inout AnswerMatcher) -> Void)] = [
            ("quiet", { $0.markAnswered(through: two) }), ("reset", { $0.forgetClearing() }),
            ("returned", { $0.didReturn(two, isPress: true) }),
        ]
        for (name, end) in ends {
            var keys = keys(1, 2)
            #expect(stamp(&keys, "", "a") == 1 && stamp(&keys, "a", "") == 2)
            end(&keys)
            give(3, to: &keys)
            #expect(stamp(&keys, "", "a") == 3 && owed(keys).isEmpty, "\(name)")
        }
        // Delete has a character, but types no text.
        var keys = keys(1)
        #expect(stamp(&keys, "", "a") == 1)
        keys.didSend(KeyEvent(phase: .down, keysym: 0xffff, characters: "\u{7f}"), two)
        give(3, to: &keys)
        #expect(stamp(&keys, "a", "") == 2 && stamp(&keys, "", "a") == 3)
        // The end of an earlier key ends no answer to a later one.
        keys = self.keys(1, 2, isInTurn: false)
        #expect(stamp(&keys, "", "a") == 1 && stamp(&keys, "a", "") == 2)
        keys.markAnswered(through: KeyTicket(rawValue: 1))
        #expect(stamp(&keys, "", "a") == nil)
    }

    @Test func theEffectOfAKeyThatHasOvertakenAnswersIsNoAnswerToALaterOne() {
        var keys = keys(1, 2, isInTurn: false)
        keys.didReturn(KeyTicket(rawValue: 2), isPress: true)
        #expect(keys.hasOvertaken)
        give(3, to: &keys)
        #expect(stamp(&keys, "", "a") == 1)
        #expect(stamp(&keys, "a", "") == nil && keys.openCount == 1, "the effect of the second key")
        _ = keys.didCommit(at: 0)
        #expect(stamp(&keys, "", "b") == nil && keys.openCount == 1, "a syllable's end and the next one are one answer")
        #expect(stamp(&keys, "b", "bc") == 3 && !keys.hasOpen)
    }

    // MARK: What was cleared

    /// Returns the cleared text if it is kept, and the keys typed after it.
    private func left(_ keys: AnswerMatcher, afterQuiet: Bool = false) -> String {
        "\(loss(keys, afterQuiet: afterQuiet).keepsCleared ? "text " : "")\(owed(keys, afterQuiet: afterQuiet))"
    }

    /// A syllable that the third key ends.
    private func cleared(by keysym: Keysym? = nil, isInTurn: Bool = true) -> AnswerMatcher {
        var keys = keys(1, 2, isInTurn: isInTurn)
        for _ in 0..<2 { draw(&keys) }
        give(3, .down, keysym, to: &keys)
        draw(&keys, false)
        return keys
    }

    @Test func aClearingThatNothingFollowsIsKeptWithTheKeyThatItWasFor() {
        var keys = cleared()
        #expect(left(keys) == "text [3]")
        // Servers reply to queries long before an engine is done.
        keys.didAsk()
        keys.didAnswer()
        #expect(left(keys, afterQuiet: true) == "text [3]")
        give(4, to: &keys)
        #expect(left(keys) == "text [3, 4]")
        var committed = keys
        _ = committed.didCommit(at: 0)
        #expect(left(committed) == "[4]")
        var replaced = keys
        draw(&replaced)
        #expect(left(replaced) == "[4]")
        var quiet = keys
        quiet.markAnswered(through: KeyTicket(rawValue: 3))
        #expect(left(quiet) == "[4]")
        keys.forgetClearing()
        #expect(left(keys) == "[4]")
    }

    @Test func aKeyGivenBackAfterAClearingAnswersItWhereKeysComeInTurn() {
        for isInTurn in [true, false] {
            var keys = cleared(isInTurn: isInTurn)
            keys.didReturn(KeyTicket(rawValue: 3), isPress: true)
            #expect(left(keys) == (isInTurn ? "[]" : "text []"))
        }
    }

    @Test(arguments: [0xff08, 0xffff, 0xff1b] as [Keysym])
    func textClearedByAClearingKeyIsGone(_ keysym: Keysym) {
        #expect(left(cleared(by: keysym)) == "[]")
    }

    @Test func aCommitBeforeTheClearingWasTheTextAlready() {
        var keys = keys(1, 2)
        draw(&keys)
        _ = keys.didCommit(at: 0)
        draw(&keys, false)
        #expect(left(keys) == "[]")
    }

    /// Servers merge the effects of several keys, so a clearing may belong to a later key than the one that it is
    /// counted for.
    @Test func textThatBackSpaceMayHaveClearedIsKeptAndBackSpaceTyped() {
        var keys = keys(1, 2)
        draw(&keys)
        give(3, .down, 0xff08, to: &keys)
        keys.didAsk()
        draw(&keys, false)
        #expect(left(keys) == "text [2, 3]")
        keys.didAnswer()
        #expect(left(keys, afterQuiet: true) == "[]", "it is done with all of them")
        // The keys before BackSpace had been answered.
        keys = self.keys(1, 2)
        keys.didAsk()
        draw(&keys)
        keys.didAnswer()
        give(3, .down, 0xff08, to: &keys)
        draw(&keys, false)
        #expect(!loss(keys, afterQuiet: false).keepsCleared)
    }

    /// Engines delete and cancel by these keys as by BackSpace and Escape, on any layout.
    @Test(arguments: [0x67, 0x47, 0x68, 0x5b] as [Keysym])
    func textClearedByControlAndALetterIsNotTyped(_ keysym: Keysym) {
        func left(_ modifiers: KeyModifiers, _ keysym: Keysym, latin: Keysym? = nil) -> String {
            var keys = keys(1)
            draw(&keys)
            keys.didSend(
                KeyEvent(keysym: keysym, latinKeysym: latin, characters: "x", modifiers: modifiers),
                KeyTicket(rawValue: 2))
            draw(&keys, false)
            return self.left(keys)
        }
        #expect(left(.control, keysym) == "[]")
        #expect(left(.control, 0x06d0, latin: keysym) == "[]")
        #expect(left([], keysym) == "text [2]")
        // Control and another letter may have any meaning.
        #expect(left(.control, 0x6b) != "[]" && left([.control, .alt], keysym) != "[]")
    }

    @Test func aClearingThatNoKeyIsOutForIsForTheLast() {
        for (keysym, wanted) in [(nil, "text []"), (0xff08 as Keysym, "[]")] {
            var keys = keys(1)
            draw(&keys)
            give(2, .down, keysym, to: &keys)
            draw(&keys)
            draw(&keys, false)
            #expect(left(keys) == wanted)
        }
    }

    /// The method has stopped while a program types on the user's behalf.
    @Test func aBurstThatTheServerHasNotTakenIsOwedWhole() {
        var keys = AnswerMatcher()
        for ticket in 1...10_000 as ClosedRange<UInt64> { give(ticket, ticket % 2 == 1 ? .down : .up, to: &keys) }
        #expect(owed(keys) == Array(stride(from: 1, to: 10_000, by: 2)))
    }

    /// A server that never answers, and shows no sign of life, does not make the matcher grow.
    @Test func ofKeysThatAreNeverAnsweredTheLatestAreOwed() {
        var keys = AnswerMatcher()
        for ticket in 1...10_000 as ClosedRange<UInt64> { give(ticket, to: &keys) }
        #expect(owed(keys) == Array(1809...10_000))
        #expect(keys.openCount == 8192)
    }

    /// A live method that merges answers leaves more and more keys unanswered; the oldest are dropped.
    @Test func thousandsOfKeysThatNeverComeBackAreForgotten() {
        var keys = AnswerMatcher()
        for ticket in 1...20_000 as ClosedRange<UInt64> {
            give(ticket, to: &keys)
            keys.didAsk()
            keys.didAnswer()
            if ticket % 2 == 0 { draw(&keys) }
        }
        let left = owed(keys, afterQuiet: false)
        #expect((4096...8192).contains(left.count) && left.last == 20_000)
    }
}
