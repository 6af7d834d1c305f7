import Inkstone
import InkstoneFiles

/// The age of the oldest edit of styled text that is not in the Markdown source yet.
struct WritingDelay: Hashable {
    /// The age, in milliseconds, at which unwritten edits get a journal of their own, so that they are on the disk
    /// within a second.
    static let limit: Int64 = 300

    /// A time, in milliseconds, at or before the oldest edit that is not in the source yet; nil if the source has all
    /// edits.
    private(set) var start: Int64?

    /// Records an edit at a time, in milliseconds.
    mutating func noteEdit(at now: Int64) { start = start ?? now }

    /// Records that the text as it was at a time, in milliseconds, has been written to the source.
    ///
    /// - Parameter isWhole: whether there were no edits since that time.
    mutating func noteWriting(of time: Int64, isWhole: Bool) {
        start = isWhole ? nil : start.map { max($0, time) }
    }

    /// Returns the milliseconds until the oldest edit reaches ``limit``; nil if all edits are written.
    func wait(at now: Int64) -> Int64? { start.map { max(0, $0 + Self.limit - now) } }
}

/// The journal of the styled text itself, used while the Markdown source of a large document lacks the latest edits.
/// The document's own journal records the source.
extension EditorWindow {
    /// Starts the journal of the styled text when its edits have waited too long to be written to the source.
    func watchWritingDelay() {
        guard journalStatus.draft == nil, !journalStatus.isDelayWatched,
            let wait = rich?.delay.wait(at: MonotonicClock.milliseconds)
        else { return }
        journalStatus.isDelayWatched = true
        display.schedule(afterMilliseconds: Int(wait)) { [weak self] in
            guard let self else { return }
            journalStatus.isDelayWatched = false
            guard !isClosed, let wait = rich?.delay.wait(at: MonotonicClock.milliseconds) else { return }
            wait > 0 ? watchWritingDelay() : startDraft()
        }
    }

    /// Starts the journal of the styled text, if the source lacks edits and the document has a journal.
    private func startDraft() {
        guard let rich, rich.isPending, journalStatus.draft == nil, journalStatus.journal?.isRecording == true else {
            return
        }
        journalStatus.draft = RecoveryJournal.draft(
            of: view.store, since: rich.writtenText, origin: file.absolutePath
        ) { [display] work in
            display.performAfterPainting(work)
        }
    }

    /// Writes the styled text to the source before the program ends. A large text gets a journal first, because writing
    /// it may take so long that the program is killed meanwhile.
    func writeLastRichText() {
        if file.store.text.metrics.bytes > 1 << 20 { startDraft() }
        writeRichTextNow()
    }

    /// Shows a message if a save, a close or other work still waits, after a time, for the styled text to be written to
    /// the source.
    func notifyOfWriting(afterMilliseconds milliseconds: Int) {
        guard rich != nil else { return }
        display.schedule(afterMilliseconds: milliseconds) { [weak self] in
            guard let self, !isClosed, !life.whenEdited.isEmpty, rich?.isPending == true else { return }
            let text = Words.writingMarkdown(file.displayName)
            if message?.text != text, message?.isProblem != true { notify(text) }
            // A key may remove the message while the text is still being written: show it again.
            notifyOfWriting(afterMilliseconds: 1000)
        }
    }

    /// Removes the message about writing the styled text when that is done.
    func clearMessageOfWriting() {
        if rich?.isPending != true, message?.text == Words.writingMarkdown(file.displayName) { clearMessage() }
    }

    /// Removes the journal of a closed window's styled text once the document's own journal is on the disk; keeps it if
    /// that fails.
    func end(_ draft: RecoveryJournal, when isFlushed: @escaping @Sendable (_ milliseconds: Int) -> Bool) {
        let poster = display.poster
        // `draft` is used only in the closure passed to `poster.post`, which runs on the display's thread.
        nonisolated(unsafe) let draft = draft
        SmallFile.later {
            let isWhole = isFlushed(RecoveryJournal.timeout)
            poster.post {
                if isWhole { draft.close(within: 0) } else { draft.abandon(within: 0) }
            }
        }
    }

    /// Removes the journal of the styled text if the source has all edits, and once the journal of the source has them
    /// on the disk. Tries again later if the disk is slow or full.
    func endDraftIfWritten() {
        guard let draft = journalStatus.draft, let journal = journalStatus.journal, rich?.isPending != true else {
            return
        }
        let isFlushed = journal.beginFlush()
        perform(inBackground: { isFlushed(RecoveryJournal.timeout) }) { window, isFlushed in
            guard window.journalStatus.draft === draft, window.rich?.isPending != true else { return }
            guard isFlushed else {
                window.display.schedule(afterMilliseconds: 1000) { [weak window] in window?.endDraftIfWritten() }
                return
            }
            window.journalStatus.draft = nil
            draft.close(within: 0)
        }
    }
}
