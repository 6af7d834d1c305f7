import InkstoneBase

/// A shape that lines of text avoid: a closed polygon in pixels of the document.
///
/// The even-odd rule decides what is inside, so a path may have holes. Sides are straight; approximate curves by
/// polygons.
public struct ExclusionPath: Hashable, Sendable {
    /// The corners in order, in pixels of the document: relative to the container's top left, not scrolled. The
    /// last corner is joined to the first. Fewer than three corners enclose nothing.
    public var points: [DocumentPoint]

    /// Creates a polygon from its corners.
    public init(points: [DocumentPoint]) { self.points = points }

    /// Creates a rectangular path.
    public init(_ rect: DocumentRect) {
        points = [
            DocumentPoint(x: rect.minX, y: rect.minY), DocumentPoint(x: rect.maxX, y: rect.minY),
            DocumentPoint(x: rect.maxX, y: rect.maxY), DocumentPoint(x: rect.minX, y: rect.maxY),
        ]
    }

    /// Creates an ellipse in a rectangle, as a polygon that deviates from it by less than a pixel for sizes up to
    /// some thousand pixels.
    public init(ellipseIn rect: DocumentRect) {
        // Approximate a quarter of the unit circle by halving chords repeatedly; this avoids the C library's
        // trigonometry.
        var quarter: [(x: Double, y: Double)] = [(1, 0), (0, 1)]
        for _ in 0..<5 {
            var finer = [quarter[0]]
            for (a, b) in zip(quarter, quarter.dropFirst()) {
                let (x, y) = (a.x + b.x, a.y + b.y)
                let length = (x * x + y * y).squareRoot()
                finer.append((x / length, y / length))
                finer.append(b)
            }
            quarter = finer
        }
        let (rx, ry) = (rect.width / 2, rect.height / 2)
        let center = DocumentPoint(x: rect.minX + rx, y: rect.minY + ry)
        var points: [DocumentPoint] = []
        for turn in 0..<4 {
            for (x, y) in quarter.dropLast() {
                let (u, v) = [(x, y), (-y, x), (-x, -y), (y, -x)][turn]
                points.append(DocumentPoint(x: center.x + u * rx, y: center.y + v * ry))
            }
        }
        self.points = points
    }

    /// Range from the path's top to its bottom, in pixels of the document; empty at 0 if the path encloses nothing.
    var extent: Range<Double> {
        guard points.count > 2, let low = points.map(\.y).min(), let high = points.map(\.y).max(), low < high else {
            return 0..<0
        }
        return low..<high
    }

    /// The path with its coordinates clamped to ±10⁹, beyond all text; nil if a coordinate is NaN. Calculations
    /// with it do not overflow.
    var finite: Self? {
        if points.contains(where: { $0.x.isNaN || $0.y.isNaN }) { return nil }
        func near(_ x: Double) -> Double { min(max(-1e9, x), 1e9) }
        return Self(points: points.map { DocumentPoint(x: near($0.x), y: near($0.y)) })
    }

    /// Appends to `covered` the horizontal intervals in which the path covers any part of the band between two heights,
    /// in pixels of the document. The intervals are neither ordered nor disjoint. For n sides that meet the band,
    /// O(n²), and more if many of them cross in it.
    func cover(from top: Double, to bottom: Double, _ covered: inout [Range<Double>]) {
        guard extent.lowerBound < bottom, extent.upperBound > top else { return }
        // Between two neighbouring heights at which sides start, end or cross, the inside consists of trapezoids:
        // examine each such strip.
        var levels: Set<Double> = [top, bottom]
        for point in points where point.y > top && point.y < bottom { levels.insert(point.y) }
        let sides = sides.filter { min($0.0.y, $0.1.y) < bottom && max($0.0.y, $0.1.y) > top }
        for i in sides.indices {
            for j in sides.indices where j > i {
                if let y = Self.crossing(sides[i], sides[j]), y > top, y < bottom { levels.insert(y) }
            }
        }
        let heights = levels.sorted()
        for (low, high) in zip(heights, heights.dropFirst()) {
            let middle = (low + high) / 2
            let crossed = sides.filter { min($0.0.y, $0.1.y) < middle && max($0.0.y, $0.1.y) > middle }
                .sorted { Self.x($0, at: middle) < Self.x($1, at: middle) }
            for i in stride(from: 0, to: crossed.count - 1, by: 2) {
                let (a, b) = (crossed[i], crossed[i + 1])
                let left = min(Self.x(a, at: low), Self.x(a, at: high))
                let right = max(Self.x(b, at: low), Self.x(b, at: high))
                if left < right { covered.append(left..<right) }
            }
        }
    }

    private typealias Side = (DocumentPoint, DocumentPoint)

    private var sides: [Side] {
        guard points.count > 2 else { return [] }
        return points.indices.compactMap { i in
            let (a, b) = (points[i], points[(i + 1) % points.count])
            return a.y == b.y ? nil : (a, b)
        }
    }

    private static func x(_ side: Side, at y: Double) -> Double {
        let (a, b) = side
        let t = min(max(0, (y - a.y) / (b.y - a.y)), 1)
        return a.x + t * (b.x - a.x)
    }

    /// Returns the y at which two sides cross; nil if they do not.
    private static func crossing(_ a: Side, _ b: Side) -> Double? {
        let (p, r) = (a.0, (x: a.1.x - a.0.x, y: a.1.y - a.0.y))
        let (q, s) = (b.0, (x: b.1.x - b.0.x, y: b.1.y - b.0.y))
        let cross = r.x * s.y - r.y * s.x
        guard cross != 0 else { return nil }
        let t = ((q.x - p.x) * s.y - (q.y - p.y) * s.x) / cross
        return t >= 0 && t <= 1 ? p.y + t * r.y : nil
    }
}

/// The horizontal intervals that a container's exclusion paths leave free for lines.
struct ExclusionBands: Sendable {
    private let paths: [ExclusionPath]
    /// Left edge of the container's region for lines, in whole pixels.
    private let x: Int32
    /// Width of the container's region for lines, in whole pixels.
    private let width: Int32
    /// Bottom edge of the lowest path, in pixels of the document.
    let bottom: Double

    /// Creates the bands; nil if no path encloses an area below the container's top.
    init?(_ paths: [ExclusionPath], x: Int32, width: Int32) {
        self.paths = paths.compactMap(\.finite).filter { !$0.extent.isEmpty && $0.extent.upperBound > 0 }
        self.x = x
        self.width = width
        bottom = self.paths.map(\.extent.upperBound).max() ?? 0
        if self.paths.isEmpty { return nil }
    }

    /// Returns the free intervals for a line between two heights of the document, from left to right, in whole
    /// pixels from the left edge of the region for lines.
    func free(from top: Double, to bottom: Double) -> [Range<Int32>] {
        var covered: [Range<Double>] = []
        for path in paths { path.cover(from: top, to: bottom, &covered) }
        var found: [Range<Int32>] = []
        var at: Int32 = 0
        for range in covered.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let low = Int32(min(max(0, range.lowerBound.rounded(.down) - Double(x)), Double(width)))
            let high = Int32(min(max(0, range.upperBound.rounded(.up) - Double(x)), Double(width)))
            if low > at { found.append(at..<low) }
            at = max(at, high)
        }
        if at < width { found.append(at..<width) }
        return found
    }
}
