import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Every input method with every behaviour: the matrix that `scripts/test-input-methods` prints.
    @Suite struct JourneyInputMethods {
        /// The most common methods, or all of them in the long tests; `INKSTONE_INPUT_METHODS` selects those whose
        /// names contain its value.
        static var methods: [RealInputMethod] {
            if let part = setting("INKSTONE_INPUT_METHODS") {
                return RealInputMethod.everyone.filter { $0.description.contains(part) }
            }
            return setting("INKSTONE_LONG_TESTS") == nil ? RealInputMethod.commonest : RealInputMethod.everyone
        }

        /// All behaviours; `INKSTONE_INPUT_METHOD_BEHAVIOURS` selects those whose names contain its value.
        static var behaviours: [InputMethodBehaviour] {
            let part = setting("INKSTONE_INPUT_METHOD_BEHAVIOURS")
            return InputMethodBehaviour.allCases.filter { part.map($0.rawValue.contains) ?? true }
        }

        static func setting(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }

        @Test(arguments: methods)
        func behaves(_ method: RealInputMethod) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let course = try InputMethodCourse(method, in: session)
            if method == Self.methods.first {
                for limit in InputMethodLimit.all { print("limit|\(limit.mark)|\(limit.evidence)") }
            }
            for behaviour in Self.behaviours {
                let start = Deadline.now
                var cell = "FAILED"
                do {
                    cell = try course.run(behaviour)
                } catch {
                    Issue.record(error, "\(method): \(behaviour.rawValue)")
                    try course.recover()
                }
                // scripts/test-input-methods parses these lines.
                print("matrix|\(method)|\(behaviour.rawValue)|\(cell)|\(Int(Deadline.now - start)) ms")
            }
        }

        @Test(.enabled(if: getenv("INKSTONE_LONG_TESTS") != nil))
        func anEmojiIsComposedAndCommitted() throws {
            let session = try DesktopSession()
            defer { session.end() }
            try InputMethodCourse(RealInputMethod(.ibus, .mozc), in: session).composeEmoji()
        }
    }
}

/// A behaviour to test, which is a column of the matrix.
enum InputMethodBehaviour: String, CaseIterable, Sendable {
    case type, convert, commit, edit, cancel
    case clickAway = "click away"
    case switchWindows = "switch windows"
    case kill, restart
}

/// Runs the behaviours with one input method, each in an editor of its own on the document `end😀`, newline, `😀<|>`.
final class InputMethodCourse {
    /// The final text was not an expected one.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private let method: RealInputMethod
    private let session: DesktopSession
    private let lesson: InputMethodLesson
    private var running: RunningInputMethod
    private var editors: [EditorProcess] = []
    private var count = 0
    /// Milliseconds between keys: fast, but possible for a typist.
    private let pace = 15

    init(_ method: RealInputMethod, in session: DesktopSession) throws {
        self.method = method
        self.session = session
        lesson = .of(method)
        running = try method.start(in: session)
    }

    /// Returns the cell of the matrix: `ok`, or the mark of the server's limit that was observed.
    func run(_ behaviour: InputMethodBehaviour) throws -> String {
        let limit = InputMethodLimit.all.first { $0.behaviour == behaviour && $0.applies(method) }
        if let limit, limit.instead == nil { return limit.mark }
        defer {
            for editor in editors { editor.end() }
            editors = []
        }
        if !running.isServing { running = try running.restart() }
        let editor = try open(x: 40)
        let outcome: (texts: [String], rest: [String]) =
            switch behaviour {
            case .type: (try type(editor), [""])
            case .convert: ([try convert(editor)], [""])
            case .commit: (try commit(editor), [""])
            case .edit: (try edit(editor), [""])
            case .cancel: (try cancel(editor), [""])
            case .clickAway: (try clickAway(editor), lesson.short.texts)
            case .switchWindows: (try switchWindows(editor), [""])
            case .kill: (try killed(editor), [""])
            case .restart: (try restarted(editor), [""])
            }
        func documents(_ texts: [String]) -> [String] {
            texts.flatMap { text in outcome.rest.map { "end😀\($0)\n😀<\(text)>\n" } }
        }
        let good = documents(outcome.texts)
        // Traces end at the first save, so wait until the input method has finished.
        if getenv("INKSTONE_TRACES") != nil { try waitUntilIdle(editor, quiet: 500) }
        let saved = try editor.save(expectingOneOf: good + documents(limit?.instead?(lesson) ?? []))
        try record(behaviour.rawValue, editor, saved)
        // Escape turns nabi off for the window's ID, which the next editor's window will reuse.
        if behaviour == .cancel, method.framework == .nabi { try recover() }
        return good.contains(saved) ? "ok" : limit?.mark ?? "FAILED"
    }

    /// Composes a candidate of two UTF-16 units, followed by more preedit.
    func composeEmoji() throws {
        let editor = try open(x: 40)
        session.probe.type("sushi", pause: pace)
        try editor.waitForMarkedText("すし")
        var tries = 0
        while editor.markedText?.contains("🍣") != true, tries < 60 {
            let known = editor.calls("setMarkedText").count
            session.probe.strike(.space)
            try editor.waitForCall("setMarkedText", after: known)
            tries += 1
        }
        try waitUntilIdle(editor)
        session.probe.strike(.enter)
        try waitUntil("the composition to end", instead: { editor.report() }) { editor.markedText == nil }
        try waitUntilIdle(editor)
        try record("emoji", editor, try editor.save(expectingOneOf: ["end😀\n😀<🍣>\n"]))
    }

    /// Restarts the server, in case a failure has left it in an unknown state.
    func recover() throws { running = try running.restart() }

    // MARK: Behaviours: what should stand in the end

    private func type(_ editor: EditorProcess) throws -> [String] {
        try compose(editor)
        let inserted = editor.calls("insertText").compactMap { $0["text"]?.text }.joined()
        guard inserted == lesson.finished else { throw unexpected("“\(inserted)” is in the text already", editor) }
        session.probe.strike(lesson.ending, pause: pace)
        return lesson.texts
    }

    private func commit(_ editor: EditorProcess) throws -> [String] {
        try compose(editor)
        session.probe.strike(lesson.ending, pause: 0)
        return lesson.texts
    }

    private func convert(_ editor: EditorProcess) throws -> String {
        guard let converting = lesson.converting else { throw unexpected("nothing to convert", editor) }
        try compose(editor)
        let known = editor.calls("insertText").count
        session.probe.strike(converting.asking, pause: pace)
        var shown: String?
        if converting.asking == " " {
            // A Return that arrives together with the conversion overtakes it in ibus 1.5.27, which then commits
            // nothing.
            if method.onTheSpot {
                try waitUntil("a clause to be converted", instead: { editor.report() }) { editor.markedTarget != nil }
                shown = editor.markedText
            } else {
                try waitUntilIdle(editor)
            }
        } else {
            _ = try session.probe.waitForWindow("the candidates of \(method)") { method.ownsCandidateWindow($0) }
            try waitUntilIdle(editor)
        }
        session.probe.strike(converting.taking, pause: pace)
        try waitUntil("something to be inserted", instead: { editor.report() }) {
            editor.calls("insertText").count > known && editor.markedText == nil
        }
        let text = editor.calls("insertText").compactMap { $0["text"]?.text }.joined()
        guard shown == nil || text == shown else { throw unexpected("“\(text)” for “\(shown ?? "")”", editor) }
        // Emoji count as converted: for 你好, fcitx5's pinyin offers 👋 second, from fcitx5-chinese-addons 5.1 on.
        let converted = [0x370..<0xac00, 0x1f300..<0x20000]
        guard text.unicodeScalars.contains(where: { scalar in converted.contains { $0.contains(Int(scalar.value)) } })
        else {
            throw unexpected("“\(text)” is not converted", editor)
        }
        return text
    }

    private func edit(_ editor: EditorProcess) throws -> [String] {
        try compose(editor)
        session.probe.strike(lesson.editing, pause: pace)
        return lesson.edited
    }

    private func cancel(_ editor: EditorProcess) throws -> [String] {
        try compose(editor)
        session.probe.strike("⎋", pause: pace)
        try waitUntil("the composition to end", instead: { editor.report() }) { editor.markedText == nil }
        try waitUntilIdle(editor)
        return [lesson.finished]
    }

    private func clickAway(_ editor: EditorProcess) throws -> [String] {
        let caret = try editor.waitForCaret()
        let shown = try compose(editor)
        session.probe.click(x: caret.left + 300, y: caret.top - caret.height / 2)
        try waitUntil("the composition to end", instead: { editor.report() }) { editor.markedText == nil }
        session.probe.strike(lesson.short.keys, pause: pace)
        return shown.map { lesson.finished + $0 }
    }

    private func switchWindows(_ editor: EditorProcess) throws -> [String] {
        let shown = try compose(editor)
        let other = try open(x: 660)
        session.probe.strike(lesson.short.keys, pause: pace)
        try other.save(expectingOneOf: lesson.short.texts.map { "end😀\n😀<\($0)>\n" })
        // When ibus handles a late key of a window, it gives the engine back to that window and drops the other
        // window's composition (1.5.27, `_ic_process_key_event`). So wait until it has handled the releases of the
        // keys that saved.
        try waitUntilIdle(other)
        try editor.takeFocus()
        session.probe.strike(lesson.short.keys, pause: pace)
        return lesson.short.texts.flatMap { text in shown.map { lesson.finished + $0 + text } }
    }

    private func killed(_ editor: EditorProcess) throws -> [String] {
        let shown = try composeUndoubtedly(editor)
        try running.killServer()
        session.probe.type("xyz", pause: pace)
        return shown.map { lesson.finished + $0 + "xyz" }
    }

    private func restarted(_ editor: EditorProcess) throws -> [String] {
        let shown = try composeUndoubtedly(editor)
        let known = editor.records("state").count
        try running.killServer()
        running = try running.restart()
        try waitUntil("the editor to use it again", within: 10_000, instead: { editor.report() }) {
            editor.records("state").dropFirst(known).last?["phase"]?.text == "ready"
        }
        try running.waitUntilEngineIsOn()
        switchOn()
        session.probe.strike(lesson.short.keys, pause: pace)
        // Dictionaries are loaded at the first key.
        try waitUntilIdle(editor)
        return lesson.short.texts.flatMap { text in shown.map { lesson.finished + $0 + text } }
    }

    // MARK: Steps

    private func open(x: Int) throws -> EditorProcess {
        count += 1
        let editor = try EditorProcess(
            in: session, text: "end😀\n😀<>\n", named: "text\(count).txt", geometry: "600x300+\(x)+80",
            options: ["--goto", "2:3"])
        editors.append(editor)
        try editor.waitForInputMethod(method)
        try running.waitUntilEngineIsOn()
        switchOn()
        return editor
    }

    private func switchOn() {
        if let modifier = method.switchOnModifier { session.probe.strike(.space, holding: [modifier]) }
    }

    /// Types the lesson and waits for its composition. Returns what is shown: the preedit in the text, or otherwise
    /// what the server shows by itself, as the lesson predicts it.
    @discardableResult
    private func compose(_ editor: EditorProcess) throws -> [String] {
        session.probe.strike(lesson.composing, pause: pace)
        guard method.onTheSpot else {
            // fcitx5 draws the preedit in the same window as its candidates, with any engine.
            _ = try session.probe.waitForWindow("the composition of \(method)") {
                RealInputMethod(.fcitx5, .anthy).ownsCandidateWindow($0)
            }
            try waitUntilIdle(editor)
            return Array(lesson.composed.prefix(1))
        }
        try waitUntil("\(lesson.composed) to be composed", instead: { editor.report() }) {
            editor.markedText.map(lesson.composed.contains) ?? false
        }
        return [editor.markedText ?? ""]
    }

    /// Composes the lesson, and waits until each key is known to be answered. ibus may answer two keys by one draw:
    /// until it reports that it is done, the second key may be unanswered, and if the server dies then, this key is
    /// typed again rather than lost.
    private func composeUndoubtedly(_ editor: EditorProcess) throws -> [String] {
        let shown = try compose(editor)
        try waitUntil("the answers to end", instead: { editor.report() }) {
            // A server that does not answer keys is queried for liveness at the same time.
            editor.records("im").last { !["asked", "taken"].contains($0["event"]?.text) }?["event"]?.text == "quiet"
        }
        return shown
    }

    /// Waits until an input method without visible effects is idle: no answer for some milliseconds.
    private func waitUntilIdle(_ editor: EditorProcess, quiet milliseconds: Int = 100) throws {
        try waitUntilQuiet("\(method)", for: milliseconds) { editor.records("im").count }
    }

    /// If requested by `INKSTONE_TRACES`, stores the trace of the test and its result, for tests that replay
    /// traces.
    func record(_ name: String, _ editor: EditorProcess, _ saved: String) throws {
        guard let directory = getenv("INKSTONE_TRACES").map({ String(cString: $0) }) else { return }
        let trace = try TextFiles.read(editor.trace.path)
        var records = TraceRecord.parse(trace).records
        // The trace ends before the Control key of the first save.
        let end = records.firstIndex {
            if case .key(let key) = $0.event { key.keysym.rawValue == 0xffe3 } else { false }
        }
        records.removeSubrange((end ?? records.count)...)
        let start = records.first?.time ?? 0
        for index in records.indices { records[index].time -= start }
        records.append(TraceRecord(time: records.last?.time ?? 0, .document(saved, UTF16Range(location: 0, length: 0))))
        let file = "\(method) \(name)".map { $0.isLetter || $0.isNumber ? $0 : "-" }
        try TextFiles.write(
            records.map(\.line).joined(separator: "\n") + "\n", to: "\(directory)/\(String(file)).jsonl")
    }

    private func unexpected(_ what: String, _ editor: EditorProcess) -> Unexpected {
        Unexpected(description: "\(what)\n\(editor.report())")
    }
}
