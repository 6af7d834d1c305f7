import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// Changes of font files while they are open.
@Suite(.timeLimit(.minutes(5))) struct FontFileTests {
    /// `cp` over a font truncates the file first. Reading a mapped page beyond the end would kill the process.
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

    /// All sizes of a file share one FreeType face, which has one size at a time.
    @Test func sizesOfOneFileAreMeasuredEachByItself() throws {
        precondition(TestFonts.ready)
        let installed = try #require(FontProbe(FontDescriptor(family: "DejaVu Sans", size: 20)))
        let pattern = FontTable.pattern(for: installed.id)
        let patterns = ["pixelsize=9", "pixelsize=55", "pixelsize=20:matrix=1.5 0.2 0 1"].map {
            pattern.replacing("pixelsize=20", with: $0)
        }
        let beside = try patterns.map { try #require(FontProbe(pattern: $0, beside: installed)) }
        var wide: Set<[Int]> = []
        for letter in 0x21...0x7e as ClosedRange<UInt32> {
            let alone = try patterns.map { try #require(FontProbe(pattern: $0)) }
            let advances = alone.map { $0.advance($0.glyph(letter)) }
            #expect(beside.map { $0.advance($0.glyph(letter)) } == advances)
            wide.insert(advances)
        }
        #expect(wide.count > 10 && Set(beside.map(\.metrics)).count == 3)
        let files = Set(beside.map { FontTable.file(for: $0.id) })
        #expect(files.count == 1 && files.first != nil)
    }

    /// A named pipe is rejected as a font, without waiting for a writer.
    @Test func aPipeIsNoFont() throws {
        precondition(TestFonts.ready)
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let pipe = "\(directory)/pipe.ttf"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(FontProbe(pattern: "DejaVu Sans:pixelsize=20:index=0:file=\(pipe)") == nil)
        #expect(FontProbe(pattern: "DejaVu Sans:pixelsize=20:index=0:file=\(directory)") == nil)
    }

    /// Copies a font file to another path; returns the copy's pattern.
    private func copy(
        of family: String, in directory: String, name: String = "copy.ttf"
    ) throws -> (pattern: String, bytes: [UInt8], path: String) {
        let installed = try #require(FontProbe(FontDescriptor(family: family, size: 20)))
        let pattern = FontTable.pattern(for: installed.id)
        let file = try #require(pattern.split(separator: ":").first { $0.hasPrefix("file=") })
        let bytes = try TextFiles.bytes(String(file.dropFirst(5)).replacing("\\", with: ""))
        let path = "\(directory)/\(name)"
        try TextFiles.write(bytes, to: path)
        return (pattern.replacing(String(file), with: "file=\(path)"), bytes, path)
    }

    /// A package upgrade renames its new file over the old one.
    @Test func aFontFileThatIsReplacedIsAnotherFont() throws {
        precondition(TestFonts.ready)
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let sans = try copy(of: "DejaVu Sans", in: directory)
        let old = try #require(FontProbe(pattern: sans.pattern))
        let same = try #require(FontProbe(pattern: sans.pattern))
        #expect(old.id == same.id)
        let letters = (0x41...0x5a).map { UInt32($0) }
        let before = letters.map { same.advance(same.glyph($0)) }
        let mono = try copy(of: "DejaVu Sans Mono", in: directory, name: "mono.ttf")
        #expect(rename(mono.path, sans.path) == 0)
        let new = try #require(FontProbe(pattern: sans.pattern))
        #expect(new.id != old.id && FontTable.pattern(for: new.id) == FontTable.pattern(for: old.id))
        #expect(letters.map { old.advance(old.glyph($0)) } == before)
        #expect(Set(letters.map { new.advance(new.glyph($0)) }).count == 1)
        // Painting opens the same file that was measured.
        for (probe, bytes) in [(old, sans.bytes), (new, mono.bytes)] {
            let file = try #require(FontTable.file(for: probe.id))
            #expect(try TextFiles.bytes(file) == bytes)
        }
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt64]) func aFontFileThatIsWrittenOverEndsNobody(seed: UInt64) throws {
        precondition(TestFonts.ready)
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let font = try copy(of: "DejaVu Sans", in: directory)
        let probe = try #require(FontProbe(pattern: font.pattern))
        let letters = (0x41...0x5a).map { UInt32($0) }
        let before = letters.map { probe.glyph($0) }
        var random = SeededGenerator(seed: seed)
        var bytes = font.bytes
        for i in stride(from: 0, to: bytes.count, by: 3) { bytes[i] = UInt8.random(in: 0...255, using: &random) }
        let descriptor = open(font.path, O_WRONLY)
        #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
        close(descriptor)
        // The glyphs of these letters were looked up before the change.
        #expect(letters.map { probe.glyph($0) } == before)
        for glyph in 0..<6000 as Range<UInt32> { _ = probe.advance(glyph) }
        #expect(FontProbe(pattern: font.pattern)?.id != probe.id)
    }
}
