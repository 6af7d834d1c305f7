import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

/// The document of a process that did not end cleanly, as recorded in its journal.
public struct RecoveredDocument: Sendable {
    /// The state of a journal and of the file that it is about. It decides whether the journal can be used.
    public enum State: Hashable, Sendable {
        /// The whole journal is readable. The file that it is about is unchanged.
        case intact
        /// The end of the journal is cut off or damaged. The edits before it can be recovered.
        case truncated
        /// The file has other content than that to which the edits apply.
        case changed
        /// The file does not exist, or may not be read.
        case missing
        /// The journal is unreadable.
        case corrupt
        /// The journal is too large for the memory of this machine.
        case tooLarge
        /// A running process writes the journal.
        case inUse
        /// The disk with the file that the journal is about does not respond.
        case unreachable
    }

    /// The path of the journal.
    public private(set) var journalPath: FilePath
    /// The text or file to which the edits apply; nil if the journal is corrupt.
    public let base: JournalBase?
    /// The state of the journal, and of the file that it is about.
    public private(set) var state: State
    /// The number of edits to recover; 0 if only the start of the journal was read.
    public var editCount: Int { edits.count }
    /// The number of changes in the journal. Each step of typing, pasting or replacing counts once. If only the
    /// start of the journal was read, only the changes in that part count.
    public let changeCount: Int
    /// The time of the last edit, in seconds since 1970.
    public let time: Int
    /// Whether the end of the journal is cut off or damaged. False if only the start was read.
    public let isCut: Bool
    /// The process that writes or wrote the journal; nil if unknown.
    public let process: Int?
    /// Whether the process may still run. Also true if that cannot be found out: because the disk has no locks,
    /// because the journal was written on another machine, or because it is corrupt. ``discard()`` then only sets
    /// the journal aside. If the process does run, it writes the journal again.
    public let mayBeInUse: Bool
    /// The identity that the file had when its content was compared with that of ``base``. Nil if the contents differ,
    /// if the file does not exist, or if nothing was compared. If the file is read later, check that it still has this
    /// identity. Otherwise its text may differ, and the edits do not apply to it.
    public let file: FileIdentity?

    /// The format that the user had chosen for the next save. Nil if it is the format of ``base``.
    public var chosenFormat: TextFileFormat? { format == base?.format ? nil : format }

    private let format: TextFileFormat?
    private let edits: [JournalEdit]
    /// Whether the file has the content to which the edits apply.
    private let fits: Bool
    /// The bytes of the file before the edits; nil if unknown.
    private let baseBytes: [UInt8]?
    /// The format in which to read ``baseBytes``. A later save may have used another format.
    private let baseFormat: TextFileFormat
    /// Whether the journal records that the text does not encode to the bytes that it was read from, which are lost.
    private let isLossy: Bool

    /// The journal's file name without the suffix that a journal gets when it is set aside.
    var name: FilePath { journalPath.lastComponent.dropping(suffix: IgnoredJournals.suffix) }

    /// The number of characters (Unicode scalars) that the edits insert.
    public var typedCount: Int { edits.reduce(0) { $0 + $1.inserted.metrics.scalars } }

    /// A localized description of the journal and its state, for the user.
    public var description: String {
        let name = base.map { $0.subject.map { "“\($0.label)”" } ?? "a text without a name" } ?? "a document"
        return switch state {
        case .intact: "There are unsaved changes to \(name) from a session that did not end cleanly."
        case .truncated:
            "There are unsaved changes to \(name) from a session that did not end cleanly; the last ones are lost."
        case .changed: "There are unsaved changes to \(name), which was changed since they were made."
        case .missing: "There are unsaved changes to \(name), which cannot be found at the moment."
        case .corrupt: "A journal of unsaved changes cannot be read. It is kept as \(journalPath)."
        case .tooLarge: "A journal of unsaved changes to \(name) is too large to be read. It is kept as \(journalPath)."
        case .unreachable: "There are unsaved changes to \(name), whose disk does not answer."
        case .inUse: "Another Inkstone\(process.map { " (process \($0))" } ?? "") edits \(name)."
        }
    }

    /// Returns the documents to offer for recovery, or to report. They are those of journals whose process has
    /// ended, the newest first.
    ///
    /// Removes journals without edits, journals whose edits are also in another journal, and journals that the user
    /// declined long ago. Reads all journals, and the files of the journals found. So do not call this on a thread
    /// that must not block.
    ///
    /// - Parameters:
    ///   - path: an absolute path. Returns only the journals of that file, and corrupt journals, which may belong
    ///     to any file. Nil for all journals.
    ///   - includingInUse: whether journals of running processes are returned too, except the journal at `own`.
    public static func all(
        of path: FilePath? = nil, directory: FilePath = RecoveryJournal.defaultDirectory, includingInUse: Bool = false,
        except own: FilePath? = nil
    ) -> [RecoveredDocument] {
        guard let path else { return found(in: directory, includingInUse, except: own) { _ in true } }
        let file = SoughtFile(path)
        return found(in: directory, includingInUse, except: own, follow: file.follow, where: file.isNamed)
    }

    /// Returns the journals for which `isWanted` returns true, given the file to which their edits apply; the newest
    /// first. Does not access the files that other journals are about, because their disks may hang. Also removes
    /// journals that were set aside long ago, unfinished ones of killed processes, and those whose edits are also in
    /// another journal.
    private static func found(
        in directory: FilePath, _ includingInUse: Bool, except own: FilePath?,
        follow: (inout JournalContent) -> Void = { _ in }, where isWanted: (JournalBase) -> Bool
    ) -> [RecoveredDocument] {
        IgnoredJournals.prune(in: directory)
        var found: [RecoveredDocument] = []
        var replaced: Set<FilePath> = []
        for name in JournalDirectory.names(in: directory) {
            let journal = directory.appending(name)
            if name.hasSuffix(".journal.new") { removeUnfinished(journal) }
            guard name.hasSuffix(".journal"), journal != own else { continue }
            let document = read(journal) { content in
                replaced.formUnion(content.replaced)
                follow(&content)
                return content.bases.contains { isWanted($0.base) }
            }
            if let document { found.append(document) }
        }
        return found.filter { document in
            guard document.state != .inUse else { return includingInUse && document.base.map(isWanted) ?? false }
            guard !replaced.contains(document.name) else {
                // Remove this journal, whose edits are also in another one: the process was killed before it could
                // remove this one.
                document.discard()
                return false
            }
            return document.base.map(isWanted) ?? true
        }.sorted { $0.time > $1.time }
    }

    /// Returns all journals, or those of a file, the newest first. Includes journals in use, and those that were
    /// set aside. Removes nothing.
    ///
    /// If disks hang, blocks for at most `milliseconds`. A journal whose file is in a directory that does not respond
    /// is ``State/unreachable``. The files of each directory are checked on a separate thread.
    public static func listed(
        of path: FilePath? = nil, in directory: FilePath = RecoveryJournal.defaultDirectory,
        within milliseconds: Int = 3000
    ) -> [RecoveredDocument] {
        listed(of: path, in: directory, within: milliseconds) { journal in
            journal.withDescriptor { read(journal.path, from: $0, removingEmpty: false, readingInUse: true) }
        }
    }

    static func listed(
        of path: FilePath?, in directory: FilePath, within milliseconds: Int,
        read: @escaping @Sendable (ListedJournal) -> RecoveredDocument?
    ) -> [RecoveredDocument] {
        let suffixes = ["", IgnoredJournals.suffix, IgnoredJournals.unreadable].map { ".journal" + $0 }
        let journals = JournalDirectory.names(in: directory).filter { name in
            suffixes.contains { name.hasSuffix($0) }
        }.compactMap { ListedJournal(path: directory.appending($0)) }.filter {
            path == nil || $0.document.base?.subject == path
        }
        let found = Monitor([FilePath: RecoveredDocument?]())
        for group in Dictionary(grouping: journals, by: \.directory).values {
            let work = { @Sendable in
                for journal in group {
                    let document = read(journal)
                    found.withLock(waking: true) { $0[journal.path] = .some(document) }
                }
            }
            guard let thread = try? BackgroundThread.start(work) else { continue }
            pthread_detach(thread)
        }
        _ = found.wait(atMost: milliseconds) { $0.count == journals.count }
        let read = found.withLock { $0 }
        return journals.compactMap { read[$0.path] ?? $0.document }.sorted { $0.time > $1.time }
    }

    /// Runs ``all(of:directory:includingInUse:except:)`` on a background thread; on this thread if none can be
    /// started. Without a path, searches only for texts without a file. Calls `receive` with the result on the
    /// caller's thread: `post` must run its closure there.
    public static func search(
        of path: FilePath?, except own: FilePath?, directory: FilePath = RecoveryJournal.defaultDirectory,
        post: @escaping TextFileLoader.Post, receive: @escaping ([RecoveredDocument]) -> Void
    ) {
        // `receive` is not Sendable, but is called only in closures passed to `post`, which run on the caller's thread.
        nonisolated(unsafe) let receive = receive
        let work = { @Sendable in
            let found =
                path == nil
                ? found(in: directory, true, except: own) { $0.path == nil }
                : all(of: path, directory: directory, includingInUse: true, except: own)
            post { receive(found) }
        }
        guard let thread = try? BackgroundThread.start(work) else { return work() }
        pthread_detach(thread)
    }

    /// Removes the temporary file of a process that was killed while it rewrote a journal.
    private static func removeUnfinished(_ path: FilePath) {
        let descriptor = open(path.cString, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { FileLock.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        let lock = FileLock.take(descriptor, isExclusive: true)
        let owner = JournalFormat.owner(of: JournalDisk().read(descriptor, JournalFormat.headSize))
        if lock == .free || owner?.life(lock: lock) == .ended { unlink(path.cString) }
    }

    /// The maximum size of a journal that is read, in bytes: a quarter of the machine's memory, but at least 512 MB.
    /// The decoded edits use as much memory again. Of a larger journal only the start is read, and its state is
    /// ``State/tooLarge``.
    static let largest = max(512 << 20, sysconf(Int32(_SC_PHYS_PAGES)) / 4 * sysconf(Int32(_SC_PAGESIZE)))

    /// Reads a journal, even one that was set aside. If the file cannot be decoded, returns a document with the state
    /// ``State/corrupt``, or nil if the file is locked. Also nil if the file cannot be opened, is not a regular file of
    /// this user, or has nothing to recover.
    ///
    /// - Parameters:
    ///   - removingEmpty: whether to remove a journal with nothing to recover, if its process has ended.
    ///   - readingInUse: whether to read the journal of a running process with the edits that it contains so far.
    public static func read(
        _ path: FilePath, removingEmpty: Bool = true, readingInUse: Bool = false
    ) -> RecoveredDocument? {
        read(path, removingEmpty: removingEmpty, readingInUse: readingInUse) { _ in true }
    }

    private static func read(
        _ path: FilePath, removingEmpty: Bool = true, readingInUse: Bool = false,
        where isWanted: (inout JournalContent) -> Bool
    ) -> RecoveredDocument? {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { FileLock.close(descriptor) }
        return read(path, from: descriptor, removingEmpty: removingEmpty, readingInUse: readingInUse, where: isWanted)
    }

    /// Reads an open journal. Nil if the file is not a regular file of this user, is gone, is not wanted, or has
    /// nothing to recover. If the file cannot be decoded, returns a document with the state ``State/corrupt``, or nil
    /// if the file is locked. If `removingEmpty`, a journal that has nothing to recover is removed, once its process
    /// has ended or it is old.
    static func read(
        _ path: FilePath, from descriptor: Int32, removingEmpty: Bool = true, limit: Int = largest,
        lock: (Int32) -> FileLock.Answer = { FileLock.take($0, isExclusive: false) }, now: Int = Glibc.time(nil),
        readingInUse: Bool = false,
        where isWanted: (inout JournalContent) -> Bool = { _ in true }
    ) -> RecoveredDocument? {
        var status = stat()
        var named = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        // Do not trust a file that another user could have written.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        let lock = lock(descriptor)
        // Ignore a file that no longer has the journal's name. When a running process rewrites its journal, it
        // replaces the file, and the former file has no lock.
        guard lstat(path.cString, &named) == 0, status.st_ino == named.st_ino, status.st_dev == named.st_dev
        else {
            return nil
        }
        let time = status.st_mtim.tv_sec
        let life = life(of: descriptor, lock)
        let isInUse = life == .running
        // Remove a journal without edits if its process has ended. If that is unknown, remove it if it was last written
        // more than 30 days ago: a process that still runs writes its journal again.
        let removingEmpty = removingEmpty && (life == .ended || !isInUse && time < now - IgnoredJournals.longest)
        let isTooLarge = Int(status.st_size) > limit
        // Read only the start, which names the file to which the edits apply, if the journal is too large. Do the same
        // if the edits of a running process are not wanted.
        let isSkipped = isTooLarge || isInUse && !readingInUse
        let size = isSkipped ? min(Int(status.st_size), 65_536) : Int(status.st_size)
        var bytes = [UInt8](repeating: 0, count: size)
        let filled = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor, at: 0).count }
        if filled < size { bytes.removeLast(size - filled) }
        let isPart = size < Int(status.st_size)
        guard var content = JournalFormat.decode(bytes) else {
            // A journal of zeros counts as empty: after a power loss, a new file may have its length, but only zeros as
            // its content.
            let isEmpty = !isPart && bytes.allSatisfy { $0 == 0 }
            guard isEmpty else {
                // Use only the lock to find out whether a damaged journal is in use, because it may name any process.
                return lock == .held ? nil : RecoveredDocument(corrupt: path, time: time)
            }
            // Remove a journal that is empty or all zeros: its process was killed, or the power failed, before the
            // first write reached the disk.
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        if !isInUse, !isPart, content.isWhole, content.edits.isEmpty {
            // Remove the journal before releasing the lock. A process that has just created the file gets the lock
            // next, and checks then whether the file still exists.
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        // Release the lock before comparing files with the recorded contents. The comparison may take long, and the
        // lock would block a process that claims the journal.
        FileLock.giveBack(descriptor)
        guard isWanted(&content) else { return nil }
        if isSkipped {
            return RecoveredDocument(unread: path, content, isInUse ? .inUse : .tooLarge, life, time: time)
        }
        var document = RecoveredDocument(path, content, life, time: time)
        if isInUse {
            document.state = .inUse
            return document
        }
        // Remove the journal if there is nothing to recover: it has no edits, or the file contains all of them.
        if content.isWhole, document.edits.isEmpty || document.isSaved && document.chosenFormat == nil {
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        return document
    }

    /// Returns whether the process that writes a journal runs, as far as that is known.
    private static func life(of descriptor: Int32, _ lock: FileLock.Answer) -> JournalOwner.Life {
        if let owner = JournalFormat.owner(of: JournalDisk().read(descriptor, JournalFormat.headSize)), owner.boot != 0
        {
            return owner.life(lock: lock)
        }
        // Use only the lock as evidence: the journal does not identify its process, for example because it is empty or
        // of an older version.
        return lock == .held ? .running : lock == .free ? .ended : .unknown
    }

    private init(corrupt path: FilePath, time: Int) {
        (journalPath, self.time, base, state, isCut, process) = (path, time, nil, .corrupt, true, nil)
        (mayBeInUse, format) = (true, nil)
        (edits, changeCount, baseBytes, baseFormat, file, fits, isLossy) = ([], 0, nil, .utf8, nil, false, false)
    }

    private init(
        unread path: FilePath, _ content: JournalContent, _ state: State, _ life: JournalOwner.Life, time: Int
    ) {
        (journalPath, self.time, base, self.state, isCut) = (path, time, content.confirmed?.base, state, false)
        (process, mayBeInUse, format) = (content.owner?.process, life != .ended, nil)
        // Count the changes in the part that was read, which shows at least that there are changes.
        changeCount = content.confirmed.flatMap { content.edits(after: $0) }.map(Self.count) ?? 0
        (edits, baseBytes, baseFormat, file, fits, isLossy) = ([], nil, .utf8, nil, false, false)
    }

    private init(_ path: FilePath, _ content: JournalContent, _ life: JournalOwner.Life, time: Int) {
        (journalPath, self.time, isCut) = (path, time, !content.isWhole)
        (process, mayBeInUse) = (content.owner?.process, life != .ended)
        let confirmed = content.confirmed ?? content.bases[0]
        let files = CurrentFiles()
        for record in content.bases.reversed() {
            // Skip records with another path than that of the file last read or saved: they are obsolete. But use the
            // record of a save that was only announced, because the save may have succeeded.
            guard record.kind == .coming || record.base.path == confirmed.base.path, files.are(record),
                let edits = content.edits(after: record)
            else { continue }
            (base, state) = (record.base, content.isWhole ? .intact : .truncated)
            (self.edits, changeCount) = (edits.map(\.edit), Self.count(edits))
            (baseBytes, baseFormat) = (record.copy.map { Array($0) }, record.base.format)
            // Take the format last chosen or saved, even if a power loss has undone that save. The text still has
            // to be saved in that format.
            (format, isLossy) = (record.format, record.isLossy)
            (file, fits) = (files.identity(of: record.base.path), true)
            return
        }
        // The file has none of the recorded contents. Use the last record whose text is known, because the journal has
        // a copy of the file or the file did not exist yet. From that text the most can be recovered.
        let known = content.bases.last {
            $0.base.path == confirmed.base.path && ($0.copy != nil || $0.base.identity == nil)
                && content.edits(after: $0) != nil
        }
        let record = files.exists(confirmed.base.path) && Self.isSaved(content) ? confirmed : known ?? confirmed
        base = confirmed.base
        let entries = content.edits(after: record) ?? []
        (edits, changeCount) = (entries.map(\.edit), Self.count(entries))
        baseBytes = record.copy.map { Array($0) } ?? (record.base.identity == nil ? [] : nil)
        (baseFormat, format, isLossy) = (record.base.format, record.format, record.isLossy)
        state = files.exists(confirmed.base.path) ? .changed : .missing
        (file, fits) = (nil, false)
    }

    /// Whether nothing was typed after the last save, and that save is certain to have reached the file: it was not a
    /// power loss that ended the process. If the file differs, another program has changed it since.
    private static func isSaved(_ content: JournalContent) -> Bool {
        guard content.isWhole, let confirmed = content.confirmed, content.bases.last?.kind == .confirmed,
            let boot = content.owner?.boot, boot != 0, boot == JournalOwner.here.boot
        else { return false }
        return content.edits(after: confirmed)?.isEmpty == true
    }

    private static func count(_ entries: [JournalContent.Entry]) -> Int {
        var (count, last) = (0, 0..<0)
        for entry in entries where entry.numbers != last {
            // Limit the number, because a forged journal may contain any numbers.
            count = min(count + entry.numbers.count, .max / 2)
            last = entry.numbers
        }
        return count
    }

    // MARK: The recovered text

    /// The text before the edits. It is read from the journal's copy of the file; or from the file, if that is
    /// unchanged. Empty if the file did not exist. Nil if the text cannot be obtained. Blocks.
    package var baseText: Rope? { baseContent?.text }

    /// Whether the text before the edits encodes to the bytes that it was read from. If not, a save of the recovered
    /// text changes bytes even in lines without edits, unless it gets those bytes. False also if the journal records
    /// that the bytes of the text are lost. Otherwise true if the text before the edits cannot be obtained. Blocks.
    package var isLossless: Bool { !isLossy && baseContent?.isLossless ?? true }

    /// The text before the edits, and whether it encodes to the bytes that it was read from; see ``baseText``.
    private var baseContent: (text: Rope, isLossless: Bool)? {
        guard let base else { return nil }
        if let baseBytes { return Self.content(baseBytes, baseFormat) }
        guard fits, let path = base.path else {
            return base.identity == nil ? (Rope(), true) : nil
        }
        if base.identity == nil { return (Rope(), true) }
        guard let found = try? TextFile.read(path, encoding: base.format.encoding), found.identity == file else {
            return nil
        }
        return (found.text, found.isLossless)
    }

    private static func content(_ bytes: [UInt8], _ format: TextFileFormat) -> (text: Rope, isLossless: Bool) {
        bytes.withUnsafeBytes { bytes in
            let decoder = TextFileDecoder(start: bytes, encoding: format.encoding)
            var builder = RopeBuilder()
            decoder.append(bytes, to: &builder)
            decoder.finish(&builder)
            return (builder.finish(), decoder.isLossless)
        }
    }

    /// Writes the recovered text to a new file. Lines without edits keep the bytes that they were read from, if the
    /// format is the same. Blocks.
    ///
    /// - Parameter text: the ``textOrPieces``.
    /// - Returns: false if some bytes could not be kept, and the text was encoded anew.
    package func write(
        _ text: Rope, to path: FilePath, format: TextFileFormat
    ) throws(TextFileError) -> Bool {
        let content = baseContent
        if let content, !content.isLossless, format == baseFormat {
            // Provide the bytes of the journal's copy as a separate file, because a save can keep bytes only from a
            // file.
            let copy = baseBytes.flatMap { bytes in
                let copy = InputCopy(limit: bytes.count)
                bytes.withUnsafeBytes { copy?.append($0) }
                return copy
            }
            if let bytesPath = baseBytes == nil ? base?.path : copy.flatMap({ $0.isWhole ? $0.path : nil }) {
                defer { withExtendedLifetime(copy) {} }
                do throws(TextFileError) {
                    try TextFile.write(
                        text, to: path, format: format, expecting: nil,
                        keeping: OriginalFile(path: bytesPath, text: content.text, format: baseFormat))
                    return true
                } catch .bytesWouldChange {
                    // Write the file below, without keeping the original bytes.
                }
            }
        }
        try TextFile.write(text, to: path, format: format, expecting: nil)
        return !isLossy && content?.isLossless ?? true
    }

    /// The text after the edits. Nil if the text before them cannot be obtained, or if some edit does not fit it.
    /// Blocks.
    public var text: StyledText? {
        guard var text = baseText.map({ StyledText($0) }), let changes = changes(to: text) else { return nil }
        text.apply(changes)
        return text
    }

    /// The texts that the edits have inserted, for use when the text before the edits is lost. Texts inserted one after
    /// another are joined.
    package var pieces: [Rope] {
        var pieces: [Rope] = []
        var end: Int?
        for edit in edits where !edit.inserted.isEmpty {
            if let last = pieces.indices.last, edit.low == end, edit.low == edit.high {
                let upper = pieces[last].byteRange.upperBound
                pieces[last].replace(upper..<upper, with: edit.inserted)
            } else {
                pieces.append(edit.inserted)
            }
            end = edit.low + edit.inserted.metrics.bytes
        }
        return pieces
    }

    /// The recovered text. If that cannot be obtained, the inserted pieces; each piece begins on a new line.
    public var textOrPieces: Rope {
        if let text { return text.rope }
        var builder = RopeBuilder()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { Array("\n".utf8).withUnsafeBytes { builder.append($0) } }
            piece.forEachChunk(in: piece.byteRange) { chunk, _ in builder.append(chunk) }
        }
        return builder.finish()
    }

    /// Whether the file contains the text after all edits, although the journal has no record of such a save. False
    /// if this cannot be found out.
    private var isSaved: Bool {
        guard state == .changed, baseBytes != nil, let base, let path = base.path, let text,
            let file = try? TextFile.read(path, encoding: base.format.encoding)
        else { return false }
        return file.text == text.rope
    }

    /// Returns the edits as changes of `text`, which differs from the text on which they were made. Nil if `text`
    /// and the edits have changed ranges that overlap or touch, or if the text before the edits cannot be obtained.
    /// Blocks.
    public func merge(into text: StyledText) -> TextChangeSet? {
        guard let old = baseText, let exact = changes(to: StyledText(old)) else { return nil }
        var typed = StyledText(old)
        typed.apply(exact)
        // If the text has no attributes, compute the difference of the texts. An edit of a collapsed journal may
        // include text that it does not change.
        let changes = typed.runs == nil ? TextChangeSet(from: old, to: typed.rope) : exact
        let new = text.rope
        let (head, tail) = Self.commonEnds(old, new)
        let oldRange = ByteOffset(head)..<ByteOffset(old.metrics.bytes - tail)
        // Merge nothing if `text` and the edits have changed ranges that overlap or touch: the user's intention is
        // unknown then.
        let isApart = changes.changeMap.allSatisfy {
            $0.oldByteRange.lowerBound > oldRange.upperBound || $0.oldByteRange.upperBound < oldRange.lowerBound
        }
        guard isApart || head + tail == old.metrics.bytes && old.metrics.bytes == new.metrics.bytes else { return nil }
        let inserted = new.slice(ByteOffset(head)..<ByteOffset(new.metrics.bytes - tail))
        let other = TextChangeSet(replacing: oldRange, with: inserted, in: old)
        return changes.mapped(over: other, in: text, isFirst: false)
    }

    /// Returns the number of bytes in which two texts agree at their starts, and at their ends. Only whole lines
    /// count.
    private static func commonEnds(_ one: Rope, _ other: Rope) -> (head: Int, tail: Int) {
        let (a, b) = (one.bytes(in: one.byteRange), other.bytes(in: other.byteRange))
        let shorter = min(a.count, b.count)
        var head = 0
        while head < shorter, a[head] == b[head] { head += 1 }
        if head == a.count, head == b.count { return (head, 0) }
        while head > 0, a[head - 1] != UInt8(ascii: "\n") { head -= 1 }
        var tail = 0
        while tail < shorter - head, a[a.count - 1 - tail] == b[b.count - 1 - tail] { tail += 1 }
        while tail > 0, a.count - tail > 0, a[a.count - tail - 1] != UInt8(ascii: "\n") { tail -= 1 }
        return (head, tail)
    }

    /// Applies the edits to a document that contains the text before them, as one undo step. Applies all edits; or
    /// none, if some do not fit the text. Returns whether all fit.
    ///
    /// Start a new journal of the document before this call, so that it records these edits too
    /// (``RecoveryJournal/adopt(_:_:)``). Flush the new journal (``RecoveryJournal/flush(within:)``) before you
    /// ``discard()`` this one.
    @discardableResult
    package func apply(to store: TextStore) -> Bool {
        guard let changes = changes(to: store.styledText) else { return false }
        store.apply(Transaction(on: store, changes, origin: .recovery))
        return true
    }

    /// Returns the edits as one change of the text before them. Nil if `text` is another text, so that some edit does
    /// not fit it.
    public func changes(to text: StyledText) -> TextChangeSet? {
        var text = text
        var changes: [TextChangeSet] = []
        for edit in edits {
            guard ByteOffset(edit.high) <= text.rope.byteRange.upperBound else { return nil }
            changes += text.replay(
                ByteOffset(edit.low)..<ByteOffset(edit.high), with: edit.inserted, runs: edit.styles)
        }
        return TextChangeSet.composing(changes) ?? TextChangeSet(none: text.rope)
    }

    /// Records that the disk of the document's file does not respond.
    mutating func markUnreachable() { state = .unreachable }

    // MARK: Claiming and removing the journal

    /// Renames the journal, so that the user is not asked about it again: ``all(of:directory:includingInUse:except:)``
    /// does not find it. Returns the document with its new path; with the old one if the journal cannot be renamed. A
    /// corrupt journal is kept forever, any other for 30 days.
    public func setAside() -> RecoveredDocument {
        var document = self
        let aside = journalPath.appending(
            suffix: state == .corrupt ? IgnoredJournals.unreadable : IgnoredJournals.suffix)
        if rename(journalPath.cString, aside.cString) == 0 { document.journalPath = aside }
        return document
    }

    /// Locks the journal, so that no other process takes it over. Nil if another process has locked it, or if it is
    /// gone. The lock lasts until the returned claim is released.
    public func claim() -> JournalClaim? { JournalClaim(journalPath) }

    /// Removes the journal. If its process may still run, sets the journal aside instead.
    public func discard() {
        if mayBeInUse { _ = setAside() } else { unlink(journalPath.cString) }
    }
}

/// The lock of a process that takes over the edits of a journal. The lock lasts as long as this object.
public final class JournalClaim: Sendable {
    private let descriptor: Int32
    private let disk: JournalDisk

    init?(_ path: FilePath, pause: () -> Void = FileLock.pause, disk: JournalDisk = JournalDisk()) {
        self.disk = disk
        // On failure, leave closing the descriptor to `deinit`. If it were closed twice, the second close could hit
        // a file that another thread has opened meanwhile.
        descriptor = open(path.cString, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var (status, named) = (stat(), stat())
        guard FileLock.takeFromReaders(descriptor, pause: pause) != .held, fstat(descriptor, &status) == 0,
            lstat(path.cString, &named) == 0, status.st_ino == named.st_ino
        else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = disk.close(descriptor, true) }
    }
}
