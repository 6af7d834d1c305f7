internal import CXTest
import Glibc
import InkstoneTesting

/// Pixels read from the screen: rows from the top, 0xRRGGBB each.
package struct Screenshot: Hashable, Sendable {
    /// The left edge in the coordinates asked for.
    package let x: Int
    /// The top edge in the coordinates asked for.
    package let y: Int
    /// Columns.
    package let width: Int
    /// Rows.
    package let height: Int
    /// `width` × `height` colours.
    package let pixels: [UInt32]

    /// A picture by its parts.
    package init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt32]) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// The colour at a column and row counted from the picture's own corner; outside there is ``nothing``, because a window that changes
    /// its size between two checks must not end the process with all its tests.
    package subscript(column: Int, row: Int) -> UInt32 {
        0..<width ~= column && 0..<height ~= row ? pixels[row * width + column] : Self.nothing
    }

    /// No colour: what lies outside of a picture.
    package static let nothing = UInt32.max

    /// The picture as a binary portable pixmap (PPM), which most viewers and ImageMagick read.
    package var ppm: [UInt8] {
        var bytes = Array("P6\n\(width) \(height)\n255\n".utf8)
        bytes.reserveCapacity(bytes.count + pixels.count * 3)
        for pixel in pixels {
            bytes.append(UInt8(truncatingIfNeeded: pixel >> 16))
            bytes.append(UInt8(truncatingIfNeeded: pixel >> 8))
            bytes.append(UInt8(truncatingIfNeeded: pixel))
        }
        return bytes
    }
}

extension XProbe {
    /// A picture of the whole screen, including candidate windows and pop-ups, in root pixels.
    package func screenshot() -> Screenshot? { screenshot(of: root, x: 0, y: 0, width: width, height: height) }

    /// A picture of the screen at a window's position, in the window's coordinates. Parts beyond the screen are
    /// omitted; nil if nothing is left or the window is destroyed.
    package func screenshot(of window: WindowInfo) -> Screenshot? {
        let left = max(0, window.x)
        let top = max(0, window.y)
        let right = min(width, window.right)
        let bottom = min(height, window.bottom)
        guard left < right, top < bottom,
            let shot = screenshot(of: root, x: left, y: top, width: right - left, height: bottom - top)
        else { return nil }
        return Screenshot(
            x: left - window.x, y: top - window.y, width: shot.width, height: shot.height, pixels: shot.pixels)
    }

    private func screenshot(of window: UInt32, x: Int, y: Int, width: Int, height: Int) -> Screenshot? {
        let cookie = xcb_get_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, Int16(clamping: x), Int16(clamping: y),
            UInt16(width), UInt16(height), ~0)
        guard let reply = xcb_get_image_reply(connection, cookie, nil) else { return nil }
        defer { free(reply) }
        guard let data = xcb_get_image_data(reply) else { return nil }
        // 24 bits of colour come as 32 bits a pixel, in the server's byte order, which is this machine's.
        let words = UnsafeRawBufferPointer(start: data, count: width * height * 4).bindMemory(to: UInt32.self)
        return Screenshot(x: x, y: y, width: width, height: height, pixels: words.map { $0 & 0xff_ffff })
    }

    /// Starts noting the moments at which pixels of `window` change; see ``damageMoments``.
    package func watchPixels(of window: UInt32) {
        if damage != 0 { xcb_damage_destroy(connection, damage) }
        damage = xcb_generate_id(connection)
        xcb_damage_create(connection, damage, window, UInt8(XCB_DAMAGE_REPORT_LEVEL_NON_EMPTY.rawValue))
        sync()
        drainEvents()
        damageMoments = []
    }

    /// Waits until pixels of the watched window change and gives the moment.
    @discardableResult
    package func waitForPixels(_ what: String, within milliseconds: Int = 5000) throws -> Double {
        let known = damageMoments.count
        // Only events wake this thread: one that looks around meanwhile stands ready beside the one that is waited for, which
        // ``WaitingTime`` would take for time that others had.
        return try waitFor(what, within: milliseconds, watching: [descriptor], every: .max) {
            drainEvents()
            return damageMoments.count > known ? damageMoments[known] : nil
        }
    }
}
