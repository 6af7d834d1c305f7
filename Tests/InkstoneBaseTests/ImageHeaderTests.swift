import InkstoneBase
import InkstoneTesting
import Testing

/// Extents of images, read from their first bytes.
@Suite(.timeLimit(.minutes(5))) struct ImageHeaderTests {
    @Test func theHeaderOfEachKindHasTheSize() throws {
        for (bytes, format) in zip(TestImages.all, [ImageHeader.Format.png, .jpeg, .webp, .gif]) {
            let header = try #require(ImageHeader(bytes), "\(format)")
            #expect(header.format == format && header.width == 8 && header.height == 6 && header.orientation == 1)
        }
        #expect(ImageHeader([]) == nil && ImageHeader(Array("GIF89a".utf8)) == nil)
        #expect(ImageHeader(TestImages.pngHeader(width: 0, height: 1)) == nil)
    }

    @Test func anImageThatLiesOnItsSideIsAsHighAsItIsStoredWide() throws {
        for orientation in UInt8(1)...8 {
            let header = try #require(ImageHeader(TestImages.jpeg(orientation: orientation)))
            #expect(header.orientation == Int(orientation) && header.width == (orientation < 5 ? 8 : 6))
        }
        #expect(ImageHeader(TestImages.jpeg(orientation: 9))?.orientation == 1)
    }

    @Test func anImageOfTooManyPixelsIsKnownByItsHeader() throws {
        #expect(try #require(ImageHeader(TestImages.pngHeader(width: 100_000, height: 100_000))).isTooLarge)
        #expect(try #require(ImageHeader(TestImages.pngHeader(width: 1 << 31 - 1, height: 1 << 31 - 1))).isTooLarge)
        #expect(try #require(ImageHeader(TestImages.pngHeader(width: 8000, height: 8000))).isTooLarge == false)
        #expect(ImageHeader(TestImages.pngHeader(width: .max, height: 1)) == nil)
    }

    /// Lossless images, and those coded by arithmetic, are not handed to a decoder.
    @Test func aJPEGImageOfAnotherProcessIsNone() throws {
        var bytes = TestImages.jpeg
        let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xff && bytes[$0 + 1] == 0xc0 })
        for kind in UInt8(0xc0)...0xcf {
            bytes[frame + 1] = kind
            #expect((ImageHeader(bytes) != nil) == (kind <= 0xc2), "\(kind)")
        }
    }

    /// Each entry of a directory would be looked for once for each of its segments.
    @Test func onlyTheFirstExifSegmentCountsAndEndsItsDirectory() {
        let turned = TestImages.jpeg(orientation: 6)
        let segment = turned[2..<(turned.count - TestImages.jpeg.count + 2)]
        var other = Array(segment)
        other[other.count - 8] = 3
        func orientation(_ segments: [UInt8]) -> Int? {
            ImageHeader(Array(turned[..<2]) + segments + Array(TestImages.jpeg[2...]))?.orientation
        }
        #expect(orientation(Array(segment) + other) == 6)
        // A directory of two entries, of which the second is in a comment behind the segment.
        var cut = Array(segment.prefix(20))
        (cut[3], cut[18]) = (18, 2)
        let entry = Array(segment.suffix(16).prefix(12))
        let comment: [UInt8] = [0xff, 0xfe, 0, 22, 0, 0, 0, 0, 0, 0, 0, 0]
        #expect(orientation(cut + comment + entry) == 1)
        #expect(orientation(Array(repeatElement(Array(segment), count: 5000).joined())) == nil)
    }

    /// No number of a header leads beyond its bytes.
    @Test func cutAndChangedHeadersAreReadWithinTheirBytes() {
        let seed = UInt64(2411)
        var random = SeededGenerator(seed: seed)
        let images = TestImages.all + [TestImages.jpeg(orientation: 6)]
        for round in 0..<4000 {
            var bytes = images[round % images.count]
            for _ in 0...random.below(4) { bytes[random.below(min(64, bytes.count))] = UInt8(random.below(256)) }
            let header = ImageHeader(Array(bytes.prefix(random.below(bytes.count + 1))))
            if let header { #expect(header.width > 0 && header.height > 0, "seed \(seed), round \(round)") }
        }
    }
}
