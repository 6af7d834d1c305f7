import Glibc
import Inkstone
import InkstoneFiles

/// The state of the recovery journal of a window, which protects the document's changes against a crash.
struct JournalStatus {
    var journal: RecoveryJournal?
    /// The journal of styled text whose latest edits are not in the Markdown source, nor in `journal`; nil for none.
    var draft: RecoveryJournal?
    /// Whether a timer is running that will check whether `draft` is needed.
    var isDelayWatched = false
    /// Whether the journal fails to record edits at present.
    var isOff = false
    /// Whether typing was allowed before a file had arrived that is still awaited.
    var isAhead = false
    /// The position in the journal at which that typing began; nil without a journal.
    var earlyInputMark: RecoveryJournal.Mark?
    /// The file's text that recovered changes apply to; nil unless the search for changes is running or its offers
    /// are open.
    weak var original: OriginalText?
    /// Closures to call when reading the file ends. Their argument is true if the whole file was read.
    var whenReadingEnds: [(Bool) -> Void] = []
}

/// The text of a file when it was read, to which the changes of earlier sessions apply.
final class OriginalText {
    /// The text of the file; nil until the whole file has been read.
    fileprivate(set) var text: Rope?
    /// The identity of the file when it was read; nil if there was no file.
    let identity: FileIdentity?

    fileprivate init(identity: FileIdentity?) { self.identity = identity }
}

extension EditorWindow {
    /// Starts a journal of the document's differences from its file, unless it has a journal already, recovery is
    /// disabled or the document is read-only.
    func startJournal() {
        guard !options.noRecovery, !options.readOnly, journalStatus.journal == nil else { return }
        let poster = display.poster
        // `app` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) let app = WeakApp(app: self)
        let journal = RecoveryJournal(
            of: file.store, base: file.journalBase, baseText: file.isModified ? file.journalBaseText : nil
        ) { error in
            poster.post { app.app?.journalDidFail(error) }
        } onResumption: {
            poster.post { app.app?.journalDidResume() }
        } later: { [display] work in
            display.performAfterPainting(work)
        }
        // Record also the text read from standard input, which is stored nowhere else.
        journal.recordsLoads = file.isReadingInput
        journalStatus.journal = journal
        noteFormatIfNeeded()
        file.willSave = { [weak self] path, format in
            guard let journal = self?.journalStatus.journal else { return { _ in } }
            return journal.noteSaves(to: path, format: format, keepingAfter: journal.mark())
        }
    }

    /// Records in the journal the format in which the document will be saved.
    func noteFormat() { journalStatus.journal?.noteFormat(file.format, isLossy: file.hasLostBytes) }

    /// Records in the journal the format in which the document will be saved, and that the document's bytes are lost, if
    /// the journal's base does not show this.
    func noteFormatIfNeeded() {
        if file.format != file.journalBase.format || file.hasLostBytes { noteFormat() }
    }

    /// Sets the file that was read or saved as the journal's new base. The edits recorded after the mark are kept.
    func rebaseJournal(keepingAfter mark: RecoveryJournal.Mark) {
        journalStatus.journal?.rebase(to: file.journalBase, keepingAfter: mark)
        // If the format differs from the file's, the user has chosen it for the next save while this save was
        // running: record it again.
        noteFormatIfNeeded()
    }

    private func journalDidFail(_ error: RecoveryError) {
        journalStatus.isOff = true
        notify(error.description, isProblem: true)
    }

    private func journalDidResume() {
        journalStatus.isOff = false
        notify(Words.recoveryIsOn)
    }

    /// Ends the document's journal and that of the styled text. Unless `isKept`, removes both. Otherwise removes the
    /// styled text's journal alone, once the document's journal has all edits on the disk. Waits for the disk at most
    /// `milliseconds`: 0 while the program continues to run. Returns whether a journal is kept that has all edits on
    /// the disk by then.
    @discardableResult
    func endJournal(keeping isKept: Bool, within milliseconds: Int = 0) -> Bool {
        guard let journal = journalStatus.journal else { return false }
        let draft = journalStatus.draft
        (journalStatus.journal, journalStatus.draft, journalStatus.isOff) = (nil, nil, false)
        guard isKept else {
            journal.close(within: milliseconds)
            draft?.close(within: milliseconds)
            return false
        }
        let isFlushed = journal.beginFlush()
        let isWhole = journal.abandon(within: milliseconds)
        guard let draft else { return isWhole }
        if rich?.isPending == true || !isWhole && milliseconds > 0 { return draft.abandon(within: milliseconds) }
        if isWhole { draft.close(within: milliseconds) } else { end(draft, when: isFlushed) }
        return isWhole
    }

    /// Searches in the background for interrupted saves and for changes of earlier sessions, and offers to restore
    /// them. The document can be edited meanwhile.
    func offerRecovery() {
        guard !options.readOnly else { return }
        let path = file.journalBase.path
        let original = OriginalText(identity: file.savedIdentity)
        journalStatus.original = original
        whenReadingEnds { [weak self] isRead in original.text = isRead ? self?.file.savedText : nil }
        guard let path else { return offerJournals(of: nil, original) }
        let poster = display.poster
        InterruptedSave.search(of: path, post: { poster.post($0) }) { [weak self] found in
            guard let self, journalStatus.original === original else { return }
            for save in found { offer(save) }
            offerJournals(of: path, original)
        }
    }

    private func offerJournals(of path: FilePath?, _ original: OriginalText) {
        guard !options.noRecovery else { return }
        let poster = display.poster
        RecoveredDocument.search(of: path, except: journalStatus.journal?.path, post: { poster.post($0) }) {
            [weak self] found in
            // Do nothing if the window shows another file by now.
            guard let self, journalStatus.original === original else { return }
            offer(found, path, original)
        }
    }

    /// Offers the text that the file had before an interrupted save. A journal may have the changes that were being
    /// saved. They apply to the old text, so they are offered once the file has that text again.
    private func offer(_ save: InterruptedSave) {
        offers.show(
            Question(
                text: Words.saveWasCutOff(file.displayName),
                answers: [
                    .init(label: Words.restoreOldText) { [weak self] in self?.restore(save) },
                    .init(label: Words.discardOldText) { [weak self] in
                        self?.perform(inBackground: { save.setAside() }) { window, aside in
                            if let aside { window.notify(Words.discarded("\(aside)")) }
                        }
                    },
                    .init(label: Words.notNow) {},
                ], topic: .cutOff))
    }

    /// Restores the file's text from before the interrupted save, in the background, and reads the file again.
    /// Withdraws the offers about the present text; they are made again for the text that was read.
    private func restore(_ save: InterruptedSave) {
        journalStatus.original = nil
        if offers.withdrawAll() { handle(.saveFailed) }
        let path = file.path
        notify(Words.restoringOldText(file.displayName))
        perform(inBackground: { Result { () throws(TextFileError) in try save.restore() } }) { window, result in
            window.didRestore(path, result)
        }
    }

    private func didRestore(_ path: FilePath?, _ result: Result<Void, TextFileError>) {
        // Do nothing if the window shows another file by now.
        guard let path, path == file.path else { return }
        if case .failure(let error) = result {
            offerRecovery()
            return notify(error.description, isProblem: true)
        }
        writeRichTextNow()
        // If there are unsaved or pending edits, do not discard them: offer the change of the file.
        if file.isModified || file.isSaving || isAwaitingInput { checkFile() } else { reload(path) }
        notify(Words.oldTextIsBack)
    }

    private func offer(_ found: [RecoveredDocument], _ path: FilePath?, _ original: OriginalText) {
        let known = found.filter { $0.editCount > 0 && $0.state != .inUse }
        // Offer the changes of the file itself first. A draft, the journal of a styled text, has only the plain text of
        // the latest changes.
        let usable = known.filter { !$0.isDraft } + known.filter(\.isDraft)
        for (index, document) in usable.enumerated() {
            let count = usable.count == 1 ? "" : " (\(Words.number(index + 1, of: usable.count)))"
            switch document.state {
            case .intact where fits(document, original), .truncated where fits(document, original):
                offer(document, original, count)
            default: whenReadingEnds { [weak self] _ in self?.offerApart(document, original, count) }
            }
        }
        // Report unusable journals, and set them aside, so that they are not reported again.
        for other in found where other.editCount == 0 && other.state != .inUse {
            perform(inBackground: { other.state == .tooLarge ? other : other.setAside() }) {
                $0.notify($1.description, isProblem: true)
            }
        }
        let others = found.filter {
            $0.state == .inUse && $0.base?.path != nil && $0.process.map { $0 != Int(getpid()) } ?? true
        }
        guard path != nil, let other = others.first else { return }
        let name = file.displayName
        guard other.changeCount > 0 else {
            let text = other.process.map { Words.openInProcess(name, "\($0)") } ?? Words.openInAnotherEditor(name)
            return notify(text, isProblem: true)
        }
        // The file lacks the changes of another running editor: show that as a question, which stays, not as a
        // message, which the next key removes.
        let text =
            other.process.map { Words.unsavedInProcess(name, "\($0)") } ?? Words.unsavedInAnotherEditor(name)
        offers.show(Question(text: text, answers: [.init(label: Words.understood) {}]))
    }

    /// Calls `work` when the whole file has been read, or when reading has failed; at once if the file is not being
    /// read.
    private func whenReadingEnds(_ work: @escaping (_ isRead: Bool) -> Void) {
        if file.isReading { journalStatus.whenReadingEnds.append(work) } else { work(true) }
    }

    /// Calls the closures that wait for the file to be read.
    func readingDidEnd(isRead: Bool) {
        let waiting = journalStatus.whenReadingEnds
        journalStatus.whenReadingEnds = []
        for work in waiting { work(isRead) }
    }

    /// Whether recovered changes apply to the text that was read. The text must be of the same version of the file, in
    /// the same encoding. The changes must not be those of a recovered text that was opened apart from the file.
    private func fits(_ document: RecoveredDocument, _ original: OriginalText) -> Bool {
        document.base?.origin == nil && isRead(as: document) && isRead(original, from: document)
    }

    /// Whether the text was read from the version of the file that the recovered changes fit. Also true if the
    /// changes belong to no file.
    private func isRead(_ original: OriginalText, from document: RecoveredDocument) -> Bool {
        document.base?.path == nil || document.file == original.identity
    }

    /// Whether the file was read in the encoding of the recovered changes. Another encoding gives another text,
    /// with other offsets. Also true if there was no file when the changes were made.
    private func isRead(as document: RecoveredDocument) -> Bool {
        guard let base = document.base, base.identity != nil else { return true }
        return base.format.encoding == file.savedEncoding
    }

    /// Offers recovered changes that apply to the present text.
    private func offer(_ document: RecoveredDocument, _ original: OriginalText, _ count: String) {
        let text = Words.changesFound(file.displayName, session(of: document)) + count
        offers.show(
            Question(
                text: document.isCut ? Words.recentChangesLost(text) : text,
                answers: [
                    .init(label: Words.restore) { [weak self] in self?.recover(document, original) },
                    discarding(document),
                    .init(label: Words.notNow) {},
                ]))
    }

    /// Offers recovered changes that do not apply to the text that was read: the file has changed, was read in another
    /// encoding or is missing, or the changes are a draft or belong to a text that was opened apart.
    private func offerApart(_ document: RecoveredDocument, _ original: OriginalText, _ count: String) {
        let isChanged = document.state == .changed || document.state != .missing && !isRead(original, from: document)
        guard isChanged, isRead(as: document), let text = original.text else {
            return offerApart(document, original, count, isChanged: isChanged, canBeMerged: false)
        }
        perform(inBackground: { document.merge(into: StyledText(text)) != nil }) {
            $0.offerApart(document, original, count, isChanged: true, canBeMerged: $1)
        }
    }

    private func offerApart(
        _ document: RecoveredDocument, _ original: OriginalText, _ count: String, isChanged: Bool, canBeMerged: Bool
    ) {
        guard journalStatus.original === original else { return }
        var answers = [
            Question.Answer(label: Words.showInNewWindow) { [weak self] in
                self?.openWindow(with: document)
            },
            discarding(document),
            .init(label: Words.notNow) {},
        ]
        if canBeMerged {
            answers.insert(
                .init(label: Words.merge) { [weak self] in self?.merge(document, original) }, at: 0)
        }
        let what =
            switch document.state {
            case _ where document.isDraft: Words.keptAsPlainText
            case _ where document.base?.origin != nil: Words.shownApart
            case .missing: Words.cannotBeFound
            case _ where isChanged: Words.wasChangedSince
            default: Words.wasReadAs(document.base?.format.encoding.description ?? Words.anotherEncoding)
            }
        let name = document.base?.subject?.lastComponent.label ?? file.displayName
        offers.show(
            Question(
                text: Words.changesFound(name, session(of: document)) + " " + what + count,
                answers: answers))
    }

    private func session(of document: RecoveredDocument) -> String {
        document.mayBeInUse ? Words.runningSession : Words.thisSession
    }

    /// Returns the answer that discards recovered changes. The answer only renames the journal, so that the user
    /// can still get the changes back.
    private func discarding(_ document: RecoveredDocument) -> Question.Answer {
        .init(label: Words.discard) { [weak self] in
            self?.perform(inBackground: { document.setAside() }) { window, aside in
                window.notify(Words.discarded("\(aside.journalPath)"))
            }
        }
    }

    private func recover(_ document: RecoveredDocument, _ original: OriginalText) {
        join(document, original, notice: Words.changesRestored) { document.changes(to: $0) }
    }

    private func merge(_ document: RecoveredDocument, _ original: OriginalText) {
        join(document, original, notice: Words.changesMerged) {
            document.merge(into: $0)
        }
    }

    /// Applies recovered changes to the document, as one undo step, after the whole file was read. Edits that the
    /// user has made since the file was read are kept. If the changes do not fit the text, or conflict with those
    /// edits, opens the recovered text in a window of its own.
    private func join(
        _ document: RecoveredDocument, _ original: OriginalText, notice: String,
        _ changes: @escaping @Sendable (StyledText) -> TextChangeSet?
    ) {
        whenReadingEnds { [weak self] _ in
            guard let self else { return }
            guard journalStatus.original === original, let text = original.text else {
                return openWindow(with: document)
            }
            perform(
                inBackground: {
                    (claim: document.claim(), changes: changes(StyledText(text)), isLossless: document.isLossless)
                }, holdingKeys: true
            ) { window, found in
                window.writeRichTextNow()
                let store = window.file.store
                // Open a window of its own for a recovered text without a file, unless the document is empty: two texts
                // without a file are unrelated.
                let isOther = document.base?.path == nil && !store.text.isEmpty
                guard window.journalStatus.original === original, !isOther, let changes = found.changes,
                    case let typed = TextChangeSet(from: text, to: store.text),
                    !changes.changeMap.contains(where: { typed.changeMap.overlaps($0.oldRange) })
                else { return window.openWindow(with: document, found.claim) }
                let joined = changes.mapped(over: typed, in: store.styledText, isFirst: false)
                let isWholeText = document.base?.path == nil
                if isWholeText { window.noteForm(of: document, isLossless: found.isLossless) }
                window.takeUp(document, found.claim, notice: notice) {
                    store.apply(Transaction(on: store, joined, origin: .recovery))
                    if isWholeText { window.adoptForm(of: document, isLossless: found.isLossless) }
                }
            }
        }
    }

    /// Opens the recovered text, as a document without a file, in a window of its own; if the text cannot be
    /// reconstructed, only the inserted pieces.
    private func openWindow(with document: RecoveredDocument, _ claim: JournalClaim? = nil) {
        perform(
            inBackground: {
                (claim: claim ?? document.claim(), text: document.textOrPieces, isLossless: document.isLossless)
            }, holdingKeys: true
        ) {
            $0.openWindow(with: document, $1.claim, showing: $1.text, isLossless: $1.isLossless)
        }
    }

    private func openWindow(
        with document: RecoveredDocument, _ claim: JournalClaim?, showing text: Rope, isLossless: Bool
    ) {
        guard claim != nil else { return notifyThatChangesAreRecovered() }
        let count = program.windows.count
        program.openWindow()
        guard program.windows.count > count, let window = program.windows.last else { return }
        // Do not offer the other recovered texts in the new window too: the window in which the user has answered
        // offers them.
        window.journalStatus.original = nil
        let origin = document.base?.subject
        // Record which file the text belongs to, so that after another crash the text is offered with that file.
        window.file.origin = origin
        var base = window.file.journalBase
        base.format = document.base?.format ?? base.format
        if let journal = window.journalStatus.journal { journal.rebase(to: base, keepingAfter: journal.mark()) }
        let notice = origin.map { Words.textOfFileAsTyped($0.label) } ?? Words.textAsTyped
        window.noteForm(of: document, isLossless: isLossless)
        window.takeUp(document, claim, notice: notice) {
            window.file.store.replace(0..<0 as Range<ByteOffset>, with: text, origin: .recovery)
            window.adoptForm(of: document, isLossless: isLossless)
        }
        // The new window may cover this one, which offers the next recovered text: show this one again.
        if offers.offer != nil { self.window.window.activate() }
    }

    /// Records in the journal the format of a recovered text that becomes the whole document, and whether its bytes are
    /// lost. Call before the text is recorded: after a crash the text is then never offered without this.
    private func noteForm(of document: RecoveredDocument, isLossless: Bool) {
        guard let format = document.chosenFormat ?? document.base?.format else { return }
        journalStatus.journal?.noteFormat(format, isLossy: !isLossless)
    }

    /// Sets the format and the line ends of a recovered text that is the whole document now.
    private func adoptForm(of document: RecoveredDocument, isLossless: Bool) {
        if let format = document.chosenFormat ?? document.base?.format {
            file.adopt(format, isLossless: isLossless, readIn: document.base?.format.encoding)
        }
        adoptLineEnds()
    }

    /// Applies recovered changes by calling `edit`, sets the encoding that they include, and removes their journal
    /// once the document's own journal has them. If `claim` is nil, another editor has taken the journal: shows a
    /// message about that instead.
    private func takeUp(
        _ document: RecoveredDocument, _ claim: JournalClaim?, notice: String, _ edit: () -> Void
    ) {
        guard let claim else { return notifyThatChangesAreRecovered() }
        writeRichTextNow()
        if let journal = journalStatus.journal { journal.adopt(document, edit) } else { edit() }
        showRichText()
        if let format = document.chosenFormat {
            file.setEncoding(format.encoding, selection: view.selection)
            noteFormat()
        }
        discard(document, claim)
        notify(notice)
    }

    private func notifyThatChangesAreRecovered() { notify(Words.changesTakenUp, isProblem: true) }

    /// Removes a recovered journal once the edits are on the disk in the document's own journal; tries again every
    /// second. Does not block if the disk is slow or full.
    private func discard(_ document: RecoveredDocument, _ claim: JournalClaim) {
        guard let journal = journalStatus.journal else { return }
        let (isFlushed, poster) = (journal.beginFlush(), display.poster)
        // `again` is called only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) let again = { [weak self, weak journal] in
            _ = self?.display.schedule(afterMilliseconds: 1000) { [weak self] in
                if let self, let journal, journal === journalStatus.journal { discard(document, claim) }
            }
        }
        SmallFile.later {
            guard isFlushed(RecoveryJournal.timeout) else { return poster.post { again() } }
            withExtendedLifetime(claim) { document.discard() }
        }
    }
}

/// A weak reference to a window that other threads may pass on, but not use.
private struct WeakApp {
    weak var app: EditorWindow?
}
