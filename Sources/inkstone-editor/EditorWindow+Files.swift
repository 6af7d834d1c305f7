import Inkstone

extension EditorWindow {
    /// Begins to read a file; it can be edited as soon as its start is there.
    func open(_ path: FilePath, acceptingBinary: Bool = false, encoding: TextEncoding? = nil) {
        var options = options
        if let encoding { options.encoding = encoding.name }
        Self.read(path, into: file, options, display, acceptingBinary: acceptingBinary, isReturning: true)
        follow(path)
        stopHoldingKeys()
        // Where nothing stands, what is typed before the file is there can be shown at once.
        guard window.window.isShown, file.isReading, !options.readOnly else { return }
        // Else what is typed waits for it a moment, with the old text in sight.
        if view.store.text.isEmpty { typeAhead() } else { window.keysWait = true }
    }

    private func typeAhead() {
        guard file.isReading, !file.isUsable, !options.readOnly else { return }
        endJournal(keeping: false)
        file.typeAhead()
        guard file.isAwaited else { return }
        begin()
        protection.markAhead = protection.journal?.mark()
    }

    /// Has a file read, from now on; who hears of it can be said until the loop turns.
    static func read(
        _ path: FilePath, into file: EditedFile, _ options: EditOptions, _ display: Display,
        acceptingBinary: Bool = false,
        isReturning: Bool = false
    ) {
        let poster = display.poster
        file.open(
            path, encoding: options.encoding.flatMap(TextEncoding.init(named:)),
            guess: EncodingGuess(locale: CharacterLocale.environmentName), acceptingBinary: acceptingBinary,
            willSave: !options.readOnly, pausingAfterStart: true, isReturning: isReturning, post: { poster.post($0) })
    }

    /// Has standard input read, as a text without a file.
    static func readInput(into file: EditedFile, _ options: EditOptions, _ display: Display) {
        let poster = display.poster
        file.openInput(
            encoding: options.encoding.flatMap(TextEncoding.init(named:)),
            guess: EncodingGuess(locale: CharacterLocale.environmentName), post: { poster.post($0) })
    }

    /// Takes what is read of a file.
    func follow(_ path: FilePath) {
        file.report = { [weak self] in self?.fileDid($0, path) }
        if offers.withdrawAll() { handle(.saveFailed) }
        setEditable(file.isUsable)
        updateTitle()
        // A file's start is there within a millisecond or so; a disk that is slower than this is not waited for. Counted
        // from a turn of the loop, because a start of the editor takes its time too.
        display.schedule(afterMilliseconds: 0) { [weak self] in
            self?.display.schedule(afterMilliseconds: 250) { self?.beginAheadOfFile() }
        }
    }

    /// Name, whether it was changed, and folder, as far as they are others than those shown.
    func updateTitle() {
        let subject = TitleSubject(path: file.shownPath, page: file.page?.title, isModified: file.isModified)
        guard subject != titleSubject else { return }
        titleSubject = subject
        let folder = file.displayFolder.map { " (\($0))" } ?? ""
        let mark = file.isModified ? " •" : options.readOnly && options.page == nil ? " [read only]" : ""
        let title = "\(file.displayName)\(mark)\(folder) – Inkstone"
        window.window.setTitle(title)
    }

    /// Lets the user type although nothing of the file is there yet, and says so.
    private func beginAheadOfFile() {
        guard !isClosed else { return }
        // Keys may wait for something else by now.
        defer { if !life.isRereading, life.heldKeys == nil { window.keysWait = false } }
        guard file.isReading, !file.isUsable else { return }
        typeAhead()
        if message?.isProblem != true {
            tell(
                "Reading “\(file.displayName)”"
                    + (options.readOnly ? "" : ". What you type comes before its text, as soon as that is there"))
        }
        showWindow()
    }

    /// The start of the file is there, behind what was typed ahead of it.
    private func beginWithFile() {
        guard let markAhead = protection.markAhead else {
            // That of what was here before: until now it could have come back.
            endJournal(keeping: false)
            return begin()
        }
        protection.markAhead = nil
        setEditable(true)
        view.session.newline = file.newline.rawValue
        rebaseJournal(keepingAfter: markAhead)
    }

    private func fileDid(_ event: EditedFile.Event, _ path: FilePath) {
        guard !isClosed else { return }
        defer { showWindow() }
        switch event {
        case .started:
            // That it is being read; what is wrong with the user's keys is still true.
            if message?.isProblem != true { clearMessage() }
            beginWithFile()
            // A thread that reads slows down the one that shows the first screen, even on another processor.
            display.performAfterPainting { [weak self] in self?.file.readOn() }
            offerRecovery()
            goToTarget(isWhole: false)
            letKeysCome()
        case .progressed:
            goToTarget(isWhole: false)
            letKeysCome()
            setNeedsStatus()
        case .finished(let notice):
            goToTarget(isWhole: true)
            letKeysCome()
            // A text without a file is in the journal as a whole.
            if file.path == nil { startJournal() }
            if !file.isNew { program.note(path) }
            // A word about an old journal is not to be lost to it.
            if let notice, message?.isProblem != true { tell(notice) }
            sayGuess()
            setNeedsStatus()
            readingDidEnd(isRead: true)
            let waiting = whenRead
            whenRead = []
            for work in waiting { work() }
        case .looksBinary:
            // They were meant for a text: they go before this one, and answer nothing.
            releaseKeys()
            ask(
                Question(
                    text: "“\(path.label)” looks like a program or a picture, not like text. Open it all the same?",
                    answers: [
                        .init(key: "o", label: "[O]pen, bytes are kept as they are") { [weak self] in
                            self?.open(path, acceptingBinary: true)
                        },
                        .init(key: "e", label: "choose its [E]ncoding…") { [weak self] in
                            self?.chooseEncoding(of: path)
                        },
                        .init(key: "q", label: "[Q]uit") { [weak self] in
                            self?.stopReading()
                            self?.close()
                        },
                    ],
                    cancel: { [weak self] in self?.giveUpProgram() }, topic: .program))
        case .failed(let error):
            dropWaitingWork()
            (protection.markAhead, pendingTarget) = (nil, nil)
            defer {
                window.keysWait = false
                readingDidEnd(isRead: false)
            }
            // What could not be read is not overwritten either: without another text before it, it takes no typing in vain.
            guard file.isUsable else {
                endJournal(keeping: file.isModified)
                setEditable(false)
                return tell(error.description, isProblem: true)
            }
            // The journal was begun for the file that did not come.
            if file.hasRestored { endJournal(keeping: false) }
            begin()
            updateTitle()
            let isTyped = file.path == nil && file.isModified
            tell(
                error.description + (isTyped ? " What is here is a text without a name now." : ""),
                isProblem: true)
        }
    }

    private func chooseEncoding(of path: FilePath) {
        askForEncoding(of: path, giveUp: { [weak self] in self?.giveUpProgram() }) { window, encoding in
            window.open(path, acceptingBinary: true, encoding: encoding)
            window.whenRead.append { [weak window] in window?.options.encoding = encoding.name }
        }
    }

    private func giveUpProgram() {
        stopReading()
        updateTitle()
        begin()
    }

    /// The file that was asked for does not come; nothing waits for it any more.
    private func stopReading() {
        dropWaitingWork()
        (protection.markAhead, pendingTarget) = (nil, nil)
        file.giveUp()
        setEditable(file.isUsable)
        readingDidEnd(isRead: false)
    }

    /// Drops what waits for the file, which does not come. A close that waits for a save of it ends, and the window stays.
    private func dropWaitingWork() {
        (whenRead, saves.isPromised) = ([], false)
        handle(.saveFailed)
    }

    /// Has keys come that wait, whatever they wait for: before a file that is still to come they are typed ahead of it.
    func releaseKeys() {
        if window.hasWaitingKeys { typeAhead() }
        window.keysWait = false
    }

    /// What was typed since the file was asked for goes where the caret is going.
    private func letKeysCome() {
        if pendingTarget == nil { window.keysWait = false }
    }

    private func goToTarget(isWhole: Bool) {
        let text = view.store.text
        guard let target = pendingTarget, isWhole || target.isReached(by: text) else { return }
        pendingTarget = nil
        view.go(to: Selection(caret: target.offset(in: text)))
    }

    /// Closes the window when the keys struck before are answered and a save that is going on is done, after asking if there are changes.
    /// Questions that are open are cancelled; the one about changes is asked anew if there still are any.
    func close() {
        takeQuestionsBack()
        handle(.close)
    }

    /// Does what follows from an event in the life of the window.
    func perform(_ effect: WindowState.Effect) {
        switch effect {
        case .waitForKeys:
            performInOrder { window in
                window.performAfterEdits {
                    let isQuitting = $0.program.isAwaiting($0)
                    let isAnswered = !$0.isUnsaved || isQuitting && $0.isDiscarded
                    $0.handle($0.file.isSaving ? .busy : !isAnswered ? .changed : isQuitting ? .release : .unchanged)
                }
            }
        case .waitForSave: tell("Saving “\(file.displayName)”. The window closes as soon as that is done")
        case .askAboutChanges: askAboutChanges()
        case .save: save()
        case .stay: program.didStay(self)
        case .quitFurther: program.didRelease(self)
        case .remove: program.didClose(self)
        case .removeKeepingJournal:
            life.keepsJournal = true
            // Nobody has agreed to go on.
            program.endQuit()
            program.didClose(self)
        }
    }

    private func askAboutChanges() {
        show(
            Question(
                text: "Save changes to “\(file.displayName)” before closing?",
                answers: [
                    .init(key: "s", label: "[S]ave") { [weak self] in self?.handle(.save) },
                    .init(key: "d", label: "[D]iscard") { [weak self] in self?.discard() },
                    .init(key: "c", label: "[C]ancel") { [weak self] in self?.handle(.cancel) },
                ],
                cancel: { [weak self] in self?.handle(.cancel) }, topic: .closing))
    }

    /// Discards the changes with the window; in a quit not before all other windows are answered for, because a cancel there takes it back.
    private func discard() {
        guard program.isAwaiting(self) else { return handle(.discard) }
        life.released = view.store.version
        handle(.release)
    }

    /// Whether a quit may discard what is unsaved.
    private var isDiscarded: Bool { life.released == view.store.version }

    /// Whether a quit has to ask about this window still.
    var isUnanswered: Bool { file.isSaving || isAwaitingInput || isUnsaved && !isDiscarded }

    /// Asks for the name of a file, and opens it: here if there is nothing in this window, else in one of its own.
    func askWhatToOpen(_ text: String? = nil, problem: String? = nil) {
        askDisk({ RecentFiles.kept.paths.map(\.description) }) { window, history in
            guard !window.isAsking else { return }
            let request = PathPrompt.Request(
                label: "Open:", action: "Open", hint: "Enter: open · Tab: complete · ↑: recent files · Esc: cancel",
                history: history ?? [])
            let start = window.file.absolutePath?.directoryPrefix ?? EditedFile.workingFolder
            window.openPrompt(request, text: text ?? start.description, problem: problem) { window, answer in
                window.lookAt(answer) { window, path, found in
                    if let problem = found.problem {
                        return window.askWhatToOpen(answer, problem: problem.description)
                    }
                    window.program.open([path], found: [found], from: window)
                } again: {
                    $0.askWhatToOpen($1, problem: $2)
                }
            }
        }
    }

    /// Asks the disk about a file that was named in a prompt, and goes on with its answer; or asks for the name again, if it is none, with the
    /// folder that it names, or if there is no folder for such a file.
    func lookAt(
        _ answer: String, then work: @escaping (EditorWindow, FilePath, EditorProgram.NamedFile) -> Void,
        again: @escaping (EditorWindow, _ text: String, _ problem: String?) -> Void
    ) {
        guard let path = EditedFile.path(typed: answer) else {
            return again(
                self, answer, answer.hasSuffix("/") ? "Enter the name of a file in this folder." : "Enter a file name.")
        }
        program.look(at: [path], from: self) { window, answers in
            let found = answers[0]
            if case .isDirectory = found.problem { return again(window, answer + "/", nil) }
            if let folder = found.missingFolder {
                return again(window, answer, "There is no folder “\(folder.label)”.")
            }
            work(window, path, found)
        }
    }

    /// The user has come to the window: another program may have changed the file meanwhile. What is being read or saved is looked at
    /// after that.
    func lookAtFile() {
        guard !isClosed, !life.isRereading else { return }
        if file.isReading { return whenRead.append { [weak self] in self?.lookAtFile() } }
        if file.isSaving { return saves.observers.append { [weak self] in self?.lookAtFile() } }
        let poster = display.poster
        file.look(post: { poster.post($0) }) { [weak self] in self?.offerReload($0) }
    }

    private func offerReload(_ change: EditedFile.OutsideChange) {
        // A save that it stands against has asked already.
        guard !isClosed, file.isCurrent(change), !offers.isOffering(.outsideChange) else { return }
        let name = file.displayName
        let loss = file.isModified ? ", and lose the changes made here" : ""
        var answers = [
            Question.Answer(key: "k", label: "[K]eep the text that is here") { [weak self] in
                self?.keep(inSpiteOf: change)
            }
        ]
        if change.to != nil {
            let answer = Question.Answer(key: "r", label: "[R]eload it\(loss)") { [weak self] in
                if let self, file.isCurrent(change) { reread() }
            }
            answers.insert(answer, at: 0)
        }
        let what = change.to == nil ? "removed or moved" : "changed"
        offers.show(
            Question(text: "“\(name)” was \(what) by another program.", answers: answers, topic: .outsideChange))
    }

    /// Keeps the text that is here, which is now in no file: the journal gets what its edits are of.
    private func keep(inSpiteOf change: EditedFile.OutsideChange) {
        guard file.isCurrent(change) else { return }
        protection.journal?.keepCopy(of: file.savedText, file.savedFormat, read: change.from)
        file.keep(inSpiteOf: change)
        updateStatus()
    }

    /// Reads the file anew, with the caret in the same line.
    func reload(_ path: FilePath) {
        let line = view.store.text.paragraphIndex(at: view.selection?.head ?? 0).value + 1
        open(path)
        pendingTarget = .line(line, column: 1)
    }
}
