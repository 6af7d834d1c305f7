import Glibc
import Inkstone

/// A window of the editor: a text view and a status line, a file, and the questions that go with them.
///
/// Here are the window, its keys and what the status line says. Opening and closing, saving, finding, settings, the file's format and
/// recovery are extensions, each in a file named after it.
final class EditorWindow {
    unowned let program: EditorProgram
    /// The state of the window, and what waits for its file.
    var life = WindowLife()
    var options: EditOptions
    let window: WidgetWindow
    let view: TextView
    let file: EditedFile
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
    /// The words are being counted.
    var wordCounting: Counting?
    /// What the title bar tells of; nil before it does.
    var titleSubject: TitleSubject?

    private var observation: TextObservation?
    private let status: StatusLine
    private let trace: TraceFile?
    /// What is asked before all else; the first is the one that is shown.
    private var questions: [Question] = []
    private(set) var message: (text: String, isProblem: Bool)?
    /// Whether the status line is out of date, and when it was brought up to date last, in milliseconds of ``MonotonicClock``.
    private var statusAge = (isStale: false, time: Int64(0))

    var display: Display { program.display }
    /// Work that waits for the file to be read.
    var whenRead: [() -> Void] {
        get { life.whenRead }
        set { life.whenRead = newValue }
    }

    /// Makes the window, and begins to read the file. Throws with a message for the user.
    init(_ program: EditorProgram, _ options: EditOptions) throws {
        (self.program, self.options) = (program, options)
        let display = program.display
        trace = try options.trace.map(TraceFile.init)
        let store = TextStore()
        file = EditedFile(store: store)
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
        let size = Size(
            width: geometry?.width ?? (800 * scale).rounded(), height: geometry?.height ?? (560 * scale).rounded())
        window = try WidgetWindow(display, size: size, properties: properties)
        let settings = program.settings.shown
        let font = settings.font.flatMap { FontDescriptor(pattern: $0, scale: scale) }
        view = TextView(in: window, store: store, font: font)
        status = StatusLine(display, sharing: view)
        prompt = PathPrompt(in: window, main: view, font: StatusLine.font(scale: scale))
        findBar = FindBar(in: window, main: view, display: display)
        offers = OfferBar(display, sharing: view)
        window.add(status)
        window.add(findBar)
        window.add(prompt.encodings)
        window.add(offers)
        apply(settings)
        view.menuItems = { [weak self] in self?.menuItems() ?? [] }
        view.onDropFiles = { [weak self] paths in
            guard let self, !isClosed else { return false }
            let limit = 50
            program.open(Array(paths.prefix(limit)), from: self)
            if paths.count > limit { tell("The first \(limit) of \(paths.count) files were opened", isProblem: true) }
            return true
        }
        connect()
        bindKeys()
        start()
        if let font, !font.isInstalled {
            tell(font.missingFamily(standIn: view.layout.fontFamily), isProblem: true)
        }
        complainAboutLocale()
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
        _ = life.state.handle(.end)
        file.cancel()
        wordCounting?.cancel()
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
        if let path = options.file ?? (options.readsInput ? "standard input" : nil) {
            follow(path)
        } else if let page = options.page {
            file.show(page)
            setEditable(false)
            updateTitle()
        } else {
            begin()
            offerRecovery()
        }
    }

    /// The text can be edited from now on.
    func begin() {
        setEditable(true)
        view.session.newline = file.newline.rawValue
        startJournal()
        trace?.follow(window.session)
    }

    /// Lets the user change the text, unless it is not to be changed at all. A question takes the keys and leaves this as it is: answers
    /// to keys that were struck before it still belong to the text.
    func setEditable(_ isEditable: Bool) {
        view.isEditable = isEditable && !options.readOnly
    }

    private func connect() {
        window.onLayout = { [weak self] window in
            guard let self else { return }
            let bounds = window.window.bounds
            status.setWidth(bounds.width)
            let height = min(status.height, bounds.height)
            let list = prompt.encodings.height(in: bounds.height - height)
            let bar = list + findBar.height(in: Size(width: bounds.width, height: bounds.height - height - list))
            let offer = min(offers.height(for: bounds.width), bounds.height - height - bar)
            let numbers = min(ruler?.width ?? 0, bounds.width - 1)
            let text = bounds.height - height - bar - offer
            ruler?.setFrame(WindowRect(x: 0, y: 0, width: numbers, height: text))
            view.setFrame(WindowRect(x: numbers, y: 0, width: bounds.width - numbers, height: text))
            offers.setFrame(
                WindowRect(x: 0, y: bounds.height - height - bar - offer, width: bounds.width, height: offer))
            findBar.setFrame(
                WindowRect(x: 0, y: bounds.height - height - bar, width: bounds.width, height: bar - list))
            prompt.encodings.setFrame(
                WindowRect(x: 0, y: bounds.height - height - list, width: bounds.width, height: list))
            status.setFrame(WindowRect(x: 0, y: bounds.height - height, width: bounds.width, height: height))
            prompt.place(status.promptFrame)
        }
        // By the window manager as by the key: after the keys that are in flight.
        window.onClose = { [weak self] _ in self?.close() }
        window.onDestroy = { [weak self] _ in self?.handle(.end) }
        view.onPasteFailure = { [weak self] in
            // An empty clipboard is nothing to complain of.
            if $0 != .unavailable { self?.pasteDidFail($0) }
        }
        view.onPasteReplacement = { [weak self] count in
            self?.tell(
                (count == 1
                    ? "One sequence of bytes of what was pasted is no text, and is � now. "
                    : "\(count) sequences of bytes of what was pasted are no text, and are � now. ")
                    + "The program that it comes from may have it in another form")
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
        for bar in [findBar, prompt.encodings, offers] as [any EditorBar] {
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
        offers.isWaiting = { [weak self] in self?.isAsking ?? true }
        offers.isElsewhere = { [weak self] in self.map { $0.findBar.isOpen || $0.prompt.isOpen } ?? false }
        file.onFormatChange = { [weak self] in
            guard let self else { return }
            view.session.newline = file.newline.rawValue
            noteFormat()
            sayGuess()
            setNeedsStatus()
        }
        status.onChange = { [weak self] in self?.window.window.setNeedsDisplay($0) }
        status.onHeightChange = { [weak self] in self?.layOut() }
        observation = view.observe { [unowned self] in viewDidUpdate($0) }
        view.inputContext.onPendingStrokesChange = { [weak self] in self?.updateStatus() }
        window.onCommand = { [weak self] in self?.perform($0) ?? false }
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        // Who moves about does not want to be taken elsewhere.
        if update.changes.contains(.selection), update.origin != .load { pendingTarget = nil }
        if !update.changes.isDisjoint(with: [.text, .selection, .mode]) { setNeedsStatus() }
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

    /// Shows a question, unless one about the same is open.
    func show(_ question: Question) {
        guard question.topic == nil || !questions.contains(where: { $0.topic == question.topic }) else { return }
        questions.append(question)
        prompt.close()
        findBar.close()
        callUser()
        updateQuestion()
    }

    private func updateQuestion() {
        updateStatus()
        // Offers come and go with it.
        if !window.window.isClosed { layOut() }
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
        (questions, life.strokes) = ([], [])
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
    }

    /// Whether an edit that was asked for is still to come.
    var isAwaitingEdits: Bool { view.session.awaitsText || findBar.session.isReplacing }

    /// Whether something that the user did has not come to the text yet.
    var isAwaitingInput: Bool { isAwaitingEdits || window.hasWaitingKeys }

    private func editDidCome() {
        guard !isAwaitingEdits else { return }
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
            message = nil
            setNeedsStatus()
        }
        if prompt.intercept(key) || findBar.intercept(key) { return true }
        guard view.inputContext.pendingStrokes.isEmpty else { return false }
        guard let command = view.keyBindings.command(for: key), Self.commands.contains(command) else {
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
        guard offers.isAboutSave || file.isSaving else { return }
        handle(.saveFailed)
        if !offers.isAboutSave { tell("“\(file.displayName)” stays open, and is still being saved") }
    }

    /// The editor's own commands. Keys that are bound to one of them alone are no input method's business, and are not typed into the
    /// text: taken here they work in mid-composition, and however long the method takes.
    private static let commands: Set<EditCommand> = [
        .newDocument, .openDocument, .saveDocument, .saveDocumentAs, .performClose, .terminate, .find, .findAndReplace,
        .findOrNext, .findNext, .findPrevious, .findPrimary,
        .goToLine, .makeTextLarger, .makeTextSmaller, .makeTextStandardSize, .showHelp,
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
        case .showHelp: program.showKeys(view.inputContext.keyBindings)
        case .newDocument: performInOrder(.action) { $0.program.openWindow() }
        case .openDocument: performUnlessAsking { $0.askWhatToOpen() }
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
            window.view.inputContext.keyBindings = found.table
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

    // MARK: Status

    /// Says something in the status line until the next key; what makes the file unusable stays. The middle of a text that leaves no room for
    /// anything else, such as a name that was pasted, is left out.
    func tell(_ text: String, isProblem: Bool = false) {
        let limit = 600
        message = (text.unicodeScalars.count > limit ? FilePath.label(text, limit: limit) : text, isProblem)
        if isProblem { callUser() }
        setNeedsStatus()
    }

    /// Something waits for the user, who may be elsewhere.
    private func callUser() {
        if window.window.isShown { window.window.isUrgent = true }
    }

    /// Takes back what was said.
    func clearMessage() {
        message = nil
        setNeedsStatus()
    }

    /// The strip is brought up to date a moment later, when what was sent at once is done, but while one types on no more often than
    /// twice a second: typing does not wait for it, and it costs a quarter of a key.
    func setNeedsStatus() {
        guard !statusAge.isStale else { return }
        statusAge.isStale = true
        let pause = statusAge.time + 500 - MonotonicClock.milliseconds
        display.schedule(afterMilliseconds: Int(max(20, pause))) { [weak self] in
            guard let self, statusAge.isStale else { return }
            updateStatus()
        }
    }

    func updateStatus() {
        guard !isClosed else { return }
        statusAge.isStale = false
        updateTitle()
        statusAge.time = MonotonicClock.milliseconds
        let state = window.inputMethodState
        let (name, position) = summary
        var content = StatusLine.Content(
            file: name, position: position, right: options.readOnly ? "Read only" : state.summary,
            detail: needsNoAdvice ? nil : state.diagnosis)
        if let question = questions.first {
            content.message = question.text
            content.answers = question.answers.map(\.label)
            content.chosen = question.chosen
            content.detail = nil
        } else if !view.inputContext.pendingStrokes.isEmpty {
            content.message = view.inputContext.pendingStrokes.map(\.description).joined(separator: " ") + " …"
        } else if prompt.isOpen {
            content.message = prompt.label
            content.detail = prompt.hint
            content.detailKind = prompt.isProblem ? .problem : .hint
            content.answers = prompt.buttons
        } else if let message {
            // What happened stands above what to do about it.
            let sentences = message.text.firstRange(of: ". ")
            content.message = sentences.map { String(message.text[...$0.lowerBound]) } ?? message.text
            if let sentences { content.detail = String(message.text[sentences.upperBound...]) }
            content.isProblem = message.isProblem
        } else {
            content.isProblem = protection.isOff
        }
        status.content = content
    }

    /// Whether one only reads, or has typed without an input method.
    private var needsNoAdvice: Bool {
        options.readOnly || window.inputMethodState.phase == .none && (view.store.canUndo || view.store.canRedo)
    }

    /// The file's name, and what is said behind it.
    private var summary: (file: String, position: String) {
        if file.isReadingInput { return (file.displayName, "Reading standard input") }
        if let progress = file.progress { return (file.displayName, "Reading, \(progress) %") }
        let place = LineAndColumn(of: view.selection?.head ?? 0, in: view)
        let modified = file.isModified ? " •" : ""
        let mode = view.session.isOverwriting ? "    Overwriting" : ""
        let warning = protection.isOff ? "    Not protected against a crash" : ""
        return (
            file.displayName + modified,
            "Line \(place.line), Column \(place.column)    \(file.formatDescription)\(mode)\(warning)"
        )
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
    /// Whether the file is being read again, in place of what is in the text.
    var isRereading = false
    /// Work that waits for the file to be read.
    var whenRead: [() -> Void] = []
    /// Work that waits for edits that were asked for.
    var whenEdited: [() -> Void] = []
    /// The timer that ends the wait of keys for the disk; nil if none wait for it.
    var heldKeys: TimerID?
}

/// All that a window's title depends on.
struct TitleSubject: Hashable {
    var path: FilePath?
    var page: String?
    var isModified: Bool
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
        let others = lines.dropFirst().map { "\($0.number)" }
        let end =
            switch others.count {
            case 0: ""
            case 1: " Line \(others[0]) is wrong as well."
            case 2...5: " Lines \(others.joined(separator: ", ")) are wrong as well."
            default: " \(others.count) more lines are wrong; all are named where the editor was started."
            }
        let stop = first.message.hasSuffix("?") ? "" : "."
        return "Key bindings, line \(first.number): \(first.message)\(stop)\(end)"
    }
}
