import InkstoneBase
import Testing

@testable import InkstoneX11

/// When a pending release shows that the engine is still at work, computed from sent and returned keys alone.
@Suite(.timeLimit(.minutes(5))) struct ReleaseTests {
    private let timing = InputTiming()
    private let window = WindowID(rawValue: 7)

    /// Returns releases of which the first `count` were returned in order, after which number `count` + 1 was sent.
    private func releases(returned count: Int) -> InputMethodReleases {
        var releases = InputMethodReleases()
        for number in 1...UInt64(count) {
            releases.didSend(number, in: window, at: 0)
            releases.didReturn(number)
        }
        releases.didSend(UInt64(count) + 1, in: window, at: 10)
        return releases
    }

    private func awaits(_ releases: InputMethodReleases, at now: Milliseconds) -> Bool {
        var releases = releases
        return releases.isAwaiting(at: now, since: 20, timing)
    }

    @Test func aReleaseIsAwaitedAfterManyWereReturnedInARow() {
        let proof = InputMethodReleases.proof
        #expect(!awaits(releases(returned: proof - 1), at: 30))
        var releases = self.releases(returned: proof)
        #expect(awaits(releases, at: 30))
        releases.didReturn(UInt64(proof) + 1)
        #expect(!awaits(releases, at: 30))
    }

    @Test func theWaitEndsAfterASilence() {
        var releases = self.releases(returned: InputMethodReleases.proof)
        let end = releases.awaitedUntil(since: 20, timing)
        #expect(end == 20 + timing.response)
        #expect(awaits(releases, at: 19 + timing.response))
        var waits = releases.isAwaiting(at: 20 + timing.response, since: 20, timing)
        #expect(!waits)
        // The engine has consumed a release, and may do so again.
        releases.didSend(100, in: window, at: 5000)
        waits = releases.isAwaiting(at: 5001, since: 20, timing)
        #expect(!waits)
    }

    @Test func aReturnedReleaseEndsTheWaitForEarlierOnes() {
        var releases = self.releases(returned: InputMethodReleases.proof)
        releases.didSend(100, in: window, at: 11)
        releases.didReturn(100)
        #expect(!awaits(releases, at: 30))
        releases.didSend(101, in: window, at: 11)
        #expect(!awaits(releases, at: 30), "one was consumed")
    }

    @Test func aRefusedReleaseAndAForgottenWindowAreNotAwaited() {
        let number = UInt64(InputMethodReleases.proof) + 1
        var releases = self.releases(returned: InputMethodReleases.proof)
        releases.didRefuse(number)
        #expect(!awaits(releases, at: 30))
        releases.didSend(number + 1, in: window, at: 11)
        #expect(awaits(releases, at: 30))
        releases.forget(window)
        #expect(!awaits(releases, at: 30))
    }
}
