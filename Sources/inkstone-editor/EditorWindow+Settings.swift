import Inkstone

/// The commands for settings: wrapping, line numbers, font, size and colours.
extension EditorWindow {
    /// Makes the text larger by steps, or smaller if negative; 0 restores the default size.
    func enlarge(by steps: Int) {
        change { if steps == 0 { $0.size = 100 } else { $0.enlarge(by: steps) } }
        notify(Words.zoom(Words.percent(program.settings.shown.size)))
    }

    /// Changes the settings of all windows, and stores them for the next start. Reports a failure to store them.
    func change(_ change: @escaping @Sendable (inout EditorSettings) -> Void) {
        program.change(change) { [weak self] in
            guard let self, !isClosed else { return }
            notify(Words.settingsNotSaved)
        }
    }

    /// Stores the window's size as that of windows opened later, also after the next start. Does nothing for a built-in
    /// page, for a window whose size is given by the command line or by a host, or for a size out of range.
    func keepSize() {
        guard window.window.isShown, !window.window.isClosed, options.page == nil, options.geometry == nil,
            options.embed == nil
        else {
            return
        }
        let size = window.window.bounds.size
        let kept = Size(
            width: (size.width / display.scale).rounded(), height: (size.height / display.scale).rounded())
        guard EditorSettings.windowRange.contains(kept.width), EditorSettings.windowRange.contains(kept.height),
            kept != program.settings.shown.window
        else { return }
        program.change({ $0.window = kept }, report: {})
    }

    func apply(_ settings: EditorSettings) {
        if view.wrapsLines != settings.wraps {
            view.wrapsLines = settings.wraps
            // The wrapping has changed the caret's position: scroll to it.
            if let selection = view.selection { view.go(to: selection) }
        }
        var font = font(of: settings)
        font.size = max(1, (font.size * Double(settings.size) / 100).rounded())
        if font != view.font { view.font = font }
        if rich != nil { view.paragraphStyle.spacingAfter = PrintCommandLine.spacingAfter(font) }
        showLineNumbers(settings.numbersLines)
        checkSpelling(settings.spelling)
        var guides: TextGuides = []
        if settings.showsWhiteSpace { guides.insert(.whiteSpace) }
        if settings.showsCaretLine { guides.insert(.caretLine) }
        view.presenter.guides = guides
        if settings.showsBrackets != (brackets != nil) {
            brackets?.end()
            brackets = settings.showsBrackets ? MatchingBrackets(for: view) : nil
        }
        for view in window.contents.compactMap({ $0 as? TextView }) { view.appearance = settings.appearance }
        window.window.setNeedsDisplay()
    }

    /// Returns the font of the settings at the default size, in device pixels.
    func font(of settings: EditorSettings) -> FontDescriptor {
        settings.font.flatMap { FontDescriptor(pattern: $0, scale: display.scale) }
            ?? .usual(isStyled: rich != nil, scale: display.scale)
    }

    /// Asks for the font of the text, and sets it.
    func askForFont(_ text: String? = nil, problem: String? = nil) {
        let current = program.settings.shown.font ?? ""
        let request = PathPrompt.Request(
            label: Words.fontPrompt, action: Words.useIt, hint: Words.chooseHint,
            choices: NamedChoices.fonts(current: current, openedWith: text ?? current))
        openPrompt(request, text: text ?? current, problem: problem) { window, pattern in
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

extension FontDescriptor {
    /// Returns the default font: proportional for styled text, where code is shown in a monospaced font, and
    /// monospaced for plain text. The scale is device pixels for one pixel at scale 1.
    static func usual(isStyled: Bool, scale: Double) -> FontDescriptor {
        isStyled ? FontDescriptor(family: "sans-serif", size: (15 * scale).rounded()) : .standard(scale: scale)
    }
}
