import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// List markers and numbers.
@Suite(.timeLimit(.minutes(5))) struct ListLayoutTests {
    /// Describes the visible layout: each line's position and glyphs, including markers.
    private func lines(_ layout: TextLayoutManager) -> [String] {
        layout.allLines.map { line in
            let glyphs = line.glyphs.map { "\($0.glyph)@\($0.x),\($0.y)" }.joined(separator: " ")
            return "\(line.utf16Range) \(line.top)+\(line.bottom - line.top) \(glyphs)"
        }
    }

    private func follow(_ layout: TextLayoutManager) -> TextObservation {
        layout.store.observeTransactions { [unowned layout] in _ = layout.apply($0) }
    }

    /// Returns the number of each paragraph, `-` for one without a marker.
    private func numbers(_ layout: TextLayoutManager) -> String {
        (0..<layout.store.text.paragraphCount).map { index in
            let start = layout.store.text.utf16Range(of: ParagraphIndex(index)).lowerBound
            return layout.textLayoutFragment(for: start).itemNumber.map(String.init) ?? "-"
        }.joined(separator: " ")
    }

    private func layout(_ text: String, _ lists: [TextList], width: Double = 400) -> TextLayoutManager {
        let plain = makeLayout(text, width: width)
        var styled = plain.store.styledText
        styled.restyle { $0.set(ListItem(lists), of: ListAttribute.self, in: plain.store.text.utf16Range) }
        return TextLayoutManager(
            store: TextStore(styled), container: plain.container, font: plain.font, settings: plain.fontSettings)
    }

    /// RT 30: the marker is not part of the text, caret positions or selection; a click on it moves the caret to
    /// the item's start.
    @Test func markersStandInTheIndentAndAreNoText() throws {
        let plain = makeLayout("one\ntwo\n")
        let layout = makeLayout("one\ntwo\n")
        let observation = follow(layout)
        let list = TextList(.decimal)
        layout.store.restyle { $0.set(ListItem([list]), of: ListAttribute.self, in: 0..<8) }
        #expect(layout.store.text == plain.store.text && numbers(layout) == "1 2 -")
        #expect(layout.geometry.caretRect(at: 0).minX == 32 && layout.geometry.caretRect(at: 4).minX == 32)
        // After the list, there is no indentation.
        #expect(layout.geometry.caretRect(at: 8).minX == 0)
        let line = layout.allLines[1]
        #expect(line.glyphs.count == plain.allLines[1].glyphs.count + 2 && line.typographicBounds.minX == 32)
        let marker = try #require(layout.textLayoutFragment(for: 4).markerFrame)
        #expect(marker.minX > 0 && marker.maxX < 32 && marker.height == line.bottom - line.top)
        #expect(line.glyphs.filter { $0.x < 32 }.allSatisfy { $0.offset == 4 })
        #expect(layout.geometry.place(closestTo: DocumentPoint(x: marker.minX, y: line.top + 2)).offset == 4)
        let rects = layout.geometry.selectionRects(for: 0..<8, within: DocumentRect(x: 0, y: 0, width: 400, height: 99))
        #expect(rects.map(\.rect.minX).min() == 32)
        layout.store.undo()
        #expect(lines(layout) == lines(plain))
        withExtendedLifetime(observation) {}
    }

    /// Covers RT 39, RT 41 of the checklist for rich text.
    @Test func numbersFollowEditsAtOnce() {
        let layout = makeLayout("a\nb\nc\nd\ne\n")
        let observation = follow(layout)
        let (list, inner) = (TextList(.decimal), TextList(.lowercaseAlphabetic))
        layout.store.restyle { $0.set(ListItem([list]), of: ListAttribute.self, in: 0..<10) }
        #expect(numbers(layout) == "1 2 3 4 5 -")
        layout.store.restyle { $0.set(ListItem([list, inner]), of: ListAttribute.self, in: 4..<8) }
        #expect(numbers(layout) == "1 2 1 2 3 -" && layout.geometry.caretRect(at: 4).minX == 64)
        _ = layout.store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "\nx")
        #expect(numbers(layout) == "1 2 3 1 2 4 -")
        // A plain paragraph between the items, and one that continues an item without a marker.
        layout.store.restyle { $0.set(nil, of: ListAttribute.self, in: 2..<4) }
        layout.store.restyle {
            $0.set(ListItem([list], hasMarker: false), of: ListAttribute.self, in: 0..<2)
        }
        #expect(numbers(layout) == "- - 1 1 2 2 -" && layout.geometry.caretRect(at: 0).minX == 32)
        layout.store.undo()
        layout.store.undo()
        layout.store.undo()
        #expect(numbers(layout) == "1 2 1 2 3 -")
        _ = layout.store.replace(UTF16Offset(0)..<UTF16Offset(2), with: "")
        #expect(numbers(layout) == "1 1 2 2 -")
        withExtendedLifetime(observation) {}
    }

    /// The repainted band of an edit contains everything that looks different, including the numbers below.
    @Test func numbersBelowAreInTheBand() {
        let layout = layout(String(repeating: "item\n", count: 12), [TextList(.decimal)])
        _ = lines(layout)
        let typed = layout.apply(layout.store.replace(UTF16Offset(1)..<UTF16Offset(1), with: "x"))
        #expect(typed.band.maxY < 30)
        let inserted = layout.apply(layout.store.replace(UTF16Offset(6)..<UTF16Offset(6), with: "\n"))
        #expect(inserted.band.maxY > 1000 && inserted.band.minX == 0)
        let bullets = self.layout(String(repeating: "item\n", count: 12), [TextList(.disc)])
        _ = lines(bullets)
        #expect(bullets.apply(bullets.store.replace(UTF16Offset(6)..<UTF16Offset(6), with: "\n")).band.maxY < 100)
    }

    /// After any edits, the layout equals a new one.
    @Test(arguments: [UInt64(1), 2, 3]) func numbersAreThoseOfAFreshLayout(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let layout = makeLayout(String(repeating: "ab\n", count: 30), width: 200)
        let observation = follow(layout)
        let lists = [TextList(.decimal), TextList(.lowercaseRoman, startingNumber: 998), TextList(.disc)]
        for step in 0..<60 {
            let length = layout.store.text.metrics.utf16
            let low = Int.random(in: 0...length, using: &random)
            let high = min(length, low + Int.random(in: 0...9, using: &random))
            let range = UTF16Offset(low)..<UTF16Offset(high)
            switch step % 4 {
            case 0: _ = layout.store.replace(range, with: ["\n", "", "x\ny\n", "z"].randomElement(using: &random)!)
            case 1:
                let depth = Int.random(in: 0...2, using: &random)
                let item = depth == 0 ? nil : ListItem(Array(lists.shuffled(using: &random).prefix(depth)))
                layout.store.restyle { $0.set(item, of: ListAttribute.self, in: range) }
            case 2: layout.store.undo()
            default: _ = layout.textLayoutFragment(for: UTF16Offset(low))
            }
            let fresh = TextLayoutManager(
                store: TextStore(layout.store.styledText), container: layout.container, font: layout.font,
                settings: layout.fontSettings)
            #expect(lines(layout) == lines(fresh), "seed \(seed), step \(step)")
        }
        withExtendedLifetime(observation) {}
    }

    /// Covers RT 46, RT 47, RT 45 of the checklist for rich text.
    @Test func markersStandWhereLinesStartAndNeverOnTheText() throws {
        let layout = layout("one\nשלום עולם\n", [TextList(.decimal)])
        let left = try #require(layout.textLayoutFragment(for: 0).markerFrame)
        let right = try #require(layout.textLayoutFragment(for: 4).markerFrame)
        let box = layout.allLines[1].typographicBounds
        #expect(left.maxX < 32 && box.maxX == 368 && right.minX > 368 && right.maxX < 400)
        // The period is left of the number.
        let glyphs = layout.allLines[1].glyphs.filter { Double($0.x) > 368 }.sorted { $0.x < $1.x }
        let ltr = layout.allLines[0].glyphs.filter { $0.x < 32 }.sorted { $0.x < $1.x }
        #expect(glyphs.count == 2 && glyphs.first?.glyph == ltr.last?.glyph)

        let wide = self.layout("one two\n", [TextList(.uppercaseRoman, startingNumber: 3888)])
        let marker = try #require(wide.textLayoutFragment(for: 0).markerFrame)
        #expect(marker.minX >= 0 && marker.maxX < wide.allLines[0].typographicBounds.minX && marker.width > 60)

        let large = makeLayout("One\n")
        let observation = follow(large)
        large.store.restyle {
            $0.set(ListItem([TextList(.decimal)]), of: ListAttribute.self, in: 0..<4)
            $0.set(28, of: FontSizeAttribute.self, in: 0..<1)
        }
        let fonts = large.allLines[0].glyphs.sorted { $0.x < $1.x }.map(\.font)
        #expect(fonts.count == 5 && fonts[0] == fonts[2] && fonts[2] != fonts[3])
        withExtendedLifetime(observation) {}
    }

    @Test func eachKindHasItsMarker() {
        func text(_ marker: TextList.Marker, _ number: Int, isChecked: Bool = false) -> String {
            TextList(marker).plainMarker(number: number, isChecked: isChecked)
        }
        #expect([1, 26, 27, 702, 703].map { text(.lowercaseAlphabetic, $0) } == ["a.", "z.", "aa.", "zz.", "aaa."])
        let roman = [0, 4, 28, 1999, 4000].map { text(.uppercaseRoman, $0) }
        #expect(roman == ["0.", "IV.", "XXVIII.", "MCMXCIX.", "4000."])
        #expect(text(.checkbox, 1) == "[ ]" && text(.checkbox, 1, isChecked: true) == "[x]" && text(.disc, 3) == "-")
        #expect(TextList(.decimal, suffix: ")").plainMarker(number: 7) == "7)" && text(.custom("→"), 2) == "→")
        let kinds: [TextList.Marker] = [
            .disc, .circle, .square, .decimal, .lowercaseAlphabetic, .uppercaseAlphabetic, .lowercaseRoman,
            .uppercaseRoman, .checkbox, .custom("→"),
        ]
        for kind in kinds {
            let item = ListItem([TextList(.disc), TextList(kind, startingNumber: 7, suffix: ")")], hasMarker: false)
            #expect(ListAttribute.decode(ListAttribute.encode(item)) == item)
            // Each marker is painted with glyphs of available fonts.
            #expect(layout("x\n", [TextList(kind)]).allLines[0].glyphs.count >= 2, "\(kind)")
        }
        let checked = ListItem([TextList(.checkbox)], isChecked: true)
        #expect(ListAttribute.decode(ListAttribute.encode(checked)) == checked)
        #expect(lines(layout("x\n", [TextList(.checkbox)])) != lines(layout("x\n", [TextList(.disc)])))
    }

    @Test func valuesFromOutsideAreChecked() {
        func decoded(_ text: String) -> ListItem? {
            ListAttribute.decode(Array(text.utf8)).flatMap { ListAttribute.checked($0) }
        }
        #expect(decoded("") == nil && decoded("list:1 1 cube") == nil && decoded("list:-1 1 disc") == nil)
        #expect(decoded("list:1 99999999999999999999 disc") == nil)
        #expect(decoded("list:1 999999999999 decimal")?.list?.startingNumber == 1_000_000)
        #expect(decoded("list:1 -5 decimal")?.list?.startingNumber == 0)
        let deep = decoded((0..<40).map { "list:\($0) 1 disc" }.joined(separator: "\n"))
        #expect(deep?.level == ListItem.deepest)
        let long = decoded("list:1 1 custom\ntext:" + String(repeating: "é", count: 99))
        #expect(long?.list?.marker == .custom(String(repeating: "é", count: 16)))
        #expect(decoded("list:1 1 disc\nchecked:yes")?.isChecked == false)
    }

    /// Computing a number in a large document reads only nearby paragraphs.
    @Test func countsAreKeptInBlocks() {
        var numbers = ListNumbers()
        let (a, b) = (numbers.name(of: TextList.ID(1)), numbers.name(of: TextList.ID(2)))
        var model = (0..<5000).map { $0 % 3 == 0 ? a : $0 % 7 == 0 ? b : 0 }
        numbers.append(Array(model[..<700]))
        #expect(numbers.count(of: a, before: 700) == 234)
        numbers.append(Array(model[700..<900]))
        #expect(numbers.count(of: a, before: 900) == 300)
        numbers.append(Array(model[900...]))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let low = Int.random(in: 0...model.count, using: &random)
            let old = low..<min(model.count, low + Int.random(in: 0...40, using: &random))
            let new = (0..<Int.random(in: 0...40, using: &random)).map { _ in [a, b, 0].randomElement(using: &random)! }
            let rest = model[old.upperBound...]
            let changed = [a, b].contains { name in
                model[old].count { $0 == name } != new.count { $0 == name } && rest.contains(name)
            }
            #expect(numbers.replace(old, with: new) == changed || low == model.count)
            if low < numbers.known || low < model.count { model.replaceSubrange(old, with: new) }
            #expect(numbers.known == model.count)
            let at = Int.random(in: 0...model.count, using: &random)
            for name in [a, b] {
                #expect(numbers.count(of: name, before: at) == model[..<at].count { $0 == name })
            }
        }
    }

    /// Blocks of counted items are merged as items are removed.
    @Test func blocksOfItemsThatGoAreJoined() {
        var numbers = ListNumbers()
        let list = numbers.name(of: TextList.ID(1))
        var left = 6400
        numbers.append([ListNumbers.Name](repeating: list, count: left))
        var random = SeededGenerator(seed: 3)
        while left > 200 {
            let at = Int.random(in: 0..<left, using: &random)
            _ = numbers.replace(at..<at + 1, with: [])
            left -= 1
            if left % 100 == 0 {
                #expect(numbers.known == left && numbers.count(of: list, before: left) == left)
                let middle = numbers.count(of: list, before: left / 2)
                #expect(middle == left / 2)
            }
        }
        #expect(numbers.blockCount <= 4)
    }
}
