import InkstoneBase

/// A range of a ``Selection``: a fixed end, a moving end at which the caret is shown, and state for later moves.
public struct SelectionRange: Hashable, Sendable {
    /// The fixed end, in UTF-16 code units of the document.
    public var anchor: UTF16Offset
    /// The moving end, where the caret is.
    public var place: CaretPlace
    /// The unit by which a drag or a click with Shift extends the range: for example words after a double click.
    public var granularity: TextGranularity

    /// Creates a range from its fixed to its moving end. The moving end may come first in the text.
    public init(
        anchor: UTF16Offset, head: UTF16Offset, affinity: TextAffinity = .downstream, goalX: Double? = nil,
        granularity: TextGranularity = .character
    ) {
        self.init(
            anchor: anchor, place: CaretPlace(head, affinity: affinity, goalX: goalX), granularity: granularity)
    }

    /// Creates a range from its fixed to its moving end.
    package init(anchor: UTF16Offset, place: CaretPlace, granularity: TextGranularity = .character) {
        self.anchor = anchor
        self.place = place
        self.granularity = granularity
    }

    /// Creates an empty range: a caret at a position.
    public init(_ place: CaretPlace) { self.init(anchor: place.offset, place: place) }

    /// Creates an empty range: a caret.
    public init(caret: UTF16Offset, affinity: TextAffinity = .downstream, goalX: Double? = nil) {
        self.init(anchor: caret, head: caret, affinity: affinity, goalX: goalX)
    }

    /// Creates the range of a drag from an initial text, such as the word of a double click, to an offset in `unit`.
    /// The initial text stays selected. By characters, the range extends to the offset, whatever `unit` is. By larger
    /// units, it extends to the far end of `unit`.
    public init(
        extending origin: Range<UTF16Offset>, to place: UTF16Offset, affinity: TextAffinity = .downstream,
        in unit: Range<UTF16Offset>, by granularity: TextGranularity
    ) {
        if granularity == .character {
            let head = place < origin.lowerBound ? place : max(origin.upperBound, place)
            self.init(
                anchor: place < origin.lowerBound ? origin.upperBound : origin.lowerBound, head: head,
                affinity: head == place ? affinity : .downstream)
        } else if place < origin.lowerBound {
            self.init(
                anchor: origin.upperBound, head: min(origin.lowerBound, unit.lowerBound), granularity: granularity)
        } else {
            self.init(
                anchor: origin.lowerBound, head: max(origin.upperBound, unit.upperBound), granularity: granularity)
        }
    }

    /// The offset of the moving end, in UTF-16 code units of the document.
    public var head: UTF16Offset {
        get { place.offset }
        set { place.offset = newValue }
    }

    /// The neighbouring character that the moving end belongs to, where a line wraps or writing directions meet.
    public var affinity: TextAffinity {
        get { place.affinity }
        set { place.affinity = newValue }
    }

    /// The x, in pixels of the document, that moves up and down preserve; nil after any other move.
    public var goalX: Double? {
        get { place.goalX }
        set { place.goalX = newValue }
    }

    /// Returns a caret at a position or, if `extending` is true, the range from this range's anchor to that
    /// position.
    public func moved(to place: CaretPlace, extending: Bool) -> SelectionRange {
        extending ? SelectionRange(anchor: anchor, place: place, granularity: granularity) : SelectionRange(place)
    }

    /// The range of the selected text; empty for a caret.
    public var range: Range<UTF16Offset> { min(anchor, head)..<max(anchor, head) }

    /// Whether no text is selected.
    public var isCaret: Bool { anchor == head }

    /// The end that comes first in the text.
    var lowerBound: UTF16Offset { min(anchor, head) }
    /// The end that comes last in the text.
    var upperBound: UTF16Offset { max(anchor, head) }

    /// Returns the range mapped through a change of the text.
    ///
    /// The start of a selected range maps `downstream` and its end `upstream`: text inserted by others at either
    /// end stays outside. A range whose text was deleted becomes a caret. A caret maps with `caret`. The order of
    /// anchor and head is kept.
    ///
    /// - Parameters:
    ///   - caret: the bias of a caret: `upstream` leaves it before text inserted at its offset, `downstream` moves it
    ///     after that text.
    ///   - map: maps an offset of the old text with a bias; monotone, and `upstream` never after `downstream`.
    package func mapped(caret: TextAffinity, _ map: (UTF16Offset, TextAffinity) -> UTF16Offset) -> SelectionRange {
        var result = self
        if isCaret {
            result.anchor = map(head, caret)
            result.head = result.anchor
        } else {
            let low = map(lowerBound, .downstream)
            let high = map(upperBound, .upstream)
            if low >= high {
                result.anchor = map(lowerBound, caret)
                result.head = result.anchor
            } else {
                result.anchor = anchor < head ? low : high
                result.head = anchor < head ? high : low
            }
        }
        // If the caret has moved, drop the goal column and the direction of moves, which belong to its old
        // position.
        if result.head != head { result.place.forgetMoves() }
        return result
    }

    /// Returns the range with both ends moved into `bounds`.
    func clamped(into bounds: Range<UTF16Offset>) -> SelectionRange {
        var result = self
        result.anchor = min(max(bounds.lowerBound, anchor), bounds.upperBound)
        result.head = min(max(bounds.lowerBound, head), bounds.upperBound)
        return result
    }
}
