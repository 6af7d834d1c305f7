import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct DecorationSetTests {
    /// A flat list with the rule of a single replacement applied to each range; the tree must equal it.
    private struct Model {
        var list: [Decoration] = []

        mutating func replace(_ start: Int, _ removed: Int, _ inserted: Int) {
            let edit = DecorationEdit(start: start, removed: removed, inserted: inserted)
            list = list.compactMap { old in
                guard
                    let new = edit.map(old.range.lowerBound.value, old.range.upperBound.value, old.behavior)
                else { return nil }
                var result = old
                result.range = UTF16Offset(new.low)..<UTF16Offset(new.high)
                return result
            }
        }
    }

    private func canonical(_ decorations: [Decoration]) -> [[Int]] {
        decorations.map {
            [$0.range.lowerBound.value, $0.range.upperBound.value, Int($0.tag), Int($0.behavior.rawValue)]
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Offsets are stored in 32 bits, but a text may be longer.
    @Test func beyondFourBillionUnitsNoneIsAddedAndNoneTraps() {
        let end = UTF16Offset(Int(UInt32.max))
        var set = DecorationSet([Decoration(range: end..<(end + 1), tag: 1)])
        set.insert(Decoration(range: (end + 10)..<(end + 20), tag: 2))
        #expect(set.isEmpty)
        set.insert(Decoration(range: (end - 8)..<(end - 2), tag: 3))
        #expect(set.all.map(\.range) == [(end - 8)..<(end - 2)])
        set.replace(0..<0, byUTF16Length: 100)
        #expect(set.count == 1)
        set.replace((0..<64).map { (range: UTF16Offset($0)..<UTF16Offset($0), length: 1 << 32) })
        set.removeAll(in: 0..<UTF16Offset(.max))
        #expect(set.isEmpty)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func anyMixOfChangesEqualsAFlatList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var set = DecorationSet()
        var model = Model()
        var length = 2000
        var largest = 0
        func randomDecoration() -> Decoration {
            let low = random.below(length + 1)
            let size = random.once(in: 20) ? random.below(400) : random.below(6)
            let behavior = random.once(in: 3) ? DecorationBehavior(rawValue: UInt16(random.below(8))) : []
            return Decoration(
                range: UTF16Offset(low)..<UTF16Offset(min(length, low + size)), tag: UInt16(random.below(5)),
                behavior: behavior)
        }
        func isKept(_ new: Decoration) -> Bool { !new.range.isEmpty || new.behavior.contains(.staysWhenEmpty) }
        for step in 0..<2500 {
            // Alternate between adding and removing, so that the tree gains and loses levels.
            let isGrowing = (step / 600) % 2 == 0
            switch random.below(12) {
            case 0..<(isGrowing ? 5 : 1):
                for _ in 0..<random.below(12) {
                    let new = randomDecoration()
                    set.insert(new)
                    if isKept(new) { model.list.append(new) }
                }
            case 5 where isGrowing:
                let new = (0..<random.below(300)).map { _ in randomDecoration() }
                set.insert(contentsOf: new)
                model.list += new.filter(isKept)
            case 6:
                let low = random.below(length + 1)
                let range = UTF16Offset(low)..<UTF16Offset(min(length, low + random.below(isGrowing ? 20 : 300)))
                let tag = UInt16(random.below(5))
                set.removeAll(in: range) { $0.tag == tag }
                model.list.removeAll { old in
                    guard old.tag == tag else { return false }
                    if old.range.isEmpty || range.isEmpty {
                        return old.range.lowerBound <= range.upperBound && old.range.upperBound >= range.lowerBound
                    }
                    return old.range.overlaps(range)
                }
            case 7 where random.once(in: 3):
                // Several replacements at once, some of which touch.
                var replacements: [(range: Range<UTF16Offset>, length: Int)] = []
                var at = random.below(50)
                let most = random.once(in: 2) ? 8 : 400
                while at <= length, replacements.count < most {
                    let end = min(length, at + random.below(4))
                    replacements.append((UTF16Offset(at)..<UTF16Offset(end), random.below(4)))
                    at = end + (random.once(in: 4) ? 0 : random.below(20))
                    if replacements.last?.range.isEmpty == true { at += 1 }
                }
                set.replace(replacements)
                for one in replacements.reversed() {
                    model.replace(one.range.lowerBound.value, one.range.length(), one.length)
                    length += one.length - one.range.length()
                }
            default:
                let low = random.below(length + 1)
                let removed = min(length - low, random.once(in: 15) ? random.below(300) : random.below(4))
                let inserted = random.once(in: 15) ? random.below(400) : random.below(4)
                set.replace(UTF16Offset(low)..<UTF16Offset(low + removed), byUTF16Length: inserted)
                model.replace(low, removed, inserted)
                length += inserted - removed
            }
            largest = max(largest, set.count)
            guard step % 25 == 0 else { continue }
            let problems = set.checkInvariants()
            #expect(problems.isEmpty, "seed \(seed), step \(step): \(problems)")
            #expect(canonical(set.all) == canonical(model.list), "seed \(seed), step \(step)")
            let low = random.below(length + 1)
            let window = UTF16Offset(low)..<UTF16Offset(min(length, low + random.below(100)))
            let expected = model.list.filter {
                $0.range.isEmpty || window.isEmpty
                    ? $0.range.lowerBound <= window.upperBound && $0.range.upperBound >= window.lowerBound
                    : $0.range.overlaps(window)
            }
            #expect(canonical(set.decorations(in: window)) == canonical(expected))
            #expect(
                set.count(startingBefore: window.lowerBound)
                    == model.list.filter { $0.range.lowerBound < window.lowerBound }.count)
            if !set.isEmpty {
                let ordinal = random.below(set.count)
                #expect(set[ordinal] == set.all[ordinal])
            }
            if !problems.isEmpty || canonical(set.all) != canonical(model.list) { return }
        }
        #expect(largest > DecorationNode.leafLimit * DecorationNode.fanOut, "too few decorations to have levels")
    }

    /// A text in a notation in which the decoration is between brackets.
    struct Ends: CustomTestStringConvertible {
        var behavior: DecorationBehavior
        var replaced: Range<Int>
        var length: Int
        var expected: Range<Int>?
        var testDescription: String { "\(behavior.rawValue) \(replaced) → \(length)" }
    }

    @Test(arguments: [
        Ends(behavior: [], replaced: 4..<4, length: 2, expected: 6..<10),
        Ends(behavior: [], replaced: 8..<8, length: 2, expected: 4..<8),
        Ends(behavior: [], replaced: 6..<6, length: 2, expected: 4..<10),
        Ends(behavior: .growsAtStart, replaced: 4..<4, length: 2, expected: 4..<10),
        Ends(behavior: .growsAtEnd, replaced: 8..<8, length: 2, expected: 4..<10),
        Ends(behavior: [], replaced: 4..<8, length: 3, expected: 4..<7),
        Ends(behavior: [], replaced: 4..<8, length: 0, expected: nil),
        Ends(behavior: .staysWhenEmpty, replaced: 3..<9, length: 0, expected: 3..<3),
        Ends(behavior: [], replaced: 2..<6, length: 1, expected: 3..<5),
        Ends(behavior: [], replaced: 6..<10, length: 5, expected: 4..<6),
        Ends(behavior: [], replaced: 0..<2, length: 0, expected: 2..<6),
    ])
    func endsFollowTheirRule(_ ends: Ends) {
        var set = DecorationSet([Decoration(range: 4..<8, behavior: ends.behavior)])
        set.replace(
            UTF16Offset(ends.replaced.lowerBound)..<UTF16Offset(ends.replaced.upperBound), byUTF16Length: ends.length)
        #expect(
            set.all.map(\.range)
                == (ends.expected.map { [UTF16Offset($0.lowerBound)..<UTF16Offset($0.upperBound)] } ?? []))
    }

    @Test func aCopyKeepsWhatItWas() {
        var set = DecorationSet((0..<500).map { Decoration(range: UTF16Offset($0 * 4)..<UTF16Offset($0 * 4 + 2)) })
        let copy = set
        set.replace(100..<200, byUTF16Length: 7)
        #expect(copy.all.map(\.range.lowerBound.value) == (0..<500).map { $0 * 4 })
        #expect(set.count < 500)
    }
}
