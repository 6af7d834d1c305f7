/// A distance in device pixels: the difference between two points of the same space.
@frozen
public struct Vector: Hashable, Sendable {
    /// The distance to the right, in device pixels.
    public var dx: Double
    /// The distance downwards, in device pixels.
    public var dy: Double

    /// Creates a distance with the given components.
    public init(dx: Double, dy: Double) {
        self.dx = dx
        self.dy = dy
    }
}

/// A width and a height in device pixels.
@frozen
public struct Size: Hashable, Sendable {
    /// The extent to the right, in device pixels.
    public var width: Double
    /// The extent downwards, in device pixels.
    public var height: Double

    /// Creates a size with the given width and height.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// The size whose width and height are 0.
    public static let zero = Size(width: 0, height: 0)
}

/// A point of a space, in device pixels, x to the right and y downwards from the space's origin.
///
/// The type parameter `Space` keeps document, view, window and root apart: points of different spaces cannot be
/// compared or mixed.
@frozen
public struct Point<Space>: Hashable, Sendable, CustomStringConvertible {
    /// The distance to the right from the origin.
    public var x: Double
    /// The distance downwards from the origin.
    public var y: Double

    /// Creates a point with the given coordinates.
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

    /// Converts the point to another space, whose origin lies at `origin` in this space.
    @inlinable
    public func converted<Other>(to _: Other.Type, originAt origin: Self) -> Point<Other> {
        Point<Other>(x: x - origin.x, y: y - origin.y)
    }

    /// Converts the point to another space, in which the origin of this space lies at `origin`.
    @inlinable
    public func converted<Other>(from origin: Point<Other>) -> Point<Other> {
        Point<Other>(x: x + origin.x, y: y + origin.y)
    }

    /// The coordinates as `(x, y)`.
    public var description: String { "(\(x), \(y))" }
}

/// A rectangle of a space, in device pixels. Half-open: the left and top edges belong to the rectangle, the right
/// and bottom edges do not.
@frozen
public struct Rect<Space>: Hashable, Sendable, CustomStringConvertible {
    /// The top left corner of the rectangle.
    public var origin: Point<Space>
    /// The size; never negative in rectangles returned by this package.
    public var size: Size

    /// Creates a rectangle with the given top left corner and size.
    @inlinable
    public init(origin: Point<Space>, size: Size) {
        self.origin = origin
        self.size = size
    }

    /// Creates a rectangle with the given left and top edges and size.
    @inlinable
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
    }

    /// The rectangle with no extent, at the origin.
    @inlinable
    public static var zero: Self { Self(x: 0, y: 0, width: 0, height: 0) }

    /// The left edge of the rectangle.
    @inlinable
    public var minX: Double { origin.x }
    /// The top edge of the rectangle.
    @inlinable
    public var minY: Double { origin.y }
    /// The right edge, which does not belong to the rectangle.
    @inlinable
    public var maxX: Double { origin.x + size.width }
    /// The bottom edge, which does not belong to the rectangle.
    @inlinable
    public var maxY: Double { origin.y + size.height }
    /// The extent to the right.
    @inlinable
    public var width: Double { size.width }
    /// The extent downwards.
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

    /// Whether two rectangles overlap. An empty rectangle that lies inside the other one, not on its edge, also
    /// counts.
    @inlinable
    public func intersects(_ other: Self) -> Bool {
        minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
    }

    /// Returns the part that both rectangles cover; ``zero`` if they do not overlap.
    @inlinable
    public func intersection(_ other: Self) -> Self {
        guard intersects(other) else { return .zero }
        let x = max(minX, other.minX)
        let y = max(minY, other.minY)
        return Self(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
    }

    /// Returns the smallest rectangle that covers both rectangles. An empty rectangle is ignored.
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

    /// Returns the rectangle with each edge moved inwards by `d` (outwards if negative). Width and height do not
    /// become negative.
    @inlinable
    public func insetBy(_ d: Double) -> Self {
        Self(x: minX + d, y: minY + d, width: max(0, width - 2 * d), height: max(0, height - 2 * d))
    }

    /// The smallest rectangle of whole pixels that covers this one.
    @inlinable
    public var integral: Self {
        let x = minX.rounded(.down)
        let y = minY.rounded(.down)
        return Self(x: x, y: y, width: maxX.rounded(.up) - x, height: maxY.rounded(.up) - y)
    }

    /// Converts the rectangle to another space, in which the origin of this space lies at `origin`.
    @inlinable
    public func converted<Other>(from origin: Point<Other>) -> Rect<Other> {
        Rect<Other>(origin: self.origin.converted(from: origin), size: size)
    }

    /// Converts the rectangle to another space, whose origin lies at `origin` in this space.
    @inlinable
    public func converted<Other>(to other: Other.Type, originAt origin: Point<Space>) -> Rect<Other> {
        Rect<Other>(origin: self.origin.converted(to: other, originAt: origin), size: size)
    }

    /// The rectangle as `[x, y, width, height]`.
    public var description: String { "[\(minX), \(minY), \(width), \(height)]" }
}

/// The space of laid-out text: its origin is the top left of the text container, and scrolling does not move it.
public enum DocumentSpace {}
/// The space of a text view: its origin is the top left of the view, and the text moves in it when it is scrolled.
/// Used by the geometry of `TextInput`.
public enum ViewSpace {}
/// The space of an X window: its origin is the top left inside the window's border.
public enum WindowSpace {}
/// The space of the screen's root window. Used by the geometry of `TextInputClient`.
public enum RootSpace {}

/// A point in the laid-out text.
public typealias DocumentPoint = Point<DocumentSpace>
/// A rectangle in the laid-out text.
public typealias DocumentRect = Rect<DocumentSpace>
/// A point in a text view.
public typealias ViewPoint = Point<ViewSpace>
/// A rectangle in a text view.
public typealias ViewRect = Rect<ViewSpace>
/// A point in an X window.
public typealias WindowPoint = Point<WindowSpace>
/// A rectangle in an X window.
public typealias WindowRect = Rect<WindowSpace>
/// A point in the root window.
public typealias RootPoint = Point<RootSpace>
/// A rectangle in the root window.
public typealias RootRect = Rect<RootSpace>
