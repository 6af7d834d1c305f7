import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The style of the view: font, scale, colours and distances.
extension TextPresenter {
    /// The colours and distances of the view, in device pixels.
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

    /// Optional aids in the text: symbols for white space, and the background of the caret's line.
    public var guides: TextGuides {
        get { painter.guides }
        set {
            guard newValue != painter.guides else { return }
            painter.guides = newValue
            painter.damageCaretLines(in: scene) { _ in }
            setNeedsDisplay()
        }
    }

    /// The style of marked text; nil for the style of the ``theme``.
    var markedTextStyle: MarkedTextStyle? {
        get { painter.markedTextStyle }
        set {
            guard newValue != painter.markedTextStyle else { return }
            painter.markedTextStyle = newValue
            if let markedText { setNeedsDisplay(offsets: markedText.range, includingInk: true) }
        }
    }

    /// Sets font, theme and font settings together, as after a change of the display's scale. Lines are laid out
    /// again when they become visible. The selection, the undo history and the first visible line do not change.
    ///
    /// - Parameters:
    ///   - font: the default font, in device pixels.
    ///   - theme: the colours and distances, in device pixels.
    ///   - settings: the settings for rendering glyphs.
    ///   - attributeScale: the number of device pixels in one pixel of the fonts and paragraph styles of the text's
    ///     attributes; nil for the present scale, which is 1 at first.
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
        // The first visible line may be cut off at the top. Change the hidden part of it in proportion to the
        // line's height.
        viewport.scroll.anchor.distance = (viewport.scroll.anchor.distance * lineStep / oldLine).rounded()
        session.change(.relayout)
        self.theme = theme
    }

    /// Displays the paragraphs again after the rules for their layout have changed.
    func paragraphsDidChange() {
        painter.inkReach = 0
        viewportLayout.restoreAnchor()
        setNeedsDisplay()
        session.report(.geometry)
    }
}
