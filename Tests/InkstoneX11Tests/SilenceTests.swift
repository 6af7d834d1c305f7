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

    private func silence(proof: Int) -> InputMethodSilence {
        var silence = InputMethodSilence()
        silence.proof = proof
        return silence
    }

    @Test(arguments: [1, 3]) func theRequiredRepliesInARowProveSilence(_ proof: Int) {
        var silence = silence(proof: proof)
        silence.didSend(isAsking: false)
        for _ in 0..<proof {
            #expect(!silence.isProven)
            silence.didAnswerQuery()
        }
        #expect(silence.isProven)
        silence.didHear(at: 0)
        #expect(!silence.isProven, "a word came after all")
        for _ in 0..<proof { silence.didAnswerQuery() }
        #expect(silence.isProven)
    }

    @Test func aServerThatGivesKeysBackIsNotHungAlthoughTheQueryBehindThemIsNotAnswered() {
        let ping = InputMethodLife.Query(due: 2000, nudgeDue: 500)
        #expect(ping.overdueAt(lastHeard: -5000, timing) == 2000)
        #expect(ping.overdueAt(lastHeard: 1900, timing) == 1900 + timing.response)
    }

    @Test func theAnswerToAQueryOfBeforeProvesNothing() {
        var silence = silence(proof: 1)
        silence.didSend(isAsking: true)
        silence.didAnswerQuery()
        #expect(!silence.isProven)
        silence.didAnswerQuery()
        #expect(silence.isProven)
    }

    /// ibus returns the key before it sends its effects, and those of earlier keys.
    @Test func aSerializedKeyComesBehindTheOutputThatItHasOvertaken() throws {
        var silence = silence(proof: 3)
        let space = key(5, " ")
        #expect(!space.isLetter && key(4).isLetter)
        silence.didSend(space, isAsking: false, isLone: true, at: 10)
        let isKept = [silence.keeps(space), silence.keeps(key(4))]
        #expect(isKept == [true, false])
        silence.didHear(at: 11)
        silence.didAnswerQuery()
        silence.didHear(at: 12)
        for _ in 0..<3 {
            #expect(!silence.isProven)
            silence.didAnswerQuery()
        }
        #expect(silence.isProven)
        let taken = silence.takeLone()
        let (_, last, back) = try #require(taken)
        #expect(last == space.ticket && back == space)
        #expect(silence.lone == nil)
        // An engine that draws when it finds the time: what acts on the text waits for a report.
        #expect(silence.probeDue(timing, isAnswered: true) == 12 + timing.rest)
        var reports = silence.takeReports()
        #expect(reports.isEmpty)
        let isAsked = silence.probes(at: 12 + timing.rest, isAsking: false, isAnswered: true, timing)
        #expect(isAsked)
        for _ in 0..<3 { silence.didAnswerQuery() }
        reports = silence.takeReports()
        #expect(reports == [WindowID(rawValue: 7): space.ticket])
    }

    @Test func aConsumedSerializedKeyDoesNotComeBack() throws {
        var silence = silence(proof: 1)
        silence.didSend(key(5, " "), isAsking: false, isLone: true, at: 10)
        silence.didAnswerQuery()
        let taken = silence.takeLone()
        #expect(try #require(taken).key == nil)
    }

    @Test func aReportFollowsAQueryThatWasSentInTheSilence() {
        var silence = silence(proof: 1)
        #expect(silence.probeDue(timing, isAnswered: true) == nil)
        silence.didSend(key(1), isAsking: false, isLone: false, at: 100)
        silence.didAnswerQuery()
        silence.didHear(isRelease: true, at: 110)
        #expect(silence.probeDue(timing, isAnswered: true) == 110 + timing.doubt, "a release is no answer")
        silence.didHear(at: 120)
        #expect(silence.probeDue(timing, isAnswered: true) == 120 + timing.rest)
        #expect(silence.probeDue(timing, isAnswered: false) == 120 + timing.doubt, "it is at work on another press")
        func probes(at now: Milliseconds) -> Bool { silence.probes(at: now, isAsking: false, isAnswered: true, timing) }
        func reports() -> [WindowID: KeyTicket] { silence.takeReports() }
        var isAsked = probes(at: 119 + timing.rest)
        #expect(!isAsked)
        silence.didAnswerQuery()
        var reported = reports()
        #expect(reported.isEmpty, "that was no query in the silence")
        isAsked = probes(at: 120 + timing.rest)
        #expect(isAsked)
        silence.didHear(at: 200)
        silence.didAnswerQuery()
        reported = reports()
        #expect(reported.isEmpty, "more came before the answer")
        isAsked = probes(at: 200 + timing.rest)
        #expect(isAsked)
        silence.didAnswerQuery()
        reported = reports()
        #expect(reported == [WindowID(rawValue: 7): KeyTicket(rawValue: 1)])
        reported = reports()
        #expect(reported.isEmpty && silence.probeDue(timing, isAnswered: true) == nil)
    }
}
