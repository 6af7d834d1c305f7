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
        let start = MonotonicClock.milliseconds
        let last = start + 10 * Int64(milliseconds)
        transfers.receive(
            manager, [atoms["SAVE_TARGETS"]], time: latestTimestamp, timeout: 10 * milliseconds, parameters: list
        ) { _ in
            isDone = true
        }
        var deadline = start + Int64(milliseconds)
        var served = transfers.bytesSent
        while !isDone, !isLost, MonotonicClock.milliseconds < min(deadline, last) {
            processEvents()
            if transfers.bytesSent != served {
                served = transfers.bytesSent
                deadline = MonotonicClock.milliseconds + Int64(milliseconds)
            }
            if !isDone { loop.wait(milliseconds: 20) }
        }
    }
}
