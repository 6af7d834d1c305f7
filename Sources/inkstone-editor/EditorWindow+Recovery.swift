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

    /// Ends the journal, and removes it unless what it holds may be wanted. What that takes of the disk is waited for no longer than
    /// so many milliseconds: none at all while the program goes on. Returns whether it is kept.
    @discardableResult
    func endJournal(keeping isKept: Bool, within milliseconds: Int = 0) -> Bool {
        guard let journal = protection.journal else { return false }
        protection.journal = nil
        protection.isOff = false
        if isKept { journal.abandon(within: milliseconds) } else { journal.close(within: milliseconds) }
        return isKept
    }

    /// Offers to take up the changes that another run of the editor left behind, if there are any. One types on meanwhile.
    func offerRecovery() {
        guard !options.noRecovery, !options.readOnly else { return }
        let path = file.journalBase.path
        let found = RecoveredDocument.all(of: path).filter { $0.base?.path == path || $0.state == .corrupt }
        // What cannot be used is said once.
        for other in found where !other.isUsable { tell(other.setAside().description, isProblem: true) }
        guard let document = found.first(where: \.isUsable) else { return }
        let offer = RecoveryOffer(document, to: view.store, from: ByteOffset(file.bytesAhead))
        let end = document.state == .truncated ? " The last of them are lost." : ""
        offers.show(
            Question(
                text: "Unsaved changes to “\(file.displayName)” are left from a session that was cut off.\(end)",
                answers: [
                    .init(key: "r", label: "[R]ecover them") { [unowned self] in recover(offer) },
                    // Nothing is gone for good.
                    .init(key: "d", label: "[D]iscard them") { [unowned self] in
                        let aside = document.setAside()
                        tell(
                            "Discarded. For 30 days they are in \(aside.journalPath): without the last part of its name "
                                + "they are offered again.")
                    },
                    .init(key: "l", label: "[L]ater") {},
                ]))
    }

    /// Makes the changes again, once the text that they belong to is whole.
    private func recover(_ offer: RecoveryOffer) {
        guard !file.isReading else { return whenRead.append { [unowned self] in recover(offer) } }
        let (count, document) = (offer.take(), offer.document)
        guard count == document.editCount else {
            return tell(
                "Only \(count) of \(document.editCount) changes fit the file. All are still in \(document.journalPath).",
                isProblem: true)
        }
        discard(document)
        tell("The changes are back. Save to keep them.")
    }

    /// Removes what has been taken up, once the new journal has it on the disk. Nobody waits for a disk that is slow.
    private func discard(_ document: RecoveredDocument) {
        guard let journal = protection.journal else { return }
        if journal.flush(within: 50) { return document.discard() }
        display.schedule(afterMilliseconds: 1000) { [weak self, weak journal] in
            if let self, let journal, journal === protection.journal { discard(document) }
        }
    }
}

/// What another run left behind, and what the user has typed since it was offered: the two are joined when it is taken.
final class RecoveryOffer {
    let document: RecoveredDocument
    private let store: TextStore
    private let start: ByteOffset
    /// The text that the document's changes belong to, as far as it was read, from `start` on.
    private var base: StyledText
    /// What the user has made of that.
    private var edits: TextChangeSet
    private var observation: TextObservation?

    /// Offers it for the text that is there now, whose file begins at byte `start`.
    init(_ document: RecoveredDocument, to store: TextStore, from start: ByteOffset) {
        (self.document, self.store, self.start) = (document, store, start)
        base = store.styledText
        edits = TextChangeSet(none: base.rope)
        observation = store.observeTransactions { [weak self] in self?.note($0) }
    }

    /// More of the file has been read, which comes at the end of both texts, or the user has changed something.
    private func note(_ applied: AppliedTransaction) {
        guard applied.origin == .load else {
            edits = edits.composed(with: applied.changes)
            return
        }
        for index in 0..<applied.changes.count {
            let end = base.rope.utf16Range.upperBound
            let more = base.replace(end..<end, with: StyledText(applied.changes.insertedText(index)))
            edits = edits.mapped(over: more, in: base, isFirst: true)
        }
    }

    /// Makes the changes, as one step of undo, beside those of the user. Returns how many could be made: fewer than there are if they do
    /// not fit, which is where it stops.
    func take() -> Int {
        observation = nil
        let (changes, count) = document.changes(to: base, from: start)
        if let changes {
            let moved = changes.mapped(over: edits, in: store.styledText, isFirst: false)
            store.apply(Transaction(on: store, moved, origin: .recovery))
        }
        return count
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
