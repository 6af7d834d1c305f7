import Inkstone

/// The format in which the file is written from the next save on: its encoding and its line ends.
extension EditorWindow {
    /// Asks for an encoding, and whether to read the file again in it or to save it so.
    func askForEncoding() {
        // Cancelling does not confirm a guess.
        askForEncoding(of: file.bytesPath ?? file.shownPath, giveUp: { [weak self] in self?.sayGuess() }) { $0.use($1) }
    }

    /// Tells the user that the encoding is a guess or that some bytes are invalid in it, and offers others; withdraws the offer if that holds
    /// no more.
    func sayGuess() {
        offers.withdraw(.encoding)
        guard let doubt = file.encodingDoubt else { return }
        offers.show(
            Question(
                text: doubt,
                answers: [
                    .init(label: Words.chooseEncoding) { [weak self] in self?.askForEncoding() },
                    .init(label: Words.keep) { [weak self] in
                        self?.file.confirmEncoding()
                        self?.updateStatus()
                    },
                ], topic: .encoding))
    }

    private func use(_ encoding: TextEncoding) {
        // Before the whole file is read, the text to convert is not known.
        if file.isReading {
            whenRead.append { [weak self] in self?.use(encoding) }
            return tell(Words.encodingWillChange)
        }
        guard file.canReread, file.path == nil || !file.isNew else { return convert(to: encoding) }
        // A read-only text is not converted.
        if options.readOnly { read(in: encoding) } else { askHowToUse(encoding) }
    }

    /// Asks for an encoding, with the first lines of a file in each; nil for a text without a file.
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

    /// Asks whether to read the file again or to convert it, which only the user can decide.
    private func askHowToUse(_ encoding: TextEncoding) {
        show(
            Question(
                text: Words.reloadOrConvert(file.displayName, "\(encoding)"),
                answers: [
                    .init(label: Words.reload) { [weak self] in
                        self?.read(in: encoding)
                    },
                    .init(label: Words.convert) { [weak self] in self?.convert(to: encoding) },
                    .init(label: Words.cancel) {},
                ]))
    }

    private func convert(to encoding: TextEncoding) {
        file.setEncoding(encoding, selection: view.selection)
        noteFormat()
        sayGuess()
        tell(Words.willBeSavedAs(file.encodingDescription))
    }

    private func read(in encoding: TextEncoding) {
        if file.isReading { return whenRead.append { [weak self] in self?.read(in: encoding) } }
        if file.isSaving { return saves.observers.append { [weak self] _ in self?.read(in: encoding) } }
        reread(in: encoding, keepingEdits: file.isModified)
    }

    /// Toggles all line ends of the text between Windows and Unix.
    func toggleWindowsLineEnds() { setLineEnds(file.newline == .crlf && !file.hasMixedNewlines ? .lf : .crlf) }

    /// Changes all line ends of the text to one kind, as one undo step, and those typed from now on.
    func setLineEnds(_ newline: Newline) {
        guard view.isEditable, !file.isReading, newline != file.newline || file.hasMixedNewlines else { return }
        writeRichTextNow()
        file.setNewline(newline)
        showRichText()
        adoptLineEnds()
        updateStatus()
    }
}
