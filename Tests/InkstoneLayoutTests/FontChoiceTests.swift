import Glibc
import InkstoneBase
import InkstoneText
import Testing

@testable import InkstoneLayout

/// The font of each cluster, and the caches of a layout.
@Suite(.timeLimit(.minutes(5))) struct FontChoiceTests {
    /// Returns the family of each glyph and missing-glyph box of a text.
    private func families(_ text: String, in family: String = "Noto Sans", pattern: FontDescriptor? = nil) -> [String] {
        let layout = makeLayout(text, width: 2000, family: family)
        if let pattern { layout.font = pattern }
        let line = layout.allLines[0]
        var found: [String] = []
        line.withGlyphs(
            { glyphs in
                for glyph in glyphs {
                    let pattern = FontTable.pattern(for: glyph.font)
                    found.append(String(pattern.prefix { $0 != ":" && $0 != "," }.filter { $0 != "\\" }))
                }
            }, missing: { found.append("box of \(String($0.scalar, radix: 16))") })
        return found
    }

    /// A monospaced font stretches joined letters to the cell width, so Arabic text uses another one, unless the
    /// family was named.
    @Test func arabicInMonospacedTextHasLettersAsTheyAreWritten() throws {
        #expect(Set(families("ab", in: "monospace")) == ["DejaVu Sans Mono"])
        #expect(Set(families("бг", in: "monospace")) == ["DejaVu Sans Mono"])
        #expect(Set(families("بحر", in: "DejaVu Sans Mono")) == ["DejaVu Sans Mono"])
        #expect(Set(families("بحر", in: "monospace")) == ["DejaVu Sans"])
        let pattern = try #require(FontDescriptor(pattern: "monospace:slant=0", size: 16))
        #expect(Set(families("ab", pattern: pattern)) == ["DejaVu Sans Mono"])
        #expect(Set(families("بحر", pattern: pattern)) == ["DejaVu Sans"])
        // The tatweel gets the letters' font; digits and punctuation belong to no script.
        #expect(Set(families("بـحـر", in: "monospace")) == ["DejaVu Sans"])
    }

    /// Text without a language has the environment's, which a process reads once.
    @Test(arguments: ["ar", "fa", "de"])
    func arabicInAMonospaceFontIsNotStretchedInArabicLocales(_ language: String) async {
        await #expect(processExitsWith: .success) { [language = language as String] in
            setenv("FC_LANG", language, 1)
            let font = FontDescriptor(family: "monospace", size: 16)
            #expect(Set(FontChoiceTests().families("ab", pattern: font)) == ["DejaVu Sans Mono"])
            #expect(Set(FontChoiceTests().families("بـحـر", pattern: font)) == ["DejaVu Sans"])
        }
    }

    /// Any client can write the resource database, so its values are checked.
    @Test func settingsAreWordsAndNumbersThatTheirObjectsHave() {
        let settings = FontSettings([
            "hintstyle": "hintslight:family=Foo:charset=zz", "antialias": "true,false", "dpi": "144:size=7",
            "rgba": "BGR ", "lcdfilter": "2", "autohint": "on", "hinting": "maybe", "file": "/dev/zero",
            "embolden\\": "1",
        ])
        #expect(settings.values == ["rgba": "bgr", "lcdfilter": "2", "autohint": "on"])
        for dpi in ["nan", "inf", "-96", "0", "1e308", "0x60", ""] { #expect(FontSettings(["dpi": dpi]).values == [:]) }
        for dpi in ["120.5", "96"] { #expect(FontSettings(["dpi": dpi]).values == ["dpi": dpi]) }
        #expect(!settings.pattern.contains("family") && settings.pattern.contains(":hintstyle=hintfull"))
    }

    /// The candidates of a font are sorted once for all sizes, and each size has its own fonts.
    @Test func sizesOfAFontAreSortedOnce() throws {
        precondition(TestFonts.ready)
        let context = FontContext(settings: FontSettings())
        func candidates(_ size: Double, _ language: String) throws -> FontCandidates {
            var font = FontDescriptor(family: "Noto Sans", size: size)
            // A weight that no other test uses.
            font.weight = 87
            return try #require(FontCandidates(font, language: language, context, memory: nil))
        }
        var first: FontCandidates? = try candidates(11, "de")
        let (second, other) = try (candidates(23.5, "de"), candidates(11, "ja"))
        #expect(first?.isShared == true && second.isShared && !other.isShared)
        for (one, size) in [(first, "11"), (second, "23.5")] {
            let face = try #require(one?.firstFace)
            #expect(FontTable.pattern(for: face.id).contains(":pixelsize=\(size):"))
        }
        first = nil
        #expect(!second.isShared && second.face(for: 0x5d0, emoji: false) != nil, "it lives on")
    }

    /// UTS #51: default emoji, emoji by selector, modifier and keycap.
    @Test(arguments: [
        ("😀", true), ("⌚", true), ("⭐", true), ("☺\u{fe0f}", true), ("❤\u{fe0f}", true), ("1\u{fe0f}\u{20e3}", true),
        ("☝🏽", true), ("👩\u{200d}👩\u{200d}👧", true), ("🇩🇪", true),
        ("🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", true),
        ("☺", false), ("❤", false), ("☺\u{fe0e}", false), ("😀\u{fe0e}", false), ("1", false), ("©", false),
    ])
    func presentationComesBeforeCoverage(_ text: String, _ isColored: Bool) {
        let found = families(text)
        #expect(found.filter { $0.hasPrefix("box") }.isEmpty)
        #expect(found.map { $0 == "Noto Color Emoji" } == [isColored], "\(text): \(found)")
    }

    /// If the first font lacks a mark, its letter is set in the same font as the mark.
    @Test func aClusterIsSetInOneFont() {
        #expect(families("x") == ["Noto Sans"])
        #expect(families("x\u{20d7}") == ["DejaVu Sans", "DejaVu Sans"])
        #expect(families("ax\u{20d7}b") == ["Noto Sans", "DejaVu Sans", "DejaVu Sans", "Noto Sans"])
        // The composed character is one glyph, which the first font has. A cluster that no font has completely
        // stays with its letter's font.
        #expect(families("e\u{301}") == ["Noto Sans"])
        #expect(families("x\u{10a01}").first == "Noto Sans")
    }

    @Test func aCharacterInNoFontIsABoxWithItsCodePoint() {
        #expect(families("a\u{10fffd}b") == ["Noto Sans", "box of 10fffd", "Noto Sans"])
        #expect(families("\u{378}\u{379}") == ["box of 378", "box of 379"])
        #expect(families("\u{1}\u{85}").first == "box of 1")
    }

    @Test func idleTimeKeepsHeightsAndNoLines() {
        let layout = makeLayout((0..<300).map { "paragraph \($0) of some words" }.joined(separator: "\n"), width: 120)
        _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 1, height: 100))
        let shown = layout.document.cache.kept.count
        #expect(layout.refineHeights { false })
        var kept = 0
        layout.document.tree.forEachLayout { _ in kept += 1 }
        #expect(kept == shown && layout.document.cache.kept.count == shown)
    }

    /// No font has both the base and its marks: they come from two fonts, and are as wide as the base alone.
    @Test(arguments: ["\u{fdfd}", "👩‍👩‍👧‍👦", "日"])
    func marksThatTheFontOfTheirBaseLacksComeFromAnother(_ base: String) {
        let marks = "\u{301}\u{323}\u{301}"
        let plain = makeLayout(base + "x", width: 900)
        let marked = makeLayout(base + marks + "x", width: 900)
        let glyphs = marked.allLines[0].glyphs
        #expect(!glyphs.contains { $0.glyph == 0 }, "no glyph for “missing” stands for a mark: \(glyphs)")
        #expect(glyphs.count { (base.utf16.count..<(base + marks).utf16.count).contains($0.offset) } >= 1)
        #expect(
            marked.geometry.caretRect(at: marked.length).minX == plain.geometry.caretRect(at: plain.length).minX
                && marked.geometry.caretRect(at: marked.length - 1).minX
                    == plain.geometry.caretRect(at: plain.length - 1).minX
        )
        // The caret stops only before and after the cluster.
        let places = Set((0...marked.length.value - 1).map { marked.geometry.caretRect(at: UTF16Offset($0)).minX })
        #expect(places.count == 2)
    }
}
