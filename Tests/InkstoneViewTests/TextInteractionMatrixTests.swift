import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Every selecting gesture × granularity × direction, between all offsets of a text, compared with a short model,
/// in the view and in a plain `TextInput`.
@Suite(.timeLimit(.minutes(5))) struct TextInteractionMatrixTests {
    /// A gesture that leads from one offset to another.
    enum Way: CaseIterable {
        /// A drag from one offset to the other.
        case drag
        /// A drag to one end of the text, across to the other, and back.
        case wander
        /// A click, and another with Shift.
        case shiftClick
        /// A click, and two with Shift: the first of them on the other side.
        case shiftTwice
        /// A drag, and another one with Shift across both ends.
        case shiftDrag
    }

    static let text = "ab cde, f\n\ngh  ijk\nl"
    static let granularities: [TextGranularity] = [.character, .word, .paragraph]

    // MARK: The model

    /// Returns the unit at an offset: words and the text between them, or paragraphs with their newline.
    static func unit(_ granularity: TextGranularity, at offset: Int) -> Range<Int> {
        let units = Array(text.utf16)
        let newline = UInt16(10)
        var start = offset
        while start > 0, units[start - 1] != newline { start -= 1 }
        var end = offset
        while end < units.count, units[end] != newline { end += 1 }
        switch granularity {
        case .character: return offset..<offset
        case .paragraph: return start..<min(end + 1, units.count)
        default:
            guard start < end else { return offset..<offset }
            func kind(_ index: Int) -> Int {
                let unit = units[index]
                return unit == 32 ? 0 : unit == 44 ? 1 : 2
            }
            let at = offset == end ? offset - 1 : offset
            var (low, high) = (at, at + 1)
            func same(_ a: Int, _ b: Int) -> Bool { kind(a) == kind(b) }
            while low > start, same(low - 1, at) { low -= 1 }
            while high < end, same(high, at) { high += 1 }
            return low..<high
        }
    }

    /// Returns the expected anchor and head.
    static func expected(_ granularity: TextGranularity, from: Int, to: Int) -> (anchor: Int, head: Int) {
        if granularity == .character { return (from, to) }
        let first = unit(granularity, at: from)
        let last = unit(granularity, at: to)
        if to < first.lowerBound { return (first.upperBound, min(first.lowerBound, last.lowerBound)) }
        return (first.lowerBound, max(first.upperBound, last.upperBound))
    }

    // MARK: The gestures

    /// Performs pointer events in a view, with long times between gestures.
    private final class Hand {
        let interaction: TextInteraction
        let input: any TextInput
        var time: UInt32 = 0

        init(_ interaction: TextInteraction, _ input: any TextInput) {
            self.interaction = interaction
            self.input = input
        }

        func point(_ offset: Int) -> ViewPoint {
            let position = input.position(from: input.beginningOfDocument, offset: offset) ?? input.endOfDocument
            let caret = input.caretRect(for: position)
            return ViewPoint(x: caret.minX + 1, y: caret.minY + caret.height / 2)
        }

        func send(_ kind: PointerEvent.Kind, _ offset: Int, _ modifiers: KeyModifiers = []) {
            interaction.handle(
                PointerEvent(
                    kind: kind, location: WindowPoint(x: 0, y: 0), modifiers: modifiers, isPrimaryDown: true,
                    timestamp: time), at: point(offset))
            time += 10
        }

        func press(_ offset: Int, count: Int, _ modifiers: KeyModifiers = []) {
            time += 10_000
            for index in 0..<count {
                if index > 0 { send(.release(.primary), offset) }
                send(.press(.primary), offset, modifiers)
            }
        }

        func go(_ way: Way, _ granularity: TextGranularity, from: Int, to: Int) {
            let count = granularity == .character ? 1 : granularity == .word ? 2 : 3
            let length = TextInteractionMatrixTests.text.utf16.count
            press(from, count: count)
            switch way {
            case .drag: send(.motion, to)
            case .wander: for place in [0, length, to] { send(.motion, place) }
            case .shiftClick:
                send(.release(.primary), from)
                press(to, count: 1, .shift)
            case .shiftTwice:
                send(.release(.primary), from)
                press(to < from ? length : 0, count: 1, .shift)
                send(.release(.primary), to < from ? length : 0)
                press(to, count: 1, .shift)
            case .shiftDrag:
                send(.motion, to < from ? 0 : length)
                send(.release(.primary), 0)
                press(length, count: 1, .shift)
                for place in [0, to] { send(.motion, place) }
            }
            send(.release(.primary), to)
        }
    }

    /// Covers INT 21 of the checklist for interaction.
    @Test(arguments: Way.allCases, granularities) func theViewSelectsAsTheModel(
        _ way: Way, _ granularity: TextGranularity
    ) {
        let scene = ViewScene("|")
        scene.view.text = Self.text
        let hand = Hand(scene.view.interaction, scene.view)
        var wrong: [String] = []
        let length = Self.text.utf16.count
        for from in 0...length {
            for to in 0...length {
                scene.view.select(Selection(caret: 0))
                hand.go(way, granularity, from: from, to: to)
                let found = (scene.view.selection?.anchor.value, scene.view.selection?.head.value)
                let expected = Self.expected(granularity, from: from, to: to)
                if found != expected { wrong.append("\(from)–\(to): \(found), not \(expected)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(8).joined(separator: "; "))")
    }

    /// Covers INT 21 of the checklist for interaction.
    @Test(arguments: Way.allCases, granularities) func aPlainTextInputSelectsAsTheModel(
        _ way: Way, _ granularity: TextGranularity
    ) {
        let field = ReferenceTextView(Self.text)
        let interaction = TextInteraction(for: .editable, clock: { 0 })
        interaction.textInput = field
        let hand = Hand(interaction, field)
        var wrong: [String] = []
        let length = Self.text.utf16.count
        for from in 0...length {
            for to in 0...length {
                interaction.cancel()
                field.selectedTextRange = TextRange(start: field.beginningOfDocument, end: field.beginningOfDocument)
                hand.go(way, granularity, from: from, to: to)
                let ends = Self.expected(granularity, from: from, to: to)
                let expected = min(ends.anchor, ends.head)..<max(ends.anchor, ends.head)
                let found = field.content.selection.map { $0.lowerBound.value..<$0.upperBound.value }
                if found != expected { wrong.append("\(from)–\(to): \(String(describing: found)), not \(expected)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(8).joined(separator: "; "))")
    }
}
