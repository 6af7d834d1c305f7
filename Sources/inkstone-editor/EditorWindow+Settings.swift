import Inkstone

/// What the user may choose in the menu.
extension EditorWindow {
    /// The editor's own lines of the text's menu.
    func menuItems() -> [MenuItem] {
        func item(_ title: String, _ command: EditCommand, isEnabled: Bool = true) -> MenuItem {
            MenuItem(title, shortcut: view.keyBindings.shortcutText(of: command), isEnabled: isEnabled) { [weak self] in
                self?.perform(command)
            }
        }
        // What edits, or asks for something to be typed, waits for the question before it.
        let isFree = !isAsking
        func colors(_ title: String, _ appearance: Appearance) -> MenuItem {
            MenuItem(title, kind: .choice(isOn: program.settings.shown.appearance == appearance)) { [weak self] in
                self?.change { $0.appearance = appearance }
            }
        }
        return [
            item("New", .newDocument), item("Open…", .openDocument, isEnabled: isFree),
            item("Save", .saveDocument, isEnabled: isFree && !options.readOnly),
            item("Save As…", .saveDocumentAs, isEnabled: isFree),
            MenuItem("Encoding…", isEnabled: isFree && view.isEditable) { [weak self] in
                self?.performUnlessAsking { $0.askForEncoding() }
            },
            MenuItem(
                "Windows Line Ends", kind: .choice(isOn: file.newline == .crlf), isEnabled: isFree && view.isEditable
            ) { [weak self] in
                self?.performUnlessAsking { $0.toggleWindowsLineEnds() }
            },
            .separator,
            item("Find…", .find, isEnabled: isFree),
            item("Replace…", .findAndReplace, isEnabled: isFree && !options.readOnly),
            item("Go to Line…", .goToLine, isEnabled: isFree),
            MenuItem("Count Words") { [weak self] in self?.countWords() },
            item("Keys", .showHelp), .separator,
            MenuItem("Wrap Lines", kind: .choice(isOn: view.wrapsLines)) { [weak self] in
                self?.change { $0.wraps.toggle() }
            },
            MenuItem("Line Numbers", kind: .choice(isOn: ruler != nil)) { [weak self] in
                self?.change { $0.numbersLines.toggle() }
            },
            MenuItem("Font…", isEnabled: isFree) { [weak self] in self?.performUnlessAsking { $0.askForFont() } },
            .separator,
            colors("Colors of the Desktop", .desktop), colors("Light", .light), colors("Dark", .dark),
        ]
    }

    /// Makes the text larger or smaller, or with 0 as it was at first.
    func enlarge(by steps: Int) {
        change { if steps == 0 { $0.size = 100 } else { $0.enlarge(by: steps) } }
        tell("Text size \(program.settings.shown.size) %")
    }

    /// Changes what is set, now and for the next start. Says so if it cannot be kept.
    private func change(_ change: @escaping @Sendable (inout EditorSettings) -> Void) {
        program.change(change) { [weak self] in
            guard let self, !isClosed else { return }
            tell("That holds until the editor is closed: the settings cannot be written.")
        }
    }

    /// Shows what is set.
    func apply(_ settings: EditorSettings) {
        view.wrapsLines = settings.wraps
        var font = font(of: settings)
        font.size = max(1, (font.size * Double(settings.size) / 100).rounded())
        if font != view.font { view.font = font }
        showLineNumbers(settings.numbersLines)
        for view in window.contents.compactMap({ $0 as? TextView }) { view.appearance = settings.appearance }
        window.window.setNeedsDisplay()
    }

    /// The font that is set, as large as at first, in device pixels.
    func font(of settings: EditorSettings) -> FontDescriptor {
        settings.font.flatMap { FontDescriptor(pattern: $0, scale: display.scale) } ?? .standard(scale: display.scale)
    }

    /// Asks for the font of the text.
    private func askForFont(_ text: String? = nil, problem: String? = nil) {
        let request = PathPrompt.Request(
            label: "Font:", action: "Use It",
            hint: "Enter: apply · Tab: complete · empty: default font · Esc: cancel",
            names: .fonts)
        openPrompt(request, text: text ?? program.settings.shown.font ?? "", problem: problem) { window, pattern in
            let font = FontDescriptor(pattern: pattern, scale: 1)
            let missing = font.flatMap { $0.isInstalled ? nil : $0.missingFamily(standIn: nil) }
            if let problem = EditOptions.problem(font: pattern) ?? missing {
                return window.askForFont(pattern, problem: problem)
            }
            window.change { $0.font = pattern.isEmpty ? nil : pattern }
        }
    }

    private func showLineNumbers(_ areShown: Bool) {
        guard areShown != (ruler != nil) else { return }
        if let ruler {
            window.remove(ruler)
            self.ruler = nil
        } else {
            let ruler = LineNumberRuler(for: view)
            ruler.onWidthChange = { [weak self] in
                self?.window.layOut()
                self?.window.window.setNeedsDisplay()
            }
            self.ruler = ruler
            window.add(ruler)
        }
        window.layOut()
    }
}
