import InkstoneBase
import InkstoneInput
import InkstoneText

/// Laws of marked text and of notifications.
extension Checker {
    /// Texts such as those that input methods mark, some with several scalars in a grapheme cluster.
    private static let compositions = ["に", "にほ", "n", "한", "a😀b", "e\u{301}x", "é", "e\u{301}"]

    private func composition() -> String { Self.compositions.randomElement(using: &random) ?? "に" }

    func checkRelativeSelection(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<rounds {
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
        for round in 0..<max(Self.hostile.count, rounds / 8) {
            let hostile = round < Self.hostile.count ? Self.hostile[round] : hostileRange(in: 2)
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

    /// Returns a range that may be invalid: with random ends around a text of `count` units, or with extreme ones.
    func hostileRange(in count: Int) -> UTF16Range {
        let worst = [Int.min, .min + 1, -1, 0, count, count + 1, .max / 2, .max - 1, .max]
        func number() -> Int {
            Int.random(in: 0..<3, using: &random) == 0
                ? worst.randomElement(using: &random) ?? 0 : Int.random(in: -5...(count + 5), using: &random)
        }
        return UTF16Range(location: number(), length: number())
    }

    /// Ranges that do not fit a short text, such as negative or very large ones.
    static let hostile = [
        UTF16Range(location: -1, length: 1), UTF16Range(location: -5, length: 2), UTF16Range(location: 99, length: 1),
        UTF16Range(location: 1, length: .max), UTF16Range(location: .max - 1, length: .max), .notFound,
        UTF16Range(location: 1, length: -1), UTF16Range(location: .min, length: .max),
        UTF16Range(location: .min, length: .min),
    ]

    func checkIdempotence(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<rounds {
            guard let view = fresh(subject, text), let caret = view.stops.randomElement(using: &random) else { return }
            view.select(caret, caret)
            var last = ""
            for _ in 0..<3 {
                last = composition()
                let end = UTF16Range(location: last.utf16.count, length: 0)
                view.input.setMarkedText(last, selectedRange: end)
                let once = (view.input.selectedTextRange, view.input.markedTextRange)
                view.input.setMarkedText(last, selectedRange: end)
                expect(
                    once == (view.input.selectedTextRange, view.input.markedTextRange),
                    "the second of two equal calls setMarkedText(\"\(last)\") makes another version of the text",
                    mistake: "setMarkedText with the text that is marked already edits the text again",
                    symptom: "flicker and a change notice for every message of the input method")
            }
            let after = Probe(view.input)
            let wanted = view.string(0..<caret) + last + view.string(caret..<view.units.count)
            expect(
                after.text.utf8.elementsEqual(wanted.utf8),
                "after setMarkedText twice with the same text and then others \"\(view.text)\" is "
                    + "\"\(after.text)\", not \"\(wanted)\"",
                mistake: "setMarkedText adds to the marked text instead of replacing it",
                symptom: "every keystroke of a composition piles up: \"nにniにほ\"")
        }
    }

    func checkEndOfMarking(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<max(1, rounds / 2) {
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
            // Without marked text, setting an empty or nil marked text has no effect.
            guard let idle = fresh(subject, text), let (a, b) = twoStops(idle) else { return }
            idle.select(a, b)
            let isNil = Bool.random(using: &random)
            idle.input.setMarkedText(isNil ? nil : "", selectedRange: UTF16Range(location: 0, length: 0))
            let still = Probe(idle.input)
            expect(
                still.text == idle.text && still.selection == a..<b,
                "without marked text setMarkedText(\(isNil ? "nil" : "\"\"")) over the selection [\(a), \(b)) leaves "
                    + "\"\(still.text)\", selected \(String(describing: still.selection))",
                mistake: "setMarkedText with nothing to mark deletes the selection",
                symptom: "an input method that starts up deletes what is selected")
            // Deleting in marked text continues the composition.
            guard let deleting = fresh(subject, text) else { return }
            deleting.select(caret, caret)
            deleting.input.setMarkedText("にほん", selectedRange: UTF16Range(location: 3, length: 0))
            deleting.input.deleteBackward()
            let shorter = Probe(deleting.input)
            expect(
                shorter.text == deleting.string(0..<caret) + "にほ" + deleting.string(caret..<deleting.units.count)
                    && shorter.marked == caret..<(caret + 2),
                "deleteBackward in marked \"にほん\" gives \"\(shorter.text)\", marked "
                    + "\(String(describing: shorter.marked))",
                mistake: "deleteBackward in marked text ends the composition or deletes something else",
                symptom: "correcting half-typed text commits it")
            // Typing replaces only the selected part of marked text.
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
        for _ in 0..<max(1, rounds / 2) {
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
        for _ in 0..<rounds {
            guard let view = fresh(subject, text), let client = view.input as? any TextInputClient,
                let (a, b) = twoStops(view)
            else { return }
            view.select(a, b)
            let got = client.selectedRange()
            expect(
                got == UTF16Range(location: a, length: b - a),
                "selectedRange() is \(got), selectedTextRange [\(a), \(b))",
                mistake: "the two contracts report different "
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
                mistake: "the two contracts report different marked "
                    + "text", symptom: "the candidate window is misplaced")
            // After a deletion by the program, the selection must not extend beyond the end.
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

    func checkCompositionUndo(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<max(1, rounds) {
            guard let view = fresh(subject, text), let client = view.input as? any TextInputClient,
                let (a, b) = twoStops(view)
            else { return }
            view.select(a, b)
            client.compositionDidBegin()
            let draws = Int.random(in: 1...3, using: &random)
            for _ in 0..<draws {
                client.setMarkedText(composition(), selectedRange: .notFound, replacementRange: .notFound)
            }
            let isKept = Bool.random(using: &random)
            if isKept { client.unmarkText() } else { client.insertText("終", replacementRange: .notFound) }
            client.compositionDidEnd()
            // If the composition and its end leave the text unchanged, there is no undo step.
            if Probe.wholeText(of: view.input).utf8.elementsEqual(view.text.utf8) { continue }
            // A view without undo returns false for the command.
            guard client.doCommand(by: .undo) else { return }
            let after = Probe(view.input)
            expect(
                after.text == view.text && after.selection == a..<b && after.marked == nil,
                "undo after a composition over [\(a), \(b)) of \"\(view.text)\" leaves \"\(after.text)\", selected "
                    + "\(String(describing: after.selection))",
                mistake: "a composition is not one step of undo",
                symptom: "undo walks back through half-typed text, letter by letter")
        }
    }

    // MARK: Notifications

    /// A delegate that counts the notifications, and checks that each `will` has its `did`.
    private final class Counter: TextInputDelegate {
        var depth = 0
        var deepest = 0
        var textPairs = 0
        var selectionPairs = 0
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
        func selectionDidChange(_ textInput: (any TextInput)?) {
            selectionPairs += 1
            end()
        }
    }

    func checkNotifications(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<rounds {
            guard let view = fresh(subject, text), let (a, b) = twoStops(view) else { return }
            let counter = Counter()
            view.input.inputDelegate = counter
            defer { view.input.inputDelegate = nil }
            let name = callOfTheInputSystem(view, a, b)
            expect(
                counter.total == 0, "\(counter.total) calls of inputDelegate for \(name) by the input system",
                mistake: "inputDelegate is called around what the input system did itself",
                symptom: "the keyboard forgets what it was composing after every letter")
            view.input.unmarkText()
            counter.depth = 0
            if let client = view.input as? any TextInputClient {
                let commands: [EditCommand] = [.selectAll, .deleteForward, .moveWordLeft, .undo, .redo]
                let command = commands.randomElement(using: &random) ?? .selectAll
                client.doCommand(by: command)
                checkPairs(counter, "the command \(command)")
            }
            if let select = subject.select {
                let now = Probe(view.input)
                guard let (c, d) = twoStops(now) else { return }
                let isNew = now.selection != c..<d
                counter.selectionPairs = 0
                select(view.input, UTF16Offset(c)..<UTF16Offset(d))
                checkPairs(counter, "a click of the user")
                expect(
                    !isNew || counter.selectionPairs == 1,
                    "a click of the user makes \(counter.selectionPairs) selection pairs",
                    mistake: "inputDelegate is not notified of selections by the user",
                    symptom: "the keyboard goes on correcting the word that the caret has left")
            }
            guard let edit = subject.edit else { continue }
            let now = Probe(view.input)
            guard let (c, d) = twoStops(now) else { return }
            counter.textPairs = 0
            edit(view.input, UTF16Offset(c)..<UTF16Offset(d), "z")
            checkPairs(counter, "an edit by the program")
            expect(
                counter.textPairs == 1, "an edit by the program makes \(counter.textPairs) text pairs",
                mistake: "inputDelegate is not notified of edits by the program",
                symptom: "the keyboard's idea of the text is stale: corrections hit the wrong place")
        }
    }

    /// Makes a random one of the calls that only the input system makes, and returns its name.
    private func callOfTheInputSystem(_ view: Probe, _ a: Int, _ b: Int) -> String {
        view.select(a, b)
        let range = UTF16Range(location: a, length: b - a)
        let client = view.input as? any TextInputClient
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            view.input.insertText("a")
            return "insertText"
        case 1:
            view.input.deleteBackward()
            return "deleteBackward"
        case 2:
            if let range = view.range(a, b) { view.input.replace(range, withText: "d") }
            return "replace"
        case 3:
            view.input.setMarkedText("b", selectedRange: UTF16Range(location: 1, length: 0))
            view.input.unmarkText()
            return "setMarkedText and unmarkText"
        case 4:
            view.input.setMarkedText("b", selectedRange: UTF16Range(location: 1, length: 0))
            view.input.setMarkedText(nil, selectedRange: UTF16Range(location: 0, length: 0))
            return "setMarkedText(nil)"
        case 5:
            client?.setMarkedText("c", selectedRange: .notFound, replacementRange: range)
            client?.insertText("c", replacementRange: .notFound)
            return "a commit"
        default:
            client?.insertText("c", replacementRange: range)
            return "insertText(_:replacementRange:)"
        }
    }

    private func checkPairs(_ counter: Counter, _ what: String) {
        expect(
            counter.depth == 0 && !counter.isUnbalanced,
            "\(what) makes \(counter.isUnbalanced ? "a did without will" : "a will without did")",
            mistake: "willChange and didChange of inputDelegate do not come in pairs",
            symptom: "autocorrection stops working or corrects the wrong word")
        expect(
            counter.deepest <= 1, "\(what) nests will calls \(counter.deepest) deep",
            mistake: "will and did pairs are nested", symptom: "the keyboard ignores the change")
        counter.depth = 0
        counter.deepest = 0
        counter.isUnbalanced = false
    }

    func checkBindings(_ subject: TextInputConformance.Subject, _ text: String) {
        guard let bind = subject.bind else { return }
        for _ in 0..<max(1, rounds / 3) {
            guard let view = fresh(subject, text), view.input is any TextInputClient,
                let caret = view.stops.randomElement(using: &random)
            else { return }
            checkBinding(view, caret, bind, subject.echo)
        }
    }

    private func checkBinding(
        _ view: Probe, _ caret: Int, _ bind: (any TextInput, @escaping (String) -> Void) -> Void,
        _ echo: ((any TextInput, String) -> Void)?
    ) {
        var reported: [String] = []
        bind(view.input) { reported.append($0) }
        view.select(caret, caret)
        let draws = (0..<Int.random(in: 1...3, using: &random)).map { _ in composition() }
        for draw in draws {
            view.input.setMarkedText(draw, selectedRange: UTF16Range(location: draw.utf16.count, length: 0))
        }
        expect(
            reported.isEmpty, "a binding reported \(reported) while text was marked",
            mistake: "bindings report half-composed text",
            symptom: "a program that stores or echoes text breaks composing")
        let before = view.string(0..<caret)
        let behind = view.string(caret..<view.units.count)
        if let echo {
            echo(view.input, view.text)
            let now = Probe(view.input)
            expect(
                now.text == before + (draws.last ?? "") + behind && now.marked != nil,
                "a binding that writes the old text back in mid-composition leaves \"\(now.text)\", marked "
                    + "\(String(describing: now.marked))",
                mistake: "an echo of the old text is applied in mid-composition",
                symptom: "Japanese cannot be typed into a bound field")
        }
        let isKept = Bool.random(using: &random)
        if isKept {
            view.input.unmarkText()
        } else {
            (view.input as? any TextInputClient)?.insertText("終", replacementRange: .notFound)
        }
        let result = before + (isKept ? draws.last ?? "" : "終") + behind
        expect(
            reported == [result],
            "after the \(isKept ? "end of the composition" : "commit") a binding has reported \(reported)",
            mistake: "bindings do not report once when a composition ends",
            symptom: "what was composed is not saved until the next key")
    }
}
