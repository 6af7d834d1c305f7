import Testing

@testable import inkstone_editor

/// Several reasons that hold back keys at the same time.
@Suite(.timeLimit(.minutes(5))) struct KeyWaitsTests {
    @Test func keysComeWhenTheLastOfThemHasEnded() {
        var waits = KeyWaits()
        let (work, other) = (waits.begin(nil), waits.begin(nil))
        let file = waits.begin(.file)
        waits.end(file)
        #expect(!waits.isEmpty, "the file has come, and the disk is still asked")
        waits.end(other)
        waits.end(other)
        #expect(!waits.isEmpty && waits.contains(work))
        waits.end(work)
        #expect(waits.isEmpty)
    }

    @Test func theEndOfAnEarlierWaitLeavesALaterOne() {
        var waits = KeyWaits()
        let first = waits.begin(.reload)
        let second = waits.begin(.reload)
        #expect(!waits.contains(first) && waits.contains(second))
        waits.end(first)
        #expect(!waits.isEmpty)
        _ = waits.begin(.styledText)
        waits.end(.reload)
        #expect(!waits.contains(second) && !waits.isEmpty)
        waits.end(.styledText)
        #expect(waits.isEmpty)
    }

    @Test func allOfThemCanBeEnded() {
        var waits = KeyWaits()
        let wait = waits.begin(.file)
        _ = waits.begin(nil)
        waits.endAll()
        #expect(waits.isEmpty && !waits.contains(wait))
    }
}
