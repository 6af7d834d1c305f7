import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The style of the text: its font, the scale, colours and distances.
extension TextPresenter {
    /// Colours and distances, in device pixels.
    var theme: Theme {
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

    /// Optional aids beside the text: signs for white space, the line of the caret.
    public var guides: TextGuides {
        get { painter.guides }
        set {
            guard newValue != painter.guides else { return }
            painter.guides = newValue
            painter.damageCaretLines(in: scene) { _ in }
            setNeedsDisplay()
        }
    }

    /// The style of marked text; nil for the ``theme``'s.
    var markedTextStyle: MarkedTextStyle? {
        get { painter.markedTextStyle }
        set {
            guard newValue != painter.markedTextStyle else { return }
            painter.markedTextStyle = newValue
            if let markedText { setNeedsDisplay(offsets: markedText.range, includingInk: true) }
        }
    }

    /// Sets font, theme and font settings together, as after a change of the display's scale. Lines are laid out again when they come into sight;
    /// selection, undo and the line at the top stay.
    ///
    /// - Parameters:
    ///   - font: the font of all text, in device pixels.
    ///   - theme: colours and distances, already scaled.
    ///   - settings: the rendering of glyphs.
    ///   - attributeScale: device pixels for one pixel of the fonts and paragraph styles in the text's attributes; nil for the present scale,
    ///     initially 1.
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
        // A distance within the first line grows with the line.
        viewport.scroll.anchor.distance = (viewport.scroll.anchor.distance * lineStep / oldLine).rounded()
        session.change(.relayout)
        self.theme = theme
    }

    /// Shows paragraphs that are laid out by other rules than before.
    func paragraphsDidChange() {
        painter.inkReach = 0
        viewportLayout.restoreAnchor()
        setNeedsDisplay()
        session.report(.geometry)
    }
}
