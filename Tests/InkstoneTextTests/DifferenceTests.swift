import InkstoneBase
import InkstoneText
import Testing

/// The difference of two texts as a change set.
@Suite(.timeLimit(.minutes(5))) struct DifferenceTests {
    /// Returns the sections of the difference, as `old range→new text`.
    private func sections(_ old: String, _ new: String, byScalars: Bool = false) -> [String] {
        let (a, b) = (Rope(old), Rope(new))
        let changes = TextChangeSet(from: a, to: b, byScalars: byScalars)
        return (0..<changes.count).map { index in
            let text = changes.insertedText(index)
            return "\(changes.changeMap[index].oldRange)→\(text.string(in: text.byteRange))"
        }
    }

    private func apply(_ changes: TextChangeSet, to text: Rope) -> Rope {
        let store = TextStore(text)
        store.apply(Transaction(on: store, changes))
        return store.text
    }

    @Test func linesAndThePartsOfLinesThatStayAreNotReplaced() {
        #expect(sections("one\ntwo\nthree\n", "one\ntwo\nthree\n") == [])
        #expect(sections("one\ntwo\nthree\n", "one\ntxo\nthree\n") == ["5..<6→x"])
        #expect(sections("one\ntwo\nthree\n", "zero\none\ntwo\nthree\nfour\n") == ["0..<0→zero\n", "14..<14→four\n"])
        #expect(sections("one\ntwo\nthree\n", "one\nthree\n") == ["4..<8→"])
        #expect(sections("a\nb\nc\nd\n", "a\nx\nc\ny\n") == ["2..<3→x", "6..<7→y"])
        #expect(sections("", "new") == ["0..<0→new"])
        #expect(sections("old", "") == ["0..<3→"])
    }

    @Test func scalarsBetweenTwoEditsOfALineAreInNoSection() {
        #expect(sections("one two\n", "xone twoy\n") == ["0..<7→xone twoy"])
        #expect(sections("one two\n", "xone twoy\n", byScalars: true) == ["0..<0→x", "7..<7→y"])
        #expect(sections("é ü\r\n", "è ü\n", byScalars: true) == ["0..<1→è", "3..<5→\n"])
    }

    /// More lines differ than are compared by Myers's algorithm.
    @Test func manyDifferingLinesAreComparedWithTheirCounterparts() {
        let lines = (0..<2000).map { "line \($0)\n" }
        let old = Rope(lines.joined())
        let indented = lines.map { "\t" + $0 }.joined()
        let (changes, coarse) = TextChangeSet.difference(from: old, to: Rope(indented))
        #expect(changes.count == 2000 && coarse.isEmpty)
        #expect(changes.changeMap.allSatisfy { $0.oldByteRange.isEmpty })
        #expect(apply(changes, to: old) == Rope(indented))
        // Another number of lines: the section may contain unchanged text, and says so.
        let (longer, coarseOnes) = TextChangeSet.difference(from: old, to: Rope(indented + "end"))
        #expect(apply(longer, to: old) == Rope(indented + "end"))
        #expect(coarseOnes == [0])
    }

    /// Among more differing lines than are compared by Myers's algorithm, a line that occurs once divides the text.
    @Test func anUnchangedLineAmongManyDifferingOnesIsInNoSection() {
        let old = (0..<2000).map { "old \($0)\n" } + ["stays\n"] + (0..<2000).map { "second \($0)\n" }
        let new = (0..<2500).map { "new \($0)\n" } + ["stays\n"] + (0..<1900).map { "another \($0)\n" }
        let (text, other) = (Rope(old.joined()), Rope(new.joined()))
        let line = old[..<2000].joined().utf8.count
        let changes = TextChangeSet(from: text, to: other)
        #expect(apply(changes, to: text) == other)
        let isKept = changes.changeMap.allSatisfy {
            $0.oldByteRange.upperBound <= ByteOffset(line) || $0.oldByteRange.lowerBound >= ByteOffset(line + 6)
        }
        #expect(isKept)
    }

    /// Text of the old one that was moved, or compared with a line that it does not belong to, was not typed.
    @Test func movedLinesThatAreNotASCIIAreCoarse() {
        let lines = (0..<2000).map { "строка \(UnicodeScalar(UInt32(0x430 + $0 % 32))!)\($0)\n" }
        let old = Rope(lines.joined())
        let examples: [(edit: String, lines: [String], isCoarse: Bool)] = [
            ("indented", lines.map { "\t" + $0 }, false),
            ("a line added", [lines[0], "новая\n"] + lines[1...], false),
            ("the first line moved to the end", lines[1...] + [lines[0]], true),
            ("reversed", lines.reversed(), true),
            ("indented, a line deleted and another one added", lines[1...].map { "\t" + $0 } + ["конец\n"], true),
        ]
        for example in examples {
            let new = Rope(example.lines.joined())
            let (changes, coarse) = TextChangeSet.difference(from: old, to: new)
            let isRight = apply(changes, to: old) == new
            #expect(isRight && coarse.isEmpty != example.isCoarse, "\(example.edit)")
        }
    }

    /// A line of which too much differs is coarse by itself, the lines beside it are not.
    @Test func aLineWithTooManyEditsIsCoarse() {
        let middle = String(repeating: "ab", count: 2000) + "\n"
        let old = Rope("one\n" + middle + "two\n")
        let new = Rope("one!\n" + String(repeating: "b-", count: 2000) + "\n" + "two!\n")
        let (changes, coarse) = TextChangeSet.difference(from: old, to: new)
        #expect(apply(changes, to: old) == new)
        #expect(!coarse.isEmpty)
    }

    @Test func partsOfALineThatIsNotValidStay() {
        let (old, new) = (Rope(bytes: [0x61, 0xe9, 0x62, 0x0a]), Rope(bytes: [0x61, 0xe9, 0x78, 0x62, 0x0a]))
        #expect(TextChangeSet(from: old, to: new).changeMap.first?.oldByteRange == 2..<2)
    }

    @Test func neitherScalarsNorLineEndsAreCut() {
        // The two letters share their first or last byte.
        #expect(sections("é\n", "è\n") == ["0..<1→è"])
        #expect(sections("a\r\nb", "a\nb") == ["1..<3→\n"])
        #expect(sections("a\r\n", "a\r") == ["1..<3→\r"])
        #expect(sections("😀\n", "😁\n") == ["0..<2→😁"])
    }

    /// Random texts of few different lines and letters, and invalid bytes.
    @Test func differenceTurnsTheOldTextIntoTheNew() {
        var random = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &random)
        var state = seed
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let parts: [[UInt8]] = [
            [0x61], [0x62], [0x0a], [0x0d], [0x0d, 0x0a], [0xc3, 0xa9], [0xc3, 0xa8], [0xf0, 0x9f, 0x98, 0x80],
            [0xf0, 0x9f, 0x98, 0x81], [0xc3], [0x80], [0x61, 0x62, 0x0a],
        ]
        func rope(_ parts: [[UInt8]]) -> Rope {
            var builder = RopeBuilder()
            Array(parts.joined()).withUnsafeBytes { builder.append($0) }
            return builder.finish()
        }
        for round in 0..<2000 {
            var text = (0..<next(40)).map { _ in parts[next(parts.count)] }
            let old = rope(text)
            for _ in 0..<next(6) {
                let place = next(text.count + 1)
                if next(2) == 0 || place == text.count {
                    text.insert(parts[next(parts.count)], at: place)
                } else {
                    text.remove(at: place)
                }
            }
            let new = rope(text)
            for byScalars in [false, true] {
                let made = apply(TextChangeSet(from: old, to: new, byScalars: byScalars), to: old)
                #expect(
                    made == new,
                    "round \(round) of seed \(seed): \(old.bytes(in: old.byteRange)) to \(new.bytes(in: new.byteRange))"
                )
            }
        }
    }

    @Test func largeTextsWithSmallDifferencesHaveSmallSections() {
        let lines = (0..<50_000).map { "line \($0)\n" }
        var changed = lines
        changed[10] = "another\n"
        changed.remove(at: 40_000)
        let (a, b) = (Rope(lines.joined()), Rope(changed.joined()))
        let changes = TextChangeSet(from: a, to: b)
        #expect(changes.count <= 3)
        #expect((0..<changes.count).allSatisfy { changes.removedText($0).byteRange.count < 20 })
        #expect(apply(changes, to: a) == b)
    }

    /// Texts without common lines, and with more lines than are compared, differ in one section.
    @Test func textsThatHaveNothingInCommonAreOneSection() {
        let (a, b) = (
            Rope((0..<5000).map { "a \($0)\n" }.joined()), Rope((0..<5000).map { "b \($0)\n" }.joined())
        )
        let changes = TextChangeSet(from: a, to: b)
        #expect(changes.count == 1)
        #expect(apply(changes, to: a) == b)
    }
}
