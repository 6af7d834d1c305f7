import Inkstone

/// How far what is typed is kept against a crash.
struct Protection {
    var journal: RecoveryJournal?
    /// Whether the journal does not get what is typed.
    var isOff = false
    /// The start of the journal while one types ahead of a file that is slow to come.
    var markAhead: RecoveryJournal.Mark?
}

extension EditorWindow {
    /// Keeps what is typed from now on, unless that is not wanted or nothing can be typed.
    func startJournal() {
        guard !options.noRecovery, !options.readOnly, protection.journal == nil else { return }
        let poster = display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) let app = WeakApp(app: self)
        do {
            protection.journal = try RecoveryJournal(of: view.store, base: file.journalBase) { error in
                poster.post { app.app?.journalDidFail(error) }
            } onResumption: {
                poster.post { app.app?.journalDidResume() }
            } later: { [display] work in
                display.performAfterPainting(work)
            }
        } catch {
            journalDidFail(error)
        }
    }

    private func journalDidFail(_ error: RecoveryError) {
        protection.isOff = true
        tell(error.description, isProblem: true)
    }

    private func journalDidResume() {
        protection.isOff = false
        tell("What you type is protected against a crash again")
    }

    /// Ends the journal, and removes it unless what it holds may be wanted. Returns whether it is kept.
    @discardableResult
    func endJournal(keeping isKept: Bool) -> Bool {
        guard let journal = protection.journal else { return false }
        protection.journal = nil
        protection.isOff = false
        if isKept { journal.abandon() } else { journal.close() }
        return isKept
    }

    /// Asks whether to take up the changes that another run of the editor left behind, if there are any.
    func offerRecovery() {
        guard !options.noRecovery, !options.readOnly else { return }
        let path = file.journalBase.path
        let found = RecoveredDocument.all(of: path).filter { $0.base?.path == path || $0.state == .corrupt }
        // What cannot be used is said once.
        for other in found where !other.isUsable { tell(other.setAside().description, isProblem: true) }
        guard let document = found.first(where: \.isUsable) else { return }
        let start = file.bytesAhead
        let end = document.state == .truncated ? " The last of them are lost." : ""
        ask(
            Question(
                text: "Unsaved changes to “\(file.displayName)” are left from a session that was cut off.\(end)",
                answers: [
                    .init(key: "r", label: "[R]ecover them") { [unowned self] in recover(document, from: start) },
                    // A key that was meant for the text may be what answers: nothing is gone for good.
                    .init(key: "d", label: "[D]iscard them") { [unowned self] in
                        let aside = document.setAside()
                        tell(
                            "Discarded. For 30 days they are in \(aside.journalPath): without the last part of its name "
                                + "they are offered again.")
                    },
                    .init(key: "l", label: "[L]ater") {},
                ], isSudden: start > 0))
    }

    /// Makes the changes again, once the text that they belong to is whole. It starts behind what was typed ahead of it.
    private func recover(_ document: RecoveredDocument, from start: Int) {
        guard !file.isReading else {
            setEditable(false)
            whenRead.append { [unowned self] in
                setEditable(true)
                recover(document, from: start)
            }
            return
        }
        let count = document.apply(to: view.store, from: ByteOffset(start))
        guard count == document.editCount else {
            return tell(
                "Only \(count) of \(document.editCount) changes fit the file. All are still in \(document.journalPath).",
                isProblem: true)
        }
        // The new journal has them before the old one goes.
        if let journal = protection.journal, journal.flush() { document.discard() }
        tell("The changes are back. Save to keep them.")
    }
}

extension RecoveredDocument {
    /// Whether something can be had back from it.
    fileprivate var isUsable: Bool { editCount > 0 && state != .stale && state != .corrupt }
}

/// Refers to the editor from another thread, which only passes it on.
private struct WeakApp {
    weak var app: EditorWindow?
}
