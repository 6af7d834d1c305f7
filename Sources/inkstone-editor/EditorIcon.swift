import Inkstone

/// The editor's icon: a single drawing, from which the installed icon (`Assets/inkstone.svg`) and the icons of the
/// windows are made.
struct EditorIcon {
    /// A part of the icon's drawing. The whole drawing is 128 units wide and high.
    enum Shape: Hashable {
        case box(x: Int, y: Int, width: Int, height: Int, radius: Int, color: UInt32)
        /// An ellipse with the given centre; `width` and `height` are half of its size.
        case ellipse(x: Int, y: Int, width: Int, height: Int, color: UInt32)
        /// A line with round ends, given by three points (x and y in turn): start, control point of the curve, and
        /// end.
        case line([Int], width: Int, color: UInt32)
    }

    /// The shapes of the drawing, each painted over those before it.
    static let shapes: [Shape] = [
        .box(x: 14, y: 10, width: 100, height: 108, radius: 16, color: 0x24292f),
        .box(x: 22, y: 18, width: 84, height: 92, radius: 10, color: 0x424a53),
        .ellipse(x: 64, y: 42, width: 32, height: 17, color: 0x0d1117),
        .line([40, 40, 48, 29, 70, 32], width: 3, color: 0x6e7781),
        .line([36, 78, 56, 78, 76, 78], width: 7, color: 0xf6f8fa),
        .line([36, 95, 48, 95, 60, 95], width: 7, color: 0xf6f8fa),
        .line([70, 103, 82, 103, 94, 103], width: 4, color: 0x2f81f7),
        .line([90, 68, 90, 81, 90, 95], width: 5, color: 0x2f81f7),
    ]

    /// Returns the drawing as an image of `size` × `size` pixels.
    static func picture(size: Int) -> WindowIcon {
        let unit = 128 / Double(size)
        var pixels = [Pixel](repeating: Pixel(), count: size * size)
        // Paint one shape after the other over all pixels: preparing each shape anew for each pixel would be most of
        // the work.
        for shape in shapes {
            let (color, segments) = (shape.color, shape.segments)
            for index in pixels.indices {
                let (x, y) = ((Double(index % size) + 0.5) * unit, (Double(index / size) + 0.5) * unit)
                pixels[index].cover(with: color, by: 0.5 - shape.distance(x, y, segments) / unit)
            }
        }
        return WindowIcon(width: size, height: size, pixels: pixels.map(\.value))
    }

    /// The drawing as an SVG file.
    static var svg: String {
        let head = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"128\" height=\"128\" viewBox=\"0 0 128 128\">"
        return ([head, "  <title>Inkstone</title>"] + shapes.map { "  " + $0.svg } + ["</svg>\n"])
            .joined(separator: "\n")
    }

    /// A colour with its opacity; the opacity and the three components are from 0 to 1.
    private struct Pixel {
        var opacity = 0.0
        var parts = (0.0, 0.0, 0.0)

        mutating func cover(with color: UInt32, by amount: Double) {
            let amount = min(max(0, amount), 1)
            guard amount > 0 else { return }
            let whole = amount + opacity * (1 - amount)
            func mix(_ old: Double, _ shift: UInt32) -> Double {
                let new = Double(color >> shift & 0xff) / 255
                return (new * amount + old * opacity * (1 - amount)) / whole
            }
            parts = (mix(parts.0, 16), mix(parts.1, 8), mix(parts.2, 0))
            opacity = whole
        }

        var value: UInt32 {
            func byte(_ part: Double) -> UInt32 { UInt32((part * 255).rounded()) }
            return byte(opacity) << 24 | byte(parts.0) << 16 | byte(parts.1) << 8 | byte(parts.2)
        }
    }
}

extension EditorIcon.Shape {
    var color: UInt32 {
        switch self {
        case .box(_, _, _, _, _, let color), .ellipse(_, _, _, _, let color), .line(_, _, let color): color
        }
    }

    /// Returns the distance of a point from the shape, negative inside; approximate near the edge of an ellipse.
    fileprivate func distance(_ x: Double, _ y: Double, _ segments: [Segment]) -> Double {
        func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
        switch self {
        case .box(let left, let top, let width, let height, let radius, _):
            let (halfWidth, halfHeight, radius) = (Double(width) / 2, Double(height) / 2, Double(radius))
            let dx = abs(x - Double(left) - halfWidth) - halfWidth + radius
            let dy = abs(y - Double(top) - halfHeight) - halfHeight + radius
            return length(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - radius
        case .ellipse(let centerX, let centerY, let width, let height, _):
            let (dx, dy) = ((x - Double(centerX)) / Double(width), (y - Double(centerY)) / Double(height))
            let slope = length(dx / Double(width), dy / Double(height))
            return slope == 0 ? -Double(min(width, height)) : length(dx, dy) * (length(dx, dy) - 1) / slope
        case .line(_, let width, _):
            var nearest = Double.infinity
            for segment in segments { nearest = min(nearest, segment.squaredDistance(x, y)) }
            return nearest.squareRoot() - Double(width) / 2
        }
    }

    /// The segments of a line; empty for other shapes.
    fileprivate var segments: [Segment] {
        guard case .line(let points, _, _) = self else { return [] }
        func at(_ t: Double, _ index: Int) -> Double {
            (1 - t) * (1 - t) * Double(points[index]) + 2 * t * (1 - t) * Double(points[index + 2])
                + t * t * Double(points[index + 4])
        }
        let (dx, dy) = (points[4] - points[0], points[5] - points[1])
        let isStraight = dx * (points[3] - points[1]) == dy * (points[2] - points[0])
        let count = isStraight ? 1 : 8
        return (0..<count).map { step in
            let (low, high) = (Double(step) / Double(count), Double(step + 1) / Double(count))
            return Segment(x: at(low, 0), y: at(low, 1), dx: at(high, 0) - at(low, 0), dy: at(high, 1) - at(low, 1))
        }
    }

    var svg: String {
        let digits = String(color, radix: 16)
        let paint = "#" + String(repeating: "0", count: 6 - digits.count) + digits
        switch self {
        case .box(let x, let y, let width, let height, let radius, _):
            return
                "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"\(radius)\" fill=\"\(paint)\"/>"
        case .ellipse(let x, let y, let width, let height, _):
            return "<ellipse cx=\"\(x)\" cy=\"\(y)\" rx=\"\(width)\" ry=\"\(height)\" fill=\"\(paint)\"/>"
        case .line(let points, let width, _):
            let path = "M\(points[0]) \(points[1])Q\(points[2]) \(points[3]) \(points[4]) \(points[5])"
            return
                "<path d=\"\(path)\" fill=\"none\" stroke=\"\(paint)\" stroke-width=\"\(width)\" stroke-linecap=\"round\"/>"
        }
    }
}

/// A straight segment from the point (x, y) to (x + dx, y + dy).
private struct Segment {
    var x: Double
    var y: Double
    var dx: Double
    var dy: Double

    func squaredDistance(_ px: Double, _ py: Double) -> Double {
        let along = min(max(0, ((px - x) * dx + (py - y) * dy) / (dx * dx + dy * dy)), 1)
        let (ax, ay) = (px - x - along * dx, py - y - along * dy)
        return ax * ax + ay * ay
    }
}
