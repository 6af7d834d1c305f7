import Inkstone

/// Indentation of the file and tidying on saving: from the text itself, and from `.editorconfig`.
extension EditorWindow {
    /// Applies the text's own indentation, and `.editorconfig` as soon as its disk has answered, without blocking.
    func adoptConventions() {
        conventions = EditorConfig()
        indent()
        guard let path = file.shownPath, !file.isReadingInput else { return }
        let poster = display.poster
        // Called on the display's thread alone, where the poster runs its closures.
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

    /// Sets the line ends from `.editorconfig` after the whole file was read: a file that has line ends keeps them, because it would get two
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

    /// Sets the text of the Tab key from the file's indentation.
    private func indent() {
        let indentation = Indentation(of: view.store.text, conventions)
        var options = view.options
        options.tabBehavior = indentation.blanks.map { .insertsSpaces($0) } ?? .insertsTab
        options.keepsIndentation = true
        if options.tabBehavior != view.options.tabBehavior || !view.options.keepsIndentation { view.options = options }
        view.paragraphStyle.tabInterval = indentation.tabWidth
    }

    /// Removes trailing blanks and ends the last line before a save, where `.editorconfig` requires it: as one undo step.
    func tidyBeforeSaving() {
        // Trailing blanks are significant in Markdown.
        guard rich == nil, view.isEditable, view.session.markedText == nil,
            let changes = conventions.tidying(view.store.text, newline: file.newline)
        else { return }
        view.store.apply(Transaction(on: view.store, changes))
    }
}
