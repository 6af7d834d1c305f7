import InkstoneBase
import InkstoneView
import Testing

@Suite(.timeLimit(.minutes(5))) struct AutoscrollTests {
    private let settings = PointerSettings()
    private let area = Autoscroll.Area(
        ViewRect(x: 0, y: 0, width: 200, height: 100), lineHeight: 10, scrollsSideways: true)

    private func point(_ x: Double, _ y: Double) -> ViewPoint { ViewPoint(x: x, y: y) }

    /// Returns the distance scrolled in a second with the pointer at rest.
    private func second(at point: ViewPoint, in area: Autoscroll.Area, isArmed: Bool = true) -> Vector {
        var scroll = Autoscroll(at: point, isArmed: isArmed)
        scroll.move(to: point, in: area, settings, at: 0)
        var sum = Vector(dx: 0, dy: 0)
        for time in stride(from: Int64(20), through: 1000, by: 20) {
            guard let step = scroll.step(in: area, settings, at: time) else { continue }
            sum = Vector(dx: sum.dx + step.dx, dy: sum.dy + step.dy)
        }
        return sum
    }

    /// Covers INT 26 of the checklist for interaction.
    @Test func autoscrollContinuesAtRestAndFasterWithDistance() {
        // 8 + 0.5 · d lines a second, where d is measured from 6 px inside of the edge.
        #expect(second(at: point(100, 94), in: area) == Vector(dx: 0, dy: 80))
        #expect(second(at: point(100, 114), in: area) == Vector(dx: 0, dy: 180))
        #expect(second(at: point(100, -14), in: area) == Vector(dx: 0, dy: -180))
        #expect(second(at: point(100, 5000), in: area) == Vector(dx: 0, dy: 400), "four heights at most")
        #expect(second(at: point(214, 50), in: area) == Vector(dx: 180, dy: 0))
        #expect(second(at: point(50, 50), in: area) == Vector(dx: 0, dy: 0))
    }

    @Test func wrappedLinesDoNotScrollSideways() {
        var wrapping = area
        wrapping.scrollsSideways = false
        #expect(second(at: point(250, 50), in: wrapping) == Vector(dx: 0, dy: 0))
    }

    /// Covers INT 27 of the checklist for interaction.
    @Test func theZoneInsideCountsOnceThePointerHasLeftIt() {
        #expect(second(at: point(100, 97), in: area, isArmed: false).dy == 0, "pressed there")
        #expect(second(at: point(100, 100), in: area, isArmed: false).dy > 0, "beyond the edge")
        var scroll = Autoscroll(at: point(100, 97))
        for y in [97.0, 60, 97] { scroll.move(to: point(100, y), in: area, settings, at: 0) }
        #expect(scroll.deadline != nil)
    }

    @Test func aFieldOfOneLineHasNoZone() {
        var field = area
        field.rect.size.height = 20
        #expect(second(at: point(100, 1), in: field).dy == 0 && second(at: point(100, 19), in: field).dy == 0)
        #expect(second(at: point(100, -1), in: field).dy < 0)
    }

    @Test func motionNeitherDrivesNorPutsOffASteps() {
        var scroll = Autoscroll(at: point(0, 50), isArmed: true)
        scroll.move(to: point(0, 120), in: area, settings, at: 100)
        let deadline = scroll.deadline
        for time in Int64(101)...119 { scroll.move(to: point(100, 120), in: area, settings, at: time) }
        #expect(scroll.deadline == deadline && deadline == 120)
        #expect(scroll.step(in: area, settings, at: 119) == nil)
        #expect(scroll.step(in: area, settings, at: 120) != nil && scroll.deadline == 140)
        scroll.move(to: point(100, 50), in: area, settings, at: 130)
        #expect(scroll.deadline == nil && scroll.step(in: area, settings, at: 200) == nil)
    }

    @Test func aLoopThatWasHeldUpDoesNotJump() {
        var scroll = Autoscroll(at: point(100, 94), isArmed: true)
        scroll.move(to: point(100, 94), in: area, settings, at: 0)
        #expect(scroll.step(in: area, settings, at: 60_000)?.dy == 8)
    }
}
