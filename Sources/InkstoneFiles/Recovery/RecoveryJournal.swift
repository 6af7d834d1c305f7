import InkstoneBase
import InkstoneText
import InkstoneWords
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps what is typed on disk, so that it survives kill −9, a crash, a lost display or a failed save.
///
/// Edits are appended to a private file (0600) as they happen, and flushed to the disk at most once a second, by a
/// thread of the journal's own: recording one costs the caller O(1) and no system call but a wake-up. The file is locked
/// while its owner lives, which is how ``RecoveredDocument`` tells the journals of the dead. A clean ``close(within:)`` removes
/// it. The edits of a transaction count together or not at all.
///
/// The file that the edits belong to is known by its content, and what it is about to become is noted before it is: see
/// ``noteSaves(to:format:keepingAfter:)``. Of a file that is not large the journal has a copy, so that the text can be had even when the
/// file is gone.
///
/// If the disk is full, what it lacks is written when there is room again. Until then it takes a bounded part of memory:
/// at first the edits, beyond ``Limits/unwrittenBytes`` only which part of the text they changed.
///
/// A text that is ``TextStore/isConfidential`` has no journal: none is made, and one that there is goes at once.
public final class RecoveryJournal {
    /// The journal's file.
    public let path: FilePath
    /// Whether text that is read is recorded as what is typed is: of an input that nobody can read again. False at first.
    public var recordsLoads: Bool {
        get { follower?.recordsLoads ?? false }
        set { follower?.recordsLoads = newValue }
    }
    /// Whether edits are recorded: false for a confidential text, and after the end.
    public var isRecording: Bool { follower != nil }

    private weak var store: TextStore?
    private let writer: JournalWriter
    private let disk: JournalDisk
    private var later: ((@escaping () -> Void) -> Void)?
    private var follower: JournalFollower?
    private let limits: Limits

    /// What a journal may take.
    public struct Limits: Sendable {
        /// Bytes, about, of edits that are kept in memory because the disk does not take them.
        public var unwrittenBytes: Int
        /// Bytes of a file of which a journal has a copy, at most.
        public var copiedBytes: Int
        /// Bytes of a journal that is never too large. One that has more, and is four times as large as its text with the copy of
        /// the file, is written anew with what its edits come to.
        public var foldedBytes: Int

        /// Limits by their parts.
        public init(unwrittenBytes: Int = 16 << 20, copiedBytes: Int = 4 << 20, foldedBytes: Int = 1 << 20) {
            self.unwrittenBytes = unwrittenBytes
            self.copiedBytes = copiedBytes
            self.foldedBytes = foldedBytes
        }
    }

    /// Starts a journal of a document's edits from now on, in a directory that is made if it is missing (0700) by the journal's thread, as the file is. `baseText` is the text
    /// of the base; if the document has another one by now, the difference is the first edit.
    ///
    /// `onFailure` is called on the journal's thread when writing, or waiting for the disk, fails for the first time; recording goes on,
    /// and is tried again. When all that was missing has been written, `onResumption` is.
    ///
    /// `later` runs a piece of work on the store's thread some moments from now: the journal's thread is woken then, not
    /// while others wait to see an edit. Nil wakes it at once.
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
        // What is on disk is to be right whatever others make of an edit.
        store.addFollower(follower, isFirst: true)
        store.onConfidential = { [weak self] in self?.close() }
        readBase(base)
    }

    /// Has the content of a base read, which is another thread's work, once nobody waits to see something.
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

    /// A place between two edits, for ``rebase(to:keepingAfter:)``.
    public struct Mark: Sendable {
        var edits: Int
    }

    /// The place after the last edit: to be taken together with the snapshot that is saved.
    public func mark() -> Mark {
        let text = store?.styledText ?? StyledText()
        // What is in the journal by now may be gone from it when the mark is used.
        follower?.unwritten = UnwrittenContents(of: text)
        return Mark(edits: writer.mark(text))
    }

    /// Starts anew from a file that was just saved. Edits made after `mark` are kept: they are not in the file.
    /// Marks are to be used in the order in which they were taken.
    public func rebase(to base: JournalBase, keepingAfter mark: Mark) {
        guard isRecording else { return }
        writer.rebase(to: base, keepingFrom: mark.edits)
        readBase(base)
    }

    /// Bytes of the largest copy: a journal that has it can still be read.
    private static let mostCopied = min(RecoveredDocument.largest / 2, JournalFormat.largestCopy)

    /// Gives the function that a save has to call with the content of the new file, on any thread, before that takes the place of the old one: the journal then
    /// fits the file whichever is found after a crash. Returns when the disk of the journal has it, or after a second.
    public func noteSaves(
        to path: FilePath, format: TextFileFormat, keepingAfter mark: Mark
    ) -> @Sendable (FileContents) -> Void {
        { [writer] contents in
            // What journals are found by. The disk is asked here, where the save waits for it anyway.
            let path = path.absolute
            // The identity is that of no file: only the content says what it is.
            let identity = FileIdentity(device: 0, inode: 0, size: contents.size, seconds: 0, nanoseconds: 0)
            writer.announce(
                JournalBase(path: path, identity: identity, format: format), contents, keepingFrom: mark.edits,
                within: 1000)
        }
    }

    /// Notes the format that the text is to be saved in, for as long as the base is the same.
    public func noteFormat(_ format: TextFileFormat) {
        if isRecording { writer.setFormat(format) }
    }

    /// Has a copy made of the base, whose file holds something else by now. Nothing is done if there is one already, if the base is not the
    /// file of that identity, or if it is larger than an eighth of the memory and than 256 MB.
    ///
    /// - Parameters:
    ///   - text: the text that was read of the file.
    ///   - format: the format that it was read in.
    ///   - identity: what the file was then.
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

    /// Has the edits that `body` makes count together or not at all, whatever transactions they are: a kill leaves the text of before or that of after.
    public func together<Result>(_ body: () -> Result) -> Result {
        guard let follower else { return body() }
        follower.isJoining = true
        defer { follower.endJoining() }
        return body()
    }

    /// Makes edits that come from another journal, so that whoever finds both takes them once: all of them, because the other journal is
    /// removed then.
    public func adopt(_ document: RecoveredDocument, _ edit: () -> Void) {
        follower?.replacing = document.name
        edit()
        follower?.replacing = nil
    }

    /// Waits until all edits so far are on the disk, or cannot be, but no longer than that many milliseconds: a disk may hang.
    /// For a display that is lost: the last chance. Returns whether the disk has all of them.
    @discardableResult
    public func flush(within milliseconds: Int = RecoveryJournal.timeout) -> Bool { beginFlush()(milliseconds) }

    /// Asks for all edits so far to be brought to the disk. Returns a function that waits for that on any thread, at most that many
    /// milliseconds, and gives whether the disk has all of them.
    public func beginFlush() -> @Sendable (_ milliseconds: Int) -> Bool {
        let wanted = writer.beginFlush(store?.styledText)
        return { [writer] milliseconds in writer.waitForFlush(wanted, within: milliseconds) }
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

    /// Ends the journal but leaves it for the next start. Waits as ``close(within:)`` does. Returns whether the disk has all edits by then.
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

    /// Where journals are kept unless said otherwise: `inkstone/recovery` under the XDG state directory; for a user
    /// who has no home, in a directory of their own under `/tmp`.
    public static var defaultDirectory: FilePath { JournalDirectory.standard }

    private static func newPath(for base: JournalBase, in directory: FilePath) -> FilePath {
        var name = (base.path?.lastComponent.description ?? "untitled").unicodeScalars[...]
        // Names are at most 255 bytes long, or 143 where they are encrypted (eCryptfs), also with what a journal's may get at its end.
        while name.reduce(0, { $0 + UTF8.width($1) }) > 100 { name = name.dropLast() }
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        return directory.appending(FilePath("\(String(name)).\(random).journal"))
    }
}

/// Why no journal can be kept.
public struct RecoveryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file or directory in question.
    public var path: FilePath
    /// The system call that failed.
    public var step: String
    /// Its `errno`.
    public var code: Int32

    /// One sentence for a person.
    public var description: String {
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        let isFull = code == ENOSPC || code == EDQUOT || code == EFBIG
        let advice = isFull ? localized("Save often, or make room there.") : localized("Save often.")
        return localized("What you type is not protected against a crash: \(step) “\(path.label)”: \(reason).") + " "
            + advice
    }
}

/// Hands the edits of a text to a journal's thread.
private final class JournalFollower: TextStoreFollower {
    private weak var store: TextStore?
    /// So many sections of a transaction are made into edits by the journal's thread, and not while the window waits.
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
    /// The journal that the edits come from which are being made.
    var replacing: FilePath?
    /// Whether edits count only together with the next ones.
    var isJoining = false
    private var isOpen = false
    /// Contents of attachments that are not among the edits since the base, or the last mark.
    var unwritten: UnwrittenContents

    /// Has the edits count that were made since ``isJoining``.
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
    /// The edits that make a change, from the last to the first: each is of the text that the ones before it leave.
    static func edits(of changes: TextChangeSet) -> [JournalEdit] {
        zip(changes.changeMap, 0..<changes.count).map { section, index in
            let range = section.oldByteRange
            return JournalEdit(
                low: range.lowerBound.value, high: range.upperBound.value, inserted: changes.insertedText(index))
        }.reversed()
    }

    /// What a transaction is in a journal: its edits, of which the last one says what became of attributes.
    ///
    /// - Parameter unwritten: contents that the journal does not have.
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
