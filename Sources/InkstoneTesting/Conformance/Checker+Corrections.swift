import InkstoneBase
import InkstoneInput
import InkstoneText

/// Laws for the requests of corrections and on-screen keyboards. For a view that is an `AsyncTextInput`, the
/// members of that protocol are tested; for any other view, those of `TextInput`.
extension Checker {
    func checkInsertionPoints(_ view: Probe) {
        let input = view.input
        for _ in 0..<rounds {
            guard let (a, b) = twoStops(view), let start = view.position(a), let end = view.position(b),
                let first = view.stops.firstIndex(of: a), let last = view.stops.firstIndex(of: b)
            else { return }
            expect(
                input.insertionOffset(from: start, to: end) == last - first
                    && input.insertionOffset(from: end, to: start) == first - last,
                "insertionOffset from \(a) to \(b) in \"\(view.text)\" is \(input.insertionOffset(from: start, to: end)), not "
                    + "\(last - first)",
                mistake: "insertion points are not grapheme clusters",
                symptom: "a keyboard's caret stops inside of an emoji")
            let there = input.position(from: start, insertionOffset: last - first).map(view.offset)
            expect(
                there == b,
                "position(from: \(a), insertionOffset: \(last - first)) is \(there.map(String.init) ?? "nil"), not \(b)",
                mistake: "steps of insertion points are no inverse of their distance",
                symptom: "a keyboard's caret drifts")
            expect(
                input.position(from: start, insertionOffset: view.stops.count - first) == nil,
                "position(from: \(a), insertionOffset: \(view.stops.count - first)) is not nil",
                mistake: "insertion points go on beyond the end",
                symptom: "a forward delete at the end deletes backward")
            checkSelectedText(view, a, b)
        }
    }

    private func checkSelectedText(_ view: Probe, _ a: Int, _ b: Int) {
        view.select(a, b)
        guard view.selection == a..<b else { return }
        let asynchronous = view.input as? any AsyncTextInput
        let selected = asynchronous.map(\.selectedText) ?? view.input.selectedText
        expect(
            a == b ? selected == nil : selected == view.string(a..<b),
            "selectedText of [\(a), \(b)) in \"\(view.text)\" is \(selected.map { "\"\($0)\"" } ?? "nil")",
            mistake: "selectedText is not nil for a caret, or not the selection's text",
            symptom: "look-up and translation offer themselves for nothing")
        let isAtStart = asynchronous?.isSelectionAtDocumentStart ?? view.input.isSelectionAtDocumentStart
        expect(
            isAtStart == (a == 0), "isSelectionAtDocumentStart of [\(a), \(b)) is \(isAtStart)",
            mistake: "isSelectionAtDocumentStart does not follow the selection's start",
            symptom: "the first word is not capitalized, or every word is")
    }

    func checkDeletion(_ subject: TextInputConformance.Subject, _ text: String) {
        for round in 0..<max(12, rounds) {
            guard let view = fresh(subject, text), let (a, b) = twoStops(view),
                let granularity = TextGranularity.allCases.randomElement(using: &random)
            else { return }
            let direction: TextStorageDirection = Bool.random(using: &random) ? .forward : .backward
            let end = round % 3 == 0 ? b : a
            view.select(a, end)
            guard view.selection == a..<end else { continue }
            let gone = a < end ? a..<end : expectedDeletion(from: a, direction, granularity, in: view)
            if let asynchronous = view.input as? any AsyncTextInput {
                asynchronous.delete(in: direction, to: granularity)
            } else {
                view.input.delete(in: direction, to: granularity)
            }
            subject.waitUntilIdle?(view.input)
            let got = Probe.wholeText(of: view.input)
            let wanted = view.string(0..<gone.lowerBound) + view.string(gone.upperBound..<view.units.count)
            expect(
                got.utf8.elementsEqual(wanted.utf8),
                "delete(in: .\(direction), to: .\(granularity)) with [\(a), \(end)) selected in \"\(view.text)\" gives \"\(got)\", not "
                    + "\"\(wanted)\"",
                mistake: a < end
                    ? "delete(in:to:) does not delete the selection alone"
                    : "delete(in:to:) does not delete to the border of the unit",
                symptom: "backspace takes too much or too little")
        }
    }

    private func expectedDeletion(
        from offset: Int, _ direction: TextStorageDirection, _ granularity: TextGranularity, in view: Probe
    ) -> Range<Int> {
        guard let caret = view.input.selectedTextRange?.start else { return offset..<offset }
        // BackSpace removes only the last scalar of some grapheme clusters.
        if direction == .backward, granularity == .character {
            return offset == 0 ? 0..<0 : view.backspaceStart(before: offset)..<offset
        }
        let tokenizer = view.input.tokenizer
        let side = TextDirection.storage(direction)
        let isRest = granularity == .line || granularity == .paragraph
        let target: TextPosition?
        if isRest, tokenizer.isPosition(caret, atBoundary: granularity, inDirection: side) {
            target = caret
        } else {
            target = tokenizer.position(from: caret, toBoundary: granularity, inDirection: side)
        }
        let edge = direction == .forward ? view.units.count : 0
        // After the last word or sentence, the rest of the text is deleted.
        let other = target.map(view.offset) ?? (granularity == .word || granularity == .sentence ? edge : offset)
        return min(offset, other)..<max(offset, other)
    }

    func checkCorrections(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<max(12, rounds / 2) {
            guard let view = fresh(subject, text), let (a, b) = twoStops(view) else { return }
            view.select(a, b)
            guard view.selection == a..<b else { continue }
            checkContext(view, a, b, subject)
            let original = view.string(a..<b)
            let isStale = Bool.random(using: &random) || original.isEmpty
            let asked = isStale ? original + "\u{2603}" : original
            let result =
                (view.input as? any AsyncTextInput)?.replaceSelectedText(asked, withText: "ZZ")
                ?? view.input.replaceSelectedText(asked, withText: "ZZ")
            subject.waitUntilIdle?(view.input)
            let got = Probe.wholeText(of: view.input)
            let wanted = isStale ? view.text : view.string(0..<a) + "ZZ" + view.string(b..<view.units.count)
            expect(
                got.utf8.elementsEqual(wanted.utf8) && result != isStale,
                "replaceSelectedText(\"\(asked)\") with [\(a), \(b)) selected in \"\(view.text)\" says \(result) and gives \"\(got)\"",
                mistake: isStale
                    ? "replaceSelectedText replaces a text that is another by now"
                    : "replaceSelectedText does not replace the selection",
                symptom: "a correction that comes late destroys what was typed since")
        }
    }

    private func checkContext(_ view: Probe, _ a: Int, _ b: Int, _ subject: TextInputConformance.Subject) {
        var answer: TextDocumentContext??
        if let asynchronous = view.input as? any AsyncTextInput {
            asynchronous.requestTextContextForAutocorrection { answer = .some($0) }
            subject.waitUntilIdle?(view.input)
        } else {
            answer = .some(view.input.textContextForAutocorrection())
        }
        guard case .some(.some(let context)) = answer else {
            expect(
                false, "no context of [\(a), \(b)) in \"\(view.text)\"", mistake: "the text context is not answered",
                symptom: "no corrections and no capitals after a sentence")
            return
        }
        let (before, after) = (view.string(0..<a), view.string(b..<view.units.count))
        let isRight =
            context.selectedText == (a < b ? view.string(a..<b) : nil)
            && (context.contextBefore.map { a > 0 && before.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
                ?? (a == 0))
            && (context.contextAfter.map { b < view.units.count && after.utf8.starts(with: $0.utf8) }
                ?? (b == view.units.count))
        expect(
            isRight, "the context of [\(a), \(b)) in \"\(view.text)\" is \(context)",
            mistake: "the text context is not what stands around the selection, or takes an empty text for none",
            symptom: "corrections are made for another text")
        guard let position = view.position(a), context.contextBefore != nil,
            let sentence = view.input.tokenizer.rangeEnclosingPosition(
                position, with: .sentence, inDirection: .backward)
        else { return }
        let start = view.offset(sentence.start)
        expect(
            (context.contextBefore ?? "").utf16.count >= a - start,
            "the context before \(a) in \"\(view.text)\" is \"\(context.contextBefore ?? "")\", although the sentence begins at \(start)",
            mistake: "the text context does not hold the sentence",
            symptom: "words are corrected without regard to the sentence")
    }

    /// Types into an asynchronous view as a window does, and checks the view's answer to each key.
    func checkKeyEntries(_ subject: TextInputConformance.Subject, _ text: String) {
        for _ in 0..<max(8, rounds / 2) {
            guard let view = fresh(subject, text), view.input is any AsyncTextInput,
                let caret = view.stops.randomElement(using: &random)
            else { return }
            view.select(caret, caret)
            guard view.selection == caret..<caret else { continue }
            let context = TextInputContext(client: view.input)
            let session = InputSession(clock: { 0 })
            session.activate(context)
            session.windowFocusChanged(true)
            let scalar = Unicode.Scalar(UInt8(ascii: "a") + UInt8.random(in: 0..<26, using: &random))
            let letter = String(Character(scalar))
            for phase in [KeyEvent.Phase.down, .up] {
                session.handle(
                    KeyEvent(phase: phase, keycode: 40, keysym: Keysym(rawValue: scalar.value), characters: letter))
                subject.waitUntilIdle?(view.input)
                expect(
                    !context.isAwaitingAnswer, "the entry of \"\(letter)\" \(phase) is not answered",
                    mistake: "a key entry is never answered", symptom: "each key takes half a second")
            }
            let got = Probe.wholeText(of: view.input)
            let wanted = view.string(0..<caret) + letter + view.string(caret..<view.units.count)
            expect(
                got.utf8.elementsEqual(wanted.utf8),
                "typing \"\(letter)\" at \(caret) in \"\(view.text)\" gives \"\(got)\"",
                mistake: got.utf8.count > wanted.utf8.count
                    ? "a key entry is answered with false although the view inserted its text"
                    : "a key entry is answered with true although the view did nothing",
                symptom: got.utf8.count > wanted.utf8.count ? "letters come twice" : "letters are lost")
            session.end()
        }
    }
}
