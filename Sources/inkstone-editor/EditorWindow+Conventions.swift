import Inkstone
import InkstoneFiles

/// The indentation and line ends of the file, and the clean-up before saving: as found in the text, and as set in
/// `.editorconfig`.
extension EditorWindow {
    /// Applies the indentation found in the text, and the settings of `.editorconfig` as soon as they have been
    /// read, without blocking.
    func adoptConventions() {
        conventions = EditorConfig()
        indent()
        guard let path = file.shownPath, !file.isReadingInput else { return }
        let poster = display.poster
        // `adopt` is called only in closures passed to `poster.post`, which run on the display's thread.
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

    /// Sets the line ends that `.editorconfig` asks for, after the whole file was read. A file that has line ends
    /// already keeps its kind, so that they do not become mixed.
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

    /// Sets the behaviour of the Tab key and the tab width from the file's indentation. Makes new lines keep the
    /// indentation of the line before.
    private func indent() {
        let indentation = Indentation(of: view.store.text, conventions)
        var options = view.options
        options.tabBehavior = indentation.blanks.map { .insertsSpaces($0) } ?? .insertsTab
        options.keepsIndentation = true
        if options.tabBehavior != view.options.tabBehavior || !view.options.keepsIndentation { view.options = options }
        view.paragraphStyle.tabInterval = indentation.tabWidth
    }

    /// Removes trailing blanks and ends the last line before a save, as far as `.editorconfig` asks for it, as one
    /// undo step. Does nothing for styled text, for text that cannot be edited, or during a composition.
    func tidyBeforeSaving() {
        // Do not tidy a Markdown file that is shown as styled text: trailing blanks are significant in Markdown.
        guard rich == nil, view.isEditable, view.session.markedText == nil,
            let changes = conventions.tidying(view.store.text, newline: file.newline)
        else { return }
        view.store.apply(Transaction(on: view.store, changes))
    }
}
