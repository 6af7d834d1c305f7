import Inkstone
import InkstoneFiles

/// The commands for the format in which the file is saved: its encoding and its line ends.
extension EditorWindow {
    /// Asks for an encoding, and then whether to read the file again in that encoding or to save it in it.
    func askForEncoding() {
        // Cancelling does not confirm a guessed encoding: show the offer about the guess again.
        askForEncoding(of: file.bytesPath ?? file.shownPath, giveUp: { [weak self] in self?.notifyOfGuess() }) {
            $0.use($1, since: $0.life.input)
        }
    }

    /// Offers to choose another encoding if the encoding is a guess or some bytes are invalid in it. Otherwise
    /// withdraws that offer.
    func notifyOfGuess() {
        offers.withdraw(.encoding)
        guard let notice = file.encodingNotice else { return }
        offers.show(
            Question(
                text: notice,
                answers: [
                    .init(label: Words.chooseEncoding) { [weak self] in self?.askForEncoding() },
                    .init(label: Words.keep) { [weak self] in
                        self?.file.confirmEncoding()
                        self?.updateStatus()
                    },
                ], topic: .encoding))
    }

    private func use(_ encoding: TextEncoding, since request: InputMark) {
        // The encoding is applied to the whole text: wait until the whole file is read.
        if file.isReading {
            whenRead.append { [weak self] in self?.use(encoding, since: request) }
            return notify(Words.encodingWillChange)
        }
        // A save in progress replaces the bytes that would be read again: ask when it has ended.
        if file.isSaving { return saves.observers.append { [weak self] _ in self?.use(encoding, since: request) } }
        guard file.canReread, file.path == nil || !file.isNew else { return convert(to: encoding) }
        // Do not offer to convert a read-only document, which can only be read again.
        if options.readOnly { read(in: encoding, since: request) } else { askHowToUse(encoding, since: request) }
    }

    /// Asks for an encoding, with a list that shows the first lines of the file in each encoding; `path` is nil for
    /// a document without a file.
    func askForEncoding(
        of path: FilePath?, text: String? = nil, problem: String? = nil, giveUp: (() -> Void)?,
        use: @escaping (EditorWindow, TextEncoding) -> Void
    ) {
        let request = PathPrompt.Request(
            label: Words.encodingPrompt, action: Words.useIt, hint: Words.chooseHint,
            choices: EncodingChoices(current: file.encoding, of: path))
        openPrompt(request, text: text ?? file.encodingName, problem: problem, giveUp: giveUp) { window, name in
            guard let encoding = TextEncoding(named: name) else {
                let problem = Words.notAnEncoding(FilePath.label(name, limit: 60))
                return window.askForEncoding(of: path, text: name, problem: problem, giveUp: giveUp, use: use)
            }
            use(window, encoding)
        }
    }

    /// Asks whether to read the file again in an encoding or to convert the text to it.
    private func askHowToUse(_ encoding: TextEncoding, since request: InputMark) {
        askAboutCommand(
            Question(
                text: Words.reloadOrConvert(file.displayName, "\(encoding)"),
                answers: [
                    .init(label: Words.reload) { [weak self] in
                        guard let self else { return }
                        read(in: encoding, since: life.input)
                    },
                    .init(label: Words.convert) { [weak self] in self?.convert(to: encoding) },
                    .init(label: Words.cancel) {},
                ]), since: request)
    }

    private func convert(to encoding: TextEncoding) {
        file.setEncoding(encoding, selection: view.selection)
        noteFormat()
        notifyOfGuess()
        notify(Words.willBeSavedAs(file.encodingDescription))
    }

    private func read(in encoding: TextEncoding, since request: InputMark) {
        if file.isReading { return whenRead.append { [weak self] in self?.read(in: encoding, since: request) } }
        if file.isSaving {
            return saves.observers.append { [weak self] _ in self?.read(in: encoding, since: request) }
        }
        reread(in: encoding, keepingEdits: file.isModified, since: request)
    }

    /// Toggles all line ends of the document between LF and CRLF; sets CRLF if they are mixed.
    func toggleWindowsLineEnds() { setLineEnds(file.newline == .crlf && !file.hasMixedNewlines ? .lf : .crlf) }

    /// Changes all line ends of the document to one kind, as one undo step. Lines typed later get the same kind.
    /// Does nothing while the document cannot be edited or is being read.
    func setLineEnds(_ newline: Newline) {
        guard view.isEditable, !file.isReading, newline != file.newline || file.hasMixedNewlines else { return }
        writeRichTextNow()
        file.setNewline(newline)
        showRichText()
        adoptLineEnds()
        updateStatus()
    }
}
