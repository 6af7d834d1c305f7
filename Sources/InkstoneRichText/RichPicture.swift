import InkstoneBase
import InkstoneText

/// Pictures that are contained in documents, with their data encoded as text.
enum RichPicture {
    /// The maximum number of bytes of all pictures of a text that is written. For pictures beyond that, only the
    /// descriptions are written.
    static let mostWritten = 8 << 20
    /// The type of an attachment that only has the address of a picture.
    static let addressType = "text/uri-list"

    // MARK: Pictures in HTML

    /// Returns the picture in a `data:` URI (RFC 2397) with base64; nil for other URIs, and for pictures that
    /// cannot be shown.
    static func read(dataURI uri: String) -> TextAttachment? {
        guard uri.utf8.prefix(5).elementsEqual("data:".utf8) || uri.prefix(5).lowercased() == "data:",
            let comma = uri.utf8.prefix(128).firstIndex(of: UInt8(ascii: ",")),
            uri[..<comma].lowercased().hasSuffix(";base64"),
            let bytes = Base64.decode(uri.utf8[uri.utf8.index(after: comma)...])
        else { return nil }
        return shown(bytes)
    }

    /// Returns a placeholder for a picture elsewhere, which is not loaded. Nil for an empty address, one of more
    /// than 4,096 bytes, and a `data:` URI, which contains its picture.
    static func placeholder(address: String) -> TextAttachment? {
        guard (1...4096).contains(address.utf8.count), !address.utf8.prefix(5).elementsEqual("data:".utf8) else {
            return nil
        }
        return TextAttachment(
            contents: Array(address.utf8), type: addressType, alternateDescription: address)
    }

    /// Returns the picture that some bytes encode; nil if it cannot be shown.
    static func shown(_ bytes: [UInt8]) -> TextAttachment? {
        guard let picture = TextAttachment(image: bytes), picture.imageHeader?.isTooLarge == false else { return nil }
        return picture
    }

    /// Returns a picture with the size that a document gives it, in pixels at scale 1. Returns the picture
    /// unchanged if no size is given, if the size is below one pixel, if it differs from the picture's own size by
    /// less than one pixel, or if the own size is unknown.
    static func sized(_ picture: TextAttachment, width: Double?, height: Double?) -> TextAttachment {
        guard let header = picture.imageHeader else { return picture }
        let own = Size(width: Double(header.width), height: Double(header.height))
        let ratio = own.height / own.width
        let size: Size
        switch (width, height) {
        case (let width?, let height?): size = Size(width: width, height: height)
        case (let width?, nil): size = Size(width: width, height: width * ratio)
        case (nil, let height?): size = Size(width: height / ratio, height: height)
        case (nil, nil): return picture
        }
        // Sizes in twips and points are not whole pixels: ignore differences below one pixel.
        guard size.width >= 1, size.height >= 1,
            abs(size.width - own.width) >= 1 || abs(size.height - own.height) >= 1
        else { return picture }
        var result = picture
        result.size = size
        return result
    }
}

/// The encoding of bytes as text in base64 (RFC 4648, section 4).
enum Base64 {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var result = [UInt8](repeating: 0xff, count: 256)
        for (value, letter) in letters.enumerated() { result[Int(letter)] = UInt8(value) }
        return result
    }()

    /// Returns the text in base64 that encodes bytes. O(n).
    static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: count) { result in
            bytes.withUnsafeBufferPointer { bytes in
                var at = 0
                for start in stride(from: 0, to: bytes.count, by: 3) {
                    let rest = bytes.count - start
                    let group =
                        UInt32(bytes[start]) << 16 | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                        | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
                    for place in 0..<4 {
                        let isFilling = place > rest
                        result[at] =
                            isFilling ? UInt8(ascii: "=") : letters[Int(group >> UInt32(18 - 6 * place) & 63)]
                        at += 1
                    }
                }
            }
            return count
        }
    }

    /// Decodes a text in base64 up to its first `=`. Blanks are skipped. Nil if another character before it is not of
    /// base64. O(n).
    static func decode(_ text: Substring.UTF8View) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        let values = values
        for letter in text {
            let value = values[Int(letter)]
            if value == 0xff {
                if letter == UInt8(ascii: "=") { break }
                if letter <= 0x20 { continue }
                return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return result
    }
}
