import Inkstone

/// What the user may choose in the menu.
extension EditorWindow {
    /// The editor's own lines of the text's menu.
    func menuItems() -> [MenuItem] {
        func item(_ title: String, _ command: EditCommand) -> MenuItem {
            MenuItem(title, shortcut: view.keyBindings.shortcutText(of: command)) { [weak self] in
                self?.perform(command)
            }
        }
        let isDark = view.theme.colored(like: .dark) == view.theme
        return [
            item("Open…", .openDocument),
            MenuItem("Encoding…", isEnabled: view.isEditable) { [weak self] in self?.askForEncoding() },
            MenuItem("Windows Line Ends", kind: .choice(isOn: file.newline == .crlf), isEnabled: view.isEditable) {
                [weak self] in self?.toggleWindowsLineEnds()
            },
            .separator,
            MenuItem("Count Words") { [weak self] in self?.countWords() },
            item("Find…", .find), item("Go to Line…", .goToLine), .separator,
            MenuItem("Wrap Lines", kind: .choice(isOn: view.wrapsLines)) { [weak self] in
                self?.change { $0.wraps.toggle() }
            },
            MenuItem("Dark", kind: .choice(isOn: isDark)) { [weak self] in
                self?.change { $0.appearance = isDark ? .light : .dark }
            },
        ]
    }

    /// Makes the text larger or smaller, or with 0 as it was at first.
    func enlarge(by steps: Int) {
        change { if steps == 0 { $0.size = 100 } else { $0.enlarge(by: steps) } }
        tell("Text size \(EditorSettings.kept.size) %")
    }

    /// Changes what is set, now and for the next start.
    private func change(_ change: (inout EditorSettings) -> Void) {
        // Another editor may have changed something else.
        var settings = EditorSettings.kept
        settings.wraps = view.wrapsLines
        change(&settings)
        apply(settings)
        if !settings.keep() { tell("That holds until the editor is closed: the settings cannot be written.") }
    }

    /// Shows what is set.
    func apply(_ settings: EditorSettings) {
        view.wrapsLines = settings.wraps
        let size = (fontSize * display.scale * Double(settings.size) / 100).rounded()
        if size != view.font.size { view.font.size = max(1, size) }
        for view in window.contents.compactMap({ $0 as? TextView }) { view.appearance = settings.appearance }
        window.window.setNeedsDisplay()
    }
}
