/// A distance in device pixels: the difference between two points of one space.
@frozen
public struct Vector: Hashable, Sendable {
    /// To the right, in device pixels.
    public var dx: Double
    /// Downwards, in device pixels.
    public var dy: Double

    /// A distance to the right and downwards.
    public init(dx: Double, dy: Double) {
        self.dx = dx
        self.dy = dy
    }
}

/// A width and a height in device pixels.
@frozen
public struct Size: Hashable, Sendable {
    /// Extent to the right, in device pixels.
    public var width: Double
    /// Extent downwards, in device pixels.
    public var height: Double

    /// A width and a height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// No extent.
    public static let zero = Size(width: 0, height: 0)
}

/// A point of one space, in device pixels, x to the right and y downwards from the space's origin.
///
/// `Space` keeps document, view, window and root apart: points of different spaces do not compare or mix.
@frozen
public struct Point<Space>: Hashable, Sendable, CustomStringConvertible {
    /// To the right of the origin.
    public var x: Double
    /// Below the origin.
    public var y: Double

    /// A point at `x`, `y` of its space.
    @inlinable
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Returns the point at distance `v` from `p`.
    @inlinable
    public static func + (p: Self, v: Vector) -> Self { Self(x: p.x + v.dx, y: p.y + v.dy) }

    /// Returns the point from which `v` leads to `p`.
    @inlinable
    public static func - (p: Self, v: Vector) -> Self { Self(x: p.x - v.dx, y: p.y - v.dy) }

    /// Returns the vector from `b` to `a`.
    @inlinable
    public static func - (a: Self, b: Self) -> Vector { Vector(dx: a.x - b.x, dy: a.y - b.y) }

    /// Converts the point to another space, whose origin lies at `origin` of this one.
    @inlinable
    public func converted<Other>(to _: Other.Type, originAt origin: Self) -> Point<Other> {
        Point<Other>(x: x - origin.x, y: y - origin.y)
    }

    /// Converts the point to another space, in which this space's origin lies at `origin`.
    @inlinable
    public func converted<Other>(from origin: Point<Other>) -> Point<Other> {
        Point<Other>(x: x + origin.x, y: y + origin.y)
    }

    /// `(x, y)`
    public var description: String { "(\(x), \(y))" }
}

/// A rectangle of one space, in device pixels; half-open: it holds its left and top edge, not its right and bottom.
@frozen
public struct Rect<Space>: Hashable, Sendable, CustomStringConvertible {
    /// Top left corner.
    public var origin: Point<Space>
    /// Extent; never negative in rectangles of this package.
    public var size: Size

    /// A rectangle by its top left corner and extent.
    @inlinable
    public init(origin: Point<Space>, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// A rectangle by its edges and extent.
    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// The rectangle without extent at the origin.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0, width: 0, height: 0) }

    /// Left edge.
    @inlinable
    public var minX: Double { origin.x }
    /// Top edge.
    @inlinable
    public var minY: Double { origin.y }
    /// Right edge, outside.
    @inlinable
    public var maxX: Double { origin.x + size.width }
    /// Bottom edge, outside.
    @inlinable
    public var maxY: Double { origin.y + size.height }
    /// Extent to the right.
    @inlinable
    public var width: Double { size.width }
    /// Extent downwards.
    @inlinable
    public var height: Double { size.height }
    /// Whether the rectangle has no area.
    @inlinable
    public var isEmpty: Bool { size.width <= 0 || size.height <= 0 }

    /// Whether `p` lies in the rectangle.
    @inlinable
    public func contains(_ p: Point<Space>) -> Bool {
        p.x >= minX && p.x < maxX && p.y >= minY && p.y < maxY
    }

    /// Whether the two share a pixel.
    @inlinable
    public func intersects(_ other: Self) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
    }

    /// Returns the part that both rectangles cover; ``zero`` if they share no pixel.
    @inlinable
    public func intersection(_ other: Self) -> Self {
        guard intersects(other) else { return .zero }
        let x = max(minX, other.minX)
        let y = max(minY, other.minY)
        return Self(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
    }

    /// Returns the smallest rectangle around both; an empty one adds nothing.
    @inlinable
    public func union(_ other: Self) -> Self {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let x = min(minX, other.minX)
        let y = min(minY, other.minY)
        return Self(x: x, y: y, width: max(maxX, other.maxX) - x, height: max(maxY, other.maxY) - y)
    }

    /// Returns the rectangle moved by `v`.
    @inlinable
    public func offset(by v: Vector) -> Self { Self(origin: origin + v, size: size) }

    /// Returns the rectangle with each edge moved inwards by `d` (outwards if negative), never below no extent.
    @inlinable
    public func insetBy(_ d: Double) -> Self {
        Self(x: minX + d, y: minY + d, width: max(0, width - 2 * d), height: max(0, height - 2 * d))
    }

    /// The smallest rectangle of whole pixels around this one.
    @inlinable
    public var integral: Self {
        let x = minX.rounded(.down)
        let y = minY.rounded(.down)
        return Self(x: x, y: y, width: maxX.rounded(.up) - x, height: maxY.rounded(.up) - y)
    }

    /// Converts the rectangle to another space, in which this space's origin lies at `origin`.
    @inlinable
    public func converted<Other>(from origin: Point<Other>) -> Rect<Other> {
        Rect<Other>(origin: self.origin.converted(from: origin), size: size)
    }

    /// Converts the rectangle to another space, whose origin lies at `origin` of this one.
    @inlinable
    public func converted<Other>(to other: Other.Type, originAt origin: Point<Space>) -> Rect<Other> {
        Rect<Other>(origin: self.origin.converted(to: other, originAt: origin), size: size)
    }

    /// `[x, y, width, height]`
    public var description: String { "[\(minX), \(minY), \(width), \(height)]" }
}

/// The space of laid-out text: origin at the top left of the text container, not scrolled.
public enum DocumentSpace {}
/// The space of a text view: origin at the view's top left, after scrolling. Used by `TextInput` geometry.
public enum ViewSpace {}
/// The space of an X window: origin at the top left inside its border.
public enum WindowSpace {}
/// The space of the screen's root window. Used by `TextInputClient` geometry.
public enum RootSpace {}

/// A point of the laid-out text.
public typealias DocumentPoint = Point<DocumentSpace>
/// A rectangle of the laid-out text.
public typealias DocumentRect = Rect<DocumentSpace>
/// A point of a text view.
public typealias ViewPoint = Point<ViewSpace>
/// A rectangle of a text view.
public typealias ViewRect = Rect<ViewSpace>
/// A point of an X window.
public typealias WindowPoint = Point<WindowSpace>
/// A rectangle of an X window.
public typealias WindowRect = Rect<WindowSpace>
/// A point of the root window.
public typealias RootPoint = Point<RootSpace>
/// A rectangle of the root window.
public typealias RootRect = Rect<RootSpace>
