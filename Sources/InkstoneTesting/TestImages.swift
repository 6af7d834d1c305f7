import InkstoneBase

/// Images of 8 by 6 pixels in all formats, with a gradient from red at the top to blue at the bottom.
package enum TestImages {
    package static let png = bytes(
        """
        iVBORw0KGgoAAAANSUhEUgAAAAgAAAAGBAMAAAAMK8LIAAAAElBMVEX/AADMADOZAGZmAJkzAMwAAP/hvKCLAAAAHElEQVQI12NgAAFBIGBQAgIGYyBgcAEC
        hlAgAAAkpAP9A4sMkAAAAABJRU5ErkJggg==
        """)
    package static let gif = bytes(
        """
        R0lGODlhCAAGAPIAAP8AAMwAM5kAZmYAmTMAzAAA/wAAAAAAACH5BAAAAAAAIf8LSW1hZ2VNYWdpY2sNZ2FtbWE9MC40NTQ1NQAsAAAAAAgABgAAAxAIuhr+
        Tsgph72W6K2L/14CADs=
        """)
    package static let jpeg = bytes(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/
        2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAGAAgDAREAAhEBAxEB/8QA
        FAABAAAAAAAAAAAAAAAAAAAACP/EABgQAAIDAAAAAAAAAAAAAAAAAAAEF2KR/8QAFQEBAQAAAAAAAAAAAAAAAAAABwj/xAAaEQAABwAAAAAAAAAAAAAAAAAA
        AgUXUZHh/9oADAMBAAIRAxEAPwATSI1fSqWFSZLWBdetSg16P//Z
        """)
    package static let webp = bytes(
        """
        UklGRlQAAABXRUJQVlA4IEgAAAAwAwCdASoIAAYAAgA0JagCdLcAlgH8AwgD9APf/A9EArXgAP73nEpAeVM/+euOGOKv7kYY4q/99pf69v/gm/QruYB7V5ja
        AAA=
        """)

    /// The images of all formats.
    package static let all = [png, jpeg, webp, gif]

    /// Returns the beginning of a PNG image with a size, without its pixels.
    package static func pngHeader(width: UInt32, height: UInt32) -> [UInt8] {
        func number(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        return Array(png.prefix(16)) + number(width) + number(height) + [8, 2, 0, 0, 0] + number(0)
    }

    /// Returns a JPEG image with an Exif orientation from 1 to 8.
    package static func jpeg(orientation: UInt8) -> [UInt8] {
        let directory: [UInt8] = [1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
        let exif = Array("Exif".utf8) + [0, 0] + Array("II".utf8) + [42, 0, 8, 0, 0, 0] + directory
        return Array(jpeg.prefix(2)) + [0xff, 0xe1, 0, UInt8(exif.count + 2)] + exif + jpeg.dropFirst(2)
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        var (result, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
        for unit in base64.utf8 {
            let value: UInt8
            switch unit {
            case 0x41...0x5a: value = unit - 0x41
            case 0x61...0x7a: value = unit - 0x61 + 26
            case 0x30...0x39: value = unit - 0x30 + 52
            case 0x2b: value = 62
            case 0x2f: value = 63
            default: continue
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        return result
    }
}
