import InkstoneBase

/// Parts of pixels, or of clicks, that are still to be scrolled: what fine wheels and touchpads turn by adds up. A plain value.
public struct ScrollRemainder: Hashable, Sendable {
    private var rest = Vector(dx: 0, dy: 0)

    /// Nothing is left.
    public init() {}

    /// The whole part to scroll by now for a distance. What is left is kept until the next, unless that goes the other way.
    public mutating func take(_ distance: Vector) -> Vector {
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
