import InkstoneBase

/// The box shown for a cluster of which no font has a glyph: a frame around the code point's hexadecimal digits in
/// two rows. The digits are made of square dots, so no font is needed.
package struct HexBox: Hashable, Sendable {
    /// Edge of a dot in whole pixels. It is 0 if the font is too small for digits: the frame is then empty.
    package let dot: Int32
    /// Outer width of the frame, in whole pixels.
    package let width: Int32
    /// Outer height of the frame, in whole pixels.
    package let height: Int32
    /// Pixels between the frame and the neighbouring glyph on each side.
    static let gap: Int32 = 1
    /// Size of a digit in dots.
    private static let digit: (width: Int32, height: Int32) = (3, 5)

    /// Creates the box for a scalar, in the size of text with the given ascent and descent in whole pixels.
    package init(scalar: UInt32, ascent: Int32, descent: Int32) {
        let columns = Int32(Self.columns(scalar))
        // In dots from top to bottom: frame, gap, digits, gap, digits, gap, frame.
        let dotsHigh = 2 * Self.digit.height + 5
        let dotsWide = columns * (Self.digit.width + 1) + 3
        let room = max(4, ascent + descent)
        // If the room is one or two dots short, the digits still fit, without the gaps above and below them.
        dot = room < dotsHigh - 2 ? 0 : max(1, room / dotsHigh)
        width = dot == 0 ? max(3, ascent * columns / 4) : dotsWide * dot
        height = dot == 0 ? max(3, ascent - 1) : min(room, dotsHigh * dot)
    }

    /// Digits per row: two, or three for scalars beyond the Basic Multilingual Plane.
    package static func columns(_ scalar: UInt32) -> Int { scalar > 0xffff ? 3 : 2 }

    /// Advance of the box, in whole pixels.
    package var advance: Int32 { width + 2 * Self.gap }

    /// Calls `body` with each rectangle to fill, in pixels from the frame's top left corner.
    package func forEachPart(
        of scalar: UInt32, _ body: (_ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32) -> Void
    ) {
        let line = max(1, dot)
        body(0, 0, width, line)
        body(0, height - line, width, line)
        body(0, line, line, height - 2 * line)
        body(width - line, line, line, height - 2 * line)
        guard dot > 0 else { return }
        let columns = Self.columns(scalar)
        let top = (height - (2 * Self.digit.height + 1) * dot) / 2
        for place in 0..<2 * columns {
            let value = Int(scalar >> UInt32(4 * (2 * columns - 1 - place)) & 0xf)
            let left = (2 + Int32(place % columns) * (Self.digit.width + 1)) * dot
            let y = top + Int32(place / columns) * (Self.digit.height + 1) * dot
            for (row, bits) in Self.shapes[value].enumerated() {
                Self.forEachStroke(bits) { start, count in
                    body(left + start * dot, y + Int32(row) * dot, count * dot, dot)
                }
            }
        }
    }

    /// Calls `body` with the start and length of each run of dots in a row of three bits.
    private static func forEachStroke(_ bits: UInt8, _ body: (Int32, Int32) -> Void) {
        switch bits {
        case 0b101:
            body(0, 1)
            body(2, 1)
        case 0: break
        default: body(Int32(bits.leadingZeroBitCount) - 5, Int32(bits.nonzeroBitCount))
        }
    }

    /// Rows of each digit from 0 to F, from the top; the three low bits are dots, the highest at the left.
    private static let shapes: [[UInt8]] = [
        [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 3, 1, 7], [5, 5, 7, 1, 1], [7, 4, 7, 1, 7],
        [7, 4, 7, 5, 7], [7, 1, 1, 2, 2], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7], [2, 5, 7, 5, 5], [6, 5, 6, 5, 6],
        [3, 4, 4, 4, 3], [6, 5, 5, 5, 6], [7, 4, 6, 4, 7], [7, 4, 6, 4, 4],
    ]
}

extension ShapedText {
    /// Returns the scalar at the start of a range of UTF-16 units; a lone surrogate is returned as it is.
    static func scalar(_ units: UnsafeBufferPointer<UInt16>, _ start: Int, _ end: Int) -> UInt32 {
        let first = UInt32(units[start])
        guard first & 0xfc00 == 0xd800, end > start + 1 else { return first }
        let second = UInt32(units[start + 1])
        guard second & 0xfc00 == 0xdc00 else { return first }
        return 0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff))
    }
}
