import InkstoneBase

/// The placement of a loupe. A plain value that computes the loupe's frame from the positions of the pointer and
/// the line.
///
/// The loupe is placed above the line if there is room, else below or beside it, and never covers the pointer or the
/// line. It keeps its side until there is no room left, and returns to a better side only if there is some room to
/// spare. So the loupe does not jump when the pointer trembles at a position with barely enough room. All values are in
/// root pixels.
package struct LoupePlacement: Hashable, Sendable {
    /// The side of the line on which the loupe is placed.
    package enum Side: Hashable, Sendable, CaseIterable {
        /// Above the line. This is the preferred side, since hands and candidate windows are below.
        case above
        /// Below the line.
        case below
        /// To the right of the pointer.
        case right
        /// To the left of the pointer.
        case left
    }

    package var size: Size
    /// The distance between the loupe and the pointer, or between the loupe and the line.
    package var distance: Double
    /// The distance to keep from the point, if it is larger than ``distance``: a finger covers the area around the
    /// point.
    package var pointDistance: Double
    /// The present side of the loupe; nil before the first placement, and while there is no room.
    package private(set) var side: Side?

    /// Creates a placement without a side.
    package init(size: Size, distance: Double, pointDistance: Double = 0) {
        self.size = size
        self.distance = distance
        self.pointDistance = pointDistance
    }

    /// Returns the loupe's frame, in whole pixels within `screen`; nil if there is no room on any side of the
    /// magnified line.
    ///
    /// - Parameters:
    ///   - point: the position of the pointer, or of the caret if there is no pointer.
    ///   - line: the rectangle of the magnified text, as high as its line; nil if only a point is known.
    ///   - handle: the selection handle that is held, which the loupe does not cover either; nil for none.
    package mutating func frame(
        for point: RootPoint, line: RootRect?, handle: RootRect? = nil, on screen: RootRect
    ) -> RootRect? {
        let dot = Size(width: 1, height: 1)
        var covered = RootRect(origin: point, size: dot).insetBy(-max(0, pointDistance - distance))
        if let line { covered = covered.union(line.isEmpty ? RootRect(origin: line.origin, size: dot) : line) }
        if let handle { covered = covered.union(handle) }
        let current = side
        // The loupe changes to a better side only if that side has room for the loupe and half of its height more.
        func isBetter(_ side: Side) -> Bool {
            fits(side, beside: covered, on: screen, spare: side == current || current == nil ? 0 : size.height / 2)
        }
        let found =
            Side.allCases.first { $0 == current || isBetter($0) }.flatMap {
                fits($0, beside: covered, on: screen, spare: 0) ? $0 : nil
            } ?? Side.allCases.first { fits($0, beside: covered, on: screen, spare: 0) }
        side = found
        return found.map { origin(at: $0, beside: covered, of: point, on: screen) }
    }

    private func fits(_ side: Side, beside covered: RootRect, on screen: RootRect, spare: Double) -> Bool {
        let (width, height) = (size.width + distance + spare, size.height + distance + spare)
        guard size.width <= screen.width, size.height <= screen.height else { return false }
        switch side {
        case .above: return covered.minY - height >= screen.minY
        case .below: return covered.maxY + height <= screen.maxY
        case .right: return covered.maxX + width <= screen.maxX
        case .left: return covered.minX - width >= screen.minX
        }
    }

    private func origin(
        at side: Side, beside covered: RootRect, of point: RootPoint, on screen: RootRect
    ) -> RootRect {
        var x = point.x - size.width / 2
        var y = covered.minY + (covered.height - size.height) / 2
        switch side {
        case .above: y = covered.minY - distance - size.height
        case .below: y = covered.maxY + distance
        case .right: x = covered.maxX + distance
        case .left: x = covered.minX - distance - size.width
        }
        x = min(max(screen.minX, x), screen.maxX - size.width).rounded(.down)
        y = min(max(screen.minY, y), screen.maxY - size.height).rounded(.down)
        return RootRect(origin: RootPoint(x: x, y: y), size: size)
    }
}

/// The style of a loupe. Distances are in device pixels.
public struct LoupeStyle: Hashable, Sendable {
    /// The factor by which text is magnified.
    public var zoom = 2.0
    /// The loupe's width.
    public var width = 260.0
    /// The loupe's height in magnified lines.
    public var lines = 1.6
    /// The loupe's height if the height of the line is not known.
    public var height = 64.0
    /// Radius of the loupe's corners.
    public var cornerRadius = 8.0
    /// Width of the loupe's border.
    public var borderWidth = 1.0
    /// Distance between the loupe and a pointer, or between the loupe and the line of a caret.
    public var distance = 24.0
    /// Distance between the loupe and a finger: 12 mm at 96 dots per inch.
    public var fingerDistance = (12 / 25.4 * 96).rounded()
    /// Colour of the loupe's border.
    public var border = Color(rgb: 0x6e7781)
    /// Colour beyond the edge of the magnified window.
    public var background = Color.white

    /// Creates the standard style at scale 1.
    public init() {}

    /// Creates a style for a view with a theme in device pixels.
    ///
    /// - Parameter scale: the number of device pixels in one pixel at scale 1.
    public init(theme: Theme, scale: Double) {
        self.init()
        width = (width * scale).rounded()
        height = (height * scale).rounded()
        cornerRadius = (cornerRadius * scale).rounded()
        borderWidth = max(1, (borderWidth * scale).rounded())
        distance = (distance * scale).rounded()
        fingerDistance = (12 / 25.4 * 96 * scale).rounded()
        border = theme.activeScrollThumb
        background = theme.background
    }

    /// Returns the size of a loupe for a line of a height, at most half of the screen's width and height.
    package func size(for lineHeight: Double?, on screen: Size) -> Size {
        let wanted = lineHeight.map { ($0 * zoom * lines).rounded(.up) + 2 * borderWidth } ?? height
        return Size(
            width: max(1, min(width, (screen.width / 2).rounded(.down))),
            height: max(1, min(wanted, (screen.height / 2).rounded(.down))))
    }

    /// Returns a rectangle with round corners, as rows of pixels and the rectangle between them, from top to bottom
    /// and without overlap.
    ///
    /// - Parameter inset: the distance from the outline of the loupe to the returned shape, in pixels.
    package func shape(of size: Size, inset: Double) -> [WindowRect] {
        let bounds = WindowRect(x: 0, y: 0, width: size.width, height: size.height).insetBy(inset)
        guard !bounds.isEmpty else { return [] }
        let radius = max(0, min(cornerRadius - inset, bounds.width / 2, bounds.height / 2)).rounded(.down)
        func row(_ index: Int, y: Double) -> WindowRect {
            let dy = radius - Double(index) - 0.5
            let cut = (radius - (radius * radius - dy * dy).squareRoot()).rounded()
            return WindowRect(x: bounds.minX + cut, y: y, width: bounds.width - 2 * cut, height: 1)
        }
        let corners = 0..<Int(radius)
        let middle = WindowRect(
            x: bounds.minX, y: bounds.minY + radius, width: bounds.width, height: bounds.height - 2 * radius)
        return corners.map { row($0, y: bounds.minY + Double($0)) } + (middle.isEmpty ? [] : [middle])
            + corners.reversed().map { row($0, y: bounds.maxY - 1 - Double($0)) }
    }
}
