import Glibc
import Inkstone
import InkstoneWords

/// A window of the editor: a text view and a status line, a file, and the questions that go with them.
///
/// Here are the window and its keys. The status line, the menu, opening and closing, saving, finding, settings, the file's format and
/// recovery are extensions, each in a file named after it.
final class EditorWindow {
    unowned let program: EditorProgram
    /// The state of the window, and what waits for its file.
    var life = WindowLife()
    var options: EditOptions
    let window: WidgetWindow
    let view: TextView
    let file: EditedFile
    /// The way between the text and its Markdown; nil for plain text.
    let rich: RichDocument?
    /// What comes along from the window that showed the file otherwise, until the file is shown.
    var carried: StyleSwitch?
    /// What is kept against a crash.
    var protection = Protection()
    /// Where the caret is to go as soon as the text reaches so far.
    var pendingTarget: GotoTarget?
    /// What waits for a save to end.
    var saves = WaitingSaves()
    /// Where the name of a file is typed.
    let prompt: PathPrompt
    /// Where one types what to look for.
    let findBar: FindBar
    /// What is offered while one types.
    let offers: OfferBar
    /// The numbers of the lines, while they are shown.
    var ruler: LineNumberRuler?
    /// The buttons for styles, above styled text.
    var formatBar: FormatBar?
    /// Whether the buttons are going to show the styles of the selection.
    var isFormatBarDue = false
    /// The brackets at the caret, while they are shown.
    var brackets: MatchingBrackets?
    /// The words are being counted.
    var wordCounting: Counting?
    /// The pages are being printed.
    var printing: PrintJob?
    /// The command on the text that is being worked out; nil if none is.
    var longCommand: LongCommand?
    /// Spelling, and commands that rewrite text.
    let tools: WindowTools
    /// The properties that `.editorconfig` files give the file.
    var conventions = EditorConfig()
    /// What the title bar tells of; nil before it does.
    var titleSubject: TitleSubject?

    private var observation: TextObservation?
    /// The observation of styled text.
    var richObservation: TextObservation?
    let status: StatusLine
    private let trace: TraceFile?
    /// What is asked before all else; the first is the one that is shown.
    private(set) var questions: [Question] = []
    /// The last word to the user, until the next key.
    var message: Message?
    /// Words for the button under the pointer.
    var hint: String?
    /// Age of the status line's numbers.
    var statusAge = StatusAge()

    var display: Display { program.display }
    /// Work that waits for the file to be read.
    var whenRead: [() -> Void] {
        get { life.whenRead }
        set { life.whenRead = newValue }
    }

    /// Makes the window, and begins to read the file. Throws with a message for the user.
    init(_ program: EditorProgram, _ options: EditOptions) throws {
        let obstacle = options.rich ? RichDocument.obstacle() : nil
        var options = options
        options.rich = options.rich && obstacle == nil
        (self.program, self.options) = (program, options)
        let display = program.display
        trace = try options.trace.map(TraceFile.init)
        let store = TextStore()
        file = EditedFile(store: options.rich ? TextStore() : store)
        let numbers = Set(program.windows.lazy.filter { $0.file.shownPath == nil }.map(\.file.untitledNumber))
        file.untitledNumber = (1...numbers.count + 1).first { !numbers.contains($0) } ?? 1
        rich = options.rich ? RichDocument(view: store, source: file.store) : nil
        // The disk is asked while the window is made.
        if let path = options.file {
            Self.read(path, into: file, options, display)
        } else if options.readsInput {
            Self.readInput(into: file, options, display)
        }
        let geometry = options.geometry.flatMap(WindowGeometry.init)
        let scale = display.scale
        var properties = Window.Properties(title: "Inkstone")
        if let x = geometry?.x, let y = geometry?.y { properties.origin = RootPoint(x: x, y: y) }
        properties.minimumSize = Size(width: 120 * scale, height: 80 * scale)
        let settings = program.settings.shown
        let kept = settings.window
        let size = Size(
            width: geometry?.width ?? (kept.width * scale).rounded(),
            height: geometry?.height ?? (kept.height * scale).rounded())
        window =
            if let host = options.embed.flatMap(WindowID.init) {
                try WidgetWindow(display, plugInto: host, properties: properties)
            } else {
                try WidgetWindow(display, size: size, properties: properties)
            }
        let font = settings.font.flatMap { FontDescriptor(pattern: $0, scale: scale) }
        view = TextView(in: window, store: store, font: font)
        tools = WindowTools(view.session)
        status = StatusLine(display, sharing: view)
        prompt = PathPrompt(in: window, main: view, font: StatusLine.font(scale: scale))
        findBar = FindBar(in: window, main: view, display: display, histories: program.histories)
        offers = OfferBar(display, sharing: view)
        window.add(status)
        window.add(findBar)
        window.add(prompt.list)
        window.add(offers)
        apply(settings)
        // A file of plain text keeps no styles, lists or pictures: what is pasted comes in as the text that will be saved.
        view.options.acceptsStyles = false
        view.onDropFiles = { [weak self] paths in
            guard let self, !isClosed else { return false }
            let limit = 50
            program.open(Array(paths.prefix(limit)), from: self)
            if paths.count > limit { tell(Words.firstFilesOpened(limit, of: paths.count), isProblem: true) }
            return true
        }
        connect()
        startRichText()
        bindKeys()
        start()
        if let font, !font.isInstalled {
            tell(font.missingFamily(standIn: view.layout.fontFamily), isProblem: true)
        }
        complainAboutLocale()
        if let obstacle { complain(obstacle) }
        if program.windows.isEmpty, let problem = program.read?.problem { complain(problem) }
        updateStatus()
        // With a file the window is shown as soon as its start is there, or does not come soon.
        if !file.isReading { showWindow() }
    }

    /// Takes the window away, with nothing lost that is not meant to be: `keeping` tells whether the journal stays for the next start,
    /// for which its disk is waited for no longer than so many milliseconds. Returns whether the disk has unsaved changes; nil if there are
    /// none to keep.
    @discardableResult
    func end(keeping: Bool = false, within milliseconds: Int = 0) -> Bool? {
        let keeping = keeping || life.keepsJournal
        if keeping { writeRichTextNow() }
        _ = life.state.handle(.end)
        keepSize()
        keepPlace()
        life.watch?.end()
        file.cancel()
        wordCounting?.cancel()
        printing?.cancel()
        longCommand?.stop()
        tools.end()
        window.close()
        trace?.close()
        let isWanted = (keeping || file.isSaving) && file.isModified
        let isKept = endJournal(keeping: isWanted, within: milliseconds)
        return isWanted ? isKept : nil
    }

    /// Shows the window, once.
    func showWindow() {
        guard !window.window.isShown, !window.window.isClosed else { return }
        window.show()
        program.didShow(self)
    }

    private func start() {
        trace?.note(window.inputMethodState)
        trace?.onFailure = { [weak self] in self?.tell($0, isProblem: true) }
        pendingTarget = options.goto.flatMap(GotoTarget.init)
        if let path = options.file ?? (options.readsInput ? FilePath(Words.standardInput) : nil) {
            follow(path)
            if options.file != nil { returnToPlace() }
        } else if let page = options.page {
            file.show(page)
            // Keys stand behind the longest name of a command.
            view.paragraphStyle.tabInterval = 48
            setEditable(false)
            updateTitle()
        } else {
            begin()
            offerRecovery()
        }
    }

    /// The text can be edited from now on.
    func begin() {
        if rich?.isReady == false { showRichText() }
        setEditable(true)
        adoptLineEnds()
        adoptConventions()
        startJournal()
        trace?.follow(window.session)
    }

    /// Lets the user change the text, unless it is not to be changed at all. A question takes the keys and leaves this as it is: answers
    /// to keys that were struck before it still belong to the text.
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
        // By the window manager as by the key: after the keys that are in flight.
        window.onClose = { [weak self] _ in self?.close() }
        // Without its host an embedded window has nowhere to ask what becomes of changes.
        window.onDestroy = { [weak self] _ in self?.handle(.end) }
        window.onUnplug = { [weak self] _ in self?.handle(.end) }
        view.leadingMenuItems = { [weak self] in self?.spellingItems(at: $0) ?? [] }
        view.onPasteFailure = { [weak self] in
            // An empty clipboard is nothing to complain of.
            if $0 != .unavailable { self?.pasteDidFail($0) }
        }
        view.onPasteReplacement = { [weak self] count in
            self?.tell(Words.pastedReplacements(count))
        }
        view.onPasteEnd = { [weak self] in self?.editDidCome() }
        findBar.session.onReplacingEnd = { [weak self] in self?.editDidCome() }
        window.keyInterceptor = { [weak self] in self?.intercept($0) ?? true }
        // A question has the pointer as it has the keys.
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
        status.onAnswer = { [weak self] index in
            guard let self, !isClosed else { return }
            guard let question = questions.first else { return prompt.press(index) }
            if index < question.answers.count { answer(question.answers[index].action) }
        }
        findBar.onFocus = { [weak self] in self?.lookAtFile() }
        prompt.onFocus = { [weak self] in self?.lookAtFile() }
        findBar.onNotice = { [weak self] in self?.tell($0, isProblem: $1) }
        findBar.onHint = { [weak self] in self?.show(hint: $0) }
        offers.isWaiting = { [weak self] in self?.isAsking ?? true }
        offers.isElsewhere = { [weak self] in self.map { $0.findBar.isOpen || $0.prompt.isOpen } ?? false }
        file.onFormatChange = { [weak self] in
            guard let self else { return }
            adoptLineEnds()
            noteFormat()
            sayGuess()
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
        // Who moves about does not want to be taken elsewhere.
        if update.changes.contains(.selection), update.origin != .load { pendingTarget = nil }
        if !update.changes.isDisjoint(with: [.text, .selection, .mode]) { setNeedsStatus() }
        if update.changes != .scrolling { updateFormatBarSoon() }
        if update.changes.contains(.focus), view.isFocused { lookAtFile() }
    }

    private func layOut() {
        guard !isClosed else { return }
        window.layOut()
        window.window.setNeedsDisplay()
    }

    // MARK: Keys

    /// Asks something, after the keys that are in flight and after what is being asked already. Nothing can be typed until it is answered.
    func ask(_ question: Question) {
        performInOrder(.action) { window in
            window.handle(.ask)
            window.show(question)
        }
    }

    /// Shows a question, behind those that are open; in place of one that asks the same. Of some things there is one question at a time.
    func show(_ question: Question) {
        guard questions.add(question) else { return updateQuestion() }
        window.announce(question.text)
        prompt.close()
        findBar.close()
        callUser()
        updateQuestion()
    }

    private func updateQuestion() {
        updateStatus()
        // Offers come and go with it.
        if !window.window.isClosed { layOut() }
        guard !isAsking, let work = life.whenAnswered else { return }
        life.whenAnswered = nil
        work()
    }

    /// Asks about what stands against a command of the user: as a question, unless the disk took so long that they have typed on. Then they are
    /// asked beside the text, before all that was offered unasked.
    func askAboutCommand(_ question: Question) {
        if let topic = question.topic { offers.withdraw(topic) }
        guard life.hasTypedOn else {
            var question = question
            question.leavesText = true
            handle(.ask)
            return show(question)
        }
        offers.show(question, isFirst: true)
        callUser()
    }

    /// Has the question that leaves keys to the text asked beside it, because a key goes there: a close that waits for the answer ends.
    private func putQuestionAside() {
        guard let question = questions.first, question.leavesText else { return }
        questions.removeFirst()
        // A prompt that was to come after it would take the keys that go to the text.
        life.whenAnswered = nil
        offers.show(question, isFirst: true)
        handle(.saveFailed)
        handle(isAsking ? .ask : .answer)
        updateQuestion()
    }

    /// Takes back what is asked about this, as a question or beside the text: a save that has ended well leaves nothing to be answered.
    func withdraw(_ topic: Question.Topic) {
        offers.withdraw(topic)
        guard questions.contains(where: { $0.topic == topic }) else { return }
        questions.removeAll { $0.topic == topic }
        if !isAsking { handle(.proceed) }
        updateQuestion()
    }

    /// Whether a question is open. All keys go to it, so that nothing may be opened that is typed into.
    var isAsking: Bool { !questions.isEmpty }

    /// Answers the question that is shown.
    private func answer(_ action: () -> Void) {
        let question = questions.removeFirst()
        life.hasTypedOn = false
        action()
        // An answer about closing has changed the state already.
        handle(isAsking ? .ask : question.isAboutSave ? .proceed : .answer)
        updateQuestion()
    }

    /// Takes all questions back: the one about changes as if it had not been asked, all others as if they were cancelled.
    func takeQuestionsBack() {
        guard isAsking else { return }
        let open = questions
        (questions, life.strokes, life.whenAnswered) = ([], [], nil)
        for question in open where question.topic != .closing { question.cancel() }
        updateQuestion()
    }

    /// Takes a key while a question is open: an answer, or a close or quit, which is its cancel. Returns whether it was one of these.
    private func answer(_ question: Question, _ key: KeyEvent) -> Bool {
        // A composition has its own use for these keys.
        guard key.phase == .down, !question.leavesText || view.markedText == nil else { return false }
        if let action = question.action(for: key) {
            life.strokes = []
            answer(action)
            return true
        }
        if questions[0].choose(by: key) {
            updateStatus()
            return true
        }
        if question.leavesText { return false }
        switch command(for: key) {
        case .performClose: close()
        case .terminate:
            if question.topic != .closing { answer(question.cancel) }
            perform(.terminate)
        default: return false
        }
        return true
    }

    /// The command that a key is bound to, alone or at the end of a chord that was struck at a question.
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

    /// Asks for a name, or something else, in the status line. The find bar is closed, and replaces nothing behind it.
    ///
    /// - Parameters:
    ///   - problem: why the text is no answer that was given before; nil for the first time.
    ///   - giveUp: called if it is closed without an answer.
    func openPrompt(
        _ request: PathPrompt.Request, text: String, problem: String? = nil, giveUp: (() -> Void)? = nil,
        answer: @escaping (EditorWindow, String) -> Void
    ) {
        findBar.close()
        prompt.open(request, text: text, problem: problem, giveUp: giveUp) { [weak self] text in
            guard let self else { return }
            life.hasTypedOn = false
            answer(self, text)
        }
    }

    // MARK: State

    /// Whether the window is gone, or goes in this turn.
    var isClosed: Bool { life.state == .closed }

    /// Takes an event, and does what follows from it. An event that the state does not take does nothing.
    func handle(_ event: WindowState.Event) {
        guard let effect = life.state.handle(event) else { return }
        perform(effect)
    }

    /// Does `work` when all keys before it have been answered, unless the window is closed by then.
    func performInOrder(_ kind: InputItemKind = .save, _ work: @escaping (EditorWindow) -> Void) {
        window.performInOrder(kind) { [weak self] in
            if let self, !isClosed { work(self) }
        }
    }

    /// Does `work` when the edits that were asked for are made, or are known not to come: text to be pasted or dropped, a Replace All. To
    /// be called in order, so that it is in order with these too.
    func performAfterEdits(_ work: @escaping (EditorWindow) -> Void) {
        guard isAwaitingEdits else { return work(self) }
        life.whenEdited.append { [weak self] in
            if let self, !isClosed { work(self) }
        }
        writeRichText(isAwaited: true)
    }

    /// Whether an edit that was asked for is still to come.
    var isAwaitingEdits: Bool {
        view.session.awaitsText || findBar.session.isReplacing || longCommand != nil || rich?.isPending == true
    }

    /// Whether something that the user did has not come to the text yet.
    var isAwaitingInput: Bool { isAwaitingEdits || window.hasWaitingKeys }

    func editDidCome() {
        guard !isAwaitingEdits else {
            if !life.whenEdited.isEmpty { writeRichText(isAwaited: true) }
            return
        }
        let waiting = life.whenEdited
        life.whenEdited = []
        for work in waiting { work() }
    }

    /// A close that waits would lose what did not come: it ends. A save goes on without it.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        handle(.saveFailed)
        tell(failure.description, isProblem: true)
    }

    /// Does what edits, or opens something that is typed into, when all keys before it have been answered; not if a question is open by then.
    func performUnlessAsking(_ work: @escaping (EditorWindow) -> Void) {
        performInOrder(.action) { if !$0.isAsking { work($0) } }
    }

    /// Answers a question that is open, and takes the editor's own shortcuts, in their turn after the keys before them.
    private func intercept(_ key: KeyEvent) -> Bool {
        guard !isClosed else { return true }
        if let question = questions.first, answer(question, key) || !question.leavesText { return true }
        guard key.phase != .up else { return false }
        if !key.keysym.isModifier { life.hasTypedOn = true }
        if message != nil, file.isUsable, !key.keysym.isModifier {
            clearMessage()
        }
        let isTaken = prompt.intercept(key) || findBar.intercept(key) || stopPrinting(by: key)
        if isTaken || stopCommand(by: key) || stopLongCommand(by: key) { return true }
        if options.page != nil, key.keysym == .escape {
            close()
            return true
        }
        guard view.inputContext.pendingStrokes.isEmpty else { return false }
        let bound = view.keyBindings.command(for: key)
        if let bound, !view.keyBindings.mayGoOn(with: key), beginLong(bound) { return true }
        guard let command = bound, Self.commands.contains(command) else {
            if offers.intercept(key, willAnswer: { life.hasTypedOn = false }) { return true }
            if !key.keysym.isModifier {
                putQuestionAside()
                goOn()
            }
            return false
        }
        // The keys before it may begin a chord, and are on their way.
        guard !view.keyBindings.mayGoOn(with: key) else { return false }
        perform(command)
        return true
    }

    /// Ends a close that waits for a save, or whose save is asked about beside the text: who goes on does not leave.
    private func goOn() {
        guard life.state == .closing, !prompt.isOpen else { return }
        guard offers.isAboutSave || file.isSaving || printing != nil else { return }
        handle(.saveFailed)
        if !offers.isAboutSave {
            let name = file.displayName
            tell(file.isSaving ? Words.staysOpenSaving(name) : Words.staysOpenPrinting(name))
        }
    }

    /// The editor's own commands. Keys that are bound to one of them alone are no input method's business, and are not typed into the
    /// text: taken here they work in mid-composition, and however long the method takes.
    private static let commands: Set<EditCommand> = [
        .newDocument, .openDocument, .openRecentDocument, .saveDocument, .saveDocumentAs, .performClose, .terminate,
        .find, .findAndReplace, .findOrNext, .findNext, .findPrevious, .findPrimary, .goToLine, .makeTextLarger,
        .makeTextSmaller, .makeTextStandardSize, .toggleFullScreen, .showMenu, .showHelp, .printDocument,
    ]

    /// Performs a command that is not the text's, in its turn after the keys before it. False if it is none of these.
    @discardableResult
    func perform(_ command: EditCommand) -> Bool {
        if command != .performClose, command != .terminate { goOn() }
        switch command {
        case .saveDocument where prompt.isOpen: break
        case .saveDocument:
            performInOrder {
                $0.clearMessage()
                $0.life.hasTypedOn = false
                $0.save()
            }
        case .saveDocumentAs: performUnlessAsking { $0.askWhereToSave() }
        case .performClose: close()
        case .terminate: performInOrder { $0.program.quit() }
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

    /// Sets the table of `--keys`, else the user's own; what is wrong with a file is said, and the rest of it taken.
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

    /// Says so if no character locale works, for then neither do input methods and dead keys.
    private func complainAboutLocale() {
        let locale = CharacterLocale.prepare()
        guard !locale.isUsable, let note = locale.note else { return }
        complain(note)
    }

    /// Says what is wrong in the window, and in a line for whoever started the editor.
    func complain(_ text: String, notice: String? = nil) {
        var line = "inkstone: \(text)\n"
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        tell(notice ?? text, isProblem: true)
    }
}

/// The state of a window, and work that waits for its file.
struct WindowLife {
    /// The state: each event goes through ``EditorWindow/handle(_:)``.
    var state = WindowState.open
    /// The start of a chord that was struck at a question.
    var strokes: [KeyStroke] = []
    /// Whether unsaved changes stay in the journal when the window is taken away.
    var keepsJournal = false
    /// Whether a key was struck since the user's last command or answer was carried out.
    var hasTypedOn = false
    /// The version of the text whose changes are discarded when a quit has all its answers.
    var released: TextVersion?
    /// The watch over the file for what other programs do to it; nil without a file.
    var watch: FileWatch?
    /// Whether the disk has said that the file may not be written.
    var isWriteProtected = false
    /// Whether the file is being read again, in place of what is in the text.
    var isRereading = false
    /// Work that waits for the file to be read.
    var whenRead: [() -> Void] = []
    /// A prompt that is to come up when no question is open any more.
    var whenAnswered: (() -> Void)?
    /// Work that waits for edits that were asked for.
    var whenEdited: [() -> Void] = []
    /// What has keys wait.
    var keyWaits = KeyWaits()
    /// The timer after which one types ahead of a file; nil if none is to come.
    var aheadTimer: TimerID?
}

/// All that a window's title depends on.
struct TitleSubject: Hashable {
    var path: FilePath?
    var page: String?
    var isModified: Bool
    var isReadOnly: Bool
}

/// A strip between the text and the status line that is there for a while.
protocol EditorBar: WindowContent {
    /// It has come or gone, or has another height.
    var onLayoutChange: (() -> Void)? { get set }
}

extension FindBar: EditorBar {}
extension OfferBar: EditorBar {}

extension KeyBindingFileError {
    /// What the status line says: the first mistake whole, of the others where they are.
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
