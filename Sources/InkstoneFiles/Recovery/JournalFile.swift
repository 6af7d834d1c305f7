import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

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
    /// Which edits begin where.
    private var entries: [(first: Int, upTo: Int, offset: Int)] = []
    private var committedEntries = 0

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    /// Bytes that are added but not written.
    var buffered: Int { buffer.count }

    /// Adds the edits with these numbers, as the one edit that they come to.
    mutating func add(_ edit: JournalEdit, first: Int, upTo: Int) throws(RecoveryError) {
        entries.append((first, upTo, size + uncommitted + buffer.count))
        let inserted = edit.inserted.metrics.bytes
        guard inserted > Self.piece else {
            buffer += JournalFormat.encode(edit)
            return
        }
        var bytes: [UInt8] = []
        var low = edit.low
        var high = edit.high
        try edit.inserted.forEachChunk(in: edit.inserted.byteRange) { chunk, _ throws(RecoveryError) in
            bytes += chunk
            // Pieces end where nothing that may come to stand behind them could join them.
            guard bytes.count >= Self.piece, !Self.isOpenEnded(chunk) else { return }
            buffer += JournalFormat.encode(JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes)))
            low += bytes.count
            high = low
            bytes.removeAll(keepingCapacity: true)
            try flush()
        }
        if !bytes.isEmpty {
            buffer += JournalFormat.encode(JournalEdit(low: low, high: high, inserted: Rope(bytes: bytes)))
        }
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
        committedEntries = entries.count
    }

    /// Takes back what was added since the last commit.
    mutating func rollBack() {
        buffer.removeAll(keepingCapacity: true)
        uncommitted = 0
        entries.removeLast(entries.count - committedEntries)
        ftruncate(descriptor, off_t(start == nil ? size : 0))
        lseek(descriptor, off_t(start == nil ? size : 0), SEEK_SET)
    }

    private mutating func flush() throws(RecoveryError) {
        if let start {
            try Self.write(start, to: descriptor, path)
            self.start = nil
        }
        try Self.write(buffer, to: descriptor, path)
        uncommitted += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    /// Begins anew from a base; edits with numbers from `kept` on come after it. Nothing may be uncommitted. What cannot
    /// be written yet is with the next ``commit()``. False if the edits to keep cannot be told from the ones before, and
    /// are not in the file any more.
    mutating func rebase(to base: JournalBase, keepingFrom kept: Int) -> Bool {
        let index = entries.firstIndex { $0.first >= kept } ?? entries.count
        var isComplete = index == 0 || entries[index - 1].upTo <= kept
        var keeping = isComplete ? entries[index...] : []
        var tail: [UInt8] = []
        if let from = keeping.first?.offset {
            tail = read(from)
            if tail.count != size - from {
                isComplete = false
                keeping = []
                tail = []
            }
        }
        let head = JournalFormat.encode(base)
        let shift = head.count - (keeping.first?.offset ?? 0)
        entries = keeping.map { ($0.first, $0.upTo, $0.offset + shift) }
        committedEntries = entries.count
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
            try Self.write(bytes, to: replacement, fresh)
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

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(RecoveryError) {
        let code = bytes.withUnsafeBytes { FileTransfer.write($0, to: descriptor) }
        if let code { throw RecoveryError(path: path, step: "write", code: code) }
    }

    /// Waits until the disk has it.
    func sync() { fdatasync(descriptor) }

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
