import Glibc
import Inkstone

extension EditorWindow {
    /// Begins to read a file; it can be edited as soon as its start is there.
    func open(_ path: FilePath, acceptingBinary: Bool = false, encoding: TextEncoding? = nil) {
        var options = options
        if let encoding { options.encoding = encoding.name }
        Self.read(path, into: file, options, display, acceptingBinary: acceptingBinary, isReturning: true)
        follow(path)
        guard window.window.isShown, file.isReading else { return }
        // Where nothing stands, what is typed before the file is there can be shown at once.
        if view.store.text.isEmpty { typeAhead() }
        // Else what is typed waits for it a moment, with the old text in sight; and so does what waits already.
        if window.keysWait || !file.isAwaited && !options.readOnly { holdKeys(.file) }
    }

    private func typeAhead() {
        guard file.isReading, !file.isUsable, !options.readOnly, rich == nil else { return }
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
        display.cancel(life.aheadTimer)
        life.aheadTimer = display.schedule(afterMilliseconds: 0) { [weak self] in
            self?.life.aheadTimer = self?.display.schedule(afterMilliseconds: 250) { self?.beginAheadOfFile() }
        }
    }

    /// Name, whether it was changed, and folder, as far as they are others than those shown.
    func updateTitle() {
        let subject = TitleSubject(
            path: file.shownPath, page: file.page?.title, isModified: file.isModified, isReadOnly: isReadOnly)
        guard subject != titleSubject else { return }
        titleSubject = subject
        // What was typed an answer may discard.
        display.performAfterPainting { [weak self] in
            if let self, !isClosed { offers.renew() }
        }
        let title = title
        window.window.setTitle(title)
        window.accessibleTitle = title
        view.accessibleName = file.displayName
    }

    /// Whether nothing can be saved under the file's name.
    private var isReadOnly: Bool { options.page == nil && (options.readOnly || life.isWriteProtected) }

    /// The text of the title bar.
    var title: String {
        let folder = file.displayFolder.map { " (\($0))" } ?? ""
        let mark = file.isModified ? " •" : isReadOnly ? " " + Words.readOnlyMark : ""
        return "\(file.displayName)\(mark)\(folder) – Inkstone"
    }

    /// Watches the file from now on, and asks the disk in the background whether it may be written, for the title.
    func followFile() {
        if life.watch?.path != file.path.flatMap({ _ in file.absolutePath }) {
            life.watch?.end()
            life.watch = file.path.flatMap { _ in file.absolutePath }.flatMap { path in
                FileWatch(path, on: display) { [weak self] in
                    if let self, !isClosed, !offers.isOffering(.outsideChange) { lookAtFile() }
                }
            }
        }
        guard let path = file.path, !file.isNew else { return life.isWriteProtected = false }
        perform(inBackground: { access(path.cString, W_OK) != 0 && [EACCES, EROFS, EPERM].contains(errno) }) {
            guard $0.file.path == path else { return }
            $0.life.isWriteProtected = $1
            $0.updateTitle()
        }
    }

    /// Lets the user type although nothing of the file is there yet, and says so.
    private func beginAheadOfFile() {
        life.aheadTimer = nil
        guard !isClosed else { return }
        defer { letKeysCome(.file) }
        guard file.isReading, !file.isUsable else { return }
        typeAhead()
        // Nothing can be typed ahead of styled text.
        if rich != nil { holdKeysForStyledText() }
        if message?.isProblem != true {
            tell(
                options.readOnly || rich != nil
                    ? Words.loadingFile(file.displayName) : Words.loadingBehindTyping(file.displayName))
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
        adoptLineEnds()
        adoptConventions()
        rebaseJournal(keepingAfter: markAhead)
    }

    private func fileDid(_ event: EditedFile.Event, _ path: FilePath) {
        guard !isClosed else { return }
        if case .finished = event, rich?.isReady == false {
            return showRichText { $0.fileDid(event, path) }
        }
        if case .started = event, rich != nil, !file.isReadingInput,
            let obstacle = RichDocument.obstacle(size: file.size)
        {
            return program.openAsPlainText(path, insteadOf: self, because: obstacle)
        }
        defer { showWindow() }
        switch event {
        case .started:
            rich?.forget()
            // That it is being read; what is wrong with the user's keys is still true.
            if message?.isProblem != true { clearMessage() }
            beginWithFile()
            // A thread that reads slows down the one that shows the first screen, even on another processor.
            display.performAfterPainting { [weak self] in self?.file.readOn() }
            offerRecovery()
            goToTarget(isWhole: false)
            letKeysComeToFile()
        case .progressed:
            goToTarget(isWhole: false)
            letKeysComeToFile()
            setNeedsStatus()
        case .finished(let notice):
            goToTarget(isWhole: true)
            takeStyleSwitch()
            letKeysComeToFile()
            // A text without a file is in the journal as a whole.
            if file.path == nil { startJournal() }
            if !file.isNew { program.note(path) }
            followFile()
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
                    text: Words.notText(path.label),
                    answers: [
                        .init(label: Words.openAnswer) { [weak self] in
                            self?.open(path, acceptingBinary: true)
                        },
                        .init(label: Words.chooseEncoding) { [weak self] in
                            self?.chooseEncoding(of: path)
                        },
                        .init(label: Words.quitAnswer) { [weak self] in
                            self?.stopReading()
                            self?.close()
                        },
                    ],
                    cancel: { [weak self] in self?.giveUpProgram() }, topic: .program))
        case .failed(let error):
            dropWaitingWork()
            (protection.markAhead, pendingTarget) = (nil, nil)
            defer {
                letKeysCome(.file)
                letKeysCome(.styledText)
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
                error.description + (isTyped ? " " + Words.keptUntitled : ""),
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
        letKeysCome(.styledText)
        readingDidEnd(isRead: false)
    }

    /// The file has come, and cannot be shown as styled text: nothing is done in it.
    func styledTextDidNotCome() {
        dropWaitingWork()
        letKeysCome(.file)
        letKeysCome(.styledText)
        readingDidEnd(isRead: true)
    }

    /// Drops what waits for the file, which does not come. A close that waits for a save of it ends, and the window stays.
    private func dropWaitingWork() {
        (whenRead, saves.isPromised) = ([], false)
        handle(.saveFailed)
    }

    /// Has keys come that wait, whatever they wait for: before a file that is still to come they are typed ahead of it.
    func releaseKeys() {
        if window.hasWaitingKeys { typeAhead() }
        letAllKeysCome()
    }

    /// What was typed since the file was asked for goes where the caret is going, and waits for its styled text.
    private func letKeysComeToFile() {
        if rich?.isReady == false { holdKeysForStyledText() } else { letKeysCome(.styledText) }
        if pendingTarget == nil { letKeysCome(.file) }
    }

    /// Has keys wait until the styled text is there, or is known not to come. A close, which comes after them, does not wait for a disk that gives
    /// no more of the file.
    private func holdKeysForStyledText() {
        if life.state == .closing { holdKeys(.styledText, forMilliseconds: 1000) } else { holdKeys(.styledText) }
    }

    private func goToTarget(isWhole: Bool) {
        let text = view.store.text
        guard let target = pendingTarget, isWhole || target.isReached(by: text) else { return }
        pendingTarget = nil
        let caret = Selection(caret: target.offset(in: text))
        guard case .place(let place) = target else { return view.go(to: caret) }
        // Who has scrolled meanwhile reads there.
        guard view.topOffset == 0 else { return }
        view.select(caret, scrolling: false)
        view.scrollToLine(at: place.top)
        view.go(to: caret)
    }

    /// Goes to where the user was when the file was closed last, unless they have done something in it by then.
    func returnToPlace() {
        guard let path = file.shownPath, pendingTarget == nil, !options.noRecovery else { return }
        perform(inBackground: { RecentFiles.place(of: path) }) { window, place in
            guard let place, window.file.shownPath == path, window.pendingTarget == nil,
                window.view.selection.map({ $0 == Selection(caret: 0) }) ?? true, window.view.topOffset == 0,
                window.file.isReading || !window.file.isModified
            else { return }
            window.pendingTarget = .place(place)
            window.goToTarget(isWhole: !window.file.isReading)
        }
    }

    /// Remembers where the user is in the file, for when it is opened again.
    func keepPlace() {
        guard options.page == nil, !options.noRecovery, !file.isNew, !file.isReading, let path = file.absolutePath,
            let selection = view.selection
        else { return }
        let place = RecentFiles.Place(caret: selection.head, top: view.topOffset)
        guard file.isModified else {
            return SmallFile.later(on: RecentFiles.queue) { RecentFiles.keep(place, of: path) }
        }
        // What is read next is the text without the changes. A Markdown file's place is in the text that it makes.
        guard rich == nil else { return }
        let (text, saved) = (file.store.text, file.savedText)
        SmallFile.later(on: RecentFiles.queue) {
            let changes = TextChangeSet(from: text, to: saved).changeMap
            RecentFiles.keep(place.mapped(through: changes), of: path)
        }
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
            if rich != nil, file.isReading, window.keysWait { holdKeysForStyledText() }
            performInOrder { window in
                window.performAfterEdits {
                    let isQuitting = $0.program.isAwaiting($0)
                    let isAnswered = !$0.isUnsaved || isQuitting && $0.isDiscarded
                    let isBusy = $0.file.isSaving || $0.printing != nil
                    $0.handle(isBusy ? .busy : !isAnswered ? .changed : isQuitting ? .release : .unchanged)
                }
            }
        case .waitForSave:
            let name = file.displayName
            tell(printing == nil ? Words.closesAfterSaving(name) : Words.closesAfterPrinting(name))
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
                text: Words.saveBeforeClosing(file.displayName),
                answers: [
                    .init(label: Words.saveAnswer) { [weak self] in self?.handle(.save) },
                    .init(label: Words.discard) { [weak self] in self?.discard() },
                    .init(label: Words.cancel) { [weak self] in self?.handle(.cancel) },
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
    var isUnanswered: Bool {
        file.isSaving || printing != nil || isAwaitingInput || isUnsaved && !isDiscarded
    }

    /// Asks for the name of a file, and opens it: here if there is nothing in this window, else in one of its own.
    func askWhatToOpen(_ text: String? = nil, problem: String? = nil) {
        askDisk({ RecentFiles.kept.paths }) { window, paths in
            guard !window.isAsking else { return }
            let recent = (paths ?? []).filter { $0 != window.file.absolutePath }.map(\.description)
            let start = text ?? (window.file.absolutePath?.directoryPrefix ?? EditedFile.workingFolder).description
            let request = PathPrompt.Request(
                label: Words.openPrompt, action: Words.openButton, hint: Words.openHint, isPath: true,
                choices: FileChoices(openedWith: start, recent: text == nil ? recent : []))
            window.openPrompt(request, text: start, problem: problem) { window, answer in
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

    /// Asks for one of the files that were opened or saved last, and opens it.
    func askForRecentFile() {
        askDisk({ RecentFiles.kept.paths }) { window, paths in
            guard !window.isAsking else { return }
            let others = (paths ?? []).filter { $0 != window.file.absolutePath }
            guard !others.isEmpty else { return window.tell(Words.noRecentFiles) }
            let request = PathPrompt.Request(
                label: Words.openRecentPrompt, action: Words.openButton, hint: Words.openRecentHint,
                choices: NamedChoices.recent(others, openedWith: ""))
            window.openPrompt(request, text: "") { window, answer in
                window.lookAt(answer) { window, path, found in
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
            return again(self, answer, answer.hasSuffix("/") ? nil : Words.enterFileName)
        }
        program.look(at: [path], from: self) { window, answers in
            let found = answers[0]
            if case .isDirectory = found.problem { return again(window, answer + "/", nil) }
            if let folder = found.missingFolder {
                return again(window, answer, Words.noFolder(folder.label))
            }
            work(window, path, found)
        }
    }

    /// The user has come to the window: another program may have changed the file meanwhile. What is being read or saved is looked at
    /// after that.
    func lookAtFile() {
        guard !isClosed, !life.isRereading else { return }
        if file.isReading { return whenRead.append { [weak self] in self?.lookAtFile() } }
        if file.isSaving { return saves.observers.append { [weak self] _ in self?.lookAtFile() } }
        let poster = display.poster
        file.look(post: { poster.post($0) }) { [weak self] in self?.offerReload($0) }
    }

    /// Offers what can be done about a file that another program has changed or taken away.
    func offerReload(_ change: EditedFile.OutsideChange) {
        // A save that it stands against has asked already.
        guard !isClosed, file.isCurrent(change), !offers.isOffering(.outsideChange) else { return }
        offers.show(reloadOffer(change))
    }

    private func reloadOffer(_ change: EditedFile.OutsideChange) -> Question {
        let name = file.displayName
        var answers = [
            Question.Answer(label: Words.keepMyVersion) { [weak self] in
                self?.keep(inSpiteOf: change)
            }
        ]
        if change.to != nil {
            let isDiscarding = file.isModified
            let label = isDiscarding ? Words.reloadAndDiscard : Words.reload
            let answer = Question.Answer(label: label) { [weak self] in
                guard let self, file.isCurrent(change) else { return }
                writeRichTextNow()
                // What was typed just now the answer did not speak of.
                if file.isModified, !isDiscarding { offerReload(change) } else { reread() }
            }
            answers.insert(answer, at: 0)
        }
        var offer = Question(
            text: change.to == nil ? Words.wasDeleted(name) : Words.hasChanged(name), answers: answers,
            topic: .outsideChange)
        offer.renewed = { [weak self] in self?.reloadOffer(change) }
        return offer
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
        let line = caretParagraph.value + 1
        open(path)
        pendingTarget = .line(line, column: 1)
    }

    /// The paragraph that the caret is in.
    var caretParagraph: ParagraphIndex { view.store.text.paragraphIndex(at: view.selection?.head ?? 0) }
}
