import Testing

@testable import InkstoneX11

/// The target's side of a drag: what is answered, and what is asked for.
@Suite(.timeLimit(.minutes(5))) struct DragTargetTests {
    private var target = DragTarget()

    private mutating func enter(_ source: UInt = 1, version: Int = 5) -> [DragTarget.Effect] {
        target.enter(from: source, version: version, types: [7], isListElsewhere: false)
    }

    /// A drop of source 1, accepted as this.
    private mutating func drop(_ action: DragAction?) -> [DragTarget.Effect] {
        _ = enter()
        _ = target.position(from: 1) { action }
        return target.drop(from: 1, time: 42)
    }

    @Test mutating func everyPositionIsAnsweredAtOnce() {
        #expect(enter() == [.begin(source: 1, types: [7])])
        #expect(target.position(from: 1) { .copy } == [.send(.status(.copy), to: 1)])
        #expect(target.position(from: 1) { nil } == [.send(.status(nil), to: 1)])
        #expect(target.position(from: 1) { .move } == [.send(.status(.move), to: 1)])
    }

    /// Covers INT 56 of the checklist for interaction.
    @Test mutating func aPositionWithoutAnEnterIsRefusedAndNobodyIsAsked() {
        var asked = 0
        #expect(
            target.position(from: 3) {
                asked += 1
                return .copy
            } == [.send(.status(nil), to: 3)])
        #expect(asked == 0)
    }

    @Test mutating func typesBeyondThreeAreInTheSourcesList() {
        #expect(
            target.enter(from: 1, version: 4, types: [1, 2, 3], isListElsewhere: true) == [
                .begin(source: 1, types: nil)
            ])
    }

    @Test(arguments: [(2, false), (3, true), (5, true), (6, false), (0, false)])
    mutating func otherVersionsAreIgnored(version: Int, isSpoken: Bool) {
        #expect(enter(version: version).isEmpty == !isSpoken)
    }

    @Test mutating func leavingEndsIt() {
        _ = enter()
        #expect(target.leave(from: 9) == [])
        #expect(target.leave(from: 1) == [.leave])
        #expect(target.leave(from: 1) == [] && target.hovering == nil)
    }

    @Test mutating func aCopyIsFetchedWithTheDropsTimeAndFinished() {
        #expect(drop(.copy) == [.fetch(.copy, source: 1, time: 42)])
        #expect(target.didUse(.copy, isDeleted: false) == [.send(.finished(.copy), to: 1)])
        #expect(target.didUse(.copy, isDeleted: false) == [], "once")
    }

    @Test mutating func aMoveAsksForDeletionAfterTheTextHasCome() {
        _ = drop(.move)
        #expect(target.deletionAnswered() == [])
        #expect(target.didUse(.move, isDeleted: false) == [.askDeletion(source: 1)])
        #expect(target.deletionAnswered() == [.send(.finished(.move), to: 1)])
        _ = drop(.move)
        #expect(target.didUse(.move, isDeleted: true) == [.send(.finished(.move), to: 1)], "nothing to ask for")
    }

    /// Covers INT 56 of the checklist for interaction.
    @Test mutating func aDropAlwaysEndsWithAFinished() {
        let failed: [DragTarget.Effect] = [.send(.finished(nil), to: 1)]
        #expect(target.drop(from: 1, time: 0) == failed, "without an Enter")
        #expect(drop(nil) == [.leave] + failed, "where it was refused")
        _ = enter()
        #expect(target.drop(from: 1, time: 0) == [.leave] + failed, "without a Position")
        _ = drop(.copy)
        #expect(target.didUse(nil, isDeleted: false) == failed, "with nothing that came")
        _ = drop(.copy)
        #expect(target.close() == failed, "with the window gone")
        _ = drop(.move)
        _ = target.didUse(.move, isDeleted: false)
        #expect(target.close() == [.send(.finished(.move), to: 1)])
        _ = drop(.copy)
        #expect(target.drop(from: 1, time: 0) == [], "a second one of the same")
        #expect(
            target.enter(from: 2, version: 5, types: [], isListElsewhere: false) == failed + [
                .begin(source: 2, types: [])
            ], "another drag comes in before the data")
    }

    /// Covers INT 56 of the checklist for interaction.
    @Test mutating func aDeadSourceIsForgotten() {
        _ = enter()
        #expect(target.sourceDied(4) == [])
        #expect(target.sourceDied(1) == [.leave] && target.hovering == nil)
        _ = drop(.copy)
        #expect(target.sourceDied(1) == [] && target.dropping == nil)
        #expect(target.didUse(.copy, isDeleted: false) == [])
    }

    @Test mutating func anotherSourceTakesThePlaceOfOneThatNeverLeft() {
        _ = enter()
        #expect(enter(2) == [.leave, .begin(source: 2, types: [7])])
        #expect(target.position(from: 1) { .copy } == [.send(.status(nil), to: 1)])
    }
}
