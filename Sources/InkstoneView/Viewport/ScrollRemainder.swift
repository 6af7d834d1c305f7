import InkstoneBase

/// The fraction of a pixel, or of a wheel click, that is not scrolled yet. It makes the small turns of fine wheels
/// and touchpads add up. A plain value.
package struct ScrollRemainder: Hashable, Sendable {
    private var rest = Vector(dx: 0, dy: 0)

    /// Creates an empty remainder.
    package init() {}

    /// Adds a distance, and returns the whole part, to be scrolled now. The fraction is kept for the next call, and
    /// dropped if the next distance has the opposite direction.
    package mutating func take(_ distance: Vector) -> Vector {
        func whole(_ rest: inout Double, _ step: Double) -> Double {
            guard step != 0 else { return 0 }
            if rest * step < 0 { rest = 0 }
            let sum = rest + step
            rest = sum - sum.rounded(.towardZero)
            return sum.rounded(.towardZero)
        }
        return Vector(dx: whole(&rest.dx, distance.dx), dy: whole(&rest.dy, distance.dy))
    }
}
