import CX11
import InkstoneBase

extension Display {
    /// Gives the clipboard's contents to a clipboard manager, if one runs, so that they outlive this process. Handles events
    /// meanwhile: the manager is served like all other clients, also in pieces. Waits as long as the manager makes progress, and
    /// `milliseconds` longer; ten times as long in total. For the end of a program, before ``close()``; not for adopted
    /// connections.
    public func saveClipboard(withinMilliseconds milliseconds: Int = 3000) {
        guard !isLost, !isAdopted, let contents = clipboard.contents else { return }
        let manager = atoms["CLIPBOARD_MANAGER"]
        guard XGetSelectionOwner(connection, manager) != 0 else { return }
        var isDone = false
        // Given a list, the manager does not request targets that are only converted from the text.
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

/// The time-out of waiting for a clipboard manager, in milliseconds of one clock.
struct SavingTimeout {
    private let idle: Int64
    private let end: Int64
    private var deadline: Int64
    private var served: Int

    /// - Parameters:
    ///   - idle: the maximum time without progress; ten times as long is the total limit.
    ///   - served: the number of bytes sent so far, to any requestor.
    init(idle: Int64, served: Int, at now: Int64) {
        self.idle = idle
        self.served = served
        (deadline, end) = (now + idle, now + 10 * idle)
    }

    /// Whether the wait is over, given the number of bytes sent so far.
    mutating func isOver(served: Int, at now: Int64) -> Bool {
        if served != self.served { (self.served, deadline) = (served, now + idle) }
        return now >= min(deadline, end)
    }
}
