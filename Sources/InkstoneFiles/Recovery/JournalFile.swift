import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// A journal's file. Added records are valid once they are committed, and safe once they are synced to the disk.
/// After an error, ``rollBack()`` restores the state of the last commit.
///
/// A new base, the text to which later edits apply, is an ordinary record. The file keeps all of its earlier bases. So
/// if a power loss undoes a save, the earlier base is found. The file is rewritten in these cases:
///
/// - It has grown.
/// - The name of its document changes.
/// - A sync has failed. The system may then have dropped pages that it could not write.
/// - Other programs have removed or renamed the file. Nothing more written to it would be found.
struct JournalFile {
    /// The approximate maximum size of an edit's record, in bytes. A larger edit is divided into several records.
    static let piece = 1 << 20
    /// The file's edits may be collapsed when the file is more than this many times as large as the text together with
    /// the journal's copy of the document's file.
    static let growth = 4
    /// A transaction number greater than any that occurs. No edits apply to a ``JournalBaseRecord`` with this number as
    /// `kept`.
    static let never = 1 << 47

    let path: FilePath
    private let directory: FilePath
    private var descriptor: Int32
    private let disk: JournalDisk
    private var buffer: [UInt8] = []
    /// The number of written bytes that are not committed yet.
    private var uncommitted = 0
    /// The checksums of the record that was added last, and of the record that was committed last.
    private var chain = (added: UInt64(0), committed: UInt64(0))
    /// The offset in the file, in bytes, at which the committed records end.
    private var size = 0
    private var base = JournalBaseRecord(kind: .confirmed, base: JournalBase(path: nil, identity: nil), kept: 0)
    private var coming: JournalBaseRecord?
    /// The content of the document's file, as last read or saved, that is still to be recorded together with the next
    /// transaction or sync; nil for none.
    private var unwrittenContents: (contents: FileContents, bytes: [UInt8]?, isAdded: Bool)?
    /// The ranges of transaction numbers whose edits were collapsed and written together, for the latest 16 such
    /// writes. No base, to which only the later edits apply, can begin inside such a range, because the edits in it
    /// cannot be separated any more.
    private var joined: [Range<Int>] = []
    private var safety = Safety()
    /// The size in bytes below which the file is never rewritten because of its growth.
    private let smallest: Int
    /// The sizes in bytes above which the file is rewritten because of its growth. `compact` applies when the document
    /// is saved. `collapse` applies at other times; the edits are then collapsed.
    private var limits: (compact: Int, collapse: Int)
    /// Whether ``rebase(to:keepingFrom:)`` was called since the last commit. If so, the next commit clears `coming`,
    /// the announcement of the save.
    private var hasCome = false

    /// The state of the file on the disk.
    private struct Safety {
        /// The number of bytes from the start of the file that are on the disk.
        var size = 0
        /// The written bytes after the first `size` bytes. Nil if they are too many to keep.
        var recent: Recent? = Recent()
        /// Whether the file's name is on the disk, in its directory.
        var hasName = false
        /// Whether the file must be rewritten. This is so if the system may have dropped pages that it could not
        /// write, or if the file no longer has its name.
        var isSuspect = false
        /// The number of times that the file was replaced. A sync counts only if the file was not replaced while it
        /// ran.
        var generation = 0
    }

    /// The written bytes that may not be on the disk yet. A copy of the document's file among them shares its storage
    /// with the one in `base`.
    private struct Recent {
        private(set) var pieces: [ArraySlice<UInt8>] = []
        /// The number of bytes of all pieces.
        private(set) var count = 0

        mutating func append(_ piece: ArraySlice<UInt8>) {
            pieces.append(piece)
            count += piece.count
        }

        mutating func removeFirst(_ number: Int) {
            var left = number
            let whole = pieces.prefix { piece in
                guard piece.count <= left else { return false }
                left -= piece.count
                return true
            }.count
            pieces.removeFirst(whole)
            if left > 0, !pieces.isEmpty { pieces[0] = pieces[0].dropFirst(left) }
            count -= number
        }

        mutating func removeLast(_ number: Int) {
            var left = number
            while let last = pieces.last, left > 0 {
                let cut = min(left, last.count)
                pieces[pieces.count - 1] = last.dropLast(cut)
                if cut == last.count { pieces.removeLast() }
                left -= cut
            }
            count -= number
        }
    }

    /// Creates the value for a file. `descriptor` is that of an empty file; if it is negative, the file is created
    /// together with its first record.
    init(path: FilePath, descriptor: Int32 = -1, disk: JournalDisk = JournalDisk(), smallest: Int = 1 << 20) {
        self.path = path
        self.smallest = smallest
        limits = (smallest, smallest)
        directory = path.directory
        self.descriptor = descriptor
        self.disk = disk
    }

    /// The number of ranges in `joined`, for tests.
    var placeCount: Int { joined.count }

    /// The number of bytes that were added but not written yet.
    var buffered: Int { buffer.count }

    /// Whether all committed bytes are on the disk.
    var isDurable: Bool { safety.size == size && safety.hasName && !safety.isSuspect && unwrittenContents == nil }

    /// Whether the path still leads to the file.
    var isNamed: Bool { disk.isNamed(descriptor, path) }

    /// Whether the file must be rewritten because a sync has failed, or because the file has lost its name.
    var isSuspect: Bool { safety.isSuspect }

    // MARK: Adding records

    /// Adds the edits of the transactions with these numbers. If `isOpen`, the edits are recovered only together
    /// with those of the next call.
    mutating func add(_ edits: [JournalEdit], _ numbers: Range<Int>, isOpen: Bool = false) throws(RecoveryError) {
        try addContents()
        if numbers.count > 1 { joined = joined.suffix(15) + [numbers] }
        for (index, edit) in edits.enumerated() {
            try add(edit, numbers, isLast: !isOpen && index == edits.count - 1)
            if buffer.count >= Self.piece { try flush() }
        }
    }

    private mutating func add(_ edit: JournalEdit, _ numbers: Range<Int>, isLast: Bool) throws(RecoveryError) {
        guard edit.inserted.metrics.bytes > Self.piece else {
            return JournalFormat.encode(edit, numbers, isLast: isLast, to: &buffer, chain: &chain.added)
        }
        var bytes: [UInt8] = []
        var (low, high) = (edit.low, edit.high)
        try edit.inserted.forEachChunk(in: edit.inserted.byteRange) { chunk, _ throws(RecoveryError) in
            bytes += chunk
            // Split the text only where the last character of the piece certainly ends: no bytes after it may
            // belong to it.
            guard bytes.count >= Self.piece, !Self.isOpenEnded(chunk) else { return }
            let piece = JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes))
            JournalFormat.encode(piece, numbers, isLast: false, to: &buffer, chain: &chain.added)
            low += bytes.count
            high = low
            bytes.removeAll(keepingCapacity: true)
            try flush()
        }
        let rest = JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes), styles: edit.styles)
        JournalFormat.encode(rest, numbers, isLast: isLast, to: &buffer, chain: &chain.added)
    }

    private static func isOpenEnded(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard let base = chunk.baseAddress else { return true }
        return UTF8Scan.isOpenEnded(base.assumingMemoryBound(to: UInt8.self), chunk.count)
    }

    /// Adds a record that names another journal. The next transaction contains the edits of that journal.
    mutating func addReplaced(_ name: FilePath) {
        JournalFormat.encodeReplaced(name, to: &buffer, chain: &chain.added)
    }

    /// Adds the format in which the text is to be saved.
    mutating func addFormat(_ format: JournaledFormat) {
        JournalFormat.encode(format, to: &buffer, chain: &chain.added)
    }

    /// Adds a record which announces that a file is being saved. Once it is saved, the transactions from number `kept`
    /// on apply to its new content.
    mutating func addComing(_ base: JournalBase, _ contents: FileContents, keepingFrom kept: Int) {
        let record = JournalBaseRecord(kind: .coming, base: base, contents: contents, kept: kept)
        coming = record
        JournalFormat.encode(record, to: &buffer, chain: &chain.added)
    }

    /// Schedules a record of the content of the document's file, to be added with the next transaction or sync. Does
    /// nothing if the file that was last read or saved is not `identity`, or if the journal has a copy of it already.
    mutating func setContents(_ contents: FileContents, _ bytes: [UInt8]?, of identity: FileIdentity) {
        guard base.base.identity == identity, base.copy == nil else { return }
        unwrittenContents = (contents, bytes, false)
    }

    /// Adds the scheduled record of the content of the document's file, unless this record was added before.
    mutating func addContents() throws(RecoveryError) {
        guard let (contents, bytes, isAdded) = unwrittenContents, !isAdded else { return }
        unwrittenContents?.isAdded = true
        try add(contents, bytes?[...])
    }

    /// Adds a record of the content of the document's file. If there is a copy of the file, the record includes it. The
    /// copy is written directly, without being copied in memory.
    private mutating func add(_ contents: FileContents, _ copy: ArraySlice<UInt8>?) throws(RecoveryError) {
        JournalFormat.encode(contents, before: copy, to: &buffer, chain: &chain.added)
        guard let copy else { return }
        try flush()
        try write(copy)
    }

    // MARK: Writing records

    /// Writes the added records and makes them valid.
    mutating func commit() throws(RecoveryError) {
        try flush()
        size += uncommitted
        uncommitted = 0
        chain.committed = chain.added
        if hasCome { (coming, hasCome) = (nil, false) }
        guard let (contents, bytes, isAdded) = unwrittenContents, isAdded else { return }
        unwrittenContents = nil
        (base.contents, base.copy) = (contents, bytes?[...])
    }

    /// Discards the records that were added since the last commit.
    mutating func rollBack() {
        buffer.removeAll(keepingCapacity: true)
        let isWritten = uncommitted > 0
        uncommitted = 0
        chain.added = chain.committed
        hasCome = false
        if let (contents, bytes, isAdded) = unwrittenContents, isAdded {
            // Drop a copy of the file that is larger than 4 MB. The disk may have no room for it, but may still
            // have room for edits.
            unwrittenContents = (contents, bytes.flatMap { $0.count > 4 << 20 ? nil : $0 }, false)
        }
        keepRecent()
        // Cut off the bytes beyond the last commit, because they may be many. Readers ignore them in any case, because
        // the checksums of later records do not continue theirs.
        if descriptor >= 0, disk.truncate(descriptor, size) != nil, isWritten { safety.isSuspect = true }
    }

    /// Creates the file and its directory, unless the file is open already.
    private mutating func make() throws(RecoveryError) {
        guard descriptor < 0 else { return }
        try JournalDirectory.make(directory)
        for attempt in 0..<100 {
            // The first attempt must create the file. It fails if the file exists already, or if another process
            // locks or removes the file before this process has locked it. Later attempts open and empty the file,
            // or create it if it is missing.
            switch disk.create(path, attempt == 0) {
            case .success(let new): return descriptor = new
            case .failure(let failure) where failure.code == EEXIST: continue
            case .failure(let failure): throw RecoveryError(path: path, step: failure.step, code: failure.code)
            }
        }
        throw RecoveryError(path: path, step: "open", code: EEXIST)
    }

    private mutating func flush() throws(RecoveryError) {
        guard !buffer.isEmpty else { return }
        try write(buffer[...])
        buffer = []
    }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(RecoveryError) {
        let code = bytes.withUnsafeBytes { disk.write($0, descriptor, size + uncommitted) }
        if let code { throw RecoveryError(path: path, step: "write", code: code) }
        uncommitted += bytes.count
        safety.recent?.append(bytes)
        if let recent = safety.recent, recent.count > 16 * Self.piece { safety.recent = nil }
    }

    private mutating func keepRecent() {
        guard let recent = safety.recent, recent.count > size - safety.size else { return }
        safety.recent?.removeLast(recent.count - (size - safety.size))
    }

    // MARK: Bases

    /// Sets a new base, the text to which later edits apply. It is the first base of the journal's file, or the
    /// document's file as it was just saved. The saved file does not contain the transactions from number `kept` on. No
    /// record may be uncommitted. The base is written with the next ``commit()``. Returns false if the transactions to
    /// keep cannot be separated from the earlier ones.
    mutating func rebase(to new: JournalBase, keepingFrom kept: Int) throws(RecoveryError) -> Bool {
        let isComplete = kept != .max && !joined.contains { $0.lowerBound < kept && $0.upperBound > kept }
        var record = JournalBaseRecord(
            kind: .confirmed, base: new, kept: isComplete ? kept : Self.never, isBreak: !isComplete)
        if let coming, coming.kept == kept, let contents = coming.contents, contents.size == new.identity?.size {
            record.contents = contents
        }
        unwrittenContents = nil
        try make()
        let isOther = size > 0 && new.path != base.base.path
        (base, hasCome) = (record, true)
        guard size > 0 else {
            (buffer, chain.added) = head()
            JournalFormat.encode(record, to: &buffer, chain: &chain.added)
            return isComplete
        }
        if isOther || size > limits.compact, compact(record) { return isComplete }
        JournalFormat.encode(record, to: &buffer, chain: &chain.added)
        return isComplete
    }

    private func head() -> (bytes: [UInt8], chain: UInt64) {
        let owner = JournalOwner.current(isLocked: disk.isLocked(descriptor))
        return JournalFormat.head(salt: UInt64.random(in: .min ... .max), owner: owner)
    }

    /// Replaces the journal's file by one that contains only this base and the transactions after it. Returns false if
    /// that fails.
    private mutating func compact(_ record: JournalBaseRecord) -> Bool {
        guard let bytes = try? wholeBytes(), let content = JournalFormat.decode(bytes), content.isWhole else {
            return false
        }
        let kept = content.edits.filter { $0.numbers.lowerBound >= record.kept }
        var (bytesAnew, sum) = head()
        JournalFormat.encode(record, to: &bytesAnew, chain: &sum)
        // Keep the names of replaced journals, which may still exist.
        if !kept.isEmpty {
            for name in content.replaced { JournalFormat.encodeReplaced(name, to: &bytesAnew, chain: &sum) }
        }
        for (index, entry) in kept.enumerated() {
            let isLast = index == kept.count - 1 || kept[index + 1].numbers != entry.numbers
            JournalFormat.encode(entry.edit, entry.numbers, isLast: isLast, to: &bytesAnew, chain: &sum)
        }
        guard (try? replace(by: { $0.buffer = bytesAnew })) != nil else { return false }
        chain = (sum, sum)
        limits = (max(smallest, 2 * size), max(smallest, Self.growth * size))
        return true
    }

    /// Whether the file is so large that its edits should be collapsed. The writer then requests the text, and
    /// calls ``collapse(_:textSize:)``.
    var isLarge: Bool { size > limits.collapse }

    /// Replaces the journal's file by one that contains the present base, and all edits after it, collapsed. No record
    /// may be uncommitted. Leaves the file unchanged if this would save little space, if the new file cannot be
    /// written, or if `gap` lacks some text or has collapsed edits that a save in progress needs separately.
    ///
    /// - Parameters:
    ///   - gap: all edits after the base, with the text at its marks and at its end.
    ///   - textSize: the length of the text in bytes.
    mutating func collapse(_ gap: JournalGap, textSize: Int) {
        let worth = Self.growth * (textSize + (base.copy?.count ?? 0))
        limits.collapse = max(smallest, worth, 2 * size)
        // A save in progress may already have replaced the document's file. So keep the base that was announced for
        // that save, and keep the edits before and after it apart.
        let isApart = coming.map { coming in gap.segments.contains { $0.first == coming.kept } } ?? true
        guard size > worth, isApart, gap.isKnown, base.kept != Self.never else { return }
        let (base, coming) = (base, coming)
        var chain = chain
        var joined = joined
        let write = { (file: inout JournalFile) throws(RecoveryError) in
            (file.buffer, file.chain.added) = file.head()
            JournalFormat.encode(base, to: &file.buffer, chain: &file.chain.added)
            if let copy = base.copy, let contents = base.contents { try file.add(contents, copy) }
            if let format = gap.format { file.addFormat(format) }
            var names = gap.replaced
            for segment in gap.segments {
                if let coming, coming.kept == segment.first {
                    JournalFormat.encode(coming, to: &file.buffer, chain: &file.chain.added)
                }
                guard let edit = segment.edit else { continue }
                for name in names { file.addReplaced(name) }
                names = []
                try file.add([edit], segment.first..<segment.upTo)
            }
            (chain, joined) = ((file.chain.added, file.chain.added), file.joined)
        }
        guard (try? replace(by: write)) != nil else { return }
        (self.chain, self.joined) = (chain, joined)
        limits.collapse = max(smallest, worth, 2 * size)
    }

    /// Returns all committed bytes. Those on the disk are read from there, the others from memory.
    private func wholeBytes() throws(RecoveryError) -> [UInt8] {
        var bytes = disk.read(descriptor, safety.recent == nil ? size : safety.size)
        for piece in safety.recent?.pieces ?? [] { bytes += piece }
        guard bytes.count == size, let (whole, sum) = JournalFormat.wholeSize(bytes), whole == size,
            sum == chain.committed
        else { throw RecoveryError(path: path, step: "read", code: EIO) }
        return bytes
    }

    /// Replaces the file by a new one. The new file gets the journal's name only when it is on the disk.
    private mutating func replace(
        by write: (inout JournalFile) throws(RecoveryError) -> Void
    ) throws(RecoveryError) {
        let freshPath = path.appending(suffix: ".new")
        var created = disk.create(freshPath, false)
        if case .failure(let failure) = created, failure.code == ENOENT {
            // The directory was removed together with the journal: create both.
            try JournalDirectory.make(directory)
            created = disk.create(freshPath, false)
        }
        var fresh: JournalFile
        switch created {
        case .success(let descriptor): fresh = JournalFile(path: freshPath, descriptor: descriptor, disk: disk)
        case .failure(let failure): throw RecoveryError(path: freshPath, step: failure.step, code: failure.code)
        }
        do throws(RecoveryError) {
            try write(&fresh)
            try fresh.commit()
            if let code = disk.sync(fresh.descriptor) { throw RecoveryError(path: path, step: "fdatasync", code: code) }
            if let code = disk.rename(freshPath, path) { throw RecoveryError(path: path, step: "rename", code: code) }
        } catch {
            fresh.close()
            _ = disk.remove(freshPath)
            throw error
        }
        // Ignore a failed close, which loses nothing, because the content is in the new file.
        _ = disk.close(descriptor, true)
        descriptor = fresh.descriptor
        size = fresh.size
        safety = Safety(size: size, generation: safety.generation + 1)
        if disk.syncDirectory(directory) == nil { safety.hasName = true }
    }

    // MARK: Syncing to the disk

    /// Commits the added records, and waits until all bytes are on the disk. If a sync has failed, or if the file has
    /// lost its name, rewrites the file.
    mutating func sync() throws(RecoveryError) {
        try make()
        try addContents()
        try commit()
        // Treat the content as unsafe until the file is replaced if the file has lost its name.
        if !isNamed { safety.isSuspect = true }
        if safety.isSuspect {
            let bytes = try wholeBytes()
            try replace { $0.buffer = bytes }
        } else if safety.size < size {
            if let code = disk.sync(descriptor) {
                safety.isSuspect = true
                throw RecoveryError(path: path, step: "fdatasync", code: code)
            }
            setSafe(size)
        }
        guard !safety.hasName else { return }
        if let code = disk.syncDirectory(directory) {
            throw RecoveryError(path: directory, step: "fsync", code: code)
        }
        safety.hasName = true
    }

    /// A sync of the file that another thread may run.
    struct Sync: Sendable {
        let descriptor: Int32
        /// The size of the file when the sync was made: the number of bytes that it brings to the disk.
        fileprivate let size: Int
        /// The number of times that the file had been replaced when the sync was made.
        fileprivate let generation: Int
        fileprivate let directory: FilePath?
        fileprivate let disk: JournalDisk

        /// Waits until the bytes are on the disk that were committed when this sync was made. Returns the call that
        /// failed; nil if none did.
        func run() -> JournalDisk.Failure? {
            defer { _ = disk.close(descriptor, false) }
            if let code = disk.sync(descriptor) { return JournalDisk.Failure(step: "fdatasync", code: code) }
            guard let directory, let code = disk.syncDirectory(directory) else { return nil }
            return JournalDisk.Failure(step: "fsync", code: code)
        }
    }

    /// Returns a sync of the bytes committed so far. Nil if too many descriptors are open, or if the file has lost
    /// its name.
    func makeSync() -> Sync? {
        guard isNamed, let copy = disk.duplicate(descriptor) else { return nil }
        return Sync(
            descriptor: copy, size: size, generation: safety.generation,
            directory: safety.hasName ? nil : directory, disk: disk)
    }

    /// Handles the result of a sync that ran on another thread.
    mutating func finish(_ sync: Sync, _ failure: JournalDisk.Failure?) throws(RecoveryError) {
        // Ignore the result if the file was replaced since the sync began: it concerns the earlier file.
        guard sync.generation == safety.generation else { return }
        if let failure {
            if failure.step == "fdatasync" { safety.isSuspect = true }
            throw RecoveryError(path: path, step: failure.step, code: failure.code)
        }
        if sync.directory != nil { safety.hasName = true }
        if !safety.isSuspect { setSafe(sync.size) }
    }

    private mutating func setSafe(_ safe: Int) {
        guard safe > safety.size else { return }
        safety.recent?.removeFirst(safe - safety.size)
        safety.size = safe
        if safety.recent == nil, safe == size { safety.recent = Recent() }
    }

    /// Closes the file and releases its lock.
    mutating func close() {
        if descriptor >= 0 { _ = disk.close(descriptor, true) }
        descriptor = -1
    }
}
