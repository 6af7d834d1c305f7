import Inkstone

/// Reading the file again after another program has changed it, as one edit of the text.
extension EditorWindow {
    /// Replaces the text by the file's present content. The file is read completely before anything changes: a failure leaves text, undo and
    /// journal unchanged. The change is one undo step; edits made meanwhile are applied to the new text. With `keepingEdits` the unsaved
    /// changes are applied to the new text; those that conflict are asked about first. An `encoding` is used for reading
    /// now and from then on; nil keeps the present one. `message` is shown when it is done.
    func reread(in encoding: TextEncoding? = nil, keepingEdits: Bool = false, telling message: String? = nil) {
        guard !isClosed, file.canReread else { return }
        guard !life.isRereading else { return tell(Words.readingAgain(file.displayName)) }
        life.isRereading = true
        writeRichTextNow()
        // Keys struck now are meant for the new text, unless it takes too long.
        let wait = holdKeys(.reload)
        display.schedule(afterMilliseconds: 250) { [weak self] in
            guard let self, !isClosed, life.keyWaits.contains(wait) else { return }
            tell(Words.readingAgain(file.displayName))
            letKeysCome(wait)
        }
        let poster = display.poster
        file.reread(
            caret: rich == nil ? view.selection?.head ?? 0 : 0,
            encoding: encoding ?? options.encoding.flatMap(TextEncoding.init(named:)),
            keepingEdits: keepingEdits, post: { poster.post($0) }
        ) { [weak self] result in
            guard let self, !isClosed else { return }
            switch result {
            case .success(let reread):
                guard let lost = reread.edits?.lostCount, lost > 0 else {
                    return performBeforeWaitingKeys { window in
                        guard window.adopt(reread) else { return }
                        if let encoding { window.options.encoding = encoding.name }
                        if let message { window.tell(message) }
                    }
                }
                // Ask before the keys that wait for the new text.
                askAboutEdits(lost, encoding)
                endRereading()
            case .failure(let error):
                endRereading()
                tell(error.description, isProblem: true)
                // Offer the file's present content.
                if case .changedOnDisk = error { lookAtFile() }
            }
        }
    }

    /// Reloads the file at the user's request. Unsaved changes need no question: undo brings them back.
    func reloadOnRequest() {
        writeRichTextNow()
        reread(telling: file.isModified ? Words.reloadedOverChanges : nil)
    }

    /// Calls `work` after the keys struck before the reload, and before those that wait for it.
    private func performBeforeWaitingKeys(_ work: @escaping (EditorWindow) -> Void) {
        window.performInOrder(beforeWaitingKeys: true) { [weak self] in
            guard let self, !isClosed else { return }
            work(self)
            endRereading()
        }
    }

    private func askAboutEdits(_ count: Int, _ encoding: TextEncoding?) {
        askAboutCommand(
            Question(
                text: Words.changesHaveNoPlace(count),
                answers: [
                    .init(label: Words.reloadWithoutChanges) { [weak self] in
                        self?.reread(in: encoding)
                    },
                    .init(label: Words.cancel) {},
                ], chosen: 1))
    }

    private func endRereading() {
        file.stopReread()
        life.isRereading = false
        letKeysCome(.reload)
        updateStatus()
    }

    /// Replaces the text by the file's. Returns whether it did.
    private func adopt(_ reread: RereadFile) -> Bool {
        // A save requested meanwhile is the later command, and wins.
        guard file.canAdoptReread else { return false }
        let caret = rich == nil ? view.selection?.head : nil
        writeRichTextNow()
        // Here the text equals the file. The journal records all later edits before its new base, so that a kill in between loses nothing.
        var mark: RecoveryJournal.Mark?
        let journal = protection.journal
        func adopt() -> Bool { file.adopt(reread) { mark = journal?.mark() } }
        let typed = journal?.together(adopt) ?? adopt()
        showRichText()
        // The journal of a text without a file has the whole text.
        if file.path != nil {
            if let mark { rebaseJournal(keepingAfter: mark) } else { startJournal() }
        } else {
            noteFormat()
        }
        // Keep the caret of a user who has moved it or typed meanwhile.
        let place = reread.edits?.changes.map(reread.caret, bias: .downstream) ?? reread.caret
        if !typed, caret != nil { view.select(Selection(caret: place), scrolling: false) }
        adoptLineEnds()
        // A close that waits for the withdrawn question must end.
        if offers.withdraw(.outsideChange) { handle(.saveFailed) }
        if message?.isProblem != true { clearMessage() }
        sayGuess()
        return true
    }
}
