import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The work for a key and for a scroll step does not grow with the text. It is counted, not timed, in texts of one
/// kilobyte and of a hundred megabytes (four in a debug build), of many lines and of one.
@Suite(.timeLimit(.minutes(5))) struct CostTests {
    /// The work done for the view since the last query.
    private struct Cost: Equatable, CustomStringConvertible {
        /// Paragraphs, or fragments of long paragraphs, that were laid out.
        var layouts = 0
        /// Glyphs passed to the canvas.
        var glyphs = 0
        /// Other drawing calls.
        var fills = 0
        /// The rectangles reported for repainting, and their area in pixels.
        var damages = 0
        var area = 0.0

        var description: String {
            "\(layouts) layouts, \(glyphs) glyphs, \(fills) fills, \(damages) damages of \(Int(area)) pixels"
        }

        /// Raises each number to the other cost's if that is larger.
        mutating func grow(to other: Cost) {
            (layouts, glyphs) = (max(layouts, other.layouts), max(glyphs, other.glyphs))
            (fills, damages) = (max(fills, other.fills), max(damages, other.damages))
            area = max(area, other.area)
        }

        /// Whether this cost is at most `factor` times another, plus a constant. A paragraph of more than some
        /// thousand units is laid out in fragments, some of them around the caret, regardless of its length.
        func isWithin(_ factor: Int, of other: Cost) -> Bool {
            layouts <= factor * other.layouts + 20 && glyphs <= factor * other.glyphs + 20
                && fills <= factor * other.fills + 8 && damages <= factor * other.damages + 4
                && area <= Double(factor) * other.area + 1000
        }
    }

    /// Counts the work for the view of a scene, which repaints only the reported rectangles.
    private final class Counter: TextLayoutManagerDelegate {
        let scene: ViewScene
        private var cost = Cost()

        init(_ text: Rope) {
            scene = ViewScene(store: TextStore(text), frame: WindowRect(x: 0, y: 0, width: 500, height: 160))
            scene.view.layout.delegate = self
        }

        func textLayoutManager(
            _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in textElement: any TextElement
        ) -> (any CustomTextLayoutFragment)? {
            cost.layouts += 1
            return nil
        }

        /// Repaints the reported rectangles; returns the cost since the last call.
        func takeCost() -> Cost {
            let damage = scene.damage + scene.moves.map(\.0)
            (scene.damage, scene.moves) = ([], [])
            let visible = damage.map { $0.intersection(scene.view.bounds) }.filter { !$0.isEmpty }
            let canvas = scene.paint(
                visible.map { WindowRect(x: $0.minX, y: $0.minY, width: $0.width, height: $0.height) })
            cost.glyphs += canvas.glyphs.count
            cost.fills += canvas.operations.count
            cost.damages += visible.count
            cost.area += visible.reduce(0) { $0 + $1.width * $1.height }
            defer { cost = Cost() }
            return cost
        }
    }

    static let large = isOptimized ? 100_000_000 : 4_000_000
    private static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    /// Returns so many bytes of a repeated pattern, which may end with a newline.
    private static func text(_ pattern: String, bytes count: Int) -> Rope {
        let pattern = Array(pattern.utf8)
        let block = [UInt8]((0..<max(1, min(count, 1 << 20) / pattern.count)).flatMap { _ in pattern })
        var builder = RopeBuilder()
        var length = 0
        while length < count {
            block.withUnsafeBytes { builder.append($0) }
            length += block.count
        }
        return builder.finish()
    }

    /// Returns the maximum cost of keys and steps at several positions in a text: a letter may or may not move the
    /// last word of its line, and those of the lines below, to the next line.
    private static func mostCosts(of text: Rope) -> [(name: String, cost: Cost, time: Double)] {
        (0..<8).map { costs(of: text, behindMiddle: 7 * $0) }.reduce(into: costs(of: text)) { most, costs in
            for index in most.indices {
                most[index].cost.grow(to: costs[index].cost)
                most[index].time = max(most[index].time, costs[index].time)
            }
        }
    }

    /// Returns the cost of keys and steps in the middle of a text, or some units after it, each at its second
    /// repetition.
    private static func costs(
        of text: Rope, behindMiddle distance: Int = 0
    ) -> [(name: String, cost: Cost, time: Double)] {
        let counter = Counter(text)
        let view = counter.scene.view
        let middle = view.store.text.utf16Range.upperBound.value / 2 + distance
        view.select(Selection(caret: UTF16Offset(middle)))
        view.setFrame(WindowRect(x: 0, y: 0, width: 501, height: 160))
        _ = counter.takeCost()
        let actions: [(String, () -> Void)] = [
            ("a letter", { view.insertText("x", replacementRange: .notFound) }),
            ("Backspace", { view.perform(.deleteBackward) }),
            ("Return", { view.insertText("\n", replacementRange: .notFound) }),
            ("taking it back", { view.perform(.undo) }),
            ("Down", { view.perform(.moveDown) }),
            ("Up", { view.perform(.moveUp) }),
            ("Right", { view.perform(.moveRight) }),
            ("scrolling down", { view.scroll(by: view.presenter.lineStep) }),
            ("scrolling up", { view.scroll(by: -view.presenter.lineStep) }),
            (
                "composing",
                {
                    view.setMarkedText(
                        "に", selectedRange: UTF16Range(location: 1, length: 0), replacementRange: .notFound)
                }
            ),
            ("committing", { view.insertText("日", replacementRange: .notFound) }),
        ]
        var result = actions.map { ($0.0, Cost(), Double.infinity) }
        for round in 0..<12 {
            for (index, action) in actions.enumerated() {
                let start = Self.processorTime
                action.1()
                let cost = counter.takeCost()
                // The first repetition lays out newly visible lines.
                guard round > 1 else { continue }
                if round == 2 { result[index].1 = cost }
                result[index].2 = min(result[index].2, Self.processorTime - start)
            }
        }
        return result
    }

    /// The processor time of this thread in milliseconds.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
    }

    @Test(arguments: ["A line of some forty letters, as it is.\n", "words without an end of the line "])
    func aKeyAndAStepCostTheSameInALargeText(_ pattern: String) {
        let small = Self.mostCosts(of: Self.text(pattern, bytes: 1000))
        let large = Self.costs(of: Self.text(pattern, bytes: Self.large))
        for (small, large) in zip(small, large) {
            #expect(small.cost.glyphs > 0 || small.cost.fills > 0, "\(small.name) is painted")
            #expect(
                large.cost.isWithin(2, of: small.cost), "\(small.name): \(large.cost), in a small text \(small.cost)")
            // Work that is neither layout nor painting shows in the least time of ten repetitions: one pass over
            // the whole text would take a thousand times as long.
            #expect(
                large.time <= 20 * small.time + 1, "\(small.name): \(large.time) ms, in a small text \(small.time) ms")
        }
    }

    /// The cost of applying and undoing a transaction with many sections is proportional to their number. Layout,
    /// painting and notifications are counted; other work shows in the least time of several repetitions.
    @Test func aTransactionOfManySectionsCostsWhatItsSectionsDo() {
        func cost(_ count: Int) -> (work: Cost, time: Double) {
            let counter = Counter(Self.text("A line of some forty letters, as it is.\n", bytes: 40 * count))
            let view = counter.scene.view
            _ = counter.takeCost()
            var received = 0
            let observation = view.store.observeTransactions { _ in received += 1 }
            var result = (work: Cost(), time: Double.infinity)
            for round in 0..<4 {
                var builder = TextChangeSet.Builder(over: view.store.text)
                builder.reserve(count)
                for section in 0..<count {
                    builder.replace(UTF16Offset(40 * section)..<UTF16Offset(40 * section + 1), with: "The")
                }
                let changes = builder.finish()
                let start = Self.processorTime
                view.store.apply(Transaction(on: view.store, changes))
                view.session.undo()
                result.time = min(result.time, Self.processorTime - start)
                let work = counter.takeCost()
                if round == 1 { result.work = work }
            }
            #expect(received == 8 && view.store.text.metrics.bytes >= 40 * count)
            withExtendedLifetime(observation) {}
            return result
        }
        let (few, many) = (cost(Self.isOptimized ? 10_000 : 1000), cost(Self.isOptimized ? 100_000 : 10_000))
        #expect(few.work.fills > 0 && many.work.isWithin(2, of: few.work), "\(many.work), of a tenth \(few.work)")
        // The time would grow a hundredfold if each section were compared with all others.
        #expect(many.time <= 20 * few.time + 5, "\(many.time) ms, of a tenth \(few.time) ms")
    }
}
