import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// What changed → damage → canvas: the ``Painter`` with what it needs of the view, and requests to what shows it.
extension EditorView {
    /// What is to be seen now.
    var scene: TextScene {
        TextScene(
            layout: layout, viewport: viewport, selection: selection, markedText: markedText, isFocused: isFocused,
            views: viewportLayout.attachmentViews)
    }

    /// The text in sight, by whole paragraphs or parts of long ones.
    public var visibleTextRange: Range<UTF16Offset> { scene.visibleRange }

    // MARK: Painting

    /// Paints the part of the view inside `damage`, in window pixels; all of it is covered.
    public func paint(on canvas: any Canvas, damage: WindowRect) {
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
            if store.text.isEmpty { painter.paintPlaceholder(options.placeholder, of: self, on: canvas) }
            paintCarets(on: canvas, within: text)
            painter.paintHandles(on: canvas, in: viewport, within: text)
            viewportLayout.attachmentViews.paint(on: canvas, within: viewport.windowRect(text))
            canvas.setClip([damage])
        }
        if visible.maxX > viewport.textArea.maxX || visible.maxY > viewport.textArea.maxY {
            painter.paintThumbs(viewportLayout.thumbs, on: canvas, in: viewport, within: visible)
        }
        // Painting lays out, and heights that became known move the thumb. All may have been painted where the carets are in other lines.
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

    /// All of the view is out of date.
    public func setNeedsDisplay() { setNeedsDisplay(bounds) }

    /// The lines of a range are out of date; only what is in sight is looked at. `includingInk` where glyphs change, not only
    /// what is behind them.
    func setNeedsDisplay(offsets: Range<UTF16Offset>, includingInk: Bool = false) {
        painter.damage(offsets, includingInk: includingInk, in: scene, report)
    }

    private func report(_ repaint: Repaint) {
        switch repaint {
        case .paint(let rect):
            let visible = rect.intersection(bounds)
            if !visible.isEmpty { setNeedsDisplay(visible) }
        case .move(let rect, by: let dy): movePixels(of: rect, by: dy)
        }
    }

    /// What is seen has moved, or is out of date as a whole.
    func show(_ effect: ScrollEffect) {
        switch effect {
        case .none: break
        case .replaced:
            setNeedsDisplay()
            damageHandles()
        case .moved(let dy):
            painter.moveCarets(by: dy)
            report(.move(viewport.textArea, by: dy))
            damageThumb()
            damageHandles()
        }
    }

    /// A transaction has changed the text, and its lines with it.
    func show(_ change: LayoutChange, of applied: AppliedTransaction) {
        let changes = applied.changes.changeMap
        // What is typed comes by no key on a screen's keyboard.
        if applied.view == state.view { interaction.hideHandles() }
        interaction.textDidChange(through: changes)
        viewport.scroll.map(through: changes)
        let y = viewport.scroll.y
        viewportLayout.restoreAnchor()
        // Also lines of an unchanged height may change what is estimated of others.
        damageThumb()
        painter.damage(change, scrolledFrom: y, in: scene, report)
        // What stands in for the text is wider than what was typed.
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

    /// The thumb looks as the pointer has it.
    func showThumbUse() {
        let (old, new) = (painter.activeThumb, viewportLayout.scrollBar.active)
        guard old != new else { return }
        painter.activeThumb = new
        for axis in [old, new] { if let thumb = axis.flatMap({ painter.shownThumbs[$0] }) { report(.paint(thumb)) } }
    }

    func damageThumb() { painter.damageThumbs(now: viewportLayout.thumbs, report) }

    func damageHandles() { painter.damageHandles(now: handleParts, report) }

    /// The caret where it was painted and where it belongs now.
    func damageCaret() {
        painter.damageCarets(now: dropAnimator == nil ? caretsInSight : caretsInSight + dropCaretParts, report)
        painter.damageCaretLines(in: scene, report)
    }

    // MARK: Caret

    /// Whether the caret is on at times only. In a text that cannot be edited nothing is typed: it stands still, for keys that select.
    private var caretBlinks: Bool { isFocused && isEditable }

    /// Whether a caret stands anywhere. In a text that cannot be edited it says where keys select from, and of the fields of a form one has
    /// the keys: so only with the focus there.
    var showsCaret: Bool {
        (isFocused || isEditable && !options.isSingleLine) && selection?.hasCaret == true
    }

    /// What is painted for each caret in sight, in view pixels.
    private var caretsInSight: [ColoredRect] {
        guard showsCaret else { return [] }
        let scene = scene
        caret.box = typedBox
        // Where a caret covers a letter it depends on more than is compared.
        if state.isOverwriting {
            let covering = markedText == nil ? { self.state.overwritten(by: "x", at: $0) } : nil
            return caret.parts(in: scene, covering: covering, theme)
        }
        if let known = caret.known(in: scene) { return known }
        let made = caret.parts(in: scene, covering: nil, theme)
        caret.keep(made, in: scene)
        return made
    }

    /// The box of what is typed at the primary caret; nil where nothing but the layout's own font is typed.
    private var typedBox: TextBox? {
        guard store.styledText.runs != nil || state.hasChosenStyles, !options.isSecureTextEntry else { return nil }
        return layout.textBox(of: state.typingAttributes)
    }

    /// Repaints the caret where text typed there looks different from now on.
    func damageCaretIfTypedOtherwise() {
        if typedBox != caret.box { damageCaret() }
    }

    /// Whether an input method wants no caret shown.
    var caretIsHidden: Bool { state.composition?.isCaretHidden ?? false }

    /// Whether the keyboard types letters that are written from right to left: the flag of a split caret tells it.
    public var keyboardIsRightToLeft: Bool {
        get { caret.keyboardIsRightToLeft }
        set {
            guard newValue != caret.keyboardIsRightToLeft else { return }
            caret.keyboardIsRightToLeft = newValue
            damageCaret()
        }
    }

    /// When ``handleDeadline()`` wants to be called, in milliseconds of the view's clock; nil for never.
    public var nextDeadline: Int64? {
        var next = interaction.nextDeadline ?? .max
        if let drop = dropAnimator?.nextDeadline { next = min(next, drop) }
        if let paging = viewportLayout.scrollBar.paging { next = min(next, paging.deadline) }
        if caretBlinks, showsCaret, let blink = caret.blink.nextChange(after: clock()) { next = min(next, blink) }
        return next == .max ? nil : next
    }

    /// Turns the caret on or off and does what the pointer's gesture has waited for.
    public func handleDeadline() {
        damageCaret()
        interaction.handleDeadline()
        dropAnimator?.handleDeadline()
        pageOn()
        deadlineDidChange()
    }
}
