import InkstoneBase
import InkstoneText
import InkstoneWords
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A journal of a document's edits on disk. The edits thus survive kill −9, a crash, a lost display or a failed save.
///
/// Edits are appended to a private file (mode 0600) as they happen. A thread of the journal's own flushes them to the
/// disk, at most once a second. Recording an edit costs the caller O(1), and no system call but a wake-up. The file is
/// locked while its process runs, so that ``RecoveredDocument`` recognizes the journals of processes that have ended. A
/// clean ``close(within:)`` removes the file. The edits of a transaction are recovered together or not at all.
///
/// The file to which the edits belong is identified by its content. The content of a save is recorded before the
/// file is replaced: see ``noteSaves(to:format:keepingAfter:)``. If the file is not large, the journal contains a
/// copy of it. The text can then be recovered even if the file is gone.
///
/// If the disk is full, the missing edits are written when there is room again. Until then they use a bounded
/// amount of memory. First the edits themselves are kept; beyond ``Limits/unwrittenBytes``, only the changed range
/// of the text is kept.
///
/// A text that is ``TextStore/isConfidential`` has no journal: none is created, and an existing one is removed at
/// once.
public final class RecoveryJournal {
    /// The path of the journal.
    public let path: FilePath
    /// Whether text with the origin ``Origin/load`` is recorded like typed text. Set this for an input that cannot
    /// be read again. False by default.
    public var recordsLoads: Bool {
        get { follower?.recordsLoads ?? false }
        set { follower?.recordsLoads = newValue }
    }
    /// Whether edits are recorded. False for a confidential text, and after the journal has ended.
    public var isRecording: Bool { follower != nil }

    private weak var store: TextStore?
    private let writer: JournalWriter
    private let disk: JournalDisk
    private var later: ((@escaping () -> Void) -> Void)?
    private var follower: JournalFollower?
    private let limits: Limits

    /// The limits of a journal's memory and file.
    public struct Limits: Sendable {
        /// The approximate maximum size, in bytes, of edits that are kept in memory while they cannot be written.
        /// Beyond it, only the changed range of the text is kept.
        public var unwrittenBytes: Int
        /// The maximum size, in bytes, of a file that a journal copies into itself. The text of a larger file cannot be
        /// recovered if the file is gone.
        public var copiedBytes: Int
        /// The size in bytes up to which a journal is never rewritten to collapse its edits. A larger journal is
        /// rewritten when it is more than four times as large as the document's text and the journal's copy of the
        /// document's file together, and more than twice as large as after the last such rewriting.
        public var uncollapsedBytes: Int

        /// Creates limits with the given values, in bytes.
        public init(unwrittenBytes: Int = 16 << 20, copiedBytes: Int = 4 << 20, uncollapsedBytes: Int = 1 << 20) {
            self.unwrittenBytes = unwrittenBytes
            self.copiedBytes = copiedBytes
            self.uncollapsedBytes = uncollapsedBytes
        }
    }

    /// Creates a journal that records a document's edits from now on. The journal's thread creates the file, and the
    /// directory (mode 0700) if it is missing.
    ///
    /// - Parameters:
    ///   - baseText: the text to which the first recorded edit applies. If the document's text already differs from it,
    ///     the difference is recorded as the first edit.
    ///   - later: runs a closure on the store's thread a short time later. This closure wakes the journal's thread,
    ///     so that waking it does not delay showing an edit. If nil, the thread is woken at once.
    ///   - onFailure: called on the journal's thread when writing, or waiting for the disk, fails for the first time;
    ///     on the caller's thread if the journal's thread cannot be started. Recording continues, and writing is
    ///     retried.
    ///   - onResumption: called when everything that was missing has been written.
    public convenience init(
        of store: TextStore, base: JournalBase, baseText: Rope? = nil,
        directory: FilePath = RecoveryJournal.defaultDirectory, limits: Limits = Limits(),
        onFailure: @escaping @Sendable (RecoveryError) -> Void = { _ in },
        onResumption: @escaping @Sendable () -> Void = {}, later: ((@escaping () -> Void) -> Void)? = nil
    ) {
        self.init(
            of: store, base: base, baseText: baseText, directory: directory, limits: limits, disk: JournalDisk(),
            reports: JournalWriter.Reports(failed: onFailure, resumed: onResumption), later: later)
    }

    init(
        of store: TextStore, base: JournalBase, baseText: Rope? = nil, directory: FilePath, limits: Limits = Limits(),
        disk: JournalDisk,
        reports: JournalWriter.Reports = JournalWriter.Reports(failed: { _ in }, resumed: {}),
        later: ((@escaping () -> Void) -> Void)? = nil
    ) {
        (self.store, self.disk, self.later, self.limits) = (store, disk, later, limits)
        path = Self.newPath(for: base, in: directory)
        writer = JournalWriter(path: path, limits: limits, reports: reports, disk: disk)
        guard !store.isConfidential else { return }
        writer.rebase(to: base, keepingFrom: 0)
        if let baseText {
            let edits = JournalEdit.edits(of: TextChangeSet(from: baseText, to: store.text))
            if !edits.isEmpty { writer.append(edits, text: { store.styledText }) }
        }
        writer.start()
        let follower = JournalFollower(store, writer, later)
        self.follower = follower
        // Add the journal as the first follower. It then records an edit before other followers can react to it.
        store.addFollower(follower, isFirst: true)
        store.onConfidential = { [weak self] in self?.close() }
        readBase(base)
    }

    /// Reads the content of the file that a base names, on another thread. If `later`, reading begins after a delay, so
    /// that it does not delay showing an edit.
    private func readBase(_ base: JournalBase) {
        guard let path = base.path, let identity = base.identity else { return }
        let work = { [writer, disk, limits] in
            let thread = try? BackgroundThread.start {
                guard let (contents, found, bytes) = disk.base(path, limits.copiedBytes), found == identity else {
                    return
                }
                writer.setContents(contents, bytes, of: identity)
            }
            if let thread { pthread_detach(thread) }
        }
        if let later { later(work) } else { work() }
    }

    /// A position between two edits, for ``rebase(to:keepingAfter:)``.
    public struct Mark: Sendable {
        var edits: Int
    }

    /// Returns the position after the last edit. Call this when the snapshot of the text that is to be saved is
    /// taken.
    public func mark() -> Mark {
        let text = store?.styledText ?? StyledText()
        // Treat all attachment contents as unwritten: after a save, the journal may keep only what follows this mark,
        // and contents that are in the journal now may then be gone from it.
        follower?.unwritten = UnwrittenContents(of: text)
        return Mark(edits: writer.mark(text))
    }

    /// Makes a file that was just saved the new base, to which later edits apply. Keeps the edits made after `mark`,
    /// because they are not in the file. Use marks in the order in which they were made. Does nothing unless the
    /// journal is recording.
    public func rebase(to base: JournalBase, keepingAfter mark: Mark) {
        guard isRecording else { return }
        writer.rebase(to: base, keepingFrom: mark.edits)
        readBase(base)
    }

    /// The maximum size of a copy of a file, in bytes. A journal with a larger copy could not be read.
    private static let mostCopied = min(RecoveredDocument.largest / 2, JournalFormat.largestCopy)

    /// Returns a function for a save to call, on any thread, with the new content, before the new file replaces the
    /// old one. The function records that content. So after a crash the journal fits either file. The function
    /// returns when the record is on the disk, when writing it has failed, or after a second.
    public func noteSaves(
        to path: FilePath, format: TextFileFormat, keepingAfter mark: Mark
    ) -> @Sendable (FileContents) -> Void {
        { [writer] contents in
            // Resolve the absolute path, by which journals are found. That accesses the disk, but the save waits for
            // the disk anyway.
            let path = path.absolute
            // No file has this identity yet, so the new file is identified by its content alone.
            let identity = FileIdentity(device: 0, inode: 0, size: contents.size, seconds: 0, nanoseconds: 0)
            writer.announce(
                JournalBase(path: path, identity: identity, format: format), contents, keepingFrom: mark.edits,
                within: 1000)
        }
    }

    /// Records the format in which the text is to be saved, until the base changes.
    ///
    /// - Parameter isLossy: whether the text does not encode to the bytes that it was read from, and the base has no
    ///   file with these bytes.
    public func noteFormat(_ format: TextFileFormat, isLossy: Bool = false) {
        if isRecording { writer.setFormat(JournaledFormat(format: format, isLossy: isLossy)) }
    }

    /// Copies the document's file, as last read or saved, into the journal. The copy is made from the text of that
    /// file, because the file on disk has other content by now. Does nothing if the journal has a copy already, or if
    /// the file last read or saved does not have that identity. Also does nothing if the file is too large. The limit
    /// is 256 MB, or an eighth of the memory if that is more, but at most 4 GB.
    ///
    /// - Parameters:
    ///   - text: the text that was read from the file.
    ///   - format: the format in which it was read.
    ///   - identity: the identity of the file when it was read.
    public func keepCopy(of text: Rope, _ format: TextFileFormat, read identity: FileIdentity) {
        guard isRecording else { return }
        let thread = try? BackgroundThread.start { [writer] in
            var bytes: [UInt8] = []
            let isWhole: Void? = try? TextFile.encode(text, format, "", keeping: nil) { bytes += $0 }
            guard isWhole != nil, bytes.count <= Self.mostCopied else { return }
            writer.setContents(FileContents(bytes), bytes, of: identity, isUrgent: true)
        }
        if let thread { pthread_detach(thread) }
    }

    /// Runs `body`. After a kill, either all edits of `body` are recovered or none of them, even if they are
    /// several transactions.
    public func together<Result>(_ body: () -> Result) -> Result {
        guard let follower else { return body() }
        follower.isJoining = true
        defer { follower.endJoining() }
        return body()
    }

    /// Runs `edit`, which must make all edits that the journal of `document` has. If both journals are found after
    /// a crash, the edits are recovered only once: the journal of `document` is then removed.
    public func adopt(_ document: RecoveredDocument, _ edit: () -> Void) {
        follower?.replacing = document.name
        edit()
        follower?.replacing = nil
    }

    /// Waits until all edits so far are on the disk, or writing has failed. Waits at most `milliseconds`, because a
    /// disk may hang. Used when the display is lost. Returns whether all edits are on the disk.
    @discardableResult
    public func flush(within milliseconds: Int = RecoveryJournal.timeout) -> Bool { beginFlush()(milliseconds) }

    /// Requests that all edits so far are written to the disk. Returns a function that waits for this, on any
    /// thread, at most `milliseconds`. That function returns whether all of those edits are on the disk.
    public func beginFlush() -> @Sendable (_ milliseconds: Int) -> Bool {
        let wanted = writer.beginFlush(store?.styledText)
        return { [writer] milliseconds in writer.waitForFlush(wanted, within: milliseconds) }
    }

    /// The default maximum wait for a disk, in milliseconds.
    public static let timeout = 2000

    /// Whether the journal's file is being synced to the disk on another thread.
    var isSyncing: Bool { writer.isSyncing }

    /// The approximate size of the edits held in memory, in bytes.
    var heldBytes: Int { writer.heldBytes }

    /// The number of ranges of transactions that the file remembers as collapsed together, at most 16; for tests.
    var knownPlaces: Int { writer.knownPlaces }

    /// Ends the journal and removes it. Call when everything is saved or deliberately discarded. Waits for the disk
    /// at most `milliseconds`. If that is not enough, the journal's thread removes the file later.
    public func close(within milliseconds: Int = RecoveryJournal.timeout) {
        end(discarding: true, within: milliseconds)
    }

    /// Ends the journal, but keeps its file for the next start. Waits as ``close(within:)`` does. Returns whether
    /// all edits were on the disk when the call returned.
    @discardableResult
    public func abandon(within milliseconds: Int = RecoveryJournal.timeout) -> Bool {
        end(discarding: false, within: milliseconds)
    }

    @discardableResult
    private func end(discarding: Bool, within milliseconds: Int) -> Bool {
        if let follower { store?.removeFollower(follower) }
        follower = nil
        return writer.stop(discarding: discarding, within: milliseconds)
    }

    deinit { writer.stop(discarding: false, within: Self.timeout) }

    /// The default directory of journals: `inkstone/recovery` under the XDG state directory. For a user without a
    /// home, a private directory under `/tmp`.
    public static var defaultDirectory: FilePath { JournalDirectory.standard }

    private static func newPath(for base: JournalBase, in directory: FilePath) -> FilePath {
        var name = (base.path?.lastComponent.description ?? "untitled").unicodeScalars[...]
        // Limit the name to 100 bytes, because the suffixes that a journal may get are added to it. A file name has
        // at most 255 bytes, or 143 in an encrypted directory (eCryptfs).
        while name.reduce(0, { $0 + UTF8.width($1) }) > 100 { name = name.dropLast() }
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        return directory.appending(FilePath("\(String(name)).\(random).journal"))
    }
}

/// The error that a journal cannot be kept: the system call that failed, with its path.
public struct RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or directory for which the system call failed.
    public var path: FilePath
    /// The system call that failed.
    public var step: String
    /// The `errno` of the failed call.
    public var code: Int32

    /// The error as a sentence for the user.
    public var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
        let advice = isFull ? localized("Save often, or make room there.") : localized("Save often.")
        return localized("What you type is not protected against a crash: \(step) “\(path.label)”: \(reason).") + " "
            + advice
    }
}

/// A follower of a store that passes the text's edits to a journal's thread.
private final class JournalFollower: TextStoreFollower {
    private weak var store: TextStore?
    /// The smallest number of sections with which a transaction is converted to edits by the journal's thread. The
    /// window must not wait for that.
    private static let manySections = 1000
    private let writer: JournalWriter
    private let later: ((@escaping () -> Void) -> Void)?

    init(_ store: TextStore, _ writer: JournalWriter, _ later: ((@escaping () -> Void) -> Void)?) {
        self.store = store
        self.writer = writer
        self.later = later
        unwritten = UnwrittenContents(of: store.styledText)
    }

    var recordsLoads = false
    /// The name of the journal from which the present edits come; nil for none.
    var replacing: FilePath?
    /// Whether the edits made now are recovered only together with the next ones.
    var isJoining = false
    private var isOpen = false
    /// The attachment contents of the text that the journal has not written since it began or since the last mark.
    var unwritten: UnwrittenContents

    /// Ends joining. The edits made since ``isJoining`` was set can be recovered from now on.
    func endJoining() {
        isJoining = false
        guard isOpen, let store else { return }
        isOpen = false
        let last = JournalEdit(low: 0, high: 0, inserted: Rope())
        if writer.append([last], isWaking: later == nil, text: { store.styledText }), let later {
            later { [writer] in writer.wake() }
        }
    }

    func storeDidApply(_ applied: AppliedTransaction) {
        guard recordsLoads || !applied.origin.isWithin(.load), store?.isConfidential == false else {
            unwritten.insert(applied.changes)
            return
        }
        let needsWake: Bool
        if applied.changes.count >= Self.manySections, applied.changes.journaledRuns().isEmpty {
            isOpen = isJoining
            needsWake = writer.append(
                applied.changes, isWaking: later == nil, isOpen: isOpen, replacing: replacing,
                text: { applied.styledText })
        } else {
            let entries = JournalEdit.entries(of: applied, writing: unwritten)
            if let styles = entries.last?.styles { unwritten.remove(writtenBy: styles, of: applied.styledText) }
            guard !entries.isEmpty else { return }
            isOpen = isJoining
            needsWake = writer.append(
                entries, isWaking: later == nil, isOpen: isOpen, replacing: replacing, text: { applied.styledText })
        }
        if needsWake, let later { later { [writer] in writer.wake() } }
    }
}

extension JournalEdit {
    /// Returns the edits that together make a change, from its last section to its first. Each applies to the text
    /// that the edits before it have left.
    static func edits(of changes: TextChangeSet) -> [JournalEdit] {
        zip(changes.changeMap, 0..<changes.count).map { section, index in
            let range = section.oldByteRange
            return JournalEdit(
                low: range.lowerBound.value, high: range.upperBound.value, inserted: changes.insertedText(index))
        }.reversed()
    }

    /// Returns the edits of a transaction. The last one contains the changes of attributes.
    ///
    /// - Parameter unwritten: attachment contents that the journal does not have.
    static func entries(
        of applied: AppliedTransaction, writing unwritten: UnwrittenContents = UnwrittenContents()
    ) -> [JournalEdit] {
        var entries = edits(of: applied.changes)
        let styles = applied.changes.journaledRuns(writing: unwritten)
        guard let first = styles.first, let last = styles.last else { return entries }
        if entries.isEmpty { entries = [JournalEdit(low: 0, high: 0, inserted: Rope())] }
        let bytes = applied.text.byteRange(of: first.start..<last.start + last.runs.length)
        entries[entries.count - 1].styles = styles
        entries[entries.count - 1].restyled = bytes.lowerBound.value..<bytes.upperBound.value
        return entries
    }
}
