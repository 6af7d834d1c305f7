import CX11
import InkstoneBase
import Testing

@testable import InkstoneX11

/// When a server counts as silent, computed from sent and received messages alone.
@Suite(.timeLimit(.minutes(5))) struct SilenceTests {
    private let timing = InputTiming()

    private func key(_ ticket: UInt64, _ characters: String = "a", isPress: Bool = true) -> InputMethodKey {
        var event = XKeyEvent()
        event.type = isPress ? KeyPress : KeyRelease
        event.keycode = 38
        return InputMethodKey(
            window: WindowID(rawValue: 7), raw: RawKey(event), event: KeyEvent(keysym: 0x61, characters: characters),
            ticket: KeyTicket(rawValue: ticket), number: ticket)
    }

    private func silence(requiredReplies: Int) -> InputMethodSilence {
        var silence = InputMethodSilence()
        silence.requiredReplies = requiredReplies
        return silence
    }

    @Test(arguments: [1, 3]) func theRequiredRepliesInARowProveSilence(_ requiredReplies: Int) {
        var silence = silence(requiredReplies: requiredReplies)
        silence.didSend(isAsking: false)
        for _ in 0..<requiredReplies {
            #expect(!silence.isSilent)
            silence.didAnswerQuery()
        }
        #expect(silence.isSilent)
        silence.didReceiveOutput(at: 0)
        #expect(!silence.isSilent, "a word came after all")
        for _ in 0..<requiredReplies { silence.didAnswerQuery() }
        #expect(silence.isSilent)
    }

    @Test func aServerThatGivesKeysBackIsNotHungAlthoughTheQueryBehindThemIsNotAnswered() {
        let ping = InputMethodLife.Query(due: 2000, nudgeDue: 500)
        #expect(ping.overdueAt(lastMessage: -5000, timing) == 2000)
        #expect(ping.overdueAt(lastMessage: 1900, timing) == 1900 + timing.response)
    }

    @Test func theAnswerToAQueryOfBeforeProvesNothing() {
        var silence = silence(requiredReplies: 1)
        silence.didSend(isAsking: true)
        silence.didAnswerQuery()
        #expect(!silence.isSilent)
        silence.didAnswerQuery()
        #expect(silence.isSilent)
    }

    /// ibus returns the key before it sends its effects, and those of earlier keys.
    @Test func aSerializedKeyComesBehindTheOutputThatItHasOvertaken() throws {
        var silence = silence(requiredReplies: 3)
        let space = key(5, " ")
        #expect(!space.isLetter && key(4).isLetter)
        silence.didSend(space, isAsking: false, isSerialized: true, at: 10)
        let isKept = [silence.keeps(space), silence.keeps(key(4))]
        #expect(isKept == [true, false])
        silence.didReceiveOutput(at: 11)
        silence.didAnswerQuery()
        silence.didReceiveOutput(at: 12)
        for _ in 0..<3 {
            #expect(!silence.isSilent)
            silence.didAnswerQuery()
        }
        #expect(silence.isSilent)
        let taken = silence.takeSerializedKey()
        let (_, last, back) = try #require(taken)
        #expect(last == space.ticket && back == space)
        #expect(silence.serializedKey == nil)
        // An engine that draws when it finds the time: what acts on the text waits for a report.
        #expect(silence.probeDue(timing, isAnswered: true) == 12 + timing.quiescence)
        var reports = silence.takeReports()
        #expect(reports.isEmpty)
        let isAsked = silence.probes(at: 12 + timing.quiescence, isAsking: false, isAnswered: true, timing)
        #expect(isAsked)
        for _ in 0..<3 { silence.didAnswerQuery() }
        reports = silence.takeReports()
        #expect(reports == [WindowID(rawValue: 7): space.ticket])
    }

    @Test func aConsumedSerializedKeyDoesNotComeBack() throws {
        var silence = silence(requiredReplies: 1)
        silence.didSend(key(5, " "), isAsking: false, isSerialized: true, at: 10)
        silence.didAnswerQuery()
        let taken = silence.takeSerializedKey()
        #expect(try #require(taken).key == nil)
    }

    @Test func aReportFollowsAQueryThatWasSentInTheSilence() {
        var silence = silence(requiredReplies: 1)
        #expect(silence.probeDue(timing, isAnswered: true) == nil)
        silence.didSend(key(1), isAsking: false, isSerialized: false, at: 100)
        silence.didAnswerQuery()
        silence.didReceiveOutput(isRelease: true, at: 110)
        #expect(silence.probeDue(timing, isAnswered: true) == 110 + timing.probeDelay, "a release is no answer")
        silence.didReceiveOutput(at: 120)
        #expect(silence.probeDue(timing, isAnswered: true) == 120 + timing.quiescence)
        #expect(
            silence.probeDue(timing, isAnswered: false) == 120 + timing.probeDelay, "it is at work on another press")
        func probes(at now: Milliseconds) -> Bool { silence.probes(at: now, isAsking: false, isAnswered: true, timing) }
        func reports() -> [WindowID: KeyTicket] { silence.takeReports() }
        var isAsked = probes(at: 119 + timing.quiescence)
        #expect(!isAsked)
        silence.didAnswerQuery()
        var reported = reports()
        #expect(reported.isEmpty, "that was no query in the silence")
        isAsked = probes(at: 120 + timing.quiescence)
        #expect(isAsked)
        silence.didReceiveOutput(at: 200)
        silence.didAnswerQuery()
        reported = reports()
        #expect(reported.isEmpty, "more came before the answer")
        isAsked = probes(at: 200 + timing.quiescence)
        #expect(isAsked)
        silence.didAnswerQuery()
        reported = reports()
        #expect(reported == [WindowID(rawValue: 7): KeyTicket(rawValue: 1)])
        reported = reports()
        #expect(reported.isEmpty && silence.probeDue(timing, isAnswered: true) == nil)
    }
}
