import Testing

@testable import inkstone_editor

/// The memory for undo, which all windows have together.
@Suite(.timeLimit(.minutes(5))) struct UndoShareTests {
    @Test func windowsHaveTogetherWhatOneHasAlone() {
        #expect(UndoShare.limit(besides: [Int]()) == UndoShare.whole)
        #expect(UndoShare.limit(besides: [1 << 20, 99 << 20]) == 156 << 20)
        // One that comes late can undo as well.
        #expect(UndoShare.limit(besides: [250 << 20]) == UndoShare.least)
    }
}
