import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// How caret and selection look, and where something would be dropped.
extension EditorView {
    /// When the caret blinks.
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

    /// How carets look.
    public var cursorView: any TextCursorView {
        get { caret.view }
        set {
            damageCaret()
            caret.view = newValue
            damageCaret()
        }
    }

    /// The primary range's moving end, as a caret in view pixels; it may lie out of sight. Nil if nothing is selected and there is no caret.
    public var primaryCaretRect: ViewRect? {
        guard let place = selection?.primary.place else { return nil }
        return caretRect(for: position(place))
    }

    /// How selected text looks; nil for the theme's colour behind each stretch of it.
    public var highlightView: (any TextSelectionHighlightView)? {
        get { painter.highlightView }
        set {
            painter.highlightView = newValue
            setNeedsDisplay()
        }
    }

    /// How the handles look that fingers move the ends of the selection by.
    public var handleView: any TextSelectionHandleView {
        get { painter.handleView }
        set {
            painter.handleView = newValue
            damageHandles()
        }
    }

    /// What is painted for each handle in sight.
    var handleParts: [[ColoredRect]] { interaction.handles.map { painter.handleView.shape(of: $0, in: theme) } }

    /// Shows where something that is dragged over the text would be dropped: place its caret with each motion, and remove it when the
    /// drag leaves, is dropped or is given up.
    public var dropCaret: TextCursorDropPositionAnimator {
        if let dropAnimator { return dropAnimator }
        let made = TextCursorDropPositionAnimator(textInput: self, clock: clock)
        made.onChange = { [weak self] in
            guard let self else { return }
            damageCaret()
            deadlineDidChange()
        }
        dropAnimator = made
        return made
    }

    /// What is painted for the place of a drop.
    var dropCaretParts: [ColoredRect] {
        guard var rect = dropAnimator?.rect else { return [] }
        rect.size.width = theme.caretWidth
        guard rect.intersects(bounds) else { return [] }
        var cursor = TextCursor(rect)
        cursor.isDropTarget = true
        return caret.view.shape(of: cursor, in: theme)
    }
}
