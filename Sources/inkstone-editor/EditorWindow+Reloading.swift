import Inkstone
import InkstoneFiles

/// Reading the file again after another program has changed it, as an edit of the document.
extension EditorWindow {
    /// Replaces the document by the file's present content, as one undo step. The file is read completely first: if
    /// that fails, document, undo and journal stay unchanged. Edits made during reading are applied to the new text.
    /// Does nothing while the file is being opened or saved. If a save has succeeded during reading, the document is
    /// not replaced. During another reread, only shows a message.
    ///
    /// If `keepingEdits` is true, the unsaved changes are applied to the new text as well. The file must then have
    /// the bytes that were last read or saved; otherwise an error is shown. If some changes are in text that the new
    /// `encoding` decodes differently, the user is asked whether to drop all changes. If `asksIfLost` is true, the
    /// user is asked first about unsaved changes that undo could not restore. If `encoding` is nil, the file is read
    /// in its present encoding. `message` is shown after the text was replaced without a question. `request` marks
    /// when the user requested this; nil for now. If the user has typed since, a question is shown in the offer bar,
    /// where it does not keep the user from typing.
    func reread(
        in encoding: TextEncoding? = nil, keepingEdits: Bool = false, asksIfLost: Bool = false,
        notifying message: String? = nil, since request: InputMark? = nil
    ) {
        guard !isClosed, file.canReread else { return }
        guard !life.isRereading else { return notify(Words.readingAgain(file.displayName)) }
        life.isRereading = true
        let request = request ?? life.input
        writeRichTextNow()
        // Keys typed now are meant for the new text: hold them, but at most 250 ms.
        let wait = holdKeys(.reload)
        display.schedule(afterMilliseconds: 250) { [weak self] in
            guard let self, !isClosed, life.keyWaits.contains(wait) else { return }
            notify(Words.readingAgain(file.displayName))
            letKeysCome(wait)
        }
        let poster = display.poster
        file.reread(
            caret: rich == nil ? view.selection?.head ?? 0 : 0, encoding: encoding, keepingEdits: keepingEdits,
            post: { poster.post($0) }
        ) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success(let reread):
                if asksIfLost, file.isModified, !keepsStep(of: reread) {
                    askAboutReload(since: request)
                    return endRereading()
                }
                guard let lost = reread.edits?.lostCount, lost > 0 else {
                    return performBeforeWaitingKeys { window in
                        guard window.adopt(reread) else { return }
                        if let message { window.notify(message) }
                    }
                }
                // Ask before the held keys are delivered.
                askAboutEdits(lost, encoding, since: request)
                endRereading()
            case .failure(let error):
                endRereading()
                notify(error.description, isProblem: true)
                // If the file has changed again, offer its present content.
                if case .changedOnDisk = error { checkFile() }
            }
        }
    }

    /// Reads the file again at the user's request. Unsaved changes are replaced without a question if undo restores
    /// them.
    func reloadOnRequest() {
        writeRichTextNow()
        reread(asksIfLost: true, notifying: file.isModified ? Words.reloadedOverChanges : nil)
    }

    /// Whether the memory for undo suffices to keep the reload as an undo step after further edits.
    private func keepsStep(of reread: RereadFile) -> Bool {
        program.limitUndo(of: self)
        return view.store.keepsStep(of: reread.changes)
    }

    private func askAboutReload(since request: InputMark) {
        askAboutCommand(
            Question(
                text: Words.reloadCannotBeUndone,
                answers: [
                    .init(label: Words.reloadAndDiscard) { [weak self] in self?.reread() },
                    .init(label: Words.cancel) {},
                ], chosen: 1), since: request)
    }

    /// Calls `work` after the keys typed before the reload are handled, and before the held keys are delivered.
    private func performBeforeWaitingKeys(_ work: @escaping (EditorWindow) -> Void) {
        window.performInOrder(beforeWaitingKeys: true) { [weak self] in
            guard let self, !isClosed else { return }
            work(self)
            endRereading()
        }
    }

    private func askAboutEdits(_ count: Int, _ encoding: TextEncoding?, since request: InputMark) {
        askAboutCommand(
            Question(
                text: Words.changesHaveNoPlace(count),
                answers: [
                    .init(label: Words.reloadWithoutChanges) { [weak self] in
                        self?.reread(in: encoding)
                    },
                    .init(label: Words.cancel) {},
                ], chosen: 1), since: request)
    }

    private func endRereading() {
        file.stopReread()
        life.isRereading = false
        letKeysCome(.reload)
        updateStatus()
    }

    /// Replaces the document by the file that was read again. Returns whether the document was replaced.
    private func adopt(_ reread: RereadFile) -> Bool {
        // Do not replace the document if a save was requested meanwhile: the save is the later command, and takes
        // precedence.
        guard file.canAdoptReread else { return false }
        let caret = rich == nil ? view.selection?.head : nil
        writeRichTextNow()
        // While the document equals the file, mark the journal's position. All later edits are recorded before the
        // journal gets its new base. A crash in between then loses nothing.
        var mark: RecoveryJournal.Mark?
        let journal = journalStatus.journal
        func adopt() -> Bool { file.adopt(reread) { mark = journal?.mark() } }
        let typed = journal?.together(adopt) ?? adopt()
        showRichText()
        // The journal of a document without a file has no base to replace: it has the whole text.
        if file.path != nil {
            if let mark { rebaseJournal(keepingAfter: mark) } else { startJournal() }
        } else {
            noteFormat()
        }
        // Move the caret to its position in the new text, unless the user has typed meanwhile.
        let place = reread.edits?.changes.map(reread.caret, bias: .downstream) ?? reread.caret
        if !typed, caret != nil { view.select(Selection(caret: place), scrolling: false) }
        adoptLineEnds()
        // If the window waited for an answer to the withdrawn question in order to close, keep it open.
        if offers.withdraw(.outsideChange) { handle(.saveFailed) }
        if message?.isProblem != true { clearMessage() }
        notifyOfGuess()
        return true
    }
}
