import InkstoneBase
import InkstoneInput
import InkstoneText
import InkstoneUnicode

/// Laws of secure views, which must not reveal their text.
extension Checker {
    func checkSecrecy(_ subject: TextInputConformance.Subject, _ text: String) {
        guard let view = subject.makeSecure?(text) else { return }
        guard
            expect(
                view.isSecureTextEntry, "isSecureTextEntry is false",
                mistake: "the view does not say that it is secure",
                symptom: "input methods, traces and recovery files get what is typed")
        else { return }
        let length = view.offset(from: view.beginningOfDocument, to: view.endOfDocument)
        for _ in 0..<max(12, rounds) {
            let ends = [Int.random(in: 0...length, using: &random), Int.random(in: 0...length, using: &random)].sorted()
            checkRange(ends[0], ends[1], of: view)
        }
        checkRange(0, length, of: view)
        checkWhole(view, length)
    }

    private func checkRange(_ start: Int, _ end: Int, of view: any TextInput) {
        guard let from = view.position(from: view.beginningOfDocument, offset: start),
            let to = view.position(from: view.beginningOfDocument, offset: end),
            let range = view.textRange(from: from, to: to)
        else { return }
        let string = view.text(in: range)
        expect(
            string?.isEmpty ?? true, "text(in: \(start)..<\(end)) gives \"\(string ?? "")\"",
            mistake: "text(in:) of a secure view reveals its text",
            symptom: "on-screen keyboards and tools read passwords")
        guard let client = view as? any TextInputClient else { return }
        let found = client.attributedSubstring(forProposedRange: UTF16Range(location: start, length: end - start))
        expect(
            found?.string.string.isEmpty ?? true,
            "attributedSubstring(forProposedRange: \(start)..<\(end)) gives \"\(found?.string.string ?? "")\"",
            mistake: "attributedSubstring of a secure view reveals its text", symptom: "input methods read passwords")
        view.selectedTextRange = range
        for command in [EditCommand.copy, .cut] {
            expect(
                (view as? any Responder)?.canPerformAction(command, withSender: nil) != true,
                "canPerformAction(.\(command.rawValue)) is true with \(start)..<\(end) selected",
                mistake: "a secure view lets its selection be copied",
                symptom: "a password gets into the clipboard, where every program reads it")
        }
    }

    private func checkWhole(_ view: any TextInput, _ length: Int) {
        guard let client = view as? any TextInputClient else { return }
        let all = client.attributedString().string
        expect(
            all.isEmpty, "attributedString() gives \"\(all)\"",
            mistake: "attributedString of a secure view reveals its text", symptom: "input methods read passwords")
        let capabilities = TextInputCapabilities(of: view)
        expect(
            !capabilities.supports(.inputMethod), "input methods count as supported",
            mistake: "a secure view counts as one that takes input methods",
            symptom: "an input method learns the password as a word")
        // The boundaries of words would reveal much about a secret text. The first unit must therefore be empty or
        // the whole text.
        guard length > 0, let start = view.position(from: view.beginningOfDocument, offset: 0) else { return }
        for granularity in [TextGranularity.word, .sentence] {
            let unit = view.tokenizer.rangeEnclosingPosition(start, with: granularity, inDirection: .storage(.forward))
            let end = unit.map { view.offset(from: view.beginningOfDocument, to: $0.end) } ?? length
            expect(
                end == length || unit?.isEmpty == true, "a \(granularity) of the secret ends at \(end) of \(length)",
                mistake: "the tokenizer reveals where the words of a secret end",
                symptom: "tools learn the shape of a password")
        }
    }
}
