import InkstoneBase
import InkstoneText

extension RecoveryJournal {
    /// Starts a journal of a text of which the document's own journal gets another form later: styled text, whose
    /// Markdown takes long to write. It contains the text as it was before the edits, so that all of the text can
    /// be recovered, as a document apart from the file.
    ///
    /// - Parameters:
    ///   - text: the text before the edits that the document's own journal does not have.
    ///   - origin: the document's file.
    ///   - later: as for ``init(of:base:baseText:directory:limits:onFailure:onResumption:later:)``.
    package static func draft(
        of store: TextStore, since text: Rope, origin: FilePath?,
        directory: FilePath = RecoveryJournal.defaultDirectory, later: ((@escaping () -> Void) -> Void)? = nil
    ) -> RecoveryJournal {
        // No file has this identity: only the copy in the journal gives the text before the edits.
        let identity = FileIdentity(
            device: 0, inode: 0, size: text.metrics.bytes, seconds: 0, nanoseconds: 0)
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: identity, origin: origin), baseText: text,
            directory: directory, later: later)
        journal.recordsLoads = true
        journal.keepCopy(of: text, .utf8, read: identity)
        return journal
    }
}

extension RecoveredDocument {
    /// Whether this is a text whose other form, such as Markdown, had not been written yet. Such a journal is made
    /// beside that of the document, and has the latest edits of it.
    package var isDraft: Bool { base.map { $0.path == nil && $0.identity != nil } ?? false }
}
