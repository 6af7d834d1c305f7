import InkstoneBase
import InkstoneView
import Testing

/// The position and shape of a loupe.
@Suite(.timeLimit(.minutes(5))) struct LoupeTests {
    private static let screen = RootRect(x: 0, y: 0, width: 800, height: 600)
    private static let size = Size(width: 260, height: 60)

    private func line(at point: RootPoint, height: Double) -> RootRect {
        RootRect(x: point.x, y: point.y - height / 2, width: 2, height: height)
    }

    private func placed(
        _ placement: inout LoupePlacement, for point: RootPoint, line: RootRect?, on screen: RootRect
    ) throws -> RootRect {
        let frame = placement.frame(for: point, line: line, on: screen)
        return try #require(frame, "\(point)")
    }

    /// Covers INT 34 of the checklist for interaction.
    @Test(arguments: [0.0, 18, 40]) func loupeStaysOnScreenAndCoversNeitherPointerNorLine(lineHeight: Double) throws {
        for x in stride(from: 0.0, to: 800, by: 19) {
            for y in stride(from: 0.0, to: 600, by: 7) {
                let point = RootPoint(x: x, y: y)
                let line = lineHeight > 0 ? line(at: point, height: lineHeight) : nil
                var placement = LoupePlacement(size: Self.size, distance: 24)
                let frame = try placed(&placement, for: point, line: line, on: Self.screen)
                #expect(frame.intersection(Self.screen) == frame, "\(point): \(frame)")
                #expect(!frame.contains(point) && line.map { !$0.intersects(frame) } ?? true, "\(point): \(frame)")
                #expect(frame == frame.integral && frame.size == Self.size)
            }
        }
    }

    /// The pointer may be far from the line in which it drags the end of a selection.
    @Test func loupeCoversNeitherWhenPointerIsFarFromLine() throws {
        var placement = LoupePlacement(size: Self.size, distance: 24)
        let line = RootRect(x: 300, y: 300, width: 2, height: 20)
        let point = RootPoint(x: 310, y: 150)
        let above = try placed(&placement, for: point, line: line, on: Self.screen)
        #expect(placement.side == .above && above.maxY == 126)
        let below = try placed(&placement, for: RootPoint(x: 310, y: 60), line: line, on: Self.screen)
        #expect(placement.side == .below && below.minY == 344)
    }

    /// A finger hides its surroundings, and the knob of a handle is below the line.
    @Test func loupeKeepsMoreDistanceFromAFingerAndShowsTheHandle() throws {
        let style = LoupeStyle()
        #expect(style.fingerDistance == 45 && LoupeStyle(theme: Theme(), scale: 2).fingerDistance == 91, "12 mm")
        let (line, knob) = (
            RootRect(x: 300, y: 300, width: 2, height: 20), RootRect(x: 302, y: 320, width: 14, height: 14)
        )
        func frame(_ point: RootPoint, by distance: Double, on screen: RootRect = Self.screen) throws -> RootRect {
            var placement = LoupePlacement(size: Self.size, distance: 24, pointDistance: distance)
            let frame = placement.frame(for: point, line: line, handle: knob, on: screen)
            return try #require(frame)
        }
        let onLine = RootPoint(x: 309, y: 302)
        #expect(try frame(onLine, by: 0).maxY == 276)
        #expect(try frame(onLine, by: style.fingerDistance).maxY == 257, "45 above the finger")
        // On the knob, a finger does not move the loupe farther from the line than a pointer does.
        #expect(try frame(RootPoint(x: 309, y: 327), by: style.fingerDistance).maxY == 276)
        // Without room above, the loupe is below the knob and the finger on it.
        let low = RootRect(x: 0, y: 280, width: 800, height: 400)
        #expect(try frame(RootPoint(x: 301, y: 310), by: 0, on: low).minY == 358)
        #expect(try frame(RootPoint(x: 309, y: 327), by: style.fingerDistance, on: low).minY == 373)
    }

    @Test func theLoupePrefersTheUpperSideAndDoesNotTremble() {
        var placement = LoupePlacement(size: Self.size, distance: 24)
        func side(at y: Double) -> LoupePlacement.Side? {
            _ = placement.frame(for: RootPoint(x: 400, y: y), line: nil, on: Self.screen)
            return placement.side
        }
        #expect(side(at: 300) == .above && side(at: 84) == .above)
        #expect(side(at: 83) == .below, "no room above")
        let trembling = (0..<20).map { side(at: $0 % 2 == 0 ? 84 : 83) }
        #expect(trembling.allSatisfy { $0 == .below })
        #expect(side(at: 113) == .below && side(at: 114) == .above, "half its height more, and it goes back")
    }

    @Test func theLoupeGoesBesideALineThatFillsTheHeightAndIsHiddenWithoutRoom() throws {
        var placement = LoupePlacement(size: Self.size, distance: 24)
        let tall = RootRect(x: 100, y: 0, width: 2, height: 600)
        let right = try placed(&placement, for: RootPoint(x: 100, y: 300), line: tall, on: Self.screen)
        #expect(placement.side == .right && right.minX == 126)
        let left = try placed(
            &placement,
            for: RootPoint(x: 700, y: 300), line: tall.offset(by: Vector(dx: 600, dy: 0)), on: Self.screen)
        #expect(placement.side == .left && left.maxX == 676)
        let small = RootRect(x: 0, y: 0, width: 200, height: 100)
        let none = placement.frame(for: RootPoint(x: 100, y: 50), line: nil, on: small)
        #expect(none == nil && placement.side == nil)
    }

    @Test(arguments: [0.0, 1, 8, 500]) func itsShapeIsRoundRowsThatDoNotOverlap(radius: Double) {
        var style = LoupeStyle()
        style.cornerRadius = radius
        let size = Size(width: 60, height: 40)
        for inset in [0.0, 2] {
            let rows = style.shape(of: size, inset: inset)
            #expect(rows.first?.minY == inset && rows.last?.maxY == 40 - inset)
            for (row, next) in zip(rows, rows.dropFirst()) { #expect(row.maxY == next.minY) }
            #expect(rows.allSatisfy { $0.minX >= inset && $0.minX + $0.maxX == 60 }, "\(rows)")
            #expect(rows.contains { $0.minX == inset }, "as wide as it may be")
        }
        let corner = style.shape(of: size, inset: 0).first?.minX ?? 0
        #expect(radius < 2 ? corner == 0 : corner > 3)
    }

    @Test func theLoupeIsAsHighAsItsLineAndAtMostHalfTheScreen() {
        let style = LoupeStyle()
        let screen = Size(width: 1280, height: 1024)
        #expect(style.size(for: 20, on: screen) == Size(width: 260, height: 66))
        #expect(style.size(for: nil, on: screen) == Size(width: 260, height: 64))
        #expect(style.size(for: 900, on: screen).height == 512)
        #expect(style.size(for: 20, on: Size(width: 200, height: 50)) == Size(width: 100, height: 25))
        let double = LoupeStyle(theme: Theme().scaled(by: 2), scale: 2)
        #expect(double.width == 520 && double.borderWidth == 2 && double.distance == 48)
    }
}
