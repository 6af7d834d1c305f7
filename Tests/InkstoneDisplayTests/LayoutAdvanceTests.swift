import CX11
import Glibc
import InkstoneBase
import InkstoneLayout
import Testing

extension DisplayTests {
    /// Layout measures text with its own FreeType faces; carets match the text drawn by Xft only if both agree on
    /// every advance.
    @Suite struct LayoutAdvanceTests {
        private static let families: [(name: String, scalar: UInt32)] = [
            ("DejaVu Sans", 0x41), ("DejaVu Sans Mono", 0x41), ("DejaVu Serif", 0x41), ("Noto Sans CJK JP", 0x65e5),
            ("DejaVu Sans", 0x1f600), ("DejaVu Sans:weight=210:slant=110", 0x41),
        ]
        private static let settings: [[String: String]] = [
            ["hintstyle": "0"], ["hintstyle": "1"], ["hintstyle": "2"], ["hintstyle": "3"],
            ["hintstyle": "3", "rgba": "1"], ["antialias": "false"], ["hinting": "false"], ["autohint": "true"],
            ["embolden": "true"],
        ]

        @Test func advancesAndHeightsAreXfts() throws {
            let display = try #require(XOpenDisplay(nil), "no display")
            defer { XCloseDisplay(display) }
            // Call XRender before Xft does: otherwise XRender keeps a pointer to the connection after it is closed.
            var (event, error): (Int32, Int32) = (0, 0)
            #expect(XRenderQueryExtension(display, &event, &error) != 0)
            var differences: [String] = []
            var compared = 0
            for (family, scalar) in Self.families {
                for settings in Self.settings {
                    for size in [9.0, 12, 13, 14.67, 16, 24] {
                        // Options in the font pattern take precedence over the machine's configuration.
                        let request = family + settings.map { ":\($0.key)=\($0.value)" }.joined()
                        guard let descriptor = FontDescriptor(pattern: request, size: size),
                            let probe = FontProbe(descriptor, showing: scalar),
                            let font = XftFontOpenPattern(display, FcNameParse(FontTable.pattern(for: probe.id)))
                        else {
                            Issue.record("no font for \(request)")
                            continue
                        }
                        let theirs = [Int(font.pointee.ascent), Int(font.pointee.descent), Int(font.pointee.height)]
                        if theirs != probe.metrics {
                            differences.append("\(request) \(size): heights \(probe.metrics), Xft \(theirs)")
                        }
                        let first: UInt32 = scalar < 0x1000 ? 0x21 : scalar
                        for value in first..<first + 200 {
                            var glyph = probe.glyph(value)
                            if glyph == 0 { continue }
                            var extents = XGlyphInfo()
                            XftGlyphExtents(display, font, &glyph, 1, &extents)
                            compared += 1
                            let ours = probe.advance(glyph)
                            // Xft gives combining marks of fixed-pitch fonts the width of a cell; layout must not.
                            if Int(extents.xOff) != ours, !(probe.isFixedPitch && ours == 0) {
                                differences.append("\(request) \(size) glyph \(glyph): \(ours), Xft \(extents.xOff)")
                            }
                        }
                        XftFontClose(display, font)
                    }
                }
            }
            #expect(compared > 10_000)
            #expect(differences.isEmpty, "\(differences.count) of \(compared): \(differences.prefix(20))")
        }
    }
}
