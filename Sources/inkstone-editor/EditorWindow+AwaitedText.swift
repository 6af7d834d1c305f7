import Inkstone

/// Saves and closes that wait for the text of a paste, a drop or a picture. Another program or a disk may keep them
/// waiting for long.
extension EditorWindow {
    /// The maximum wait, in milliseconds, for reading the files of pictures to insert. After it, the pictures are not
    /// inserted.
    static let maximumPictureWait = 10_000

    /// Shows a message if a save, a close or other work still waits for pasted text, or a picture, after a time.
    func notifyOfAwaitedText(afterMilliseconds milliseconds: Int) {
        guard view.session.awaitsText else { return }
        display.schedule(afterMilliseconds: milliseconds) { [weak self] in
            guard let self, !isClosed, !life.whenEdited.isEmpty, view.session.awaitsText else { return }
            if message?.text != Words.awaitingText, message?.isProblem != true { notify(Words.awaitingText) }
            // A key may remove the message while the text is still awaited: show it again.
            notifyOfAwaitedText(afterMilliseconds: 1000)
        }
    }

    /// Removes the message about the awaited text if no text is awaited any more.
    func clearMessageOfAwaitedText() {
        if message?.text == Words.awaitingText, !view.session.awaitsText { clearMessage() }
    }

    /// Returns the action of Escape while work waits for text to insert; nil for other keys. The text is not inserted
    /// then, even if it comes later. A window that was about to close stays open, as after a failed paste, and a save
    /// goes on without the text.
    func awaitedTextEnd(by key: KeyEvent) -> (() -> Void)? {
        guard key.phase == .down, key.keysym == .escape, !life.whenEdited.isEmpty, view.session.awaitsText else {
            return nil
        }
        return { [weak self] in
            guard let self else { return }
            view.cancelAwaitedText()
            handle(.saveFailed)
            notify(Words.awaitedTextCancelled, isProblem: true)
            editDidCome()
        }
    }
}
