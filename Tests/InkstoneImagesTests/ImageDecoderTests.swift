import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneImages

/// Pixels of images, by the libraries of the system and our own reader of GIF.
@Suite(.timeLimit(.minutes(5))) struct ImageDecoderTests {
    private static func decode(_ bytes: [UInt8], _ width: Int = 8, _ height: Int = 6) throws -> CanvasImage {
        try ImageDecoder.decode(bytes, #require(ImageHeader(bytes)), width: width, height: height)
    }

    private static func parts(_ pixel: UInt32) -> [Int] { [24, 16, 8, 0].map { Int(pixel >> UInt32($0) & 0xff) } }

    /// Whether a pixel is about opaque red or blue.
    private static func isRed(_ pixel: UInt32) -> Bool {
        parts(pixel)[1] > 200 && parts(pixel)[3] < 60 && parts(pixel)[0] == 255
    }
    private static func isBlue(_ pixel: UInt32) -> Bool { parts(pixel)[3] > 200 && parts(pixel)[1] < 60 }

    @Test func eachKindIsRedAtTheTopAndBlueAtTheBottom() throws {
        for bytes in TestImages.all {
            let image = try Self.decode(bytes)
            #expect(image.width == 8 && image.height == 6, "\(String(describing: ImageHeader(bytes)?.format))")
            #expect(Self.isRed(image.pixels[3]) && Self.isBlue(image.pixels[44]))
        }
    }

    /// The size that is shown, or the picture's own if that is less.
    @Test func imagesComeInTheExtentThatTheyAreShownIn() throws {
        for bytes in TestImages.all {
            let small = try Self.decode(bytes, 4, 3)
            #expect(small.width == 4 && small.height == 3 && small.pixels.allSatisfy { $0 >> 24 == 255 })
            #expect(try Self.decode(bytes, 80, 60).width == 8)
            #expect(try Self.decode(bytes, 0, -5).pixels.count == 1)
        }
    }

    @Test func exifOrientationTurnsWhatIsStored() throws {
        let places: [UInt8: (red: Int, blue: Int)] = [1: (0, 40), 3: (40, 0), 6: (5, 0), 8: (0, 5)]
        for (orientation, place) in places {
            let image = try Self.decode(TestImages.jpeg(orientation: orientation), 8, 8)
            #expect(image.width == (orientation < 5 ? 8 : 6))
            #expect(Self.isRed(image.pixels[place.red]) && Self.isBlue(image.pixels[place.blue]), "\(orientation)")
        }
    }

    @Test func pixelsOfATransparentImageArePremultipliedAndComeBack() throws {
        let pixels: [UInt32] = [0x8040_2000, 0, 0xffff_ffff, 0xff00_00ff]
        let image = try #require(CanvasImage(width: 2, height: 2, pixels: pixels))
        let read = try Self.decode(try #require(ImageDecoder.png(of: image)), 2, 2)
        #expect(read.pixels == pixels)
    }

    @Test func aTooLargeImageIsRefusedBeforeItsPixelsAreDecoded() {
        #expect(throws: ImageDecodingError.tooLarge) {
            try Self.decode(TestImages.pngHeader(width: 100_000, height: 100_000))
        }
        #expect(throws: ImageDecodingError.broken) { try Self.decode(TestImages.pngHeader(width: 100, height: 100)) }
    }

    /// Of a cut JPEG or GIF image what came is shown.
    @Test func aCutImageIsWhatCameOrNone() throws {
        #expect(throws: ImageDecodingError.broken) { try Self.decode(Array(TestImages.png.dropLast(30))) }
        #expect(try Self.decode(Array(TestImages.jpeg.dropLast(6))).width == 8)
        #expect(try Self.decode(Array(TestImages.gif.dropLast(8))).pixels.count == 48)
    }

    /// Mutated images of each kind are decoded or refused, within their memory.
    @Test func mutatedImagesAreDecodedOrRefused() {
        let seed = UInt64(2404)
        var random = SeededGenerator(seed: seed)
        let images = TestImages.all + [TestImages.jpeg(orientation: 6)]
        for round in 0..<1500 {
            var bytes = images[round % images.count]
            for _ in 0...random.below(5) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(4) == 0 { bytes.removeLast(random.below(bytes.count)) }
            guard let header = ImageHeader(bytes), header.width * header.height < 1_000_000 else { continue }
            let image = try? ImageDecoder.decode(bytes, header, width: 5, height: 4)
            if let image { #expect(image.width <= 5 && image.height <= 4, "seed \(seed), round \(round)") }
        }
    }
}
