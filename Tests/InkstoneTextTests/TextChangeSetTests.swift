import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// The algebraic laws of change sets, on random texts and changes.
@Suite(.timeLimit(.minutes(5))) struct TextChangeSetLawTests {
    /// The number of cases: with four seeds, 100,000 per law.
    static let cases = environment("INKSTONE_CASES", default: isLongTier ? 250_000 : 25_000)

    /// Runs a law, which returns a failure or nil, on random cases.
    private func check(_ law: String, _ seed: UInt64, _ body: (inout SeededGenerator) -> String?) {
        print("\(law): seed \(seed), \(Self.cases) cases")
        var random = SeededGenerator(seed: seed)
        for i in 0..<Self.cases {
            if let problem = body(&random) {
                Issue.record("\(law), seed \(seed), case \(i): \(problem)")
                return
            }
        }
    }

    /// Returns a random change, seldom of a long text with many sections.
    private func change(_ random: inout SeededGenerator) -> ChangeModel {
        let isLong = random.once(in: 200)
        let text = randomBytes(&random, about: random.below(isLong ? 1500 : 40))
        return ChangeModel(of: text, most: isLong ? 150 : 5, &random)
    }

    private func next(of text: [UInt8], _ random: inout SeededGenerator) -> ChangeModel {
        ChangeModel(of: text, most: text.count > 200 ? 100 : 4, &random)
    }

    @Test(arguments: RopeModelTests.seeds)
    func lengthsAddUpAndEndsAreBoundaries(seed: UInt64) {
        check("additive", seed) { random in
            let model = change(&random)
            let changes = model.changeSet(&random)
            let new = model.result
            let oldStarts = Set(ArrayModel.parts(model.text).map(\.byte))
            let newStarts = Set(ArrayModel.parts(new).map(\.byte))
            var delta = TextMetrics.zero
            var end = 0
            for (i, section) in changes.changeMap.enumerated() {
                let removed = changes.removedText(i)
                let inserted = changes.insertedText(i)
                delta += inserted.metrics - removed.metrics
                guard section.oldStart.bytes >= end else { return "not in order: \(changes.dump)" }
                end = section.oldEnd.bytes
                for byte in [section.oldStart.bytes, section.oldEnd.bytes]
                where !isBoundary(byte, model.text, oldStarts) { return "old \(byte) is inside: \(changes.dump)" }
                for byte in [section.newStart.bytes, section.newEnd.bytes]
                where !isBoundary(byte, new, newStarts) { return "new \(byte) is inside: \(changes.dump)" }
                guard section.oldStart == TextPoint(ArrayModel.metrics(Array(model.text[..<section.oldStart.bytes]))),
                    section.newStart == TextPoint(ArrayModel.metrics(Array(new[..<section.newStart.bytes]))),
                    section.removed == TextPoint(removed.metrics), section.inserted == TextPoint(inserted.metrics),
                    removed.bytes(in: removed.byteRange) == Array(model.text[section.oldStart.bytes..<end])
                else { return "places or lengths of section \(i): \(changes.dump)" }
            }
            let old = ArrayModel.metrics(model.text)
            guard old + delta == ArrayModel.metrics(new) else { return "\(old) + \(delta): \(changes.dump)" }
            guard changes.newLength == TextPoint(ArrayModel.metrics(new)) else { return "length: \(changes.dump)" }
            return nil
        }
    }

    /// Whether a change maps between texts that it stores, which later edits of those texts do not alter.
    private func prepared(_ changes: TextChangeSet, of old: Rope, making new: Rope) -> Bool {
        changes.prepare(for: old, sections: 2)
        var text = old
        for _ in 0..<2 {
            text.apply(changes)
            var edited = text
            edited.replace(ByteOffset(0)..<edited.byteRange.upperBound, with: Rope("x"))
            guard text == new else { return false }
            text.apply(changes.inverted)
            edited = text
            edited.replace(ByteOffset(0)..<edited.byteRange.upperBound, with: Rope("y"))
            guard text == old, text.root === old.root else { return false }
        }
        return true
    }

    /// After a cancelled search, the texts of its change are not computed.
    @Test(arguments: [20_000, 40_000]) func theTextsOfAChangeAreNotComputedOnceThatIsCancelled(_ count: Int) {
        let text = Rope(String(repeating: "ab", count: count))
        var builder = TextChangeSet.Builder(over: text)
        for place in 0..<count { builder.replace(ByteOffset(2 * place)..<ByteOffset(2 * place + 1), with: "x") }
        let changes = builder.finish()
        var asked = 0
        changes.prepare(for: text) {
            asked += 1
            return asked == 3
        }
        #expect(asked == 3 && !changes.knowsTexts)
        changes.prepare(for: text) { false }
        #expect(changes.knowsTexts)
    }

    @Test(arguments: RopeModelTests.seeds)
    func allWaysOfApplyingAgreeAndAreTakenBack(seed: UInt64) {
        check("apply, invert", seed) { random in
            let model = change(&random)
            let changes = model.changeSet(&random)
            let old = Rope(bytes: model.text)
            let new = changes.applied(to: old)
            guard new == Rope(bytes: model.result) else { return "\(model.text) by \(changes.dump) is \(new)" }
            guard new.checkInvariants().isEmpty else { return "\(new.checkInvariants()): \(changes.dump)" }
            if case .many(let pair, _) = changes.texts {
                var rebuilt = old
                rebuilt.rebuild(changes.changeMap, pair.inserted)
                guard rebuilt == new, rebuilt.checkInvariants().isEmpty else { return "rebuilt by \(changes.dump)" }
                var back = new
                back.rebuild(changes.inverted.changeMap, pair.removed)
                guard back == old, back.checkInvariants().isEmpty else { return "rebuilt back by \(changes.dump)" }
                guard prepared(changes, of: old, making: new) else { return "prepared: \(changes.dump)" }
            }
            guard changes.inverted.applied(to: new) == old else { return "taken back: \(changes.dump)" }
            guard changes.inverted.inverted == changes else { return "inverted twice: \(changes.dump)" }
            guard changes.isIdentity == (changes.dump == changes.inverted.dump) else {
                return "identity: \(changes.dump)"
            }
            return nil
        }
    }

    @Test(arguments: RopeModelTests.seeds)
    func composedChangesDoWhatTheyDoInTurn(seed: UInt64) {
        check("compose", seed) { random in
            // So dense that sections of both changes overlap in chains.
            let isDense = random.once(in: 8)
            let text = change(&random).text
            let first = isDense ? ChangeModel(of: text, most: min(text.count, 60), &random) : next(of: text, &random)
            let old = Rope(bytes: first.text)
            var texts = [first.text, first.result]
            var all = [first.changeSet(&random)]
            for _ in 0..<(1 + random.below(3)) {
                let before = texts[texts.count - 1]
                let model =
                    isDense ? ChangeModel(of: before, most: min(before.count, 60), &random) : next(of: before, &random)
                all.append(model.changeSet(&random))
                texts.append(model.result)
            }
            let last = Rope(bytes: texts[texts.count - 1])
            let halves = TextChangeSet.composing(all)
            let folded = all.dropFirst().reduce(all[0]) { $0.composed(with: $1) }
            let folder = all.map(\.dump).joined(separator: "\n")
            for whole in [halves, folded] {
                guard let whole, whole.applied(to: old) == last else { return folder }
                guard whole.inverted.applied(to: last) == old else { return "back: \(folder)" }
                guard whole.newLength == TextPoint(last.metrics) else { return "length: \(folder)" }
                // Composed sections satisfy the invariants of built ones.
                for (i, section) in whole.changeMap.enumerated() {
                    guard section.oldStart == TextPoint(old.metrics(before: ByteOffset(section.oldStart.bytes))),
                        section.newEnd == TextPoint(last.metrics(before: ByteOffset(section.newEnd.bytes))),
                        whole.removedText(i) == old.slice(section.oldByteRange),
                        whole.insertedText(i) == last.slice(section.newByteRange)
                    else { return "section \(i) of \(whole.dump) from \(folder)" }
                }
            }
            let backwards = TextChangeSet.composing(all.reversed().map(\.inverted))
            guard backwards?.applied(to: last) == old else { return "inverses: \(folder)" }
            guard all[0].composed(with: TextChangeSet(none: Rope(bytes: texts[1]))) == all[0],
                TextChangeSet(none: old).composed(with: all[0]) == all[0]
            else { return "identity is not neutral: \(folder)" }
            return nil
        }
    }

    @Test(arguments: RopeModelTests.seeds)
    func changesMadeAtOnceMayGoInEitherOrder(seed: UInt64) {
        check("rebase", seed) { random in
            let a = change(&random)
            let b = next(of: a.text, &random)
            let (first, second) = (a.changeSet(&random), b.changeSet(&random))
            let old = Rope(bytes: a.text)
            let (afterFirst, afterSecond) = (first.applied(to: old), second.applied(to: old))
            let left = second.mapped(over: first, in: afterFirst, isFirst: false).applied(to: afterFirst)
            let right = first.mapped(over: second, in: afterSecond, isFirst: true).applied(to: afterSecond)
            guard left == right else { return "\(left) or \(right): \(first.dump)\n\(second.dump)" }
            return nil
        }
    }

    /// Each letter occurs once, so the result shows where each text went.
    @Test(arguments: RopeModelTests.seeds)
    func insertionsOfBothSurviveOnceAndRemovalsOfEitherAreMade(seed: UInt64) {
        check("survival", seed) { random in
            var letter = UInt32(0x4e00)
            func letters(_ count: Int) -> [Unicode.Scalar] {
                (0..<count).map { _ in
                    letter += 1
                    return Unicode.Scalar(letter) ?? "?"
                }
            }
            func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
                var string = ""
                string.unicodeScalars.append(contentsOf: scalars)
                return string
            }
            let text = letters(random.below(12))
            let rope = Rope(string(text))
            func change() -> (TextChangeSet, removed: Set<Unicode.Scalar>, inserted: Set<Unicode.Scalar>) {
                var builder = TextChangeSet.Builder(over: rope)
                var removed = Set<Unicode.Scalar>()
                var inserted = Set<Unicode.Scalar>()
                var at = 0
                while at <= text.count, !random.once(in: 4) {
                    let low = min(text.count, at + random.below(4))
                    let high = min(text.count, low + random.below(4))
                    let new = letters(random.below(3))
                    builder.replace(UTF16Offset(low)..<UTF16Offset(high), with: string(new))
                    removed.formUnion(text[low..<high])
                    inserted.formUnion(new)
                    at = high
                }
                return (builder.finish(), removed, inserted)
            }
            let a = change()
            let b = change()
            let after = a.0.applied(to: rope)
            let both = b.0.mapped(over: a.0, in: after, isFirst: random.once(in: 2)).applied(to: after)
            let found = Array(both.description.unicodeScalars)
            let expected = Set(text).subtracting(a.removed).subtracting(b.removed).union(a.inserted).union(b.inserted)
            guard found.count == expected.count, Set(found) == expected else {
                return "\(both): \(a.0.dump)\n\(b.0.dump)"
            }
            return nil
        }
    }

    @Test(arguments: RopeModelTests.seeds)
    func mappingIsMonotoneAndTheSameInAllWays(seed: UInt64) {
        check("map", seed) { random in
            let model = change(&random)
            var changes = model.changeSet(&random)
            var old = Rope(bytes: model.text)
            var new = Rope(bytes: model.result)
            if random.once(in: 2) {
                changes = changes.inverted
                swap(&old, &new)
            }
            let offsets = (0...old.metrics.utf16).map { UTF16Offset($0) }
            var last: [TextAffinity: UTF16Offset] = [:]
            for bias in [TextAffinity.upstream, .downstream] {
                for offset in offsets {
                    let mapped = changes.map(offset, bias: bias)
                    guard mapped == slowMap(offset, changes, bias) else {
                        return "\(offset) \(bias) to \(mapped): \(changes.dump)"
                    }
                    guard mapped >= last[bias] ?? 0,
                        new.utf16Range.contains(mapped) || mapped == new.utf16Range.upperBound
                    else { return "\(offset) \(bias) to \(mapped), before it: \(changes.dump)" }
                    last[bias] = mapped
                    guard bias == .upstream || changes.map(offset, bias: .upstream) <= mapped else {
                        return "\(offset) upstream is behind downstream: \(changes.dump)"
                    }
                    let byte = old.byteOffset(at: offset)
                    guard old.utf16Offset(at: byte) == offset else { continue }
                    guard new.byteOffset(at: mapped) == changes.map(byte, bias: bias) else {
                        return "\(offset) in bytes: \(changes.dump)"
                    }
                }
            }
            for offset in offsets where !changes.touches(offset..<offset) {
                let mapped = changes.map(offset, bias: .upstream)
                guard mapped == changes.map(offset, bias: .downstream) else { return "\(offset): \(changes.dump)" }
                let around = max(0, offset - 1)..<min(offset + 1, old.utf16Range.upperBound)
                let now = max(0, mapped - 1)..<min(mapped + 1, new.utf16Range.upperBound)
                guard old.string(in: around) == new.string(in: now) else { return "neighbours of \(offset)" }
            }
            return nil
        }
    }

    /// The mapping rule as documented, applied section by section.
    private func slowMap(_ offset: UTF16Offset, _ changes: TextChangeSet, _ bias: TextAffinity) -> UTF16Offset {
        var result = offset
        for section in changes.changeMap {
            let (old, new) = (section.oldRange, section.newRange)
            if offset < old.lowerBound { break }
            if offset > old.upperBound {
                result = offset + (new.upperBound - old.upperBound)
            } else if !old.isEmpty, offset == old.lowerBound {
                return new.lowerBound
            } else if !old.isEmpty, offset == old.upperBound {
                result = new.upperBound
            } else if bias == .upstream {
                return new.lowerBound
            } else {
                result = new.upperBound
            }
        }
        return result
    }

    @Test(arguments: RopeModelTests.seeds)
    func mappingThroughComposedChangesIsMappingThroughEach(seed: UInt64) {
        check("map over compose", seed) { random in
            let first = change(&random)
            let a = first.changeSet(&random)
            let b = next(of: first.result, &random).changeSet(&random)
            let whole = a.composed(with: b)
            for value in 0...whole.oldLength.utf16 {
                let offset = UTF16Offset(value)
                for bias in [TextAffinity.upstream, .downstream] {
                    let inTurn = b.map(a.map(offset, bias: bias), bias: bias)
                    let atOnce = whole.map(offset, bias: bias)
                    if inTurn == atOnce { continue }
                    let isInside = whole.changeMap.contains {
                        $0.removed.utf16 > 0 && $0.inserted.utf16 > 0
                            && $0.oldRange.lowerBound <= offset && offset <= $0.oldRange.upperBound
                            && $0.newRange.lowerBound <= min(inTurn, atOnce)
                            && max(inTurn, atOnce) <= $0.newRange.upperBound
                    }
                    guard isInside else {
                        return
                            "\(offset) \(bias) to \(atOnce), \(inTurn) in turn: \(whole.dump) of \(a.dump)\n\(b.dump)"
                    }
                }
            }
            return nil
        }
    }

    @Test(arguments: RopeModelTests.seeds)
    func anOffsetMappedBackIsUnchanged(seed: UInt64) {
        check("map back", seed) { random in
            let changes = change(&random).changeSet(&random)
            for value in 0...changes.oldLength.utf16 {
                let offset = UTF16Offset(value)
                let around = changes.changeMap.filter {
                    $0.oldRange.lowerBound <= offset && offset <= $0.oldRange.upperBound
                }
                if around.contains(where: { $0.oldRange.lowerBound < offset && offset < $0.oldRange.upperBound }) {
                    continue
                }
                let back = [TextAffinity.upstream, .downstream].map { there in
                    [TextAffinity.upstream, .downstream].map {
                        changes.inverted.map(changes.map(offset, bias: there), bias: $0)
                    }
                }
                // The ends of removed text map to the same offset.
                let hasFallen = around.contains { $0.removed.utf16 > 0 && $0.inserted.utf16 == 0 }
                let isBack = back.allSatisfy {
                    hasFallen ? $0[0] <= offset && offset <= $0[1] : $0[0] == offset && $0[1] == offset
                }
                guard isBack else { return "\(offset) to \(back): \(changes.dump)" }
            }
            return nil
        }
    }
}

/// Single cases of change sets, and cases too large for the laws.
@Suite(.timeLimit(.minutes(5))) struct TextChangeSetTests {
    private func set(_ text: String, _ replacements: [(Range<Int>, String)]) -> TextChangeSet {
        var builder = TextChangeSet.Builder(over: Rope(text))
        for (range, new) in replacements {
            builder.replace(UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound), with: new)
        }
        return builder.finish()
    }

    @Test func touchingReplacementsStayApart() {
        let changes = set("abcdef", [(4..<6, "Z"), (2..<4, "Y"), (2..<2, "X")])
        #expect(changes.count == 3)
        #expect(changes.applied(to: "abcdef").description == "abXYZ")
        #expect(
            changes.map(UTF16Offset(2), bias: .upstream) == 2 && changes.map(UTF16Offset(2), bias: .downstream) == 3)
        #expect(
            changes.map(UTF16Offset(4), bias: .upstream) == 4 && changes.map(UTF16Offset(4), bias: .downstream) == 4)
    }

    @Test func touchingReplacementsThatJoinBecomeOne() {
        let changes = set("ab", [(0..<1, "\r"), (1..<2, "\n")])
        #expect(changes.count == 1 && changes.newLength.newlines == 1)
    }

    /// Carets in overwrite mode make such replacements.
    @Test func laterOverlappingReplacementGetsTheRest() {
        func changed(_ replacements: [(Range<UTF16Offset>, String)]) -> String {
            var builder = TextChangeSet.Builder(over: "abcdef")
            for (range, new) in replacements { builder.replace(range, with: new) }
            let after = builder.finish().applied(to: "abcdef")
            return after.string(in: after.byteRange)
        }
        #expect(changed([(1..<3, "x"), (2..<4, "y")]) == "axyef")
        #expect(changed([(2..<4, "y"), (1..<3, "x")]) == "axyef")
        #expect(changed([(0..<5, "x"), (1..<2, "y"), (3..<3, "z"), (4..<6, "")]) == "xyz")
        #expect(changed([(1..<3, "x"), (1..<3, "y")]) == "axydef")
    }

    @Test func aTypedRunComposesToOneSection() {
        var text = Rope("ab")
        var whole = TextChangeSet(none: text)
        for (i, letter) in "hello".enumerated() {
            let at = UTF16Offset(1 + i)
            let key = TextChangeSet(replacing: at..<at, with: Rope(String(letter)), in: text)
            text.apply(key)
            whole.append(key)
        }
        #expect(whole.count == 1 && whole.insertedText(0) == "hello" && text == "ahellob")
        #expect(whole.inverted.applied(to: text) == "ab")
    }

    /// The content of each line is removed and then its newline, or every second letter is replaced and then the
    /// others: the sections of both changes form one chain.
    @Test(arguments: [true, false]) func aChainIsComposedInSectionsNotInTheirProduct(removes: Bool) {
        let count = 2000
        let old = Rope(String(repeating: "a\n", count: count))
        func change(_ text: Rope, every step: Int, from first: Int, with new: String) -> TextChangeSet {
            var builder = TextChangeSet.Builder(over: text)
            for at in stride(from: first, to: text.metrics.utf16, by: step) {
                builder.replace(UTF16Offset(at)..<UTF16Offset(at + 1), with: new)
            }
            return builder.finish()
        }
        let first = change(old, every: 2, from: 0, with: removes ? "" : "b")
        let middle = first.applied(to: old)
        let second = change(middle, every: removes ? 1 : 2, from: removes ? 0 : 1, with: removes ? "" : ",")
        #expect(first.count == count && second.count == count)
        var composer = TextChangeComposer(first, second)
        let whole = composer.run()
        #expect(whole.count == 1 && whole.applied(to: old) == second.applied(to: middle))
        #expect(whole.inverted.applied(to: second.applied(to: middle)) == old)
        #expect(composer.steps <= 4 * (first.count + second.count))
    }

    @Test func deletionsBesideAnOffsetAreReported() {
        let changes = set("abcdefgh", [(1..<3, ""), (5..<7, "X")])
        #expect(changes.mapReporting(0, bias: .upstream).deletion == [])
        #expect(changes.mapReporting(1, bias: .upstream).deletion == [.after])
        #expect(changes.mapReporting(2, bias: .upstream).deletion == [.before, .after, .across])
        #expect(changes.mapReporting(3, bias: .upstream).deletion == [.before])
        #expect(changes.mapReporting(6, bias: .downstream).offset == 4)
    }

    /// Small and large pieces, more sections than are edited in place, and leaves that are added and removed.
    @Test(arguments: RopeModelTests.seeds)
    func manySectionsOfALongText(seed: UInt64) {
        print("many sections seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let bytes = randomBytes(&random, about: 300_000)
        let text = Rope(bytes: bytes)
        var builder = TextChangeSet.Builder(over: text)
        var expected: [UInt8] = []
        var at = 0
        for part in ArrayModel.parts(bytes) where part.byte >= at && !random.once(in: 3) {
            let isLong = random.once(in: 2000)
            let high = text.roundedDown(
                toScalar: ByteOffset(min(bytes.count, part.byte + random.below(isLong ? 5000 : 4))))
            let new = randomBytes(&random, about: random.below(isLong ? 5000 : 3))
            builder.replace(ByteOffset(part.byte)..<max(ByteOffset(part.byte), high), with: Rope(bytes: new))
            expected += bytes[at..<part.byte] + new
            at = max(part.byte, high.value)
        }
        expected += bytes[at...]
        let changes = builder.finish()
        #expect(changes.count > Rope.rebuildThreshold)
        let new = changes.applied(to: text)
        #expect(new == Rope(bytes: expected) && new.checkInvariants().isEmpty)
        guard case .many(let pair, _) = changes.texts else { return }
        var edited = text
        edited.edit(changes.changeMap, pair.inserted)
        #expect(edited == new && edited.checkInvariants().isEmpty)
        edited.edit(changes.inverted.changeMap, pair.removed)
        #expect(edited == text && edited.checkInvariants().isEmpty)
        for index in stride(from: 0, to: changes.count, by: 997) {
            let section = changes.changeMap[index]
            #expect(section.oldStart == TextPoint(text.metrics(before: ByteOffset(section.oldStart.bytes))))
            #expect(section.newStart == TextPoint(new.metrics(before: ByteOffset(section.newStart.bytes))))
            #expect(changes.removedText(index) == text.slice(section.oldByteRange))
            #expect(changes.insertedText(index) == new.slice(section.newByteRange))
        }
    }
}
