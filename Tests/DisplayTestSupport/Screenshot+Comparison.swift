import InkstoneBase

/// A comparison of pictures that bears other edges of glyphs, and the changes that its own tests make to pictures.
extension Screenshot {
    /// The difference in brightness of a channel from which a pixel counts as different.
    private static let channel = 64
    /// Rows of a band, and the share of a band's pixels that may differ with other packages than those.
    private static let band = (rows: 8, share: 0.06)

    /// In what a picture differs by more than the edges of glyphs; nil if it does not.
    ///
    /// What is painted without fonts has to cover the same rectangle in each of the colours `flat`. Of the rest, in each
    /// band of some rows only so many pixels may differ much, and nothing may stand elsewhere.
    package func unlikeness(to golden: Screenshot, flat: [Color]) -> String? {
        guard width == golden.width, height == golden.height else { return "other extents" }
        for color in flat {
            let (box, wanted) = (self.box(of: color), golden.box(of: color))
            if box != wanted { return "\(color) covers \(box as Any) instead of \(wanted as Any)" }
        }
        for top in stride(from: 0, to: height, by: Self.band.rows) {
            let rows = top..<min(height, top + Self.band.rows)
            let share = self.share(differingFrom: golden, by: Self.channel, in: rows)
            if share > Self.band.share { return "\((share * 1000).rounded() / 10) % of the pixels of rows \(rows)" }
        }
        return displacement(to: golden)
    }

    /// Edge of the squares that are compared, and how far something may have gone to be found, in pixels.
    private static let square = (edge: 16, reach: 1)

    /// Describes parts that are at another position than in the other picture of the same size; nil if there are
    /// none.
    ///
    /// Squares of this picture are compared with the other one at their own position and some pixels beside it. A
    /// square that fits much better beside it contains moved glyphs; differently drawn edges alone fit worse
    /// everywhere.
    package func displacement(to golden: Screenshot) -> String? {
        let (light, wanted) = (lightness, golden.lightness)
        let (edge, reach) = (Self.square.edge, Self.square.reach)
        func distance(_ left: Int, _ top: Int, _ right: Int, _ down: Int) -> Int {
            var sum = 0
            for y in max(top, -down, 0)..<min(top + edge, height - down, height) {
                for x in max(left, -right, 0)..<min(left + edge, width - right, width) {
                    sum += abs(light[(y + down) * width + x + right] - wanted[y * width + x])
                }
            }
            return sum
        }
        for top in stride(from: 0, to: height - edge, by: edge / 2) {
            for left in stride(from: 0, to: width - edge, by: edge / 2) {
                let here = distance(left, top, 0, 0)
                // Less than some pixels of ink.
                if here < 6 * 255 { continue }
                for down in -reach...reach {
                    for right in -reach...reach where (right, down) != (0, 0) {
                        if distance(left, top, right, down) * 2 < here {
                            return "what belongs to \(left),\(top) stands \(right),\(down) beside it"
                        }
                    }
                }
            }
        }
        return nil
    }

    /// The share of pixels of some rows that differ by more than `limit` in a channel.
    private func share(differingFrom other: Screenshot, by limit: Int, in rows: Range<Int>) -> Double {
        var wrong = 0
        for i in rows.lowerBound * width..<rows.upperBound * width {
            let (a, b) = (pixels[i], other.pixels[i])
            if [UInt32(16), 8, 0].contains(where: { abs(Int(a >> $0 & 0xff) - Int(b >> $0 & 0xff)) > limit }) {
                wrong += 1
            }
        }
        return Double(wrong) / Double(width * rows.count)
    }

    /// The bounds of the pixels of a colour, within rounding by servers; nil if there are none.
    package func box(of color: Color) -> PixelRect? {
        let channels = [(UInt32(16), color.red), (8, color.green), (0, color.blue)]
        var box: PixelRect?
        for (i, pixel) in pixels.enumerated()
        where channels.allSatisfy({ abs(Int(pixel >> $0 & 0xff) - Int($1)) <= 2 }) {
            let (x, y) = (i % width, i / width)
            let old = box ?? PixelRect(left: x, top: y, right: x + 1, bottom: y + 1)
            box = PixelRect(
                left: min(old.left, x), top: min(old.top, y), right: max(old.right, x + 1),
                bottom: max(old.bottom, y + 1))
        }
        return box
    }

    /// The picture with what is in a rectangle moved, as a wrong calculation would have painted it.
    package func moving(_ rect: PixelRect, right: Int, down: Int) -> Screenshot {
        var moved = pixels
        for y in max(0, rect.top)..<min(height, rect.bottom) {
            for x in max(0, rect.left)..<min(width, rect.right) where (0..<width).contains(x + right) {
                if (0..<height).contains(y + down) { moved[(y + down) * width + x + right] = pixels[y * width + x] }
            }
        }
        return Screenshot(x: x, y: y, width: width, height: height, pixels: moved)
    }

    /// The brightness of each pixel, 0…255.
    private var lightness: [Int] {
        pixels.map { (Int($0 >> 16 & 0xff) * 2 + Int($0 >> 8 & 0xff) * 5 + Int($0 & 0xff)) / 8 }
    }

    /// Boxes around what stands together on white: parts of rows without ink above and below, that so many columns without
    /// ink set apart. Not what lies at the picture's edge.
    package func inkBoxes(gap: Int) -> [PixelRect] {
        let light = lightness
        func hasInk(_ rows: Range<Int>, _ columns: Range<Int>) -> Bool {
            rows.contains { y in columns.contains { x in light[y * width + x] < 160 } }
        }
        // The scroll bar is none.
        let columns = 0..<width - 24
        var boxes: [PixelRect] = []
        var top = 0
        while top < height {
            var bottom = top
            while bottom < height, hasInk(bottom..<bottom + 1, columns) { bottom += 1 }
            defer { top = bottom + 1 }
            guard bottom > top, bottom < height else { continue }
            var (left, last) = (-1, -1)
            for x in columns {
                if hasInk(top..<bottom, x..<x + 1) {
                    if left < 0 { left = x }
                    last = x
                } else if left >= 0, x - last > gap {
                    boxes.append(PixelRect(left: left, top: top, right: last + 1, bottom: bottom))
                    left = -1
                }
            }
        }
        return boxes
    }

    /// The picture with a box on white moved, and white where it was.
    package func shifting(_ box: PixelRect, right: Int, down: Int) -> Screenshot {
        var shifted = pixels
        // With the paler edges of its glyphs.
        let rows = max(1, box.top - 1)..<min(height - 1, box.bottom + 1)
        let columns = max(1, box.left - 1)..<min(width - 1, box.right + 1)
        for y in rows { for x in columns { shifted[y * width + x] = 0xffffff } }
        for y in rows { for x in columns { shifted[(y + down) * width + x + right] = pixels[y * width + x] } }
        return Screenshot(x: x, y: y, width: width, height: height, pixels: shifted)
    }

    /// The picture with each channel made of that pixel's, its left, right, upper and lower neighbour's.
    package func mapping(_ change: (Int, Int, Int, Int, Int) -> Int) -> Screenshot {
        var mapped = pixels
        for y in 1..<height - 1 {
            for x in 1..<width - 1 {
                let i = y * width + x
                var pixel: UInt32 = 0
                for shift in [UInt32(16), 8, 0] {
                    func channel(_ at: Int) -> Int { Int(pixels[at] >> shift & 0xff) }
                    let value = change(
                        channel(i), channel(i - 1), channel(i + 1), channel(i - width), channel(i + width))
                    pixel |= UInt32(min(255, max(0, value))) << shift
                }
                mapped[i] = pixel
            }
        }
        return Screenshot(x: x, y: y, width: width, height: height, pixels: mapped)
    }
}
