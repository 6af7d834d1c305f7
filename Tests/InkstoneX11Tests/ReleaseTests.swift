import CX11
import InkstoneBase
import Testing

@testable import InkstoneX11

/// When a pending release shows that the engine is still at work, computed from sent and returned keys alone.
@Suite(.timeLimit(.minutes(5))) struct ReleaseTests {
    private let timing = InputTiming()
    private let window = WindowID(rawValue: 7)

    private func key(_ number: UInt64, isPress: Bool = false, keycode: UInt32 = 38) -> InputMethodKey {
        var event = XKeyEvent()
        event.type = isPress ? KeyPress : KeyRelease
        event.keycode = keycode
        return InputMethodKey(
            window: window, raw: RawKey(event), event: KeyEvent(keysym: 0x61, characters: "a"),
            ticket: KeyTicket(rawValue: number), number: number)
    }

    /// Returns releases of which the first `count` were returned in order, after which number `count` + 1 was sent.
    private func releases(returned count: Int) -> InputMethodReleases {
        var releases = InputMethodReleases()
        for number in 1...UInt64(count) {
            releases.didSend(key(number), at: 0)
            releases.didReturn(key(number))
        }
        releases.didSend(key(UInt64(count) + 1), at: 10)
        return releases
    }

    private func awaits(_ releases: InputMethodReleases, at now: Milliseconds) -> Bool {
        var releases = releases
        return releases.isAwaiting(at: now, since: 20, timing)
    }

    @Test func aReleaseIsAwaitedAfterManyWereReturnedInARow() {
        let requiredReleases = InputMethodReleases.requiredReleases
        #expect(!awaits(releases(returned: requiredReleases - 1), at: 30))
        var releases = self.releases(returned: requiredReleases)
        #expect(awaits(releases, at: 30))
        releases.didReturn(key(UInt64(requiredReleases) + 1))
        #expect(!awaits(releases, at: 30))
    }

    @Test func theWaitEndsAfterASilence() {
        var releases = self.releases(returned: InputMethodReleases.requiredReleases)
        let end = releases.awaitedUntil(since: 20, timing)
        #expect(end == 20 + timing.response)
        #expect(awaits(releases, at: 19 + timing.response))
        var waits = releases.isAwaiting(at: 20 + timing.response, since: 20, timing)
        #expect(!waits)
        // The engine has consumed a release, and may do so again.
        releases.didSend(key(100), at: 5000)
        waits = releases.isAwaiting(at: 5001, since: 20, timing)
        #expect(!waits)
    }

    @Test func aReturnedReleaseEndsTheWaitForEarlierOnes() {
        var releases = self.releases(returned: InputMethodReleases.requiredReleases)
        releases.didSend(key(100), at: 11)
        releases.didReturn(key(100))
        #expect(!awaits(releases, at: 30))
        releases.didSend(key(101), at: 11)
        #expect(!awaits(releases, at: 30), "one was consumed")
    }

    @Test func aRefusedReleaseAndAForgottenWindowAreNotAwaited() {
        let number = UInt64(InputMethodReleases.requiredReleases) + 1
        var releases = self.releases(returned: InputMethodReleases.requiredReleases)
        releases.didRefuse(key(number))
        #expect(!awaits(releases, at: 30))
        releases.didSend(key(number + 1), at: 11)
        #expect(awaits(releases, at: 30))
        releases.forget(window)
        #expect(!awaits(releases, at: 30))
    }

    /// libpinyin returns both while it types English, and neither while it composes.
    @Test func theReleaseOfAReturnedPressProvesNothing() {
        var releases = InputMethodReleases()
        for number in stride(from: UInt64(1), to: 41, by: 4) {
            // The press is returned before its release is sent, or after.
            releases.didSend(key(number, isPress: true), at: 0)
            releases.didReturn(key(number, isPress: true))
            releases.didSend(key(number + 1), at: 0)
            releases.didReturn(key(number + 1))
            releases.didSend(key(number + 2, isPress: true, keycode: 39), at: 0)
            releases.didSend(key(number + 3, keycode: 39), at: 0)
            releases.didReturn(key(number + 2, isPress: true, keycode: 39))
            releases.didReturn(key(number + 3, keycode: 39))
        }
        releases.didSend(key(100, isPress: true), at: 10)
        releases.didSend(key(101), at: 10)
        #expect(!awaits(releases, at: 30))
    }
}
