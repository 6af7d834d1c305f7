import CX11
import InkstoneBase

/// Where the monitors of a screen lie, in root pixels: none of a desktop's panels and menus is to lie across two of them, or where no
/// monitor shows it.
public struct MonitorLayout: Hashable, Sendable {
    /// The monitors; never empty.
    public let frames: [RootRect]

    /// A layout of monitors. Empty ones are left out; where nothing is left, it is the screen.
    public init(_ frames: [RootRect], screen: Size) {
        let seen = frames.filter { !$0.isEmpty }
        self.frames = seen.isEmpty ? [RootRect(origin: RootPoint(x: 0, y: 0), size: screen)] : seen
    }

    /// The monitor that shows a point, or the one that is nearest to it.
    public func frame(at point: RootPoint) -> RootRect {
        func distance(_ frame: RootRect) -> Double {
            let dx = max(frame.minX - point.x, 0, point.x - (frame.maxX - 1))
            let dy = max(frame.minY - point.y, 0, point.y - (frame.maxY - 1))
            return dx * dx + dy * dy
        }
        return frames.dropFirst().reduce(frames[0]) { distance($1) < distance($0) ? $1 : $0 }
    }
}

extension Display {
    /// How the screen's monitors lie now. Two round trips; for what is opened anew, not for each key.
    ///
    /// Source: RANDR 1.5, `RRGetMonitors`.
    public var monitors: MonitorLayout {
        var frames: [RootRect] = []
        var (major, minor): (Int32, Int32) = (0, 0)
        if !isLost, XRRQueryVersion(connection, &major, &minor) != 0, (major, minor) >= (1, 5) {
            var count: Int32 = 0
            if let found = XRRGetMonitors(connection, XDefaultRootWindow(connection), 1, &count) {
                frames = UnsafeBufferPointer(start: found, count: Int(count)).map {
                    RootRect(
                        x: Double($0.x), y: Double($0.y), width: Double($0.width), height: Double($0.height))
                }
                XRRFreeMonitors(found)
            }
        }
        return MonitorLayout(frames, screen: screenSize)
    }
}
