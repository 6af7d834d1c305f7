import CX11
import InkstoneBase

extension Display {
    /// Passes the clipboard's contents to a clipboard manager, if one is running, so that they remain available after
    /// this process ends. Call this at the end of a program, before ``close()``. Has no effect on a host program's
    /// connection.
    ///
    /// Waits until the manager has taken the contents. Gives up if the manager makes no progress for
    /// `milliseconds`, or after ten times `milliseconds` in all. Meanwhile events are handled, and all clients are
    /// served.
    public func saveClipboard(withinMilliseconds milliseconds: Int = 3000) {
        guard !isLost, !isAdopted, let contents = clipboard.contents else { return }
        let manager = atoms["CLIPBOARD_MANAGER"]
        guard XGetSelectionOwner(connection, manager) != 0 else { return }
        var isDone = false
        // Send a list of targets, without which the manager would also request those that are only conversions of the
        // text.
        let list = contents.item.representations.flatMap { representation in
            switch representation.kind {
            case .data(let name): [intern(name)]
            case .text: [atoms["UTF8_STRING"], atoms["text/plain;charset=utf-8"]]
            }
        }
        var timeout = SavingTimeout(
            idle: Int64(milliseconds), served: transfers.bytesSent, at: MonotonicClock.milliseconds)
        transfers.receive(
            manager, [atoms["SAVE_TARGETS"]], time: latestTimestamp, timeout: 10 * milliseconds, parameters: list
        ) { _ in
            isDone = true
        }
        while !isDone, !isLost, !timeout.isOver(served: transfers.bytesSent, at: MonotonicClock.milliseconds) {
            processEvents()
            if !isDone { loop.wait(milliseconds: 20) }
        }
    }
}

/// The time-out of the wait for a clipboard manager. All times are in milliseconds of the same clock.
struct SavingTimeout {
    /// The longest wait without progress.
    private let idle: Int64
    /// The time at which the wait ends in any case.
    private let end: Int64
    /// The time at which the wait ends without further progress.
    private var deadline: Int64
    /// The number of bytes that were sent to requestors when ``deadline`` was last set.
    private var served: Int

    /// Creates a time-out that begins at `now`.
    ///
    /// - Parameters:
    ///   - idle: the longest wait without progress; the longest wait in total is ten times as long.
    ///   - served: the number of bytes sent so far to all requestors.
    init(idle: Int64, served: Int, at now: Int64) {
        self.idle = idle
        self.served = served
        (deadline, end) = (now + idle, now + 10 * idle)
    }

    /// Whether the wait is over. `served` is the number of bytes sent so far.
    mutating func isOver(served: Int, at now: Int64) -> Bool {
        if served != self.served { (self.served, deadline) = (served, now + idle) }
        return now >= min(deadline, end)
    }
}
