import Inkstone

/// Indentation of the file and what is tidied when it is saved: by its own habit, and by `.editorconfig`.
extension EditorWindow {
    /// Takes the indentation that the text has, and what `.editorconfig` says as soon as its disk has answered: nobody waits for it.
    func adoptConventions() {
        conventions = EditorConfig()
        indent()
        guard let path = file.shownPath, !file.isReadingInput else { return }
        let poster = display.poster
        // Called on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) let adopt = { [weak self] (config: EditorConfig) in
            guard let self, !isClosed, file.shownPath == path else { return }
            conventions = config
            indent()
            adoptNewline(of: path)
            setNeedsStatus()
        }
        SmallFile.later {
            let config = EditorConfig(for: path)
            poster.post { adopt(config) }
        }
    }

    /// Has the lines of a file end as `.editorconfig` says, once all of it was read: one that has line ends keeps them, since it would have two
    /// kinds.
    private func adoptNewline(of path: FilePath) {
        guard !isClosed, file.shownPath == path else { return }
        if file.isReading { return whenRead.append { [weak self] in self?.adoptNewline(of: path) } }
        guard let newline = conventions.newline, newline != file.newline, file.store.text.metrics.newlines == 0,
            view.isEditable
        else { return }
        file.setNewline(newline)
        adoptLineEnds()
        setNeedsStatus()
    }

    /// Has Tab type what the file is indented by.
    private func indent() {
        let indentation = Indentation(of: view.store.text, conventions)
        var options = view.options
        options.tabBehavior = indentation.blanks.map { .insertsSpaces($0) } ?? .insertsTab
        options.keepsIndentation = true
        if options.tabBehavior != view.options.tabBehavior || !view.options.keepsIndentation { view.options = options }
        view.paragraphStyle.tabInterval = indentation.tabWidth
    }

    /// Takes trailing blanks away and ends the last line before a save, where `.editorconfig` asks for it: as one step of undo.
    func tidyBeforeSaving() {
        // Blanks at the end of a line mean something in Markdown.
        guard rich == nil, view.isEditable, view.session.markedText == nil,
            let changes = conventions.tidying(view.store.text, newline: file.newline)
        else { return }
        view.store.apply(Transaction(on: view.store, changes))
    }
}
