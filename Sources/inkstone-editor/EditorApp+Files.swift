import Inkstone

extension EditorApp {
    /// Begins to read a file; it can be edited as soon as its start is there.
    func open(_ path: String, acceptingBinary: Bool = false) {
        setEditable(false)
        endJournal(keeping: false)
        file.open(
            path, encoding: options.encoding.flatMap(TextEncoding.init(named:)), acceptingBinary: acceptingBinary,
            poster: display.poster
        ) { [unowned self] in fileDid($0, path) }
        window.window.setTitle("\(file.displayName) – Inkstone")
    }

    private func fileDid(_ event: EditedFile.Event, _ path: String) {
        defer { showWindow() }
        switch event {
        case .started:
            begin()
            offerRecovery()
            goToTarget(isWhole: false)
        case .progressed:
            goToTarget(isWhole: false)
            setNeedsStatus()
        case .finished(let notice):
            goToTarget(isWhole: true)
            // A word about an old journal is not to be lost to it.
            if let notice, message?.isProblem != true { tell(notice) }
            setNeedsStatus()
            let waiting = whenRead
            whenRead = []
            for work in waiting { work() }
        case .looksBinary:
            ask(
                Question(
                    text: "“\(path)” looks like a program or a picture, not like text. Open it all the same?",
                    answers: [
                        .init(key: "o", label: "[O]pen, bytes are kept as they are") { [unowned self] in
                            open(path, acceptingBinary: true)
                        },
                        .init(key: "q", label: "[Q]uit") { [unowned self] in display.stop() },
                    ]))
        case .failed(let error):
            // What could not be read is not overwritten either: the text has no file, and takes no typing in vain.
            whenRead = []
            endJournal(keeping: file.isModified)
            setEditable(false)
            tell(error.description, isProblem: true)
        }
    }

    private func goToTarget(isWhole: Bool) {
        let text = view.editor.store.text
        guard let target = pendingTarget, isWhole || target.isReached(by: text) else { return }
        pendingTarget = nil
        view.editor.select(EditorSelection(caret: target.offset(in: text)))
    }

    /// Saves, and then does `next` unless something went wrong, which stands in the status line. Waits until the file
    /// was read.
    func save(overwriting: Bool = false, acceptingLoss: Bool = false, then next: @escaping () -> Void = {}) {
        guard file.isUsable else { return }
        if file.isReading {
            whenRead.append { [unowned self] in save(overwriting: overwriting, acceptingLoss: acceptingLoss, then: next)
            }
            return tell("It will be saved as soon as all of it was read")
        }
        guard file.isLossless || acceptingLoss else { return askAboutLoss(overwriting, next) }
        let mark = journal?.mark()
        do throws(TextFileError) {
            guard let text = try file.save(overwriting: overwriting) else {
                return tell("There is no file to save to. Start the editor with a name.", isProblem: true)
            }
            if let mark { journal?.rebase(to: file.journalBase, keepingAfter: mark) }
            tell(text)
            updateStatus()
            next()
        } catch .changedOnDisk(let path, let change) {
            askAboutChange(path, change, next)
        } catch {
            tell(error.description, isProblem: true)
            updateStatus()
        }
    }

    private func askAboutChange(_ path: String, _ change: TextFileError.Change, _ next: @escaping () -> Void) {
        var answers = [
            Question.Answer(key: "o", label: "[O]verwrite it") { [unowned self] in
                save(overwriting: true, acceptingLoss: true, then: next)
            }
        ]
        if change != .removed {
            answers.append(
                .init(key: "r", label: "[R]eload it, and lose the changes made here") { [unowned self] in
                    let text = view.editor.store.text
                    let line = text.paragraphIndex(at: view.editor.selection.head).value + 1
                    open(path)
                    pendingTarget = .line(line, column: 1)
                })
        }
        answers.append(.init(key: "c", label: "[C]ancel") {})
        ask(Question(text: TextFileError.changedOnDisk(path: path, change: change).description, answers: answers))
    }

    private func askAboutLoss(_ overwriting: Bool, _ next: @escaping () -> Void) {
        ask(
            Question(
                text:
                    "Some bytes of “\(file.displayName)” could not be read in its encoding; saving would change them.",
                answers: [
                    .init(key: "s", label: "[S]ave all the same") { [unowned self] in
                        save(overwriting: overwriting, acceptingLoss: true, then: next)
                    },
                    .init(key: "c", label: "[C]ancel") {},
                ]))
    }

    /// Quits, after asking if there are changes.
    func quit() {
        guard file.isModified else { return display.stop() }
        ask(
            Question(
                text: "Save changes to “\(file.displayName)” before closing?",
                answers: [
                    .init(key: "s", label: "[S]ave") { [unowned self] in save { [unowned self] in display.stop() } },
                    .init(key: "d", label: "[D]iscard") { [unowned self] in display.stop() },
                    .init(key: "c", label: "[C]ancel") {},
                ]))
    }
}
