import Glibc
import Inkstone
import InkstoneFiles

/// The save requests, and the other work, that wait for the present save to end.
struct WaitingSaves {
    /// The saves to begin after the present one, in order.
    private(set) var next: [SaveRequest] = []
    /// Closures to call after the present save. Their argument is true if the save succeeded.
    var observers: [(_ isSaved: Bool) -> Void] = []
    /// Whether a save will begin as soon as something is done: the whole file is read, the disk has answered about
    /// a path, or the addresses of written pictures are in the Markdown source.
    var isPromised = false
    /// Whether the pictures of a document are being written to files, after which the save of the text begins.
    var isPlacing = false

    /// Adds a save. If the last waiting save is to the same file, both become one save: it writes the text as it is
    /// when the save begins, and has the permissions that the user gave for either. If both hold the keys, returns the
    /// redundant wait, for the caller to end; nil otherwise.
    mutating func add(_ save: SaveRequest) -> KeyWaits.Wait? {
        guard let last = next.last, last.path == save.path else {
            next.append(save)
            return nil
        }
        return next[next.count - 1].take(save)
    }

    /// Removes and returns all saves that wait.
    mutating func takeNext() -> [SaveRequest] {
        defer { next = [] }
        return next
    }

    /// Inserts saves before those that wait.
    mutating func putBack(_ saves: [SaveRequest]) { next = saves + next }
}

/// A save that the user has requested, with the permissions that the user has given for it.
struct SaveRequest: Equatable {
    /// The file to save to from now on; nil for the document's own.
    var path: FilePath?
    /// Whether to overwrite the file although another program has changed it.
    var overwriting = false
    /// Whether to create the file again after it was deleted. If there is a file again by then, the user is asked.
    var restoring = false
    /// Whether to save although the bytes that were invalid in the encoding will be lost.
    var acceptingLoss = false
    /// The way to write an existing file. If nil, the file is written as the user has chosen for it before; or else the
    /// user is asked if replacing the file would lose hard links or attributes.
    var method: SaveMethod?
    /// Whether the user has agreed to wait for the end of standard input, or has ended the reading of it.
    var awaitingInput = false
    /// The user's answer about storing the pictures of styled text; nil before the question.
    var pictures: PictureAnswer?
    /// The wait that holds the keys because the save may ask a question; nil for none.
    var hold: KeyWaits.Wait?
    /// The position in the user's input when the save was requested, or when the user last answered a question about
    /// it.
    var request = InputMark()

    /// Merges a later save to the same file into this one. If both hold the keys, returns the later save's wait, which
    /// is redundant then; nil otherwise.
    fileprivate mutating func take(_ later: SaveRequest) -> KeyWaits.Wait? {
        overwriting = overwriting || later.overwriting
        restoring = restoring || later.restoring
        acceptingLoss = acceptingLoss || later.acceptingLoss
        awaitingInput = awaitingInput || later.awaitingInput
        method = later.method ?? method
        pictures = later.pictures ?? pictures
        request = later.request
        guard hold != nil else {
            hold = later.hold
            return nil
        }
        return later.hold
    }

    /// Returns this save with the permission to overwrite a change by another program. The ``method`` that the user has
    /// chosen for the file is dropped, because the file may be another one by now.
    func overwritingFile() -> SaveRequest {
        var request = self
        (request.overwriting, request.method) = (true, nil)
        return request
    }

    /// Returns this save with the permission to create the deleted file again, but not to overwrite a file that exists
    /// there by then.
    func restoringFile() -> SaveRequest {
        var request = self
        (request.restoring, request.method) = (true, nil)
        return request
    }
}

extension EditorWindow {
    /// Saves the document in the background, to its own file or to another one from now on. A failure is shown in the
    /// status line, or by a question or an offer. The save is deferred until the file is read and a save in progress
    /// has ended. A window that waits for the save before it closes is notified when the save ends.
    func save(as other: FilePath? = nil, since request: InputMark? = nil) {
        save(SaveRequest(path: other, request: request ?? life.input))
    }

    private func save(_ request: SaveRequest) {
        guard !isClosed else { return }
        // End the wait of this request when this method returns: a save that has begun by then holds the keys by a
        // wait of its own.
        defer { letKeysCome(after: request) }
        guard file.isUsable else { return notifyWhyNotSaved() }
        if options.readOnly, request.path == nil, file.path != nil { return notifyThatItIsReadOnly() }
        // Ask for a path now, and not only after reading the file, when the user may be typing.
        guard request.path != nil || !file.paths.isEmpty else { return askWhereToSave() }
        guard !isAwaitingEdits else {
            notify(Words.willSaveAfterEdits)
            return performAfterEdits { $0.save(request) }
        }
        // Ask whether to wait for the end of standard input, which may never come.
        if file.isReadingInput, !request.awaitingInput { return askAboutInput(request) }
        if file.isReading {
            saves.isPromised = true
            whenRead.append { [weak self] in
                self?.saves.isPromised = false
                self?.save(request)
            }
            return notify(Words.willSaveAfterLoading)
        }
        guard file.keepsBytes || request.acceptingLoss else {
            return askAboutLoss(Words.bytesWouldBeLost(file.displayName), request)
        }
        // While pictures are being written, defer the save: they must be written only once, and before the text.
        if saves.isPlacing { return saveLater(request) }
        guard placePictures(of: request) else { return }
        if let loss = rich?.newLoss {
            return askAboutLoss(loss.description(of: file.displayName), request) { $0.rich?.accept(loss) }
        }
        if file.isSaving { return saveLater(request) }
        tidyBeforeSaving()
        let (mark, wasNew) = (journalStatus.journal?.mark(), file.isNew)
        let poster = display.poster
        var request = request
        // The save may ask a question, for which the next keys may be meant: hold them, but at most a second.
        let hold = holdKeys(forMilliseconds: 1000)
        request.hold = hold
        let other = request.path
        file.save(
            to: other, overwriting: request.overwriting, restoring: request.restoring,
            acceptingLoss: request.acceptingLoss, method: request.method, promptness: Self.promptness,
            post: { poster.post($0) },
            willBegin: { [weak self] in self?.letKeysCome(hold) }
        ) { [weak self] result in
            guard let self else { return }
            if case .success = result {
                if let mark { rebaseJournal(keepingAfter: mark) }
                if other != nil { updateTitle() }
                if other != nil || wasNew { adoptConventions() }
                if let path = file.path, other != nil || wasNew { program.note(path) }
            }
            saveDidEnd(result, request)
        }
        notifyThatItSaves()
    }

    /// Defers a save until the present one has ended.
    private func saveLater(_ request: SaveRequest) {
        var request = request
        // A save to another file may ask a question, for which the next keys may be meant: hold them.
        request.hold = request.path == nil ? nil : holdKeys(forMilliseconds: 1000)
        if let surplus = saves.add(request) { letKeysCome(surplus) }
        notify(Words.willSaveAgain)
    }

    /// Shows a message if the save takes longer than 200 ms.
    private func notifyThatItSaves() {
        display.schedule(afterMilliseconds: 200) { [weak self] in
            guard let self, file.isSaving, message == nil else { return }
            notify(Words.saving(file.displayName))
        }
    }

    private func saveDidEnd(_ result: Result<String, TextFileError>, _ request: SaveRequest) {
        let waiting = saves
        // Keep the flags of a save that has not begun yet, because the file is still being read, or pictures are
        // being written. Such a save is independent of the one that has ended.
        saves = WaitingSaves(isPromised: saves.isPromised, isPlacing: saves.isPlacing)
        defer { updateStatus() }
        let error: TextFileError
        switch result {
        case .success(let text):
            saveDidSucceed(text, request, waiting)
            // If another save waited for this one, that save holds the keys by a wait of its own now.
            return letKeysCome(after: request)
        case .failure(let failure): error = failure
        }
        takeBackPictures(of: request)
        // Report the failure to the work that waits for a save. Waiting saves to the same file are dropped below:
        // the user decides about the failure first.
        for work in waiting.observers { work(false) }
        if case .changedOnDisk(let path, let change) = error {
            return confirm(change, of: path, request, waiting.next)
        }
        defer {
            letKeysCome(after: request)
            beginOthers(waiting.next, than: request)
        }
        switch error {
        case .wouldLose(let path, let names, let lost): askAboutMethod(path, request, names, lost)
        case .bytesWouldChange: askAboutLoss(error.description, request)
        case .inexpressible(_, _, _, let line): askAboutEncoding(error.description, line, request)
        case .readOnlyFile, .readOnlyDirectory, .writeFailed(_, _, EROFS):
            handle(.saveFailed)
            offerSaveAs(error.description, request)
        default:
            notify(error.description, isProblem: true)
            handle(.saveFailed)
        }
    }

    /// Ends the wait of a save, and so delivers the keys that were held because the save might ask a question.
    private func letKeysCome(after request: SaveRequest) {
        if let hold = request.hold { letKeysCome(hold) }
    }

    private func saveDidSucceed(_ text: String, _ request: SaveRequest, _ waiting: WaitingSaves) {
        for topic in [.outsideChange, .saving(nil), .saving(request.path), .cutOff] as Set<Question.Topic> {
            withdraw(topic)
        }
        if let path = request.path?.fromWorkingFolder ?? file.absolutePath { rich?.keepPlaces(of: path) }
        followFile()
        // If a problem was reported since the request, keep its message beside the message about the save.
        let problem = message.flatMap { $0.isProblem ? $0.text : nil }
        notify([text, problem].compactMap(\.self).joined(separator: ". "), isProblem: problem != nil)
        for request in waiting.next {
            // If there were no edits during the save that has just ended, a waiting save to the document's own file has
            // nothing to do.
            if file.isModified || request.path != nil { save(request) } else { letKeysCome(after: request) }
        }
        // If another save has begun, do not say that the document is saved.
        if file.isSaving, message?.text == Words.saved(file.displayName) { clearMessage() }
        for work in waiting.observers { work(true) }
        handle(.saved)
    }

    /// Asks about a change by another program, which a save has found. If the save is to the document's own file,
    /// and the file was modified, the content is compared first: if only the file's time has changed, the save is
    /// repeated without a question.
    private func confirm(
        _ change: TextFileError.Change, of path: FilePath, _ request: SaveRequest, _ next: [SaveRequest]
    ) {
        func ask() {
            askAboutChange(path, change, request)
            letKeysCome(after: request)
            beginOthers(next, than: request)
        }
        guard request.path == nil || request.path == file.path, change != .removed, change != .created else {
            return ask()
        }
        let poster = display.poster
        file.confirmChange(post: { poster.post($0) }) { [weak self] confirmed in
            guard let self, !isClosed else { return }
            guard confirmed == nil else { return ask() }
            saves.putBack(next)
            save(request)
        }
    }

    /// Begins the waiting saves to other files, except to that of the failed save. Drops the others, including those to
    /// the document's own file.
    private func beginOthers(_ waiting: [SaveRequest], than failed: SaveRequest) {
        let path = failed.path ?? file.path
        for request in waiting {
            if request.path != nil, request.path != path { save(request) } else { letKeysCome(after: request) }
        }
    }

    /// Whether the document has unsaved changes, or a save will follow: one was promised, or pictures are being
    /// written for it.
    var isUnsaved: Bool { file.isModified || saves.isPromised || saves.isPlacing }

    /// Whether the document has something that is not in its file: unsaved edits, or pictures that the user has left out
    /// of the file.
    var isChanged: Bool { file.isModified || rich?.leavesOutPictures == true }

    /// Whether a close has to ask about changes. Pictures that were left out count, unless the user has left them out
    /// in order to close.
    var wouldLoseChanges: Bool { isUnsaved || isChanged && !life.losesPictures }

    /// Whether the file, or a picture in its picture folder, is being written.
    var isSaving: Bool { file.isSaving || saves.isPlacing }

    /// Asks about an obstacle to a save. The last answer cancels the save; a window that waits for the save before
    /// it closes then stays open.
    ///
    /// - Parameter chosen: the index of the answer to choose at first; nil for the answer that cancels.
    private func askAboutSave(_ question: Question, _ request: SaveRequest, chosen: Int? = nil) {
        var question = question
        if !isSaving { endWaitForSave() }
        question.cancel = { [weak self] in
            guard let self else { return }
            takeBackPictures(of: request)
            handle(.saveFailed)
            notify(Words.wasNotSaved(file.displayName))
        }
        question.answers.append(.init(label: Words.cancel, action: question.cancel))
        question.chosen = chosen ?? question.answers.count - 1
        askAboutCommand(question, since: request.request)
    }

    /// Returns an answer for a question about an obstacle. It repeats the save with a further permission, which `agree`
    /// adds. If there is another obstacle, the save asks again.
    private func saving(
        _ label: String, _ request: SaveRequest, _ agree: @escaping (EditorWindow, inout SaveRequest) -> Void
    ) -> Question.Answer {
        .init(label: label) { [weak self] in
            guard let self else { return }
            var request = request
            request.request = life.input
            agree(self, &request)
            save(request)
        }
    }

    private func askAboutMethod(_ path: FilePath, _ request: SaveRequest, _ names: Int, _ lost: [String]) {
        let name = path.lastComponent.label
        let what =
            names > 1
            ? Words.hasNames(name, names)
            : Words.wouldLose(name, lost.joined(separator: ", "))
        askAboutSave(
            Question(
                text: what,
                answers: [
                    saving(Words.writeInPlace, request) { $1.method = .inPlace },
                    saving(Words.makeNewFile, request) { $1.method = .replacing },
                ], topic: .saving(request.path)), request)
    }

    private func askAboutChange(_ path: FilePath, _ change: TextFileError.Change, _ request: SaveRequest) {
        let other = request.path
        var answers = [
            change == .removed
                ? saving(Words.saveAgain, request) { $1 = $1.restoringFile() }
                : saving(Words.overwrite, request) { $1 = $1.overwritingFile() }
        ]
        if other != nil {
            answers.append(.init(label: Words.chooseAnotherName) { [weak self] in self?.askWhereToSave() })
        } else if change == .removed {
            answers.append(.init(label: Words.saveAsAnswer) { [weak self] in self?.askWhereToSave() })
        } else {
            answers.append(
                .init(label: Words.reloadAndDiscard) { [weak self] in
                    self?.handle(.saveFailed)
                    self?.reread()
                })
        }
        let text =
            other == nil
            ? TextFileError.changedOnDisk(path: path, change: change).description
            : Words.alreadyExists(path.label)
        askAboutSave(
            Question(text: text, answers: answers, topic: other == nil ? .outsideChange : .saving(other)), request,
            // Preselect saving if the file was deleted: the user has requested it, and it never overwrites a file.
            chosen: change == .removed ? 0 : nil)
    }

    /// Reports why the document cannot be saved to its file, and offers to save it to another file.
    private func offerSaveAs(_ reason: String, _ request: SaveRequest) {
        offers.show(
            Question(
                text: reason,
                answers: [
                    .init(label: Words.saveAsAnswer) { [weak self] in self?.askWhereToSave() },
                    .init(label: Words.understood) {},
                ], topic: .saving(request.path)), isFirst: true)
        window.announce(reason)
        callUser()
    }

    /// Asks about something that the save would lose. The answer that continues the save first calls `agree`; if
    /// `agree` is nil, that answer accepts the loss of invalid bytes.
    private func askAboutLoss(_ text: String, _ request: SaveRequest, agree: ((EditorWindow) -> Void)? = nil) {
        askAboutSave(
            Question(
                text: text,
                answers: [
                    saving(Words.saveAnyway, request) { window, request in
                        if let agree { agree(window) } else { request.acceptingLoss = true }
                    }
                ], topic: .saving(request.path)), request)
    }

    /// Asks whether to wait for the end of standard input, or to save what has come so far and read no more.
    private func askAboutInput(_ request: SaveRequest) {
        askAboutSave(
            Question(
                text: Words.inputGoesOn,
                answers: [
                    saving(Words.endInputAndSave, request) { window, request in
                        request.awaitingInput = true
                        window.file.endInput()
                    },
                    saving(Words.saveAtEndOfInput, request) { $1.awaitingInput = true },
                ], topic: .saving(request.path)), request)
    }

    // MARK: Pictures

    /// Writes the pictures of styled Markdown that have no file in the document's folder of pictures yet to that
    /// folder, once the user has agreed to it. Returns whether the save of the text may continue. If not, the user is
    /// being asked, or the save begins again when the pictures are written.
    private func placePictures(of request: SaveRequest) -> Bool {
        guard let rich, rich.isReady, let path = request.path.map(\.fromWorkingFolder) ?? file.absolutePath else {
            return true
        }
        if let former = rich.former, former.document != path { rich.takeBackPlaces() }
        let folder = PictureFolder(document: path)
        let places = rich.pictures.moved(to: folder, request.pictures)
        let pictures = places.unplaced(in: view.store.styledText)
        guard !pictures.isEmpty else {
            rich.prepare(places)
            guard rich.isPending else { return true }
            saveAfterPictures(request)
            return false
        }
        guard places.isAgreedTo else {
            askAboutPictures(pictures, folder, request)
            return false
        }
        saves.isPlacing = true
        let again = pictures.map { rich.written[$0] ?? $0 }
        let names = rich.pictureNames
        perform(inBackground: { folder.write(again, names: names) }, holdingKeys: true) { window, result in
            window.saves.isPlacing = false
            switch result {
            case .success(let saved):
                rich.prepare(places, pictures, as: saved)
                let waiting = window.saves.takeNext()
                window.saveAfterPictures(request)
                for other in waiting { window.save(other) }
            case .failure(let error):
                window.notify(error.description, isProblem: true)
                window.picturesDidNotCome(request)
            }
        } orElse: { window in
            window.saves.isPlacing = false
            window.picturesDidNotCome(request)
        }
        return false
    }

    /// Saves a document whose pictures are written, as soon as their addresses are in the Markdown source.
    private func saveAfterPictures(_ request: SaveRequest) {
        saves.isPromised = true
        performAfterEdits { window in
            window.saves.isPromised = false
            window.save(request)
        }
    }

    private func picturesDidNotCome(_ request: SaveRequest) {
        let waiting = saves.takeNext()
        takeBackPictures(of: request)
        rich?.pictures.withdrawAgreement()
        if !isSaving { endWaitForSave() }
        handle(.saveFailed)
        beginOthers(waiting, than: request)
    }

    /// Reverts the picture addresses that were set for a save to another file, because that save does not take place.
    private func takeBackPictures(of request: SaveRequest) {
        guard let path = request.path?.fromWorkingFolder ?? file.absolutePath, rich?.former?.document == path else {
            return
        }
        rich?.takeBackPlaces()
    }

    /// Reports failure to the work that waits for a save, because the save does not begin or must first ask a
    /// question.
    private func endWaitForSave() {
        let waiting = saves.observers
        saves.observers = []
        for work in waiting { work(false) }
    }

    private func askAboutPictures(_ pictures: [PlacedPicture], _ folder: PictureFolder, _ request: SaveRequest) {
        let name = folder.document.lastComponent.label
        askAboutSave(
            Question(
                text: Words.picturesBeside(name, pictures.count, folder.label),
                answers: [
                    saving(Words.savePicturesToo, request) { $1.pictures = PictureAnswer(document: folder.document) },
                    saving(Words.saveWithoutPictures, request) {
                        $0.life.losesPictures = $0.life.state.isToClose
                        $1.pictures = PictureAnswer(document: folder.document, leftOut: Set(pictures))
                    },
                ], topic: .saving(request.path)), request)
    }

    /// Asks about a character that the encoding cannot express, in a line counted from 1.
    private func askAboutEncoding(_ text: String, _ line: Int, _ request: SaveRequest) {
        askAboutSave(
            Question(
                text: text,
                answers: [
                    saving(Words.saveAsUTF8, request) { window, _ in
                        window.file.setEncoding(.utf8, selection: window.view.selection)
                        window.noteFormat()
                    },
                    .init(label: Words.goToLineAnswer(line)) { [weak self] in
                        guard let self else { return }
                        handle(.saveFailed)
                        findBar.close()
                        view.go(to: Selection(caret: GotoTarget.line(line, column: 1).offset(in: view.store.text)))
                    },
                ], topic: .saving(request.path)), request)
    }

    private func notifyThatItIsReadOnly() {
        handle(.saveFailed)
        notify(Words.openForReading(file.displayName), isProblem: true)
    }

    private func notifyWhyNotSaved() {
        handle(.saveFailed)
        let name = file.displayName
        notify(file.isReading ? Words.notSavedLoading(name) : Words.notSavedUnread(name), isProblem: true)
    }

    // MARK: Save as

    /// Asks for the path of a file to save to, and saves the document to it.
    func askWhereToSave(_ text: String? = nil, problem: String? = nil) {
        guard file.isUsable else { return notifyWhyNotSaved() }
        // During a question no prompt can be open: open the prompt after the answer.
        guard !isAsking else {
            return life.whenAnswered = { [weak self] in self?.askWhereToSave(text, problem: problem) }
        }
        let start = text ?? (file.absolutePath ?? EditedFile.workingFolder).description
        let request = PathPrompt.Request(
            label: Words.saveAsPrompt, action: Words.save, hint: Words.saveAsHint, isPath: true,
            choices: FileChoices(openedWith: start), kind: .save)
        openPrompt(request, text: start, problem: problem) { [weak self] in
            self?.handle(.saveFailed)
        } answer: { window, answer in
            let request = window.life.input
            // While the disk is asked about the path, however long that takes, a close must wait for the save.
            window.saves.isPromised = true
            window.checkPath(answer) { window, path, found in
                window.saves.isPromised = false
                if let other = found.window, other !== window {
                    window.askWhereToSave(answer, problem: Words.openElsewhere(other.file.displayName))
                } else if found.window != nil, window.options.readOnly {
                    window.notifyThatItIsReadOnly()
                } else {
                    window.save(as: path, since: request)
                }
            } again: {
                $0.saves.isPromised = false
                $0.askWhereToSave($1, problem: $2)
            }
        }
    }
}
