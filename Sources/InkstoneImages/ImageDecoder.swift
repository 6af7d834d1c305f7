import CImages
import InkstoneBase

/// The reason why an image cannot be decoded.
package enum ImageDecodingError: Error, Hashable {
    /// The library for the image's format is not installed. The value is the library's name.
    case noLibrary(String)
    /// The image has more pixels than ``InkstoneBase/ImageHeader/mostPixels`` or more bytes than
    /// ``InkstoneBase/ImageHeader/mostBytes``.
    case tooLarge
    /// The bytes do not match the image's header, or are damaged.
    case broken
}

/// The decoding of images to the size in which they are shown. May be used on any thread; slow.
package enum ImageDecoder {
    /// The maximum number of pixels of a decoded image. An image that has and is shown with more pixels is decoded
    /// smaller, and the canvas enlarges it.
    package static let mostShownPixels = 8_000_000

    /// Decodes an image; of an animation, the first frame. The result has the requested size, or the image's own
    /// size if that is smaller: the canvas enlarges small images. A result of more than ``mostShownPixels`` is made
    /// smaller.
    ///
    /// - Parameters:
    ///   - header: the header that ``InkstoneBase/ImageHeader/init(_:)`` has read from the bytes.
    ///   - width: the width in which the image is shown, in device pixels.
    ///   - height: the height in which the image is shown, in device pixels.
    package static func decode(
        _ bytes: [UInt8], _ header: ImageHeader, width: Int, height: Int
    ) throws(ImageDecodingError) -> CanvasImage {
        guard !header.isTooLarge, bytes.count <= ImageHeader.mostBytes else { throw .tooLarge }
        var (width, height) = (max(1, min(width, header.width)), max(1, min(height, header.height)))
        let excess = Double(width) * Double(height) / Double(mostShownPixels)
        if excess > 1 {
            width = max(1, Int(Double(width) / excess.squareRoot()))
            height = max(1, Int(Double(height) / excess.squareRoot()))
        }
        (width, height) = (min(width, 32_767), min(height, 32_767))
        let isOnSide = header.orientation >= 5
        let (storedWidth, storedHeight) = isOnSide ? (height, width) : (width, height)
        var bitmap = try stored(bytes, header, storedWidth, storedHeight)
        bitmap.premultiply()
        bitmap = bitmap.shrunk(to: storedWidth, storedHeight).turned(header.orientation)
        guard let image = CanvasImage(width: bitmap.width, height: bitmap.height, pixels: bitmap.pixels) else {
            throw .broken
        }
        return image
    }

    /// Decodes the image without applying its orientation. A JPEG is decoded at the smallest size that is at least
    /// `width` × `height`, other formats at full size.
    private static func stored(
        _ bytes: [UInt8], _ header: ImageHeader, _ width: Int, _ height: Int
    ) throws(ImageDecodingError) -> Bitmap {
        let (fullWidth, fullHeight) = (header.storedWidth, header.storedHeight)
        switch header.format {
        case .png:
            return try decoded(fullWidth, fullHeight, by: "libpng16") {
                cimages_decode_png($0, bytes.count, Int32(fullWidth), Int32(fullHeight), $1)
            } from: {
                bytes
            }
        case .jpeg:
            let eighths = (1...8).first { $0 * fullWidth >= 8 * width && $0 * fullHeight >= 8 * height } ?? 8
            return try decoded((fullWidth * eighths + 7) / 8, (fullHeight * eighths + 7) / 8, by: "libturbojpeg") {
                cimages_decode_jpeg($0, bytes.count, Int32(fullWidth), Int32(fullHeight), Int32(eighths), $1)
            } from: {
                bytes
            }
        case .webp:
            let still = firstFrame(ofWebP: bytes) ?? bytes
            guard let own = ImageHeader(still), !own.isTooLarge else { throw .broken }
            let (ownWidth, ownHeight) = (own.storedWidth, own.storedHeight)
            return try decoded(ownWidth, ownHeight, by: "libwebp") {
                cimages_decode_webp($0, still.count, Int32(ownWidth), Int32(ownHeight), $1)
            } from: {
                still
            }
        case .gif:
            guard let bitmap = GIFReader.firstImage(of: bytes, fullWidth, fullHeight) else { throw .broken }
            return bitmap
        }
    }

    private static func decoded(
        _ width: Int, _ height: Int, by library: String,
        _ decode: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> cimages_result, from bytes: () -> [UInt8]
    ) throws(ImageDecodingError) -> Bitmap {
        var bitmap = Bitmap(width: width, height: height)
        var result = CIMAGES_BROKEN
        bytes().withUnsafeBufferPointer { source in
            bitmap.pixels.withUnsafeMutableBytes { pixels in
                if let from = source.baseAddress, let to = pixels.bindMemory(to: UInt8.self).baseAddress {
                    result = decode(from, to)
                }
            }
        }
        switch result {
        case CIMAGES_OK: return bitmap
        case CIMAGES_NO_LIBRARY: throw .noLibrary(library)
        default: throw .broken
        }
    }

    /// Returns the first frame of an animated WebP image as an image file. Nil if the image is not animated, or if
    /// it is damaged. The frame's position in the animation is lost.
    private static func firstFrame(ofWebP bytes: [UInt8]) -> [UInt8]? {
        func size(at place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) } }
        guard bytes.count > 30, bytes[12..<16].elementsEqual("VP8X".utf8), bytes[20] & 2 != 0 else { return nil }
        var at = 12
        while at <= bytes.count - 8 {
            let count = size(at: at + 4)
            guard count <= bytes.count - at - 8 else { return nil }
            guard bytes[at..<(at + 4)].elementsEqual("ANMF".utf8) else {
                at += 8 + count + (count & 1)
                continue
            }
            guard count > 24 else { return nil }
            let frame = bytes[(at + 24)..<(at + 8 + count)]
            // A frame with an alpha chunk needs a VP8X header, which contains its size.
            let isTransparent = frame.prefix(4).elementsEqual("ALPH".utf8)
            let head =
                isTransparent
                ? Array("VP8X".utf8) + [10, 0, 0, 0, 0x10, 0, 0, 0] + bytes[(at + 14)..<(at + 20)] : []
            let length = 4 + head.count + frame.count
            return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
                + Array("WEBP".utf8) + head + frame
        }
        return nil
    }

    /// Encodes an image as PNG; nil if the library is not installed, or if encoding fails. May be called on any
    /// thread; slow.
    package static func png(of image: CanvasImage) -> [UInt8]? {
        var bitmap = Bitmap(width: image.width, height: image.height, pixels: image.pixels)
        bitmap.unpremultiply()
        // The PNG of an incompressible image is slightly larger than its pixels of 4 bytes: 5 bytes for each pixel,
        // a filter byte for each row and 4 KiB for headers are enough.
        var bytes = [UInt8](repeating: 0, count: 5 * bitmap.pixels.count + image.height + 4096)
        var count = bytes.count
        let result = bitmap.pixels.withUnsafeBytes { pixels in
            bytes.withUnsafeMutableBufferPointer { bytes in
                guard let from = pixels.bindMemory(to: UInt8.self).baseAddress, let to = bytes.baseAddress else {
                    return CIMAGES_BROKEN
                }
                return cimages_encode_png(from, Int32(image.width), Int32(image.height), to, &count)
            }
        }
        return result == CIMAGES_OK ? Array(bytes.prefix(count)) : nil
    }
}
