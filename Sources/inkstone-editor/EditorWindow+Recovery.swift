import Glibc
import Inkstone

/// How far what is typed is kept against a crash.
struct Protection {
    var journal: RecoveryJournal?
    /// Whether the journal does not get what is typed.
    var isOff = false
    /// The start of the journal while one types ahead of a file that is slow to come.
    var markAhead: RecoveryJournal.Mark?
    /// The text that the user has typed since the file was opened, as long as changes are offered that it has to be joined with.
    var typed: TypedText?
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
            file.willSave = { [weak self] path, format in
                guard let journal = self?.protection.journal else { return { _ in } }
                return journal.noteSaves(to: path, format: format, keepingAfter: journal.mark())
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

    /// Looks for changes that other runs of the editor left behind, in the background, and offers them. One types on meanwhile.
    func offerRecovery() {
        guard !options.noRecovery, !options.readOnly else { return }
        let path = file.journalBase.path
        let typed = TypedText(in: view.store, from: ByteOffset(file.bytesAhead))
        protection.typed = typed
        let poster = display.poster
        RecoveredDocument.search(of: path, except: protection.journal?.path, post: { poster.post($0) }) {
            [weak self] found in
            // Another file may be here by now.
            guard let self, protection.typed === typed else { return }
            offer(found, path, typed)
        }
    }

    private func offer(_ found: [RecoveredDocument], _ path: FilePath?, _ typed: TypedText) {
        let found = found.filter { path != nil || $0.base?.path == nil }
        let usable = found.filter { $0.editCount > 0 && $0.state != .inUse }
        for (index, document) in usable.enumerated() {
            let count = usable.count == 1 ? "" : " (\(index + 1) of \(usable.count))"
            switch document.state {
            case .intact, .truncated: offer(document, typed, count)
            default: whenFileIsRead { [weak self] in self?.offerApart(document, typed, count) }
            }
        }
        // What cannot be used is said once.
        for other in found where other.editCount == 0 && other.state != .inUse {
            tell(other.setAside().description, isProblem: true)
        }
        let others = found.filter { $0.state == .inUse && $0.process.map { $0 != Int(getpid()) } ?? true }
        guard path != nil, let other = others.first else { return }
        let process = other.process.map { " (process \($0))" } ?? ""
        tell(
            "“\(file.displayName)” is open in another Inkstone\(process). Who saves last is asked before anything is overwritten.",
            isProblem: true)
    }

    private func whenFileIsRead(_ work: @escaping () -> Void) {
        if file.isReading { whenRead.append(work) } else { work() }
    }

    /// Offers changes that belong to the text as it is.
    private func offer(_ document: RecoveredDocument, _ typed: TypedText, _ count: String) {
        let end = document.isCut ? " The last of them are lost." : ""
        offers.show(
            Question(
                text:
                    "Unsaved changes to “\(file.displayName)” are left from a session that was cut off\(count).\(end)",
                answers: [
                    .init(key: "r", label: "[R]ecover them") { [weak self] in self?.recover(document, typed) },
                    discarding(document),
                    .init(key: "l", label: "[L]ater") {},
                ]))
    }

    /// Offers changes of a file that is another one now, or not there.
    private func offerApart(_ document: RecoveredDocument, _ typed: TypedText, _ count: String) {
        guard protection.typed === typed else { return }
        var answers = [
            Question.Answer(key: "w", label: "show them in a [W]indow of their own") { [weak self] in
                self?.openWindow(with: document)
            },
            discarding(document),
            .init(key: "l", label: "[L]ater") {},
        ]
        if document.state == .changed, typed.canMerge(document) {
            answers.insert(
                .init(key: "m", label: "[M]erge them in") { [weak self] in self?.merge(document, typed) }, at: 0)
        }
        let what = document.state == .missing ? "which cannot be found at the moment" : "which was changed since"
        offers.show(
            Question(
                text:
                    "Unsaved changes to “\(file.displayName)”, \(what), are left from a session that was cut off\(count).",
                answers: answers))
    }

    /// Nothing is gone for good.
    private func discarding(_ document: RecoveredDocument) -> Question.Answer {
        .init(key: "d", label: "[D]iscard them") { [weak self] in
            let aside = document.setAside()
            self?.tell(
                "Discarded. For 30 days they are in \(aside.journalPath): without the last part of its name "
                    + "they are offered again.")
        }
    }

    /// Makes the changes again, once the text that they belong to is whole.
    private func recover(_ document: RecoveredDocument, _ typed: TypedText) {
        whenFileIsRead { [weak self] in
            self?.takeUp(document, notice: "The changes are back. Save to keep them.") { typed.recover(document) }
        }
    }

    private func merge(_ document: RecoveredDocument, _ typed: TypedText) {
        whenFileIsRead { [weak self] in
            self?.takeUp(document, notice: "The changes are merged. Look at them, and save to keep them.") {
                typed.merge(document)
            }
        }
    }

    /// Shows the text with the changes, or what was typed if that cannot be had, as a new text.
    private func openWindow(with document: RecoveredDocument) {
        let count = program.windows.count
        program.openWindow()
        guard program.windows.count > count, let window = program.windows.last else { return }
        let text = document.textOrPieces
        let name = document.base?.path.map { " of “\($0)”" } ?? ""
        window.takeUp(document, notice: "This is the text\(name) as it was typed. Save it under a name to keep it.") {
            window.view.store.replace(0..<0 as Range<ByteOffset>, with: text, origin: .recovery)
            return document.editCount
        }
    }

    /// Makes the changes by `edit`, which tells how many fitted, and removes their journal once the new one has them.
    private func takeUp(_ document: RecoveredDocument, notice: String, _ edit: () -> Int) {
        guard let claim = document.claim() else {
            return tell("Another editor has taken these changes up.", isProblem: true)
        }
        var count = 0
        if let journal = protection.journal { journal.adopt(document) { count = edit() } } else { count = edit() }
        guard count == document.editCount else {
            return tell(
                "Only \(count) of \(document.editCount) changes fit the file. All are still in \(document.journalPath).",
                isProblem: true)
        }
        discard(document, claim)
        tell(notice)
    }

    /// Removes what has been taken up, once the new journal has it on the disk. Nobody waits for a disk that is slow or full.
    private func discard(_ document: RecoveredDocument, _ claim: JournalClaim) {
        guard let journal = protection.journal else { return }
        if journal.flush(within: 50) { return document.discard() }
        display.schedule(afterMilliseconds: 1000) { [weak self, weak journal] in
            if let self, let journal, journal === protection.journal { discard(document, claim) }
        }
    }
}

/// The text that was read of a file, and what the user has made of it since: offered changes belong to the one and are joined with the
/// other.
final class TypedText {
    private let store: TextStore
    private let start: ByteOffset
    /// The text that the offered changes belong to, as far as it was read, from `start` on.
    private var base: StyledText
    /// What the user has made of that.
    private var edits: TextChangeSet
    private var observation: TextObservation?

    /// Follows a text from now on, whose file begins at byte `start`.
    init(in store: TextStore, from start: ByteOffset) {
        (self.store, self.start) = (store, start)
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
    func recover(_ document: RecoveredDocument) -> Int {
        let (changes, count) = document.changes(to: base, from: start)
        apply(changes)
        return count
    }

    /// Whether the changes, of another text than this file is now, do not meet those of the file.
    func canMerge(_ document: RecoveredDocument) -> Bool { document.merge(into: base, from: start) != nil }

    /// Makes changes of another text. Returns how many could be made: all or none.
    func merge(_ document: RecoveredDocument) -> Int {
        guard let changes = document.merge(into: base, from: start) else { return 0 }
        apply(changes)
        return document.editCount
    }

    private func apply(_ changes: TextChangeSet?) {
        guard let changes else { return }
        let moved = changes.mapped(over: edits, in: store.styledText, isFirst: false)
        store.apply(Transaction(on: store, moved, origin: .recovery))
    }
}

/// Refers to the editor from another thread, which only passes it on.
private struct WeakApp {
    weak var app: EditorWindow?
}
