import Glibc
import InkstoneBase
import Testing

@testable import InkstoneX11

/// Compose sequences whose file does not arrive.
@Suite(.timeLimit(.minutes(5))) struct ComposeTests {
    /// The home directory hangs: keys are plain after a limited wait, and the next dead key after it has answered is
    /// composed.
    @Test func keysArePlainUntilTheFileHasArrived() {
        let home = Monitor((isAnswering: false, wasAwaited: false))
        let files = ComposeFiles(maximumWait: 20) {
            if !home.wait(atMost: 5000, until: { $0.isAnswering }) { home.withLock { $0.wasAwaited = true } }
            return false
        }
        let compose = ComposeState(locale: "en_US.UTF-8", files: files)
        #expect(compose.feed(0x61) == .plain && compose.feed(0xfe51) == .plain && compose.feed(0x65) == .plain)
        // Another window does not wait as well.
        let other = ComposeState(locale: "en_US.UTF-8", files: files)
        #expect(other.feed(0xfe51) == .plain)
        home.withLock(waking: true) { $0.isAnswering = true }
        for state in [compose, other] {
            // Each dead key is plain until the table is read.
            let end = MonotonicClock.milliseconds + 20_000
            while !state.isComposing, MonotonicClock.milliseconds < end {
                if state.feed(0xfe51) == .plain { sched_yield() }
            }
            #expect(state.feed(0x65) == .composed("é", 0xe9))
        }
        let isFree = home.withLock { !$0.wasAwaited }
        #expect(isFree, "a key has waited for the home directory")
    }

    /// The first key that can begin a sequence waits for the table.
    @Test(arguments: [false, true]) func theFirstDeadKeyIsComposed(hasOwnFile: Bool) {
        let files = ComposeFiles(maximumWait: 60_000) { hasOwnFile }
        let compose = ComposeState(locale: "en_US.UTF-8", files: files)
        #expect(compose.feed(0x61) == .plain && compose.feed(0xfe51) == .composing(pending: "´"))
        #expect(compose.feed(0x65) == .composed("é", 0xe9))
    }
}
