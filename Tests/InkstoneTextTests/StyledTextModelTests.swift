import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Random edits, attribute changes, undo and redo, compared with ``StyledModel``.
@Suite(.timeLimit(.minutes(5))) struct StyledTextModelTests {
    private static let strings = ["a", "word", " ", "\n", "x\ny", "😀", "\u{fffc}", "日本", "\n\n", "ab\u{fffc}\ncd"]

    private static func values(_ random: inout SeededGenerator) -> [String: Int] {
        var values: [String: Int] = [:]
        for name in TestKeys.names where random.once(in: 3) { values[name] = random.below(2) }
        return values
    }

    private static func range(_ random: inout SeededGenerator, in model: StyledModel) -> Range<Int> {
        let low = random.below(model.units.count + 1)
        return low..<min(model.units.count, low + random.below(random.once(in: 8) ? 30 : 4))
    }

    private static func compare(
        _ text: StyledText, _ model: StyledModel, _ place: @autoclosure () -> String,
        _ location: SourceLocation = #_sourceLocation
    ) -> Bool {
        let problems = text.checkInvariants()
        let found = StyledModel(text)
        #expect(problems.isEmpty, "\(place()): \(problems)", sourceLocation: location)
        #expect(found.description == model.description, "\(place())", sourceLocation: location)
        #expect(
            (text.runs == nil) == model.units.allSatisfy { $0.values.isEmpty }, "\(place())", sourceLocation: location)
        return problems.isEmpty && found == model
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func randomEditsAndRestylingsEqualTheModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let store = TextStore("one two\nthree\u{fffc} four\n\nfive")
            var model = StyledModel(store.styledText)
            var undo: [StyledModel] = []
            var redo: [StyledModel] = []
            /// The text as reconstructed from the notified transactions.
            var followed = store.styledText
            let observation = store.observeTransactions { applied in
                #expect(applied.styledTextBefore == followed)
                followed.apply(applied.changes)
                #expect(followed == applied.styledText)
            }
            for step in 0..<60 {
                let before = model
                let range = Self.range(&random, in: model)
                let version = store.version
                switch random.below(8) {
                case 0, 1:
                    let string = Self.strings[random.below(Self.strings.count)]
                    let inserted = random.once(in: 3) ? Self.values(&random) : nil
                    let changes = TextChangeSet(replacing: model.range(range), with: Rope(string), in: store.text)
                    store.apply(
                        Transaction(on: store, changes, insertedAttributes: inserted.map(TestKeys.attributes)))
                    model.replace(range, with: string, inserted: inserted)
                case 2:
                    store.replace(model.range(range), with: "")
                    model.replace(range, with: "")
                case 3, 4:
                    let values = Self.values(&random)
                    store.restyle { $0.merge(TestKeys.attributes(values), in: model.range(range)) }
                    model.restyle(range, .merge(values))
                case 5:
                    let values = Self.values(&random)
                    store.restyle { $0.set(TestKeys.attributes(values), in: model.range(range)) }
                    model.restyle(range, .set(values))
                case 6:
                    guard let last = undo.popLast() else { continue }
                    store.undo()
                    redo.append(model)
                    model = last
                    guard Self.compare(store.styledText, model, "seed \(seed), \(round).\(step), undo") else { return }
                    continue
                default:
                    guard let last = redo.popLast() else { continue }
                    store.redo()
                    undo.append(model)
                    model = last
                    guard Self.compare(store.styledText, model, "seed \(seed), \(round).\(step), redo") else { return }
                    continue
                }
                if store.version > version {
                    undo.append(before)
                    redo = []
                }
                guard Self.compare(store.styledText, model, "seed \(seed), \(round).\(step)") else { return }
            }
            while let last = undo.popLast() {
                store.undo()
                model = last
                guard Self.compare(store.styledText, model, "seed \(seed), \(round), all undone") else { return }
            }
            #expect(store.styledText.runs == nil, "what was typed plainly is plain again")
            withExtendedLifetime(observation) {}
        }
    }

    /// Returns a random change of several sections.
    private static func change(_ random: inout SeededGenerator, _ text: StyledText) -> TextChangeSet {
        var builder = TextChangeSet.Builder(over: text.rope)
        var at = 0
        let length = text.rope.metrics.utf16
        for _ in 0..<random.below(4) {
            at += random.below(8)
            guard at <= length else { break }
            let end = min(length, at + random.below(5))
            let low = text.rope.byteOffset(at: UTF16Offset(at))
            let high = text.rope.byteOffset(at: UTF16Offset(end))
            builder.replace(low..<max(low, high), with: Rope(bytes: randomBytes(&random, about: random.below(6))))
            at = end + 1
        }
        let changes = builder.finish()
        var after = text.rope
        after.apply(changes)
        var restyling = Restyling()
        for _ in 0..<random.below(3) {
            let low = UTF16Offset(random.below(after.metrics.utf16 + 1))
            restyling.merge(TestKeys.attributes(values(&random)), in: low..<low + random.below(10))
        }
        return text.resolved(
            changes, insertedAttributes: random.once(in: 2) ? TestKeys.attributes(values(&random)) : nil,
            restyling: restyling)
    }

    @Test(arguments: [UInt64(5), 6, 7])
    func inversesAreExactAndComposingIsApplyingBoth(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<1500 {
            let plain = Rope(bytes: randomBytes(&random, about: 30))
            var text = StyledText(plain)
            text.apply(Self.change(&random, text))
            let a = Self.change(&random, text)
            var middle = text
            middle.apply(a)
            let b = Self.change(&random, middle)
            var last = middle
            last.apply(b)
            for state in [text, middle, last] {
                let problems = state.checkInvariants()
                #expect(problems.isEmpty, "seed \(seed), \(round): \(problems)")
            }
            var back = last
            back.apply(b.inverted)
            #expect(back == middle, "seed \(seed), \(round): taken back")
            #expect(b.inverted.inverted == b)
            var whole = text
            let composed = a.composed(with: b)
            whole.apply(composed)
            #expect(whole == last, "seed \(seed), \(round): composed")
            whole.apply(composed.inverted)
            #expect(whole == text, "seed \(seed), \(round): composed and taken back")
            guard back == middle, whole == text else { return }
        }
    }

    @Test(arguments: [UInt64(8), 9])
    func unrecordedEditsStayWhenAllOthersAreUndone(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<150 {
            let store = TextStore("one two three four five six seven")
            // One view types and changes weights; a program sets links in the original text. Neither affects the
            // other's undo.
            for _ in 0..<12 {
                let length = store.text.metrics.utf16
                let low = UTF16Offset(random.below(length + 1))
                let range = low..<min(UTF16Offset(length), low + random.below(6))
                switch random.below(4) {
                case 0: store.replace(range.lowerBound..<range.lowerBound, with: "ab")
                case 1: store.restyle { $0.set(random.below(3), of: TestKeys.Weight.self, in: range) }
                case 2: store.restyle(undo: .notRecorded) { $0.set(1, of: TestKeys.Link.self, in: range) }
                default:
                    let changes = TextChangeSet(
                        replacing: range.lowerBound..<range.lowerBound, with: "X", in: store.text)
                    store.apply(
                        Transaction(on: store, changes, undo: .notRecorded, insertedAttributes: TextAttributes()))
                }
            }
            let typed = StyledModel(store.styledText)
            var steps = 0
            while store.canUndo {
                store.undo()
                steps += 1
            }
            let undone = StyledModel(store.styledText)
            let place = "seed \(seed), \(round)"
            #expect(undone.string == typed.string.filter { !"ab".contains($0) }, "\(place)")
            #expect(
                undone.units.allSatisfy { $0.values[TestKeys.Weight.name] == nil }, "\(place): \(undone.description)")
            let links = { (model: StyledModel) in
                model.units.filter { !"ab".unicodeScalars.contains($0.scalar) }.map { $0.values[TestKeys.Link.name] }
            }
            #expect(links(undone) == links(typed), "\(place)")
            #expect(store.styledText.checkInvariants().isEmpty, "\(place)")
            for _ in 0..<steps { store.redo() }
            #expect(StyledModel(store.styledText).description == typed.description, "\(place): made again")
        }
    }

    /// Bytes, scalars, UTF-16 units, clusters and runs are views of one text: a range denotes the same text in
    /// each, and its ends convert between any two and back.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func allViewsOfATextAgreeOnTheEndsOfARange(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for step in 0..<100 {
            var styled = StyledText(Rope(bytes: randomBytes(&random, about: random.below(3000))))
            for _ in 0..<4 { styled.apply(Self.change(&random, styled)) }
            let text = styled.rope
            let (all, bytes) = (text.utf16(in: text.utf16Range), text.bytes(in: text.byteRange))
            for _ in 0..<20 {
                func end() -> UTF16Offset {
                    text.utf16Offset(at: text.byteOffset(at: UTF16Offset(random.below(all.count + 1))))
                }
                let (a, b) = (end(), end())
                let range = min(a, b)..<max(a, b)
                let inBytes = text.byteRange(of: range)
                // Conversions in both directions agree.
                #expect(text.utf16Range(of: inBytes) == range)
                for (unit, byte) in [(range.lowerBound, inBytes.lowerBound), (range.upperBound, inBytes.upperBound)] {
                    let scalar = text.scalarOffset(at: unit)
                    #expect(scalar == text.scalarOffset(at: byte))
                    #expect(text.byteOffset(at: scalar) == byte && text.utf16Offset(at: scalar) == unit)
                    #expect(text.metrics(before: unit) == text.metrics(before: byte))
                    // Cluster boundaries are scalar boundaries, and enclose the offset.
                    let (low, high) = (text.roundedDown(toGrapheme: unit), text.roundedUp(toGrapheme: unit))
                    #expect(low <= unit && unit <= high)
                    for stop in [low, high] { #expect(text.utf16Offset(at: text.byteOffset(at: stop)) == stop) }
                }
                // Each view returns the same text.
                let part = styled.slice(range)
                #expect(text.utf16(in: range) == Array(all[range.lowerBound.value..<range.upperBound.value]))
                #expect(text.bytes(in: inBytes) == Array(bytes[inBytes.lowerBound.value..<inBytes.upperBound.value]))
                #expect(part.rope == text.slice(inBytes) && part.rope.metrics.utf16 == range.length())
                let scalars =
                    text.scalarOffset(at: range.upperBound).value - text.scalarOffset(at: range.lowerBound).value
                #expect(part.rope.metrics.scalars == scalars)
                // Runs cover the text without gaps, and agree with the attributes of each unit.
                var at = range.lowerBound
                for run in styled.attributes(in: range) {
                    #expect(run.range.lowerBound == at && run.range.upperBound > at, "seed \(seed), step \(step)")
                    #expect(styled.attributes(at: at) == run.attributes)
                    at = run.range.upperBound
                }
                #expect(at == range.upperBound, "seed \(seed), step \(step)")
            }
        }
    }
}
