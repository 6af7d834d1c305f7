import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Touch gestures recognized from events, without a text.
@Suite(.timeLimit(.minutes(5))) struct TouchGestureTests {
    private typealias Action = TouchGesture.Action
    private static let settings = PointerSettings()

    /// A gesture, and simulated touches of two fingers. The view's clock and the events' times agree.
    private struct Hand {
        var gesture = TouchGesture()
        var time: UInt32 = 1000

        mutating func down(
            _ id: UInt32 = 1, at x: Double, _ y: Double = 50, _ target: TouchGesture.Target = TouchGesture.Target(),
            stopsScrolling: Bool = false, first: Bool = true
        ) {
            gesture.began(
                id, isFirst: first, at: ViewPoint(x: x, y: y), time: time, at: Int64(time),
                stopsScrolling: stopsScrolling, settings
            ) { target }
        }
        mutating func move(_ id: UInt32 = 1, to x: Double, _ y: Double = 50, after milliseconds: UInt32 = 10)
            -> [Action]
        {
            time += milliseconds
            return gesture.moved(id, to: ViewPoint(x: x, y: y), time: time, settings)
        }
        mutating func up(_ id: UInt32 = 1, after milliseconds: UInt32 = 10) -> [Action] {
            time += milliseconds
            return gesture.ended(id, time: time, settings)
        }
        mutating func tap(at x: Double, _ y: Double = 50, _ target: TouchGesture.Target = TouchGesture.Target())
            -> [Action]
        {
            down(at: x, y, target)
            return up(after: 40)
        }
        mutating func wait(_ milliseconds: UInt32) -> [Action] {
            time += milliseconds
            return gesture.deadlinePassed(at: Int64(time))
        }
    }

    private static func select(_ granularity: TextGranularity, _ x: Double, _ y: Double = 50) -> [Action] {
        [.text(.select(granularity, at: ViewPoint(x: x, y: y))), .text(.finish)]
    }

    /// Covers INT 14 of the checklist for interaction.
    @Test func aTapPutsTheCaretAndASecondOneSelectsTheWord() {
        var hand = Hand()
        #expect(hand.tap(at: 20) == Self.select(.character, 20))
        hand.time += 300
        #expect(hand.tap(at: 29) == Self.select(.word, 29), "ten pixels, not the five of a mouse")
        hand.time += 2000
        #expect(hand.tap(at: 20) == Self.select(.character, 20))
        hand.time += 401 - 40
        #expect(hand.tap(at: 20) == Self.select(.character, 20), "too late")
        hand.time += 100
        #expect(hand.tap(at: 31) == Self.select(.character, 31), "too far away")
        #expect(!hand.gesture.isActive && hand.gesture.deadline == nil)
    }

    @Test func movingScrollsByAllOfTheWayAndOnWhenTheFingerIsLifted() {
        var hand = Hand()
        hand.down(at: 20, 100)
        #expect(hand.move(to: 20, 92) == [], "eight pixels are none yet")
        var scrolled = 0.0
        for step in 1...20 {
            for action in hand.move(to: 20, 92 - Double(step) * 2.3) {
                guard case .scroll(by: let distance) = action else {
                    Issue.record("\(action)")
                    continue
                }
                #expect(distance.dy == distance.dy.rounded() && distance.dx == 0)
                scrolled += distance.dy
            }
        }
        #expect(scrolled == 54, "100 − (92 − 46)")
        #expect(hand.gesture.deadline == nil)
        let end = hand.up()
        guard case .fling(let velocity)? = end.first else {
            Issue.record("\(end)")
            return
        }
        // A speed of 2.3 pixels in ten milliseconds, and a rest of the same time before the finger is lifted.
        #expect(end.count == 1 && (200...230).contains(velocity.dy) && velocity.dx == 0, "\(velocity)")
    }

    @Test func aFingerThatRestsBeforeItIsLiftedDoesNotScrollOn() {
        var hand = Hand()
        hand.down(at: 20, 100)
        for step in 1...10 { _ = hand.move(to: 20, 100 - Double(step) * 10) }
        #expect(hand.up(after: 151) == [])
    }

    @Test func holdingStillIsALongPressByTheClockOrByTheTimeOfTheEvents() {
        var hand = Hand()
        hand.down(at: 20)
        #expect(hand.wait(499) == [] && hand.gesture.deadline == 1500)
        #expect(hand.wait(1) == [.text(.longPress(at: ViewPoint(x: 20, y: 50)))])
        #expect(hand.gesture.isSelecting && hand.gesture.deadline == nil)
        #expect(hand.move(to: 60) == [.text(.drag(to: ViewPoint(x: 60, y: 50)))])
        #expect(hand.up() == [.text(.finish)])
        // The event loop was blocked, so the event's own time counts.
        hand.down(at: 20)
        #expect(hand.up(after: 500) == [.text(.longPress(at: ViewPoint(x: 20, y: 50))), .text(.finish)])
        #expect(hand.tap(at: 20) == Self.select(.character, 20), "no second tap of a long press")
    }

    /// Covers INT 18 of the checklist for interaction.
    @Test func aSecondFingerEndsWhatTheFirstSelects() {
        var hand = Hand()
        hand.down(at: 20)
        _ = hand.wait(500)
        hand.down(2, at: 90, first: false)
        #expect(!hand.gesture.isSelecting && hand.gesture.isActive)
        #expect(hand.move(to: 60) == [] && hand.move(2, to: 20) == [])
        #expect(hand.up() == [] && hand.gesture.isActive)
        hand.down(3, at: 50, first: false)
        #expect(hand.up(2) == [] && hand.gesture.isActive && hand.up(3) == [] && !hand.gesture.isActive)
        // Two fingers that touch together neither tap nor scroll.
        hand.down(at: 20)
        hand.down(2, at: 90, first: false)
        #expect(hand.wait(1000) == [] && hand.move(to: 90) == [] && hand.up(2) == [] && hand.up() == [])
        // A scroll in progress continues with a second finger.
        hand.down(at: 20)
        _ = hand.move(to: 40)
        hand.down(2, at: 90, first: false)
        #expect(hand.move(to: 50) == [.scroll(by: Vector(dx: -10, dy: 0))] && hand.move(2, to: 50) == [])
    }

    @Test func theFirstFingerBeginsAnewWhateverWasLost() {
        var hand = Hand()
        hand.down(at: 20)
        hand.down(2, at: 90, first: false)
        hand.time += 1000
        hand.down(3, at: 20)
        #expect(hand.up(3) == Self.select(.character, 20))
    }

    @Test func cancelledTouchGestureHasNoEffect() {
        var hand = Hand()
        hand.down(at: 20)
        hand.gesture.cancelled(1)
        #expect(!hand.gesture.isActive && hand.wait(1000) == [] && hand.up() == [])
        hand.down(at: 20)
        _ = hand.wait(500)
        hand.gesture.cancel()
        #expect(!hand.gesture.isSelecting && hand.move(to: 80) == [] && hand.up() == [] && !hand.gesture.isActive)
        // A touch that stops momentum has no other effect, unless it scrolls.
        hand.down(at: 20, stopsScrolling: true)
        #expect(hand.gesture.deadline == nil && hand.up() == [])
        hand.time += 100
        #expect(hand.tap(at: 20) == Self.select(.character, 20))
        hand.down(at: 20, stopsScrolling: true)
        #expect(hand.move(to: 40) == [.scroll(by: Vector(dx: -20, dy: 0))])
    }

    @Test func handlesAreHeldAndMoved() {
        func target(_ role: TextSelectionHandle.Role) -> TouchGesture.Target {
            TouchGesture.Target(
                handle: TextSelectionHandle(
                    edge: ViewRect(x: 30, y: 10, width: 1, height: 20), role: role, isLeft: role == .start))
        }
        var hand = Hand()
        for role in [TextSelectionHandle.Role.start, .end, .caret] {
            hand.time += 5000
            hand.down(at: 33, 35, target(role))
            let hold = Action.hold(
                target(role).handle ?? .init(edge: .zero, role: role, isLeft: true), at: ViewPoint(x: 33, y: 35))
            #expect(hand.move(to: 50, 35) == [hold, .text(.drag(to: ViewPoint(x: 50, y: 35)))])
            #expect(hand.gesture.isSelecting && hand.up() == [.text(.finish)])
            hand.down(at: 33, 35, target(role))
            #expect(hand.wait(500) == [hold])
            #expect(hand.up() == [.text(.finish)])
        }
        #expect(hand.tap(at: 33, 35, target(.start)) == [])
        // A tap on the caret's handle soon after the first one selects the word; later it opens the menu.
        hand.time += 1000
        #expect(hand.tap(at: 30, 26) == Self.select(.character, 30, 26))
        hand.time += 200
        #expect(hand.tap(at: 33, 35, target(.caret)) == Self.select(.word, 30, 20))
        hand.time += 1000
        #expect(hand.tap(at: 33, 35, target(.caret)) == [.text(.openMenu(at: ViewPoint(x: 30, y: 20)))])
        #expect(
            hand.tap(at: 150, 50, TouchGesture.Target(isSelected: true)) == [
                .text(.openMenu(at: ViewPoint(x: 150, y: 50)))
            ])
        #expect(
            hand.tap(at: 250, 50, TouchGesture.Target(opensLink: true)) == [
                .text(.openLink(at: ViewPoint(x: 250, y: 50)))
            ])
    }

    @Test func scrollingOnSlowsDownByFriction() {
        var kinetics = KineticScroll(Vector(dx: 0, dy: -1000), at: 0)
        var (way, time, steps) = (0.0, Int64(0), [Double]())
        while let deadline = kinetics?.deadline, time < 10_000 {
            time = deadline
            guard let step = kinetics?.step(at: time) else {
                kinetics = nil
                break
            }
            steps.append(step.dy)
            way += step.dy
        }
        // Without the minimum speed, the distance would be a fourth of the speed; the last part is too slow to be
        // seen.
        #expect((-250 ... -244).contains(way) && (900...1100).contains(time), "\(way) in \(time)")
        #expect(steps.first == -15 && steps.allSatisfy { $0 <= 0 && $0 >= -16 })
        #expect(KineticScroll(Vector(dx: 10, dy: 19), at: 0) == nil)
        var late = KineticScroll(Vector(dx: 0, dy: 1000), at: 0)
        #expect((late?.step(at: 5000)?.dy).map { $0 < 100 } == true, "a loop that was held up does not jump")
    }
}
