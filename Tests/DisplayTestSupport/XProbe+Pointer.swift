internal import CXTest
import Glibc

/// The pointer's picture, as the server draws it now.
package struct PointerPicture: Hashable, Sendable {
    /// Columns.
    package let width: Int
    /// Rows.
    package let height: Int
    /// The column of the point that it points at.
    package let hotX: Int
    /// The row of that point.
    package let hotY: Int
    /// `width` × `height` colours, 0xAARRGGBB, with the colours multiplied by their opacity.
    package let pixels: [UInt32]

    /// Whether any of it is seen.
    package var isSeen: Bool { pixels.contains { $0 >> 24 != 0 } }

    /// Whether it points with its upper left corner, as arrows do, whatever the theme.
    package var isArrow: Bool { isSeen && hotX < width / 2 && hotY < height / 3 && !isUpright }

    /// Whether it is as much on the left of its point as on the right and above as below, and higher than wide: the bar over text.
    package var isUpright: Bool {
        let seen = pixels.indices.filter { pixels[$0] >> 24 != 0 }
        let columns = seen.map { $0 % width }
        let rows = seen.map { $0 / width }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return false
        }
        let (wide, high) = (right - left + 1, bottom - top + 1)
        return high > wide && abs(left + right - 2 * hotX) <= max(3, wide / 2)
            && abs(top + bottom - 2 * hotY) <= high / 3
    }
}

extension XProbe {
    /// The pointer's picture; nil if the server does not report it.
    package var pointerPicture: PointerPicture? {
        guard let reply = xcb_xfixes_get_cursor_image_reply(connection, xcb_xfixes_get_cursor_image(connection), nil)
        else { return nil }
        defer { free(reply) }
        let (width, height) = (Int(reply.pointee.width), Int(reply.pointee.height))
        guard let first = xcb_xfixes_get_cursor_image_cursor_image(reply) else { return nil }
        return PointerPicture(
            width: width, height: height, hotX: Int(reply.pointee.xhot), hotY: Int(reply.pointee.yhot),
            pixels: Array(UnsafeBufferPointer(start: first, count: width * height)))
    }
}
