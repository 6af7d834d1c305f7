import InkstoneTesting
import Testing

/// 10,000 random actions by pointer, keys, wheel and scroll bar, compared with ``DocumentModel`` and simple
/// geometry: text, undo, clipboard and multiple selections exactly, layout as far as a user could see.
@Suite(.timeLimit(.minutes(5))) struct RandomUseTests {
    @Test(arguments: UInt64(1)...50) func twoHundredActionsDoWhatTheModelSays(run: UInt64) {
        let seed = SeededGenerator.seedOfThisRun &* 1000 &+ run
        let user = RandomUser(seed: seed)
        for _ in 0..<200 {
            user.act()
            user.check()
            // Later faults are only consequences of the first.
            if !user.faults.isEmpty { break }
        }
        if user.faults.isEmpty { user.takeEverythingBack() }
        #expect(user.faults.isEmpty, "INKSTONE_SEED=\(SeededGenerator.seedOfThisRun), run \(run):\n\(user.report)")
    }
}
