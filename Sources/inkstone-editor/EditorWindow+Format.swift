import Inkstone

/// How the file is written: its encoding and its line ends, from the next save on.
extension EditorWindow {
    /// Asks for an encoding, and whether to read the file again in it or to save it so.
    func askForEncoding() {
        // Who does not choose after all has not agreed to a guess either.
        askForEncoding(of: file.bytesPath ?? file.shownPath, giveUp: { [weak self] in self?.sayGuess() }) { $0.use($1) }
    }

    /// Says that the encoding is a guess, and offers others; or takes that back if it is none any more.
    func sayGuess() {
        offers.withdraw(.encoding)
        guard file.isEncodingGuessed else { return }
        offers.show(
            Question(
                text: "“\(file.displayName)” was read as \(file.encodingName), a guess.",
                answers: [
                    .init(key: "e", label: "another [E]ncoding…") { [weak self] in self?.askForEncoding() },
                    .init(key: "k", label: "[K]eep it") { [weak self] in
                        self?.file.confirmEncoding()
                        self?.updateStatus()
                    },
                ], topic: .encoding))
    }

    private func use(_ encoding: TextEncoding) {
        // Until all of it was read it is not known what there is to convert.
        if file.isReading {
            whenRead.append { [weak self] in self?.use(encoding) }
            return tell("The encoding is changed as soon as all of it was read")
        }
        guard file.canReread, file.path == nil || !file.isNew else { return convert(to: encoding) }
        // What is only read is not converted.
        if options.readOnly { read(in: encoding) } else { askHowToUse(encoding) }
    }

    /// Asks for an encoding, with the first lines of a file in each; nil for a text without a file.
    func askForEncoding(
        of path: FilePath?, text: String? = nil, problem: String? = nil, giveUp: (() -> Void)?,
        use: @escaping (EditorWindow, TextEncoding) -> Void
    ) {
        prompt.encodings.begin(current: file.encoding, of: path)
        let request = PathPrompt.Request(
            label: "Encoding:", action: "Use It",
            hint: "Enter: apply what is chosen above · ↑↓ or typing: choose · Esc: cancel",
            names: nil, list: prompt.encodings)
        openPrompt(request, text: text ?? file.encodingName, problem: problem, giveUp: giveUp) { window, name in
            guard let encoding = TextEncoding(named: name) else {
                let problem =
                    "“\(FilePath.label(name, limit: 60))” is not an encoding. Type a part of a name, or choose one above."
                return window.askForEncoding(of: path, text: name, problem: problem, giveUp: giveUp, use: use)
            }
            use(window, encoding)
        }
    }

    /// The bytes of the file are known, and the user alone knows which of both is meant.
    private func askHowToUse(_ encoding: TextEncoding) {
        show(
            Question(
                text: "“\(file.displayName)” in \(encoding): is it to be read anew, or to be saved so?",
                answers: [
                    .init(key: "r", label: "[R]ead it again") { [weak self] in
                        self?.read(in: encoding)
                    },
                    .init(key: "v", label: "Con[V]ert it") { [weak self] in self?.convert(to: encoding) },
                    .init(key: "c", label: "[C]ancel") {},
                ]))
    }

    private func convert(to encoding: TextEncoding) {
        file.setEncoding(encoding, selection: view.selection)
        noteFormat()
        sayGuess()
        tell("It will be saved as \(file.encodingDescription)")
    }

    private func read(in encoding: TextEncoding) {
        if file.isReading { return whenRead.append { [weak self] in self?.read(in: encoding) } }
        if file.isSaving { return saves.observers.append { [weak self] in self?.read(in: encoding) } }
        reread(in: encoding, keepingEdits: file.isModified)
    }

    /// Makes all line ends of the text Windows' or Unix's, as one step of undo, and those that are typed from now on.
    func toggleWindowsLineEnds() {
        guard view.isEditable, !file.isReading else { return }
        file.setNewline(file.newline == .crlf ? .lf : .crlf)
        view.session.newline = file.newline.rawValue
        updateStatus()
    }
}
