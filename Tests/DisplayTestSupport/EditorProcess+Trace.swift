import Glibc
import InkstoneTesting

/// Queries of the editor's trace and of the screen.
extension EditorProcess {
    /// The lines of the trace so far that are of one type: `key`, `im`, `call`, `spot`, `state` and so on.
    package func records(_ type: String) -> [LogEntry] {
        trace.refresh()
        return trace.entries.filter { $0["type"]?.text == type }
    }

    /// The calls of one name that the text view has had from its input context so far.
    package func calls(_ name: String) -> [LogEntry] { records("call").filter { $0["call"]?.text == name } }

    /// The text being composed, as the view holds it; nil if there is none.
    package var markedText: String? {
        for call in records("call").reversed() {
            switch call["call"]?.text {
            case "setMarkedText": return call["text"]?.text.flatMap { $0.isEmpty ? nil : $0 }
            case "insertText", "unmarkText", "compositionDidEnd": return nil
            default: continue
            }
        }
        return nil
    }

    /// The range that the last call selected within the marked text, as start and end in UTF-16 units.
    package var markedSelection: [Int] {
        let range = calls("setMarkedText").last?["selectedRange"]?.items.compactMap(\.integer) ?? []
        return range.count == 2 ? [range[0], range[0] + range[1]] : range
    }

    /// Waits until there are more than `count` calls of a name.
    package func waitForCall(_ name: String, after count: Int, within milliseconds: Int = 5000) throws {
        try waitUntil("a call of \(name)", within: milliseconds, instead: { self.report() }) {
            calls(name).count > count
        }
    }

    /// Waits until the marked text is `expected`.
    package func waitForMarkedText(_ expected: String?, within milliseconds: Int = 5000) throws {
        try waitUntil(
            "the marked text \(expected as Any)", within: milliseconds, instead: { self.report() }
        ) { markedText == expected }
    }

    /// Waits until what has been inserted, one call after the other, is one of the texts and nothing is being composed.
    package func waitForInsertedText(_ expected: [String], within milliseconds: Int = 5000) throws {
        try waitUntil(
            "\(expected) to be inserted", within: milliseconds, instead: { self.report() }
        ) { markedText == nil && expected.contains(calls("insertText").compactMap { $0["text"]?.text }.joined()) }
    }

    /// Waits until keys go to the input method of this name.
    package func waitForInputMethod(_ name: String, within milliseconds: Int = 5000) throws {
        try waitUntil("the editor to use \(name)", within: milliseconds, instead: { self.report() }) {
            let state = records("state").last
            return state?["phase"]?.text == "ready" && state?["server"]?.text == name
        }
    }

    /// Waits until keys go to a real input method.
    package func waitForInputMethod(_ method: RealInputMethod) throws { try waitForInputMethod(method.serverName) }

    /// Cancels the composition with Escape, and waits until the input method has dropped it. ibus-x11 1.5.27
    /// sometimes crashes if a client disconnects before.
    package func cancelComposition() throws {
        var known = -1
        try waitUntil("the composition to end", instead: { self.report() }) {
            let count = records("call").count
            guard markedText != nil else { return true }
            // Each Escape undoes one step: the candidates, the conversion, the letters.
            if count != known { session.probe.strike(.escape) }
            known = count
            return false
        }
    }

    /// The caret on the screen, in root pixels; nil while it is not shown.
    package func caret() -> PixelRect? { inRoot { $0.caret() } }

    /// Waits until the caret is seen (it blinks) and gives it in root pixels.
    package func waitForCaret() throws -> PixelRect {
        try waitFor("the caret on the screen", watching: [session.probe.descriptor]) {
            session.probe.drainEvents()
            return caret()
        }
    }

    /// The text beside which candidates belong, in root pixels: the first line of the target clause if one is
    /// shown, otherwise the caret.
    package func composedPlace(lineHeight: Int) -> PixelRect? {
        inRoot { $0.firstLine(of: EditorColor.targetClause, lineHeight: lineHeight) ?? $0.caret() }
    }

    private func inRoot(_ find: (Screenshot) -> PixelRect?) -> PixelRect? {
        let window = currentWindow
        guard let shot = session.probe.screenshot(of: window), let rect = find(shot) else { return nil }
        return PixelRect(
            left: rect.left + window.x, top: rect.top + window.y, right: rect.right + window.x,
            bottom: rect.bottom + window.y)
    }
}

extension EditorProcess {
    /// The target clause of the last marked text, as start and end in UTF-16 units; nil if nothing is being composed or none is marked.
    package var markedTarget: [Int]? {
        guard markedText != nil, let call = calls("setMarkedText").last else { return nil }
        let clause = (call["clauses"]?.items ?? []).first { $0.items.last?.text == "target" }
        return clause?.items.compactMap(\.integer)
    }
}

extension EditorProcess {
    /// Types a key and waits until it was inserted.
    package func waitForInsertion(of text: String) throws {
        let count = calls("insertText").count
        session.probe.type(text)
        try waitForCall("insertText", after: count, within: 10_000)
    }

    /// Waits until the text is there and can be typed into.
    package func waitForText() throws {
        let directory = "\(session.home)/.local/state/inkstone/recovery"
        try waitUntil("its text", within: 10_000, instead: { self.report() }) {
            TemporaryDirectory.names(in: directory).contains { isJournal("\(directory)/\($0)") }
        }
    }

    /// Whether a journal belongs to the editor's file, which is recorded once the start of the file was read.
    package func isJournal(_ path: String) -> Bool {
        // Compare bytes: as a string, a combining mark next to the path might join one of its letters.
        (try? TextFiles.bytes(path))?.contains(file.utf8) == true
    }
}
