import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

/// Random edits through the store: the description of each is exact, and each can be undone.
@Suite(.timeLimit(.minutes(5))) struct TextStoreModelTests {
    static let edits = RopeModelTests.edits / 10

    @Test(arguments: RopeModelTests.seeds)
    func editsDescribeExactlyWhatHappened(seed: UInt64) throws {
        print("store seed \(seed), \(Self.edits) edits")
        var random = SeededGenerator(seed: seed)
        let original = Rope(bytes: randomBytes(&random, about: 2000))
        let store = TextStore(original)
        var replica = original
        var seen: [AppliedTransaction] = []
        let observation = store.observeTransactions { seen.append($0) }
        var states: [Rope] = [original]
        for i in 0..<Self.edits {
            let old = store.text
            let n = old.metrics.bytes
            let low = random.below(n + 1)
            let high = min(n, low + random.below(n > 3000 ? 200 : 12))
            let new = random.once(in: 4) ? Rope() : Rope(bytes: randomBytes(&random, about: random.below(12)))
            store.breakUndoCoalescing()
            let applied = store.replace(ByteOffset(low)..<ByteOffset(high), with: new)
            // Replacing nothing by nothing is no edit.
            if applied.before == applied.after {
                #expect(store.version == applied.after && applied.changes.isEmpty)
                continue
            }
            let edit = try #require(applied.changes.changeMap.first)
            #expect(applied.changes.count == 1)
            states.append(store.text)

            // The requested range, with its ends moved to scalar boundaries.
            let start = old.roundedDown(toScalar: ByteOffset(low))
            let end = max(start, old.roundedDown(toScalar: ByteOffset(high)))
            var expected = old.bytes(in: 0..<start) + new.bytes(in: new.byteRange)
            expected += old.bytes(in: end..<old.byteRange.upperBound)
            guard store.text.bytes(in: store.text.byteRange) == expected, store.text.checkInvariants().isEmpty else {
                Issue.record("seed \(seed), edit \(i): text or invariants")
                return
            }
            // Lengths add up in every unit, because nothing joins at the ends of the range.
            let delta = applied.changes.changeMap.delta
            guard TextPoint(old.metrics) + delta == TextPoint(store.text.metrics),
                store.text.metrics == ArrayModel.metrics(expected)
            else {
                Issue.record("seed \(seed), edit \(i): \(old.metrics) + \(delta) is not \(store.text.metrics)")
                return
            }
            let inserted = applied.changes.insertedText(0)
            replica.replace(edit.oldByteRange, with: inserted)
            #expect(replica == store.text)
            #expect(old.slice(edit.oldByteRange) == applied.changes.removedText(0))
            #expect(old.utf16Range(of: edit.oldByteRange) == edit.oldRange)
            #expect(store.text.slice(store.text.byteRange(of: edit.newRange)) == inserted)
            #expect(edit.newStart == edit.oldStart && TextPoint(inserted.metrics) == edit.inserted)
            // Paragraphs outside of the edited ones are unchanged.
            let (first, last) = (edit.oldStart.newlines, edit.oldEnd.newlines)
            #expect(old.paragraphIndex(at: edit.oldByteRange.lowerBound).value == first)
            #expect(old.paragraphIndex(at: edit.oldByteRange.upperBound).value == last)
            #expect(old.paragraphCount - last == store.text.paragraphCount - edit.newEnd.newlines)
            #expect(
                old.byteRange(of: ParagraphIndex(first)).lowerBound
                    == store.text.byteRange(of: ParagraphIndex(first)).lowerBound)
            #expect(
                old.metrics.bytes - old.byteRange(of: ParagraphIndex(last)).upperBound.value
                    == store.text.metrics.bytes
                    - store.text.byteRange(of: ParagraphIndex(edit.newEnd.newlines)).upperBound.value)
        }
        #expect(seen.count == states.count - 1 && seen.count > Self.edits / 2)
        withExtendedLifetime(observation) {}

        for state in states.dropLast().reversed() {
            #expect(store.undo() != nil)
            guard store.text == state else {
                Issue.record("seed \(seed): undo gives another text")
                return
            }
        }
        #expect(!store.canUndo && !store.isModified)
        for state in states.dropFirst() {
            store.redo()
            guard store.text == state else {
                Issue.record("seed \(seed): redo gives another text")
                return
            }
        }
        #expect(!store.canRedo && store.isModified)
    }

    @Test(arguments: RopeModelTests.seeds)
    func groupsAreTakenBackAsOne(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let store = TextStore(Rope(bytes: randomBytes(&random, about: 300)))
        var states: [Rope] = []
        for _ in 0..<200 {
            states.append(store.text)
            let group = UndoJoining.group(UndoGroupID())
            // Nearby edits of a group merge into one change; distant ones do not.
            var at = random.below(store.text.metrics.bytes + 1)
            for _ in 0..<(1 + random.below(8)) {
                let n = store.text.metrics.bytes
                at = random.once(in: 3) ? random.below(n + 1) : max(0, min(n, at + random.below(9) - 4))
                let end = min(n, at + random.below(6))
                let new = Rope(bytes: randomBytes(&random, about: random.below(8)))
                store.replace(ByteOffset(at)..<ByteOffset(end), with: new, undo: group)
            }
            if store.text == states.last { states.removeLast() }
        }
        let last = store.text
        for state in states.reversed() {
            store.undo()
            guard store.text == state else {
                Issue.record("seed \(seed): a group was not taken back whole")
                return
            }
        }
        while store.canRedo { store.redo() }
        #expect(store.text == last)
    }

    @Test(arguments: RopeModelTests.seeds)
    func oldPositionsAndAnchorsFollowTheirCharacter(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Each unit of the text is different: positions at a unit that survives must stay at it.
        var units = (0..<3000).map { UInt16(0x4e00 + $0) }
        var next = UInt16(0x4e00 + 3000)
        let store = TextStore(Rope(String(decoding: units, as: UTF16.self)))
        var positions: [(TextPosition, UInt16)] = []
        var anchors: [(TextAnchor, UInt16)] = []
        for _ in 0..<500 {
            let at = random.below(units.count)
            positions.append((store.position(at: UTF16Offset(at)), units[at]))
            anchors.append((store.makeAnchor(at: UTF16Offset(at)), units[at]))
            let low = random.below(units.count)
            let high = min(units.count, low + random.below(5))
            let new = (0..<random.below(5)).map { _ in
                next += 1
                return next
            }
            units.replaceSubrange(low..<high, with: new)
            store.replace(
                UTF16Offset(low)..<UTF16Offset(high), with: String(decoding: new, as: UTF16.self))
        }
        let places = Dictionary(uniqueKeysWithValues: units.enumerated().map { ($1, $0) })
        var survivors = 0
        for (position, unit) in positions {
            guard let place = places[unit] else { continue }
            survivors += 1
            #expect(store.offset(of: position).value == place)
        }
        for (anchor, unit) in anchors {
            guard let place = places[unit] else { continue }
            #expect(anchor.offset.value == place)
        }
        #expect(survivors > 100)
    }
}
