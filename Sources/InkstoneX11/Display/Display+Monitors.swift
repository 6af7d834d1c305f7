import CX11
import InkstoneBase

/// The monitors of a screen, in root pixels. They are needed to place panels and menus: not across two monitors,
/// and not outside of all.
public struct MonitorLayout: Hashable, Sendable {
    /// The rectangles of the monitors; never empty.
    public let frames: [RootRect]

    /// Creates a layout from the monitors' rectangles, ignoring empty ones. If none is left, the whole screen is
    /// one monitor.
    package init(_ frames: [RootRect], screen: Size) {
        let seen = frames.filter { !$0.isEmpty }
        self.frames = seen.isEmpty ? [RootRect(origin: RootPoint(x: 0, y: 0), size: screen)] : seen
    }

    /// Returns the distance from a rectangle's lower edge to the lower edge of the monitor that shows the
    /// rectangle's origin, in root pixels. Negative if the rectangle extends below that monitor.
    package func room(below rect: RootRect) -> Double { frame(at: rect.origin).maxY - rect.maxY }

    /// Returns the frame of the monitor that shows a point, or of the nearest one.
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
    /// The current monitors of the screen. If the server lacks RANDR 1.5, the whole screen counts as one monitor. Takes
    /// one to three round trips. So read this when a window is opened, not for each key.
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

extension Display {
    /// Calls `action` after each change of ``monitors`` or ``screenSize``, on this display's thread, as long as
    /// `owner` lives. The first call takes one round trip.
    ///
    /// Source: RANDR 1.5, §7: layout changes are reported by ConfigureNotify on the root window.
    public func observeMonitors(by owner: AnyObject, _ action: @escaping () -> Void) {
        checkThread()
        companion { MonitorWatch(self) }.add(owner, action)
    }
}

/// The observers of a display's monitors.
private final class MonitorWatch: EventSink {
    private struct Observer {
        weak var owner: AnyObject?
        var action: () -> Void
    }

    private var observers: [Observer] = []

    init(_ display: Display) {
        display.register(self, for: XDefaultRootWindow(display.connection), selecting: StructureNotifyMask)
    }

    func add(_ owner: AnyObject, _ action: @escaping () -> Void) {
        observers.removeAll { $0.owner == nil }
        observers.append(Observer(owner: owner, action: action))
    }

    func receive(_ event: inout XEvent) {
        guard event.type == ConfigureNotify else { return }
        XRRUpdateConfiguration(&event)
        for observer in observers where observer.owner != nil { observer.action() }
    }
}
