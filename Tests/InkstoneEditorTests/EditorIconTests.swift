import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The editor's picture as a file and as pixels.
@Suite(.timeLimit(.minutes(5))) struct EditorIconTests {
    @Test func theInstalledIconIsTheDrawing() throws {
        let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        #expect(try TextFiles.read(root + "/Assets/inkstone.svg") == EditorIcon.svg)
    }

    @Test(arguments: [16, 32, 48, 64]) func eachSizeShowsTheSame(size: Int) throws {
        let picture = try #require(EditorIcon.pictures.first { $0.width == size })
        #expect(picture.height == size && picture.pixels.count == size * size)
        func pixel(_ x: Int, _ y: Int) -> UInt32 { picture.pixels[y * size / 128 * size + x * size / 128] }
        #expect(pixel(0, 0) == 0 && pixel(127, 127) == 0, "nothing around it")
        // Its rim, the stone, the ink, a line of text, the caret's colour on a pixel it covers alone.
        #expect(pixel(64, 48) == 0xff0d_1117)
        if size >= 32 { #expect(pixel(64, 62) == 0xff42_4a53 && pixel(17, 64) == 0xff24_292f) }
        if size >= 64 { #expect(pixel(56, 78) == 0xfff6_f8fa && pixel(90, 80) == 0xff2f_81f7) }
        // Between, its edge is smooth.
        #expect(picture.pixels.contains { $0 >> 24 > 0 && $0 >> 24 < 0xff })
    }
}
