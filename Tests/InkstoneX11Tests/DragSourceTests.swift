import Testing

@testable import InkstoneX11

/// The source's side of a drag: which messages it sends, to which window and when.
@Suite(.timeLimit(.minutes(5))) struct DragSourceTests {
    private typealias Effect = DragSource.Effect
    private static let here = DragSource.Target(window: 5, receiver: 5, version: 5)
    private static let there = DragSource.Target(window: 6, receiver: 66, version: 4)
    private static let enter = DragMessage.enter(version: 5, types: [1, 2], isListElsewhere: false)

    private var drag = DragSource(types: [1, 2])

    private func at(_ x: Int, _ action: DragAction = .copy) -> DragPosition {
        DragPosition(x: x, y: 0, time: 9, action: action)
    }

    /// A drag over a target that has accepted it at time 10.
    private mutating func accept(_ action: DragAction = .copy) {
        _ = drag.move(to: at(1, action), over: Self.here, at: 0)
        _ = drag.status(action, from: 5, at: 10)
    }

    @Test mutating func aTargetGetsTheEnterMessageAndThenThePointersPosition() {
        #expect(drag.move(to: at(0), over: nil, at: 0) == [])
        #expect(
            drag.move(to: at(1), over: Self.here, at: 0) == [
                .send(Self.enter, Self.here), .send(.position(at(1)), Self.here),
            ])
    }

    @Test mutating func moreThanThreeTypesAreInAList() {
        drag = DragSource(types: [1, 2, 3, 4])
        let enter = DragMessage.enter(version: 5, types: [1, 2, 3, 4], isListElsewhere: true)
        #expect(drag.move(to: at(1), over: Self.here, at: 0).first == .send(enter, Self.here))
    }

    @Test mutating func onePositionIsOutAndTheNewestIsKept() {
        _ = drag.move(to: at(1), over: Self.here, at: 0)
        #expect(drag.move(to: at(2), over: Self.here, at: 1) == [])
        #expect(drag.move(to: at(3), over: Self.here, at: 2) == [])
        #expect(drag.status(.copy, from: 5, at: 3) == [.send(.position(at(3)), Self.here)])
        #expect(drag.status(.copy, from: 5, at: 4) == [])
    }

    /// Covers INT 57 of the checklist for interaction.
    @Test mutating func atRestThePositionIsSentAgain() {
        accept()
        #expect(drag.deadline == 10 + DragSource.repetitionInterval)
        #expect(drag.tick(at: 409) == [])
        #expect(drag.tick(at: 410) == [.send(.position(at(1)), Self.here)])
        // No position is sent while an answer is pending.
        #expect(drag.tick(at: 900) == [])
        _ = drag.status(.copy, from: 5, at: 1000)
        #expect(drag.tick(at: 1400) == [.send(.position(at(1)), Self.here)])
    }

    @Test mutating func aMissingStatusRefusesAndTheDragGoesOn() {
        accept()
        _ = drag.move(to: at(2), over: Self.here, at: 20)
        #expect(drag.accepted == .copy)
        #expect(drag.tick(at: 20 + DragSource.statusTimeout) == [.send(.position(at(2)), Self.here)])
        #expect(drag.accepted == nil && drag.isDragging)
        #expect(drag.status(.copy, from: 5, at: 2100) == [] && drag.accepted == .copy)
    }

    @Test mutating func leavingATargetNotifiesItAndForgetsItsStatus() {
        accept()
        #expect(
            drag.move(to: at(9), over: Self.there, at: 20) == [
                .send(.leave, Self.here),
                .send(.enter(version: 4, types: [1, 2], isListElsewhere: false), Self.there),
                .send(.position(at(9)), Self.there),
            ])
        #expect(drag.accepted == nil)
        #expect(drag.status(.copy, from: 5, at: 21) == [] && drag.accepted == nil, "what comes late counts no more")
        #expect(drag.move(to: at(10), over: nil, at: 22) == [.send(.leave, Self.there)])
    }

    @Test mutating func theDropWaitsForTheAnswerToTheLastPosition() {
        accept()
        _ = drag.move(to: at(2), over: Self.here, at: 20)
        _ = drag.move(to: at(3), over: Self.here, at: 21)
        #expect(drag.release(time: 77, at: 22) == [])
        #expect(!drag.isDragging && drag.move(to: at(4), over: Self.here, at: 23) == [])
        #expect(drag.status(.copy, from: 5, at: 24) == [.send(.position(at(3)), Self.here)])
        #expect(drag.status(.copy, from: 5, at: 25) == [.send(.drop(time: 77), Self.here)])
        #expect(drag.finished(.copy, from: 5) == [.end(.dropped(.copy))] && drag.isOver)
    }

    @Test mutating func aReleaseOverNothingOrARefusalIsNoDrop() {
        _ = drag.move(to: at(0), over: nil, at: 0)
        #expect(drag.release(time: 1, at: 1) == [.end(.cancelled)])
        drag = DragSource(types: [1, 2])
        accept()
        _ = drag.tick(at: 410)
        _ = drag.status(nil, from: 5, at: 420)
        #expect(drag.release(time: 1, at: 430) == [.send(.leave, Self.here), .end(.cancelled)])
    }

    /// GTK 4 refuses the first Position, whatever it is.
    @Test mutating func aTargetThatHasRefusedOnceIsAskedAgain() {
        _ = drag.move(to: at(1), over: Self.here, at: 0)
        _ = drag.status(nil, from: 5, at: 10)
        #expect(drag.release(time: 7, at: 20) == [.send(.position(at(1)), Self.here)])
        #expect(drag.status(.copy, from: 5, at: 30) == [.send(.drop(time: 7), Self.here)])
        // The same if the answer is still pending when the button is released.
        drag = DragSource(types: [1, 2])
        _ = drag.move(to: at(1), over: Self.here, at: 0)
        #expect(drag.release(time: 7, at: 1) == [])
        #expect(drag.status(nil, from: 5, at: 2) == [.send(.position(at(1)), Self.here)])
        #expect(drag.status(nil, from: 5, at: 3) == [.send(.leave, Self.here), .end(.cancelled)])
    }

    /// A target may only copy what it was asked to copy, whatever it answers.
    @Test mutating func aMoveInAnswerToACopyDeletesNothing() {
        accept(.copy)
        #expect(drag.status(.move, from: 5, at: 11) == [] && drag.accepted == .copy)
        _ = drag.release(time: 1, at: 20)
        #expect(drag.deletionRequested() == nil)
        #expect(drag.finished(.move, from: 5) == [.end(.dropped(.copy))])
        drag = DragSource(types: [1, 2])
        accept(.move)
        #expect(drag.move(to: at(2), over: Self.here, at: 20) == [.send(.position(at(2)), Self.here)])
        _ = drag.status(.move, from: 5, at: 30)
        _ = drag.release(time: 1, at: 40)
        #expect(drag.finished(.move, from: 5) == [.end(.dropped(.copy))], "the last proposal was a copy")
    }

    /// Covers INT 55 of the checklist for interaction.
    @Test mutating func aTargetThatNeverAnswersGetsNoDrop() {
        _ = drag.move(to: at(1), over: Self.here, at: 0)
        #expect(drag.release(time: 7, at: 10) == [])
        var effects: [Effect] = []
        var now: Int64 = 10
        while let due = drag.deadline, now < 60_000 {
            now = due
            effects += drag.tick(at: now)
        }
        #expect(effects.last == .end(.cancelled) && effects.contains(.send(.leave, Self.here)))
        #expect(now <= 10_000)
    }

    /// Covers INT 54 of the checklist for interaction.
    @Test mutating func escapeSendsLeaveAndNothingAfterTheDrop() {
        accept()
        #expect(drag.cancel() == [.send(.leave, Self.here), .end(.cancelled)])
        #expect(drag.cancel() == [] && drag.release(time: 1, at: 20) == [])
        drag = DragSource(types: [1, 2])
        accept()
        _ = drag.release(time: 1, at: 20)
        #expect(drag.cancel() == [] && !drag.isOver)
    }

    /// Covers INT 52 of the checklist for interaction.
    @Test mutating func aMoveDeletesOnceWhicheverSignComes() {
        accept(.move)
        #expect(drag.deletionRequested() == nil, "not before the drop")
        _ = drag.release(time: 1, at: 20)
        #expect(drag.deletionRequested() == [.delete])
        #expect(drag.deletionRequested() == [])
        #expect(drag.finished(.move, from: 5) == [.end(.dropped(.move))])
        #expect(drag.deletionRequested() == nil)
        drag = DragSource(types: [1, 2])
        accept(.move)
        _ = drag.release(time: 1, at: 20)
        #expect(drag.finished(.move, from: 5) == [.delete, .end(.dropped(.move))])
        drag = DragSource(types: [1, 2])
        accept(.move)
        _ = drag.release(time: 1, at: 20)
        drag.noteDeleted()
        #expect(drag.finished(.move, from: 5) == [.end(.dropped(.move))], "gone already")
    }

    /// Covers INT 52 of the checklist for interaction.
    @Test mutating func aCopyDeletesNothing() {
        accept(.copy)
        _ = drag.release(time: 1, at: 20)
        #expect(drag.deletionRequested() == nil)
        #expect(drag.finished(.copy, from: 5) == [.end(.dropped(.copy))])
    }

    /// Covers INT 55 of the checklist for interaction.
    @Test mutating func aFailureAndASilenceDeleteNothing() {
        accept(.move)
        _ = drag.release(time: 1, at: 20)
        #expect(drag.finished(nil, from: 5) == [.end(.failed)])
        drag = DragSource(types: [1, 2])
        accept(.move)
        _ = drag.release(time: 1, at: 20)
        drag.requestCame(at: 5000)
        #expect(drag.tick(at: 20 + DragSource.finishTimeout) == [], "it has asked for the data since")
        #expect(drag.tick(at: 5000 + DragSource.finishTimeout) == [.end(.failed)])
    }

    @Test mutating func anOldTargetSendsOnlyThatItIsDone() {
        _ = drag.move(to: at(1, .move), over: Self.there, at: 0)
        _ = drag.status(.move, from: 6, at: 10)
        #expect(drag.release(time: 1, at: 20) == [.send(.drop(time: 1), Self.there)])
        #expect(drag.finished(nil, from: 6) == [.delete, .end(.dropped(.move))])
    }

    @Test mutating func answersOfOtherTargetsAreIgnored() {
        accept()
        #expect(drag.status(nil, from: 99, at: 20) == [] && drag.accepted == .copy)
        #expect(drag.finished(.copy, from: 5) == [], "nothing was dropped")
        _ = drag.release(time: 1, at: 20)
        #expect(drag.finished(.move, from: 99) == [] && !drag.isOver)
        #expect(drag.abandon() == [.end(.failed)] && drag.abandon() == [])
    }
}
