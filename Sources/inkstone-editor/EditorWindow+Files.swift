import Glibc
import Inkstone
import InkstoneFiles

extension EditorWindow {
    /// Starts reading a file into this window. Unless the document is read-only, it can be edited at once if it was
    /// empty, and otherwise when the file's first part arrives or takes longer than a moment. Styled text can be edited
    /// only when it is ready.
    func open(_ path: FilePath, acceptingBinary: Bool = false, encoding: TextEncoding? = nil) {
        var options = options
        if let encoding { options.encoding = encoding.name }
        Self.read(path, into: file, options, display, acceptingBinary: acceptingBinary, isReturning: true)
        follow(path)
        guard window.window.isShown, file.isReading else { return }
        // In an empty document, text that is typed before the file arrives can be shown at once, so allow typing.
        if view.store.text.isEmpty { allowEarlyInput() }
        // In a document with text, hold the keys for a moment, with the previous text visible. Keys that are held
        // already stay held.
        if window.keysWait || !file.isAwaited && !options.readOnly { holdKeys(.file) }
    }

    private func allowEarlyInput() {
        guard file.isReading, !file.isUsable, !options.readOnly, rich == nil else { return }
        endJournal(keeping: false)
        file.allowEarlyInput()
        guard file.isAwaited else { return }
        begin()
        (journalStatus.isAhead, journalStatus.earlyInputMark) = (true, journalStatus.journal?.mark())
    }

    /// The options for a window that replaces this one and reads its file again, in the same encoding. If the user has
    /// accepted the encoding, it is not questioned again.
    var successorOptions: EditOptions {
        var options = options
        guard file.path != nil else { return options }
        options.encoding = file.bytesEncoding?.name
        options.presentGuess = file.presentGuess
        options.acceptsEncoding = file.isEncodingAccepted
        return options
    }

    /// Starts reading a path into `file`. The caller may set the `report` of `file` until the event loop runs
    /// again.
    static func read(
        _ path: FilePath, into file: EditedFile, _ options: EditOptions, _ display: Display,
        acceptingBinary: Bool = false,
        isReturning: Bool = false
    ) {
        let poster = display.poster
        file.open(
            path, encoding: options.encoding.flatMap(TextEncoding.init(named:)),
            guess: EncodingGuess(locale: CharacterLocale.environmentName).keeping(options.presentGuess),
            acceptingEncoding: options.acceptsEncoding, acceptingBinary: acceptingBinary,
            willSave: !options.readOnly, pausingAfterStart: true, isReturning: isReturning, post: { poster.post($0) })
    }

    /// Starts reading standard input into `file`, as a document without a file.
    static func readInput(into file: EditedFile, _ options: EditOptions, _ display: Display) {
        let poster = display.poster
        file.openInput(
            encoding: options.encoding.flatMap(TextEncoding.init(named:)),
            guess: EncodingGuess(locale: CharacterLocale.environmentName), post: { poster.post($0) })
    }

    /// Handles the events of reading the file at `path`.
    func follow(_ path: FilePath) {
        file.report = { [weak self] in self?.fileDid($0, path) }
        if offers.withdrawAll() { handle(.saveFailed) }
        setEditable(file.isUsable)
        updateTitle()
        // A file's first part usually arrives within about a millisecond; if the disk is slow, allow typing after
        // 250 ms. The time is counted from the next turn of the event loop, because starting the editor takes time
        // too.
        display.cancel(life.earlyInputTimer)
        life.earlyInputTimer = display.schedule(afterMilliseconds: 0) { [weak self] in
            self?.life.earlyInputTimer = self?.display.schedule(afterMilliseconds: 250) { self?.beginEarlyInput() }
        }
    }

    /// Updates the title bar, with the file's name, modification mark and folder, if it has changed. Also updates
    /// the accessible names, and the input traits that the file's name suggests.
    func updateTitle() {
        let subject = TitleSubject(
            path: file.shownPath, page: file.page?.title, isModified: isChanged, isReadOnly: isReadOnly)
        guard subject != titleSubject else { return }
        titleSubject = subject
        // Update the answers of the offers, which depend on whether the document has unsaved changes.
        display.performAfterPainting { [weak self] in
            if let self, !isClosed { offers.renew() }
        }
        let title = title
        window.window.setTitle(title)
        window.accessibleTitle = title
        view.accessibleName = file.displayName
        view.inputTraits = .document(named: file.displayName)
    }

    /// Whether the title bar shows the file as read-only: the editor was started to read only, or the file is known to
    /// be write-protected. False for a built-in page.
    private var isReadOnly: Bool { options.page == nil && (options.readOnly || life.isWriteProtected) }

    /// The text of the title bar.
    var title: String {
        let folder = file.displayFolder.map { " (\($0))" } ?? ""
        let marks = (isChanged ? " •" : "") + (isReadOnly ? " " + Words.readOnlyMark : "")
        return "\(file.displayName)\(marks)\(folder) – Inkstone"
    }

    /// Watches the file for changes by other programs, and checks in the background whether it is writable, for the
    /// title.
    func followFile() {
        if life.watch?.path != file.path.flatMap({ _ in file.absolutePath }) {
            life.watch?.end()
            life.watch = file.path.flatMap { _ in file.absolutePath }.flatMap { path in
                FileWatch(path, on: display) { [weak self] in
                    if let self, !isClosed, !offers.isOffering(.outsideChange) { checkFile() }
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

    /// Allows typing before the first part of the file arrives, and shows a message about that. Called if the file
    /// takes long.
    private func beginEarlyInput() {
        life.earlyInputTimer = nil
        guard !isClosed else { return }
        defer { letKeysCome(.file) }
        guard file.isReading, !file.isUsable else { return }
        allowEarlyInput()
        // Hold the keys for styled text, which cannot be typed before the file arrives.
        if rich != nil { holdKeysForStyledText() }
        if message?.isProblem != true {
            notify(
                options.readOnly || rich != nil
                    ? Words.loadingFile(file.displayName) : Words.loadingBehindTyping(file.displayName))
        }
        showWindow()
    }

    /// Starts editing once the first part of the file is in the document. Text that the user typed before is in
    /// front of it.
    private func beginWithFile() {
        guard journalStatus.isAhead else {
            // The document is new: close the journal of the previous file, kept until now in case reading failed.
            endJournal(keeping: false)
            return begin()
        }
        let earlyInputMark = journalStatus.earlyInputMark
        (journalStatus.isAhead, journalStatus.earlyInputMark) = (false, nil)
        setEditable(true)
        adoptLineEnds()
        adoptConventions()
        if let earlyInputMark { rebaseJournal(keepingAfter: earlyInputMark) } else { startJournal() }
    }

    private func fileDid(_ event: EditedFile.Event, _ path: FilePath) {
        guard !isClosed else { return }
        if case .finished = event, rich?.isReady == false {
            return showRichText { $0.fileDid(event, path) }
        }
        if case .started = event, rich != nil, !file.isReadingInput,
            let obstacle = RichDocument.obstacle(size: file.size)
        {
            if program.openAsPlainText(path, insteadOf: self, because: obstacle) { return }
            return stopReading()
        }
        defer { showWindow() }
        switch event {
        case .started:
            rich?.forget()
            // Clear the message about loading. A message about a problem stays, for example one with the user's key
            // bindings.
            if message?.isProblem != true { clearMessage() }
            beginWithFile()
            // Continue reading after the first screen is painted: the reading thread slows painting down, even on
            // another processor.
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
            // Start a journal for a document without a file, and so write all of its text to the journal.
            if file.path == nil {
                startJournal()
                // Only at the end of standard input is it known whether the text encodes to its bytes again.
                noteFormatIfNeeded()
            }
            if !file.isNew { program.note(path) }
            followFile()
            // Do not replace a message about a problem, for example one with a recovery journal.
            if let notice, message?.isProblem != true { notify(notice) }
            notifyOfGuess()
            setNeedsStatus()
            readingDidEnd(isRead: true)
            let waiting = whenRead
            whenRead = []
            for work in waiting { work() }
        case .looksBinary:
            // The keys that wait were typed into a document: deliver them before the question, so that they do not
            // answer it.
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
                    cancel: { [weak self] in self?.giveUpProgram() },
                    // Keep keys that were struck too early to answer the question only if the user could type before
                    // the file arrived. Otherwise there is no document to type them into.
                    topic: journalStatus.isAhead ? nil : .program))
        case .failed(let error):
            dropWaitingWork()
            (journalStatus.isAhead, journalStatus.earlyInputMark, pendingTarget) = (false, nil, nil)
            defer {
                letKeysCome(.file)
                letKeysCome(.styledText)
                readingDidEnd(isRead: false)
            }
            // Without a previous document, disable editing: a save must not overwrite the file that could not be
            // read.
            guard file.isUsable else {
                endJournal(keeping: file.isModified)
                setEditable(false)
                return notify(error.description, isProblem: true)
            }
            // End the journal of the file that could not be read; the restored document gets another one.
            if file.hasRestored { endJournal(keeping: false) }
            begin()
            updateTitle()
            let isTyped = file.path == nil && file.isModified
            notify(
                error.description + (isTyped ? " " + Words.keptUntitled : ""),
                isProblem: true)
        }
    }

    private func chooseEncoding(of path: FilePath) {
        askForEncoding(of: path, giveUp: { [weak self] in self?.giveUpProgram() }) { window, encoding in
            window.open(path, acceptingBinary: true, encoding: encoding)
        }
    }

    private func giveUpProgram() {
        stopReading()
        updateTitle()
        begin()
    }

    /// Ends the wait for a file that cannot be read, and drops the work that waits for it.
    private func stopReading() {
        dropWaitingWork()
        (journalStatus.isAhead, journalStatus.earlyInputMark, pendingTarget) = (false, nil, nil)
        file.giveUp()
        setEditable(file.isUsable)
        letKeysCome(.styledText)
        readingDidEnd(isRead: false)
    }

    /// Opens the file as plain text in another window, because it was read but cannot be shown as styled text.
    /// Waiting keys are typed there, and a close or quit continues there, before the work that waits in this window
    /// is dropped. If no other window is opened, because the document has no file or for another reason, the waiting
    /// work is dropped, and this window stays empty and read-only.
    func styledTextDidNotCome() {
        // Open no other window in place of an embedded one, whose host shows only this window, unless keys wait for a
        // text.
        if let path = file.path, options.embed == nil || window.hasWaitingKeys {
            let reason = message.map { Words.openedAsPlainText($0.text) } ?? Words.noResources
            if program.openAsPlainText(path, insteadOf: self, because: reason) { return }
        }
        dropWaitingWork()
        letKeysCome(.file)
        letKeysCome(.styledText)
        readingDidEnd(isRead: true)
    }

    /// Drops the work that waits for a file that cannot be read. If the window waits for a save of that file before
    /// it closes, it stays open.
    private func dropWaitingWork() {
        (whenRead, saves.isPromised) = ([], false)
        handle(.saveFailed)
    }

    /// Delivers all keys that wait. If the file's first part has not arrived, their text goes in front of the file's
    /// text.
    func releaseKeys() {
        if window.hasWaitingKeys { allowEarlyInput() }
        letAllKeysCome()
    }

    /// Delivers all keys that wait, before a signal ends the program. Keys that wait for styled text cannot be typed
    /// before it is ready, so they are held for at most five seconds more. Then they are typed into the plain text.
    func releaseLastKeys() {
        guard rich?.isReady == false, window.hasWaitingKeys else { return releaseKeys() }
        holdKeys(.styledText, forMilliseconds: 5000) { [weak self] in
            if let self, !isClosed, !typeIntoPlainText() { letAllKeysCome() }
        }
    }

    /// If keys still wait for styled text, opens the file as plain text in another window, where they are typed.
    /// Returns whether it does.
    private func typeIntoPlainText() -> Bool {
        guard rich?.isReady == false, !options.readOnly, window.hasWaitingStrokes, let path = file.shownPath else {
            return false
        }
        return program.openAsPlainText(path, insteadOf: self, because: Words.loadingFile(file.displayName))
    }

    /// Delivers the keys that were typed since the file was requested, once the caret is at its target and the
    /// styled text, if any, is ready.
    private func letKeysComeToFile() {
        if rich?.isReady == false { holdKeysForStyledText() } else { letKeysCome(.styledText) }
        // Hold the keys until the undo history has been carried over and the caret is at its target. An edit before
        // would prevent carrying the history over.
        if carried == nil, pendingTarget == nil { letKeysCome(.file) }
    }

    /// Holds the keys until the styled text is ready, or cannot be made. If the window is to close after these
    /// keys, they are held for at most a second, because the disk may stop delivering the file. Then they are typed
    /// into the plain text.
    private func holdKeysForStyledText() {
        guard life.state == .closing else {
            holdKeys(.styledText)
            return
        }
        holdKeys(.styledText, forMilliseconds: 1000) { [weak self] in
            if let self, life.state == .closing { _ = typeIntoPlainText() }
        }
    }

    private func goToTarget(isWhole: Bool) {
        let text = view.store.text
        guard let target = pendingTarget, isWhole || target.isReached(by: text) else { return }
        pendingTarget = nil
        let caret = Selection(caret: target.offset(in: text))
        guard case .place(let place) = target else { return view.go(to: caret) }
        // Keep the scroll position if the user has scrolled meanwhile.
        guard view.presenter.topOffset == 0 else { return }
        view.select(caret, scrolling: false)
        view.presenter.scrollToLine(at: place.top)
        view.go(to: caret)
    }

    /// Restores the caret and the scroll position of the last session once they are read, unless the user has edited,
    /// moved the caret or scrolled by then. Does nothing if a target was given, or if recovery is disabled.
    func returnToPlace() {
        guard let path = file.shownPath, pendingTarget == nil, !options.noRecovery else { return }
        perform(inBackground: { RecentFiles.place(of: path) }) { window, place in
            guard let place, window.file.shownPath == path, window.pendingTarget == nil,
                window.view.selection.map({ $0 == Selection(caret: 0) }) ?? true, window.view.presenter.topOffset == 0,
                window.file.isReading || !window.file.isModified
            else { return }
            window.pendingTarget = .place(place)
            window.goToTarget(isWhole: !window.file.isReading)
        }
    }

    /// Stores the caret and the scroll position for the next time that the file is opened. Does nothing for a
    /// document without a file or one that is still being read, for styled text with unsaved changes, or if
    /// recovery is disabled.
    func keepPlace() {
        guard options.page == nil, !options.noRecovery, !file.isNew, !file.isReading, let path = file.absolutePath,
            let selection = view.selection
        else { return }
        let place = RecentFiles.Place(caret: selection.head, top: view.presenter.topOffset)
        guard file.isModified else {
            return SmallFile.later(on: RecentFiles.queue) { RecentFiles.keep(place, of: path) }
        }
        // The document has unsaved changes, and the file will be opened without them: map the position to the saved
        // text. Not for styled text, whose positions are not those of the saved source.
        guard rich == nil else { return }
        let (text, saved) = (file.store.text, file.savedText)
        SmallFile.later(on: RecentFiles.queue) {
            let changes = TextChangeSet(from: text, to: saved).changeMap
            RecentFiles.keep(place.mapped(through: changes), of: path)
        }
    }

    /// Closes the window after the pending keys are handled and a save in progress has ended, and asks first if
    /// there are unsaved changes. Open questions are cancelled; a question about the changes is asked anew.
    func close() {
        takeQuestionsBack()
        handle(.close)
    }

    /// Performs an effect that the window's state machine requests.
    func perform(_ effect: WindowState.Effect) {
        switch effect {
        case .waitForKeys:
            if rich != nil, file.isReading, window.keysWait { holdKeysForStyledText() }
            performInOrder(.close) { window in
                window.performAfterEdits {
                    let isQuitting = $0.program.isAwaiting($0)
                    let isAnswered = !$0.wouldLoseChanges || isQuitting && $0.isDiscarded
                    $0.handle($0.isBusy ? .busy : !isAnswered ? .changed : isQuitting ? .release : .unchanged)
                }
            }
        case .waitForSave:
            notify(
                printing != nil
                    ? Words.closesAfterPrinting(file.displayName)
                    : Words.closesAfterSaving(savedName ?? file.displayName))
        case .askAboutChanges: askAboutChanges()
        case .save:
            // The pictures that an earlier save has left out would be lost: ask about them again.
            if rich?.leavesOutPictures == true { rich?.pictures.reconsider() }
            save()
        case .stay: program.didStay(self)
        case .quitFurther: program.didRelease(self)
        case .remove: program.didClose(self)
        case .removeKeepingJournal:
            life.keepsJournal = true
            // Do not continue a quit: the window was closed from outside, without an answer of the user.
            if !life.isReplaced { program.endQuit() }
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

    /// Closes the window without saving. During a quit, the changes are not discarded before the user has answered
    /// for all other windows: cancelling one of those questions withdraws this answer.
    private func discard() {
        guard program.isAwaiting(self) else { return handle(.discard) }
        life.released = view.store.version
        handle(.release)
    }

    /// Whether the user has permitted a quit to discard the changes, and has not edited the document since.
    private var isDiscarded: Bool { life.released == view.store.version }

    /// Whether a quit still has to ask about this window, or to wait for it.
    var isUnanswered: Bool {
        isBusy || isAwaitingInput || wouldLoseChanges && !isDiscarded
    }

    /// Asks for the path of a file, and opens it: in this window if it is empty, else in a new one.
    func askWhatToOpen(_ text: String? = nil, problem: String? = nil) {
        askDisk({ RecentFiles.kept.paths }) { window, paths in
            guard !window.isAsking else { return }
            let recent = (paths ?? []).filter { $0 != window.file.absolutePath }.map(\.description)
            let start = text ?? (window.file.absolutePath?.directoryPrefix ?? EditedFile.workingFolder).description
            let request = PathPrompt.Request(
                label: Words.openPrompt, action: Words.openButton, hint: Words.openHint, isPath: true,
                choices: FileChoices(openedWith: start, recent: text == nil ? recent : []),
                noMatch: Words.noMatchingFile)
            window.openPrompt(request, text: start, problem: problem) { window, answer in
                if recent.contains(answer) { return window.open(named: answer) }
                // Search the disk for a file that the typed name completes to: the list may be outdated, or not yet
                // shown if the user typed quickly.
                window.askDisk({ PathCompletion.onlyMatch(of: answer) }) { window, match in
                    window.open(named: (match ?? nil) ?? answer)
                }
            }
        }
    }

    private func open(named answer: String) {
        checkPath(answer) { window, path, found in
            if let problem = found.problem {
                return window.askWhatToOpen(answer, problem: problem.description)
            }
            window.program.open([path], found: [found], from: window)
        } again: {
            $0.askWhatToOpen($1, problem: $2)
        }
    }

    /// Asks the user to choose a recent file, and opens it.
    func askForRecentFile() {
        askDisk({ RecentFiles.kept.paths }) { window, paths in
            guard !window.isAsking else { return }
            let others = (paths ?? []).filter { $0 != window.file.absolutePath }
            guard !others.isEmpty else { return window.notify(Words.noRecentFiles) }
            let request = PathPrompt.Request(
                label: Words.openRecentPrompt, action: Words.openButton, hint: Words.openRecentHint,
                choices: NamedChoices.recent(others, openedWith: ""))
            window.openPrompt(request, text: "") { window, answer in
                window.checkPath(answer) { window, path, found in
                    window.program.open([path], found: [found], from: window)
                } again: {
                    $0.askWhatToOpen($1, problem: $2)
                }
            }
        }
    }

    /// Checks a path that the user typed in a prompt on the disk, and calls `work` with the result. Calls `again`
    /// instead if the text is not the name of a file, or is that of a folder, or if the file's folder does not exist.
    /// `again` gets the text for a new prompt and the problem; no problem if the user only has to add a name after a
    /// folder.
    func checkPath(
        _ answer: String, then work: @escaping (EditorWindow, FilePath, EditorProgram.NamedFile) -> Void,
        again: @escaping (EditorWindow, _ text: String, _ problem: String?) -> Void
    ) {
        guard let path = EditedFile.path(typed: answer) else {
            return again(self, answer, answer.hasSuffix("/") ? nil : Words.enterFileName)
        }
        program.check([path], from: self) { window, answers in
            let found = answers[0]
            if case .isDirectory = found.problem { return again(window, answer + "/", nil) }
            if let folder = found.missingFolder {
                return again(window, answer, Words.noFolder(folder.label))
            }
            work(window, path, found)
        }
    }

    /// Checks whether another program has changed the file, for example when the window gets the focus. During
    /// reading or saving, the check is deferred. Does nothing while the file is being read again.
    func checkFile() {
        guard !isClosed, !life.isRereading else { return }
        if file.isReading { return whenRead.append { [weak self] in self?.checkFile() } }
        if file.isSaving { return saves.observers.append { [weak self] _ in self?.checkFile() } }
        let poster = display.poster
        file.checkForChanges(post: { poster.post($0) }) { [weak self] in self?.offerReload($0) }
    }

    /// Shows the possible answers to a change or removal of the file by another program.
    func offerReload(_ change: EditedFile.OutsideChange) {
        // Do not offer if a save has asked about this change already.
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
            let isDiscarding = isChanged
            let label = isDiscarding ? Words.reloadAndDiscard : Words.reload
            let answer = Question.Answer(label: label) { [weak self] in
                guard let self, file.isCurrent(change) else { return }
                writeRichTextNow()
                // The user may have typed since the question was shown: ask again, with a question that mentions
                // the changes.
                if isChanged, !isDiscarding { offerReload(change) } else { reread() }
            }
            answers.insert(answer, at: 0)
        }
        var offer = Question(
            text: change.to == nil ? Words.wasDeleted(name) : Words.hasChanged(name), answers: answers,
            topic: .outsideChange)
        offer.renewed = { [weak self] in self?.reloadOffer(change) }
        return offer
    }

    /// Keeps the present text, unless the file has changed again or is being saved. The text to which the journal's
    /// edits apply is in no file any more: the journal gets a copy of it.
    private func keep(inSpiteOf change: EditedFile.OutsideChange) {
        guard file.isCurrent(change) else { return }
        journalStatus.journal?.keepCopy(of: file.savedText, file.savedFormat, read: change.from)
        file.keep(inSpiteOf: change)
        // The copy is encoded from the text. If the text does not encode to the bytes that it was read from, these are
        // lost now.
        noteFormatIfNeeded()
        updateStatus()
    }

    /// Reads the file again from the start, and moves the caret to the line that it was in.
    func reload(_ path: FilePath) {
        let line = caretParagraph.value + 1
        // Detect UTF-8, and encodings with a byte order mark, anew: the present content may be in another encoding.
        let format = file.savedFormat
        let isDetected = format.encoding == .utf8 || format.hasByteOrderMark
        open(path, encoding: isDetected ? nil : file.bytesEncoding)
        pendingTarget = .line(line, column: 1)
    }

    /// The index of the paragraph that contains the caret.
    var caretParagraph: ParagraphIndex { view.store.text.paragraphIndex(at: view.selection?.head ?? 0) }
}
