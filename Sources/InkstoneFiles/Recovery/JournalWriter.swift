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
/// journal keeps of edits in memory is bounded, however long its disk is full. The copy of the base's file is in memory once, for as long
/// as that is the base: queue, gap and file share it.
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
        /// Transactions ever handed over.
        var count = 0
        /// Whether the next text is to be handed over, because the file is to be folded.
        var wantsFold = false
        /// Whether the owner is going to wake the thread for edits that it did not wake it for.
        var awaitsWake = false
        /// Whether the last edits count only together with those that come next.
        var isOpen = false
        /// Whether the gap can be written now.
        var isMendable: Bool { !isOpen && gap?.isMendable == true }

        mutating func setGapText() { gap?.setText(lastText) }

        mutating func appendToGap(_ later: JournalGap) { gap?.append(later, number: count) }

        mutating func enqueue(_ entry: JournalEntry) {
            guard gap == nil else {
                gap?.take(entry)
                if entry.isEdit { setGapText() }
                return
            }
            queue.enqueue(entry)
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

    /// The number of flushes asked for, and of those that the thread has come to.
    private struct Flushes {
        var wanted = 0
        var done = 0
        /// Whether all that was handed over before the last of them is on the disk.
        var isDurable = false
        var areDone: Bool { wanted == done }
    }

    /// How far the end of the thread has come.
    private struct Ending {
        var hasThread = false
        var isStopping = false
        /// Whether the file goes when the thread ends.
        var isDiscarding = false
        var hasEnded = false
        /// Whether all that was handed over is on the disk.
        var isDurable = false
    }

    /// What the owner's thread and the others share.
    private struct Shared {
        var pending = Pending()
        var flushes = Flushes()
        var ending = Ending()
        var placeCount = 0
        /// The sync that another thread does just now, and what became of it.
        var syncing: JournalFile.Sync?
        var synced: (sync: JournalFile.Sync, failure: JournalDisk.Failure?)?
    }

    /// Milliseconds of the monotonic clock.
    private struct Times {
        var retryAt: Int64?
        var unsyncedSince: Int64?
        var lastSync: Int64 = 0
        /// When the journal's name was looked at last.
        var lastLook: Int64 = 0
    }

    /// Milliseconds between two flushes to the disk.
    private static let interval: Int64 = 1000
    /// Milliseconds between two looks whether the journal is still there, for as long as it has something that no file has.
    private static let look: Int64 = 2000
    /// Milliseconds before a failed write is tried again.
    private static let retry: Int64 = 2000

    private let path: FilePath
    private let limit: Int
    private let reports: Reports
    private let disk: JournalDisk
    private let shared = Monitor(Shared())

    // The owner's.
    private var thread: pthread_t?

    // The thread's own.
    private var file: JournalFile
    private var backlog: [JournalEntry] = []
    /// Edits of the file since its base, as one.
    private var summary = JournalGap(first: 0)
    private var isFailing = false
    /// Whether a sync failed, and none has gone well since.
    private var hasUnsafe = false
    private var times = Times()

    init(
        path: FilePath, limits: RecoveryJournal.Limits, reports: Reports, disk: JournalDisk = JournalDisk()
    ) {
        self.path = path
        limit = limits.unwrittenBytes
        self.reports = reports
        self.disk = disk
        file = JournalFile(path: path, disk: disk, smallest: limits.foldedBytes)
    }

    deinit { file.close() }

    /// Bytes that the edits on their way take, about.
    var heldBytes: Int { shared.withLock { $0.pending.queueCost + $0.pending.backlogCost } }

    /// How many places in the file it remembers.
    var knownPlaces: Int { shared.withLock { $0.placeCount } }

    /// Hands the edits of a transaction to the thread. `text` gives the text after it. O(1) for one edit, but for the copy of a node that
    /// a snapshot causes while the disk is full.
    ///
    /// - Parameters:
    ///   - isWaking: whether the thread is woken for it; if not, the caller is to call ``wake()`` soon.
    ///   - isOpen: whether these edits count only together with those that come next.
    ///   - name: the journal whose edits these are.
    /// - Returns: whether that call is still to be made: not for the second of several transactions.
    @discardableResult
    func append(
        _ edits: [JournalEdit], isWaking: Bool = true, isOpen: Bool = false, replacing name: FilePath? = nil,
        text: () -> StyledText
    ) -> Bool {
        append(isWaking, isOpen, name, text) { .edits(edits, number: $0, isOpen: isOpen) }
    }

    /// Hands the changes of a transaction over, of which the thread makes edits.
    func append(
        _ changes: TextChangeSet, isWaking: Bool, isOpen: Bool, replacing name: FilePath?, text: () -> StyledText
    ) -> Bool {
        append(isWaking, isOpen, name, text) { .changes(changes, number: $0, isOpen: isOpen) }
    }

    private func append(
        _ isWaking: Bool, _ isOpen: Bool, _ name: FilePath?, _ text: () -> StyledText, _ entry: (Int) -> JournalEntry
    ) -> Bool {
        shared.withLock(waking: isWaking) { shared in
            if shared.pending.wantsText { shared.pending.lastText = text() }
            if let name { shared.pending.enqueue(.replaced(name, number: shared.pending.count)) }
            shared.pending.enqueue(entry(shared.pending.count))
            shared.pending.count += 1
            shared.pending.isOpen = isOpen
            if shared.pending.wantsFold, !isOpen {
                shared.pending.wantsFold = false
                shared.pending.enqueue(.fold(text(), number: shared.pending.count))
            }
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

    /// Notes a file that is about to take the place of the base, and waits until the journal has that on the disk, at most that many
    /// milliseconds. Any thread.
    func announce(_ base: JournalBase, _ contents: FileContents, keepingFrom kept: Int, within milliseconds: Int) {
        guard hasThread else { return }
        let wanted = shared.withLock(waking: true) { shared in
            shared.pending.enqueue(.coming(base, contents, kept: kept, number: shared.pending.count))
            shared.flushes.wanted += 1
            return shared.flushes.wanted
        }
        _ = shared.wait(atMost: milliseconds) { $0.flushes.done >= wanted || $0.ending.hasEnded }
    }

    private var hasThread: Bool { shared.withLock { $0.ending.hasThread && !$0.ending.isStopping } }

    /// Notes the content of the base, if it still is the one with this identity. Any thread. It is written with the next edit; if it is
    /// urgent, now.
    func setContents(_ contents: FileContents, _ bytes: [UInt8]?, of identity: FileIdentity, isUrgent: Bool = false) {
        shared.withLock(waking: true) {
            $0.pending.enqueue(.contents(contents, bytes, identity, number: $0.pending.count))
            if isUrgent { $0.flushes.wanted += 1 }
        }
    }

    /// Notes the format that the text is to be saved in, until the next base.
    func setFormat(_ format: TextFileFormat) {
        shared.withLock(waking: true) { $0.pending.enqueue(.format(format, number: $0.pending.count)) }
    }

    func start() {
        do throws(BackgroundThread.Failure) {
            shared.withLock { $0.ending.hasThread = true }
            thread = try BackgroundThread.start { [self] in run() }
        } catch {
            shared.withLock { $0.ending.hasThread = false }
            reports.failed(RecoveryError(path: path, step: "thread", code: error.code))
        }
    }

    /// Asks for everything handed over to be brought to the disk. `text` is the present text. Returns the number of the request; nil if
    /// there is no thread for it.
    func beginFlush(_ text: StyledText?) -> Int? {
        guard thread != nil else { return nil }
        return shared.withLock(waking: true) { shared in
            if shared.pending.wantsText, let text {
                shared.pending.lastText = text
                shared.pending.gap?.setText(text)
            }
            shared.flushes.wanted += 1
            return shared.flushes.wanted
        }
    }

    /// Waits until everything that was handed over before a request is on the disk, or cannot be; at most that many milliseconds, because
    /// a disk may hang. Returns whether all of it is on the disk. Any thread.
    func waitForFlush(_ request: Int?, within milliseconds: Int) -> Bool {
        guard let request else { return false }
        return shared.wait(atMost: milliseconds) { $0.flushes.done >= request || $0.ending.hasEnded }
            && shared.withLock { $0.flushes.done >= request && $0.flushes.isDurable }
    }

    /// Ends the thread once it has written what is left, or without that if the file is to go with it. Waits for it at most
    /// that many milliseconds: a thread whose disk hangs ends by itself when it can. Returns whether the disk has all by then.
    @discardableResult
    func stop(discarding: Bool, within milliseconds: Int) -> Bool {
        guard !shared.withLock({ $0.ending.isStopping }) else { return shared.withLock { $0.ending.isDurable } }
        guard let thread else {
            // None was needed, or there was none to have.
            shared.withLock { $0.ending.isStopping = true }
            if discarding { _ = disk.remove(path) }
            file.close()
            return false
        }
        self.thread = nil
        shared.withLock(waking: true) {
            $0.ending.isStopping = true
            $0.ending.isDiscarding = discarding
        }
        let isOver = shared.wait(atMost: milliseconds) { $0.ending.hasEnded }
        if isOver { pthread_join(thread, nil) } else { pthread_detach(thread) }
        return isOver && shared.withLock { $0.ending.isDurable }
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
            let isDue = times.retryAt.map { $0 <= MonotonicClock.milliseconds } ?? true
            finishSync()
            write()
            if work.flushes != nil || work.isLast || hasUnsafe && isDue {
                sync()
            } else if let since = times.unsyncedSince,
                MonotonicClock.milliseconds - max(since, times.lastSync) >= Self.interval,
                !isSyncing
            {
                startSync()
                times.unsyncedSince = nil
                times.lastSync = MonotonicClock.milliseconds
            } else if let due = nextLook, due <= MonotonicClock.milliseconds {
                times.lastLook = MonotonicClock.milliseconds
                if !file.isNamed { sync() }
            }
            shared.withLock(waking: work.flushes != nil) {
                $0.placeCount = file.placeCount
                guard let reached = work.flushes else { return }
                $0.flushes.done = reached
                $0.flushes.isDurable = backlog.isEmpty && $0.pending.gap == nil && file.isDurable
            }
            if work.isLast { break }
        }
        // Not by the owner, whom a hung disk would hold. What is cut off in the middle of a new beginning may put a file
        // there once more, so that the last word is here.
        if shared.withLock({ $0.ending.isDiscarding }) { _ = disk.remove(path) }
        let isDurable = backlog.isEmpty && file.isDurable
        // Gives the lock back as well.
        file.close()
        shared.withLock(waking: true) {
            $0.ending.isDurable = isDurable && $0.pending.gap == nil && !$0.ending.isDiscarding
            $0.ending.hasEnded = true
        }
    }

    /// Waits for something to do.
    private func takeWork() -> Work {
        shared.wait { shared, due in
            if shared.pending.queue.isEmpty, shared.flushes.areDone, !shared.ending.isStopping, shared.synced == nil {
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
        if shared.pending.isMendable { return MonotonicClock.milliseconds }
        let sync = shared.syncing == nil ? times.unsyncedSince.map { max($0, times.lastSync) + Self.interval } : nil
        return [sync, nextLook].compactMap(\.self).min()
    }

    /// When to look whether somebody has removed the journal; nil if nobody would miss it.
    private var nextLook: Int64? {
        summary.hasEdits ? max(times.lastLook, times.lastSync) + Self.look : nil
    }

    /// Whether the disk is at work on what was written before.
    var isSyncing: Bool { shared.withLock { $0.syncing != nil } }

    /// Has another thread wait for the disk. A slow one takes seconds, and what is typed meanwhile is to get into the
    /// file, where it survives the end of this process.
    private func startSync() {
        guard let sync = file.makeSync() else { return self.sync() }
        shared.withLock { $0.syncing = sync }
        let work = { @Sendable [shared] in
            let failure = sync.run()
            shared.withLock(waking: true) {
                $0.syncing = nil
                $0.synced = (sync, failure)
            }
        }
        do throws(BackgroundThread.Failure) {
            pthread_detach(try BackgroundThread.start(work))
        } catch {
            work()
        }
    }

    /// Takes what became of a sync of another thread.
    private func finishSync() {
        let synced = shared.withLock { shared in
            defer { shared.synced = nil }
            return shared.synced
        }
        guard let synced else { return }
        do throws(RecoveryError) {
            try file.finish(synced.sync, synced.failure)
        } catch {
            hasUnsafe = true
            fail(error)
        }
    }

    /// Waits for the disk on this thread.
    private func sync() {
        do throws(RecoveryError) {
            try file.sync()
            hasUnsafe = false
            (times.unsyncedSince, times.retryAt) = (nil, backlog.isEmpty ? nil : times.retryAt)
            if backlog.isEmpty, shared.withLock({ $0.pending.gap == nil }) { resume() }
        } catch {
            if error.step == "write" { file.rollBack() }
            hasUnsafe = true
            fail(error)
        }
    }

    private func fail(_ error: RecoveryError) {
        let now = MonotonicClock.milliseconds
        if times.retryAt.map({ $0 <= now }) ?? true { times.retryAt = now + Self.retry }
        guard !isFailing else { return }
        isFailing = true
        reports.failed(error)
    }

    private func resume() {
        guard isFailing, !hasUnsafe else { return }
        isFailing = false
        reports.resumed()
    }

    /// Writes what is there, and says so when that begins to fail and when it works again.
    private func write() {
        if !hasUnsafe { times.retryAt = nil }
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
            if isWhole { resume() }
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
            fail(error)
        }
    }

    private func writeBacklog() throws(RecoveryError) {
        var next = 0
        var committed = 0
        defer { backlog.removeFirst(committed) }
        func commit() throws(RecoveryError) {
            try file.commit()
            if committed < next, times.unsyncedSince == nil { times.unsyncedSince = MonotonicClock.milliseconds }
            for entry in backlog[committed..<next] { summary.take(entry) }
            committed = next
        }
        // What a base left behind that found no room.
        try commit()
        while next < backlog.count {
            switch backlog[next] {
            case .mark: next += 1
            case .fold(let text, _):
                try commit()
                summary.setText(text)
                file.fold(summary, textSize: text.rope.metrics.bytes)
                next += 1
            case .edits(let edits, let number, let isOpen):
                try file.add(edits, number..<number + 1, isOpen: isOpen)
                next += 1
                if file.buffered >= JournalFile.piece { try commit() }
            case .changes: backlog[next] = backlog[next].withEdits
            case .replaced(let name, _):
                file.addReplaced(name)
                next += 1
                // In one piece with the transaction behind it.
                continue
            case .format(let format, _):
                file.addFormat(format)
                next += 1
            case .coming(let base, let contents, let kept, _):
                file.addComing(base, contents, keepingFrom: kept)
                next += 1
            case .contents(let contents, let bytes, let identity, _):
                file.setContents(contents, bytes, of: identity)
                next += 1
            case .base(let base, let kept, _):
                try commit()
                let isComplete = try file.rebase(to: base, keepingFrom: kept)
                next += 1
                try commit()
                guard isComplete else {
                    let later = Array(backlog[next...])
                    committed = backlog.count
                    throw lose(later)
                }
            }
        }
        try commit()
        if file.isLarge { shared.withLock { $0.pending.wantsFold = true } }
    }

    /// Gives up on edits that came after a base, because some between it and them are gone.
    private func lose(_ later: [JournalEntry]) -> RecoveryError {
        summary = .lost
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
            guard shared.pending.isMendable, let mending = shared.pending.gap else { return nil }
            shared.pending.gap = mending.isLost ? mending.withoutBase : nil
            return mending
        }
        guard let mending else { return }
        if let (base, kept) = mending.base {
            do throws(RecoveryError) {
                let isComplete = try file.rebase(to: base, keepingFrom: kept)
                try file.commit()
                summary.take(.base(base, kept: kept, number: mending.segments.first?.first ?? kept))
                if mending.isLost { return summary = .lost }
                guard isComplete else { throw lose([]) }
            } catch {
                if error.step == "write" { putBack(mending) }
                throw error
            }
        }
        do throws(RecoveryError) {
            if let (contents, bytes, identity) = mending.contents { file.setContents(contents, bytes, of: identity) }
            if let format = mending.format { file.addFormat(format) }
            for name in mending.replaced { file.addReplaced(name) }
            let edits = mending.edits
            for (index, (edit, numbers)) in edits.enumerated() {
                try file.add([edit], numbers, isOpen: index < edits.count - 1)
            }
            try file.commit()
            summary.append(mending.withoutBase, number: mending.segments.last?.upTo ?? 0)
            if times.unsyncedSince == nil { times.unsyncedSince = MonotonicClock.milliseconds }
        } catch {
            putBack(mending.withoutBase)
            throw error
        }
    }

    /// Makes a gap again of what could not be written, with what came since behind it.
    private func putBack(_ mending: JournalGap) {
        shared.withLock { shared in
            let later = shared.pending.gap
            shared.pending.gap = mending
            if let later { shared.pending.appendToGap(later) }
            shared.pending.fold([])
        }
    }
}
