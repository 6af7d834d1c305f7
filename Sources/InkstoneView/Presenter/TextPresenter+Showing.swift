import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The display of changes: damage, and painting by the ``Painter`` with the data that it needs of the view.
extension TextPresenter {
    /// The scene to paint now.
    var scene: TextScene {
        TextScene(
            layout: layout, viewport: viewport, selection: selection, markedText: markedText, isFocused: isFocused,
            views: viewportLayout.attachmentViews)
    }

    /// The text in sight, by whole paragraphs or parts of long ones.
    public var visibleTextRange: Range<UTF16Offset> { scene.visibleRange }

    // MARK: Painting

    /// Paints the part of the view inside `damage`, in window pixels, and covers all of it.
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
        // Painting lays out lines, and heights that become known move the thumb. Carets may now be in other lines.
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

    /// Damages the visible lines of a range. `includingInk` is for changed glyphs, not only a changed background.
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

    /// Damages the view after its content has moved or was replaced.
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
        // The user is typing, so the handles for fingers go.
        if applied.view == state.view { interaction.hideHandles() }
        interaction.textDidChange(through: changes)
        viewport.scroll.map(through: changes)
        let y = viewport.scroll.y
        viewportLayout.restoreAnchor()
        // A line of unchanged height may change the estimated heights of others as well.
        damageThumb()
        painter.damage(change, scrolledFrom: y, in: scene, report)
        // The placeholder is wider than the typed text.
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

    /// Repaints the thumbs whose state with the pointer has changed.
    func showThumbUse() {
        let (old, new) = (painter.activeThumb, viewportLayout.scrollBar.active)
        guard old != new else { return }
        painter.activeThumb = new
        for axis in [old, new] { if let thumb = axis.flatMap({ painter.shownThumbs[$0] }) { report(.paint(thumb)) } }
    }

    func damageThumb() { painter.damageThumbs(now: viewportLayout.thumbs, report) }

    func damageHandles() { painter.damageHandles(now: handleParts, report) }

    /// Damages the carets' painted and new rectangles.
    func damageCaret() {
        painter.damageCarets(now: dropAnimator == nil ? caretsInSight : caretsInSight + dropCaretParts, report)
        painter.damageCaretLines(in: scene, report)
    }

    // MARK: Caret

    /// Whether the caret blinks. In text that cannot be edited, keys only select, and the caret is steady.
    private var caretBlinks: Bool { isFocused && options.isEditable }

    /// Whether a caret shows. In text that cannot be edited it shows where keys select from, and of the fields of a form only one has the focus: in
    /// both cases it shows only with the focus.
    var showsCaret: Bool {
        (isFocused || options.isEditable && !options.isSingleLine) && selection?.hasCaret == true
    }

    /// The rectangles of each caret in sight, in view pixels.
    private var caretsInSight: [ColoredRect] {
        guard showsCaret else { return [] }
        let scene = scene
        caret.box = typedBox
        // A caret that covers a letter depends on more than the key of the kept rectangles.
        if state.isOverwriting {
            let covering = markedText == nil ? { self.state.overwritten(by: "x", at: $0) } : nil
            return caret.parts(in: scene, covering: covering, theme)
        }
        if let known = caret.known(in: scene) { return known }
        let made = caret.parts(in: scene, covering: nil, theme)
        caret.keep(made, in: scene)
        return made
    }

    /// The box of text typed at the primary caret; nil if only the layout's own font is typed.
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

    /// Whether the keyboard types right-to-left letters, which the flag of a split caret shows.
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

    /// Turns the caret on or off, and performs the due steps of the pointer's gesture.
    func handleDeadline() {
        damageCaret()
        interaction.handleDeadline()
        dropAnimator?.handleDeadline()
        if !painter.fades.isEmpty { painter.damageFades(at: clock(), in: scene, report) }
        scrollBars.pageOn()
        view?.deadlineDidChange()
    }
}
