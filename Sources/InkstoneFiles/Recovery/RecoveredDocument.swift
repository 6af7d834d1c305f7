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
        /// The file has another content than the one that the edits were made on.
        case changed
        /// The file is not there, or may not be read.
        case missing
        /// Nothing in it can be read.
        case corrupt
        /// The journal is larger than is read into the memory of this machine.
        case tooLarge
        /// A running process writes it.
        case inUse
        /// The disk of its file does not answer.
        case unreachable
    }

    /// The journal.
    public private(set) var journalPath: FilePath
    /// What the edits start from; nil if it is corrupt.
    public let base: JournalBase?
    /// Whether it can be used.
    public private(set) var state: State
    /// Number of edits in it.
    public var editCount: Int { edits.count }
    /// Number of changes that they are: what one step of typing, pasting or replacing did counts once.
    public let changeCount: Int
    /// When the last of them was written, in seconds since 1970.
    public let time: Int
    /// Whether its end is cut or damaged.
    public let isCut: Bool
    /// The process that writes or wrote it; nil if that is not known.
    public let process: Int?
    /// Whether its process may still run, because nothing tells: the disk has no locks, or it was written on another machine. The
    /// journal is never removed then, only set aside; a process that runs writes it anew.
    public let mayBeInUse: Bool
    /// Identity of the file when it was compared with the base, if it fits; nil if it was not there. A text that was read from it at
    /// another time may be another one, which the edits are none of.
    public let file: FileIdentity?

    /// The format that the user had chosen for the next save; nil if that is the base's.
    public var chosenFormat: TextFileFormat? { format == base?.format ? nil : format }

    private let format: TextFileFormat?
    private let edits: [JournalEdit]
    /// Whether the file is what the edits were made on.
    private let fits: Bool
    /// The bytes of the file that the edits start from, if they are known, and how they are read: a base that came later may have another
    /// format.
    private let baseBytes: [UInt8]?
    private let baseFormat: TextFileFormat

    /// The journal's name, which it keeps when it is set aside.
    var name: FilePath { journalPath.lastComponent.dropping(suffix: IgnoredJournals.suffix) }

    /// Number of characters (Unicode scalars) that its edits insert.
    public var typedCount: Int { edits.reduce(0) { $0 + $1.inserted.metrics.scalars } }

    /// What to say about it.
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

    /// The documents that can be had back, or about which a word is due: journals whose process is gone, newest first.
    ///
    /// With a path, only those of that file, which is to be absolute, and corrupt ones, which may be anybody's; without, all. With
    /// `includingInUse` those of running processes as well, but for the journal at `own`. Journals without edits are removed, those of
    /// which another one has the edits, and those that the user did not want and that were set aside long ago. Reads all of the
    /// journals, and the files of those that are found: not for a thread that others wait for.
    public static func all(
        of path: FilePath? = nil, directory: FilePath = RecoveryJournal.defaultDirectory, includingInUse: Bool = false,
        except own: FilePath? = nil
    ) -> [RecoveredDocument] {
        guard let path else { return found(in: directory, includingInUse, except: own) { _ in true } }
        let file = SoughtFile(path)
        return found(in: directory, includingInUse, except: own, follow: file.follow, where: file.isNamed)
    }

    /// The journals with a base that is wanted. Of others not even the file is looked at, whose disk may hang.
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
                // Its process was killed before it could remove it.
                document.discard()
                return false
            }
            return document.base.map(isWanted) ?? true
        }.sorted { $0.time > $1.time }
    }

    /// All journals that there are, or those of a file, also those in use and those that were set aside, newest first. Removes nothing.
    ///
    /// Blocks for that many milliseconds at most if disks hang: journals of files in a directory that does not answer are
    /// ``State/unreachable``. One thread looks at the files of each directory.
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

    /// Does what ``all(of:directory:includingInUse:except:)`` does on a thread of its own, without a path for texts that have none. `post`
    /// runs a closure on the owner's thread; `receive` is called there.
    public static func search(
        of path: FilePath?, except own: FilePath?, directory: FilePath = RecoveryJournal.defaultDirectory,
        post: @escaping TextFileLoader.Post, receive: @escaping ([RecoveredDocument]) -> Void
    ) {
        // Called only by what `post` runs on the owner's thread.
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

    /// Removes what a process left that was killed while it wrote a journal anew.
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

    /// Bytes of the largest journal that is read: a quarter of the machine's memory, because its edits take as much again.
    static let largest = max(512 << 20, sysconf(Int32(_SC_PHYS_PAGES)) / 4 * sysconf(Int32(_SC_PAGESIZE)))

    /// Reads a journal, also one that was set aside; nil if it is none, or has no edits, for which it may be removed. With `readingInUse`
    /// a journal that a running process writes has the edits that it holds by now.
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

    /// Reads a journal that has been opened; nil if it is none, is gone, is not wanted, or has no edits, for which it may be removed.
    static func read(
        _ path: FilePath, from descriptor: Int32, removingEmpty: Bool = true, limit: Int = largest,
        lock: (Int32) -> FileLock.Answer = { FileLock.take($0, isExclusive: false) }, now: Int = Glibc.time(nil),
        readingInUse: Bool = false,
        where isWanted: (inout JournalContent) -> Bool = { _ in true }
    ) -> RecoveredDocument? {
        var status = stat()
        var standing = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        // What others could have written is not to be trusted.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { return nil }
        let lock = lock(descriptor)
        // An owner that begins anew puts another file there, and leaves this one without a lock.
        guard lstat(path.cString, &standing) == 0, status.st_ino == standing.st_ino, status.st_dev == standing.st_dev
        else {
            return nil
        }
        let time = status.st_mtim.tv_sec
        let life = life(of: descriptor, lock)
        let isInUse = life == .running
        // Nobody misses an empty one that is that old: who does writes it anew.
        let removingEmpty = removingEmpty && (life == .ended || !isInUse && time < now - IgnoredJournals.longest)
        let isTooLarge = Int(status.st_size) > limit
        // Of one that is not read only the base matters, which stands at its start.
        let isSkipped = isTooLarge || isInUse && !readingInUse
        let size = isSkipped ? min(Int(status.st_size), 65_536) : Int(status.st_size)
        var bytes = [UInt8](repeating: 0, count: size)
        let filled = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor, at: 0).count }
        if filled < size { bytes.removeLast(size - filled) }
        guard var content = JournalFormat.decode(bytes) else {
            // A new file may have its length without its content after a power loss.
            let isEmpty = !isTooLarge && bytes.allSatisfy { $0 == 0 }
            guard isEmpty else {
                // A damaged head may name any process.
                return lock == .held ? nil : RecoveredDocument(corrupt: path, time: time)
            }
            // Its process was killed as it began.
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        if !isInUse, !isTooLarge, content.isWhole, content.edits.isEmpty {
            // While the lock is held: who has just made it looks whether it is there still once the lock is theirs.
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        // To look at files may take long, and who would take the journal up is kept from it meanwhile.
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
        // All that was typed is in the file.
        if content.isWhole, document.edits.isEmpty || document.isSaved && document.chosenFormat == nil {
            if removingEmpty { unlink(path.cString) }
            return nil
        }
        return document
    }

    /// Whether the process that writes a journal runs.
    private static func life(of descriptor: Int32, _ lock: FileLock.Answer) -> JournalOwner.Life {
        if let owner = JournalFormat.owner(of: JournalDisk().read(descriptor, JournalFormat.headSize)), owner.boot != 0
        {
            return owner.life(lock: lock)
        }
        // Of an older version, or nothing of it has been written.
        return lock == .held ? .running : lock == .free ? .ended : .unknown
    }

    private init(corrupt path: FilePath, time: Int) {
        (journalPath, self.time, base, state, isCut, process) = (path, time, nil, .corrupt, true, nil)
        (mayBeInUse, format) = (true, nil)
        (edits, changeCount, baseBytes, baseFormat, file, fits) = ([], 0, nil, .utf8, nil, false)
    }

    private init(
        unread path: FilePath, _ content: JournalContent, _ state: State, _ life: JournalOwner.Life, time: Int
    ) {
        (journalPath, self.time, base, self.state, isCut) = (path, time, content.standing?.base, state, false)
        (process, mayBeInUse, format) = (content.owner?.process, life != .ended, nil)
        (edits, changeCount, baseBytes, baseFormat, file, fits) = ([], 0, nil, .utf8, nil, false)
    }

    private init(_ path: FilePath, _ content: JournalContent, _ life: JournalOwner.Life, time: Int) {
        (journalPath, self.time, isCut) = (path, time, !content.isWhole)
        (process, mayBeInUse) = (content.owner?.process, life != .ended)
        let standing = content.standing ?? content.bases[0]
        let files = CurrentFiles()
        for record in content.bases.reversed() {
            // A base of another name is out of date, one of another name to come may have come.
            guard record.kind == .coming || record.base.path == standing.base.path, files.are(record),
                let edits = content.edits(after: record)
            else { continue }
            (base, state) = (record.base, content.isWhole ? .intact : .truncated)
            (self.edits, changeCount) = (edits.map(\.edit), Self.count(edits))
            (baseBytes, baseFormat) = (record.copy.map { Array($0) }, record.base.format)
            // After a power loss that has taken back a save, the format of that is still to be saved.
            format = record.format
            (file, fits) = (files.identity(of: record.base.path), true)
            return
        }
        // None is what the file is now: the one with a copy gives most.
        let record =
            content.bases.last {
                $0.base.path == standing.base.path && ($0.copy != nil || $0.base.identity == nil)
                    && content.edits(after: $0) != nil
            } ?? standing
        base = standing.base
        let entries = content.edits(after: record) ?? []
        (edits, changeCount) = (entries.map(\.edit), Self.count(entries))
        baseBytes = record.copy.map { Array($0) } ?? (record.base.identity == nil ? [] : nil)
        (baseFormat, format) = (record.base.format, record.format)
        state = files.exists(standing.base.path) ? .changed : .missing
        (file, fits) = (nil, false)
    }

    private static func count(_ entries: [JournalContent.Entry]) -> Int {
        var (count, last) = (0, 0..<0)
        for entry in entries where entry.numbers != last {
            // A forged journal may have numbers of any size.
            count = min(count + entry.numbers.count, .max / 2)
            last = entry.numbers
        }
        return count
    }

    // MARK: The text

    /// The text that was edited: that of the file if it is the same still, or of the journal's copy. Nil if there is none. Blocks.
    public var baseText: Rope? {
        guard let base else { return nil }
        if let baseBytes { return Self.text(baseBytes, baseFormat) }
        guard fits, let path = base.path else {
            return base.identity == nil ? Rope() : nil
        }
        if base.identity == nil { return Rope() }
        guard let found = try? TextFile.read(path, encoding: base.format.encoding), found.identity == file else {
            return nil
        }
        return found.text
    }

    private static func text(_ bytes: [UInt8], _ format: TextFileFormat) -> Rope {
        bytes.withUnsafeBytes { bytes in
            let decoder = TextFileDecoder(start: bytes, encoding: format.encoding)
            var builder = RopeBuilder()
            decoder.append(bytes, to: &builder)
            decoder.finish(&builder)
            return builder.finish()
        }
    }

    /// The text as it was typed. Nil if the text that the edits were made on cannot be had, or they do not all fit. Blocks.
    public var text: StyledText? {
        guard var text = baseText.map({ StyledText($0) }), let changes = changes(to: text) else { return nil }
        text.apply(changes)
        return text
    }

    /// The new texts of the edits one by one, for when the text that they were made on is gone. Those that continue each other are one.
    public var pieces: [Rope] {
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

    /// The text, or else what was typed piece by piece with a line between.
    public var textOrPieces: Rope {
        if let text { return text.rope }
        var builder = RopeBuilder()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { Array("\n".utf8).withUnsafeBytes { builder.append($0) } }
            piece.forEachChunk(in: piece.byteRange) { chunk, _ in builder.append(chunk) }
        }
        return builder.finish()
    }

    /// Whether the file has all of the edits although the journal does not say so.
    private var isSaved: Bool {
        guard state == .changed, baseBytes != nil, let base, let path = base.path, let text,
            let file = try? TextFile.read(path, encoding: base.format.encoding)
        else { return false }
        return file.text == text.rope
    }

    /// The edits as a change of another text than the one that they were made on: nil if both were changed at one place, or the text that
    /// they were made on cannot be had. Blocks.
    public func merge(into text: StyledText) -> TextChangeSet? {
        guard let old = baseText, let exact = changes(to: StyledText(old)) else { return nil }
        var typed = StyledText(old)
        typed.apply(exact)
        // An edit of a folded journal spans much that it leaves as it was.
        let changes = typed.runs == nil ? TextChangeSet(from: old, to: typed.rope) : exact
        let new = text.rope
        let (head, tail) = Self.commonEnds(old, new)
        let oldRange = ByteOffset(head)..<ByteOffset(old.metrics.bytes - tail)
        // Both at one place: nobody knows what is meant.
        let isApart = changes.changeMap.allSatisfy {
            $0.oldByteRange.lowerBound > oldRange.upperBound || $0.oldByteRange.upperBound < oldRange.lowerBound
        }
        guard isApart || head + tail == old.metrics.bytes && old.metrics.bytes == new.metrics.bytes else { return nil }
        let inserted = new.slice(ByteOffset(head)..<ByteOffset(new.metrics.bytes - tail))
        let other = TextChangeSet(replacing: oldRange, with: inserted, in: old)
        return changes.mapped(over: other, in: text, isFirst: false)
    }

    /// The number of bytes that two texts have in common at their starts and ends, in whole lines.
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

    /// Makes the edits again on a document that holds the base's text, as one step of undo: all of them, or none if they do not all fit.
    /// Returns whether they do.
    ///
    /// Start the new journal of the document first, so that it has these edits too (``RecoveryJournal/adopt(_:_:)``), and
    /// ``RecoveryJournal/flush(within:)`` it before you ``discard()`` this one.
    @discardableResult
    public func apply(to store: TextStore) -> Bool {
        guard let changes = changes(to: store.styledText) else { return false }
        store.apply(Transaction(on: store, changes, origin: .recovery))
        return true
    }

    /// The edits as one change of the base's text; nil if they do not all fit, and then it is another text.
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

    // MARK: The journal

    /// Says that nobody knows what became of its file.
    mutating func markUnreachable() { state = .unreachable }

    /// Keeps the journal under another name, where ``all(of:directory:includingInUse:except:)`` does not find it again: nobody is to be
    /// told of it twice. Returns the document with its new path. Journals that could be read are kept there for 30 days;
    /// others stay.
    public func setAside() -> RecoveredDocument {
        var document = self
        let aside = journalPath.appending(
            suffix: state == .corrupt ? IgnoredJournals.unreadable : IgnoredJournals.suffix)
        if rename(journalPath.cString, aside.cString) == 0 { document.journalPath = aside }
        return document
    }

    /// Takes the journal, so that no other process does; false if one has, or it is gone. Until this process ends or
    /// ``discard()``s it.
    public func claim() -> JournalClaim? { JournalClaim(journalPath) }

    /// Removes the journal; sets it aside if its process may still run.
    public func discard() {
        if mayBeInUse { _ = setAside() } else { unlink(journalPath.cString) }
    }
}

/// The lock of a process that takes up the edits of a journal. It goes with the value.
public final class JournalClaim: Sendable {
    private let descriptor: Int32
    private let disk: JournalDisk

    init?(_ path: FilePath, pause: () -> Void = FileLock.pause, disk: JournalDisk = JournalDisk()) {
        self.disk = disk
        // Whether the claim fails or not, `deinit` closes it: twice would close what another thread has opened meanwhile.
        descriptor = open(path.cString, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var (status, standing) = (stat(), stat())
        guard FileLock.takeFromReaders(descriptor, pause: pause) != .held, fstat(descriptor, &status) == 0,
            lstat(path.cString, &standing) == 0, status.st_ino == standing.st_ino
        else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = disk.close(descriptor, true) }
    }
}
