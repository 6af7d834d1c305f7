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
/// Sendable because what both threads use is in a monitor, and the file with what belongs to it is touched by the thread only
/// once it runs.
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

        mutating func enqueue(_ entry: JournalEntry) {
            guard gap == nil else {
                gap?.take(entry)
                if case .edit = entry { setGapText() }
                return
            }
            queue.append(entry)
            queueCost += entry.cost
        }

        /// Makes one gap of some entries, the gap that there is, and what is queued.
        mutating func fold(_ entries: [JournalEntry]) {
            if let first = entries.first?.number {
                var whole = JournalGap(first: first)
                for entry in entries { whole.take(entry) }
                if let gap { whole.append(gap, number: count) }
                gap = whole
            }
            guard let first = queue.first?.number else { return }
            var whole = gap ?? JournalGap(first: first)
            for entry in queue { whole.take(entry) }
            whole.setText(lastText)
            gap = whole
            queue = []
            queueCost = 0
        }
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

    /// What the owner's thread and the others share.
    private struct Shared {
        var pending = Pending()
        var flushes = Flushes()
        var ending = Ending()
        var placeCount = 0
        /// The descriptor with which another thread waits for the disk just now.
        var syncing: Int32?
    }

    /// Milliseconds of the monotonic clock.
    private struct Times {
        var retryAt: Int64?
        var unsyncedSince: Int64?
        var lastSync: Int64 = 0
    }

    /// Milliseconds between two flushes to the disk.
    private static let interval: Int64 = 1000
    /// Milliseconds before a failed write is tried again.
    private static let retry: Int64 = 2000

    private let path: String
    private let limit: Int
    private let reports: Reports
    private let disk: JournalDisk
    private let shared = Monitor(Shared())

    // The owner's.
    private var thread: pthread_t?

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
    }

    deinit { file.close() }

    /// Bytes that the edits on their way take, about.
    var heldBytes: Int { shared.withLock { $0.pending.queueCost + $0.pending.backlogCost } }

    /// How many places in the file it remembers.
    var knownPlaces: Int { shared.withLock { $0.placeCount } }

    /// Hands an edit to the thread. `text` gives the text after it. O(1), but for the copy of a node that a snapshot
    /// causes while the disk is full.
    ///
    /// - Parameter isWaking: whether the thread is woken for it; if not, the caller is to call ``wake()`` soon.
    /// - Returns: whether that call is still to be made: not for the second of several edits.
    @discardableResult
    func append(_ edit: JournalEdit, isWaking: Bool = true, text: () -> StyledText) -> Bool {
        shared.withLock(waking: isWaking) { shared in
            if shared.pending.wantsText { shared.pending.lastText = text() }
            shared.pending.enqueue(.edit(edit, number: shared.pending.count))
            shared.pending.count += 1
            let needsWake = !isWaking && !shared.pending.awaitsWake
            if needsWake { shared.pending.awaitsWake = true }
            guard shared.pending.queueCost + shared.pending.backlogCost > limit else { return needsWake }
            // The thread does not come to it: its disk hangs.
            shared.pending.wantsText = true
            shared.pending.lastText = text()
            shared.pending.fold([])
            return needsWake
        }
    }

    /// Has the thread look at what was appended without waking it.
    func wake() {
        shared.withLock(waking: true) { $0.pending.awaitsWake = false }
    }

    /// Takes a note of the text as it is now, which is about to be saved. Returns how many edits led to it.
    func mark(_ text: StyledText) -> Int {
        shared.withLock(waking: true) { shared in
            if shared.pending.wantsText { shared.pending.lastText = text }
            shared.pending.enqueue(.mark(text, number: shared.pending.count))
            return shared.pending.count
        }
    }

    /// Starts anew from a base, with the edits from that number on.
    func rebase(to base: JournalBase, keepingFrom kept: Int) {
        shared.withLock(waking: true) { $0.pending.enqueue(.base(base, kept: kept, number: $0.pending.count)) }
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
        let wanted = shared.withLock(waking: true) { shared in
            if shared.pending.wantsText, let text {
                shared.pending.lastText = text
                shared.pending.gap?.setText(text)
            }
            shared.flushes.wanted += 1
            return shared.flushes.wanted
        }
        return shared.wait(atMost: milliseconds) { $0.flushes.done >= wanted }
    }

    /// Ends the thread once it has written what is left, or without that if the file is to go with it. Waits for it at most
    /// that many milliseconds: a thread whose disk hangs ends by itself when it can.
    func stop(discarding: Bool, within milliseconds: Int) {
        guard !shared.withLock({ $0.ending.isStopping }) else { return }
        guard let thread else {
            // None was needed, or there was none to have.
            shared.withLock { $0.ending.isStopping = true }
            if discarding { unlink(path) }
            return file.close()
        }
        self.thread = nil
        shared.withLock(waking: true) {
            $0.ending.isStopping = true
            $0.ending.isDiscarding = discarding
        }
        let isOver = shared.wait(atMost: milliseconds) { $0.ending.hasEnded }
        if isOver { pthread_join(thread, nil) } else { pthread_detach(thread) }
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
            } else if let since = times.unsyncedSince,
                MonotonicClock.milliseconds - max(since, times.lastSync) >= Self.interval,
                !isSyncing
            {
                startSync()
                times.unsyncedSince = nil
                times.lastSync = MonotonicClock.milliseconds
            }
            shared.withLock(waking: work.flushes != nil) {
                $0.placeCount = file.placeCount
                if let reached = work.flushes { $0.flushes.done = reached }
            }
            if work.isLast { break }
        }
        // Not by the owner, whom a hung disk would hold. What is cut off in the middle of a new beginning may put a file
        // there once more, so that the last word is here.
        if shared.withLock({ $0.ending.isDiscarding }) { unlink(path) }
        // Gives the lock back as well.
        file.close()
        shared.withLock(waking: true) { $0.ending.hasEnded = true }
    }

    /// Waits for something to do.
    private func takeWork() -> Work {
        shared.wait { shared, due in
            if shared.pending.queue.isEmpty, shared.flushes.areDone, !shared.ending.isStopping {
                due = nextDue(shared)
                guard let due, due <= MonotonicClock.milliseconds else { return nil }
            }
            let work = Work(
                entries: shared.pending.queue, flushes: shared.flushes.areDone ? nil : shared.flushes.wanted,
                isLast: shared.ending.isStopping,
                isDiscarded: shared.ending.isStopping && shared.ending.isDiscarding)
            shared.pending.queue = []
            shared.pending.backlogCost += shared.pending.queueCost
            shared.pending.queueCost = 0
            return work
        }
    }

    /// When there is something to do without new entries, in milliseconds of the monotonic clock.
    private func nextDue(_ shared: Shared) -> Int64? {
        if let due = times.retryAt { return due }
        if shared.pending.gap?.isMendable == true { return MonotonicClock.milliseconds }
        return shared.syncing == nil ? times.unsyncedSince.map { max($0, times.lastSync) + Self.interval } : nil
    }

    /// Whether the disk is at work on what was written before.
    var isSyncing: Bool { shared.withLock { $0.syncing != nil } }

    /// Has another thread wait for the disk. A slow one takes seconds, and what is typed meanwhile is to get into the
    /// file, where it survives the end of this process.
    private func startSync() {
        guard let copy = file.duplicate() else { return file.sync() }
        shared.withLock { $0.syncing = copy }
        do throws(BackgroundThread.Failure) {
            pthread_detach(try BackgroundThread.start { [self] in finishSync() })
        } catch {
            finishSync()
        }
    }

    private func finishSync() {
        guard let descriptor = shared.withLock({ $0.syncing }) else { return }
        disk.sync(descriptor)
        close(descriptor)
        shared.withLock(waking: true) { $0.syncing = nil }
    }

    /// Writes what is there, and says so when that begins to fail and when it works again.
    private func write() {
        times.retryAt = nil
        do throws(RecoveryError) {
            try writeBacklog()
            try mend()
            let isWhole = shared.withLock { shared in
                shared.pending.backlogCost = 0
                guard shared.pending.gap == nil else { return false }
                shared.pending.wantsText = false
                shared.pending.lastText = nil
                return true
            }
            guard isWhole, isFailing else { return }
            isFailing = false
            reports.resumed()
        } catch {
            file.rollBack()
            times.retryAt = MonotonicClock.milliseconds + Self.retry
            shared.withLock { shared in
                shared.pending.wantsText = true
                shared.pending.backlogCost = backlog.reduce(0) { $0 + $1.cost }
                guard shared.pending.backlogCost > limit else { return }
                shared.pending.fold(backlog)
                shared.pending.setGapText()
                backlog = []
                shared.pending.backlogCost = 0
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
            if committed < next, times.unsyncedSince == nil { times.unsyncedSince = MonotonicClock.milliseconds }
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
        shared.withLock { shared in
            shared.pending.wantsText = true
            var lost = JournalGap.lost
            for entry in later + shared.pending.queue { lost.take(entry) }
            lost.setText(shared.pending.lastText)
            shared.pending.gap = lost
            shared.pending.queue = []
            shared.pending.queueCost = 0
        }
        return RecoveryError(path: path, step: "read", code: ENODATA)
    }

    /// Writes the gap, if it can be; what is typed meanwhile is queued behind it.
    private func mend() throws(RecoveryError) {
        let mending = shared.withLock { shared -> JournalGap? in
            guard let mending = shared.pending.gap, mending.isMendable else { return nil }
            shared.pending.gap = mending.isLost ? mending.withoutBase : nil
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
            if times.unsyncedSince == nil { times.unsyncedSince = MonotonicClock.milliseconds }
        } catch {
            shared.withLock { shared in
                let later = shared.pending.gap
                shared.pending.gap = mending.withoutBase
                if let later { shared.pending.appendToGap(later) }
                shared.pending.fold([])
            }
            throw error
        }
    }
}
