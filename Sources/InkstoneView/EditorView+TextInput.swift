import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

// The parts of the input protocols that need geometry. The session implements the others.
extension EditorView: SessionTextInput {
    func position(_ offset: UTF16Offset, _ affinity: TextAffinity = .downstream) -> TextPosition {
        session.position(at: offset, affinity: affinity)
    }

    func position(_ place: CaretPlace) -> TextPosition { position(place.offset, place.affinity) }

    func range(_ offsets: Range<UTF16Offset>) -> TextRange { session.range(offsets) }

    func offsets(_ range: TextRange) -> Range<UTF16Offset> { session.offsets(range) }

    func place(_ position: TextPosition) -> CaretPlace {
        CaretPlace(store.offset(of: position), affinity: position.affinity)
    }

    /// Returns the position `offset` steps to the left or right on the screen, or `offset` lines up or down. Nil
    /// for a step to the left or right beyond an end of the text; never nil for up and down.
    public func position(
        from position: TextPosition, in direction: TextLayoutDirection, offset: Int
    ) -> TextPosition? {
        var place = place(position)
        if direction == .up || direction == .down {
            let most = textRange.upperBound.value + 1
            let lines = min(max(-most, offset), most)
            place = layout.geometry.moveVertically(place, lines: direction == .down ? lines : -lines)
            return self.position(place)
        }
        // Make no more steps than the text has positions: further steps, as for a huge offset, have no effect.
        for _ in 0..<min(offset.magnitude, UInt(textRange.upperBound.value) + 1) {
            let next = layout.geometry.moveVisually(place, toRight: (direction == .right) == (offset > 0))
            if next == place { return nil }
            place = next
        }
        return self.position(place)
    }

    /// Returns the caret rectangle of a position, in view pixels.
    public func caretRect(for position: TextPosition) -> ViewRect {
        var rect = viewRect(layout.geometry.caretRect(at: store.offset(of: position), affinity: position.affinity))
        rect.size.width = theme.caretWidth
        return rect
    }

    /// Returns the rectangle of the second caret for a position between text of different directions, in view
    /// pixels; nil for other positions.
    public func secondaryCaretRect(for position: TextPosition) -> ViewRect? {
        let rect = layout.geometry.secondaryCaretRect(at: store.offset(of: position), affinity: position.affinity)
        return rect.map {
            var rect = viewRect($0)
            rect.size.width = theme.caretWidth
            return rect
        }
    }

    /// Returns the rectangle of the part of a range on its first visual line, in view pixels.
    public func firstRect(for range: TextRange) -> ViewRect {
        firstLine(of: offsets(range)).rect
    }

    private func firstLine(of range: Range<UTF16Offset>) -> (rect: ViewRect, part: Range<UTF16Offset>) {
        // Lay out the lines between the view's top and the range, whose heights may be estimated.
        layout.ensureLayout(around: viewport.scroll.anchor, above: 0, below: frame.height)
        let first = layout.geometry.firstRect(for: range)
        return (viewRect(first.rect), first.actual)
    }

    /// Returns the rectangles of a range, one for each visual line and run of one direction, in view pixels. Lays
    /// out the whole range, but no other text: O(n) in the length of the range. For the visible part use
    /// ``selectionRects(for:within:)``.
    public func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let offsets = offsets(range)
        let top = layout.geometry.lineFragment(at: offsets.lowerBound, affinity: .downstream).typographicBounds
        let bottom = layout.geometry.lineFragment(at: offsets.upperBound, affinity: .upstream).typographicBounds
        return selectionRects(
            for: offsets,
            within: DocumentRect(x: -1e15, y: top.minY, width: 2e15, height: max(top.height, bottom.maxY - top.minY)))
    }

    /// Returns the rectangles of a range that intersect or touch a rectangle of the view, in view pixels. For the
    /// visible part, pass ``bounds``. Lays out only that part, however long the range is.
    public func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect] {
        selectionRects(
            for: offsets(range), within: DocumentRect(origin: documentPoint(area.origin), size: area.size))
    }

    private func selectionRects(
        for range: Range<UTF16Offset>, within area: DocumentRect
    ) -> [TextSelectionRect] {
        layout.geometry.selectionRects(for: range, within: area).map {
            TextSelectionRect(
                rect: viewRect($0.rect), writingDirection: $0.isRightToLeft ? .rightToLeft : .leftToRight,
                containsStart: $0.containsStart, containsEnd: $0.containsEnd)
        }
    }

    /// Returns the position within a range that is farthest in a direction on the screen. In a range of several
    /// lines, that is the start or end of the range on that side.
    public func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition? {
        let place = geometry.place(in: offsets(range), farthest: direction)
        return position(place)
    }

    /// Returns the range from a position to an end of its visual line. The direction `up` means the start of the
    /// line, and `down` its end. For `left` and `right`, it depends on the direction of the line.
    public func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange? {
        range(geometry.range(extending: place(position), to: direction))
    }

    /// Returns the position closest to a point of the view.
    public func closestPosition(to point: ViewPoint) -> TextPosition? {
        let place = layout.geometry.location(closestTo: documentPoint(point))
        return position(place.offset, place.affinity)
    }

    /// Returns the grapheme cluster under a point of the view; nil in the blank area beside a line.
    public func characterRange(at point: ViewPoint) -> TextRange? {
        layout.geometry.characterRange(at: documentPoint(point)).map { range($0) }
    }

    /// Returns the writing direction of the paragraph at a position.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection {
        layout.geometry.isParagraphRightToLeft(at: store.offset(of: position)) ? .rightToLeft : .leftToRight
    }

    /// Sets the base direction of all paragraphs, whatever the range: the view has a single base direction.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {
        options.baseWritingDirection = writingDirection
    }

    /// The view's tokenizer for words, lines and the like.
    public var tokenizer: any TextInputTokenizer { ownTokenizer }

    /// The view's origin on the root window.
    public var textInputViewOrigin: RootPoint { viewport.rootOrigin }

    /// Returns the part of a range that is on the range's first visual line (`actualRange`), and the rectangle of
    /// that part in root pixels; for an empty range, the rectangle of the caret. If the range is `notFound`, it is
    /// the selection; without a selection, the result is a single pixel at the view's origin, and `notFound`.
    public func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        guard let wanted = range.clamped(to: textRange) ?? selection?.range else {
            return (RootRect(origin: textInputViewOrigin, size: Size(width: 1, height: 1)), .notFound)
        }
        guard !wanted.isEmpty else {
            let caret = caretRect(for: position(wanted.lowerBound))
            return (caret.converted(from: textInputViewOrigin), UTF16Range(wanted))
        }
        let (rect, part) = firstLine(of: wanted)
        return (rect.converted(from: textInputViewOrigin), UTF16Range(part))
    }

    /// Returns the distance from the top of a line to its baseline, in pixels, for the line of the character at
    /// `index`.
    public func baselineDeltaForCharacter(at index: Int) -> Double {
        let offset = min(max(0, UTF16Offset(index)), textRange.upperBound)
        let line = layout.geometry.lineFragment(at: offset, affinity: .downstream)
        return line.baseline - line.typographicBounds.minY
    }

    /// Performs the command to which a key that types no text is bound.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { perform(command) }
}
