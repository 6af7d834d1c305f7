import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The display of changes: computing damage, and painting by the ``Painter`` with the state of the view.
extension TextPresenter {
    /// The present state of the view, for painting.
    var scene: TextScene {
        TextScene(
            layout: layout, viewport: viewport, selection: selection, markedText: markedText, isFocused: isFocused,
            views: viewportLayout.attachmentViews)
    }

    /// The range of the visible text. It consists of whole paragraphs, or of parts of long ones.
    public var visibleTextRange: Range<UTF16Offset> { scene.visibleRange }

    // MARK: Painting

    /// Paints the part of the view inside `damage`, in window pixels. Every pixel of it is painted.
    func paint(on canvas: any Canvas, damage: WindowRect) {
        let damage = damage.intersection(frame)
        guard !damage.isEmpty else { return }
        canvas.setClip([damage])
        canvas.fill(damage, theme.background)
        let visible = damage.converted(to: ViewSpace.self, originAt: frame.origin)
        let text = visible.intersection(viewport.textArea)
        if !text.isEmpty {
            if viewport.touchesEdge(visible) { viewportLayout.layOutSurroundings() }
            if text != visible { canvas.setClip([viewport.windowRect(text)]) }
            painter.paintText(of: scene, on: canvas, within: text)
            if store.text.isEmpty {
                painter.paintPlaceholder(
                    options.placeholder, sharing: layout, at: viewport.documentOriginInWindow, on: canvas)
            }
            if !painter.fades.isEmpty {
                painter.paintFades(at: clock(), of: scene, on: canvas, within: text)
                canvas.setClip([viewport.windowRect(text)])
            }
            paintCarets(on: canvas, within: text)
            painter.paintHandles(on: canvas, in: viewport, within: text)
            viewportLayout.attachmentViews.paint(on: canvas, within: viewport.windowRect(text))
            canvas.setClip([damage])
        }
        if visible.maxX > viewport.textArea.maxX || visible.maxY > viewport.textArea.maxY {
            painter.paintThumbs(viewportLayout.thumbs, on: canvas, in: viewport, within: visible)
        }
        // Painting lays out lines. Heights that become exact move the thumb, and carets may then be in other lines.
        // Damage thumb and carets again.
        damageThumb()
        painter.damageCaretLines(in: scene, report)
        damageHandles()
        canvas.setClip(nil)
    }

    private func paintCarets(on canvas: any Canvas, within visible: ViewRect) {
        let isOn = !caretBlinks || caret.blink.isVisible(at: clock())
        let carets = caretIsHidden ? [] : caretsInSight
        let drop = dropCaretParts
        let shown = drop.isEmpty ? carets : carets + drop
        painter.paintCarets(isOn ? shown : drop, of: shown, on: canvas, in: viewport, within: visible)
    }

    // MARK: Damage

    /// Damages the whole view.
    func setNeedsDisplay() { view?.setNeedsDisplay(bounds) }

    /// Damages the visible lines of a range. Pass `includingInk` if the glyphs have changed, not only their
    /// background.
    func setNeedsDisplay(offsets: Range<UTF16Offset>, includingInk: Bool = false) {
        painter.damage(offsets, includingInk: includingInk, in: scene, report)
    }

    func report(_ repaint: Repaint) {
        switch repaint {
        case .paint(let rect):
            let visible = rect.intersection(bounds)
            if !visible.isEmpty { view?.setNeedsDisplay(visible) }
        case .move(let rect, by: let dy): view?.movePixels(of: rect, by: dy)
        }
    }

    /// Damages the view after its pixels have moved or are out of date.
    func show(_ effect: ScrollEffect) {
        switch effect {
        case .none: break
        case .replaced:
            painter.fades = []
            setNeedsDisplay()
            damageHandles()
        case .moved(let dy):
            painter.moveCarets(by: dy)
            report(.move(viewport.textArea, by: dy))
            damageThumb()
            damageHandles()
        }
    }

    /// Updates the view after a transaction has changed the text and its lines.
    func show(_ change: LayoutChange, of applied: AppliedTransaction) {
        let changes = applied.changes.changeMap
        // An edit in this view hides the handles that fingers use.
        if applied.view == state.view { interaction.hideHandles() }
        interaction.textDidChange(through: changes)
        viewport.scroll.map(through: changes)
        let y = viewport.scroll.y
        viewportLayout.restoreAnchor()
        // The thumb may change even if the height of the edited line has not changed: the estimated heights of
        // other lines may have.
        damageThumb()
        painter.damage(change, scrolledFrom: y, in: scene, report)
        // If the text was empty or is empty now, repaint the whole text area: the placeholder may be wider than the
        // text typed in its place.
        guard !options.placeholder.isEmpty else { return }
        let ranges = applied.coveringRanges
        let wasEmpty = ranges.old.isEmpty && ranges.new == textRange
        if wasEmpty || store.text.isEmpty { report(.paint(viewport.textArea)) }
    }

    func damageSelectionChange(from old: Selection?, to new: Selection?) {
        painter.damage(from: old, to: new, in: scene, report)
        damageCaret()
        damageHandles()
    }

    /// Repaints the thumbs that have been grabbed, released, entered or left by the pointer, because their colours
    /// change.
    func showThumbUse() {
        let (old, new) = (painter.activeThumb, viewportLayout.scrollBar.active)
        guard old != new else { return }
        painter.activeThumb = new
        for axis in [old, new] { if let thumb = axis.flatMap({ painter.shownThumbs[$0] }) { report(.paint(thumb)) } }
    }

    func damageThumb() { painter.damageThumbs(now: viewportLayout.thumbs, report) }

    func damageHandles() { painter.damageHandles(now: handleParts, report) }

    /// Damages the carets' rectangles as last painted and as they are now, and the lines that got or lost a caret.
    func damageCaret() {
        painter.damageCarets(now: dropAnimator == nil ? caretsInSight : caretsInSight + dropCaretParts, report)
        painter.damageCaretLines(in: scene, report)
    }

    // MARK: Caret

    /// Whether the caret may blink. Without the focus it is steady, and also in text that cannot be edited, in
    /// which keys only select.
    private var caretBlinks: Bool { isFocused && options.isEditable }

    /// Whether the carets are shown. Editable text of several lines always shows them. Single-line fields show them
    /// only with the focus; so does text that cannot be edited, where the caret marks the position from which keys
    /// select.
    var showsCaret: Bool {
        (isFocused || options.isEditable && !options.isSingleLine) && selection?.hasCaret == true
    }

    /// The rectangles of each visible caret, in view pixels.
    private var caretsInSight: [ColoredRect] {
        guard showsCaret else { return [] }
        let scene = scene
        caret.box = typedBox
        // In overwrite mode the caret also covers the text that the next key replaces. Do not use the cached
        // rectangles, because that text may have changed.
        if state.isOverwriting {
            let covering = markedText == nil ? { self.state.overwritten(by: "x", at: $0) } : nil
            return caret.parts(in: scene, covering: covering, theme)
        }
        if let known = caret.known(in: scene) { return known }
        let made = caret.parts(in: scene, covering: nil, theme)
        caret.keep(made, in: scene)
        return made
    }

    /// The box of text typed at the primary caret. Nil if neither the document nor the text to be typed has styles,
    /// and in a secure view.
    private var typedBox: TextBox? {
        guard store.styledText.runs != nil || state.hasChosenStyles, !options.isSecureTextEntry else { return nil }
        return layout.textBox(of: state.typingAttributes)
    }

    /// Damages the caret if the style of text typed there has changed.
    func damageCaretIfTypedOtherwise() {
        if typedBox != caret.box { damageCaret() }
    }

    /// Whether an input method hides the caret.
    var caretIsHidden: Bool { state.composition?.isCaretHidden ?? false }

    /// Whether the keyboard types right-to-left letters. A split caret shows this by a flag.
    var keyboardIsRightToLeft: Bool {
        get { caret.keyboardIsRightToLeft }
        set {
            guard newValue != caret.keyboardIsRightToLeft else { return }
            caret.keyboardIsRightToLeft = newValue
            damageCaret()
        }
    }

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the view's clock; nil for never.
    var nextDeadline: Int64? {
        var next = interaction.nextDeadline ?? .max
        if let drop = dropAnimator?.nextDeadline { next = min(next, drop) }
        if let step = painter.nextFadeStep(at: clock()) { next = min(next, step) }
        if let paging = viewportLayout.scrollBar.paging { next = min(next, paging.deadline) }
        if caretBlinks, showsCaret, let blink = caret.blink.nextChange(after: clock()) { next = min(next, blink) }
        return next == .max ? nil : next
    }

    /// Performs the steps that are due: turns the caret on or off, and continues gestures, fades and paging.
    func handleDeadline() {
        damageCaret()
        interaction.handleDeadline()
        dropAnimator?.handleDeadline()
        if !painter.fades.isEmpty { painter.damageFades(at: clock(), in: scene, report) }
        scrollBars.pageOn()
        view?.deadlineDidChange()
    }
}
