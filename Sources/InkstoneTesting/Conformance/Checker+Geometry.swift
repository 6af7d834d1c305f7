import InkstoneBase
import InkstoneInput
import InkstoneText

/// Laws of geometry, clamping and text units.
extension Checker {
    /// Returns the distinct visual lines in a range, by the tops of the carets there.
    private func lineTops(_ view: Probe, _ range: Range<Int>) -> Set<Double> {
        Set(
            view.stops.filter { range.contains($0) && $0 < range.upperBound }.compactMap {
                view.position($0).map { view.input.caretRect(for: $0).minY }
            })
    }

    func checkHitTest(_ view: Probe) {
        for stop in view.stops {
            guard let position = view.position(stop) else { continue }
            let caret = view.input.caretRect(for: position)
            let point = ViewPoint(x: caret.minX, y: caret.minY + caret.height / 2)
            guard let found = view.input.closestPosition(to: point) else {
                expect(
                    false, "closestPosition(to:) is nil at the caret of \(stop)",
                    mistake: "closestPosition(to:) finds nothing", symptom: "clicks are ignored")
                continue
            }
            let caretThere = view.input.caretRect(for: found)
            expect(
                view.offset(found) == stop || caretThere == caret,
                "the caret of \(stop) in \"\(view.text)\" is at \(caret), but a hit there finds \(view.offset(found))",
                mistake: "caretRect(for:) and closestPosition(to:) do not use the same coordinates (scrolled or "
                    + "not, another unit?)",
                symptom: "the caret lands beside the click, the more so when scrolled")
        }
        let far = 1e6
        for point in [
            ViewPoint(x: -far, y: -far), ViewPoint(x: far, y: far), ViewPoint(x: far, y: -far),
            ViewPoint(x: -far, y: far),
        ] {
            let found = view.input.closestPosition(to: point).map(view.offset)
            expect(
                found.map { (0...view.units.count).contains($0) } ?? false,
                "closestPosition(to: \(point)) is \(String(describing: found))",
                mistake: "closestPosition(to:) does not clamp outside of the text",
                symptom: "dragging out of the view ends the selection")
        }
        for _ in 0..<rounds {
            guard let (a, b) = twoStops(view), let range = view.range(a, b) else { continue }
            let point = ViewPoint(
                x: Double.random(in: -50...500, using: &random), y: Double.random(in: -50...200, using: &random))
            let found = view.input.closestPosition(to: point, within: range).map(view.offset)
            expect(
                found.map { $0 >= a && $0 <= b } ?? false,
                "closestPosition(to:within: [\(a), \(b))) is \(String(describing: found))",
                mistake: "closestPosition(to:within:) leaves its range", symptom: "selection handles pass each other")
        }
    }

    func checkSelectionRects(_ view: Probe) {
        for _ in 0..<rounds {
            guard let (a, b) = twoStops(view), let range = view.range(a, b) else { continue }
            let rects = view.input.selectionRects(for: range)
            if a == b {
                expect(
                    rects.allSatisfy { $0.rect.width == 0 },
                    "selectionRects of an empty range are \(rects.map(\.rect))",
                    mistake: "an empty selection has an area", symptom: "a sliver of selection beside the caret")
                continue
            }
            let tops = lineTops(view, a..<b)
            let height = view.position(a).map { view.input.caretRect(for: $0).height } ?? 0
            let tallest = rects.map(\.rect.height).max() ?? 0
            expect(
                rects.count >= tops.count && (tops.count < 2 || tallest < height * 1.9),
                "[\(a), \(b)) of \"\(view.text)\" lies on \(tops.count) lines but selectionRects gives "
                    + "\(rects.map(\.rect))",
                mistake: "selectionRects returns one bounding box (or start, middle, end) instead of one "
                    + "rectangle per visual line",
                symptom: "blank space outside the selection is highlighted, handles hang in empty rows")
            let starts = rects.count { $0.containsStart }
            let ends = rects.count { $0.containsEnd }
            expect(
                starts == 1 && ends == 1,
                "\(starts) rectangles contain the start and \(ends) the end of [\(a), \(b))",
                mistake: "containsStart and containsEnd are not set on exactly one rectangle each",
                symptom: "a handle on every line, or none")
            for (index, one) in rects.enumerated() {
                for other in rects[(index + 1)...] {
                    expect(
                        !one.rect.intersects(other.rect), "\(one.rect) and \(other.rect) overlap",
                        mistake: "selection rectangles overlap", symptom: "darker stripes in a translucent selection")
                }
            }
            expect(
                rects.allSatisfy { $0.writingDirection != .natural }, "a rectangle has the natural direction",
                mistake: "selection rectangles do not say their direction",
                symptom: "handles on the wrong side in Hebrew and Arabic")
        }
    }

    func checkFirstRect(_ view: Probe) {
        for _ in 0..<max(1, rounds / 2) {
            guard let (a, b) = twoStops(view), a < b, let range = view.range(a, b), let start = view.position(a) else {
                continue
            }
            let first = view.input.firstRect(for: range)
            let caret = view.input.caretRect(for: start)
            expect(
                first.minY >= caret.minY - 1 && first.maxY <= caret.maxY + 1,
                "firstRect(for: [\(a), \(b))) is \(first), its first line is at \(caret.minY)…\(caret.maxY)",
                mistake: "firstRect(for:) covers more than the first visual line",
                symptom: "the candidate window appears below the whole paragraph")
            guard let client = view.input as? any TextInputClient else { continue }
            let (rect, actual) = client.firstRect(forCharacterRange: UTF16Range(location: a, length: b - a))
            let isPart = actual.location == a && actual.length >= 0 && actual.location + actual.length <= b
            expect(
                isPart, "firstRect(forCharacterRange: [\(a), \(b))) says it covers \(actual)",
                mistake: "the actual range of firstRect is not the part on the first "
                    + "line", symptom: "candidates are misplaced")
            expect(
                rect.height <= caret.height * 1.9,
                "firstRect(forCharacterRange:) is \(rect) for lines of \(caret.height)",
                mistake: "firstRect(forCharacterRange:) covers more than the first visual line",
                symptom: "the candidate window appears below the whole paragraph")
        }
    }

    /// Returns whether the highlight of a character lies between its carets, with a tolerance of one pixel. May be
    /// false for the last character of a line, whose highlight may extend into the blank area beside it.
    private func isBetweenCarets(_ rect: ViewRect, of range: TextRange, _ view: Probe) -> Bool {
        var (start, end) = (range.start, range.end)
        (start.affinity, end.affinity) = (.downstream, .upstream)
        let carets = [view.input.caretRect(for: start).minX, view.input.caretRect(for: end).minX]
        return rect.minX >= (carets.min() ?? 0) - 1 && rect.maxX <= (carets.max() ?? 0) + 1
    }

    func checkRootSpace(_ view: Probe) {
        guard let client = view.input as? any TextInputClient else { return }
        let origin = client.textInputViewOrigin
        for _ in 0..<rounds {
            guard let (a, b) = twoStops(view), let range = view.range(a, b) else { continue }
            let here = a == b ? view.input.caretRect(for: range.start) : view.input.firstRect(for: range)
            let there = client.firstRect(forCharacterRange: UTF16Range(location: a, length: b - a)).rect
            expect(
                abs(there.minX - here.minX - origin.x) <= 1 && abs(there.minY - here.minY - origin.y) <= 1,
                "firstRect(forCharacterRange:) is at \(there.origin), the view's rectangle at \(here.origin) and "
                    + "the view at \(origin) of the root",
                mistake: "firstRect(forCharacterRange:) is not in root-window pixels",
                symptom: "the candidate window is in a corner of the screen")
        }
        for (start, end) in zip(view.stops, view.stops.dropFirst()) {
            guard let range = view.range(start, end), let part = view.input.selectionRects(for: range).first,
                part.rect.width > 2, view.units[start] != 0x0a, view.units[start] != 0x0d,
                isBetweenCarets(part.rect, of: range, view)
            else { continue }
            let piece = part.rect
            let middle = ViewPoint(x: piece.minX + piece.width / 2, y: piece.minY + piece.height / 2)
            let index = client.characterIndex(for: middle.converted(from: origin))
            expect(
                index == start, "characterIndex(for:) in the middle of character \(start) is \(index)",
                mistake: "characterIndex(for:) does not take root-window pixels, or rounds to the next character",
                symptom: "mouse clicks in the composition go to the wrong character")
            let quarter = piece.width / 4
            let x = part.writingDirection == .rightToLeft ? piece.maxX - quarter : piece.minX + quarter
            let fraction = client.fractionOfDistanceThroughGlyph(
                for: ViewPoint(x: x, y: middle.y).converted(from: origin))
            expect(
                abs(fraction - 0.25) <= 0.1,
                "fractionOfDistanceThroughGlyph(for:) a quarter through character \(start) is \(fraction)",
                mistake: "fractionOfDistanceThroughGlyph(for:) does not take root-window pixels, or does not count "
                    + "from the leading edge",
                symptom: "a click in the composition goes to the wrong side of a character")
            let character = UTF16Range(location: start, length: end - start)
            let height = client.firstRect(forCharacterRange: character).rect.height
            let baseline = client.baselineDeltaForCharacter(at: start)
            expect(
                baseline > 0 && baseline <= height,
                "baselineDeltaForCharacter(at: \(start)) is \(baseline) on a line of \(height) pixels",
                mistake: "baselineDeltaForCharacter(at:) is not counted from the line's top",
                symptom: "what an input method puts beside the text hangs above or below it")
        }
        for range in Self.hostile {
            expect(
                client.baselineDeltaForCharacter(at: range.location).isFinite,
                "baselineDeltaForCharacter(at: \(range.location)) is no number",
                mistake: "baselineDeltaForCharacter(at:) does not cut hostile indices", symptom: "a crash far away")
        }
    }

    func checkHostileRanges(_ subject: TextInputConformance.Subject, _ text: String) {
        guard let view = fresh(subject, text), let client = view.input as? any TextInputClient else { return }
        let count = view.units.count
        let ranges = Self.hostile + (0..<rounds / 2).map { _ in hostileRange(in: count) }
        for range in ranges {
            if let (string, actual) = client.attributedSubstring(forProposedRange: range) {
                let isInside =
                    !actual.isNotFound && actual.location >= 0 && actual.length >= 0
                    && actual.location <= count && actual.length <= count - actual.location
                let matches =
                    isInside && string.string == view.string(actual.location..<(actual.location + actual.length))
                expect(
                    matches,
                    "attributedSubstring(forProposedRange: \(range)) of \(count) units says \(actual), "
                        + "\"\(string.string)\"",
                    mistake: "attributedSubstring(forProposedRange:) does not cut the range or reports another "
                        + "than it took",
                    symptom: "input methods read garbage or crash the program")
                expect(
                    !string.string.unicodeScalars.contains("\u{fffd}"),
                    "attributedSubstring(forProposedRange: \(range)) cuts a surrogate pair",
                    mistake: "surrogate pairs are cut", symptom: "emoji turn into question marks")
            }
            let (rect, actual) = client.firstRect(forCharacterRange: range)
            expect(
                rect.minX.isFinite && rect.minY.isFinite && rect.height > 0
                    && (actual.isNotFound || (actual.location >= 0 && actual.location + actual.length <= count)),
                "firstRect(forCharacterRange: \(range)) is \(rect) for \(actual)",
                mistake: "firstRect(forCharacterRange:) does not cut hostile ranges",
                symptom: "the candidate window jumps off the screen")
        }
        for range in Self.hostile + (0..<rounds / 8).map({ _ in hostileRange(in: count) }) {
            guard let other = fresh(subject, text), let second = other.input as? any TextInputClient else { return }
            second.insertText("X", replacementRange: range)
            let after = Probe(other.input)
            expect(
                after.text.unicodeScalars.count { $0 == "X" } == 1 && after.units.count <= count + 1
                    && !after.text.unicodeScalars.contains("\u{fffd}"),
                "insertText(\"X\", replacementRange: \(range)) of \"\(other.text)\" gives \"\(after.text)\"",
                mistake: "replacementRange is not cut to the text", symptom: "a crash or lost text")
            second.setMarkedText("Y", selectedRange: range, replacementRange: range)
            let marked = second.markedRange()
            expect(
                !marked.isNotFound && marked.location >= 0
                    && marked.location + marked.length <= Probe(other.input).units.count,
                "setMarkedText(replacementRange: \(range)) marks \(marked)",
                mistake: "replacementRange is not cut to the text", symptom: "a crash or lost text")
        }
    }

    func checkTokenizer(_ view: Probe) {
        let tokenizer = view.input.tokenizer
        for granularity in [TextGranularity.character, .word, .sentence, .paragraph, .line] {
            for direction in [TextDirection.forward, .backward] {
                for _ in 0..<max(1, rounds / 20) {
                    guard let stop = view.stops.randomElement(using: &random), let position = view.position(stop)
                    else { continue }
                    if let range = tokenizer.rangeEnclosingPosition(
                        position, with: granularity, inDirection: direction)
                    {
                        let (start, end) = (view.offset(range.start), view.offset(range.end))
                        expect(
                            start <= stop && stop <= end, "the \(granularity) around \(stop) is [\(start), \(end))",
                            mistake: "rangeEnclosingPosition returns a unit that does not hold the position",
                            symptom: "a double click selects another word")
                    }
                    if let next = tokenizer.position(
                        from: position, toBoundary: granularity, inDirection: direction)
                    {
                        let offset = view.offset(next)
                        expect(
                            direction == .forward ? offset > stop : offset < stop,
                            "the next \(granularity) boundary \(direction) of \(stop) is \(offset)",
                            mistake: "position(from:toBoundary:inDirection:) does not move on",
                            symptom: "Ctrl+arrow gets stuck")
                        expect(
                            tokenizer.isPosition(next, atBoundary: granularity, inDirection: direction),
                            "\(offset), a \(granularity) boundary \(direction) of \(stop), is said to be none",
                            mistake: "the tokenizer contradicts itself about boundaries",
                            symptom: "word selection grows by half words")
                    }
                }
            }
        }
    }
}
