import InkstoneBase
import InkstoneInput
import InkstoneText

/// Laws of marked text and of who is told of what.
extension Checker {
    private static let compositions = ["に", "にほ", "n", "한", "a😀b", "e\u{301}x"]

    private func composition() -> String { Self.compositions.randomElement(using: &random) ?? "に" }

    func checkRelativeSelection(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<min(rounds, 200) {
            guard let view = fresh(subject, text), let caret = view.stops.randomElement(using: &random) else { return }
            let marked = composition()
            let length = marked.utf16.count
            let inner = TextUnitsStops.of(Array(marked.utf16)).randomElement(using: &random) ?? 0
            view.select(caret, caret)
            view.input.setMarkedText(marked, selectedRange: UTF16Range(location: inner, length: 0))
            let after = Probe(view.input)
            guard
                expect(
                    after.marked == caret..<(caret + length),
                    "setMarkedText(\"\(marked)\") at \(caret) marks \(String(describing: after.marked))",
                    mistake: "markedTextRange is not where the marked text was put",
                    symptom: "the underline and the candidate window are in the wrong place")
            else { continue }
            expect(
                after.selection == (caret + inner)..<(caret + inner),
                "setMarkedText(\"\(marked)\", selectedRange: \(inner)) at \(caret) puts the caret at "
                    + "\(String(describing: after.selection)), not \(caret + inner)",
                mistake: after.selection == inner..<inner
                    ? "selectedRange is taken as a range of the document, not of the marked text"
                    : "selectedRange of setMarkedText is ignored",
                symptom: after.selection == inner..<inner
                    ? "the caret and the candidate window jump to the start of the text while composing"
                    : "the clause being converted is not shown, and arrows inside the composition do nothing")
        }
        guard let view = fresh(subject, text) else { return }
        view.select(0, 0)
        for hostile in Self.hostile {
            view.input.setMarkedText("ab", selectedRange: hostile)
            let after = Probe(view.input)
            let isInside = after.selection.map { $0.lowerBound >= 0 && $0.upperBound <= 2 } ?? false
            expect(
                isInside && after.marked == 0..<2,
                "setMarkedText(\"ab\", selectedRange: \(hostile)) selects \(String(describing: after.selection))",
                mistake: "selectedRange of setMarkedText is not cut to the marked text",
                symptom: "a crash or a lost caret with some input methods")
        }
    }

    static let hostile = [
        UTF16Range(location: -1, length: 1), UTF16Range(location: -5, length: 2), UTF16Range(location: 99, length: 1),
        UTF16Range(location: 1, length: .max), UTF16Range(location: .max - 1, length: .max), .notFound,
        UTF16Range(location: 1, length: -1), UTF16Range(location: .min, length: .max),
        UTF16Range(location: .min, length: .min),
    ]

    func checkIdempotence(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<min(rounds, 200) {
            guard let view = fresh(subject, text), let caret = view.stops.randomElement(using: &random) else { return }
            view.select(caret, caret)
            var last = ""
            for _ in 0..<3 {
                last = composition()
                for _ in 0..<2 {
                    view.input.setMarkedText(last, selectedRange: UTF16Range(location: last.utf16.count, length: 0))
                }
            }
            let after = Probe(view.input)
            let wanted = view.string(0..<caret) + last + view.string(caret..<view.units.count)
            expect(
                after.text == wanted,
                "after setMarkedText twice with the same text and then others \"\(view.text)\" is "
                    + "\"\(after.text)\", not \"\(wanted)\"",
                mistake: "setMarkedText adds to the marked text instead of replacing it",
                symptom: "every keystroke of a composition piles up: \"nにniにほ\"")
        }
    }

    func checkEndOfMarking(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<min(rounds, 100) {
            guard let view = fresh(subject, text), let caret = view.stops.randomElement(using: &random) else { return }
            let marked = composition()
            view.select(caret, caret)
            view.input.setMarkedText(marked, selectedRange: UTF16Range(location: 0, length: 0))
            view.input.unmarkText()
            let kept = Probe(view.input)
            let wanted = view.string(0..<caret) + marked + view.string(caret..<view.units.count)
            expect(
                kept.text == wanted, "unmarkText leaves \"\(kept.text)\", not \"\(wanted)\"",
                mistake: "unmarkText deletes the marked text instead of accepting it",
                symptom: "clicking away while composing loses what was typed")
            expect(
                kept.marked == nil, "after unmarkText markedTextRange is \(String(describing: kept.marked))",
                mistake: "unmarkText leaves text "
                    + "marked", symptom: "an underline stays, and the next key replaces the text")
            guard let other = fresh(subject, text) else { return }
            other.select(caret, caret)
            other.input.setMarkedText(marked, selectedRange: UTF16Range(location: 0, length: 0))
            other.input.setMarkedText(nil, selectedRange: UTF16Range(location: 0, length: 0))
            let cancelled = Probe(other.input)
            expect(
                cancelled.text == other.text && cancelled.marked == nil,
                "setMarkedText(nil) leaves \"\(cancelled.text)\", marked \(String(describing: cancelled.marked))",
                mistake: "setMarkedText(nil) does not remove the marked text",
                symptom: "Escape does not cancel a composition")
            // A selected part of marked text is all that typing replaces.
            guard let third = fresh(subject, text) else { return }
            third.select(caret, caret)
            third.input.setMarkedText("abcd", selectedRange: UTF16Range(location: 1, length: 2))
            third.input.insertText("X")
            let typed = Probe(third.input)
            expect(
                typed.text == third.string(0..<caret) + "aXd" + third.string(caret..<third.units.count)
                    && typed.marked == nil,
                "insertText over [1, 3) of marked \"abcd\" gives \"\(typed.text)\", marked "
                    + "\(String(describing: typed.marked))",
                mistake: "insertText throws away the marked text around the selection",
                symptom: "accepting an inline completion deletes what was typed")
        }
    }

    func checkCommit(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<min(rounds, 100) {
            guard let view = fresh(subject, text), let client = view.input as? any TextInputClient,
                let caret = view.stops.randomElement(using: &random), let (a, b) = twoStops(view)
            else { return }
            view.select(caret, caret)
            client.setMarkedText(composition(), selectedRange: .notFound, replacementRange: .notFound)
            client.insertText("終", replacementRange: .notFound)
            let after = Probe(view.input)
            expect(
                after.text == view.string(0..<caret) + "終" + view.string(caret..<view.units.count)
                    && after.marked == nil,
                "a commit over marked text in \"\(view.text)\" gives \"\(after.text)\"",
                mistake: "insertText(_:replacementRange:) does not replace the marked text",
                symptom: "committed text stands beside the composition: \"にほん日本\"")
            guard let other = fresh(subject, text), let second = other.input as? any TextInputClient else { return }
            second.setMarkedText(
                "再", selectedRange: .notFound, replacementRange: UTF16Range(location: a, length: b - a))
            let marked = Probe(other.input)
            expect(
                marked.text == other.string(0..<a) + "再" + other.string(b..<other.units.count)
                    && marked.marked == a..<(a + 1),
                "setMarkedText over [\(a), \(b)) gives \"\(marked.text)\", marked \(String(describing: marked.marked))",
                mistake: "replacementRange of setMarkedText is ignored",
                symptom: "reconversion writes a second copy of the word")
        }
    }

    func checkAgreement(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<min(rounds, 200) {
            guard let view = fresh(subject, text), let client = view.input as? any TextInputClient,
                let (a, b) = twoStops(view)
            else { return }
            view.select(a, b)
            let got = client.selectedRange()
            expect(
                got == UTF16Range(location: a, length: b - a),
                "selectedRange() is \(got), selectedTextRange [\(a), \(b))",
                mistake: "the two contracts tell of different "
                    + "selections", symptom: "input methods act on the wrong text")
            expect(
                client.markedRange().isNotFound && !client.hasMarkedText(),
                "without marked text markedRange() is \(client.markedRange())",
                mistake: "markedRange() is not the not-found sentinel when nothing is marked",
                symptom: "an input method believes that it composes and swallows keys")
            view.input.setMarkedText("xy", selectedRange: UTF16Range(location: 1, length: 0))
            expect(
                client.markedRange() == UTF16Range(location: a, length: 2) && client.hasMarkedText(),
                "markedRange() is \(client.markedRange()) for text marked at \(a)",
                mistake: "the two contracts tell of different marked "
                    + "text", symptom: "the candidate window is misplaced")
            // Deletions by the program must not leave ranges beyond the end.
            guard let edit = subject.edit else { continue }
            view.input.unmarkText()
            let count = Probe(view.input).units.count
            view.select(count, count)
            edit(view.input, 0..<UTF16Offset(count), "")
            let range = client.selectedRange()
            expect(
                range.isNotFound || range.location + range.length <= Probe(view.input).units.count,
                "after the program deleted all text selectedRange() is \(range)",
                mistake: "the selection is not cut to the text after an outside deletion",
                symptom: "whoever reads the selection crashes, far from the view")
        }
    }

    // MARK: Being told

    private final class Counter: TextInputDelegate {
        var depth = 0
        var deepest = 0
        var textPairs = 0
        var isUnbalanced = false
        var total = 0

        private func begin() {
            depth += 1
            deepest = max(deepest, depth)
            total += 1
        }
        private func end() {
            depth -= 1
            if depth < 0 { isUnbalanced = true }
            total += 1
        }
        func textWillChange(_ textInput: (any TextInput)?) { begin() }
        func textDidChange(_ textInput: (any TextInput)?) {
            textPairs += 1
            end()
        }
        func selectionWillChange(_ textInput: (any TextInput)?) { begin() }
        func selectionDidChange(_ textInput: (any TextInput)?) { end() }
    }

    func checkNotifications(_ subject: TextInputConformance.Subject, _ text: String) {
        guard let view = fresh(subject, text) else { return }
        let counter = Counter()
        view.input.inputDelegate = counter
        defer { view.input.inputDelegate = nil }
        let mistake = "inputDelegate is called around what the input system did itself"
        view.select(view.units.count, view.units.count)
        view.input.insertText("a")
        view.input.setMarkedText("b", selectedRange: UTF16Range(location: 1, length: 0))
        view.input.unmarkText()
        view.input.deleteBackward()
        (view.input as? any TextInputClient)?.insertText("c", replacementRange: .notFound)
        if let all = Probe(view.input).range(0, 0) { view.input.replace(all, withText: "d") }
        expect(
            counter.total == 0, "\(counter.total) calls of inputDelegate for edits by the input system",
            mistake: mistake, symptom: "the keyboard forgets what it was composing after every letter")
        guard let edit = subject.edit else { return }
        for _ in 0..<min(rounds, 100) {
            let now = Probe(view.input)
            guard let (a, b) = twoStops(now) else { return }
            let before = counter.textPairs
            counter.isUnbalanced = false
            counter.deepest = 0
            edit(view.input, UTF16Offset(a)..<UTF16Offset(b), "z")
            expect(
                counter.depth == 0 && !counter.isUnbalanced,
                "an edit by the program makes \(counter.isUnbalanced ? "a did without will" : "a will without did")",
                mistake: "textWillChange and textDidChange do not come in pairs",
                symptom: "autocorrection stops working or corrects the wrong word")
            counter.depth = 0
            expect(
                counter.textPairs == before + 1,
                "an edit by the program makes \(counter.textPairs - before) text pairs",
                mistake: "inputDelegate is not told of edits by the program",
                symptom: "the keyboard's idea of the text is stale: corrections hit the wrong place")
            expect(
                counter.deepest <= 1, "will calls are nested \(counter.deepest) deep",
                mistake: "will and did pairs are nested", symptom: "the keyboard ignores the change")
        }
    }

    func checkBindings(_ subject: TextInputConformance.Subject, _ text: String) {
        guard let bind = subject.bind, let view = fresh(subject, text) else { return }
        var heard: [String] = []
        bind(view.input) { heard.append($0) }
        view.select(view.units.count, view.units.count)
        view.input.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        view.input.setMarkedText("にほ", selectedRange: UTF16Range(location: 2, length: 0))
        expect(
            heard.isEmpty, "a binding heard \(heard) while text was marked",
            mistake: "bindings are told of half-composed "
                + "text", symptom: "a program that stores or echoes text breaks composing")
        subject.echo?(view.input, view.text)
        let now = Probe(view.input)
        expect(
            now.text == view.text + "にほ" && now.marked != nil,
            "a binding that writes the old text back in mid-composition leaves \"\(now.text)\", marked "
                + "\(String(describing: now.marked))",
            mistake: "an echo of the old text is applied in mid-composition",
            symptom: "Japanese cannot be typed into a bound field")
        (view.input as? any TextInputClient)?.insertText("日", replacementRange: .notFound)
        guard view.input is any TextInputClient else { return }
        expect(
            heard == [view.text + "日"], "after the commit a binding has heard \(heard)",
            mistake: "bindings are not told once when a composition ends",
            symptom: "what was composed is not saved until the next key")
    }
}
