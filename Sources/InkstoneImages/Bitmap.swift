/// The pixels of an image that is being decoded or encoded, in rows from the top. Each pixel has alpha in the
/// highest byte, then red, green and blue.
struct Bitmap {
    var width: Int
    var height: Int
    var pixels: [UInt32]

    init(width: Int, height: Int, pixels: [UInt32]? = nil) {
        (self.width, self.height) = (width, height)
        self.pixels = pixels ?? [UInt32](repeating: 0, count: width * height)
    }

    /// Multiplies the colours by their alpha. O(n).
    mutating func premultiply() {
        pixels.withUnsafeMutableBufferPointer { pixels in
            for i in pixels.indices where pixels[i] < 0xff00_0000 {
                let pixel = pixels[i]
                let alpha = pixel >> 24
                func part(_ shift: UInt32) -> UInt32 { (((pixel >> shift & 0xff) * alpha + 127) / 255) << shift }
                pixels[i] = alpha << 24 | part(16) | part(8) | part(0)
            }
        }
    }

    /// Divides the colours by their alpha. O(n).
    mutating func unpremultiply() {
        for i in pixels.indices where pixels[i] < 0xff00_0000 {
            let pixel = pixels[i]
            let alpha = pixel >> 24
            func part(_ shift: UInt32) -> UInt32 {
                alpha == 0 ? 0 : min(255, ((pixel >> shift & 0xff) * 255 + alpha / 2) / alpha) << shift
            }
            pixels[i] = alpha << 24 | part(16) | part(8) | part(0)
        }
    }

    /// Returns the bitmap reduced to at most a size; each new pixel is the mean of the pixels that it replaces.
    /// Returns the bitmap itself if it is not larger. O(n).
    func shrunk(to newWidth: Int, _ newHeight: Int) -> Bitmap {
        let (newWidth, newHeight) = (min(newWidth, width), min(newHeight, height))
        guard newWidth < width || newHeight < height else { return self }
        var result = Bitmap(width: newWidth, height: newHeight)
        var sums = [UInt64](repeating: 0, count: 4 * newWidth)
        pixels.withUnsafeBufferPointer { pixels in
            result.pixels.withUnsafeMutableBufferPointer { result in
                sums.withUnsafeMutableBufferPointer { sums in
                    for y in 0..<newHeight {
                        let rows =
                            y * height / newHeight..<max(y * height / newHeight + 1, (y + 1) * height / newHeight)
                        for i in sums.indices { sums[i] = 0 }
                        for row in rows {
                            for x in 0..<newWidth {
                                let low = x * width / newWidth
                                for column in low..<max(low + 1, (x + 1) * width / newWidth) {
                                    let pixel = pixels[row * width + column]
                                    for part in 0..<4 { sums[4 * x + part] += UInt64(pixel >> UInt32(8 * part) & 0xff) }
                                }
                            }
                        }
                        for x in 0..<newWidth {
                            let low = x * width / newWidth
                            let columns = max(low + 1, (x + 1) * width / newWidth) - low
                            let count = UInt64(rows.count * columns)
                            var pixel: UInt32 = 0
                            for part in 0..<4 {
                                pixel |= UInt32((sums[4 * x + part] + count / 2) / count) << UInt32(8 * part)
                            }
                            result[y * newWidth + x] = pixel
                        }
                    }
                }
            }
        }
        return result
    }

    /// Returns the bitmap rotated and mirrored by an Exif orientation, 1…8. O(n).
    func turned(_ orientation: Int) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let isOnSide = orientation >= 5
        var result = Bitmap(width: isOnSide ? height : width, height: isOnSide ? width : height)
        for y in 0..<result.height {
            for x in 0..<result.width {
                let (column, row) =
                    switch orientation {
                    case 2: (width - 1 - x, y)
                    case 3: (width - 1 - x, height - 1 - y)
                    case 4: (x, height - 1 - y)
                    case 5: (y, x)
                    case 6: (y, height - 1 - x)
                    case 7: (width - 1 - y, height - 1 - x)
                    default: (width - 1 - y, x)
                    }
                result.pixels[y * result.width + x] = pixels[row * width + column]
            }
        }
        return result
    }
}
