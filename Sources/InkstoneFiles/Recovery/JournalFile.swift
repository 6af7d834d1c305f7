import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// A journal's file. What is added counts once it is committed; after an error ``rollBack()`` leaves what was committed, and is on the disk
/// once it is synced.
///
/// A new base is a record like others: the file goes on, with all bases that it had, so that a power loss which takes back a save finds
/// the base of before. It is written anew when it has grown, when the name of its document changes, after a failed sync, because
/// the system may have dropped the pages that it could not write, and when somebody has removed it or given it another name: nobody would
/// find what is written to it then.
struct JournalFile {
    /// Bytes of a record at most, about: larger edits are several of them.
    static let piece = 1 << 20
    /// Factor by which a file outgrows its text before it is folded.
    static let growth = 4
    /// A number of a transaction that none reaches.
    static let never = 1 << 47

    let path: FilePath
    private let directory: FilePath
    private var descriptor: Int32
    private let disk: JournalDisk
    private var buffer: [UInt8] = []
    /// Bytes that are written and not yet committed.
    private var uncommitted = 0
    /// The checksums of the last record that was added, and of the last that was committed.
    private var chain = (added: UInt64(0), committed: UInt64(0))
    /// The end of the last whole transaction, in bytes.
    private var size = 0
    private var base = JournalBaseRecord(kind: .standing, base: JournalBase(path: nil, identity: nil), kept: 0)
    private var coming: JournalBaseRecord?
    /// The base's content that is still to be written, with the next transaction or sync.
    private var unwrittenContents: (contents: FileContents, bytes: [UInt8]?, isAdded: Bool)?
    /// Transactions that are one record together.
    private var joined: [Range<Int>] = []
    private var safety = Safety()
    /// Bytes that no file is too large with.
    private let smallest: Int
    /// Bytes from which on the file is written anew: at a save, and with what its edits come to.
    private var limits: (compact: Int, fold: Int)
    /// Whether the coming base has become one, with the next commit.
    private var hasCome = false

    /// The part of the file that is on the disk, in bytes from its start.
    private struct Safety {
        /// Bytes from the start that are.
        var size = 0
        /// The committed bytes behind them; nil if they are too many to keep.
        var recent: Recent? = Recent()
        /// Whether the name is.
        var hasName = false
        /// Whether the system may have dropped what it could not write, or nobody finds the file by its name.
        var isSuspect = false
        /// The number of files that have stood for the journal.
        var generation = 0
    }

    /// Bytes that were written and are not known to be on the disk. A copy of a file among them is the one that the base has.
    private struct Recent {
        private(set) var pieces: [ArraySlice<UInt8>] = []
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

    /// With a `descriptor` it is there and empty; else it is made with its first base.
    init(path: FilePath, descriptor: Int32 = -1, disk: JournalDisk = JournalDisk(), smallest: Int = 1 << 20) {
        self.path = path
        self.smallest = smallest
        limits = (smallest, smallest)
        directory = path.directory
        self.descriptor = descriptor
        self.disk = disk
    }

    /// Transactions that are known to be one record together.
    var placeCount: Int { joined.count }

    /// Bytes that are added but not written.
    var buffered: Int { buffer.count }

    /// Whether all that was committed is on the disk.
    var isDurable: Bool { safety.size == size && safety.hasName && !safety.isSuspect && unwrittenContents == nil }

    /// Whether others find the file by its name.
    var isNamed: Bool { disk.isNamed(descriptor, path) }

    /// Whether the file is to be written anew, because a sync failed or its name is gone.
    var isSuspect: Bool { safety.isSuspect }

    // MARK: Adding

    /// Adds the edits of the transactions with these numbers. With `isOpen` they do not count before those of the next ones are there.
    mutating func add(_ edits: [JournalEdit], _ numbers: Range<Int>, isOpen: Bool = false) throws(RecoveryError) {
        try addContents()
        if numbers.count > 1 { joined = joined.suffix(15) + [numbers] }
        for (index, edit) in edits.enumerated() {
            try add(edit, numbers, isLast: !isOpen && index == edits.count - 1)
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
            // Pieces end where nothing that may come to stand behind them could join them.
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

    /// Adds that the next transaction has the edits of another journal.
    mutating func addReplaced(_ name: FilePath) {
        JournalFormat.encodeReplaced(name, to: &buffer, chain: &chain.added)
    }

    /// Adds that the text is to be saved in a format.
    mutating func addFormat(_ format: TextFileFormat) {
        JournalFormat.encode(format, to: &buffer, chain: &chain.added)
    }

    /// Adds a base that is being saved.
    mutating func addComing(_ base: JournalBase, _ contents: FileContents, keepingFrom kept: Int) {
        let record = JournalBaseRecord(kind: .coming, base: base, contents: contents, kept: kept)
        coming = record
        JournalFormat.encode(record, to: &buffer, chain: &chain.added)
    }

    /// Notes the content of the base, if it is the file with this identity.
    mutating func setContents(_ contents: FileContents, _ bytes: [UInt8]?, of identity: FileIdentity) {
        guard base.base.identity == identity, base.copy == nil else { return }
        unwrittenContents = (contents, bytes, false)
    }

    private mutating func addContents() throws(RecoveryError) {
        guard let (contents, bytes, isAdded) = unwrittenContents, !isAdded else { return }
        unwrittenContents?.isAdded = true
        try add(contents, bytes?[...])
    }

    /// Adds the content of the base, and a copy of its file if there is one: written from where it is.
    private mutating func add(_ contents: FileContents, _ copy: ArraySlice<UInt8>?) throws(RecoveryError) {
        JournalFormat.encode(contents, before: copy, to: &buffer, chain: &chain.added)
        guard let copy else { return }
        try flush()
        try write(copy)
    }

    // MARK: Writing

    /// Writes what was added.
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

    /// Takes back what was added since the last commit.
    mutating func rollBack() {
        buffer.removeAll(keepingCapacity: true)
        let isWritten = uncommitted > 0
        uncommitted = 0
        chain.added = chain.committed
        hasCome = false
        if let (contents, bytes, isAdded) = unwrittenContents, isAdded {
            // A large copy that the disk does not take is not to keep edits off it, for which there may be room.
            unwrittenContents = (contents, bytes.flatMap { $0.count > 4 << 20 ? nil : $0 }, false)
        }
        keepRecent()
        // What stays behind does not continue the checksums, so that it does no harm; but it may be much.
        if descriptor >= 0, disk.truncate(descriptor, size) != nil, isWritten { safety.isSuspect = true }
    }

    /// Makes the file and its directory, unless it is there.
    private mutating func make() throws(RecoveryError) {
        guard descriptor < 0 else { return }
        try JournalDirectory.make(directory)
        for attempt in 0..<100 {
            // The first attempt creates the file. A later one finds the one made here, if it was locked or removed by another before this
            // process had its lock.
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

    /// Begins the file with its first base, or goes on from a new base; transactions with numbers from `kept` on come after it. Nothing
    /// may be uncommitted. The base is written with the next ``commit()``. False if the transactions to keep cannot be told from those
    /// before.
    mutating func rebase(to new: JournalBase, keepingFrom kept: Int) throws(RecoveryError) -> Bool {
        let isComplete = kept != .max && !joined.contains { $0.lowerBound < kept && $0.upperBound > kept }
        var record = JournalBaseRecord(
            kind: .standing, base: new, kept: isComplete ? kept : Self.never, isBreak: !isComplete)
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

    /// Puts a file with this base and what comes after it in place of the present one; false if that cannot be done.
    private mutating func compact(_ record: JournalBaseRecord) -> Bool {
        guard let bytes = try? wholeBytes(), let content = JournalFormat.decode(bytes), content.isWhole else {
            return false
        }
        let kept = content.edits.filter { $0.numbers.lowerBound >= record.kept }
        var (bytesAnew, sum) = head()
        JournalFormat.encode(record, to: &bytesAnew, chain: &sum)
        // Those that were replaced may be there still.
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

    /// Whether it has grown so much that it is worth to ask for the text, which tells whether it is to be folded.
    var isLarge: Bool { size > limits.fold }

    /// Puts a file in place of the present one that has the base and, for all edits since, what they come to. Nothing may be uncommitted.
    /// Does nothing if that would not be much less, or the disk does not take it.
    ///
    /// - Parameters:
    ///   - gap: all that came after the base, with the text at its marks and at its end.
    ///   - textSize: the length of the text in bytes.
    mutating func fold(_ gap: JournalGap, textSize: Int) {
        let worth = Self.growth * (textSize + (base.copy?.count ?? 0))
        limits.fold = max(smallest, worth, 2 * size)
        // A save that is under way may have put its file in place already: it is known still, and which edits come after it.
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
        limits.fold = max(smallest, worth, 2 * size)
    }

    /// All that was committed: what is on the disk is read there, the rest is remembered.
    private func wholeBytes() throws(RecoveryError) -> [UInt8] {
        var bytes = disk.read(descriptor, safety.recent == nil ? size : safety.size)
        for piece in safety.recent?.pieces ?? [] { bytes += piece }
        guard bytes.count == size, let (whole, sum) = JournalFormat.wholeSize(bytes), whole == size,
            sum == chain.committed
        else { throw RecoveryError(path: path, step: "read", code: EIO) }
        return bytes
    }

    /// Puts a new file in place of the present one, on the disk before it has the name.
    private mutating func replace(
        by write: (inout JournalFile) throws(RecoveryError) -> Void
    ) throws(RecoveryError) {
        let freshPath = path.appending(suffix: ".new")
        var created = disk.create(freshPath, false)
        if case .failure(let failure) = created, failure.code == ENOENT {
            // The directory went with the journal.
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
        // Its content is on the disk or in the new file: a failed close loses nothing.
        _ = disk.close(descriptor, true)
        descriptor = fresh.descriptor
        size = fresh.size
        safety = Safety(size: size, generation: safety.generation + 1)
        if disk.syncDirectory(directory) == nil { safety.hasName = true }
    }

    // MARK: Safety

    /// Waits until the disk has all that was committed. After a failed sync, and if the file has lost its name, in one that is written anew.
    mutating func sync() throws(RecoveryError) {
        try make()
        try addContents()
        try commit()
        // Until there is another file, nothing is safe in this one.
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

    /// A sync that another thread does.
    struct Sync: Sendable {
        let descriptor: Int32
        fileprivate let size: Int
        fileprivate let generation: Int
        fileprivate let directory: FilePath?
        fileprivate let disk: JournalDisk

        /// Waits until the disk has it; returns the call that failed.
        func run() -> JournalDisk.Failure? {
            defer { _ = disk.close(descriptor, false) }
            if let code = disk.sync(descriptor) { return JournalDisk.Failure(step: "fdatasync", code: code) }
            guard let directory, let code = disk.syncDirectory(directory) else { return nil }
            return JournalDisk.Failure(step: "fsync", code: code)
        }
    }

    /// A sync of what is committed now; nil if there are too many descriptors, or the file has lost its name.
    func makeSync() -> Sync? {
        guard isNamed, let copy = disk.duplicate(descriptor) else { return nil }
        return Sync(
            descriptor: copy, size: size, generation: safety.generation,
            directory: safety.hasName ? nil : directory, disk: disk)
    }

    /// Takes the result of a sync that another thread did.
    mutating func finish(_ sync: Sync, _ failure: JournalDisk.Failure?) throws(RecoveryError) {
        // The one of a file that was replaced meanwhile says nothing.
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

    /// Gives the file back, and with it the lock.
    mutating func close() {
        if descriptor >= 0 { _ = disk.close(descriptor, true) }
        descriptor = -1
    }
}
