import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The editor's icon as an SVG file and as pixels.
@Suite(.timeLimit(.minutes(5))) struct EditorIconTests {
    @Test func theInstalledIconIsTheDrawing() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        #expect(try TextFiles.read(root + "/Assets/inkstone.svg") == EditorIcon.svg)
    }

    @Test(arguments: [16, 32, 48, 64]) func eachSizeShowsTheSame(size: Int) {
        let picture = EditorIcon.picture(size: size)
        #expect(picture.width == size && picture.height == size && picture.pixels.count == size * size)
        func pixel(_ x: Int, _ y: Int) -> UInt32 { picture.pixels[y * size / 128 * size + x * size / 128] }
        #expect(pixel(0, 0) == 0 && pixel(127, 127) == 0, "nothing around it")
        // Samples: the stone's rim, the stone, the ink, a line of text, and the caret's colour at a pixel that only
        // the caret covers.
        #expect(pixel(64, 48) == 0xff0d_1117)
        if size >= 32 { #expect(pixel(64, 62) == 0xff42_4a53 && pixel(17, 64) == 0xff24_292f) }
        if size >= 64 { #expect(pixel(56, 78) == 0xfff6_f8fa && pixel(90, 80) == 0xff2f_81f7) }
        // The edge of the icon is antialiased: some pixels are partly transparent.
        #expect(picture.pixels.contains { $0 >> 24 > 0 && $0 >> 24 < 0xff })
    }

    /// An icon being sent delays a key press behind it: 16 KB at 1 Mbit/s take 130 ms. So the larger sizes are sent
    /// only while there are no events.
    @Test func sizesFollowOneAnotherWhileNothingHappens() {
        var delivery = IconDelivery()
        #expect(delivery.next(at: 5) == [16, 32])
        #expect(delivery.next(at: 7) == [], "after an event")
        #expect(delivery.next(at: 7) == [48])
        #expect(delivery.next(at: 7) == [64] && delivery.rest.isEmpty)
        let bytes: [Int] = IconDelivery().rest.map { sizes in
            sizes.map { (size: Int) -> Int in 4 * (2 + size * size) }.reduce(0, +)
        }
        #expect(bytes.allSatisfy { $0 < 16_500 }, "\(bytes)")
        #expect(bytes[0] < 5_200)
    }
}
