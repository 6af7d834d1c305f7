import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// What becomes of the files of fonts while they are open.
@Suite(.timeLimit(.minutes(5))) struct FontFileTests {
    /// `cp` over a font empties its file first. A page that is gone ends a process unless that is seen to.
    @Test(arguments: [0, 4096, 100_000]) func aFontFileThatGetsShorterEndsNobody(length: Int) throws {
        precondition(TestFonts.ready)
        FontDescriptor.tolerateTruncatedFiles()
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let installed = try #require(FontProbe(FontDescriptor(family: "DejaVu Sans", size: 20)))
        let pattern = FontTable.pattern(for: installed.id)
        let file = try #require(pattern.split(separator: ":").first { $0.hasPrefix("file=") })
        let copy = "\(directory)/copy.ttf"
        try TextFiles.write(TextFiles.bytes(String(file.dropFirst(5)).replacing("\\", with: "")), to: copy)
        let probe = try #require(FontProbe(pattern: pattern.replacing(String(file), with: "file=\(copy)")))
        func advances(_ scalars: ClosedRange<UInt32>) -> [Int] { scalars.map { probe.advance(probe.glyph($0)) } }
        let letters = (0x41...0x5a).map { probe.glyph($0) }
        let before = letters.map(probe.advance)
        #expect(before.allSatisfy { $0 > 0 })
        #expect(truncate(copy, off_t(length)) == 0)
        _ = advances(0xa1...0x24f)
        _ = advances(0x370...0x52f)
        _ = advances(0x2000...0x27ff)
        #expect(letters.map(probe.advance) == before, "what was measured before stays")
    }
}
