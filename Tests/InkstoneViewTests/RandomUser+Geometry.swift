import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import TextTestSupport

@testable import InkstoneView

/// Positions of characters, computed by simple geometry.
extension RandomUser {
    /// The boundaries of characters, in UTF-16 units.
    var boundaries: [Int] {
        var at = 0
        return [0]
            + model.text.map {
                at += $0.utf16.count; return at
            }
    }

    func caret(_ offset: Int, _ affinity: TextAffinity = .downstream) -> ViewRect {
        view.caretRect(for: view.position(UTF16Offset(offset), affinity))
    }

    func anyPoint(beyond: Double = 0) -> ViewPoint {
        let width = Int(view.viewport.textArea.width + 2 * beyond)
        let height = Int(view.frame.height + 2 * beyond)
        return ViewPoint(
            x: Double(random.below(width)) - beyond + 0.5, y: Double(random.below(height)) - beyond + 0.5)
    }

    /// Returns the offsets whose carets are nearest to a point, by x within the nearest line. Caret and line
    /// heights differ by a fraction of a pixel, so two lines may be equally near.
    private func nearest(_ point: ViewPoint) -> Set<Int> {
        var rows: [Double: (dy: Double, carets: [(offset: Int, dx: Double)])] = [:]
        var distance = Double.infinity
        for offset in boundaries {
            for affinity in [TextAffinity.downstream, .upstream] {
                let rect = caret(offset, affinity)
                let dy = max(0, rect.minY - point.y, point.y - rect.maxY)
                rows[rect.minY, default: (dy, [])].carets.append((offset, abs(rect.minX - point.x)))
                distance = min(distance, dy)
            }
        }
        return Set(
            rows.values.filter { $0.dy <= distance + 1 }.flatMap { row in
                let least = row.carets.map(\.dx).min() ?? 0
                return row.carets.filter { $0.dx <= least + 1.5 }.map(\.offset)
            })
    }

    /// Returns the view's offset at a point, and checks that it is one of the nearest.
    func place(_ point: ViewPoint) -> Int {
        let found = view.offset(at: point).value
        let nearest = nearest(point)
        expect(!runsOneWay || nearest.contains(found), "at \(point) is \(found), not \(nearest)")
        return found
    }

    /// Whether a click at a point scrolls nothing, because its line is fully visible; otherwise a second click may
    /// hit other text.
    func isWhole(at point: ViewPoint) -> Bool {
        let place = view.place(closestTo: point)
        let rect = caret(place.offset.value, place.affinity)
        let margin = view.theme.margin
        return rect.minY >= margin && rect.maxY <= view.frame.height - margin && rect.minY + 1 < point.y
            && point.y < rect.maxY - 1
    }

    /// Returns the character under a point; nil if there is none.
    func character(at point: ViewPoint) -> Range<Int>? {
        view.characterRange(at: point).map { $0.start.offset.value..<$0.end.offset.value }
    }

    func isSelected(at point: ViewPoint) -> Bool {
        guard let character = character(at: point), model.units[character.lowerBound].letter != 10 else { return false }
        return model.cursors[0].ranges.contains { $0.low <= character.lowerBound && character.lowerBound < $0.high }
    }

    func paragraph(at offset: Int) -> Range<Int> {
        let letters = model.units.map(\.letter)
        let start = letters[..<offset].lastIndex(of: 10).map { $0 + 1 } ?? 0
        let end = letters[offset...].firstIndex(of: 10).map { $0 + 1 } ?? letters.count
        return start..<end
    }
}
