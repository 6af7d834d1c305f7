import InkstoneBase
import InkstoneText
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps what is typed on disk, so that it survives kill −9, a crash, a lost display or a failed save.
///
/// Edits are appended to a private file (0600) as they happen, and flushed to the disk at most once a second, by a
/// thread of the journal's own: recording one costs the caller O(1) and no system call but a wake-up. The file is locked
/// while its owner lives, which is how ``RecoveredDocument`` tells the journals of the dead. A clean ``close(within:)`` removes
/// it.
///
/// If the disk is full, what it lacks is written when there is room again. Until then it takes a bounded part of memory:
/// at first the edits, beyond ``Limits/unwrittenBytes`` only which part of the text they changed.
///
/// A text that is ``TextStore/isConfidential`` has no journal: none is made, and one that there is goes at once.
public final class RecoveryJournal {
    /// The journal's file.
    public let path: String
    /// Whether edits are recorded: false for a confidential text, and after the end.
    public var isRecording: Bool { follower != nil }

    private weak var store: TextStore?
    private let writer: JournalWriter
    private var follower: JournalFollower?

    /// What a journal may take.
    public struct Limits: Sendable {
        /// Bytes, about, of edits that are kept in memory because the disk does not take them.
        public var unwrittenBytes: Int

        /// Limits by their parts.
        public init(unwrittenBytes: Int = 16 << 20) { self.unwrittenBytes = unwrittenBytes }
    }

    /// Starts a journal of a document's edits from now on, in a directory that is made if it is missing (0700).
    ///
    /// `onFailure` is called on the journal's thread when writing fails for the first time; recording goes on. When all
    /// that was missing has been written, `onResumption` is.
    ///
    /// `later` runs a piece of work on the store's thread some moments from now: the journal's thread is woken then, not
    /// while others wait to see an edit. Nil wakes it at once.
    public convenience init(
        of store: TextStore, base: JournalBase, directory: String = RecoveryJournal.defaultDirectory,
        limits: Limits = Limits(), onFailure: @escaping @Sendable (RecoveryError) -> Void = { _ in },
        onResumption: @escaping @Sendable () -> Void = {}, later: ((@escaping () -> Void) -> Void)? = nil
    ) throws(RecoveryError) {
        try self.init(
            of: store, base: base, directory: directory, limits: limits, disk: JournalDisk(),
            reports: JournalWriter.Reports(failed: onFailure, resumed: onResumption), later: later)
    }

    init(
        of store: TextStore, base: JournalBase, directory: String, limits: Limits = Limits(), disk: JournalDisk,
        reports: JournalWriter.Reports = JournalWriter.Reports(failed: { _ in }, resumed: {}),
        later: ((@escaping () -> Void) -> Void)? = nil
    ) throws(RecoveryError) {
        self.store = store
        guard !store.isConfidential else {
            path = Self.newPath(for: base, in: directory)
            writer = JournalWriter(path: path, descriptor: -1, limit: limits.unwrittenBytes, reports: reports)
            return
        }
        try Self.makeDirectory(directory)
        let descriptor: Int32
        (path, descriptor) = try Self.create(for: base, in: directory)
        writer = JournalWriter(
            path: path, descriptor: descriptor, limit: limits.unwrittenBytes, reports: reports, disk: disk)
        writer.rebase(to: base, keepingFrom: 0)
        writer.start()
        let follower = JournalFollower(store, writer, later)
        self.follower = follower
        // What is on disk is to be right whatever others make of an edit.
        store.addFollower(follower, isFirst: true)
        store.onConfidential = { [weak self] in self?.close() }
    }

    /// A place between two edits, for ``rebase(to:keepingAfter:)``.
    public struct Mark: Sendable {
        var edits: Int
    }

    /// The place after the last edit: to be taken together with the snapshot that is saved.
    public func mark() -> Mark { Mark(edits: writer.mark(store?.styledText ?? StyledText())) }

    /// Starts anew from a file that was just saved. Edits made after `mark` are kept: they are not in the file.
    /// Marks are to be used in the order in which they were taken.
    public func rebase(to base: JournalBase, keepingAfter mark: Mark) {
        guard isRecording else { return }
        writer.rebase(to: base, keepingFrom: mark.edits)
    }

    /// Waits until all edits so far are on the disk, or cannot be, but no longer than that many milliseconds: a disk may hang.
    /// For a display that is lost: the last chance. Returns whether the disk was done with them in time.
    @discardableResult
    public func flush(within milliseconds: Int = RecoveryJournal.timeout) -> Bool {
        writer.flush(store?.styledText, within: milliseconds)
    }

    /// Milliseconds that anything here waits for a disk, unless said otherwise.
    public static let timeout = 2000

    /// Whether the disk is at work on what was written before.
    var isSyncing: Bool { writer.isSyncing }

    /// Bytes, about, of edits that are held in memory.
    var heldBytes: Int { writer.heldBytes }

    /// How many places in its file it remembers.
    var knownPlaces: Int { writer.knownPlaces }

    /// Ends the journal and removes it: everything is saved, or thrown away on purpose. Waits for its disk no longer than
    /// that many milliseconds; what is left to do then is done when the disk allows.
    public func close(within milliseconds: Int = RecoveryJournal.timeout) {
        end(discarding: true, within: milliseconds)
    }

    /// Ends the journal but leaves it for the next start. Waits as ``close(within:)`` does.
    public func abandon(within milliseconds: Int = RecoveryJournal.timeout) {
        end(discarding: false, within: milliseconds)
    }

    private func end(discarding: Bool, within milliseconds: Int) {
        if let follower { store?.removeFollower(follower) }
        follower = nil
        writer.stop(discarding: discarding, within: milliseconds)
    }

    deinit { writer.stop(discarding: false, within: Self.timeout) }

    /// Where journals are kept unless said otherwise: `inkstone/recovery` under the XDG state directory; for a user
    /// who has no home, in a directory of their own under `/tmp`.
    public static var defaultDirectory: String {
        UserDirectory.state.file("recovery") ?? "/tmp/inkstone-\(geteuid())/recovery"
    }

    private static func newPath(for base: JournalBase, in directory: String) -> String {
        var name = base.path.flatMap { $0.split(separator: "/").last } ?? "untitled"
        // Names are at most 255 bytes long.
        while name.utf8.count > 200 { name = name.dropLast() }
        return "\(directory)/\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).journal"
    }

    /// A new file, locked.
    private static func create(
        for base: JournalBase, in directory: String
    ) throws(RecoveryError) -> (path: String, descriptor: Int32) {
        for _ in 0..<100 {
            let path = newPath(for: base, in: directory)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw RecoveryError(path: path, step: "open", code: errno) }
            // Before it was locked, another process may have taken it for one that a dead owner left.
            var status = stat()
            let isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            if isOurs, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (path, descriptor) }
            FileLock.close(descriptor)
            unlink(path)
        }
        throw RecoveryError(path: directory, step: "open", code: EEXIST)
    }

    private static func makeDirectory(_ path: String) throws(RecoveryError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            if mkdir(partial, 0o700) != 0, errno != EEXIST {
                throw RecoveryError(path: partial, step: "mkdir", code: errno)
            }
        }
    }
}

/// Why no journal can be kept.
public struct RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or directory in question.
    public var path: String
    /// The system call that failed.
    public var step: String
    /// Its `errno`.
    public var code: Int32

    /// One sentence for a person.
    public var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return
            "What you type is not protected against a crash: \(step) \(path): \(reason). Save often, or make room there."
    }
}

/// Hands the edits of a text to a journal's thread.
private final class JournalFollower: TextStoreFollower {
    private weak var store: TextStore?
    private let writer: JournalWriter
    private let later: ((@escaping () -> Void) -> Void)?

    init(_ store: TextStore, _ writer: JournalWriter, _ later: ((@escaping () -> Void) -> Void)?) {
        self.store = store
        self.writer = writer
        self.later = later
    }

    func storeDidApply(_ applied: AppliedTransaction) {
        guard applied.origin != .load, store?.isConfidential == false else { return }
        let edits = applied.edits
        // The text after each edit; only the last one's is at hand.
        var texts = PartialTexts(applied, edits)
        var needsWake = false
        for (i, entry) in JournalEdit.entries(of: applied, edits).enumerated() {
            if writer.append(entry, isWaking: later == nil, text: { texts.text(after: i) }) { needsWake = true }
        }
        if needsWake, let later { later { [writer] in writer.wake() } }
    }
}

extension JournalEdit {
    /// What a transaction is in a journal: its edits, of which the last one says what became of attributes.
    static func entries(of applied: AppliedTransaction, _ edits: [TextEdit]) -> [JournalEdit] {
        var entries = edits.map { edit in
            JournalEdit(low: edit.range.lowerBound.value, high: edit.range.upperBound.value, inserted: edit.inserted)
        }
        let styles = applied.changes.journaledRuns
        guard let first = styles.first, let last = styles.last else { return entries }
        if entries.isEmpty { entries = [JournalEdit(low: 0, high: 0, inserted: Rope())] }
        let bytes = applied.text.byteRange(of: first.start..<last.start + last.runs.length)
        entries[entries.count - 1].styles = styles
        entries[entries.count - 1].restyled = bytes.lowerBound.value..<bytes.upperBound.value
        return entries
    }
}

/// The texts between the edits of a transaction, in order. Made when they are asked for, which is seldom.
private struct PartialTexts {
    private let applied: AppliedTransaction
    private let edits: [TextEdit]
    private var made: (text: Rope, count: Int)?

    init(_ applied: AppliedTransaction, _ edits: [TextEdit]) {
        self.applied = applied
        self.edits = edits
    }

    /// Attributes are only known of the last.
    mutating func text(after index: Int) -> StyledText {
        if index >= edits.count - 1 { return applied.styledText }
        var (text, count) = made ?? (applied.textBefore, 0)
        while count <= index {
            text.replace(edits[count].range, with: edits[count].inserted)
            count += 1
        }
        made = (text, count)
        return StyledText(text)
    }
}
