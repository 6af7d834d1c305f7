import Inkstone
import Testing

@testable import inkstone_editor

/// The positions of the find bar's parts, at every width that a window can have.
@Suite(.timeLimit(.minutes(5))) struct FindBarLayoutTests {
    /// Text extents, roughly those of DejaVu Sans at 12 pixels.
    private static func extents(scale: Double) -> FindBarLayout.Extents {
        FindBarLayout.Extents(
            padding: 5 * scale, lineHeight: 16 * scale, titleWidth: 47 * scale,
            labelWidths: [
                .ignoreCase: 15, .wholeWords: 12, .expression: 9, .previous: 5, .next: 5, .close: 10, .replace: 47,
                .replaceAll: 15, .replaceInSelection: 78,
            ].mapValues { $0 * scale }, usualMessage: 110 * scale, leastFieldWidth: 120 * scale)
    }

    /// Returns the find bar's layout for a width, with a message of the given width.
    private func layout(
        _ width: Double, message: Double, replaces: Bool = true, limit: Double = 1000, scale: Double = 1
    ) -> FindBarLayout {
        let extents = Self.extents(scale: scale)
        return FindBarLayout(extents, width: width, limit: limit, replaces: replaces, message: message) {
            (message / $0).rounded(.up) * extents.lineHeight
        }
    }

    @Test(arguments: [1.0, 2.0], [0.0, 95, 220]) func partsOfTheBarDoNotOverlap(_ scale: Double, _ message: Double) {
        for width in stride(from: 120 * scale, through: 1400 * scale, by: 1) {
            for replaces in [false, true] {
                for limit in [56, 90, 140, 1000] {
                    let layout = layout(
                        width, message: message * scale, replaces: replaces, limit: Double(limit) * scale, scale: scale)
                    var parts: [(String, WindowRect)] = layout.buttons.map { ("\($0)", $1) }
                    parts.append(("find", layout.findField))
                    if let field = layout.replaceField { parts.append(("replacement", field)) }
                    if let message = layout.message { parts.append(("message", message.frame)) }
                    let titles = layout.hasTitles ? 52 * scale : 0
                    for (index, (name, part)) in parts.enumerated() {
                        let isInside =
                            part.minX >= 0 && part.maxX <= width && part.minY >= 0 && part.maxY <= layout.height
                        if !isInside { Issue.record("\(name) \(part) is outside at \(width)") }
                        if name == "find" || name == "replacement", part.minX < titles {
                            Issue.record("\(name) \(part) lies on its title at \(width)")
                        }
                        for (other, rect) in parts[..<index] where rect.intersects(part) {
                            Issue.record("\(name) \(part) lies on \(other) \(rect) at \(width)")
                        }
                    }
                }
            }
        }
    }

    /// A message as wide as “1 of 2, wrapped” is placed beside the search field, a longer one below it. Either is
    /// visible as a whole.
    @Test func messagesAreSeenToTheirEnd() {
        for width in stride(from: 200.0, through: 1400, by: 1) {
            for message in [95.0, 220, 500] {
                guard let shown = layout(width, message: message).message else {
                    Issue.record("no message at \(width)")
                    continue
                }
                let room = shown.isWrapped ? shown.frame.width * shown.frame.height / 16 : shown.frame.width
                if room < message { Issue.record("\(message) pixels have \(shown) at \(width)") }
            }
        }
        #expect(layout(500, message: 95).message?.isWrapped == false)
        #expect(layout(500, message: 95).message?.frame.minY == layout(500, message: 95).findField.minY + 5)
    }

    /// The search field gets the width that the buttons and the usual message leave.
    @Test func theFieldIsAsWideAsThereIsRoom() {
        for width in stride(from: 600.0, through: 2400, by: 100) {
            let layout = layout(width, message: 95)
            let edges = FindBarLayout.Action.finding.compactMap { layout.buttons[$0]?.minX }
            #expect((edges.min() ?? .infinity) - layout.findField.maxX < 110 + 6 * 5, "\(width)")
            #expect(layout.findField.minX == 57 && layout.buttons.values.map(\.maxX).max() == width - 5)
        }
    }

    /// Regression: in a tiled window 340 pixels wide, the replacement field was 45 pixels wide beside three
    /// buttons.
    @Test(arguments: [1.0, 2.0]) func theReplacementHasAFieldThatCanBeRead(_ scale: Double) {
        for width in stride(from: 200 * scale, through: 700 * scale, by: 5) {
            let layout = layout(width, message: 0, scale: scale)
            let field = layout.replaceField?.width ?? 0
            if field < 120 * scale, field < layout.findField.width { Issue.record("\(field) of \(width)") }
            #expect(width < 280 * scale || layout.buttons.count == 9, "all buttons at \(width)")
        }
        #expect(layout(340, message: 0).replaceField?.width == layout(340, message: 0).findField.width)
        #expect(layout(340, message: 0, limit: 100).replaceField != nil, "with little height beside them")
    }

    /// Messages that come and go during typing neither move the search field nor make the bar higher.
    @Test func usualMessagesMoveNothing() {
        for width in stride(from: 300.0, through: 1400, by: 10) {
            let (empty, usual) = (layout(width, message: 0), layout(width, message: 95))
            if empty.findField != usual.findField || empty.height != usual.height {
                Issue.record("\(width): \(empty.height), \(usual.height)")
            }
        }
    }

    @Test func partsWithoutRoomAreLeftOutInAFixedOrder() {
        let all = Set(FindBarLayout.Action.finding)
        var last = all
        for width in stride(from: 500.0, through: 120, by: -1) {
            let shown = all.intersection(layout(width, message: 0).buttons.keys)
            if !shown.isSubset(of: last) { Issue.record("\(shown) at \(width)") }
            last = shown
        }
        #expect(last == [.previous, .next, .close])
        #expect(
            layout(300, message: 0, limit: 110).buttons.count == 8 && layout(300, message: 0).buttons.count == 9
                && layout(500, message: 0).buttons.count == 9)
        // If the bar may not be high enough for all parts, the replacement field and its buttons are shown before
        // the message.
        let low = layout(300, message: 220, limit: 70)
        #expect(low.replaceField != nil && low.buttons.keys.contains(.replaceAll) && low.message == nil)
    }

    @Test func buttonsWithBordersStandAsFarApartAsAnswers() throws {
        for scale in [1.0, 2.0] {
            let layout = layout(800 * scale, message: 0, scale: scale)
            let (one, all) = (try #require(layout.buttons[.replace]), try #require(layout.buttons[.replaceAll]))
            #expect(all.minX - one.maxX == 5 * scale)
        }
    }
}
