import CX11
import InkstoneBase

extension Display {
    /// Hands the clipboard's contents to a clipboard manager, if one runs, so that they outlive this process. Handles events
    /// meanwhile: the manager is served as all others are, in pieces too. It is waited for as long as it does something, and
    /// `milliseconds` longer; ten times as long in all. For the end of a program, before ``close()``; not for adopted
    /// connections.
    public func saveClipboard(withinMilliseconds milliseconds: Int = 3000) {
        guard !isLost, !isAdopted, let contents = clipboard.contents else { return }
        let manager = atoms["CLIPBOARD_MANAGER"]
        guard XGetSelectionOwner(connection, manager) != 0 else { return }
        var isDone = false
        // With a list the manager leaves alone what is only made from the text.
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

/// How long a clipboard manager is waited for, in milliseconds of one clock.
struct SavingTimeout {
    private let idle: Int64
    private let end: Int64
    private var deadline: Int64
    private var served: Int

    /// - Parameters:
    ///   - idle: how long it may take nothing; ten times as long is the end in any case.
    ///   - served: how many bytes anybody has been given so far.
    init(idle: Int64, served: Int, at now: Int64) {
        self.idle = idle
        self.served = served
        (deadline, end) = (now + idle, now + 10 * idle)
    }

    /// Whether it is waited for no longer, after so many bytes.
    mutating func isOver(served: Int, at now: Int64) -> Bool {
        if served != self.served { (self.served, deadline) = (served, now + idle) }
        return now >= min(deadline, end)
    }
}
