import Inkstone

/// What waits for a save to end.
struct WaitingSaves {
    /// The saves that come next.
    var next: [WaitingSave] = []
    /// Who is told whether it went well.
    var observers: [(Bool) -> Void] = []
}

/// A save that waits for another one to end.
struct WaitingSave {
    var path: String?
    var overwriting: Bool
    var acceptingLoss: Bool
    var next: [() -> Void]
}

extension EditorWindow {
    /// Saves what the text is now, in the background, and then does `next` unless something went wrong, which stands in the
    /// status line. Waits until the file was read, and for a save that is going on.
    ///
    /// - Parameters:
    ///   - other: a file to save to from now on.
    func save(
        as other: String? = nil, overwriting: Bool = false, acceptingLoss: Bool = false,
        then next: @escaping () -> Void = {}
    ) {
        guard file.isUsable else { return tellWhyNotSaved() }
        guard other != nil || file.path != nil || file.isReading else { return askWhereToSave(then: next) }
        do throws(TextFileError) {
            if let other, !overwriting, other != file.path { try TextFile.check(other, expecting: nil) }
            if file.isReading {
                whenRead.append { [unowned self] in
                    save(as: other, overwriting: overwriting, acceptingLoss: acceptingLoss, then: next)
                }
                return tell("It will be saved as soon as all of it was read")
            }
            guard file.isLossless || acceptingLoss else { return askAboutLoss(other, overwriting, next) }
            if file.isSaving {
                wait(WaitingSave(path: other, overwriting: overwriting, acceptingLoss: acceptingLoss, next: [next]))
                return tell("It will be saved again as soon as this save is done")
            }
            let (mark, wasNew) = (protection.journal?.mark(), file.isNew)
            let poster = display.poster
            try file.save(to: other, overwriting: overwriting, post: { poster.post($0) }) { [unowned self] result in
                if case .success = result {
                    if let mark { protection.journal?.rebase(to: file.journalBase, keepingAfter: mark) }
                    if other != nil { updateTitle() }
                    if let path = file.path, other != nil || wasNew { program.note(path) }
                }
                saveDidEnd(result, next)
            }
            sayThatItSaves()
        } catch .changedOnDisk(let path, let change) {
            askAboutChange(path, change, other, acceptingLoss, next)
        } catch {
            tell(error.description, isProblem: true)
        }
    }

    /// One save for all that are asked for alike during another one: it has what was typed until it begins.
    private func wait(_ save: WaitingSave) {
        if let last = saves.next.last, last.path == save.path, last.overwriting == save.overwriting {
            saves.next[saves.next.count - 1].next += save.next
        } else {
            saves.next.append(save)
        }
    }

    /// A save that takes its time is worth a word.
    private func sayThatItSaves() {
        display.schedule(afterMilliseconds: 200) { [weak self] in
            guard let self, file.isSaving, message == nil else { return }
            tell("Saving “\(file.displayName)”…")
        }
    }

    private func saveDidEnd(_ result: Result<String, TextFileError>, _ next: () -> Void) {
        let waiting = saves
        saves = WaitingSaves()
        switch result {
        case .success(let text):
            offers.withdraw(.outsideChange)
            // As it is to be read from now on.
            if options.encoding != nil { options.encoding = file.encodingName }
            tell(text)
            next()
            for save in waiting.next {
                let work = { for next in save.next { next() } }
                // What was waited for is in the file already if nothing was typed since.
                guard file.isModified || save.path != nil else {
                    work()
                    continue
                }
                self.save(
                    as: save.path, overwriting: save.overwriting, acceptingLoss: save.acceptingLoss,
                    then: work)
            }
            for work in waiting.observers { work(true) }
        case .failure(let error):
            // What waited for it has no ground any more: the user decides.
            tell(error.description, isProblem: true)
            for work in waiting.observers { work(false) }
        }
        updateStatus()
    }

    private func askAboutChange(
        _ path: String, _ change: TextFileError.Change, _ other: String?, _ acceptingLoss: Bool,
        _ next: @escaping () -> Void
    ) {
        var answers = [
            Question.Answer(key: "o", label: "[O]verwrite it") { [unowned self] in
                save(as: other, overwriting: true, acceptingLoss: acceptingLoss, then: next)
            }
        ]
        if other != nil {
            answers.append(.init(key: "a", label: "save [A]s another") { [unowned self] in askWhereToSave(then: next) })
        } else if change != .removed {
            answers.append(
                .init(key: "r", label: "[R]eload it, and lose the changes made here") { [unowned self] in reload(path) }
            )
        }
        answers.append(.init(key: "c", label: "[C]ancel") {})
        let text =
            other == nil
            ? TextFileError.changedOnDisk(path: path, change: change).description : "There is a file “\(path)” already."
        offers.withdraw(.outsideChange)
        askBeside(Question(text: text, answers: answers, topic: other == nil ? .outsideChange : nil))
    }

    private func askAboutLoss(_ other: String?, _ overwriting: Bool, _ next: @escaping () -> Void) {
        askBeside(
            Question(
                text:
                    "Some bytes of “\(file.displayName)” could not be read in its encoding; saving would change them.",
                answers: [
                    .init(key: "s", label: "[S]ave all the same") { [unowned self] in
                        save(as: other, overwriting: overwriting, acceptingLoss: true, then: next)
                    },
                    .init(key: "c", label: "[C]ancel") {},
                ]))
    }

    private func tellWhyNotSaved() {
        let reason = file.isReading ? "it is still being read" : "it could not be read"
        tell("“\(file.displayName)” was not saved: \(reason), and is as it was.", isProblem: true)
    }

    // MARK: Save as

    /// Asks for the name of a file to save to, and saves to it.
    func askWhereToSave(then next: @escaping () -> Void = {}) {
        guard file.isUsable else { return tellWhyNotSaved() }
        let start = file.path.map(EditedFile.absolute) ?? (EditedFile.absolute(".") + "/")
        openPrompt(.init(label: "Save as:", hint: "Return saves, Tab completes, Escape gives up"), text: start) {
            [unowned self] answer in
            guard let path = EditedFile.path(typed: answer) else {
                return tell("That is no name of a file. Nothing was saved.", isProblem: true)
            }
            save(as: path, then: next)
        }
    }
}
