import Glibc
import Inkstone
import InkstoneFiles
import InkstoneWords

/// The editor's program: one display, and a window for each document.
final class EditorProgram {
    let options: EditOptions
    let display: Display
    private(set) var windows: [EditorWindow] = []
    /// The search histories, shared by all windows.
    let histories = SearchHistories()
    /// The time of the last click on an answer in any window, to recognize double clicks.
    let presses = AnswerPresses()
    /// The shell commands that text was filtered through before, shared by all windows.
    var formerCommands = FormerCommands()
    /// The settings of all windows: the defaults until the stored settings have been read.
    private(set) lazy var settings = current(kept: read?.settings ?? EditorSettings())
    /// The stored settings, and the problem with their file, which the first window reports; nil if the disk has
    /// not answered in time.
    private(set) lazy var read = readSettings()
    private let keptSettings = DiskAnswer { EditorSettings.read() }
    /// The setting that turning spell checking on again restores: the last one before it was turned off, or at first
    /// the locale's languages.
    var formerSpelling = EditorSettings.localeSpelling
    /// The user's changes of settings before the stored settings have arrived; nil once they have.
    private var earlyChanges: [(inout EditorSettings) -> Void]? = []
    /// The closed windows that are still to be released. They are released later, because one of their methods may
    /// be running now.
    private var closing: [EditorWindow] = []
    /// The files that are still to be added to the list of recent files.
    private var noted: [FilePath] = []
    /// The service by which keyboards of other programs, such as on-screen keyboards, may type; nil while it is turned
    /// off.
    private var keyboards: KeyboardAccess?
    private var state = ProgramState.running
    private var signals: SignalWatch?
    private var accessibility: Accessibility?

    /// Creates the program: opens the display and the first window. Throws with a message for the user.
    init(_ options: EditOptions) throws {
        self.options = options
        LibraryWords.use(say)
        // Show error messages of the C library in the user's language too.
        if say.language.code != "en" { setlocale(LC_MESSAGES, "") }
        display = try Display()
        display.acceptsSyntheticInput = options.allowSyntheticEvents
        display.onLost = { [weak self] in
            guard let self else { return }
            let deadline = Deadline(milliseconds: RecoveryJournal.timeout)
            for window in windows { window.journalStatus.journal?.flush(within: deadline.left) }
            display.stop()
        }
        do {
            windows = [try EditorWindow(self, options)]
            // Handle signals from now on, because there may be unsaved text.
            signals = SignalWatch([SIGTERM, SIGHUP, SIGINT], on: display) { [weak self] _ in self?.terminate() }
            if !options.otherFiles.isEmpty { open(options.otherFiles, from: windows[0]) }
        } catch {
            display.close()
            throw error
        }
    }

    /// Runs the event loop until the user quits, a signal ends the program, or the display is lost. Then ends saves
    /// and journals, for a limited time each, and closes the windows and the display. Throws if the connection to the
    /// display is lost.
    func run() throws {
        display.run()
        let isLost = display.isLost
        endClosing()
        // Limit the wait for all saves, because a disk that hangs must not keep the program running: the recovery
        // journal has the changes that a save could not write.
        let saves = Deadline(milliseconds: 10_000)
        for window in windows { window.file.waitForSave(atMost: saves.left) }
        let journals = Deadline(milliseconds: RecoveryJournal.timeout)
        let keeping = isLost || isTerminating
        let kept = windows.compactMap { $0.end(keeping: keeping, within: journals.left) }
        (windows, keyboards) = ([], nil)
        // Save the clipboard only now, after all windows are closed: events are handled meanwhile, and no window may
        // accept typing any more.
        if !isLost { display.saveClipboard() }
        keepNoted()
        SmallFile.finish(within: 1000)
        accessibility?.close()
        signals?.end()
        let name = display.name
        display.close()
        var notices: [String] = []
        if kept.contains(true) { notices.append(Words.changesWereKept) }
        if kept.contains(false) { notices.append(Words.changesAreLost) }
        if isLost { throw DisplayLost(name: name, notices: notices) }
        for notice in notices { StandardError.write("inkstone: \(notice)\n") }
    }

    // MARK: Settings

    private func current(kept: EditorSettings) -> CurrentSettings {
        CurrentSettings(kept: kept, font: options.font, wraps: options.wrap)
    }

    private func readSettings() -> (settings: EditorSettings, problem: String?)? {
        let poster = display.poster
        // `program` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let program = self
        let read = keptSettings.value(within: EditorWindow.promptness) { read in
            poster.post { program?.settingsDidCome(read) }
        }
        if read != nil { earlyChanges = nil }
        return read
    }

    /// Applies stored settings that arrived late, except those settings that the user has changed meanwhile.
    private func settingsDidCome(_ read: (settings: EditorSettings, problem: String?)) {
        settings = CurrentSettings(
            atStart: current(kept: EditorSettings()), keptLate: read.settings, earlyChanges ?? [])
        earlyChanges = nil
        for window in windows { window.apply(settings.shown) }
        followKeyboardSetting()
        if let problem = read.problem { windows.first?.complain(problem) }
    }

    private func followKeyboardSetting() {
        guard settings.shown.keyboards != (keyboards != nil) else { return }
        keyboards = settings.shown.keyboards ? KeyboardAccess(self) : nil
    }

    // MARK: Windows

    /// Sets a window's limit of memory for undo after an edit of the document: the window may use what the other
    /// windows leave of the program's total.
    func limitUndo(of window: EditorWindow) {
        window.view.store.undoByteLimit = UndoShare.limit(
            besides: windows.lazy.filter { $0 !== window }.map(\.view.store.undoBytes))
    }

    /// Called when a window has been shown for the first time.
    func didShow(_ window: EditorWindow) {
        IconDelivery().send(to: window.window.window, of: display)
        // Connect to assistive technology later, so that this does not delay the start.
        display.schedule(afterMilliseconds: 100) { [weak self, weak window] in
            if let window, !window.isClosed { self?.showToReaders(window) }
        }
        guard windows.isEmpty || window === windows.first else { return }
        // Defer the check of the system's fonts: it would take a processor from the threads that paint the window.
        display.schedule(afterMilliseconds: 300) { [weak self] in
            FontDescriptor.confirmSystemFonts()
            self?.followKeyboardSetting()
        }
    }

    private func showToReaders(_ window: EditorWindow) {
        let isFirst = accessibility == nil
        let accessibility = accessibility ?? Accessibility(of: display, name: "Inkstone")
        self.accessibility = accessibility
        accessibility.add(window.window, title: window.title)
        if isFirst { accessibility.start() }
    }

    /// Opens another window: with a file, with a built-in page, or with an empty document.
    func openWindow(_ path: FilePath? = nil, page: EditedFile.Page? = nil) {
        var options = options
        // Leave out the options of the command line that apply only to the first window.
        (options.file, options.goto, options.geometry, options.trace) = (path, nil, nil, nil)
        (options.encoding, options.acceptsEncoding) = (nil, false)
        (options.otherFiles, options.readsInput, options.embed) = ([], false, nil)
        (options.page, options.readOnly) = (page, page != nil || options.readOnly)
        options.rich = page == nil && options.rich
        do {
            windows.append(try EditorWindow(self, options))
        } catch {
            windows.last?.notify(Words.noOtherWindow("\(error)"), isProblem: true)
        }
    }

    /// Opens a file as plain text in a new window, in place of a window that was to show it as styled text. Returns
    /// false if there can be no other window.
    func openAsPlainText(_ path: FilePath, insteadOf window: EditorWindow, because reason: String) -> Bool {
        var options = window.successorOptions
        (options.file, options.rich) = (path, false)
        do {
            let plain = try EditorWindow(self, options, inPlaceOf: window)
            windows.append(plain)
            plain.complain(reason)
            replace(window, by: plain)
            return true
        } catch {
            window.notify(Words.noOtherWindow("\(error)"), isProblem: true)
            return false
        }
    }

    /// Replaces a window by a new one with the same file: as styled text instead of source, or vice versa. The document
    /// must be saved.
    ///
    /// - Parameter carried: the undo history and selection to carry over; nil to carry over only the line of the
    ///   caret.
    func openOtherwise(_ window: EditorWindow, carrying carried: StyleSwitch?) {
        var options = window.successorOptions
        (options.file, options.rich) = (window.file.path, !options.rich)
        (options.otherFiles, options.readsInput, options.trace) = ([], false, nil)
        // Set a target even if `carried` has a position: without a target the new window would go to the stored
        // position of the last session.
        options.goto = window.file.path.map { _ in "\(window.caretParagraph.value + 1)" }
        do {
            let other = try EditorWindow(self, options, inPlaceOf: window)
            windows.append(other)
            if let carried {
                other.carried = carried
                other.pendingTarget = .place(carried.place)
            }
            replace(window, by: other)
        } catch {
            window.notify(Words.noOtherWindow("\(error)"), isProblem: true)
        }
    }

    /// Ends a window whose file is shown by its successor from now on. Keys that wait for the file, and a close
    /// requested after them, are passed to the successor. A quit, or a termination by a signal, that waits for the
    /// window waits for the successor from now on.
    private func replace(_ window: EditorWindow, by successor: EditorWindow) {
        let isClosing = window.life.state.isToClose
        if successor.file.isReading { successor.holdKeys(.file) }
        window.window.passKeys(to: successor.window)
        window.life.isReplaced = true
        window.view.isEditable = false
        let awaitsKeys = state.passOn(window, to: successor)
        window.handle(.end)
        if awaitsKeys { deliverLastKeys(of: successor) }
        if isClosing { successor.close() }
    }

    /// Opens files, except those that the disk reports as impossible to open. If a window shows a file already,
    /// activates that window; otherwise opens the file in `window` if that is untouched, else in a new window.
    func open(_ paths: [FilePath], from window: EditorWindow) {
        check(paths, from: window) { [unowned self] window, answers in open(paths, found: answers, from: window) }
    }

    /// Opens files after the disk has answered questions about them. A file that a window shows already activates
    /// that window; another one is opened in `window` if that is untouched, or else in a new window. Files that
    /// cannot be opened are reported, and repeated ones are left out.
    func open(_ paths: [FilePath], found answers: [NamedFile], from window: EditorWindow) {
        for (path, answer) in zip(paths, answers) {
            if answer.isRepeated { continue }
            if let problem = answer.problem {
                window.notify(problem.description, isProblem: true)
            } else if let other = answer.window ?? self.window(named: path) {
                other.window.window.activate()
            } else if window.file.isUntouched, !window.isUnsaved, !window.isAwaitingEdits {
                window.open(path)
                window.returnToPlace()
            } else {
                openWindow(path)
            }
        }
    }

    /// The information from the disk about a path that the user gave.
    struct NamedFile {
        /// The reason why the file cannot be opened, if one is known.
        var problem: TextFileError?
        /// The missing folder of the file; nil if the folder exists, or it is not known whether it does.
        var missingFolder: FilePath?
        /// The window that has the file open, under this or another path; nil if none has.
        var window: EditorWindow?
        /// Whether an earlier one of the paths given together leads to the same file.
        var isRepeated = false
    }

    /// Asks the disk about paths that the user gave in a window, and calls `work` with the answers, one for each
    /// path. If the disk does not answer in time, the answers contain no problems, and only windows that show a file
    /// of exactly this path.
    func check(
        _ paths: [FilePath], from window: EditorWindow, then work: @escaping (EditorWindow, [NamedFile]) -> Void
    ) {
        let opened = windows.flatMap { window in window.file.paths.map { (path: $0, window: window) } }
        let names = opened.map(\.path)
        window.askDisk {
            var known: Set<[UInt64]> = []
            return paths.map { path in
                let isNew = FileIdentity(path: path).map { known.insert([$0.device, $0.inode]).inserted } ?? true
                return (
                    EditedFile.problem(opening: path), EditedFile.missingFolder(of: path),
                    names.firstIndex { $0 == path || $0.isSameFile(as: path) }, !isNew
                )
            }
        } then: { [unowned self] window, answers in
            let found = answers?.map { problem, folder, index, isRepeated in
                NamedFile(
                    problem: problem, missingFolder: folder,
                    window: index.map { opened[$0].window }.flatMap { $0.isClosed ? nil : $0 },
                    isRepeated: isRepeated)
            }
            work(window, found ?? paths.map { NamedFile(problem: nil, window: self.window(named: $0)) })
        }
    }

    private func window(named path: FilePath) -> EditorWindow? { windows.first { $0.file.paths.contains(path) } }

    /// Changes the settings in all windows, and stores them for the next start in the background; `report` is
    /// called if storing fails.
    func change(_ change: @escaping @Sendable (inout EditorSettings) -> Void, report: @escaping () -> Void) {
        let before = settings
        earlyChanges?.append(change)
        _ = settings.change(onTopOf: EditorSettings(), change)
        for window in windows where !window.isClosed { window.apply(settings.shown) }
        followKeyboardSetting()
        let poster = display.poster
        // `report` is called only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) let report = report
        SmallFile.later(on: EditorSettings.queue) {
            var settings = before
            if !settings.change(onTopOf: .kept, change).keep() { poster.post { report() } }
        }
    }

    /// Shows a table of key bindings as a page in a window of its own.
    func showKeys(_ table: KeyBindingTable) {
        show(KeyPage(table).page)
    }

    /// Shows a page in a window of its own, or activates the window that shows this page already.
    func show(_ page: EditedFile.Page) {
        if let window = windows.first(where: { $0.options.page == page }) { return window.window.window.activate() }
        openWindow(page: page)
    }

    /// Adds a file to the list of recent files, unless recovery journals are disabled. The list is written half a
    /// second later, so as not to delay showing the text, or at the end of the program.
    func note(_ path: FilePath) {
        guard !options.noRecovery else { return }
        noted.append(path)
        if noted.count == 1 { display.schedule(afterMilliseconds: 500) { [weak self] in self?.keepNoted() } }
    }

    private func keepNoted() {
        for path in noted { SmallFile.later(on: RecentFiles.queue) { RecentFiles.keep(path) } }
        noted = []
    }

    /// Removes a window that was closed, after a save in progress has ended. Further calls for the window have no
    /// effect. If it is the last window, ends the event loop at once instead. A quit continues with the next window,
    /// unless another window has replaced this one.
    func didClose(_ window: EditorWindow) {
        guard windows.contains(where: { $0 === window }) else { return }
        guard windows.count > 1 else { return display.stop() }
        didAnswerKeys(of: window)
        if window.file.isSaving {
            // Wait for the end of a save: another client may have destroyed the window during it.
            return window.saves.observers.append { [weak self, weak window] _ in
                if let window { self?.didClose(window) }
            }
        }
        windows.removeAll { $0 === window }
        // A method of the window may be calling this one: release the window later.
        closing.append(window)
        display.performAfterPainting { [weak self] in self?.endClosing() }
        // Do not continue a quit because another window has replaced this one: the quit may be waiting for an
        // answer about that window, and would ask the open question anew.
        if !window.life.isReplaced { quitFurther() }
    }

    /// Called when a window stays open: withdraws the user's permission to discard its changes, and ends a quit
    /// that waits for this window.
    func didStay(_ window: EditorWindow) {
        (window.life.released, window.life.losesPictures) = (nil, false)
        if isAwaiting(window) { endQuit() }
    }

    /// Ends a quit, and withdraws the permissions to discard changes of all windows.
    func endQuit() {
        guard case .quitting = state else { return }
        state = .running
        for window in windows { (window.life.released, window.life.losesPictures) = (nil, false) }
    }

    /// Whether a quit waits for the user's answer about a window.
    func isAwaiting(_ window: EditorWindow) -> Bool {
        if case .quitting(let awaited) = state { awaited === window } else { false }
    }

    /// Called when a quit may close a window, because the window has no unsaved changes or the user has permitted to
    /// discard them. The quit continues after this turn of the event loop has delivered its keys. If it continued at
    /// once, within the handling of a key, it would wait for the keys after that one.
    func didRelease(_ window: EditorWindow) {
        display.performAfterPainting { [weak self] in self?.quitFurther() }
    }

    private var isTerminating: Bool { if case .terminating = state { true } else { false } }

    private func endClosing() {
        for window in closing { window.end() }
        closing = []
    }

    /// Asks about all windows with changes, one after the other, and then ends the program and all windows
    /// together. Until then every window stays, and no changes are discarded. Cancelling a question ends the quit.
    /// A second call during a quit asks the open question anew.
    func quit() {
        if !isTerminating { quitFurther(isAsked: true) }
    }

    private func quitFurther(isAsked: Bool = false) {
        if !isAsked { guard case .quitting = state else { return } }
        guard let window = windows.first(where: \.isUnanswered) else { return display.stop() }
        // Leave the state of quitting meanwhile: withdrawing an open question must neither answer nor end this
        // quit.
        state = .running
        window.takeQuestionsBack()
        state = .quitting(window)
        window.window.window.activate()
        window.close()
    }

    /// Ends the program after a signal without questions: pending keys are delivered to their documents, and
    /// unsaved changes stay in the journals. After a second signal it does not wait for the keys.
    private func terminate() {
        let open = windows.filter { !$0.window.window.isClosed }
        let isAgain = isTerminating
        state = .terminating(awaited: open)
        guard !isAgain, !open.isEmpty else { return display.stop() }
        for window in open { deliverLastKeys(of: window) }
    }

    /// Delivers the pending keys of a window before a signal ends the program.
    private func deliverLastKeys(of window: EditorWindow) {
        window.releaseLastKeys()
        window.window.performInOrder { [weak self, unowned window] in self?.didAnswerKeys(of: window) }
    }

    /// Called when all keys of a window are handled, or the window is gone and its keys are dropped. If a signal is
    /// ending the program, and it waits for no other window, ends it now.
    private func didAnswerKeys(of window: EditorWindow) {
        guard case .terminating(let awaited) = state else { return }
        let others = awaited.filter { $0 !== window }
        state = .terminating(awaited: others)
        if others.isEmpty { display.stop() }
    }
}

private enum ProgramState {

    case running
    /// All windows are to close together, and the user's answer about this window is awaited.
    case quitting(EditorWindow)
    /// A signal ends the program as soon as the pending keys of these windows are handled.
    case terminating(awaited: [EditorWindow])

    /// Makes a quit or termination that waits for a window wait for its successor. Returns whether a termination was
    /// waiting for the window's keys.
    mutating func passOn(_ window: EditorWindow, to successor: EditorWindow) -> Bool {
        switch self {
        case .quitting(let awaited) where awaited === window: self = .quitting(successor)
        case .terminating(let awaited) where awaited.contains { $0 === window }:
            self = .terminating(awaited: awaited + [successor])
            return true
        default: break
        }
        return false
    }
}

/// A deadline that limits the total time of several waits, one after the other.
private struct Deadline {
    private let end: Int64

    init(milliseconds: Int) { end = MonotonicClock.milliseconds + Int64(milliseconds) }

    /// The remaining time until the deadline, in milliseconds.
    var left: Int { Int(max(0, end - MonotonicClock.milliseconds)) }
}

/// The error that the connection to the X server was lost: the server has ended, or has disconnected the editor.
struct DisplayLost: Error, CustomStringConvertible {
    /// The name of the display whose connection is lost.
    let name: String
    /// Messages for the user about what happened to unsaved changes.
    let notices: [String]

    var description: String {
        ([X11Error.connectionLost(display: name).description] + notices).joined(separator: " ")
    }
}
