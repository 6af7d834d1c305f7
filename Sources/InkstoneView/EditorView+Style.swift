import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// How the text looks: its font, the scale, colours and distances.
extension EditorView {
    /// Colours and distances, in device pixels.
    public var theme: Theme {
        get { painter.theme }
        set {
            painter.theme = newValue
            caret.forget()
            viewport.setDistances(of: newValue)
            updateContainer()
            setNeedsDisplay()
            session.report(.geometry)
        }
    }

    /// Aids beside the text: signs for white space, the line of the caret.
    public var guides: TextGuides {
        get { painter.guides }
        set {
            guard newValue != painter.guides else { return }
            painter.guides = newValue
            painter.damageCaretLines(in: scene) { _ in }
            setNeedsDisplay()
        }
    }

    /// How marked text is shown; nil for the ``theme``'s way.
    public var markedTextStyle: MarkedTextStyle? {
        get { painter.markedTextStyle }
        set {
            guard newValue != painter.markedTextStyle else { return }
            painter.markedTextStyle = newValue
            if let markedText { setNeedsDisplay(offsets: markedText.range, includingInk: true) }
        }
    }

    /// Sets font, theme and font settings at once, as after a change of the display's scale. Lines are laid out anew where they
    /// are seen; selection, undo and the line at the top stay.
    ///
    /// - Parameters:
    ///   - font: the font of all text, in device pixels.
    ///   - theme: colours and distances, already scaled.
    ///   - settings: how glyphs are rendered.
    ///   - attributeScale: device pixels for one pixel of the fonts and paragraph styles in the text's attributes; nil for as many
    ///     as before, at first 1.
    public func setStyle(
        font: FontDescriptor, theme: Theme, settings: FontSettings, attributeScale: Double? = nil
    ) {
        let attributeScale = attributeScale ?? layout.attributeScale
        guard
            font != layout.font || theme != self.theme || settings != layout.fontSettings
                || attributeScale != layout.attributeScale
        else { return }
        let oldLine = lineStep
        layout.attributeScale = attributeScale
        layout.fontSettings = settings
        layout.font = font
        painter.inkReach = 0
        // A distance within the first line grows with it.
        viewport.scroll.anchor.distance = (viewport.scroll.anchor.distance * lineStep / oldLine).rounded()
        session.change(.relayout)
        self.theme = theme
    }

    /// The font of all text, in device pixels. Setting it keeps selection, undo and the line at the top.
    public var font: FontDescriptor {
        get { layout.font }
        set { setStyle(font: newValue, theme: theme, settings: layout.fontSettings) }
    }

    /// How all paragraphs are set: direction, alignment, heights, tabs. Setting it keeps selection, undo and the line at the top.
    public var paragraphStyle: ParagraphStyle {
        get { layout.paragraphStyle }
        set {
            guard newValue != layout.paragraphStyle else { return }
            layout.paragraphStyle = newValue
            didChangeParagraphs()
        }
    }

    /// The formatting that the text may have here; nil for all of it. A filter of the session constrains what is typed, pasted, dropped and set
    /// through it; commands that it would revert cannot be performed. Text that comes past the session, from a file, from another view
    /// or out of the undo history, is shown as the definition has it, and keeps its attributes until somebody changes these.
    public var formattingDefinition: FormattingDefinition? {
        get { layout.formattingDefinition }
        set {
            guard newValue != layout.formattingDefinition else { return }
            if let old = layout.formattingDefinition {
                let id = TransactionFilter(old).id
                session.filters.removeAll { $0.id == id }
            }
            if let newValue { session.filters.append(TransactionFilter(newValue)) }
            layout.formattingDefinition = newValue
            didChangeParagraphs()
        }
    }

    private func didChangeParagraphs() {
        painter.inkReach = 0
        viewportLayout.restoreAnchor()
        setNeedsDisplay()
        session.report(.geometry)
    }
}
