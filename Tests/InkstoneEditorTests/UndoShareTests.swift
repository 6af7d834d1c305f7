import Testing

@testable import inkstone_editor

/// The memory for undo steps, which all windows share.
@Suite(.timeLimit(.minutes(5))) struct UndoShareTests {
    @Test func windowsShareTheUndoMemoryOfOne() {
        #expect(UndoShare.limit(besides: [Int]()) == UndoShare.whole)
        #expect(UndoShare.limit(besides: [1 << 20, 99 << 20]) == 156 << 20)
        // A window opened late gets at least the minimum.
        #expect(UndoShare.limit(besides: [250 << 20]) == UndoShare.least)
    }
}
