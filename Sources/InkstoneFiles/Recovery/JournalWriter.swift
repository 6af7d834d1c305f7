import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// The thread that writes a journal.
///
/// ```
/// append ──► queue ──► backlog ──► file          what is on its way, edit by edit
///               └────────┴──────► gap ──► file   what the disk did not take, as one edit or two, when there is room again
/// ```
///
/// Queue and backlog together hold ``limit`` bytes at most, and a gap a few numbers and a snapshot of the text: what a
/// journal keeps in memory is bounded, however long its disk is full.
///
/// Sendable because all mutable members are used under the lock, but for the file and what belongs to it, which only
/// the thread touches once it runs.
final class JournalWriter: @unchecked Sendable {
    /// What a journal tells its owner, on the writer's thread.
    struct Reports: Sendable {
        var failed: @Sendable (RecoveryError) -> Void
        var resumed: @Sendable () -> Void
    }

    /// What is on its way, and what may have to stand in for it.
    private struct Pending {
        var queue: [JournalEntry] = []
        var queueCost = 0
        /// What the thread has taken and not yet written costs.
        var backlogCost = 0
        var gap: JournalGap?
        /// Whether the texts after edits are asked for, because a gap may need the last one: taking a snapshot makes the next
        /// edit copy, so it is not done when all is well.
        var wantsText = false
        var lastText: StyledText?
        /// Edits ever handed over.
        var count = 0
        /// Whether the owner is going to wake the thread for edits that it did not wake it for.
        var awaitsWake = false

        mutating func setGapText() { gap?.setText(lastText) }

        mutating func appendToGap(_ later: JournalGap) { gap?.append(later, number: count) }
    }

    /// How many flushes were asked for, and up to which of them all is on the disk.
    private struct Flushes {
        var wanted = 0
        var done = 0
        var areDone: Bool { wanted == done }
    }

    /// How far the end of the thread has come.
    private struct Ending {
        var isStopping = false
        /// Whether the file goes when the thread ends.
        var isDiscarding = false
        var hasEnded = false
    }

    /// Milliseconds of the monotonic clock.
    private struct Times {
        var retryAt: Int?
        var unsyncedSince: Int?
        var lastSync = 0
    }

    /// Milliseconds between two flushes to the disk.
    private static let interval = 1000
    /// Milliseconds before a failed write is tried again.
    private static let retry = 2000

    private let path: String
    private let limit: Int
    private let reports: Reports
    private let disk: JournalDisk
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    // Under the lock.
    private var pending = Pending()
    private var flushes = Flushes()
    private var ending = Ending()
    private var placeCount = 0
    private var thread: pthread_t?
    /// The descriptor with which another thread waits for the disk just now.
    private var syncing: Int32?

    // The thread's own.
    private var file: JournalFile
    private var backlog: [JournalEntry] = []
    private var isFailing = false
    private var times = Times()

    init(path: String, descriptor: Int32, limit: Int, reports: Reports, disk: JournalDisk = JournalDisk()) {
        self.path = path
        self.limit = limit
        self.reports = reports
        self.disk = disk
        file = JournalFile(path: path, descriptor: descriptor, disk: disk)
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
        file.close()
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

    /// Bytes that the edits on their way take, about.
    var heldBytes: Int { locked { pending.queueCost + pending.backlogCost } }

    /// How many places in the file it remembers.
    var knownPlaces: Int { locked { placeCount } }

    /// Hands an edit to the thread. `text` gives the text after it. O(1), but for the copy of a node that a snapshot
    /// causes while the disk is full.
    ///
    /// - Parameter isWaking: whether the thread is woken for it; if not, the caller is to call ``wake()`` soon.
    /// - Returns: whether that call is still to be made: not for the second of several edits.
    @discardableResult
    func append(_ edit: JournalEdit, isWaking: Bool = true, text: () -> StyledText) -> Bool {
        locked {
            if pending.wantsText { pending.lastText = text() }
            enqueue(.edit(edit, number: pending.count), isWaking: isWaking)
            pending.count += 1
            let needsWake = !isWaking && !pending.awaitsWake
            if needsWake { pending.awaitsWake = true }
            guard pending.queueCost + pending.backlogCost > limit else { return needsWake }
            // The thread does not come to it: its disk hangs.
            pending.wantsText = true
            pending.lastText = text()
            fold([])
            return needsWake
        }
    }

    /// Has the thread look at what was appended without waking it.
    func wake() {
        locked {
            pending.awaitsWake = false
            pthread_cond_broadcast(changed)
        }
    }

    /// Takes a note of the text as it is now, which is about to be saved. Returns how many edits led to it.
    func mark(_ text: StyledText) -> Int {
        locked {
            if pending.wantsText { pending.lastText = text }
            enqueue(.mark(text, number: pending.count))
            return pending.count
        }
    }

    /// Starts anew from a base, with the edits from that number on.
    func rebase(to base: JournalBase, keepingFrom kept: Int) {
        locked { enqueue(.base(base, kept: kept, number: pending.count)) }
    }

    private func enqueue(_ entry: JournalEntry, isWaking: Bool = true) {
        if pending.gap != nil {
            pending.gap?.take(entry)
            if case .edit = entry { pending.setGapText() }
        } else {
            pending.queue.append(entry)
            pending.queueCost += entry.cost
        }
        if isWaking { pthread_cond_broadcast(changed) }
    }

    /// Makes one gap of some entries, the gap that there is, and what is queued. Under the lock.
    private func fold(_ entries: [JournalEntry]) {
        if let first = entries.first?.number {
            var whole = JournalGap(first: first)
            for entry in entries { whole.take(entry) }
            if let gap = pending.gap { whole.append(gap, number: pending.count) }
            pending.gap = whole
        }
        guard let first = pending.queue.first?.number else { return }
        var whole = pending.gap ?? JournalGap(first: first)
        for entry in pending.queue { whole.take(entry) }
        whole.setText(pending.lastText)
        pending.gap = whole
        pending.queue = []
        pending.queueCost = 0
    }

    func start() {
        do throws(BackgroundThread.Failure) {
            thread = try BackgroundThread.start { [self] in run() }
        } catch {
            reports.failed(RecoveryError(path: path, step: "thread", code: error.code))
        }
    }

    /// Waits until everything handed over is on the disk, or cannot be; at most that many milliseconds, because a disk may
    /// hang. `text` is the present text. Returns whether the thread came to it.
    func flush(_ text: StyledText?, within milliseconds: Int) -> Bool {
        guard thread != nil else { return false }
        return locked {
            if pending.wantsText, let text {
                pending.lastText = text
                pending.gap?.setText(text)
            }
            flushes.wanted += 1
            let wanted = flushes.wanted
            pthread_cond_broadcast(changed)
            return wait(milliseconds) { flushes.done >= wanted }
        }
    }

    /// Ends the thread once it has written what is left, or without that if the file is to go with it. Waits for it at most
    /// that many milliseconds: a thread whose disk hangs ends by itself when it can.
    func stop(discarding: Bool, within milliseconds: Int) {
        guard !locked({ ending.isStopping }) else { return }
        guard let thread else {
            // None was needed, or there was none to have.
            locked { ending.isStopping = true }
            if discarding { unlink(path) }
            return file.close()
        }
        self.thread = nil
        let isOver = locked {
            ending.isStopping = true
            ending.isDiscarding = discarding
            pthread_cond_broadcast(changed)
            return wait(milliseconds) { ending.hasEnded }
        }
        if isOver { pthread_join(thread, nil) } else { pthread_detach(thread) }
    }

    /// Waits for something, at most that long. Under the lock. Returns whether it came.
    private func wait(_ milliseconds: Int, until isDone: () -> Bool) -> Bool {
        let due = Self.now() + milliseconds
        var time = timespec(tv_sec: due / 1000, tv_nsec: due % 1000 * 1_000_000)
        while !isDone() {
            if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { return isDone() }
        }
        return true
    }

    // MARK: The thread

    /// What the thread takes at a time.
    private struct Work {
        var entries: [JournalEntry]
        var flushes: Int?
        var isLast: Bool
        var isDiscarded: Bool
    }

    private func run() {
        while true {
            let work = takeWork()
            if work.isDiscarded { break }
            backlog += work.entries
            write()
            if work.flushes != nil || work.isLast {
                if times.unsyncedSince != nil || isSyncing { file.sync() }
                times.unsyncedSince = nil
            } else if let since = times.unsyncedSince, Self.now() - max(since, times.lastSync) >= Self.interval,
                !isSyncing
            {
                startSync()
                times.unsyncedSince = nil
                times.lastSync = Self.now()
            }
            locked {
                placeCount = file.placeCount
                guard let reached = work.flushes else { return }
                flushes.done = reached
                pthread_cond_broadcast(changed)
            }
            if work.isLast { break }
        }
        // Not by the owner, whom a hung disk would hold. What is cut off in the middle of a new beginning may put a file
        // there once more, so that the last word is here.
        if locked({ ending.isDiscarding }) { unlink(path) }
        // Gives the lock back as well.
        file.close()
        locked {
            ending.hasEnded = true
            pthread_cond_broadcast(changed)
        }
    }

    /// Waits for something to do.
    private func takeWork() -> Work {
        locked {
            while pending.queue.isEmpty, flushes.areDone, !ending.isStopping {
                guard let due = nextDue() else {
                    pthread_cond_wait(changed, mutex)
                    continue
                }
                var time = timespec(tv_sec: due / 1000, tv_nsec: due % 1000 * 1_000_000)
                if pthread_cond_timedwait(changed, mutex, &time) == ETIMEDOUT { break }
            }
            defer {
                pending.queue = []
                pending.backlogCost += pending.queueCost
                pending.queueCost = 0
            }
            return Work(
                entries: pending.queue, flushes: flushes.areDone ? nil : flushes.wanted, isLast: ending.isStopping,
                isDiscarded: ending.isStopping && ending.isDiscarding)
        }
    }

    /// When there is something to do without new entries, in milliseconds of the monotonic clock. Under the lock.
    private func nextDue() -> Int? {
        if let due = times.retryAt { return due }
        if pending.gap?.isMendable == true { return Self.now() }
        return syncing == nil ? times.unsyncedSince.map { max($0, times.lastSync) + Self.interval } : nil
    }

    /// Whether the disk is at work on what was written before.
    var isSyncing: Bool { locked { syncing != nil } }

    /// Has another thread wait for the disk. A slow one takes seconds, and what is typed meanwhile is to get into the
    /// file, where it survives the end of this process.
    private func startSync() {
        guard let copy = file.duplicate() else { return file.sync() }
        locked { syncing = copy }
        do throws(BackgroundThread.Failure) {
            pthread_detach(try BackgroundThread.start { [self] in finishSync() })
        } catch {
            finishSync()
        }
    }

    private func finishSync() {
        guard let descriptor = locked({ syncing }) else { return }
        disk.sync(descriptor)
        close(descriptor)
        locked {
            syncing = nil
            pthread_cond_broadcast(changed)
        }
    }

    /// Writes what is there, and says so when that begins to fail and when it works again.
    private func write() {
        times.retryAt = nil
        do throws(RecoveryError) {
            try writeBacklog()
            try mend()
            let isWhole = locked {
                pending.backlogCost = 0
                guard pending.gap == nil else { return false }
                pending.wantsText = false
                pending.lastText = nil
                return true
            }
            guard isWhole, isFailing else { return }
            isFailing = false
            reports.resumed()
        } catch {
            file.rollBack()
            times.retryAt = Self.now() + Self.retry
            locked {
                pending.wantsText = true
                pending.backlogCost = backlog.reduce(0) { $0 + $1.cost }
                guard pending.backlogCost > limit else { return }
                fold(backlog)
                pending.setGapText()
                backlog = []
                pending.backlogCost = 0
            }
            guard !isFailing else { return }
            isFailing = true
            reports.failed(error)
        }
    }

    private func writeBacklog() throws(RecoveryError) {
        var next = 0
        var committed = 0
        defer { backlog.removeFirst(committed) }
        func commit() throws(RecoveryError) {
            try file.commit()
            if committed < next, times.unsyncedSince == nil { times.unsyncedSince = Self.now() }
            committed = next
        }
        // What a base left behind that found no room.
        try commit()
        while next < backlog.count {
            switch backlog[next] {
            case .mark(_, let number):
                file.mark(number)
                next += 1
            case .edit(let edit, let number):
                try file.add(edit, first: number, upTo: number + 1)
                next += 1
                if file.buffered >= JournalFile.piece { try commit() }
            case .base(let base, let kept, _):
                try commit()
                let isComplete = file.rebase(to: base, keepingFrom: kept)
                next += 1
                committed = next
                guard isComplete else {
                    let later = Array(backlog[next...])
                    committed = backlog.count
                    throw lose(later)
                }
            }
        }
        try commit()
    }

    /// Gives up on edits that came after a base, because some between it and them are gone.
    private func lose(_ later: [JournalEntry]) -> RecoveryError {
        locked {
            pending.wantsText = true
            var lost = JournalGap.lost
            for entry in later + pending.queue { lost.take(entry) }
            lost.setText(pending.lastText)
            pending.gap = lost
            pending.queue = []
            pending.queueCost = 0
        }
        return RecoveryError(path: path, step: "read", code: ENODATA)
    }

    /// Writes the gap, if it can be; what is typed meanwhile is queued behind it.
    private func mend() throws(RecoveryError) {
        let mending = locked { () -> JournalGap? in
            guard let mending = pending.gap, mending.isMendable else { return nil }
            pending.gap = mending.isLost ? mending.withoutBase : nil
            return mending
        }
        guard let mending else { return }
        if let (base, kept) = mending.base {
            let isComplete = file.rebase(to: base, keepingFrom: kept)
            guard !mending.isLost else { return try file.commit() }
            guard isComplete else { throw lose([]) }
        }
        do throws(RecoveryError) {
            for segment in mending.segments {
                if segment.isMarked { file.mark(segment.first) }
                if let edit = segment.edit { try file.add(edit, first: segment.first, upTo: segment.upTo) }
            }
            try file.commit()
            if times.unsyncedSince == nil { times.unsyncedSince = Self.now() }
        } catch {
            locked {
                let later = pending.gap
                pending.gap = mending.withoutBase
                if let later { pending.appendToGap(later) }
                fold([])
            }
            throw error
        }
    }

    private static func now() -> Int { Int(MonotonicClock.milliseconds) }
}
