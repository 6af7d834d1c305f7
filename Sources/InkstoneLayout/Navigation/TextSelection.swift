import InkstoneBase
import InkstoneText

/// What is selected: an anchor that stays and a head that moves, with the unit that extending goes by.
public struct TextSelection: Hashable, Sendable {
    /// What a selection grows by.
    public enum Granularity: Sendable, Hashable {
        /// Grapheme clusters.
        case character
        /// Words, as after a double click.
        case word
        /// Visual lines.
        case line
        /// Sentences.
        case sentence
        /// Paragraphs, as after a triple click.
        case paragraph
    }

    /// The end that stays, in UTF-16 units.
    public var anchor: UTF16Offset
    /// The end that moves: where the caret is.
    public var head: CaretPlace
    /// What it grows by.
    public var granularity: Granularity

    /// A selection from an anchor to a head.
    public init(anchor: UTF16Offset, head: CaretPlace, granularity: Granularity = .character) {
        self.anchor = anchor
        self.head = head
        self.granularity = granularity
    }

    /// A caret.
    public init(_ place: CaretPlace) { self.init(anchor: place.offset, head: place) }

    /// The range that is selected; empty for a caret.
    public var range: Range<UTF16Offset> { min(anchor, head.offset)..<max(anchor, head.offset) }
    /// Which neighbour the moving end belongs to, where a line wraps or directions meet.
    public var affinity: TextAffinity { head.affinity }
    /// Whether nothing is selected.
    public var isEmpty: Bool { anchor == head.offset }
}

/// Where selections go: functions from selection to selection over one layout. They change nothing.
public struct TextSelectionNavigation {
    /// Ways to move.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// In the order of the text.
        case forward, backward
        /// As it is seen.
        case left, right, up, down
    }

    /// How far to move.
    public enum Destination: Sendable, Hashable, CaseIterable {
        /// To the next grapheme cluster, or line for up and down.
        case character
        /// To the next word's end, or start if backward.
        case word
        /// To the visual line's edge.
        case line
        /// To the sentence's edge.
        case sentence
        /// To the paragraph's edge; the next one's if it is there already.
        case paragraph
        /// To the document's edge.
        case document
    }

    /// The layout that knows what is seen.
    public let layout: TextLayoutManager

    /// Moves over a layout.
    public init(layout: TextLayoutManager) { self.layout = layout }

    /// The selection after a move; with `extending` the anchor stays, else a range first collapses to its edge. A
    /// `confined` move does not leave the paragraph that the head is in.
    public func destinationSelection(
        for selection: TextSelection, direction: Direction, destination: Destination, extending: Bool,
        confined: Bool = false
    ) -> TextSelection {
        if !extending, !selection.isEmpty, destination == .character {
            return TextSelection(edge(of: selection, direction))
        }
        var place = move(selection.head, direction, destination)
        if confined {
            let low = layout.paragraphStart(selection.head).offset
            let high = layout.paragraphEnd(selection.head).offset
            if place.offset < low { place = CaretPlace(low) }
            if place.offset > high { place = CaretPlace(high) }
        }
        return extending
            ? TextSelection(anchor: selection.anchor, head: place, granularity: selection.granularity)
            : TextSelection(place)
    }

    /// The edge of a range that a plain arrow key collapses it to.
    private func edge(of selection: TextSelection, _ direction: Direction) -> CaretPlace {
        let low = CaretPlace(selection.range.lowerBound)
        let high = CaretPlace(selection.range.upperBound, affinity: .upstream)
        let rtl = layout.isParagraphRightToLeft(at: selection.head.offset)
        switch direction {
        case .backward: return low
        case .forward: return high
        case .left: return rtl ? high : low
        case .right: return rtl ? low : high
        case .up: return layout.moveVertically(low, lines: -1)
        case .down: return layout.moveVertically(high, lines: 1)
        }
    }

    /// The place after a move.
    public func move(_ place: CaretPlace, _ direction: Direction, _ destination: Destination) -> CaretPlace {
        let rtl = layout.isParagraphRightToLeft(at: place.offset)
        let forward: Bool
        switch direction {
        case .forward, .down: forward = true
        case .backward, .up: forward = false
        case .right: forward = !rtl
        case .left: forward = rtl
        }
        switch destination {
        case .character:
            switch direction {
            case .up: return layout.moveVertically(place, lines: -1)
            case .down: return layout.moveVertically(place, lines: 1)
            case .left, .right: return layout.moveVisually(place, toRight: direction == .right)
            case .forward, .backward: return layout.moveLogically(place, forward: forward)
            }
        case .word: return forward ? layout.wordEnd(after: place) : layout.wordStart(before: place)
        case .line: return forward ? layout.lineEnd(place) : layout.lineStart(place)
        case .sentence: return sentenceEdge(place, forward)
        case .paragraph: return paragraphEdge(place, forward)
        case .document: return forward ? layout.documentEnd : layout.documentStart
        }
    }

    private func sentenceEdge(_ place: CaretPlace, _ forward: Bool) -> CaretPlace {
        let range = layout.sentenceRange(at: place)
        if forward {
            return CaretPlace(
                range.upperBound > place.offset ? range.upperBound : layout.moveLogically(place, forward: true).offset)
        }
        if range.lowerBound < place.offset { return CaretPlace(range.lowerBound) }
        let before = layout.moveLogically(place, forward: false)
        return CaretPlace(min(before.offset, layout.sentenceRange(at: before).lowerBound))
    }

    private func paragraphEdge(_ place: CaretPlace, _ forward: Bool) -> CaretPlace {
        let edge = forward ? layout.paragraphEnd(place) : layout.paragraphStart(place)
        if edge.offset != place.offset { return edge }
        let beyond = layout.moveLogically(place, forward: forward)
        return forward ? layout.paragraphEnd(beyond) : layout.paragraphStart(beyond)
    }

    /// The whole unit of text around a place: what a double or triple click selects.
    public func range(_ granularity: TextSelection.Granularity, enclosing place: CaretPlace) -> Range<UTF16Offset> {
        switch granularity {
        case .character: return place.offset..<place.offset
        case .word: return layout.wordRange(at: place)
        case .line: return layout.lineFragment(at: place.offset, affinity: place.affinity).utf16Range
        case .sentence: return layout.sentenceRange(at: place)
        case .paragraph: return layout.paragraphRange(at: place)
        }
    }

    /// The whole units of text around a selection.
    public func textSelection(
        for granularity: TextSelection.Granularity, enclosing selection: TextSelection
    ) -> TextSelection {
        self.selection(granularity, from: CaretPlace(selection.anchor), to: selection.head)
    }

    /// The selection that a press at a point of the document makes; with `extending`, from that selection's anchor on.
    public func textSelection(
        interactingAt point: DocumentPoint, extending old: TextSelection? = nil,
        granularity: TextSelection.Granularity = .character
    ) -> TextSelection {
        let hit = layout.location(closestTo: point)
        let place = CaretPlace(hit.offset, affinity: hit.affinity)
        let anchor = old.map { CaretPlace($0.anchor) } ?? place
        if granularity == .character { return TextSelection(anchor: anchor.offset, head: place) }
        return selection(granularity, from: anchor, to: place)
    }

    /// What deleting from a selection takes away: the selected text, else what lies between the caret and the place after
    /// a move. With `allowsDecomposition` going backwards over a character takes only its last scalar.
    public func deletionRange(
        for selection: TextSelection, direction: Direction, destination: Destination, allowsDecomposition: Bool = false
    ) -> Range<UTF16Offset> {
        if !selection.isEmpty { return selection.range }
        let at = selection.head.offset
        if allowsDecomposition, direction == .backward, destination == .character, at > 0 {
            return UTF16Offset(layout.text.scalarBoundary(at.value - 1))..<at
        }
        let other = move(selection.head, direction, destination).offset
        return min(at, other)..<max(at, other)
    }

    /// The selection from the unit around one place to the unit around another: dragging after a double click.
    public func selection(
        _ granularity: TextSelection.Granularity, from anchor: CaretPlace, to head: CaretPlace
    ) -> TextSelection {
        let first = range(granularity, enclosing: anchor)
        let last = range(granularity, enclosing: head)
        if head.offset < first.lowerBound {
            return TextSelection(
                anchor: first.upperBound, head: CaretPlace(min(first.lowerBound, last.lowerBound)),
                granularity: granularity)
        }
        return TextSelection(
            anchor: first.lowerBound,
            head: CaretPlace(max(first.upperBound, last.upperBound), affinity: .upstream), granularity: granularity)
    }
}
