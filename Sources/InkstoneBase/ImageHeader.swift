/// The format and size of an image, read from its first bytes without decoding it.
package struct ImageHeader: Hashable, Sendable {
    /// Image formats that can be shown, by their MIME types.
    package enum Format: String, CaseIterable, Sendable {
        case png = "image/png"
        case jpeg = "image/jpeg"
        case webp = "image/webp"
        case gif = "image/gif"
    }

    package var format: Format
    /// Width in pixels of the stored picture, at least 1.
    package var storedWidth: Int
    /// Height in pixels of the stored picture, at least 1.
    package var storedHeight: Int
    /// The Exif orientation, 1…8: the rotation and mirroring that turn the stored picture into the shown one (Exif
    /// 2.3, 4.6.4 A). From orientation 5 on, width and height are swapped.
    package var orientation = 1

    /// The maximum number of pixels, and of bytes, of an image that is decoded.
    package static let (mostPixels, mostBytes) = (64_000_000, 64 << 20)

    /// Width in pixels of the picture as shown.
    package var width: Int { orientation >= 5 ? storedHeight : storedWidth }
    /// Height in pixels of the picture as shown.
    package var height: Int { orientation >= 5 ? storedWidth : storedHeight }
    /// Whether the image has more than ``mostPixels``.
    package var isTooLarge: Bool {
        storedWidth.multipliedReportingOverflow(by: storedHeight).partialValue > Self.mostPixels
    }

    /// Creates the header of an image by reading its first bytes. Nil if the bytes are no image of a known ``Format``,
    /// or end before the width and height. Nil also for a lossless, hierarchical or arithmetic-coded JPEG image, for one
    /// with some thousand segments before its size, and for a width or height of 0 or beyond `Int32.max`. O(n) in the
    /// number of segments before the size of a JPEG image.
    package init?(_ bytes: [UInt8]) {
        let found = bytes.withUnsafeBytes { bytes -> (Format, width: Int, height: Int, orientation: Int)? in
            let reader = HeaderReader(bytes: bytes)
            if let (width, height) = reader.png { return (.png, width, height, 1) }
            if let (width, height) = reader.gif { return (.gif, width, height, 1) }
            if let (width, height) = reader.webp { return (.webp, width, height, 1) }
            if let (width, height, orientation) = reader.jpeg { return (.jpeg, width, height, orientation) }
            return nil
        }
        guard let found, (1...Int(Int32.max)).contains(found.width), (1...Int(Int32.max)).contains(found.height) else {
            return nil
        }
        (format, storedWidth, storedHeight, orientation) = found
    }
}

/// A reader of numbers in the bytes of an image. Offsets may be beyond the end.
private struct HeaderReader {
    let bytes: UnsafeRawBufferPointer

    private func byte(_ at: Int) -> Int? { at >= 0 && at < bytes.count ? Int(bytes[at]) : nil }

    /// Returns a number of 2 to 4 bytes; nil if some of its bytes lie outside of the image's bytes.
    private func number(_ at: Int, _ count: Int, isBig: Bool) -> Int? {
        guard at >= 0, at <= bytes.count - count else { return nil }
        return (0..<count).reduce(0) { $0 << 8 | Int(bytes[isBig ? at + $1 : at + count - 1 - $1]) }
    }

    private func has(_ text: StaticString, at: Int) -> Bool {
        guard at >= 0, at <= bytes.count - text.utf8CodeUnitCount else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { bytes[at + $0] == text.utf8Start[$0] }
    }

    var png: (Int, Int)? {
        guard number(0, 4, isBig: true) == 0x8950_4e47, has("IHDR", at: 12), let width = number(16, 4, isBig: true),
            let height = number(20, 4, isBig: true)
        else { return nil }
        return (width, height)
    }

    var gif: (Int, Int)? {
        guard has("GIF87a", at: 0) || has("GIF89a", at: 0), let width = number(6, 2, isBig: false),
            let height = number(8, 2, isBig: false)
        else { return nil }
        return (width, height)
    }

    var webp: (Int, Int)? {
        guard has("RIFF", at: 0), has("WEBP", at: 8) else { return nil }
        if has("VP8X", at: 12), let width = number(24, 3, isBig: false), let height = number(27, 3, isBig: false) {
            return (width + 1, height + 1)
        }
        if has("VP8L", at: 12), byte(20) == 0x2f, let sizes = number(21, 4, isBig: false) {
            return (sizes & 0x3fff + 1, sizes >> 14 & 0x3fff + 1)
        }
        if has("VP8 ", at: 12), number(23, 3, isBig: true) == 0x9d012a, let width = number(26, 2, isBig: false),
            let height = number(28, 2, isBig: false)
        {
            return (width & 0x3fff, height & 0x3fff)
        }
        return nil
    }

    var jpeg: (Int, Int, Int)? {
        guard number(0, 3, isBig: true) == 0xffd8ff else { return nil }
        var at = 2
        var orientation: Int?
        var steps = 0
        while steps < Self.mostJPEGParts, let mark = byte(at), mark == 0xff, let kind = byte(at + 1) {
            steps += 1
            // Skip fill bytes, and markers without a length.
            if kind == 0xff {
                at += 1
                continue
            }
            if kind == 0x01 || (0xd0...0xd8).contains(kind) {
                at += 2
                continue
            }
            guard let length = number(at + 2, 2, isBig: true), length >= 2, kind != 0xd9, kind != 0xda else {
                return nil
            }
            if (0xc0...0xcf).contains(kind), kind != 0xc4, kind != 0xc8, kind != 0xcc {
                // Images of the other kinds are lossless, hierarchical or arithmetic-coded. Reject them. When TurboJPEG
                // 3.0 decodes a lossless image, it writes the whole image into a buffer meant for a smaller one.
                guard kind <= 0xc2 else { return nil }
                guard let height = number(at + 5, 2, isBig: true), let width = number(at + 7, 2, isBig: true) else {
                    return nil
                }
                return (width, height, orientation ?? 1)
            }
            if kind == 0xe1, orientation == nil, has("Exif", at: at + 4) {
                orientation = exifOrientation(at: at + 10, end: at + 2 + length) ?? 1
            }
            at += 2 + length
        }
        return nil
    }

    /// The maximum number of segments and fill bytes to read up to the size of a JPEG image. An image with more
    /// counts as no image.
    private static let mostJPEGParts = 4096

    /// Returns the orientation from the first directory of a TIFF header; nil if there is no valid one among its
    /// first 256 entries. `end` is the end of the segment that contains the header.
    private func exifOrientation(at start: Int, end: Int) -> Int? {
        let isBig = has("MM", at: start)
        guard isBig || has("II", at: start), let directory = number(start + 4, 4, isBig: isBig),
            let count = number(start + directory, 2, isBig: isBig)
        else { return nil }
        for entry in 0..<min(count, 256) {
            let at = start + directory + 2 + 12 * entry
            guard at + 12 <= end, let tag = number(at, 2, isBig: isBig) else { return nil }
            guard tag == 0x112, let value = number(at + 8, 2, isBig: isBig) else { continue }
            return (1...8).contains(value) ? value : nil
        }
        return nil
    }
}
