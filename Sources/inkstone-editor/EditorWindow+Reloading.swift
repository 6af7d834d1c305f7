import Inkstone

/// Reading the file again after another program has changed it, as one edit of the text.
extension EditorWindow {
    /// Reads the file again, in place of what is in the text. All of it is read before anything is changed: a failure leaves text, undo and
    /// journal as they are. The change is one step of undo; what is typed meanwhile goes into the new text. With `keepingEdits` the changes
    /// that were made here are made to the new text; which of them cannot be is asked about before. With an `encoding` it is read in that,
    /// now and from then on; else as before.
    func reread(in encoding: TextEncoding? = nil, keepingEdits: Bool = false) {
        guard !isClosed, file.canReread, !life.isRereading else { return }
        life.isRereading = true
        writeRichTextNow()
        // What is typed now is meant for the new text, unless that is long in coming.
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
                    }
                }
                // Before the keys that wait for the new text.
                askAboutEdits(lost, encoding)
                endRereading()
            case .failure(let error):
                endRereading()
                tell(error.description, isProblem: true)
                // What it is now is offered.
                if case .changedOnDisk = error { lookAtFile() }
            }
        }
    }

    /// Does `work` behind the keys that were struck before the reload, and before those that wait for it.
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

    /// Returns whether the text is that of the file now.
    private func adopt(_ reread: RereadFile) -> Bool {
        // A save that was asked for meanwhile is the later wish.
        guard file.canAdoptReread else { return false }
        let caret = rich == nil ? view.selection?.head : nil
        writeRichTextNow()
        // The text is the file's, just now. The journal goes on, and has all that comes of it before it says so: a kill between loses nothing.
        var mark: RecoveryJournal.Mark?
        let journal = protection.journal
        func adopt() -> Bool { file.adopt(reread) { mark = journal?.mark() } }
        let typed = journal?.together(adopt) ?? adopt()
        showRichText()
        // Of a text without a file the journal has all.
        if file.path != nil {
            if let mark { rebaseJournal(keepingAfter: mark) } else { startJournal() }
        } else {
            noteFormat()
        }
        // Who has gone elsewhere meanwhile, or typed on, stays there.
        let place = reread.edits?.changes.map(reread.caret, bias: .downstream) ?? reread.caret
        if !typed, caret != nil { view.select(Selection(caret: place), scrolling: false) }
        adoptLineEnds()
        // A close that waited for its answer has none to wait for.
        if offers.withdraw(.outsideChange) { handle(.saveFailed) }
        if message?.isProblem != true { clearMessage() }
        if let notice = file.notice { tell(notice) }
        sayGuess()
        return true
    }
}
