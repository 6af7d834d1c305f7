import CX11
import InkstoneBase

/// An icon that represents a window in window lists and title bars.
public struct WindowIcon: Hashable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// The rows from top to bottom. Each pixel is `0xAARRGGBB`; colours are not premultiplied.
    public let pixels: [UInt32]

    /// Creates an icon of `width` × `height` pixels. Traps if `pixels` has another count.
    public init(width: Int, height: Int, pixels: [UInt32]) {
        precondition(width > 0 && height > 0 && pixels.count == width * height, "an icon has width × height pixels")
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }
}

extension Window {
    /// Sets a top-level window's icon, in one or several sizes. Desktops use 16, 32, 48, 64 and 128 pixels. The
    /// icon is removed if the array is empty, or if its icons together do not fit into one request.
    ///
    /// Source: EWMH, `_NET_WM_ICON`.
    public func setIcon(_ icons: [WindowIcon]) {
        guard !isClosed, !display.isLost, kind == .topLevel else { return }
        display.needsTurn()
        if icons.isEmpty || !write(icons, PropModeReplace) {
            XDeleteProperty(display.connection, id.xid, display.atoms["_NET_WM_ICON"])
        }
    }

    /// Adds sizes to the window's icon; none if they do not fit into one request together. Icons are large: over a
    /// connection of 1 Mbit/s, a key typed while an icon of 64 × 64 pixels is being sent waits 130 ms.
    public func addIcons(_ icons: [WindowIcon]) {
        guard !isClosed, !display.isLost, kind == .topLevel, !icons.isEmpty else { return }
        display.needsTurn()
        _ = write(icons, PropModeAppend)
    }

    /// Writes icons to the property. Returns false if they do not fit in one request, which the server would
    /// refuse.
    private func write(_ icons: [WindowIcon], _ mode: CInt) -> Bool {
        // Xlib stores 32-bit items as C longs.
        let words = icons.flatMap { icon in
            [UInt(icon.width), UInt(icon.height)] + icon.pixels.map { UInt($0) }
        }
        guard words.count * 4 < display.largestRequest else { return false }
        words.withUnsafeBytes {
            _ = XChangeProperty(
                display.connection, id.xid, display.atoms["_NET_WM_ICON"], PredefinedAtom.cardinal, 32, mode,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(words.count))
        }
        return true
    }
}
