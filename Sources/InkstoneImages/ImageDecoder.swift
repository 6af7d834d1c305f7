import CImages
import InkstoneBase

/// Why an image cannot be decoded.
package enum ImageDecodingError: Error, Hashable {
    /// The library for images of its kind is not installed: its name.
    case noLibrary(String)
    /// More pixels than ``InkstoneBase/ImageHeader/mostPixels``, or more bytes than ``InkstoneBase/ImageHeader/mostBytes``.
    case tooLarge
    /// The bytes are not what their header says.
    case broken
}

/// Pixels from the bytes of images, in the extent that they are shown with. Any thread; slow.
package enum ImageDecoder {
    /// Pixels of a decoded image above which it is made smaller than it is shown.
    package static let mostShownPixels = 8_000_000

    /// Decodes an image, the first of an animation. It comes as large as asked for, or as it is if that is less: what is smaller than it is
    /// shown is for the canvas to enlarge.
    ///
    /// - Parameters:
    ///   - header: what ``InkstoneBase/ImageHeader/init(_:)`` found in the bytes.
    ///   - width: extent that it is shown with, device pixels.
    ///   - height: the same downwards.
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

    /// Decodes the image without turning it to its orientation. A JPEG is decoded at the smallest size that is at least `width` × `height`, other
    /// formats at full size.
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

    /// The first frame of an animated WebP image as an image of its own; nil if it is none. Its place in the animation is not kept.
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
            // With a part for its alpha it needs a head that says so, with its extent from the frame's.
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

    /// A PNG image of pixels; nil if the library is not installed. Any thread; slow.
    package static func png(of image: CanvasImage) -> [UInt8]? {
        var bitmap = Bitmap(width: image.width, height: image.height, pixels: image.pixels)
        bitmap.unpremultiply()
        // What cannot be compressed takes a little more than its pixels.
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
