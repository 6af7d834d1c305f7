import InkstoneTesting
import Testing

/// 10,000 random actions of pointer, keys, wheel and scroll bar, against ``DocumentModel`` and plain geometry: text, undo, clipboard and what
/// several selections do exactly; where lines lie, what any user could see.
@Suite(.timeLimit(.minutes(5))) struct RandomUseTests {
    @Test(arguments: UInt64(1)...50) func twoHundredActionsDoWhatTheModelSays(run: UInt64) {
        let seed = SeededGenerator.seedOfThisRun &* 1000 &+ run
        let user = RandomUser(seed: seed)
        for _ in 0..<200 {
            user.act()
            user.check()
            // What comes after the first fault is only its consequence.
            if !user.faults.isEmpty { break }
        }
        if user.faults.isEmpty { user.takeEverythingBack() }
        #expect(user.faults.isEmpty, "INKSTONE_SEED=\(SeededGenerator.seedOfThisRun), run \(run):\n\(user.report)")
    }
}
