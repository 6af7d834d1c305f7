import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing
import TextTestSupport

@testable import InkstoneAccessibility

extension ViewScene {
    /// Creates a view of a text whose upper left corner is at a point of the root window.
    convenience init(text: String, width: Double = 260, height: Double = 200, secure: Bool = false) {
        self.init(store: TextStore(Rope(text)), frame: WindowRect(x: 3, y: 5, width: width, height: height))
        view.windowOrigin = RootPoint(x: 100, y: 50)
        view.options.isSecureTextEntry = secure
    }

    var read: AccessibleText { AccessibleText(of: view) }
}

@Suite(.timeLimit(.minutes(5))) struct AccessibleTextTests {
    /// A text whose length differs in bytes, UTF-16 units, scalars and clusters.
    private static let mixed =
        "Hello there, world. One more! \"größer\" – stop.\r\nΓειά Κόσμε. שלום abc עולם 12. مرحبا بالعالم\n\n"
        + "e\te\u{301}, 👩‍👩‍👧, 🇩🇪, 日本語。ขอบคุณ\nlast"

    private static func random(_ seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "a", "word ", "One. ", "\n", "\r\n", "é", "日本", "👩‍👩‍👧", "🇩🇪🇫🇷", "𝒳", "e\u{301}", "\t", "שלום ", "عربي ", "ab, ",
            "  ",
        ]
        return (0..<40 + random.below(80)).map { _ in parts[random.below(parts.count)] }.joined()
    }

    private static var texts: [String] { [mixed, "", "\n", "a", "a\n\n", "   ", "👩‍👩‍👧"] + (UInt64(1)...4).map(random) }

    @Test func offsetsOutsideTheTextAreItsEnd() {
        let scene = ViewScene(text: "a😀c\nd")
        let text = scene.read
        #expect(text.count == 5)
        #expect(text.text(from: 0, to: -1) == "a😀c\nd" && text.text(from: 1, to: 2) == "😀")
        #expect(
            text.text(from: 3, to: 99) == "\nd" && text.text(from: 9, to: 99) == "" && text.text(from: 4, to: 2) == "")
        #expect(text.text(from: -2, to: 3) == "" && text.text(from: 5, to: 5) == "")
        #expect(text.character(at: 1) == "😀" && text.character(at: 5) == nil && text.character(at: -1) == nil)
        #expect(text.range(of: .character, at: -1) == 5..<5 && text.range(of: .character, at: 77) == 5..<5)
        #expect(text.range(of: .wordStart, at: -1) == 4..<5 && text.range(of: .character, at: 0, .before) == 0..<0)
    }

    /// A forced break belongs to the unit after the line's content, as a newline does.
    @Test(arguments: ["\u{2028}", "\u{c}", "\u{85}"]) func linesEndBeforeForcedBreaks(_ sign: String) {
        func ends(_ text: AccessibleText) -> [String] {
            var found: [String] = []
            var at = 0
            while at < text.count {
                let next = text.unit(.lineEnd, at: at)
                found.append(next.text)
                at = next.range.upperBound
            }
            return found
        }
        let text = ViewScene(text: "ab \(sign)c\(sign)\(sign)d\ne", width: 2000).read
        #expect(ends(text) == ["ab ", "\(sign)c", sign, "\(sign)d", "\ne"])
        #expect(ends(ViewScene(text: "ab\(sign)\nc", width: 2000).read) == ["ab", sign, "\nc"])
        #expect(text.unit(.lineStart, at: 0).text == "ab \(sign)")
    }

    /// A GTK 3 text view gives these answers for the same text.
    @Test func unitsAreThoseOfATextView() {
        let scene = ViewScene(text: "Hello there, world. One more!\nlast\n", width: 2000)
        let text = scene.read
        func all(_ unit: AccessibleText.Unit) -> [String] {
            var found: [String] = []
            var at = 0
            while at < text.count {
                let next = text.unit(unit, at: at)
                found.append(next.text)
                at = next.range.upperBound
            }
            return found
        }
        #expect(all(.wordStart) == ["Hello ", "there, ", "world. ", "One ", "more!\n", "last\n"])
        #expect(all(.wordEnd) == ["Hello", " there", ", world", ". One", " more", "!\nlast", "\n"])
        #expect(all(.sentenceStart) == ["Hello there, world. ", "One more!\n", "last\n"])
        #expect(all(.sentenceEnd) == ["Hello there, world.", " One more!", "\nlast", "\n"])
        #expect(all(.lineStart) == ["Hello there, world. One more!\n", "last\n"])
        #expect(all(.lineEnd) == ["Hello there, world. One more!", "\nlast", "\n"])
        #expect(
            text.unit(.wordStart, at: 6, .before).text == "Hello "
                && text.unit(.wordStart, at: 3, .after).text == "there, ")
        #expect(text.range(of: .lineStart, at: text.count) == text.count..<text.count)
        #expect(text.range(of: .wordStart, at: text.count) == text.count - 5..<text.count)
        #expect(text.range(of: .wordStart, at: text.count, .after) == text.count..<text.count)
    }

    @Test func unitsTileTheText() {
        for sample in Self.texts {
            let scene = ViewScene(text: sample, width: 120)
            let text = scene.read
            let scalars = Array(sample.unicodeScalars)
            #expect(text.count == scalars.count)
            for unit in AccessibleText.Unit.allCases {
                var at = 0
                var previous = 0..<0
                while at < text.count {
                    let found = text.range(of: unit, at: at)
                    guard found.lowerBound == at, found.upperBound > at else {
                        Issue.record("\(unit) at \(at) is \(found) in \(sample.debugDescription)")
                        break
                    }
                    let same = [found.lowerBound, (found.lowerBound + found.upperBound) / 2, found.upperBound - 1]
                        .allSatisfy {
                            text.range(of: unit, at: $0) == found
                        }
                    let before = text.range(of: unit, at: found.upperBound - 1, .before)
                    #expect(
                        same && before == previous,
                        "\(unit) \(found) of \(sample.debugDescription): before \(before), not \(previous)")
                    if at > 0 { #expect(text.range(of: unit, at: previous.lowerBound, .after) == found) }
                    previous = found
                    at = found.upperBound
                }
            }
        }
    }

    @Test func textIsThatOfTheScalars() {
        for sample in Self.texts {
            let scene = ViewScene(text: sample)
            let (text, scalars) = (scene.read, Array(sample.unicodeScalars))
            for start in stride(from: 0, through: scalars.count, by: 3) {
                for end in [start, start + 1, start + 7, scalars.count] where end <= scalars.count {
                    let wanted = String(String.UnicodeScalarView(scalars[start..<end]))
                    #expect(text.text(from: start, to: end).hasSameScalars(as: wanted))
                    #expect(text.byteCount(from: start, to: end) == wanted.utf8.count)
                }
            }
        }
    }

    @Test func theCaretsOwnRowIsItsLine() {
        let scene = ViewScene(text: "aaaa bbbb cccc dddd eeee ffff gggg hhhh", width: 120)
        scene.view.select(Selection(caret: 0))
        let row = scene.read.range(of: .lineStart, at: 0)
        #expect(row.upperBound < scene.read.count)
        scene.view.perform(.moveToEndOfLine)
        #expect(scene.read.caret == row.upperBound)
        #expect(scene.read.range(of: .lineStart, at: row.upperBound) == row)
        // After End, a reader speaks the character at the caret, which must not be the first of the next line.
        #expect(scene.read.unit(.character, at: row.upperBound).text == " ")
        #expect(scene.read.unit(.character, at: row.upperBound, .after).range.lowerBound == row.upperBound)
        scene.view.select(Selection(caret: UTF16Offset(row.upperBound)))
        #expect(scene.read.range(of: .lineStart, at: row.upperBound).lowerBound == row.upperBound)
        #expect(scene.read.range(of: .character, at: row.upperBound).lowerBound == row.upperBound)
    }

    // MARK: Places

    @Test func offsetAtPointInvertsExtents() {
        for sample in Self.texts {
            let scene = ViewScene(text: sample, width: 200, height: 600)
            let text = scene.read
            for offset in 0..<text.count {
                let box = text.extents(at: offset)
                guard box.width > 0 else { continue }
                let middle = RootPoint(x: box.minX + box.width / 2, y: box.minY + box.height / 2)
                let found = text.offset(at: middle)
                #expect(found == offset, "\(box) of \(offset) in \(sample.debugDescription)")
            }
        }
    }

    @Test func extentsAreOnTheRootWindowAndFollowScrolling() {
        let scene = ViewScene(text: (0..<1000).map { "line \($0)" }.joined(separator: "\n"))
        let first = scene.read.extents(at: 0)
        #expect(first.minX >= 103 && first.minY >= 55 && first.height > 0)
        let second = scene.read.extents(at: 1)
        #expect(second.minX == first.maxX && second.minY == first.minY)
        let newline = scene.read.extents(at: 6)
        #expect(newline.width == 0 && newline.minX == scene.read.extents(at: 5).maxX)
        scene.view.scroll(by: 40)
        #expect(scene.read.extents(at: 0).minY == first.minY - 40)
        let range = scene.read.extents(from: 0, to: -1)
        #expect(range.minY >= 55 - 40 && range.maxY <= 55 + 200 + 40, "\(range) reaches beyond the view")
        #expect(scene.read.scroll(from: 0, to: 1))
        #expect(scene.read.extents(at: 0).minY >= 55)
        let seen = scene.read.ranges(in: RootRect(x: 103, y: 55, width: 260, height: 200))
        #expect(seen.count > 5 && seen.first?.lowerBound == 0)
        #expect(scene.read.ranges(in: RootRect(x: 0, y: 0, width: 5, height: 5)).isEmpty)
    }

    /// A view at scale 2 has its fonts and distances twice as large; a reader goes on getting pixels of the root window.
    @Test func extentsAreInPixelsAtScaleTwo() {
        func scene(_ scale: Double) -> ViewScene {
            let scene = ViewScene(
                store: TextStore(Rope("first line\nsecond line")), font: ViewScene.font.scaled(by: scale),
                theme: Theme().scaled(by: scale),
                frame: WindowRect(x: 3 * scale, y: 5 * scale, width: 260 * scale, height: 200 * scale))
            scene.view.windowOrigin = RootPoint(x: 100, y: 50)
            return scene
        }
        let (plain, large) = (scene(1), scene(2))
        // In the second line, so that a height stands above it.
        for offset in [0, 4, 11, 15] {
            let (one, two) = (plain.read.extents(at: offset), large.read.extents(at: offset))
            // Fonts have whole pixels: a letter may be one wider or narrower than twice.
            let column = Double(offset % 11 + 1)
            #expect(abs(two.minX - 100 - 2 * (one.minX - 100)) <= column, "\(one), \(two)")
            #expect(abs(two.width - 2 * one.width) <= 1 && abs(two.height - 2 * one.height) <= 2, "\(one), \(two)")
            #expect(abs(two.minY - 50 - 2 * (one.minY - 50)) <= 2, "\(one), \(two)")
            let middle = RootPoint(x: two.minX + two.width / 2, y: two.minY + two.height / 2)
            #expect(large.read.offset(at: middle) == offset)
        }
        #expect(large.read.extents(at: 0).width >= plain.read.extents(at: 0).width + 6)
    }

    // MARK: Attributes

    @Test func attributesAreRunByRun() {
        let scene = ViewScene(text: "plain bold misspelt end")
        let view = scene.view
        view.select(Selection(anchor: 6, head: 10))
        view.session.setAttribute(200, of: FontWeightAttribute.self)
        view.addDecorations([11..<19], attributes: RenderingAttributes(underline: .wavy), in: .spelling)
        view.select(Selection(anchor: 20, head: 23))
        view.session.setAttribute("de", of: LanguageAttribute.self)
        view.select(Selection(anchor: 0, head: 5))
        view.session.setAttribute(Color(red: 255, green: 128, blue: 0), of: ForegroundAttribute.self)
        let text = scene.read
        // Readers expect colour components of 16 bits only from GTK, so they are sent with 8 bits.
        #expect(text.attributes(at: 0, includingDefaults: false).names == ["fg-color": "255,128,0"])
        #expect(text.attributes(at: 5, includingDefaults: true).names["bg-color"] == "255,255,255")
        let bold = text.attributes(at: 7, includingDefaults: false)
        #expect(bold.names == ["weight": "700"] && bold.range == 6..<10)
        let wrong = text.attributes(at: 12, includingDefaults: false)
        #expect(wrong.names == ["invalid": "spelling", "underline": "error"] && wrong.range == 11..<19)
        #expect(text.attributes(at: 5, includingDefaults: false).range == 5..<6)
        #expect(text.attributes(at: 21, includingDefaults: false).names == ["language": "de"])
        #expect(text.attributes(at: 10, includingDefaults: false).range == 10..<11)
        #expect(text.attributes(at: 7, includingDefaults: true).names["family-name"] == "DejaVu Sans Mono")
        #expect(text.attributes(at: 99, includingDefaults: false).range == 23..<23)
    }

    @Test func markedTextIsTextWithAnAttribute() {
        let scene = ViewScene(text: "ab")
        scene.view.select(Selection(caret: 1))
        scene.view.setMarkedText("かな", selectedRange: UTF16Range(2..<2), replacementRange: .notFound)
        let text = scene.read
        #expect(text.text(from: 0, to: -1) == "aかなb" && text.caret == 3)
        let run = text.attributes(at: 1, includingDefaults: false)
        #expect(run.names == ["composition": "true", "underline": "single"] && run.range == 1..<3)
        // Who selects elsewhere ends it, as a click does.
        text.setCaret(0)
        #expect(scene.view.markedText == nil && scene.view.text == "aかなb" && scene.read.caret == 0)
    }

    // MARK: Selecting and editing

    @Test func selectionsAreSetAsInATextView() {
        let scene = ViewScene(text: "Hello there, world")
        func check(_ answer: Bool, _ wanted: Bool, _ caret: Int, _ selections: [Range<Int>], _ line: Int = #line) {
            #expect(
                answer == wanted && scene.read.caret == caret && scene.read.selections == selections, "line \(line)")
        }
        scene.read.setCaret(4)
        check(scene.read.addSelection(from: 3, to: 8), true, 8, [3..<8])
        check(scene.read.addSelection(from: 10, to: 12), false, 8, [3..<8])
        check(scene.read.setSelection(0, from: 1, to: 6), true, 6, [1..<6])
        check(scene.read.setSelection(1, from: 1, to: 2), false, 6, [1..<6])
        check(scene.read.setSelection(0, from: 0, to: 18), true, 18, [0..<18])
        check(scene.read.removeSelection(0), true, 18, [])
        check(scene.read.removeSelection(0), false, 18, [])
        scene.read.setCaret(99)
        scene.read.setCaret(-1)
        check(true, true, 18, [])
    }

    @Test func editsAreStepsOfUndoWithinTheUsersRights() {
        let scene = ViewScene(text: "Hello")
        scene.view.select(Selection(caret: 5))
        #expect(scene.read.insert("abc", at: 1, length: 2) && scene.view.text == "Habello" && scene.read.caret == 7)
        #expect(scene.read.insert("äß", at: 0, length: 2) && scene.view.text == "äßHabello")
        #expect(scene.read.insert("äöü", at: 0, length: 2) && scene.view.text == "ääßHabello")
        #expect(scene.read.insert("x", at: -1, length: -1) && scene.view.text == "ääßHabellox")
        #expect(scene.read.delete(from: 0, to: 3) && scene.view.text == "Habellox")
        #expect(!scene.read.delete(from: 3, to: 1))
        #expect(scene.read.cut(from: 0, to: 2) && scene.copied == "Ha" && scene.view.text == "bellox")
        #expect(scene.read.paste(at: 1) && scene.pasteRequests == ["clipboard"] && scene.read.caret == 1)
        #expect(scene.read.setContents("new\ntext") && scene.view.text == "new\ntext")
        scene.view.session.undo()
        #expect(scene.view.text == "bellox")
        scene.view.isEditable = false
        #expect(
            !scene.read.insert("x", at: 0, length: -1) && !scene.read.setContents("y")
                && !scene.read.cut(from: 0, to: 1))
        #expect(scene.view.text == "bellox" && scene.read.copy(from: 0, to: 2) && scene.copied == "be")
    }

    @Test func textOfOtherProgramsGetsTheLineEndsOfTheDocument() {
        let scene = ViewScene(text: "a\r\nb")
        scene.view.session.newline = "\r\n"
        #expect(scene.read.insert("x\ny", at: 0, length: -1) && scene.view.text == "x\r\nya\r\nb")
        #expect(scene.read.setContents("p\nq\rr\r\ns\n") && scene.view.text == "p\r\nq\r\nr\r\ns\r\n")
    }

    /// Control characters from other programs are dropped, as for input methods and the proxy: a user can neither
    /// see nor type them.
    @Test func controlCharactersOfOtherProgramsAreLeftOut() {
        let scene = ViewScene(text: "a\u{c}b")
        #expect(scene.read.insert("\u{7}x\0\t\u{85}\u{7f}y\n", at: 1, length: -1) && scene.view.text == "ax\ty\n\u{c}b")
        // The given length counts the text as sent, including the control character.
        #expect(scene.read.insert("\u{1b}pq", at: 0, length: 2) && scene.view.text == "pax\ty\n\u{c}b")
        #expect(scene.read.insert("\u{7}", at: 0, length: -1) && scene.view.text == "pax\ty\n\u{c}b")
        #expect(scene.read.setContents("p\u{9b}q\r\u{7}") && scene.view.text == "pq\n")
    }

    // MARK: Secrets

    @Test func aPasswordIsBulletsAndNothingElse() {
        let scene = ViewScene(text: "se cret. 😀", secure: true)
        let text = scene.read
        let bullets = String(repeating: "•", count: 10)
        #expect(text.count == 10 && text.text(from: 0, to: -1) == bullets && text.character(at: 3) == "\u{2022}")
        for unit in AccessibleText.Unit.allCases where unit != .character {
            #expect(text.unit(unit, at: 4).text == bullets, "\(unit)")
        }
        #expect(!text.copy(from: 0, to: 5) && scene.copied == nil && !text.cut(from: 0, to: 5))
        #expect(text.attributes(at: 2, includingDefaults: false).names.isEmpty)
        #expect(text.byteCount(from: 0, to: -1) == 30)
    }

    @Test func readsOfALongTextTakeNoneOfIt() {
        let rope = LargeText.repeating("words of a line that goes on and on, and 😀 too\n", bytes: 100 << 20)
        let scene = ViewScene(store: TextStore(rope), frame: WindowRect(x: 0, y: 0, width: 300, height: 200))
        let text = scene.read
        let middle = text.count / 2
        let start = LargeText.processorTime
        for unit in AccessibleText.Unit.allCases {
            for offset in [0, middle, text.count - 1] { _ = text.unit(unit, at: offset) }
        }
        for offset in [0, middle] { _ = text.extents(at: offset) }
        _ = text.extents(from: 0, to: -1)
        // Reading the whole text would take about a hundred times as long.
        #expect(LargeText.processorTime - start < 400)
    }
}
