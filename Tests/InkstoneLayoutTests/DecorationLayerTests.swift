import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

@Suite(.timeLimit(.minutes(5))) struct DecorationLayerTests {
    private let red = RenderingAttributes(foreground: Color(rgb: 0xff0000))
    private let wave = RenderingAttributes(underline: .wavy)
    private let yellow = RenderingAttributes(background: Color(rgb: 0xffff00))

    private func run(_ low: Int, _ high: Int, _ appearance: RenderingAttributes) -> RenderingRun {
        RenderingRun(range: UTF16Offset(low)..<UTF16Offset(high), attributes: appearance)
    }

    @Test func higherLayersAreSeenOverLowerOnes() {
        var layers = DecorationLayers()
        layers[.search].add([4..<8], attributes: red.merging(yellow))
        layers[.rendering].add([0..<6], attributes: RenderingAttributes(foreground: .white))
        layers[.spelling].add([2..<5], attributes: wave)
        #expect(
            layers.runs(in: 0..<20) == [
                run(0, 2, RenderingAttributes(foreground: .white)),
                run(2, 4, RenderingAttributes(foreground: .white).merging(wave)),
                run(4, 5, wave.merging(red).merging(yellow)), run(5, 8, red.merging(yellow)),
            ])
    }

    @Test func equalNeighboursOfOverlappingRangesAreOneRun() {
        var layers = DecorationLayers()
        layers[.search].add([0..<4, 2..<6], attributes: yellow)
        #expect(layers.runs(in: 0..<20) == [run(0, 6, yellow)])
    }

    /// Merging or replacing rendering attributes equals an array of attributes for each unit.
    @Test(arguments: [UInt64(1), 2, 3])
    func stylesOfRangesEqualAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = [RenderingAttributes](repeating: RenderingAttributes(), count: 200)
        var layer = DecorationLayer()
        for step in 0..<2000 {
            let low = random.below(200)
            let high = min(200, low + random.below(30))
            let range = UTF16Offset(low)..<UTF16Offset(high)
            let appearance = [red, wave, yellow][random.below(3)]
            if random.below(4) == 0 {
                layer.update(range) { _ in nil }
                for unit in low..<high { model[unit] = RenderingAttributes() }
            } else {
                layer.update(range) { $0.merging(appearance) }
                for unit in low..<high { model[unit] = model[unit].merging(appearance) }
            }
            var seen = [RenderingAttributes](repeating: RenderingAttributes(), count: 200)
            var end: UTF16Offset = 0
            for run in layer.runs(in: 0..<200) {
                #expect(run.range.lowerBound >= end, "runs overlap, seed \(seed), step \(step)")
                end = run.range.upperBound
                for unit in run.range.lowerBound.value..<run.range.upperBound.value { seen[unit] = run.attributes }
            }
            guard seen == model else {
                Issue.record("seed \(seed), step \(step)")
                return
            }
        }
    }

    /// A decoration that covered another one still does after an update of some text.
    @Test(arguments: UInt64(1)...4) func anUpdateKeepsTheOrderOfOverlappingDecorations(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func color(_ number: Int) -> RenderingAttributes { RenderingAttributes(foreground: Color(rgb: UInt32(number))) }
        for round in 0..<300 {
            var layers = DecorationLayers()
            var model = [RenderingAttributes](repeating: RenderingAttributes(), count: 24)
            var added: [(range: Range<Int>, appearance: RenderingAttributes)] = []
            for number in 1...8 {
                let low = random.below(8) * 2
                added.append((low..<low + 1 + random.below(8), color(number)))
                layers[.rendering].add(
                    [UTF16Offset(low)..<UTF16Offset(added.last?.range.upperBound ?? low)], attributes: color(number))
            }
            for one in added.enumerated().sorted(by: {
                ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
            }) { for unit in one.element.range { model[unit] = one.element.appearance } }
            let low = random.below(12)
            let high = low + 1 + random.below(8)
            layers[.rendering].update(UTF16Offset(low)..<UTF16Offset(high)) { appearance in
                appearance.foreground == nil ? nil : appearance.merging(wave)
            }
            for unit in low..<high where model[unit].foreground != nil { model[unit] = model[unit].merging(wave) }
            var seen = [RenderingAttributes](repeating: RenderingAttributes(), count: 24)
            for run in layers.runs(in: 0..<24) {
                for unit in run.range.lowerBound.value..<run.range.upperBound.value { seen[unit] = run.attributes }
            }
            guard seen == model else {
                Issue.record("seed \(seed), round \(round): \(added) changed in \(low)..<\(high)")
                return
            }
        }
    }

    @Test func moreStylesThanTagsKeepThoseInUse() {
        var layer = DecorationLayer()
        layer.add([0..<2], attributes: red)
        for number in 0..<70_000 {
            layer.update(4..<6) { _ in RenderingAttributes(foreground: Color(rgb: UInt32(number))) }
        }
        #expect(layer.runs(in: 0..<3) == [run(0, 2, red)])
        #expect(layer.runs(in: 4..<6).map(\.attributes.foreground) == [Color(rgb: 69_999)])
    }

    /// A layer that is read only now and then equals one that follows each edit at once.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func layersCatchUpWhenTheyAreRead(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let ids: [DecorationLayerID] = [.rendering, .spelling, .search]
        let store = TextStore(Rope(String(repeating: "some words ", count: 40)))
        var layers = DecorationLayers()
        var eager = [DecorationSet](repeating: DecorationSet(), count: ids.count)
        var mostPending = 0
        for step in 0..<400 {
            let length = store.text.utf16Range.upperBound.value
            let low = random.below(length + 1)
            let range = UTF16Offset(low)..<UTF16Offset(min(length, low + random.below(12)))
            let which = random.below(ids.count)
            switch random.below(12) {
            case 0..<8:
                let edit = store.replace(range, with: String(repeating: "x", count: random.below(8)))
                layers.apply(edit.changes.changeMap)
                let ranges = edit.coveringRanges
                for index in ids.indices { eager[index].replace(ranges.old, byUTF16Length: ranges.new.length()) }
            case 8, 9:
                layers[ids[which]].add([range], attributes: red)
                if !range.isEmpty { eager[which].insert(Decoration(range: range)) }
            case 10 where random.once(in: 4):
                layers[ids[which]].removeAll()
                eager[which] = DecorationSet()
            default:
                let layer = layers[ids[which]]
                let expected = eager[which].all.map(\.range)
                #expect((0..<layer.count).map { layer.range($0) } == expected, "seed \(seed), step \(step)")
            }
            mostPending = max(mostPending, layers.pendingChanges)
        }
        #expect(mostPending > 10, "edits were only noted")
        _ = layers.runs(in: 0..<10)
        #expect(layers.pendingChanges == 0)
        for (index, id) in ids.enumerated() {
            let layer = layers[id]
            #expect((0..<layer.count).map { layer.range($0) } == eager[index].all.map(\.range), "seed \(seed)")
        }
    }

    @Test func notedEditsAreBounded() {
        var layers = DecorationLayers()
        let store = TextStore(Rope("0123456789"))
        let first = store.replace(0..<0 as Range<UTF16Offset>, with: "a")
        layers.apply(first.changes.changeMap)
        #expect(layers.pendingChanges == 0, "nobody has to follow it")
        layers[.search].add([2..<5], attributes: yellow)
        for count in 1...10_000 {
            layers.apply(store.replace(0..<0 as Range<UTF16Offset>, with: "a").changes.changeMap)
            #expect(layers.pendingChanges <= 4096, "after \(count)")
        }
        #expect(layers[.search].range(0) == 10_002..<10_005)
    }
}
