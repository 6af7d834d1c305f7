import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The links of the text: ranges with a `LinkAttribute`.
extension EditorView {
    /// Returns the destination and the whole range of the link at an offset, in UTF-16 units. Nil if there is no
    /// link, or in a secure view.
    public func link(at offset: UTF16Offset) -> (destination: String, range: Range<UTF16Offset>)? {
        guard !isSecureTextEntry, let run = store.styledText.run(of: LinkAttribute.self, at: offset),
            run.range.contains(offset)
        else { return nil }
        return run.value.map { ($0, run.range) }
    }

    /// Opens the link at the caret or just before it, or the first link in the primary range, by ``onOpenLink``.
    /// Returns false if there is no link or no callback, and in a secure view. The keys are Alt+Return and, in text
    /// that cannot be edited, Return: `EditCommand.openLink`.
    @discardableResult
    public func openLink() -> Bool {
        guard let onOpenLink, let found = selectedLink else { return false }
        onOpenLink(found.destination)
        return true
    }

    /// The link at the caret or just before it, or the first link in the primary range. Nil if there is none, and
    /// in a secure view.
    package var selectedLink: (destination: String, range: Range<UTF16Offset>)? {
        guard let range = selection?.primary.range else { return nil }
        // A caret just after a link counts as at the link.
        let places = range.isEmpty ? [range.lowerBound, range.lowerBound - 1] : [range.lowerBound]
        return places.lazy.compactMap { self.link(at: $0) }.first ?? firstLink(in: range)
    }

    /// Returns the link at a point of the view; nil if there is none.
    package func link(at point: ViewPoint) -> (destination: String, range: Range<UTF16Offset>)? {
        characterRange(at: point).flatMap { link(at: store.offset(of: $0.start)) }
    }

    /// Whether a command opens the link at the caret: `EditCommand.openLink`, and Return in text that cannot be
    /// edited.
    func opensLink(_ command: EditCommand) -> Bool {
        (command == .openLink || command == .insertNewline && !isEditable) && onOpenLink != nil && selectedLink != nil
    }

    // MARK: Links by keys

    /// Returns the range of the link that Tab or Shift+Tab selects in text that cannot be edited: the next link after
    /// the primary range, or the previous one before it. Nil for other commands, if there is no such link, in text
    /// that can be edited, in a secure view, and without ``onOpenLink``.
    func linkToSelect(by command: EditCommand) -> Range<UTF16Offset>? {
        guard command == .insertTab || command == .insertBacktab, selectsLinks else { return nil }
        let range = selection?.primary.range ?? 0..<0
        return command == .insertTab ? link(endingAfter: range.upperBound) : link(beginningBefore: range.lowerBound)
    }

    /// Selects a link, as Tab does, and makes it visible.
    func selectLink(_ range: Range<UTF16Offset>) {
        select(Selection(anchor: range.lowerBound, head: range.upperBound), scrolling: false)
        scrollToVisible(range)
    }

    /// Selects the first visible link, or the last one if the user moves `backwards`. Called when Tab has moved the
    /// focus to the view. Does nothing if no link is visible, if text other than a link is selected, and where Tab
    /// does not select links.
    package func selectVisibleLink(backwards: Bool) {
        guard selectsLinks else { return }
        if let range = selection?.primary.range, !range.isEmpty, link(at: range.lowerBound)?.range != range { return }
        let visible = presenter.visibleTextRange
        let found = backwards ? link(beginningBefore: visible.upperBound) : link(endingAfter: visible.lowerBound)
        if let found, found.overlaps(visible) { selectLink(found) }
    }

    /// Selects the first link of the text, or the last one if the user moves `backwards`. Called when Tab finds no
    /// other view that accepts the focus. Returns false if Tab does not select links, or if the text has none.
    package func selectEndLink(backwards: Bool) -> Bool {
        guard selectsLinks,
            let found = backwards ? link(beginningBefore: store.text.utf16Range.upperBound) : link(endingAfter: 0)
        else { return false }
        selectLink(found)
        return true
    }

    private var selectsLinks: Bool { !isEditable && onOpenLink != nil && !isSecureTextEntry }

    private func link(endingAfter offset: UTF16Offset) -> Range<UTF16Offset>? {
        let (text, end) = (store.styledText, store.text.utf16Range.upperBound)
        var next = offset
        while next < end, let run = text.run(of: LinkAttribute.self, at: next) {
            if run.value != nil { return run.range }
            next = run.range.upperBound
        }
        return nil
    }

    private func link(beginningBefore offset: UTF16Offset) -> Range<UTF16Offset>? {
        let text = store.styledText
        var end = offset
        while end > 0, let run = text.run(of: LinkAttribute.self, at: end - 1) {
            if run.value != nil { return run.range }
            end = run.range.lowerBound
        }
        return nil
    }

    private func firstLink(in range: Range<UTF16Offset>) -> (destination: String, range: Range<UTF16Offset>)? {
        var offset = range.lowerBound
        while offset < range.upperBound, let run = store.styledText.run(of: LinkAttribute.self, at: offset) {
            if run.value != nil { return link(at: offset) }
            offset = run.range.upperBound
        }
        return nil
    }

    /// Passes the text's links to the pointer's gestures if ``onOpenLink`` is set, so that clicks can open them.
    func followLinks() {
        guard onOpenLink != nil else { return interaction.links = nil }
        interaction.links = TextInteraction.Links(
            has: { [weak self] position in
                guard let self else { return false }
                return link(at: store.offset(of: position)) != nil
            },
            open: { [weak self] position in
                guard let self, let found = link(at: store.offset(of: position)) else { return }
                onOpenLink?(found.destination)
            },
            point: { [weak self] position in
                guard let self else { return }
                hoverLink(position.flatMap { link(at: store.offset(of: $0)) })
            }
        )
    }

    /// Highlights the link that a click would open, and reports it to ``onHoverLink``.
    private func hoverLink(_ link: (destination: String, range: Range<UTF16Offset>)?) {
        let layer = decorations(in: .hoveredLink)
        if link?.range == (layer.isEmpty ? nil : layer.range(0)) { return }
        removeDecorations(in: .hoveredLink)
        if let link {
            let tint = RenderingAttributes(background: theme.link.withAlpha(0x30))
            addDecorations([link.range], attributes: tint, in: .hoveredLink)
        }
        onHoverLink?(link?.destination)
    }
}
