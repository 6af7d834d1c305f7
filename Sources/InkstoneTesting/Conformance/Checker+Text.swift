import InkstoneBase
import InkstoneInput
import InkstoneText
import InkstoneUnicode

/// The boundaries of grapheme clusters in a text.
enum TextUnitsStops {
    static func of(_ units: [UInt16]) -> [Int] {
        TextBreaker.withShared(.grapheme) { breaker in
            breaker.setText(units)
            return breaker.boundaries()
        }
    }
}

extension Probe {
    /// Returns the start of the range before an offset that ``KeyInput/deleteBackward()`` deletes.
    func backspaceStart(before end: Int) -> Int {
        let start = stops.last { $0 < end } ?? 0
        return end - BackspaceRule.length(ofLastIn: string(start..<end))
    }
}

/// Laws of text, positions and selections.
extension Checker {
    func checkPlainKeyInput(_ view: any KeyInput) {
        for _ in 0..<max(1, rounds) {
            let count = Int.random(in: 1...4, using: &random)
            for _ in 0..<count { view.insertText("1") }
            expect(
                view.hasText, "after insertText(\"1\") hasText is false", mistake: "hasText is not kept up to date",
                symptom: "the keyboard's delete key stays off")
            for _ in 0..<(count + Int.random(in: 0...2, using: &random)) { view.deleteBackward() }
            expect(
                !view.hasText, "hasText is true although \(count) digits came and went",
                mistake: "deleteBackward does not delete, or hasText does not follow",
                symptom: "text cannot be deleted")
        }
    }

    func checkKeyInput(_ subject: TextInputConformance.Subject, _ text: String) {
        for round in 0..<max(5, rounds / 3) {
            let typed = ["x", "e\u{301}", "👩‍👩‍👧", "น้ำ", "한"][round % 5]
            guard let view = fresh(subject, text) else { return }
            view.select(view.units.count, view.units.count)
            view.input.insertText(typed)
            let after = Probe(view.input)
            expect(
                after.text == view.text + typed,
                "insertText(\"\(typed)\") at the end of \"\(text)\" gives \"\(after.text)\"",
                mistake: "insertText does not insert at the selection",
                symptom: "typed letters land elsewhere or vanish")
            expect(
                after.selection == after.units.count..<after.units.count,
                "after insertText the selection is \(String(describing: after.selection))",
                mistake: "the caret does not follow inserted text", symptom: "letters come out in the wrong order")
            view.input.deleteBackward()
            let deleted = Probe(view.input)
            let expected = after.string(0..<after.backspaceStart(before: after.units.count))
            expect(
                deleted.text == expected,
                "deleteBackward after \"\(after.text)\" leaves \"\(deleted.text)\", not \"\(expected)\"",
                mistake: "deleteBackward deletes a code unit or nothing, half an emoji, or all of a Thai syllable",
                symptom: "half an emoji stays behind, or a wrong vowel sign costs the syllable")
            guard let other = fresh(subject, text), let (a, b) = twoStops(other) else { return }
            other.select(a, b)
            let isDeleting = Bool.random(using: &random)
            if isDeleting { other.input.deleteBackward() } else { other.input.insertText("x") }
            let joined = Probe(other.input)
            let start = isDeleting && a == b ? other.backspaceStart(before: a) : a
            let wanted = other.string(0..<start) + (isDeleting ? "" : "x") + other.string(b..<other.units.count)
            expect(
                joined.text == wanted,
                "\(isDeleting ? "deleteBackward" : "insertText") over [\(a), \(b)) of \"\(other.text)\" gives "
                    + "\"\(joined.text)\"",
                mistake: isDeleting
                    ? "deleteBackward does not delete the selection"
                    : "insertText does not replace the selection",
                symptom: "what was selected stays, or more than that is gone")
        }
    }

    func checkOneUnit(_ view: Probe) {
        let length = view.input.offset(from: view.input.beginningOfDocument, to: view.input.endOfDocument)
        let mistake =
            "offset(from:to:) and position(from:offset:) do not both count UTF-16 units (Characters, bytes or scalars?)"
        let symptom = "the caret and corrections drift by one for each emoji or accent"
        expect(
            length == view.units.count,
            "\"\(view.text)\" has \(view.units.count) UTF-16 units, but offset(from:to:) counts \(length)",
            mistake: mistake, symptom: symptom)
        for _ in 0..<rounds {
            let a = Int.random(in: 0...view.units.count, using: &random)
            let b = Int.random(in: 0...view.units.count, using: &random)
            guard let start = view.position(a), let end = view.position(b) else {
                expect(
                    false, "position(from:offset:) is nil for \(a) or \(b) of \(view.units.count) units",
                    mistake: mistake, symptom: symptom)
                continue
            }
            let distance = view.input.offset(from: start, to: end)
            let again = view.input.position(from: start, offset: distance)
            expect(
                again.map { view.input.compare($0, to: end) == .orderedSame } ?? false,
                "position(from: a, offset: offset(from: a, to: b)) is not b for \(a) and \(b) in \"\(view.text)\"",
                mistake: mistake, symptom: symptom)
            let low = roundedToScalar(min(a, b), view.units)
            let high = roundedToScalar(max(a, b), view.units)
            if let range = view.range(a, b) {
                let got = view.input.text(in: range)
                expect(
                    got == view.string(low..<high),
                    "text(in:) of [\(low), \(high)) in \"\(view.text)\" is \(got.map { "\"\($0)\"" } ?? "nil")",
                    mistake: "text(in:) counts in another unit than positions", symptom: symptom)
            }
        }
    }

    func checkEnds(_ view: Probe) {
        let count = view.units.count
        for offset in [-1, count + 1, .max, .min, .max - 1, count + 1000] {
            expect(
                view.position(offset) == nil, "position(from: start, offset: \(offset)) is not nil in \(count) units",
                mistake: "position(from:offset:) clamps or wraps instead of returning nil",
                symptom: "walking over the text never ends, or the system selects what is not there")
        }
        let mistake = "arithmetic with offsets is not guarded against overflow"
        for _ in 0..<rounds {
            let from = Int.random(in: 0...count, using: &random)
            let by = [Int.max, .min, .max / 2, -.max, Int.random(in: -300...300, using: &random)].randomElement(
                using: &random)
            guard let start = view.position(from), let by else { continue }
            let (target, overflow) = from.addingReportingOverflow(by)
            let isInside = !overflow && (0...count).contains(target)
            expect(
                (view.input.position(from: start, offset: by) != nil) == isInside,
                "position(from: \(from), offset: \(by)) of \(count) units is \(isInside ? "nil" : "not nil")",
                mistake: mistake, symptom: "a crash, or a caret beyond the end")
        }
        expect(
            view.input.caretRect(for: view.input.endOfDocument).height > 0,
            "caretRect(for: endOfDocument) has no height in \"\(view.text)\"",
            mistake: "the end of the document (or an empty one) has no caret",
            symptom: "no caret in an empty field or after the last newline")
    }

    func checkOrder(_ view: Probe) {
        for _ in 0..<rounds {
            let a = Int.random(in: 0...view.units.count, using: &random)
            let b = Int.random(in: 0...view.units.count, using: &random)
            guard let first = view.position(a), let second = view.position(b) else { continue }
            let (x, y) = (view.offset(first), view.offset(second))
            let wanted: TextComparison = x < y ? .orderedAscending : x > y ? .orderedDescending : .orderedSame
            expect(
                view.input.compare(first, to: second) == wanted,
                "compare(\(x), to: \(y)) is \(view.input.compare(first, to: second))",
                mistake: "compare(_:to:) is the wrong way round or compares something else than place",
                symptom: "selection handles swap or jump")
            let range = view.input.textRange(from: first, to: second)
            expect(
                range.map { view.offset($0.start) == min(x, y) && view.offset($0.end) == max(x, y) } ?? false,
                "textRange(from: \(x), to: \(y)) is not [\(min(x, y)), \(max(x, y)))",
                mistake: "textRange(from:to:) does not put its ends in order",
                symptom: "dragging a selection to the left selects nothing or crashes")
        }
    }

    func checkSelection(_ view: Probe) {
        for _ in 0..<rounds {
            let a = Int.random(in: 0...view.units.count, using: &random)
            let b = Int.random(in: a...view.units.count, using: &random)
            view.select(a, b)
            guard let got = view.selection else {
                expect(
                    false, "selectedTextRange is nil after it was set to [\(a), \(b))",
                    mistake: "setting selectedTextRange does nothing", symptom: "nothing can be selected")
                continue
            }
            let isWhole = view.stops.contains(got.lowerBound) && view.stops.contains(got.upperBound)
            expect(
                isWhole,
                "selecting [\(a), \(b)) in \"\(view.text)\" gives [\(got.lowerBound), \(got.upperBound)), inside "
                    + "a cluster",
                mistake: "a selection may start or end inside a grapheme cluster",
                symptom: "half emojis are selected and copied as garbage")
            if view.stops.contains(a), view.stops.contains(b) {
                expect(
                    got == a..<b, "selecting [\(a), \(b)) gives [\(got.lowerBound), \(got.upperBound))",
                    mistake: "selectedTextRange does not keep what was set", symptom: "the selection jumps")
            }
        }
    }

    func checkReplacement(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<rounds {
            guard let view = fresh(subject, text), let (a, b) = twoStops(view), let range = view.range(a, b),
                let caret = view.stops.randomElement(using: &random)
            else { return }
            view.select(caret, caret)
            view.input.replace(range, withText: "XY")
            let after = Probe(view.input)
            let joined = view.string(0..<a) + "XY" + view.string(b..<view.units.count)
            guard
                expect(
                    after.text == joined, "replace([\(a), \(b)), \"XY\") of \"\(view.text)\" gives \"\(after.text)\"",
                    mistake: "replace(_:withText:) replaces something else than its range",
                    symptom: "corrections garble the text")
            else { continue }
            let wanted = caret < a ? caret : caret > b ? caret + 2 - (b - a) : a + 2
            let isOnEdge = caret == a || caret == b
            let got = after.selection
            let isMoved = got == wanted..<wanted || (isOnEdge && a != b && got == caret..<caret)
            expect(
                isMoved || !after.stops.contains(wanted),
                "replacing [\(a), \(b)) with the caret at \(caret) leaves it at \(String(describing: got)), not "
                    + "\(wanted)",
                mistake: "the selection is not moved along with an edit before it",
                symptom: "after a correction the caret is in another word")
        }
    }

    // MARK: Helpers

    /// Returns two random offsets at grapheme boundaries, in order; nil if there are none.
    func twoStops(_ view: Probe) -> (Int, Int)? {
        guard let a = view.stops.randomElement(using: &random), let b = view.stops.randomElement(using: &random)
        else { return nil }
        return (min(a, b), max(a, b))
    }

    func roundedToScalar(_ offset: Int, _ units: [UInt16]) -> Int {
        offset > 0 && offset < units.count && UTF16.isTrailSurrogate(units[offset])
            && UTF16.isLeadSurrogate(units[offset - 1]) ? offset - 1 : offset
    }

    func checkDirections(_ view: Probe) {
        let far: [Int] = [.max, .min, .max - 1, .min + 1]
        for _ in 0..<(rounds * 4) {
            guard let stop = view.stops.randomElement(using: &random), let position = view.position(stop),
                let direction = TextLayoutDirection.allCases.randomElement(using: &random)
            else { return }
            let steps =
                Bool.random(using: &random)
                ? Int.random(in: -3...3, using: &random) : far.randomElement(using: &random) ?? 0
            guard let found = view.input.position(from: position, in: direction, offset: steps) else { continue }
            let offset = view.offset(found)
            expect(
                view.stops.contains(offset),
                "\(steps) steps \(direction) of \(stop) in \"\(view.text)\" lead to \(offset), inside a cluster or beyond "
                    + "the text",
                mistake: "position(from:in:offset:) counts units instead of characters, or does not stop at the ends",
                symptom: "arrow keys stop inside emoji, or crash at the ends")
            guard steps == 1 || steps == -1, direction == .left || direction == .right, offset != stop else { continue }
            let back = view.input.position(from: found, in: direction, offset: -steps).map(view.offset)
            expect(
                back == stop,
                "\(steps) \(direction) of \(stop) leads to \(offset), and back from there to \(String(describing: back))",
                mistake: "left and right are not each other's opposites",
                symptom: "the caret walks when one goes to and fro")
        }
    }

    func checkWritingDirection(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<max(1, rounds) {
            guard let view = fresh(subject, text), let (a, b) = twoStops(view),
                let caret = view.stops.randomElement(using: &random)
            else { return }
            view.select(caret, caret)
            let isComposing = Bool.random(using: &random)
            if isComposing { view.input.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0)) }
            let before = Probe(view.input)
            let styled = UTF16Offset(0)..<UTF16Offset(before.units.count)
            let style = subject.style?(view.input, styled)
            let (selection, marked) = (before.selection, before.marked)
            let direction: WritingDirection = Bool.random(using: &random) ? .rightToLeft : .leftToRight
            guard let range = before.range(a, b) else { continue }
            view.input.setBaseWritingDirection(direction, for: range)
            let after = Probe(view.input)
            expect(
                after.text == before.text && after.selection == selection && after.marked == marked,
                "setBaseWritingDirection(\(direction)) for [\(a), \(b)) leaves \"\(after.text)\", selected "
                    + "\(String(describing: after.selection)), marked \(String(describing: after.marked))",
                mistake: "setBaseWritingDirection changes text, selection or marked text",
                symptom: "changing the direction of a paragraph ends what is being composed")
            if let style {
                let now = subject.style?(view.input, styled)
                expect(
                    now == style,
                    "setBaseWritingDirection(\(direction)) for [\(a), \(b)) makes \(style) \(String(describing: now))",
                    mistake: "setBaseWritingDirection replaces the other attributes of its range",
                    symptom: "changing the direction of a paragraph loses its fonts and colours")
            }
            view.input.setBaseWritingDirection(.natural, for: range)
        }
    }

    func checkFocus(_ input: any TextInput) {
        guard let responder = input as? any Responder else { return }
        expect(
            responder.canBecomeFirstResponder, "canBecomeFirstResponder is false",
            mistake: "canBecomeFirstResponder was left at its default", symptom: "the view never gets a key")
    }
}
