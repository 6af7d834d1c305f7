import CX11
import InkstoneBase

/// The images whose pixels a display has sent to the server. If they take much memory, those drawn least recently
/// are freed.
final class ImagePictures {
    private struct Entry {
        let image: CanvasImage
        /// The server's picture of the image.
        var picture: UInt
        /// The value of ``clock`` when the image was last drawn.
        var lastUse: Int
        /// The size in pixels at which the image was last drawn. When this size changes, the server must get a new
        /// transform for the picture.
        var shown: (width: Int, height: Int)
    }

    private let display: Display
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of drawings of images so far.
    private var clock = 0

    /// The maximum size of all pixels in the server, in bytes. If another image would exceed it, the images drawn least
    /// recently are freed, until at most half of it is needed. The new image itself may exceed it.
    static let mostMemory = 64 << 20

    init(_ display: Display) { self.display = display }

    /// The number of images in the server, and the bytes of their pixels.
    var liveCounts: (images: Int, memory: Int) {
        (entries.count, entries.values.reduce(0) { $0 + 4 * $1.image.pixels.count })
    }

    /// Returns the server's picture of an image, scaled to a size in pixels; nil if the server lacks the memory or
    /// the picture format.
    func picture(of image: CanvasImage, _ width: Int, _ height: Int) -> UInt? {
        clock += 1
        let id = ObjectIdentifier(image)
        if entries[id] == nil {
            trim(for: 4 * image.pixels.count)
            guard let picture = send(image) else { return nil }
            entries[id] = Entry(
                image: image, picture: picture, lastUse: clock, shown: (image.width, image.height))
        }
        guard var entry = entries[id] else { return nil }
        entry.lastUse = clock
        if entry.shown != (width, height) {
            scale(entry.picture, (image.width, image.height), to: (width, height))
            entry.shown = (width, height)
        }
        entries[id] = entry
        return entry.picture
    }

    /// Frees all pictures in the server.
    func close() {
        for entry in entries.values { free(entry.picture) }
        entries = [:]
    }

    private func free(_ picture: UInt) {
        XRenderFreePicture(display.connection, picture)
        display.ownResources.free(picture)
    }

    private func trim(for bytes: Int) {
        var memory = liveCounts.memory + bytes
        guard memory > Self.mostMemory else { return }
        for (id, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where memory > Self.mostMemory / 2 {
            free(entry.picture)
            entries[id] = nil
            memory -= 4 * entry.image.pixels.count
        }
    }

    private func send(_ image: CanvasImage) -> UInt? {
        let connection = display.connection
        guard let format = XRenderFindStandardFormat(connection, Int32(PictStandardARGB32)) else { return nil }
        // Trap the errors of a server without memory, which refuses the pixmap and each request that uses it.
        let sent = try? display.trap { () -> UInt? in
            let root = XDefaultRootWindow(connection)
            let pixmap = XCreatePixmap(connection, root, UInt32(image.width), UInt32(image.height), 32)
            guard let context = XCreateGC(connection, pixmap, 0, nil) else {
                XFreePixmap(connection, pixmap)
                return nil
            }
            image.pixels.withUnsafeBytes { bytes in
                var data = XImage()
                (data.width, data.height, data.format) = (Int32(image.width), Int32(image.height), ZPixmap)
                // Declare the bytes as little-endian; Xlib swaps them if the server has the other byte order.
                (data.byte_order, data.bitmap_bit_order) = (LSBFirst, LSBFirst)
                (data.bitmap_unit, data.bitmap_pad, data.bits_per_pixel, data.depth) = (32, 32, 32, 32)
                data.bytes_per_line = Int32(4 * image.width)
                // The cast is safe: Xlib only reads the data.
                data.data = UnsafeMutablePointer(mutating: bytes.bindMemory(to: CChar.self).baseAddress)
                guard XInitImage(&data) != 0 else { return }
                XPutImage(
                    connection, pixmap, context, &data, 0, 0, 0, 0, UInt32(image.width), UInt32(image.height))
            }
            XFreeGC(connection, context)
            // Bilinear scaling also reads pixels beyond the edges. Repeat the outermost pixels there; otherwise
            // transparent ones would be mixed in.
            var attributes = XRenderPictureAttributes()
            attributes.`repeat` = RepeatPad
            let picture = XRenderCreatePicture(connection, pixmap, format, UInt(CPRepeat), &attributes)
            XFreePixmap(connection, pixmap)
            return picture
        }
        guard let picture = sent ?? nil else { return nil }
        display.ownResources.insert(picture)
        return picture
    }

    private func scale(_ picture: UInt, _ extent: (width: Int, height: Int), to shown: (width: Int, height: Int)) {
        func fixed(_ value: Double) -> XFixed { XFixed(min(max(0, value), 32_767) * 65_536) }
        var transform = XTransform(
            matrix: (
                (fixed(Double(extent.width) / Double(shown.width)), 0, 0),
                (0, fixed(Double(extent.height) / Double(shown.height)), 0), (0, 0, fixed(1))
            ))
        XRenderSetPictureTransform(display.connection, picture, &transform)
        XRenderSetPictureFilter(
            display.connection, picture, shown == extent ? FilterNearest : FilterBilinear, nil, 0)
    }
}
