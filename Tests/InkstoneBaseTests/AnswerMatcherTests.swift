import InkstoneBase
import Testing

/// What is typed plainly when a server goes, from what was sent to it and what it said.
@Suite(.timeLimit(.minutes(5))) struct AnswerMatcherTests {
    private let timing = InputTiming()

    private func event(_ ticket: UInt64, _ phase: KeyEvent.Phase = .down, _ keysym: Keysym? = nil) -> KeyEvent {
        KeyEvent(
            phase: phase, keysym: keysym ?? Keysym(rawValue: 0x60 + UInt32(ticket)),
            characters: keysym == nil ? "\(ticket)" : "")
    }

    /// Keys that the server has been given.
    private func keys(_ tickets: UInt64...) -> AnswerMatcher {
        var keys = AnswerMatcher()
        for ticket in tickets { give(ticket, to: &keys) }
        return keys
    }

    private func give(
        _ ticket: UInt64, _ phase: KeyEvent.Phase = .down, _ keysym: Keysym? = nil, to keys: inout AnswerMatcher
    ) {
        keys.add(event(ticket, phase, keysym), KeyTicket(rawValue: ticket))
        keys.note(.sent(KeyTicket(rawValue: ticket)))
    }

    private func draw(_ keys: inout AnswerMatcher, _ hasText: Bool = true, at now: Milliseconds = 0) {
        keys.drawn(hasText: hasText, clears: !hasText, at: now, timing)
    }

    private func owed(_ keys: AnswerMatcher, afterQuiet: Bool = true) -> [UInt64] {
        var keys = keys
        return keys.takeOwed(afterQuiet: afterQuiet).map(\.ticket.rawValue)
    }

    @Test func eachDrawSettlesOnePress() {
        var keys = keys(1, 2, 3)
        draw(&keys)
        #expect(owed(keys) == [2, 3])
        draw(&keys)
        #expect(owed(keys) == [3])
    }

    @Test func aKeyThatTheServerWasNeverGivenIsOwedWhateverItSaid() {
        var keys = keys(1)
        keys.add(event(2), KeyTicket(rawValue: 2))
        keys.note(.asked)
        for _ in 0..<3 { draw(&keys) }
        keys.note(.taken)
        draw(&keys)
        #expect(owed(keys) == [2])
    }

    @Test func aMethodThatDoesNotSayWhatItWasGivenWasGivenAll() {
        var keys = AnswerMatcher()
        for ticket in [1, 2] as [UInt64] { keys.add(event(ticket), KeyTicket(rawValue: ticket)) }
        draw(&keys)
        #expect(owed(keys) == [2])
    }

    @Test func aDeletionACommitAndANewTextAreOneAnswerInAnyOrder() {
        var ibus = keys(1, 2)
        ibus.committed(at: 0)
        draw(&ibus, false)
        #expect(owed(ibus) == [2])
        var hangul = keys(1, 2)
        draw(&hangul, false)
        hangul.committed(at: 0)
        draw(&hangul)
        #expect(owed(hangul) == [2])
        var committing = keys(1, 2, 3)
        committing.committed(at: 0)
        committing.committed(at: 0)
        #expect(owed(committing) == [3])
    }

    @Test func whatAServerMergesSettlesAllKeysThatItHasTaken() {
        // It draws late, after the query: ibus.
        var late = keys(1, 2, 3)
        late.note(.asked)
        late.note(.taken)
        #expect(owed(late) == [1, 2, 3], "it has said nothing of them")
        draw(&late)
        #expect(owed(late).isEmpty)
        #expect(owed(late, afterQuiet: false) == [2, 3], "amid its answers less is presumed")
        // It draws what several keys did before it comes to the query.
        var early = keys(1, 2, 3)
        early.note(.asked)
        draw(&early)
        #expect(owed(early) == [2, 3])
        early.note(.taken)
        #expect(owed(early).isEmpty)
    }

    @Test func whatIsSaidBeforeAQueryIsAnsweredIsNotAboutLaterKeys() {
        var keys = keys(1)
        keys.note(.asked)
        give(2, to: &keys)
        draw(&keys)
        draw(&keys)
        #expect(owed(keys) == [2])
        keys.note(.taken)
        #expect(owed(keys) == [2])
        draw(&keys)
        #expect(owed(keys).isEmpty)
    }

    @Test func aServerThatAnswersQueriesOutOfTurnIsNotPresumedToHaveAnsweredKeys() {
        var keys = keys(1, 2, 3)
        keys.note(.asked)
        keys.note(.taken)
        draw(&keys, at: 100)
        #expect(owed(keys).isEmpty)
        // It was at work on the second all the time.
        draw(&keys, at: 100 + timing.quiet)
        #expect(owed(keys) == [3])
    }

    /// ibus and fcitx5 do so with a burst of keys on a busy machine; dead then, they took the rest of it with them.
    @Test func aServerThatGoesThroughItsKeysOneByOneOwesTheRestOfThem() {
        var keys = keys(1, 2, 3, 4, 5)
        keys.note(.asked)
        keys.note(.taken)
        for _ in 0..<2 {
            keys.committed(at: 100)
            draw(&keys, at: 100)
        }
        #expect(owed(keys) == [3, 4, 5])
    }

    @Test func aKeyThatAServerKeepsToItselfStaysInDoubtUntilItIsQuiet() {
        var keys = keys(1)
        draw(&keys)
        give(2, to: &keys)
        keys.note(.asked)
        keys.note(.taken)
        #expect(owed(keys) == [2])
        keys.settle(through: KeyTicket(rawValue: 2))
        #expect(owed(keys).isEmpty)
    }

    @Test func aPressThatComesBackInTurnSettlesThoseBeforeItAndAReleaseOnlyItself() {
        var keys = keys(1, 2)
        give(3, .up, to: &keys)
        keys.returned(KeyTicket(rawValue: 3), isPress: false, isInTurn: true)
        #expect(owed(keys) == [1, 2])
        var outOfTurn = keys
        keys.returned(KeyTicket(rawValue: 2), isPress: true, isInTurn: true)
        #expect(owed(keys).isEmpty)
        outOfTurn.returned(KeyTicket(rawValue: 2), isPress: true, isInTurn: false)
        #expect(owed(outOfTurn) == [1])
    }

    @Test func aKeyThatTheServerHasNotGotTellsNothingOfThoseThatItHas() {
        var keys = keys(1)
        keys.add(event(2), KeyTicket(rawValue: 2))
        keys.note(.returned(KeyTicket(rawValue: 2)))
        keys.returned(KeyTicket(rawValue: 2), isPress: true, isInTurn: true)
        #expect(owed(keys) == [1])
    }

    // MARK: What is waited for

    /// One of which nothing was said for long is waited for no more, and owed all the same: what comes then may be for the next key.
    @Test func aKeyThatIsNotWaitedForIsOwedInPlaceOfTheNext() {
        var keys = keys(1)
        keys.note(.asked)
        keys.note(.taken)
        #expect(keys.hasOpen && !keys.wantsQuery)
        keys.stopWaiting()
        #expect(!keys.hasOpen && owed(keys) == [1])
        for ticket in [2, 3] as [UInt64] { give(ticket, to: &keys) }
        #expect(keys.openCount == 2 && keys.wantsQuery)
        draw(&keys)
        #expect(keys.openCount == 1 && keys.firstOpen?.rawValue == 3)
        #expect(owed(keys) == [2, 3])
        keys.settle(through: KeyTicket(rawValue: 3))
        #expect(!keys.hasOpen && owed(keys).isEmpty)
    }

    @Test func aCommitMayFollowAClearingUntilItHasCome() {
        var keys = cleared()
        #expect(keys.isClearing)
        keys.committed(at: 0)
        #expect(!keys.isClearing)
        draw(&keys, false)
        #expect(!keys.isClearing, "the other way round they are one answer too")
        #expect(!cleared(by: 0xff08).isClearing, "that was all")
    }

    // MARK: What was cleared

    /// Whether what was cleared is kept, and what is typed behind it.
    private func left(_ keys: AnswerMatcher, afterQuiet: Bool = false) -> String {
        "\(keys.keepsCleared(afterQuiet: afterQuiet) ? "text " : "")\(owed(keys, afterQuiet: afterQuiet))"
    }

    /// A syllable that the third key ends.
    private func cleared(by keysym: Keysym? = nil) -> AnswerMatcher {
        var keys = keys(1, 2)
        for _ in 0..<2 { draw(&keys) }
        give(3, .down, keysym, to: &keys)
        draw(&keys, false)
        return keys
    }

    @Test func aClearingThatNothingFollowsIsKeptWithTheKeyThatItWasFor() {
        var keys = cleared()
        #expect(left(keys) == "text [3]")
        // Servers answer queries long before an engine is done.
        keys.note(.asked)
        keys.note(.taken)
        #expect(left(keys, afterQuiet: true) == "text [3]")
        give(4, to: &keys)
        #expect(left(keys) == "text [3, 4]")
        var committed = keys
        committed.committed(at: 0)
        #expect(left(committed) == "[4]")
        var replaced = keys
        draw(&replaced)
        #expect(left(replaced) == "[4]")
        var quiet = keys
        quiet.settle(through: KeyTicket(rawValue: 3))
        #expect(left(quiet) == "[4]")
        keys.forgetClearing()
        #expect(left(keys) == "[4]")
    }

    @Test func aKeyGivenBackAfterAClearingAnswersItWhereKeysComeInTurn() {
        for isInTurn in [true, false] {
            var keys = cleared()
            keys.returned(KeyTicket(rawValue: 3), isPress: true, isInTurn: isInTurn)
            #expect(left(keys) == (isInTurn ? "[]" : "text []"))
        }
    }

    @Test(arguments: [0xff08, 0xffff, 0xff1b] as [Keysym])
    func whatAKeyThatClearsHasClearedIsGone(_ keysym: Keysym) {
        #expect(left(cleared(by: keysym)) == "[]")
    }

    @Test func aCommitBeforeTheClearingWasTheTextAlready() {
        var keys = keys(1, 2)
        draw(&keys)
        keys.committed(at: 0)
        draw(&keys, false)
        #expect(left(keys) == "[]")
    }

    /// Servers merge what several keys do: the clearing may be for a later key than the one that it is counted for.
    @Test func inDoubtWhatBackSpaceMayHaveClearedIsKeptAndBackSpaceTyped() {
        var keys = keys(1, 2)
        draw(&keys)
        give(3, .down, 0xff08, to: &keys)
        keys.note(.asked)
        draw(&keys, false)
        #expect(left(keys) == "text [2, 3]")
        keys.note(.taken)
        #expect(left(keys, afterQuiet: true) == "[]", "it is done with all of them")
        // The keys before BackSpace had been answered.
        keys = self.keys(1, 2)
        keys.note(.asked)
        draw(&keys)
        keys.note(.taken)
        give(3, .down, 0xff08, to: &keys)
        draw(&keys, false)
        #expect(!keys.keepsCleared(afterQuiet: false))
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

    /// A method that has stopped while a program types for the user.
    @Test func aBurstThatTheServerHasNotTakenIsOwedWhole() {
        var keys = AnswerMatcher()
        for ticket in 1...10_000 as ClosedRange<UInt64> { give(ticket, ticket % 2 == 1 ? .down : .up, to: &keys) }
        #expect(owed(keys) == Array(stride(from: 1, to: 10_000, by: 2)))
    }

    /// A method that merges answers owes more and more, one that lives: of those that it has taken the oldest are forgotten.
    @Test func thousandsOfKeysThatNeverComeBackAreForgotten() {
        var keys = AnswerMatcher()
        for ticket in 1...20_000 as ClosedRange<UInt64> {
            give(ticket, to: &keys)
            keys.note(.asked)
            keys.note(.taken)
            if ticket % 2 == 0 { draw(&keys) }
        }
        let left = owed(keys, afterQuiet: false)
        #expect((4096...8192).contains(left.count) && left.last == 20_000)
    }
}
