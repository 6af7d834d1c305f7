import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// What a journal asks of its disk; tests put a disk there that hangs.
struct JournalDisk: Sendable {
    /// Writes all of some bytes; returns the `errno` that stopped it.
    var write: @Sendable (UnsafeRawBufferPointer, Int32) -> Int32? = { FileTransfer.write($0, to: $1) }
    /// Waits until the disk has what was written.
    var sync: @Sendable (Int32) -> Void = { _ = fdatasync($0) }
}

/// A journal's file. What is added counts once it is committed; after an error ``rollBack()`` leaves what was committed.
struct JournalFile {
    /// Bytes of a record at most, about: larger edits are several of them.
    static let piece = 1 << 20

    let path: String
    private var descriptor: Int32
    /// Where the last whole entry ends.
    private var size = 0
    private var uncommitted = 0
    private var buffer: [UInt8] = []
    /// What the file has to begin with if that could not be written yet.
    private var start: [UInt8]?
    /// Where some edits begin: the first one, and the first after each of the last marks. All a new base can keep is what
    /// comes after one of these.
    private var places: [(number: Int, offset: Int)] = []
    /// The number of the edit that comes next; nil before the first.
    private var nextNumber: Int?
    private var committedNumber: Int?
    private let disk: JournalDisk
    /// Most marks that a base may follow.
    static let mostMarks = 8

    init(path: String, descriptor: Int32, disk: JournalDisk = JournalDisk()) {
        self.path = path
        self.descriptor = descriptor
        self.disk = disk
    }

    /// How many places in the file are known.
    var placeCount: Int { places.count }

    /// Bytes that are added but not written.
    var buffered: Int { buffer.count }

    /// Adds the edits with these numbers, as the one edit that they come to.
    mutating func add(_ edit: JournalEdit, first: Int, upTo: Int) throws(RecoveryError) {
        if nextNumber == nil { place(first) }
        nextNumber = upTo
        let inserted = edit.inserted.metrics.bytes
        guard inserted > Self.piece else {
            JournalFormat.encode(edit, to: &buffer)
            return
        }
        var bytes: [UInt8] = []
        var low = edit.low
        var high = edit.high
        try edit.inserted.forEachChunk(in: edit.inserted.byteRange) { chunk, _ throws(RecoveryError) in
            bytes += chunk
            // Pieces end where nothing that may come to stand behind them could join them.
            guard bytes.count >= Self.piece, !Self.isOpenEnded(chunk) else { return }
            JournalFormat.encode(JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes)), to: &buffer)
            low += bytes.count
            high = low
            bytes.removeAll(keepingCapacity: true)
            try flush()
        }
        if !bytes.isEmpty || !edit.styles.isEmpty {
            JournalFormat.encode(
                JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes), styles: edit.styles), to: &buffer)
        }
    }

    /// Remembers that the edit with that number begins here, for a base that keeps the edits from it on.
    mutating func mark(_ number: Int) {
        guard nextNumber != nil else { return }
        place(number)
        // The first is not a mark.
        if places.count > Self.mostMarks + 1 { places.remove(at: 1) }
    }

    private mutating func place(_ number: Int) {
        places.removeAll { $0.number == number }
        places.append((number, size + uncommitted + buffer.count))
    }

    private static func isOpenEnded(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard let base = chunk.baseAddress else { return true }
        return UTF8Scan.isOpenEnded(base.assumingMemoryBound(to: UInt8.self), chunk.count)
    }

    /// Writes what was added.
    mutating func commit() throws(RecoveryError) {
        try flush()
        size += uncommitted
        uncommitted = 0
        committedNumber = nextNumber
    }

    /// Takes back what was added since the last commit.
    mutating func rollBack() {
        buffer.removeAll(keepingCapacity: true)
        uncommitted = 0
        nextNumber = committedNumber
        places.removeAll { $0.offset > size || nextNumber == nil }
        ftruncate(descriptor, off_t(start == nil ? size : 0))
        lseek(descriptor, off_t(start == nil ? size : 0), SEEK_SET)
    }

    private mutating func flush() throws(RecoveryError) {
        if let start {
            try write(start, to: descriptor, path)
            self.start = nil
        }
        try write(buffer, to: descriptor, path)
        uncommitted += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Begins anew from a base; edits with numbers from `kept` on come after it. Nothing may be uncommitted. What cannot
    /// be written yet is with the next ``commit()``. False if the edits to keep cannot be told from the ones before, and
    /// are not in the file any more.
    mutating func rebase(to base: JournalBase, keepingFrom kept: Int) -> Bool {
        var from: Int?
        var isComplete = true
        if let nextNumber, kept < nextNumber {
            // Edits before the first of the file are in no base that could follow.
            from =
                places.first { $0.number == kept }?.offset
                ?? places.first.flatMap { $0.number > kept ? $0.offset : nil }
            isComplete = from != nil
        }
        var tail: [UInt8] = []
        if let start = from {
            tail = read(start)
            if tail.count != size - start {
                isComplete = false
                from = nil
                tail = []
            }
        }
        let head = JournalFormat.encode(base)
        if let from {
            places = places.filter { $0.offset >= from }.map { ($0.number, $0.offset + head.count - from) }
        } else {
            places = []
            nextNumber = nil
        }
        committedNumber = nextNumber
        let whole = head + tail
        size = whole.count
        start = nil
        if !replace(by: whole) {
            // Without room for two: cut the old one first, because one with a new base and old edits would be wrong.
            start = whole
            rollBack()
        }
        return isComplete
    }

    /// Puts a new file in place of the old one, so that no moment is without a journal.
    private mutating func replace(by bytes: [UInt8]) -> Bool {
        let fresh = path + ".new"
        let replacement = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard replacement >= 0 else { return false }
        do throws(RecoveryError) {
            guard flock(replacement, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw RecoveryError(path: fresh, step: "flock", code: errno)
            }
            try write(bytes, to: replacement, fresh)
            guard rename(fresh, path) == 0 else { throw RecoveryError(path: path, step: "rename", code: errno) }
        } catch {
            FileLock.close(replacement)
            unlink(fresh)
            return false
        }
        FileLock.close(descriptor)
        descriptor = replacement
        return true
    }

    private func read(_ from: Int) -> [UInt8] {
        if let start { return Array(start[from...]) }
        var bytes = [UInt8](repeating: 0, count: max(0, size - from))
        let reader = open(path, O_RDONLY | O_CLOEXEC)
        guard reader >= 0 else { return [] }
        defer { Glibc.close(reader) }
        let done = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: reader, at: from).count }
        return Array(bytes.prefix(done))
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(RecoveryError) {
        let code = bytes.withUnsafeBytes { disk.write($0, descriptor) }
        if let code { throw RecoveryError(path: path, step: "write", code: code) }
    }

    /// Waits until the disk has it.
    func sync() { disk.sync(descriptor) }

    /// Another descriptor of the file as it is now, for the one who closes it; nil if there are too many.
    func duplicate() -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }

    /// Gives the file back, and with it the lock.
    mutating func close() {
        if descriptor >= 0 { FileLock.close(descriptor) }
        descriptor = -1
    }
}
