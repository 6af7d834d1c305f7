import Inkstone

/// What waits for a save to end.
struct WaitingSaves {
    /// The saves that come next.
    var next: [WaitingSave] = []
    /// Work for after the save that is going on.
    var observers: [() -> Void] = []
    /// Whether a save begins as soon as all of the file was read, or the disk has said what there is at a name.
    var isPromised = false
}

/// A save that waits for another one to end.
struct WaitingSave {
    var path: FilePath?
    var overwriting: Bool
    var acceptingLoss: Bool
    var method: SaveMethod?
}

extension EditorWindow {
    /// Saves what the text is now, in the background; a failure stands in the status line. Waits until the file was read, and for a save
    /// that is going on. A close that waits for a save hears how it ends.
    ///
    /// - Parameters:
    ///   - other: a file to save to from now on.
    ///   - overwriting: whatever another program has made of the file.
    ///   - acceptingLoss: although bytes of the file could not be read in its encoding.
    ///   - method: how to write a file that is there; nil asks where a new one would lose something.
    func save(
        as other: FilePath? = nil, overwriting: Bool = false, acceptingLoss: Bool = false, method: SaveMethod? = nil
    ) {
        guard !isClosed else { return }
        guard file.isUsable else { return tellWhyNotSaved() }
        if options.readOnly, other == nil, file.path != nil { return tellThatItIsOnlyRead() }
        // Of a text without a name the name is asked at once, not when all was read and something else is being typed.
        guard other != nil || !file.paths.isEmpty else { return askWhereToSave() }
        guard !isAwaitingEdits else {
            tell(Words.willSaveAfterEdits)
            return performAfterEdits {
                $0.save(as: other, overwriting: overwriting, acceptingLoss: acceptingLoss, method: method)
            }
        }
        if file.isReading {
            saves.isPromised = true
            whenRead.append { [weak self] in
                self?.saves.isPromised = false
                self?.save(as: other, overwriting: overwriting, acceptingLoss: acceptingLoss, method: method)
            }
            return tell(Words.willSaveAfterLoading)
        }
        guard file.keepsBytes || acceptingLoss else {
            return askAboutLoss(Words.bytesWouldBeLost(file.displayName), other) {
                $0.save(as: other, overwriting: overwriting, acceptingLoss: true)
            }
        }
        if let loss = rich?.newLoss {
            return askAboutLoss(loss.description(of: file.displayName), other) {
                $0.rich?.accept(loss)
                $0.save(as: other, overwriting: overwriting, acceptingLoss: acceptingLoss, method: method)
            }
        }
        let request = WaitingSave(path: other, overwriting: overwriting, acceptingLoss: acceptingLoss, method: method)
        if file.isSaving {
            wait(request)
            // They may be meant for a question about the other file.
            if other != nil { holdKeys(forMilliseconds: 1000) }
            return tell(Words.willSaveAgain)
        }
        tidyBeforeSaving()
        let (mark, wasNew) = (protection.journal?.mark(), file.isNew)
        let poster = display.poster
        // They may be meant for a question, unless that is long in coming.
        holdKeys(forMilliseconds: 1000)
        file.save(
            to: other, overwriting: overwriting, acceptingLoss: acceptingLoss, method: method,
            promptness: Self.promptness, post: { poster.post($0) },
            willBegin: { [weak self] in self?.releaseHeldKeys() }
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
        sayThatItSaves()
    }

    /// One save for all that are asked for alike during another one: it has what was typed until it begins.
    private func wait(_ save: WaitingSave) {
        if let last = saves.next.last, last.path == save.path, last.overwriting == save.overwriting { return }
        saves.next.append(save)
    }

    /// A save that takes its time is worth a word.
    private func sayThatItSaves() {
        display.schedule(afterMilliseconds: 200) { [weak self] in
            guard let self, file.isSaving, message == nil else { return }
            tell(Words.saving(file.displayName))
        }
    }

    private func saveDidEnd(_ result: Result<String, TextFileError>, _ request: WaitingSave) {
        let waiting = saves
        // A save that was promised meanwhile is none of those that waited for this one.
        saves = WaitingSaves(isPromised: saves.isPromised)
        defer { updateStatus() }
        let error: TextFileError
        switch result {
        case .success(let text):
            let hold = life.heldKeys
            saveDidSucceed(text, request, waiting)
            // The save that waited has keys wait for itself.
            if life.heldKeys == hold { releaseHeldKeys() }
            return
        case .failure(let failure): error = failure
        }
        // What waited to write the same file has no ground any more: the user decides.
        for work in waiting.observers { work() }
        if case .changedOnDisk(let path, let change) = error {
            return confirm(change, of: path, request, waiting.next)
        }
        defer {
            releaseHeldKeys()
            beginOthers(waiting.next, than: request)
        }
        switch error {
        case .wouldLose(let path, let names, let lost):
            askAboutMethod(path, request.path, names, lost) { window, method in
                var request = request
                request.method = method
                window.begin(request)
            }
        case .bytesWouldChange:
            askAboutLoss(error.description, request.path) {
                $0.save(as: request.path, overwriting: request.overwriting, acceptingLoss: true)
            }
        case .inexpressible(_, _, _, let line):
            askAboutEncoding(error.description, line, request.path, request.overwriting)
        default:
            tell(error.description, isProblem: true)
            handle(.saveFailed)
        }
    }

    private func saveDidSucceed(_ text: String, _ request: WaitingSave, _ waiting: WaitingSaves) {
        for topic in [.outsideChange, .saving(nil), .saving(request.path), .cutOff] as Set<Question.Topic> {
            withdraw(topic)
        }
        followFile()
        // As it is to be read from now on.
        if options.encoding != nil { options.encoding = file.encodingName }
        // A problem since it was asked for is still to be read.
        let problem = message.flatMap { $0.isProblem ? $0.text : nil }
        tell([text, problem].compactMap(\.self).joined(separator: ". "), isProblem: problem != nil)
        // What was waited for is in the file already if nothing was typed since.
        for request in waiting.next where file.isModified || request.path != nil { begin(request) }
        for work in waiting.observers { work() }
        handle(.saved)
    }

    /// Asks about a change that a save met. A change of time alone is none: the content decides.
    private func confirm(
        _ change: TextFileError.Change, of path: FilePath, _ request: WaitingSave, _ next: [WaitingSave]
    ) {
        guard request.path == nil || request.path == file.path, change != .removed, change != .created else {
            askAboutChange(path, change, request.path, request.acceptingLoss)
            releaseHeldKeys()
            return beginOthers(next, than: request)
        }
        let poster = display.poster
        file.confirmChange(post: { poster.post($0) }) { [weak self] confirmed in
            guard let self, !isClosed else { return }
            if confirmed == nil {
                saves.next = next + saves.next
                return begin(request)
            }
            askAboutChange(path, change, request.path, request.acceptingLoss)
            releaseHeldKeys()
            beginOthers(next, than: request)
        }
    }

    /// Begins the saves that waited for one that failed, as far as they are to another file.
    private func beginOthers(_ waiting: [WaitingSave], than failed: WaitingSave) {
        let path = failed.path ?? file.path
        for save in waiting where save.path != nil && save.path != path { begin(save) }
    }

    private func begin(_ waiting: WaitingSave) {
        save(
            as: waiting.path, overwriting: waiting.overwriting, acceptingLoss: waiting.acceptingLoss,
            method: waiting.method)
    }

    /// Whether a file is still to get what is in the text.
    var isUnsaved: Bool { file.isModified || saves.isPromised }

    /// Asks about what a save has met, with the safe answer behind all others: without the save a close that waits for it ends.
    private func askAboutSave(_ question: Question) {
        var question = question
        question.cancel = { [weak self] in
            guard let self else { return }
            handle(.saveFailed)
            tell(Words.wasNotSaved(file.displayName))
        }
        question.answers.append(.init(label: Words.cancel, action: question.cancel))
        question.chosen = question.answers.count - 1
        askAboutCommand(question)
    }

    private func askAboutMethod(
        _ path: FilePath, _ other: FilePath?, _ names: Int, _ lost: [String],
        save: @escaping (EditorWindow, SaveMethod) -> Void
    ) {
        let name = path.lastComponent.label
        let what =
            names > 1
            ? Words.hasNames(name, names)
            : Words.wouldLose(name, lost.joined(separator: ", "))
        askAboutSave(
            Question(
                text: what,
                answers: [
                    .init(label: Words.writeInPlace) { [weak self] in
                        if let self { save(self, .inPlace) }
                    },
                    .init(label: Words.makeNewFile) { [weak self] in
                        if let self { save(self, .replacing) }
                    },
                ], topic: .saving(other)))
    }

    private func askAboutChange(
        _ path: FilePath, _ change: TextFileError.Change, _ other: FilePath?, _ acceptingLoss: Bool
    ) {
        var answers = [
            Question.Answer(label: change == .removed ? Words.saveAgain : Words.overwrite) { [weak self] in
                self?.save(as: other, overwriting: true, acceptingLoss: acceptingLoss)
            }
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
        askAboutSave(Question(text: text, answers: answers, topic: other == nil ? .outsideChange : .saving(other)))
    }

    private func askAboutLoss(_ text: String, _ other: FilePath?, save: @escaping (EditorWindow) -> Void) {
        askAboutSave(
            Question(
                text: text,
                answers: [
                    .init(label: Words.saveAnyway) { [weak self] in
                        if let self { save(self) }
                    }
                ], topic: .saving(other)))
    }

    /// The encoding has no code for a character in a line, counted from 1.
    private func askAboutEncoding(_ text: String, _ line: Int, _ other: FilePath?, _ overwriting: Bool) {
        askAboutSave(
            Question(
                text: text,
                answers: [
                    .init(label: Words.saveAsUTF8) { [weak self] in
                        guard let self else { return }
                        file.setEncoding(.utf8, selection: view.selection)
                        noteFormat()
                        save(as: other, overwriting: overwriting)
                    },
                    .init(label: Words.goToLineAnswer(line)) { [weak self] in
                        guard let self else { return }
                        handle(.saveFailed)
                        view.go(to: Selection(caret: GotoTarget.line(line, column: 1).offset(in: view.store.text)))
                    },
                ], topic: .saving(other)))
    }

    private func tellThatItIsOnlyRead() {
        handle(.saveFailed)
        tell(Words.openForReading(file.displayName), isProblem: true)
    }

    private func tellWhyNotSaved() {
        handle(.saveFailed)
        let name = file.displayName
        tell(file.isReading ? Words.notSavedLoading(name) : Words.notSavedUnread(name), isProblem: true)
    }

    // MARK: Save as

    /// Asks for the name of a file to save to, and saves to it.
    func askWhereToSave(_ text: String? = nil, problem: String? = nil) {
        guard file.isUsable else { return tellWhyNotSaved() }
        // Behind a question nothing is typed into a prompt.
        guard !isAsking else {
            handle(.saveFailed)
            return tell(Words.wasNotSaved(file.displayName), isProblem: true)
        }
        let start = text ?? (file.absolutePath ?? EditedFile.workingFolder).description
        let request = PathPrompt.Request(
            label: Words.saveAsPrompt, action: Words.save, hint: Words.saveAsHint, isPath: true,
            choices: FileChoices(openedWith: start), kind: .save)
        openPrompt(request, text: start, problem: problem) { [weak self] in
            self?.handle(.saveFailed)
        } answer: { window, answer in
            // A close behind it is to know of it, however long the disk takes.
            window.saves.isPromised = true
            window.lookAt(answer) { window, path, found in
                window.saves.isPromised = false
                if let other = found.window, other !== window {
                    window.askWhereToSave(answer, problem: Words.openElsewhere(other.file.displayName))
                } else if found.window != nil, window.options.readOnly {
                    window.tellThatItIsOnlyRead()
                } else {
                    window.save(as: path)
                }
            } again: {
                $0.saves.isPromised = false
                $0.askWhereToSave($1, problem: $2)
            }
        }
    }
}
