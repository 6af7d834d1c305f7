import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The display of the caret, the selection and the position of a drop.
extension TextPresenter {
    /// The settings for the caret's blinking.
    public var caretSettings: CaretSettings {
        get {
            var settings = CaretSettings()
            settings.blinks = caret.blink.interval > 0
            settings.period = caret.blink.interval > 0 ? 2 * caret.blink.interval : settings.period
            settings.restsAfter = caret.blink.restsAfter
            return settings
        }
        set {
            let interval = newValue.blinks ? max(1, newValue.period / 2) : 0
            guard interval != caret.blink.interval || newValue.restsAfter != caret.blink.restsAfter else { return }
            (caret.blink.interval, caret.blink.restsAfter) = (interval, newValue.restsAfter)
            guard isFocused else { return }
            sessionDidAct()
            damageCaret()
        }
    }

    /// The view that draws carets.
    public var cursorView: any TextCursorView {
        get { caret.view }
        set {
            damageCaret()
            caret.view = newValue
            damageCaret()
        }
    }

    /// The view that draws the highlight of selected text; nil to fill the theme's colour behind the text.
    public var highlightView: (any TextSelectionHighlightView)? {
        get { painter.highlightView }
        set {
            painter.highlightView = newValue
            setNeedsDisplay()
        }
    }

    /// The view that draws the handles by which fingers move the ends of the selection.
    public var handleView: any TextSelectionHandleView {
        get { painter.handleView }
        set {
            painter.handleView = newValue
            damageHandles()
        }
    }

    /// The rectangles of each visible handle.
    var handleParts: [[ColoredRect]] { interaction.handles.map { painter.handleView.shape(of: $0, in: theme) } }

    /// The rectangles of the caret that shows the position of a drop.
    var dropCaretParts: [ColoredRect] {
        guard var rect = dropAnimator?.rect else { return [] }
        rect.size.width = theme.caretWidth
        guard rect.intersects(bounds) else { return [] }
        var cursor = TextCursor(rect)
        cursor.isDropTarget = true
        return caret.view.shape(of: cursor, in: theme)
    }
}
