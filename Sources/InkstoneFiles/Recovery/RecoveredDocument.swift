import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

/// A document that was edited by a process that did not end cleanly, as its journal tells.
public struct RecoveredDocument: Sendable {
    /// Whether the journal can be used.
    public enum State: Hashable, Sendable {
        /// All of it is readable, and its file is what it was.
        case intact
        /// Its end is cut or damaged: what comes before can be had back.
        case truncated
        /// The file was written by another program since: the edits do not fit it.
        case stale
        /// Nothing in it can be read.
        case corrupt
    }

    /// The journal.
    public private(set) var journalPath: String
    /// What the edits start from; nil if it is corrupt.
    public let base: JournalBase?
    /// Whether it can be used.
    public let state: State
    /// Number of edits in it.
    public var editCount: Int { edits.count }
    /// When the last of them was written, in seconds since 1970.
    public let time: Int

    private let edits: [JournalEdit]

    /// What to say about it.
    public var description: String {
        let name = base.map { $0.path.map { "“\($0)”" } ?? "a text without a name" } ?? "a document"
        return switch state {
        case .intact: "There are unsaved changes to \(name) from a session that did not end cleanly."
        case .truncated:
            "There are unsaved changes to \(name) from a session that did not end cleanly; the last ones are lost."
        case .stale:
            "Unsaved changes to \(name) do not fit: the file was changed since they were made. They are kept in \(journalPath)."
        case .corrupt: "A journal of unsaved changes cannot be read, and was ignored. It is kept as \(journalPath)."
        }
    }

    /// The documents that can be had back, or about which a word is due: journals whose process is gone, newest first.
    ///
    /// With a path, only those of that file, which is to be absolute, and corrupt ones, which may be anybody's; without,
    /// all. Journals without edits are removed, and those that were set aside too long ago. Set those ``setAside()`` that
    /// cannot be used, once that was said.
    public static func all(
        of path: String? = nil, directory: String = RecoveryJournal.defaultDirectory
    ) -> [RecoveredDocument] {
        guard let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        IgnoredJournals.prune(in: directory)
        var found: [RecoveredDocument] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".journal.new") { removeUnfinished("\(directory)/\(name)") }
            guard name.hasSuffix(".journal") else { continue }
            let descriptor = open("\(directory)/\(name)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            defer { FileLock.close(descriptor) }
            guard let document = read("\(directory)/\(name)", from: descriptor) else { continue }
            if path == nil || document.base?.path == path || document.state == .corrupt { found.append(document) }
        }
        return found.sorted { $0.time > $1.time }
    }

    /// Removes what a process left that was killed while it began a journal anew.
    private static func removeUnfinished(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { FileLock.close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
    }

    /// Reads a journal that has been opened; nil if its owner lives, it is gone, or has no edits, for which it is removed.
    static func read(_ path: String, from descriptor: Int32) -> RecoveredDocument? {
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return nil }
        var status = stat()
        var standing = stat()
        // An owner that begins anew puts another file there, and leaves this one without a lock.
        guard fstat(descriptor, &status) == 0, lstat(path, &standing) == 0, status.st_ino == standing.st_ino,
            status.st_dev == standing.st_dev
        else { return nil }
        // What others could have written is not to be trusted.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let filled = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor).count }
        let time = status.st_mtim.tv_sec
        guard let (base, edits, isWhole) = JournalFormat.decode(Array(bytes.prefix(filled))) else {
            guard filled == 0 else {
                return RecoveredDocument(journalPath: path, base: nil, state: .corrupt, time: time, edits: [])
            }
            // Its process was killed as it began.
            unlink(path)
            return nil
        }
        let now = base.path.flatMap { FileIdentity(path: $0) }
        let state: State = now != base.identity ? .stale : isWhole ? .intact : .truncated
        if edits.isEmpty, state == .intact {
            // While the lock is held: who has just made it looks whether it is there still once the lock is theirs.
            unlink(path)
            return nil
        }
        return RecoveredDocument(journalPath: path, base: base, state: state, time: time, edits: edits)
    }

    private init(journalPath: String, base: JournalBase?, state: State, time: Int, edits: [JournalEdit]) {
        self.journalPath = journalPath
        self.base = base
        self.state = state
        self.time = time
        self.edits = edits
    }

    /// Makes the edits again on a document that holds the base's text, from byte `start` on, as one step of undo. Returns
    /// how many could be made: fewer than ``editCount`` if they do not fit, which is where it stops.
    ///
    /// Start the new journal of the document first, so that it has these edits too, and ``RecoveryJournal/flush(within:)`` it
    /// before you ``discard()`` this one.
    @discardableResult
    public func apply(to store: TextStore, from start: ByteOffset = 0) -> Int {
        let (changes, count) = changes(to: store.styledText, from: start)
        if let changes { store.apply(Transaction(on: store, changes, origin: .recovery)) }
        return count
    }

    /// What the edits come to on the base's text, from byte `start` of `text` on, as one change: nil of none. And how many could be made,
    /// as ``apply(to:from:)`` tells.
    public func changes(to text: StyledText, from start: ByteOffset = 0) -> (changes: TextChangeSet?, count: Int) {
        var text = text
        let shift = text.rope.utf16Offset(at: start).value
        var changes: [TextChangeSet] = []
        var count = 0
        for edit in edits {
            guard start + edit.high <= text.rope.byteRange.upperBound else { break }
            changes += text.replay(
                (start + edit.low)..<(start + edit.high), with: edit.inserted,
                runs: edit.styles.map { ($0.start + shift, $0.runs) })
            count += 1
        }
        return (TextChangeSet.composing(changes), count)
    }

    /// Keeps the journal under another name, where ``all(of:directory:)`` does not find it again: nobody is to be told of
    /// it twice. Returns the document with its new place. The last 20 are kept there, for 30 days.
    public func setAside() -> RecoveredDocument {
        var document = self
        let aside = journalPath + IgnoredJournals.suffix
        if rename(journalPath, aside) == 0 { document.journalPath = aside }
        return document
    }

    /// Removes the journal.
    public func discard() { unlink(journalPath) }
}
