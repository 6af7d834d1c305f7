import Dispatch
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneWritingTools
import Synchronization

/// The writing tools of a window: spell checking, and the filter command.
final class WindowTools: WritingToolsCoordinatorDelegate {
    private weak var view: TextView?
    let coordinator: WritingToolsCoordinator
    /// The spell checker, which marks misspelled words; nil while spelling is not checked.
    var checker: SpellingChecker?
    /// The setting for which the spell checker runs or is being started.
    var spelling = EditorSettings.noSpelling
    /// A counter that grows when a context menu is requested, and when a menu that waited for suggestions opens. A
    /// waiting menu opens only if the counter has not changed.
    var menuWaits = 0
    /// The running filter command; nil if none runs.
    var command: RunningFilter?

    init(_ view: TextView) {
        self.view = view
        coordinator = WritingToolsCoordinator(view.session)
        coordinator.delegate = self
    }

    func writingTools(_ coordinator: WritingToolsCoordinator, willChangeTo state: WritingToolsCoordinator.State) {}
    func writingToolsDidUpdate(_ coordinator: WritingToolsCoordinator) {}
    func writingTools(_ coordinator: WritingToolsCoordinator, willReplace ranges: [Range<UTF16Offset>]) {
        view?.fadeOutText(of: ranges)
    }

    func end() {
        command?.cancellation.cancel()
        command = nil
        checker?.end()
        checker = nil
    }
}

/// A filter command that runs, and whose output will replace text.
struct RunningFilter {
    /// The name of the filter's program.
    var program: String
    let cancellation: CommandFilter.Cancellation
}

/// Spell checking.
extension EditorWindow {
    /// Sets spell checking to a value of ``EditorSettings/spelling``: off, the languages of the locale, given
    /// languages, or the default, which checks only styled text, in the languages of the locale. A missing
    /// dictionary is not reported for the default.
    func checkSpelling(_ chosen: String) {
        let isChosen = chosen != EditorSettings.automaticSpelling
        let setting = isChosen ? chosen : rich == nil ? EditorSettings.noSpelling : EditorSettings.localeSpelling
        guard setting != tools.spelling, options.page == nil else { return }
        tools.spelling = setting
        tools.checker?.end()
        tools.checker = nil
        guard setting != EditorSettings.noSpelling else { return }
        let poster = display.poster
        // `window` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let window = self
        SpellingEngine.shared.resolve(EditorSettings.languages(of: setting)) { tags in
            poster.post { window?.startChecking(in: tags, setting, isChosen: isChosen) }
        }
    }

    /// Turns spell checking off, or on with the languages that it had when it was last turned off; at first those
    /// of the locale.
    func toggleSpelling() {
        let isOn = tools.spelling != EditorSettings.noSpelling
        let former = program.formerSpelling
        if isOn { program.formerSpelling = tools.spelling }
        change { $0.spelling = isOn ? EditorSettings.noSpelling : former }
    }

    /// Asks for the languages of spell checking. The answer is a row of the list, or several names separated by
    /// blanks or commas.
    func askForSpellingLanguages(_ text: String? = nil, problem: String? = nil) {
        let setting = program.settings.shown.spelling
        let current = EditorSettings.spellingSwitches.contains(setting) ? "" : setting
        let used = tools.checker?.tags ?? []
        let request = PathPrompt.Request(
            label: Words.spellingLanguagesPrompt, action: Words.useIt, hint: Words.spellingLanguagesHint,
            choices: NamedChoices.languages(used: used, current: current, openedWith: text ?? current))
        openPrompt(request, text: text ?? current, problem: problem) { window, languages in
            window.checkSpelling(inNamed: languages)
        }
    }

    /// Checks spelling in the languages that the user has typed; asks again if there is no dictionary for one of
    /// them.
    private func checkSpelling(inNamed languages: String) {
        let names = languages.split { $0 == " " || $0 == "," }.map(String.init)
        // A value such as `no` alone is a setting and not a language.
        let isSetting = names.count == 1 && EditorSettings.spellingSwitches.contains(names[0])
        guard !names.isEmpty else { return change { $0.spelling = EditorSettings.localeSpelling } }
        let request = life.input
        let poster = display.poster
        // `window` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let window = self
        SmallFile.later {
            let missing = isSetting ? names[0] : names.first { SpellingEngine.shared.dictionary(for: $0) == nil }
            poster.post {
                guard let window, !window.isClosed else { return }
                let value = EditorSettings.checkedSpelling(names.joined(separator: " "))
                guard missing == nil, let value else {
                    let name = FilePath.label(missing ?? languages, limit: 60)
                    let problem = Words.noDictionary(for: name)
                    return window.open(since: request, orTell: problem) {
                        $0.askForSpellingLanguages(languages, problem: problem)
                    }
                }
                window.change { $0.spelling = value }
                window.notify(Words.spellingIsChecked(value))
            }
        }
    }

    private func startChecking(in tags: [String], _ setting: String, isChosen: Bool) {
        guard !isClosed, tools.spelling == setting, tools.checker == nil else { return }
        guard !tags.isEmpty else {
            guard isChosen else { return tools.spelling = EditorSettings.noSpelling }
            return notify(
                Words.noDictionary,
                isProblem: true)
        }
        let (view, display, poster) = (view, display, display.poster)
        let appearance = RenderingAttributes(underline: .wavy, underlineColor: Color(rgb: 0xe0_1b_24))
        tools.checker = SpellingChecker(
            view.session, tags: tags,
            host: .init(
                schedule: { [weak display] in display?.schedule(afterMilliseconds: $0, $1) },
                post: { poster.post($0) },
                visibleRange: { [weak view] in view?.presenter.visibleTextRange ?? 0..<0 },
                onChange: { [weak view] range, marks in
                    let low = min(range.lowerBound, marks.first?.lowerBound ?? range.lowerBound)
                    let high = max(range.upperBound, marks.last?.upperBound ?? range.upperBound)
                    view?.updateDecorations(of: low..<high, in: .spelling) { _ in nil }
                    view?.addDecorations(marks, attributes: appearance, in: .spelling)
                }))
    }

    /// Returns the misspelled word at `location`, which is in window pixels, or at the caret if `location` is nil.
    /// Nil if there is no misspelled word that can be replaced now.
    private func misspelling(at location: WindowPoint?) -> Range<UTF16Offset>? {
        guard let checker = tools.checker, view.isEditable, !isAsking else { return nil }
        let point = location.map { ViewPoint(x: $0.x - view.frame.minX, y: $0.y - view.frame.minY) }
        let offset = point.map(view.offset(at:)) ?? view.selection?.primary.head
        return offset.flatMap(checker.misspelling)
    }

    /// Requests the suggestions for the misspelled word at `location` before the text's menu opens there. Calls
    /// `open` when they have arrived, or after 150 ms, and holds the keys meanwhile; does not call it if another
    /// menu has been requested by then. Returns false, and does not call `open`, if the menu can open at once.
    func awaitSpelling(at location: WindowPoint?, then open: @escaping () -> Void) -> Bool {
        tools.menuWaits += 1
        guard let checker = tools.checker, let range = misspelling(at: location) else { return false }
        let word = view.store.text.string(in: range)
        guard checker.knownSuggestions(for: word) == nil else { return false }
        let number = tools.menuWaits
        let proceed: () -> Void = { [weak self] in
            // Do nothing if a later menu has taken the place of this one.
            guard let self, !isClosed, tools.menuWaits == number else { return }
            tools.menuWaits += 1
            open()
        }
        // Hold the keys: those pressed from now on are meant for the menu.
        let wait = holdKeys(forMilliseconds: 150, whenOver: proceed)
        // `answer` is called only by the spell checker, which calls closures on the display's thread.
        nonisolated(unsafe) let answer = { [weak self] in
            proceed()
            self?.letKeysCome(wait)
        }
        checker.suggestions(for: word) { _ in answer() }
        return true
    }

    /// Returns the items about a misspelled word at the top of the text's context menu; empty if there is no such word.
    /// The word is at `location`, which is in window pixels, or at the caret if `location` is nil. If the suggestions
    /// have not arrived, there is an item instead that shows them later in a separate menu.
    func spellingItems(at location: WindowPoint?) -> [MenuItem] {
        guard let checker = tools.checker, let range = misspelling(at: location) else { return [] }
        let word = view.store.text.string(in: range)
        guard let found = checker.knownSuggestions(for: word) else {
            let wait = MenuItem(Words.suggestSpellings) { [weak self] in self?.suggestSpellings(for: word, range) }
            return [wait] + dictionaryItems(for: word)
        }
        return suggestionItems(found, for: word, range) + dictionaryItems(for: word)
    }

    private func suggestSpellings(for word: String, _ range: Range<UTF16Offset>) {
        // Use the suggestions if they have arrived since the menu was opened.
        if tools.checker?.knownSuggestions(for: word) != nil { return openSuggestions(for: word, range) }
        let request = life.input
        // `window` is used only in a closure that the spell checker calls on the display's thread.
        nonisolated(unsafe) weak let window = self
        tools.checker?.suggestions(for: word) { found in
            guard let window, !window.isClosed, found != nil else { return }
            window.open(since: request, orTell: Words.suggestionsCameLate(word)) {
                $0.openSuggestions(for: word, range)
            }
        }
    }

    private func openSuggestions(for word: String, _ range: Range<UTF16Offset>) {
        guard let found = tools.checker?.knownSuggestions(for: word) else { return }
        window.openMenu(suggestionItems(found, for: word, range), for: view, at: nil)
    }

    private func suggestionItems(_ found: [String], for word: String, _ range: Range<UTF16Offset>) -> [MenuItem] {
        guard !found.isEmpty else { return [MenuItem(Words.noSuggestions(word), kind: .note)] }
        let start = view.store.position(at: range.lowerBound)
        let items = found.map { suggestion in
            MenuItem(suggestion) { [weak self] in
                self?.performUnlessAsking { $0.replace(word, at: start, with: suggestion) }
            }
        }
        return Self.shortened(items)
    }

    /// Returns at most five menu items: of more than five suggestions, the first four and a submenu with the others.
    /// The editing commands below them then stay visible.
    static func shortened(_ suggestions: [MenuItem]) -> [MenuItem] {
        guard suggestions.count > 5 else { return suggestions }
        return suggestions.prefix(4) + [.submenu(Words.moreSuggestions, Array(suggestions.dropFirst(4)))]
    }

    /// Replaces a misspelled word by a suggestion, if the word is still at that position and the text can be
    /// edited.
    private func replace(_ word: String, at start: TextPosition, with suggestion: String) {
        let low = view.store.offset(of: start)
        let range = (low..<low + word.utf16.count).clamped(into: view.store.text.utf16Range)
        guard view.isEditable, view.store.text.string(in: range) == word else { return }
        view.session.dispatch(
            Transaction(
                on: view.store, TextChangeSet(replacing: range, with: Rope(suggestion), in: view.store.text),
                origin: .rewriting, view: view.session.id))
    }

    private func dictionaryItems(for word: String) -> [MenuItem] {
        [
            .separator,
            MenuItem(Words.addToDictionary(word)) { [weak self] in self?.tools.checker?.add(word) },
            MenuItem(Words.ignore(word)) { [weak self] in self?.tools.checker?.ignore(word) },
        ]
    }
}

/// The command that filters text through a shell command.
extension EditorWindow {
    /// Asks for a shell command, and filters the selection through it, or the whole text if nothing is selected.
    func askForFilter(_ text: String? = nil, problem: String? = nil) {
        guard tools.command == nil else { return notify(Words.commandIsRunning) }
        guard view.isEditable, file.isUsable, !file.isReading else { return notify(Words.cannotEditNow) }
        let request = PathPrompt.Request(
            label: Words.commandPrompt, action: Words.run, hint: Words.commandHint,
            choices: program.formerCommands.count == 0 ? nil : program.formerCommands)
        openPrompt(request, text: text ?? program.formerCommands.all.last ?? "", problem: problem) { window, command in
            do throws(CommandFilterError) {
                let filter = try CommandFilter(shellCommand: command)
                window.program.formerCommands.note(command)
                window.run(filter)
            } catch {
                window.askForFilter(command, problem: error.description)
            }
        }
    }

    private func run(_ filter: CommandFilter) {
        let coordinator = tools.coordinator
        let scope: WritingToolsScope = view.selection?.isEmpty == false ? .selection : .document
        let contexts = coordinator.contexts(for: scope).filter { scope == .document || !$0.range.isEmpty }
        var runs: [WritingToolsCoordinator.Run] = []
        for context in contexts.prefix(Self.filterLimit) {
            guard let run = try? coordinator.begin(WritingToolsRequest(.custom(filter.program), on: context)) else {
                break
            }
            runs.append(run)
        }
        guard !runs.isEmpty, runs.count == contexts.count else {
            coordinator.accept()
            return notify(
                Words.tooManyParts(Self.filterLimit),
                isProblem: true)
        }
        // Refuse text with invalid bytes, which a string cannot represent: the filter would not return them.
        guard contexts.allSatisfy({ $0.text.rope.slice($0.range).metrics.invalidParts == 0 }) else {
            coordinator.accept()
            return notify(Words.invalidBytesForFilter(filter.program), isProblem: true)
        }
        let cancellation = CommandFilter.Cancellation()
        tools.command = RunningFilter(program: filter.program, cancellation: cancellation)
        let request = life.input
        notify(Words.running(filter.program))
        let poster = display.poster
        // `window` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let window = self
        SmallFile.later { [runs] in
            let result = Result { () throws(CommandFilterError) in
                var texts: [String] = []
                for context in contexts {
                    let text = context.text.rope.string(in: context.range)
                    texts.append(try filter.run(text, cancellation: cancellation))
                }
                return texts
            }
            poster.post {
                guard let window, !window.isClosed, window.tools.command?.cancellation === cancellation
                else { return }
                window.tools.command = nil
                let version = contexts[0].version
                window.take(
                    result, of: filter, zip(runs, contexts).map { ($0, $1.range) }, at: version, since: request)
                window.editDidCome()
            }
        }
    }

    /// The maximum number of selected parts in different paragraphs that a filter command rewrites. With more, the
    /// command is refused.
    private static let filterLimit = 16

    private func take(
        _ result: Result<[String], CommandFilterError>, of filter: CommandFilter,
        _ parts: [(run: WritingToolsCoordinator.Run, range: Range<UTF16Offset>)], at version: TextVersion,
        since request: InputMark
    ) {
        let coordinator = tools.coordinator
        switch result {
        case .failure(let error):
            coordinator.accept()
            // If the window waits for the command before it closes, keep it open: the requested edit was not made.
            handle(.saveFailed)
            // Open the prompt again to correct the command, unless the user has continued with something else.
            guard error != .cancelled, let command = filter.arguments.last, !isAsking, !window.isMenuOpen,
                !hasTypedOn(since: request), view.markedText == nil
            else {
                return notify(error.description, isProblem: true)
            }
            askForFilter(command, problem: error.description)
        case .success(let texts):
            let isChanged = view.store.version != version
            let outcomes = zip(parts, texts).map {
                coordinator.receive(.replace($0.range, with: .plain($1)), of: $0.run)
            }
            let isWaiting = outcomes.contains(.waiting)
            if isWaiting { view.session.endComposition() }
            coordinator.accept()
            let isWhole = outcomes.allSatisfy { $0 == .applied(refusedParts: 0) || $0 == .waiting }
            let isRefused = outcomes.allSatisfy { if case .refused = $0 { true } else { false } }
            let program = filter.program
            if !isWhole { handle(.saveFailed) }
            notify(
                isWhole
                    ? Words.rewritten(program)
                    : !isChanged
                        ? Words.codeNotRewritten(program)
                        : isRefused ? Words.notRewritten(program) : Words.partlyRewritten(program),
                isProblem: !isWhole)
        }
    }

    /// Returns the action of Escape while a filter command runs: it cancels the command. Nil for other keys, and if
    /// no command runs.
    func commandEnd(by key: KeyEvent) -> (() -> Void)? {
        guard tools.command != nil, key.phase == .down, key.keysym == .escape else { return nil }
        return { [weak self] in
            guard let self, let command = tools.command else { return }
            command.cancellation.cancel()
            tools.command = nil
            tools.coordinator.accept()
            notify(CommandFilterError.cancelled.description)
            // Keep a window open that waits for the output of the command before it closes.
            handle(.saveFailed)
            editDidCome()
        }
    }
}

extension EditorSettings {
    /// The value of ``spelling`` for no checking, and the value for the locale's languages.
    static let (noSpelling, localeSpelling) = ("no", "yes")
    /// The value of ``spelling`` with which styled text is checked in the locale's languages, and plain text is not
    /// checked.
    static let automaticSpelling = "auto"
    /// The values of ``spelling`` that name no languages.
    static let spellingSwitches = [noSpelling, localeSpelling, automaticSpelling]

    /// Returns the languages that a value of ``spelling`` stands for.
    static func languages(of spelling: String) -> [String] {
        if spelling != localeSpelling { return spelling.split { $0 == " " || $0 == "," }.map(String.init) }
        func value(_ name: String) -> String? {
            getenv(name).flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
        }
        let list = value("LANGUAGE").map { $0.split(separator: ":").map(String.init) } ?? []
        return list + [value("LC_ALL") ?? value("LC_MESSAGES") ?? value("LANG")].compactMap(\.self)
    }

    /// Returns the text if it is a valid value of ``spelling``; nil otherwise.
    static func checkedSpelling(_ value: String) -> String? {
        let isValid = value.utf8.allSatisfy {
            (0x61...0x7a).contains($0 | 0x20) || [0x20, 0x2c, 0x2d, 0x5f].contains($0)
        }
        return isValid && (2...200).contains(value.utf8.count) ? value : nil
    }
}

extension NamedChoices {
    /// Returns the choices of spell checking languages: those of the locale, the present ones, and all
    /// dictionaries.
    static func languages(used: [String], current: String, openedWith text: String) -> NamedChoices {
        // Make the present languages a single row, so that answering with Return keeps them.
        let own = current.isEmpty ? [] : [Choice(answer: current, row: .init(name: current, text: Words.inUse))]
        return NamedChoices(
            [Choice(answer: "", row: .init(name: Words.systemLanguages))] + own, openedWith: text, for: current
        ) {
            SpellingEngine.shared.dictionaries.filter { $0 != current }.map {
                Choice(
                    answer: toggling($0, in: used), row: .init(name: $0, text: used.contains($0) ? Words.inUse : ""))
            }
        }
    }

    /// Returns the languages of spell checking after the user has chosen one in the list: adds it, or removes it if
    /// it is in use and not the only one.
    static func toggling(_ language: String, in used: [String]) -> String {
        let others = used.filter { $0 != language }
        let new = others.count < used.count ? others : used + [language]
        return new.isEmpty ? language : new.joined(separator: " ")
    }
}
