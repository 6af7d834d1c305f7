import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The thread that writes a journal.
///
/// Sendable because all mutable members are used under the lock, but for the descriptor and what belongs to the file,
/// which only the thread touches once it runs.
final class JournalWriter: @unchecked Sendable {
    enum Entry {
        case edit(JournalEdit)
        /// A new base; the edits from that one on, counted from the start, still come after it.
        case base(JournalBase, keepingFrom: Int)
    }

    /// Milliseconds between two flushes to the disk.
    private static let interval = 1000
    /// Milliseconds before a failed write is tried again.
    private static let retry = 2000

    private let path: String
    private let onFailure: @Sendable (RecoveryError) -> Void
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    // Under the lock.
    private var queue: [Entry] = []
    private var count = 0
    private var isStopping = false
    private var wantsFlush = false
    private var thread: pthread_t?

    // The thread's own.
    private var descriptor: Int32
    private var size = 0
    private var pending: [UInt8] = []
    private var hasFailed = false
    /// Where each edit of the file starts, the first one's number, and where the base ends.
    private var starts: [Int] = []
    private var firstEdit = 0
    private var unsyncedSince: Int?
    private var lastSync = 0

    init(path: String, descriptor: Int32, onFailure: @escaping @Sendable (RecoveryError) -> Void) {
        self.path = path
        self.descriptor = descriptor
        self.onFailure = onFailure
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Number of edits given so far.
    var editCount: Int { locked { count } }

    /// Hands an entry to the thread. O(1).
    func append(_ entry: Entry) {
        locked {
            queue.append(entry)
            if case .edit = entry { count += 1 }
            pthread_cond_broadcast(changed)
        }
    }

    func start() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        let error = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<JournalWriter>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        if error == 0 {
            self.thread = thread
        } else {
            Unmanaged<JournalWriter>.fromOpaque(context).release()
            onFailure(RecoveryError(path: path, step: "thread", code: error))
        }
    }

    /// Waits until everything handed over is on the disk, or cannot be.
    func flush() {
        guard thread != nil else { return }
        locked {
            wantsFlush = true
            pthread_cond_broadcast(changed)
            while wantsFlush { pthread_cond_wait(changed, mutex) }
        }
    }

    /// Writes what is left and ends the thread.
    func stop() {
        guard let thread else { return }
        self.thread = nil
        locked {
            isStopping = true
            pthread_cond_broadcast(changed)
        }
        pthread_join(thread, nil)
        // Gives the lock back as well.
        close(descriptor)
        descriptor = -1
    }

    // MARK: The thread

    private func run() {
        while true {
            let (entries, flushing, stopping) = locked { () -> ([Entry], Bool, Bool) in
                while queue.isEmpty, !wantsFlush, !isStopping {
                    guard let due = nextDue() else {
                        pthread_cond_wait(changed, mutex)
                        continue
                    }
                    var time = timespec(tv_sec: due / 1000, tv_nsec: due % 1000 * 1_000_000)
                    if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { break }
                }
                defer { queue = [] }
                return (queue, wantsFlush, isStopping)
            }
            for entry in entries { take(entry) }
            write()
            if let since = unsyncedSince, flushing || stopping || Self.now() - max(since, lastSync) >= Self.interval {
                fdatasync(descriptor)
                unsyncedSince = nil
                lastSync = Self.now()
            }
            locked {
                guard flushing else { return }
                wantsFlush = false
                pthread_cond_broadcast(changed)
            }
            if stopping { return }
        }
    }

    /// When there is something to do without new entries, in milliseconds of the monotonic clock.
    private func nextDue() -> Int? {
        if !pending.isEmpty { return Self.now() + Self.retry }
        return unsyncedSince.map { max($0, lastSync) + Self.interval }
    }

    private func take(_ entry: Entry) {
        switch entry {
        case .edit(let edit):
            starts.append(size + pending.count)
            pending += JournalFormat.encode(edit)
        case .base(let base, let kept):
            rebase(base, keepingFrom: kept)
        }
    }

    /// Puts a new base at the start and moves the edits that are kept behind it.
    private func rebase(_ base: JournalBase, keepingFrom kept: Int) {
        write()
        var tail: [UInt8] = []
        let index = min(max(0, kept - firstEdit), starts.count)
        let keptStarts = starts[index...]
        if let start = keptStarts.first {
            let end = size
            tail = [UInt8](repeating: 0, count: max(0, end - start))
            let reader = open(path, O_RDONLY | O_CLOEXEC)
            let got = pread(reader, &tail, tail.count, start)
            if reader >= 0 { close(reader) }
            tail = Array(tail.prefix(max(0, got))) + pending
        } else {
            tail = pending
        }
        let head = JournalFormat.encode(base)
        let shift = head.count - (keptStarts.first ?? 0)
        starts = keptStarts.map { $0 + shift }
        firstEdit = kept
        size = 0
        pending = head + tail
        // A new file in place of the old one, so that no moment is without a journal.
        let fresh = path + ".new"
        let replacement = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if replacement >= 0 {
            _ = flock(replacement, LOCK_EX | LOCK_NB)
            let written = pending.withUnsafeBytes { Glibc.write(replacement, $0.baseAddress, $0.count) }
            if written == pending.count, rename(fresh, path) == 0 {
                close(descriptor)
                descriptor = replacement
                size = written
                pending.removeAll()
                if unsyncedSince == nil { unsyncedSince = Self.now() }
                return
            }
            close(replacement)
            unlink(fresh)
        }
        // Without room for two: cut the old one first, because a journal without a base is ignored, and one with a new
        // base and old edits would be wrong.
        ftruncate(descriptor, 0)
        lseek(descriptor, 0, SEEK_SET)
        write()
    }

    private func write() {
        guard !pending.isEmpty else { return }
        var done = 0
        while done < pending.count {
            let n = pending.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if n > 0 {
                done += n
            } else if n < 0, errno == EINTR {
                continue
            } else {
                let code = errno
                // Back to the last whole record, so that what is there can be read.
                ftruncate(descriptor, off_t(size))
                lseek(descriptor, off_t(size), SEEK_SET)
                if !hasFailed {
                    hasFailed = true
                    onFailure(RecoveryError(path: path, step: "write", code: code))
                }
                return
            }
        }
        hasFailed = false
        size += done
        pending.removeAll()
        if unsyncedSince == nil { unsyncedSince = Self.now() }
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
