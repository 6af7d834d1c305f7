import Glibc
import Inkstone
import InkstoneFiles
import InkstoneWords

/// A window of the editor: a text view with its file, a status line, prompts, bars, and the questions to the user.
///
/// This file has the window and its keys. The status line, the menu, opening and closing, saving, finding,
/// settings, the file's format and recovery are extensions, each in a file named after it.
final class EditorWindow {
    unowned let program: EditorProgram
    /// The state of the window, and the closures that wait for events in its life.
    var life = WindowLife()
    var options: EditOptions
    let window: WidgetWindow
    let view: TextView
    let file: EditedFile
    /// The conversion between the styled text and its Markdown source; nil for plain text.
    let rich: RichDocument?
    /// The undo history and selection of the window that showed the file before, as source or as styled text; nil
    /// if there are none, and once they are applied.
    var carried: StyleSwitch?
    /// The state of the recovery journal, which protects the document against a crash.
    var journalStatus = JournalStatus()
    /// The position for the caret, until enough of the file has been read to go there; nil if there is none.
    var pendingTarget: GotoTarget?
    /// The saves and other work that wait for the end of the present save.
    var saves = WaitingSaves()
    /// The prompt in the status line, for file names and other answers.
    let prompt: PathPrompt
    let findBar: FindBar
    /// The bar with questions that do not interrupt typing.
    let offers: OfferBar
    /// The view of the line numbers; nil while they are not shown.
    var ruler: LineNumberRuler?
    /// The bar with buttons for styles, above styled text; nil for plain text.
    var formatBar: FormatBar?
    /// Whether an update of the format bar is scheduled.
    var isFormatBarDue = false
    /// The highlighting of brackets at the caret; nil while it is turned off.
    var brackets: MatchingBrackets?
    /// The running word count; nil if none runs.
    var wordCounting: Counting?
    /// The running print job; nil if none runs.
    var printing: PrintJob?
    /// The running long command; nil if none runs.
    var longCommand: LongCommand?
    /// The spell checker, and the filter command.
    let tools: WindowTools
    /// The properties that `.editorconfig` files define for the file.
    var conventions = EditorConfig()
    /// The content of the title bar; nil before it is set.
    var titleSubject: TitleSubject?

    private var observation: TextObservation?
    /// The observation of edits of styled text; nil for plain text.
    var richObservation: TextObservation?
    let richBlocks = RichBlocks()
    let status: StatusLine
    private let trace: TraceFile?
    /// The open questions; the first of them is shown.
    private(set) var questions: [Question] = []
    /// The message in the status line; nil if there is none.
    var message: Message?
    /// The hint for the button under the pointer; nil if there is none.
    var hint: String?
    /// The time of the last update of the status line, and the schedule of the next.
    var statusAge = StatusAge()

    var display: Display { program.display }
    /// The closures to call when the whole file has been read.
    var whenRead: [() -> Void] {
        get { life.whenRead }
        set { life.whenRead = newValue }
    }

    /// Creates the window, and starts reading the file. A window that replaces `former` gets its position and size.
    /// Throws with a message for the user.
    init(_ program: EditorProgram, _ options: EditOptions, inPlaceOf former: EditorWindow? = nil) throws {
        let obstacle = options.rich ? RichDocument.obstacle() : nil
        var options = options
        options.rich = options.rich && obstacle == nil
        (self.program, self.options) = (program, options)
        let display = program.display
        trace = try options.trace.map(TraceFile.init)
        let store = TextStore()
        store.undoByteLimit = UndoShare.limit(besides: program.windows.map(\.view.store.undoBytes))
        file = EditedFile(store: options.rich ? TextStore() : store)
        let numbers = Set(program.windows.lazy.filter { $0.file.shownPath == nil }.map(\.file.untitledNumber))
        file.untitledNumber = (1...numbers.count + 1).first { !numbers.contains($0) } ?? 1
        rich = options.rich ? RichDocument(view: store, source: file.store) : nil
        // Start reading before the window is created, so that the disk works meanwhile.
        if let path = options.file {
            Self.read(path, into: file, options, display)
        } else if options.readsInput {
            Self.readInput(into: file, options, display)
        }
        let geometry = options.geometry.flatMap(WindowGeometry.init)
        let scale = display.scale
        var properties = Window.Properties(title: "Inkstone")
        if let x = geometry?.x, let y = geometry?.y { properties.origin = RootPoint(x: x, y: y) }
        // The list of keys is a dialog: a tiling window manager would otherwise give it a tile, and make the
        // document's window narrower.
        properties.isDialog = options.page != nil
        properties.minimumSize = Size(width: 120 * scale, height: 80 * scale)
        let settings = program.settings.shown
        let kept = settings.window(forPage: options.page != nil)
        var size = Size(
            width: geometry?.width ?? (kept.width * scale).rounded(),
            height: geometry?.height ?? (kept.height * scale).rounded())
        if let former = former?.window.window, former.isShown, !former.isClosed {
            size = former.size
            properties.origin = former.rootOrigin
            properties.isOriginOfContents = true
        }
        window =
            if let host = options.embed.flatMap(WindowID.init) {
                try WidgetWindow(display, plugInto: host, properties: properties)
            } else {
                try WidgetWindow(display, size: size, properties: properties)
            }
        let font = settings.font.flatMap { FontDescriptor(pattern: $0, scale: scale) }
        view = TextView(in: window, store: store, font: font)
        tools = WindowTools(view)
        status = StatusLine(display, sharing: view, presses: program.presses)
        prompt = PathPrompt(in: window, main: view, font: StatusLine.font(scale: scale))
        findBar = FindBar(for: view, in: window, histories: program.histories)
        offers = OfferBar(display, sharing: view)
        window.add(status)
        window.add(findBar)
        window.add(prompt.list)
        window.add(offers)
        apply(settings)
        // Accept no styles, because plain text has no styles, lists or pictures: a paste inserts exactly the text
        // that will be saved.
        view.options.acceptsStyles = false
        view.onDropFiles = { [weak self] paths in
            guard let self, !isClosed else { return false }
            let limit = 50
            program.open(Array(paths.prefix(limit)), from: self)
            if paths.count > limit { notify(Words.firstFilesOpened(limit, of: paths.count), isProblem: true) }
            return true
        }
        connect()
        startRichText()
        bindKeys()
        start()
        if let font, !font.isInstalled {
            notify(font.missingFamily(standIn: view.layout.fontFamily), isProblem: true)
        }
        complainAboutLocale()
        if let obstacle { complain(obstacle) }
        if program.windows.isEmpty, let problem = program.read?.problem { complain(problem) }
        updateStatus()
        // If a file is being read, show the window only when the first part arrives, or when that takes long.
        if !file.isReading { showWindow() }
    }

    /// Ends the window. Unsaved changes stay in the journal if `keeping` or ``WindowLife/keepsJournal`` is true, or
    /// during a save; otherwise they are discarded. Waits for the journal's disk at most `milliseconds`. Returns
    /// whether the changes that stay are on the disk; nil if none stay.
    @discardableResult
    func end(keeping: Bool = false, within milliseconds: Int = 0) -> Bool? {
        let keeping = keeping || life.keepsJournal
        if keeping { writeLastRichText() }
        _ = life.state.handle(.end)
        keepSize()
        keepPlace()
        life.watch?.end()
        file.cancel()
        wordCounting?.cancel()
        printing?.cancel()
        longCommand?.stop()
        tools.end()
        if life.isReplaced {
            // Keep this object until the window is closed: the window's closures need it.
            window.closeAfterSuccessor { withExtendedLifetime(self) {} }
        } else {
            window.close()
        }
        trace?.close()
        let isWanted = (keeping || file.isSaving) && file.isModified
        let isKept = endJournal(keeping: isWanted, within: milliseconds)
        return isWanted ? isKept : nil
    }

    /// Shows the window if it has not been shown yet.
    func showWindow() {
        guard !window.window.isShown, !window.window.isClosed else { return }
        window.show()
        program.didShow(self)
    }

    private func start() {
        trace?.note(window.inputMethodState)
        trace?.onFailure = { [weak self] in self?.notify($0, isProblem: true) }
        pendingTarget = options.goto.flatMap(GotoTarget.init)
        if let path = options.file ?? (options.readsInput ? FilePath(Words.standardInput) : nil) {
            follow(path)
            if options.file != nil { returnToPlace() }
        } else if let page = options.page {
            file.show(page)
            // Make the tab wide enough for the longest name of a command.
            view.paragraphStyle.tabInterval = 48
            setEditable(false)
            updateTitle()
        } else {
            begin()
            offerRecovery()
        }
    }

    /// Starts editing the document that was read, or an empty one.
    func begin() {
        if rich?.isReady == false { showRichText() }
        setEditable(true)
        adoptLineEnds()
        adoptConventions()
        startJournal()
        trace?.follow(window.session)
    }

    /// Sets whether the user may edit the document; a read-only document, and one whose styled text is not ready,
    /// stays so. Questions do not change this: replies of the input method to keys typed before a question still edit
    /// the document.
    func setEditable(_ isEditable: Bool) {
        view.isEditable = isEditable && !options.readOnly && rich?.isReady != false
    }

    private func connect() {
        window.onLayout = { [weak self] window in
            guard let self else { return }
            let bounds = window.window.bounds
            status.setWidth(bounds.width)
            let height = min(status.height, bounds.height)
            let list = prompt.list.height(in: bounds.height - height)
            let bar = list + findBar.height(in: Size(width: bounds.width, height: bounds.height - height - list))
            let offer = min(offers.height(for: bounds.width), bounds.height - height - bar)
            let numbers = min(ruler?.width ?? 0, bounds.width - 1)
            let room = bounds.height - height - bar - offer
            let format = min(formatBar?.height ?? 0, max(0, room - 1))
            let text = room - format
            formatBar?.setFrame(WindowRect(x: 0, y: 0, width: bounds.width, height: format))
            ruler?.setFrame(WindowRect(x: 0, y: format, width: numbers, height: text))
            view.setFrame(WindowRect(x: numbers, y: format, width: bounds.width - numbers, height: text))
            offers.setFrame(
                WindowRect(x: 0, y: bounds.height - height - bar - offer, width: bounds.width, height: offer))
            findBar.setFrame(
                WindowRect(x: 0, y: bounds.height - height - bar, width: bounds.width, height: bar - list))
            prompt.list.setFrame(
                WindowRect(x: 0, y: bounds.height - height - list, width: bounds.width, height: list))
            status.setFrame(WindowRect(x: 0, y: bounds.height - height, width: bounds.width, height: height))
            prompt.place(status.promptFrame)
        }
        // Let the window manager close the window like a key does: after the pending keys.
        window.onClose = { [weak self] _ in self?.close() }
        // An embedded window whose host has gone cannot ask about changes: end it.
        window.onDestroy = { [weak self] _ in self?.handle(.end) }
        window.onUnplug = { [weak self] _ in self?.handle(.end) }
        view.menuPreparation = { [weak self] in self?.awaitSpelling(at: $0, then: $1) ?? false }
        view.leadingMenuItems = { [weak self] in self?.leadingItems(at: $0) ?? [] }
        view.onPasteFailure = { [weak self] in
            // Do not report a paste from an empty clipboard.
            if $0 != .unavailable { self?.pasteDidFail($0) }
        }
        view.onPasteReplacement = { [weak self] count in
            self?.notify(Words.pastedReplacements(count))
        }
        view.onPasteEnd = { [weak self] in self?.editDidCome() }
        findBar.session.onReplacingEnd = { [weak self] in self?.editDidCome() }
        window.bypassesInterceptor = { [weak self] in self?.isForText($0) ?? false }
        window.keepsEdit = { [weak self] in self?.keepsEdit() ?? false }
        window.keyInterceptor = { [weak self] in self?.intercept($0) ?? true }
        window.unusedKeyAction = { [weak self] in self?.unusedKeyAction(for: $0) }
        // During a question, only the status line, which shows it, accepts presses of the pointer.
        window.takesPress = { [weak self] part in self.map { !$0.isAsking || part === $0.status } ?? false }
        window.onInputMethodStateChange = { [weak self] in
            guard let self else { return }
            trace?.note(window.inputMethodState)
            setNeedsStatus()
        }
        prompt.onChange = { [weak self] in
            self?.updateStatus()
            self?.layOut()
        }
        for bar in [findBar, prompt.list, offers] as [any EditorBar] {
            bar.onLayoutChange = { [weak self] in self?.layOut() }
        }
        prompt.list.onLayoutChange = { [weak self] in
            // Update the hint below the prompt's line too: it depends on whether the list has rows.
            self?.updateStatus()
            self?.layOut()
        }
        status.onAnswer = { [weak self] index in
            guard let self, !isClosed else { return }
            guard let question = questions.first else { return prompt.press(index) }
            if index < question.answers.count { answer(question.answers[index].action) }
        }
        findBar.onFocus = { [weak self] in self?.checkFile() }
        prompt.onFocus = { [weak self] in self?.checkFile() }
        findBar.onNotice = { [weak self] in self?.notify($0, isProblem: $1) }
        findBar.onHint = { [weak self] in self?.show(hint: $0) }
        offers.isWaiting = { [weak self] in self?.isAsking ?? true }
        offers.isElsewhere = { [weak self] in self.map { $0.findBar.isOpen || $0.prompt.isOpen } ?? false }
        file.onFormatChange = { [weak self] in
            guard let self else { return }
            adoptLineEnds()
            noteFormat()
            notifyOfGuess()
            setNeedsStatus()
        }
        status.onChange = { [weak self] in self?.window.window.setNeedsDisplay($0) }
        status.onMenu = { [weak self] in self?.showMenu(at: $0) }
        status.onPart = { [weak self] in self?.press($0, frame: $1, at: $2) }
        status.onWillPaint = { [weak self] in self?.updateStatusBeforePainting() }
        status.onHeightChange = { [weak self] in self?.layOut() }
        observation = view.observe { [unowned self] in viewDidUpdate($0) }
        view.inputContext.onPendingStrokesChange = { [weak self] in self?.updateStatus() }
        window.onCommand = { [weak self] in self?.perform($0) ?? false }
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        // If the user moves the caret, do not move it to the pending target any more.
        if update.changes.contains(.selection), update.origin != .load { pendingTarget = nil }
        if update.changes.contains(.text) {
            program.limitUndo(of: self)
            // Count text that a keyboard in another process has typed without keys as input too.
            if update.origin?.isWithin(.typing) == true { life.input.advance() }
        }
        if !update.changes.isDisjoint(with: [.text, .selection, .mode]) { setNeedsStatus() }
        if update.changes != .scrolling { updateFormatBarSoon() }
        if update.changes.contains(.focus), view.isFocused { checkFile() }
    }

    private func layOut() {
        guard !isClosed else { return }
        window.layOut()
        window.window.setNeedsDisplay()
    }

    // MARK: Questions and prompts

    /// Asks a question after the pending keys are handled, and after the open questions. Typing is blocked until
    /// the question is answered.
    func ask(_ question: Question) {
        performInOrder(.action) { window in
            window.handle(.ask)
            window.show(question)
        }
    }

    /// Shows a question after the open ones are answered. If an open question is about the same obstacle to a save,
    /// the new one takes its place. The same applies if both are about a change of the file by another program. If
    /// an open question has the same topic otherwise, the new one is dropped.
    func show(_ question: Question) {
        let isFirst = !isAsking
        guard questions.add(question) else { return updateQuestion() }
        if isFirst { awaitEarlyInput() }
        window.announce(question.text)
        prompt.close()
        // Keep the find bar open: keys that were struck for it before the user noticed the question are typed into it.
        callUser()
        updateQuestion()
    }

    private func updateQuestion() {
        updateStatus()
        // Lay out the window again: the offers are hidden while a question is shown.
        if !window.window.isClosed { layOut() }
        guard !isAsking, let work = life.whenAnswered else { return }
        life.whenAnswered = nil
        work()
    }

    /// Withdraws the questions and offers about a topic, for example when a save has succeeded.
    func withdraw(_ topic: Question.Topic) {
        offers.withdraw(topic)
        guard questions.contains(where: { $0.topic == topic }) else { return }
        questions.removeAll { $0.topic == topic }
        if !isAsking { handle(.proceed) }
        updateQuestion()
    }

    /// Whether a question is open. The question gets all keys: no field for typing may be opened.
    var isAsking: Bool { !questions.isEmpty }

    /// Removes the question that is shown, and performs the action of an answer.
    private func answer(_ action: () -> Void) {
        let question = questions.removeFirst()
        // Early keys may have begun a composition. End it, as a command does: the action may save the text.
        window.session.activeContext?.discardMarkedText()
        action()
        // An answer about closing has changed the window's state already, and the new state ignores this event.
        handle(isAsking ? .ask : question.isAboutSave ? .proceed : .answer)
        updateQuestion()
    }

    /// Withdraws all questions: performs the cancel action of each, except for the question about closing.
    func takeQuestionsBack() {
        guard isAsking else { return }
        let open = questions
        (questions, life.strokes, life.whenAnswered) = ([], [], nil)
        for question in open where question.topic != .closing { question.cancel() }
        updateQuestion()
    }

    /// Handles a key during a question: an answer to the question, a move to another answer, or the close or quit
    /// command. These cancel the question, but a quit keeps one about closing. Other keys have no effect. A letter
    /// must not go to a text behind a question that is to be answered first.
    private func answer(_ question: Question, by key: KeyEvent) {
        guard key.phase == .down else { return }
        if let action = question.action(for: key) {
            life.strokes = []
            return answer(action)
        }
        if questions[0].choose(by: key) { return updateStatus() }
        switch command(for: key) {
        case .performClose: close()
        case .terminate:
            if question.topic != .closing { answer(question.cancel) }
            perform(.terminate)
        default: break
        }
    }

    /// Returns the command that is bound to a key, alone or as the end of a chord whose first keys were typed at
    /// the question. Nil if no command is bound, or several are.
    private func command(for key: KeyEvent) -> EditCommand? {
        guard !key.keysym.isModifier else { return nil }
        let start = life.strokes
        life.strokes = []
        for stroke in KeyStroke.candidates(for: key) {
            switch view.keyBindings.match(start + [stroke]) {
            case .commands(let commands): return commands.count == 1 ? commands[0] : nil
            case .prefix: life.strokes = start + [stroke]
            case .none: break
            }
        }
        return nil
    }

    /// Opens a prompt in the status line, for a name or another text. Closes the find bar, which cancels its
    /// Replace All.
    ///
    /// - Parameters:
    ///   - problem: the reason why the previous answer was rejected; nil when the prompt is first opened.
    ///   - giveUp: called if the prompt is closed without an answer.
    func openPrompt(
        _ request: PathPrompt.Request, text: String, problem: String? = nil, giveUp: (() -> Void)? = nil,
        answer: @escaping (EditorWindow, String) -> Void
    ) {
        life.input.advance()
        findBar.close()
        prompt.open(request, text: text, problem: problem, giveUp: giveUp) { [weak self] text in
            if let self { answer(self, text) }
        }
    }

    // MARK: State and pending edits

    /// Whether the window is closed, or will be at the end of this turn of the event loop.
    var isClosed: Bool { life.state == .closed }

    /// Handles an event of the window's state machine, and performs the resulting effect. Events that the present
    /// state does not accept are ignored.
    func handle(_ event: WindowState.Event) {
        guard let effect = life.state.handle(event) else { return }
        perform(effect)
    }

    /// Calls `work` after all keys typed before this call are handled, unless the window is closed by then.
    func performInOrder(
        _ kind: InputItemKind = .save, beforeWaitingKeys: Bool = false, _ work: @escaping (EditorWindow) -> Void
    ) {
        window.performInOrder(kind, beforeWaitingKeys: beforeWaitingKeys) { [weak self] in
            if let self, !isClosed { work(self) }
        }
    }

    /// Calls `work` when all requested edits are made or have failed: pastes, drops, long commands, a filter
    /// command, a Replace All, and the writing of styled text as Markdown. Call this from
    /// ``performInOrder(_:beforeWaitingKeys:_:)``, so that `work` comes after the edits of earlier keys.
    func performAfterEdits(_ work: @escaping (EditorWindow) -> Void) {
        guard isAwaitingEdits else { return work(self) }
        life.whenEdited.append { [weak self] in
            if let self, !isClosed { work(self) }
        }
        writeRichText(isAwaited: true)
        notifyOfWriting(afterMilliseconds: 500)
        notifyOfAwaitedText(afterMilliseconds: 500)
        // A filter command may take long: show the message about it again, which the key that requested `work` has
        // removed.
        if let command = tools.command, message == nil { notify(Words.running(command.program)) }
    }

    /// Whether an edit that the user has requested is still pending.
    var isAwaitingEdits: Bool {
        view.session.awaitsText || findBar.session.isReplacing || longCommand != nil || tools.command != nil
            || rich?.isPending == true
    }

    /// Whether some input of the user has not reached the document yet: keys, or requested edits.
    var isAwaitingInput: Bool { isAwaitingEdits || window.hasWaitingKeys }

    func editDidCome() {
        guard !isAwaitingEdits else {
            if !life.whenEdited.isEmpty { writeRichText(isAwaited: true) }
            return
        }
        clearMessageOfAwaitedText()
        let waiting = life.whenEdited
        life.whenEdited = []
        for work in waiting { work() }
    }

    /// Reports a failed paste. If the window is about to close, it stays open, because the pasted text would be
    /// lost; a save that waits for the paste continues without it.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        handle(.saveFailed)
        notify(failure.description, isProblem: true)
    }

    /// Calls `work`, which edits or opens a prompt, after all keys typed before this call are handled; not if a
    /// question is open by then.
    func performUnlessAsking(_ work: @escaping (EditorWindow) -> Void) {
        performInOrder(.action) { if !$0.isAsking { work($0) } }
    }

    // MARK: Keys

    /// Handles a key if it cancels work in progress, closes the list of keys, answers an offer, or is bound to one of
    /// ``commands`` or to a command that takes long. While a question is open, or the window is closed, handles every
    /// key. Called for each key in order. A pressed key that is no modifier also removes the message if no question is
    /// open, but not in a window that could not show its file. Returns whether the key was handled.
    private func intercept(_ key: KeyEvent) -> Bool {
        guard !isClosed else { return true }
        if let question = questions.first {
            answer(question, by: key)
            return true
        }
        guard key.phase != .up else { return false }
        if !key.keysym.isModifier { life.input.advance() }
        // Keep the message in a window that could not show its file: it gives the reason.
        if message != nil, file.isUsable, rich?.isReady != false, !key.keysym.isModifier {
            clearMessage()
        }
        prompt.closeIfLeft()
        if let end = workEnd(by: key), !window.mayBeComposing, prompt.action(for: key) == nil,
            findBar.action(for: key) == nil
        {
            // Cancel the job, command or paste now rather than after a reply of the input method, which may not
            // respond.
            end()
            return true
        }
        // An input method may use these keys too, for text that it shows in a window of its own: wait for its
        // reply.
        if unusedKeyAction(for: key) != nil { return false }
        if stopLongCommand(by: key) { return true }
        if options.page != nil, key.keysym == .escape {
            close()
            return true
        }
        guard view.inputContext.pendingStrokes.isEmpty else { return false }
        let bound = view.keyBindings.command(for: key)
        if let bound, !view.keyBindings.mayGoOn(with: key), beginLong(bound) { return true }
        guard let command = bound, Self.commands.contains(command) else {
            if offers.intercept(key) { return true }
            if !key.keysym.isModifier { goOn() }
            if bound == nil { hintThatItIsOnlyRead(key) }
            return false
        }
        // Do not perform the command yet if this key may end a chord: its first keys may be among the keys that are
        // still pending.
        guard !view.keyBindings.mayGoOn(with: key) else { return false }
        perform(command)
        return true
    }

    /// Shows a message if a letter is typed into a read-only document, with the reason why it has no effect.
    private func hintThatItIsOnlyRead(_ key: KeyEvent) {
        guard options.readOnly, options.page == nil, view.isFocused, key.phase == .down, !key.characters.isEmpty,
            key.modifiers.isDisjoint(with: .commanding), !key.keysym.isModifier
        else { return }
        notify(Words.cannotType(file.displayName))
    }

    /// Returns the action of a key that the input method has not used: an action of the prompt or of the find bar, or
    /// cancelling a print job, a filter command or the wait for a paste. Nil for other keys, and while a question is
    /// open.
    private func unusedKeyAction(for key: KeyEvent) -> (() -> Void)? {
        guard !isClosed, key.phase != .up, !isAsking else { return nil }
        return prompt.action(for: key) ?? findBar.action(for: key) ?? workEnd(by: key)
    }

    /// Returns the action of a key that cancels a running print job or filter command, or the wait for a paste; nil
    /// for other keys.
    private func workEnd(by key: KeyEvent) -> (() -> Void)? {
        printingEnd(by: key) ?? commandEnd(by: key) ?? awaitedTextEnd(by: key)
    }

    // MARK: Saving, printing and commands

    /// Whether the document is being saved, exported or printed. Closing the window waits for that.
    var isBusy: Bool { savedName != nil || printing != nil }

    /// The name of the file that is being saved or exported to; nil for none.
    var savedName: String? { isSaving ? file.displayName : life.exporting?.label }

    /// Keeps the window open although it was to close after a save or print job, or after an answer about a save in
    /// the offer bar: the user continues to work in it.
    private func goOn() {
        guard life.state == .closing, !prompt.isOpen else { return }
        guard offers.isAboutSave || isBusy else { return }
        handle(.saveFailed)
        if !offers.isAboutSave {
            notify(savedName.map(Words.staysOpenSaving) ?? Words.staysOpenPrinting(file.displayName))
        }
    }

    /// The commands that the editor handles itself. A key that is bound only to one of them bypasses the input method,
    /// so it works during a composition, and while the input method does not respond.
    static let commands: Set<EditCommand> = [
        .newDocument, .openDocument, .openRecentDocument, .saveDocument, .saveDocumentAs, .performClose, .terminate,
        .find, .findAndReplace, .findOrNext, .findNext, .findPrevious, .findPrimary, .goToLine, .makeTextLarger,
        .makeTextSmaller, .makeTextStandardSize, .toggleFullScreen, .showMenu, .showHelp, .printDocument,
    ]

    /// Performs one of ``commands``. A command that depends on the text or opens a prompt waits until the keys typed
    /// before it are handled. Returns false for other commands.
    @discardableResult
    func perform(_ command: EditCommand) -> Bool {
        if command != .performClose, command != .terminate { goOn() }
        switch command {
        case .saveDocument where prompt.isOpen: prompt.notify(Words.notSavedAtPrompt)
        case .saveDocument:
            performInOrder {
                $0.clearMessage()
                $0.save()
            }
        case .saveDocumentAs: performUnlessAsking { $0.askWhereToSave() }
        case .performClose: close()
        case .terminate: performInOrder(.close) { $0.program.quit() }
        case .makeTextLarger: enlarge(by: 1)
        case .makeTextSmaller: enlarge(by: -1)
        case .makeTextStandardSize: enlarge(by: 0)
        case .printDocument: performUnlessAsking { $0.askWhereToPrint() }
        case .showHelp: program.showKeys(view.inputContext.keyBindings)
        case .newDocument: performInOrder(.action) { $0.program.openWindow() }
        case .openDocument: performUnlessAsking { $0.askWhatToOpen() }
        case .openRecentDocument: performUnlessAsking { $0.askForRecentFile() }
        case .showMenu: performInOrder(.action) { $0.showMenu() }
        case .toggleFullScreen: window.window.toggleFullScreen()
        case .find, .findAndReplace, .findOrNext, .findNext, .findPrevious, .findPrimary, .goToLine:
            performUnlessAsking { $0.find(command) }
        default: return false
        }
        return true
    }

    /// Sets the key binding table that `--keys` names, else the user's own table. If the user has chosen no table
    /// other than that of the desktop, styled text gets its own table. Reports the problems of a table file, and
    /// uses the valid part.
    private func bindKeys() {
        let file = options.keys
        if let named = file?.text.flatMap(KeyBindingTable.init(named:)) { return view.inputContext.keyBindings = named }
        perform(
            inBackground: { file.map { KeyBindingTable.contents(of: $0) } ?? KeyBindingTable.user() }, holdingKeys: true
        ) { window, found in
            let isUsual = window.rich == nil || found.table != .desktop
            window.view.inputContext.keyBindings = isUsual ? found.table : .styledText
            if let problem = found.problem { window.complain(problem.description, notice: problem.notice) }
        }
    }

    /// Reports a character locale that is not usable, because input methods and dead keys do not work then.
    private func complainAboutLocale() {
        let locale = CharacterLocale.prepare()
        guard !locale.isUsable, let note = locale.note else { return }
        complain(note)
    }

    /// Reports a problem in the status line, and on standard error. If `notice` is given, the status line shows
    /// that instead of the text.
    func complain(_ text: String, notice: String? = nil) {
        var line = "inkstone: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        notify(notice ?? text, isProblem: true)
    }
}

/// The state of a window, and the closures that wait for events in its life.
struct WindowLife {
    /// The state of the window. It only changes by ``WindowState/handle(_:)``.
    var state = WindowState.open
    /// The first keys of a chord that were typed at a question.
    var strokes: [KeyStroke] = []
    /// Whether another window shows the file in place of this one, and receives its keys.
    var isReplaced = false
    /// Whether the journal with unsaved changes is kept when the window ends.
    var keepsJournal = false
    /// Decides which keys belong to the document although a question is open.
    var earlyKeys = EarlyKeys()
    /// The position in the sequence of the user's input.
    var input = InputMark()
    /// The version of the document whose unsaved changes the user has permitted a quit to discard; nil for none.
    var released: TextVersion?
    /// Whether the user has answered a close by a save without pictures that are in no file.
    var losesPictures = false
    /// The file that a copy of the document is being exported to; nil if there is none.
    var exporting: FilePath?
    /// The watch over the file for changes by other programs; nil without a file, and if no watch can be created.
    var watch: FileWatch?
    /// Whether the file is known to be write-protected.
    var isWriteProtected = false
    /// Whether the file is being read again in order to replace the document.
    var isRereading = false
    /// The closures to call when the whole file has been read.
    var whenRead: [() -> Void] = []
    /// The closure that opens a prompt when no question is open any more; nil for none.
    var whenAnswered: (() -> Void)?
    /// The closures to call when all requested edits are made or have failed.
    var whenEdited: [() -> Void] = []
    /// The reasons for holding the keys.
    var keyWaits = KeyWaits()
    /// The timer after which the user may type before the file's first part arrives; nil if none is set.
    var earlyInputTimer: TimerID?
}

/// The values from which a window's title is computed.
struct TitleSubject: Hashable {
    var path: FilePath?
    var page: String?
    var isModified: Bool
    var isReadOnly: Bool
}

/// A bar between the text and the status line that is shown temporarily.
protocol EditorBar: WindowContent {
    /// Called when the bar appears, disappears, or changes its height.
    var onLayoutChange: (() -> Void)? { get set }
}

extension FindBar: EditorBar {}
extension OfferBar: EditorBar {}

extension KeyBindingFileError {
    /// The message for the status line: the first mistake with its line number, and the line numbers of the others; if
    /// there are more than five others, only their number.
    var notice: String {
        guard let first = lines.first else { return description }
        let others = lines.dropFirst().map { say.language.number($0.number) }
        let end: String? =
            switch others.count {
            case 0: nil
            case 1...5: Words.wrongLines(others.count, others.dropFirst().reduce(others[0], Words.list))
            default: Words.moreWrongLines(others.count)
            }
        let stop = first.message.hasSuffix("?") ? "" : "."
        return [Words.keyBindings(line: first.number, first.message + stop), end].compactMap(\.self)
            .joined(separator: " ")
    }
}
