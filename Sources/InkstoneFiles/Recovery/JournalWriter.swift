import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// The thread that writes a journal.
///
/// ```
/// append ──► queue ──► backlog ──► file          pending edits, one by one
///               └────────┴──────► gap ──► file   edits that the disk refused, collapsed, when there is room again
/// ```
///
/// Queue and backlog together hold at most ``limit`` bytes. A gap holds a few numbers and a snapshot of the text. So
/// the memory that a journal uses for edits is bounded, however long its disk is full. The copy of the document's file,
/// as last read or saved, is in memory once: queue, gap and file share it.
///
/// `Sendable` because the state shared by both threads is in a monitor. The remaining state is used only by the
/// writer's thread once that runs.
final class JournalWriter: @unchecked Sendable {
    /// The callbacks to the journal's owner. They are called on the writer's thread, or in ``start()`` if that thread
    /// cannot be started.
    struct Reports: Sendable {
        var failed: @Sendable (RecoveryError) -> Void
        var resumed: @Sendable () -> Void
    }

    /// The entries that are not written yet. If there are too many, they are replaced by a ``JournalGap``, which
    /// has their edits collapsed.
    private struct Pending {
        var queue: [JournalEntry] = []
        /// The total cost of the entries in ``queue``. See ``JournalEntry/cost``.
        var queueCost = 0
        /// The cost of the entries that the thread has taken from the queue but not written yet. See
        /// ``JournalEntry/cost``.
        var backlogCost = 0
        var gap: JournalGap?
        /// Whether the owner takes a snapshot of the text after each edit. True while edits are being collapsed:
        /// the collapsed edits are read from the text after the last of them. False while the disk keeps up,
        /// because after a snapshot the next edit must copy nodes of the text.
        var wantsText = false
        var lastText: StyledText?
        /// The number of transactions appended so far.
        var count = 0
        /// Whether the owner takes a snapshot of the text after the next edit. True when the file has grown and its
        /// edits may have to be collapsed.
        var wantsCollapse = false
        /// Whether edits were appended without waking the thread. The owner then calls ``wake()`` soon.
        var awaitsWake = false
        /// Whether the last edits are recovered only together with the next ones.
        var isOpen = false
        /// Whether the collapsed edits of `gap` can be written now.
        var isWritable: Bool { !isOpen && gap?.isWritable == true }

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

        /// Collapses the given entries, the present gap and the queue into one ``JournalGap``.
        mutating func collapse(_ entries: [JournalEntry]) {
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

    /// The numbers of flushes: requested so far, and completed so far.
    private struct Flushes {
        var wanted = 0
        var done = 0
        /// Whether everything that was appended before the last completed flush is on the disk.
        var isDurable = false
        var areDone: Bool { wanted == done }
    }

    /// The progress of ending the writer's thread.
    private struct Ending {
        var hasThread = false
        var isStopping = false
        /// Whether the thread removes the file when it ends.
        var isDiscarding = false
        var hasEnded = false
        /// Whether everything that was appended is on the disk. Set when the thread ends. False if the thread has
        /// removed the file.
        var isDurable = false
    }

    /// The state shared by the owner's thread and other threads.
    private struct Shared {
        var pending = Pending()
        var flushes = Flushes()
        var ending = Ending()
        /// The number of ranges of transactions that the file remembers as collapsed together; for tests.
        var placeCount = 0
        /// The sync that is running on another thread; nil for none.
        var syncing: JournalFile.Sync?
        /// The sync that has ended last, with its result; nil once the writer's thread has handled it.
        var synced: (sync: JournalFile.Sync, failure: JournalDisk.Failure?)?
    }

    /// Times of the monotonic clock, in milliseconds, used on the writer's thread.
    private struct Times {
        /// The time at which a failed write is retried; nil if none has failed.
        var retryAt: Int64?
        /// The time since which written bytes have not been synced to the disk; nil if all have been.
        var unsyncedSince: Int64?
        var lastSync: Int64 = 0
        /// The time of the last check that the journal's file still has its name.
        var lastNameCheck: Int64 = 0
    }

    /// The interval between two syncs, in milliseconds.
    private static let interval: Int64 = 1000
    /// The interval between two checks that the journal's file still has its name, in milliseconds. Checks are made
    /// while the journal contains edits that no saved file has.
    private static let nameCheckInterval: Int64 = 2000
    /// The delay before a failed write is retried, in milliseconds.
    private static let retry: Int64 = 2000

    private let path: FilePath
    /// The maximum cost, in approximate bytes, of the entries that are not written yet. Beyond it, they are collapsed.
    private let limit: Int
    private let reports: Reports
    private let disk: JournalDisk
    private let shared = Monitor(Shared())

    // The writer's thread; nil while it is not needed, if it could not be started, and once it was ended. Used on the
    // owner's thread.
    private var thread: pthread_t?

    // The journal's file. Used on the writer's thread.
    private var file: JournalFile
    private var backlog: [JournalEntry] = []
    /// The edits in the journal's file since the document's file was last read or saved, collapsed.
    private var summary = JournalGap(first: 0)
    private var isFailing = false
    /// Whether a sync has failed and none has succeeded since.
    private var hasUnsafe = false
    private var times = Times()

    init(
        path: FilePath, limits: RecoveryJournal.Limits, reports: Reports, disk: JournalDisk = JournalDisk()
    ) {
        self.path = path
        limit = limits.unwrittenBytes
        self.reports = reports
        self.disk = disk
        file = JournalFile(path: path, disk: disk, smallest: limits.uncollapsedBytes)
    }

    deinit { file.close() }

    /// The approximate size in bytes of the edits that are not written yet.
    var heldBytes: Int { shared.withLock { $0.pending.queueCost + $0.pending.backlogCost } }

    /// The number of ranges of transactions that the file remembers as collapsed together, at most 16; for tests.
    var knownPlaces: Int { shared.withLock { $0.placeCount } }

    /// Appends the edits of a transaction for the thread to write. `text` returns the text after the transaction.
    /// O(1) for one edit. While the disk is full, a snapshot of the text is taken; then the next edit also copies
    /// some nodes of the text.
    ///
    /// - Parameters:
    ///   - isWaking: whether the thread is woken. If not, the caller should call ``wake()`` soon.
    ///   - isOpen: whether these edits are recovered only together with the next ones.
    ///   - name: the journal from which these edits come; nil for none.
    /// - Returns: whether the caller has to call ``wake()``. False if `isWaking`. Also false if an earlier result
    ///   has demanded a call of ``wake()`` that is still due.
    @discardableResult
    func append(
        _ edits: [JournalEdit], isWaking: Bool = true, isOpen: Bool = false, replacing name: FilePath? = nil,
        text: () -> StyledText
    ) -> Bool {
        append(isWaking, isOpen, name, text) { .edits(edits, number: $0, isOpen: isOpen) }
    }

    /// Appends the changes of a transaction, like the method above. The thread converts them to edits.
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
            if shared.pending.wantsCollapse, !isOpen {
                shared.pending.wantsCollapse = false
                shared.pending.enqueue(.collapse(text(), number: shared.pending.count))
            }
            let needsWake = !isWaking && !shared.pending.awaitsWake
            if needsWake { shared.pending.awaitsWake = true }
            guard shared.pending.queueCost + shared.pending.backlogCost > limit else { return needsWake }
            // Collapse the queue, because the thread does not empty it, probably because the disk hangs.
            shared.pending.wantsText = true
            shared.pending.lastText = text()
            shared.pending.collapse([])
            return needsWake
        }
    }

    /// Wakes the thread for entries that were appended without waking it.
    func wake() {
        shared.withLock(waking: true) { $0.pending.awaitsWake = false }
    }

    /// Marks the present text, which is about to be saved. Returns the number of transactions appended so far.
    func mark(_ text: StyledText) -> Int {
        shared.withLock(waking: true) { shared in
            if shared.pending.wantsText { shared.pending.lastText = text }
            shared.pending.enqueue(.mark(text, number: shared.pending.count))
            return shared.pending.count
        }
    }

    /// Sets a new base, the text to which later edits apply. It does not contain the transactions from number `kept`
    /// on.
    func rebase(to base: JournalBase, keepingFrom kept: Int) {
        shared.withLock(waking: true) { $0.pending.enqueue(.base(base, kept: kept, number: $0.pending.count)) }
    }

    /// Records that a file is about to be saved. If that succeeds, later edits apply to its new content. Waits until
    /// that record is on the disk, or writing has failed; at most `milliseconds`. Does nothing if there is no thread,
    /// or if the thread is to end. Any thread.
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

    /// Records the size and checksum of the document's file and, unless `bytes` is nil, a copy of it. The record is
    /// written with the next edit, or at once if there are edits since the file was last read or saved, or if
    /// `isUrgent`. Does nothing if the file that was last read or saved is no longer `identity`, or if the journal has
    /// a copy already. Any thread.
    func setContents(_ contents: FileContents, _ bytes: [UInt8]?, of identity: FileIdentity, isUrgent: Bool = false) {
        shared.withLock(waking: true) {
            $0.pending.enqueue(.contents(contents, bytes, identity, number: $0.pending.count))
            if isUrgent { $0.flushes.wanted += 1 }
        }
    }

    /// Records the format in which the text is to be saved. It applies until the base changes.
    func setFormat(_ format: JournaledFormat) {
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

    /// Requests that everything appended so far is written to the disk. `text` is the present text. Returns the
    /// number of the request. Nil if the thread does not run.
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

    /// Waits until everything appended before a request is on the disk, or writing has failed. Waits at most
    /// `milliseconds`, because a disk may hang. Returns whether all of it was on the disk when the wait ended.
    /// False if `request` is nil. Any thread.
    func waitForFlush(_ request: Int?, within milliseconds: Int) -> Bool {
        guard let request else { return false }
        return shared.wait(atMost: milliseconds) { $0.flushes.done >= request || $0.ending.hasEnded }
            && shared.withLock { $0.flushes.done >= request && $0.flushes.isDurable }
    }

    /// Ends the thread, which first writes the remaining entries. If `discarding` is true, the thread removes the
    /// file instead. Waits for this at most `milliseconds`; if a disk hangs, the thread ends by itself after the
    /// call. Returns whether all entries were on the disk when the call returned. False if the file is removed, or
    /// if there was no thread.
    @discardableResult
    func stop(discarding: Bool, within milliseconds: Int) -> Bool {
        guard !shared.withLock({ $0.ending.isStopping }) else { return shared.withLock { $0.ending.isDurable } }
        guard let thread else {
            // Remove and close the file here, because there is no thread to do it: none was needed, or none could be
            // started.
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

    /// The entries and requests that the thread handles in one pass of its loop.
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
            } else if let due = nextNameCheck, due <= MonotonicClock.milliseconds {
                times.lastNameCheck = MonotonicClock.milliseconds
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
        // Remove the file on this thread: a hanging disk would block the owner's thread. Do it last: rewriting the
        // file may have created it again.
        if shared.withLock({ $0.ending.isDiscarding }) { _ = disk.remove(path) }
        let isDurable = backlog.isEmpty && file.isDurable
        // Closing the file also releases its lock.
        file.close()
        shared.withLock(waking: true) {
            $0.ending.isDurable = isDurable && $0.pending.gap == nil && !$0.ending.isDiscarding
            $0.ending.hasEnded = true
        }
    }

    /// Waits until there are entries or requests for this thread to handle, and returns them.
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

    /// Returns the next time at which the thread has something to do, even without new entries. In milliseconds of
    /// the monotonic clock; nil if there is no such time.
    private func nextDue(_ shared: Shared) -> Int64? {
        if let due = times.retryAt { return due }
        if shared.pending.isWritable { return MonotonicClock.milliseconds }
        let sync = shared.syncing == nil ? times.unsyncedSince.map { max($0, times.lastSync) + Self.interval } : nil
        return [sync, nextNameCheck].compactMap(\.self).min()
    }

    /// The time of the next check whether the journal's file still has its name. Nil if the journal has no edits to
    /// lose.
    private var nextNameCheck: Int64? {
        summary.hasEdits ? max(times.lastNameCheck, times.lastSync) + Self.nameCheckInterval : nil
    }

    /// Whether the journal's file is being synced to the disk on another thread.
    var isSyncing: Bool { shared.withLock { $0.syncing != nil } }

    /// Starts a sync on another thread, because a sync takes seconds on a slow disk. Meanwhile this thread continues to
    /// write edits to the file, so that they survive the end of this process.
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

    /// Handles the result of a sync on another thread.
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

    /// Waits on this thread until everything written to the file is on the disk.
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

    /// Writes the pending entries. Reports the first failure of a series, and the success that ends the series.
    private func write() {
        if !hasUnsafe { times.retryAt = nil }
        do throws(RecoveryError) {
            try writeBacklog()
            try writeGap()
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
                shared.pending.collapse(backlog)
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
        // Commit first the records that were added earlier but not committed.
        try commit()
        while next < backlog.count {
            switch backlog[next] {
            case .mark: next += 1
            case .collapse(let text, _):
                try commit()
                summary.setText(text)
                file.collapse(summary, textSize: text.rope.metrics.bytes)
                next += 1
            case .edits(let edits, let number, let isOpen):
                try file.add(edits, number..<number + 1, isOpen: isOpen)
                next += 1
                if file.buffered >= JournalFile.piece { try commit() }
            case .changes: backlog[next] = backlog[next].withEdits
            case .replaced(let name, _):
                file.addReplaced(name)
                next += 1
                // Do not commit now: this record must be committed together with the transaction after it.
                continue
            case .format(let format, _):
                file.addFormat(format)
                next += 1
            case .coming(let base, let contents, let kept, _):
                file.addComing(base, contents, keepingFrom: kept)
                next += 1
            case .contents(let contents, let bytes, let identity, _):
                try commit()
                file.setContents(contents, bytes, of: identity)
                next += 1
                // Commit now: if the disk has no room for a copy of the document's file, the copy is dropped here, and
                // does not prevent the entries after it from being written.
                try commit()
                // Write the file's content at once if the user has typed before the copy of the file was read.
                // Otherwise it would be written with the next edit, which may never come.
                if summary.hasEdits { try file.addContents() }
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
        if file.isLarge { shared.withLock { $0.pending.wantsCollapse = true } }
    }

    /// Collapses the edits after a save into a gap whose edits are lost. These edits cannot be separated from the ones
    /// that the saved file contains already. The next save ends this state.
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

    /// Writes the collapsed edits of `gap`, which could not be written before, if that is possible now. Edits made
    /// meanwhile are queued behind them.
    private func writeGap() throws(RecoveryError) {
        let collapsed = shared.withLock { shared -> JournalGap? in
            guard shared.pending.isWritable, let collapsed = shared.pending.gap else { return nil }
            shared.pending.gap = collapsed.isLost ? collapsed.withoutBase : nil
            return collapsed
        }
        guard let collapsed else { return }
        if let (base, kept) = collapsed.base {
            do throws(RecoveryError) {
                let isComplete = try file.rebase(to: base, keepingFrom: kept)
                try file.commit()
                summary.take(.base(base, kept: kept, number: collapsed.segments.first?.first ?? kept))
                if collapsed.isLost { return summary = .lost }
                guard isComplete else { throw lose([]) }
            } catch {
                if error.step == "write" { putBack(collapsed) }
                throw error
            }
        }
        do throws(RecoveryError) {
            if let (contents, bytes, identity) = collapsed.contents { file.setContents(contents, bytes, of: identity) }
            if let format = collapsed.format { file.addFormat(format) }
            for name in collapsed.replaced { file.addReplaced(name) }
            let edits = collapsed.edits
            for (index, (edit, numbers)) in edits.enumerated() {
                try file.add([edit], numbers, isOpen: index < edits.count - 1)
            }
            try file.commit()
            summary.append(collapsed.withoutBase, number: collapsed.segments.last?.upTo ?? 0)
            if times.unsyncedSince == nil { times.unsyncedSince = MonotonicClock.milliseconds }
        } catch {
            putBack(collapsed.withoutBase)
            throw error
        }
    }

    /// Restores a gap whose collapsed edits could not be written. Appends the entries that have been added since.
    private func putBack(_ collapsed: JournalGap) {
        shared.withLock { shared in
            let later = shared.pending.gap
            shared.pending.gap = collapsed
            if let later { shared.pending.appendToGap(later) }
            shared.pending.collapse([])
        }
    }
}
