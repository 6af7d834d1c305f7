import InkstoneBase

/// A range of a text with a special display or treatment: a search match, a misspelled word, a highlight.
///
/// The owner of the decoration set defines the meaning of its ``tag``s.
package struct Decoration: Hashable, Sendable {
    /// The range of the decoration, in UTF-16 units of the text.
    package var range: Range<UTF16Offset>
    /// The meaning of the range, as a number: an index into a table of the owner of the decoration set.
    package var tag: UInt16
    /// The reaction of the range to edits at its ends.
    package var behavior: DecorationBehavior

    /// Creates a decoration of a range, by default with tag 0 and no options.
    package init(range: Range<UTF16Offset>, tag: UInt16 = 0, behavior: DecorationBehavior = []) {
        self.range = range
        self.tag = tag
        self.behavior = behavior
    }
}

/// The reaction of a decoration to edits at its ends. Without options, text inserted at an end stays outside, and a
/// decoration whose text is deleted is removed.
package struct DecorationBehavior: OptionSet, Hashable, Sendable {
    /// The options as bits.
    package let rawValue: UInt16

    /// Creates a set of options with the given bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Text inserted at the start becomes part of the range; at an empty range, any inserted text does.
    package static let growsAtStart = DecorationBehavior(rawValue: 1)
    /// Text inserted at the end becomes part of the range; at an empty range, any inserted text does.
    package static let growsAtEnd = DecorationBehavior(rawValue: 2)
    /// A range whose text is deleted stays as an empty range. A set takes empty decorations only with this option.
    package static let staysWhenEmpty = DecorationBehavior(rawValue: 4)
}

/// A replacement of text, in UTF-16 units of the text before the replacement.
struct DecorationEdit {
    var start: Int
    var removed: Int
    var inserted: Int

    var end: Int { start + removed }
    var delta: Int { inserted - removed }

    /// Returns an offset after the edit, by the rule of ``TextChangeMap``.
    private func map(_ offset: Int, downstream: Bool) -> Int {
        if offset < start { return offset }
        if offset > end { return offset + delta }
        return TextChangeMap.place(
            offset, in: start..<end, as: start..<start + inserted, downstream ? .downstream : .upstream)
    }

    /// Returns a decoration's range after the edit; nil if the decoration is removed.
    func map(_ low: Int, _ high: Int, _ behavior: DecorationBehavior) -> (low: Int, high: Int)? {
        if low == high {
            // An empty range stays before text inserted at it, unless an option makes it grow by that text.
            let at = map(low, downstream: false)
            let end = behavior.contains(.growsAtEnd) || behavior.contains(.growsAtStart)
            return (at, end ? max(at, map(low, downstream: true)) : at)
        }
        let newLow = map(low, downstream: !behavior.contains(.growsAtStart))
        let newHigh = map(high, downstream: behavior.contains(.growsAtEnd))
        if newLow < newHigh { return (newLow, newHigh) }
        return behavior.contains(.staysWhenEmpty) ? (min(newLow, newHigh), min(newLow, newHigh)) : nil
    }
}
