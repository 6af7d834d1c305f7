import InkstoneBase
import InkstoneText

extension RecoveryJournal {
    /// Starts a draft: a journal of a styled text, whose Markdown source takes long to write. The document's own
    /// journal only records that source. The draft contains the text from before the edits, so that all of the text can
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
        // Use an identity that no file has, so that the text before the edits is taken from the copy in the journal.
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
    /// Whether the journal is a draft: the journal of a styled text whose latest edits were not in the Markdown source
    /// yet. The document's own journal, which lacks these edits, exists beside it.
    package var isDraft: Bool { base.map { $0.path == nil && $0.identity != nil } ?? false }
}
