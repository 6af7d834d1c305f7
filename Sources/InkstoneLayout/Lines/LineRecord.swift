/// A visual line of a paragraph, or of a fragment of a long one: its units, its glyphs and its position.
struct LineRecord {
    /// UTF-16 units of the fragment's text; trailing spaces belong to the line, the terminator does not.
    var start: Int32
    var end: Int32
    var glyphStart: Int32
    var glyphEnd: Int32
    /// Width without trailing spaces, and with them; 26.6.
    var width: Int32
    var fullWidth: Int32
    /// Left edge and extent of the line's room; whole pixels from the container's left edge.
    var roomX: Int32
    var room: Int32
    /// Top edge below the paragraph's top, height and baseline below the line's top; whole pixels.
    var y: Int32
    var height: Int32
    var baseline: Int32
    /// Whether a hyphen is shown at the end, for a soft hyphen.
    var hasHyphen = false
    /// Whether text of the same paragraph follows because the line was full.
    var isWrapped = false
}

/// The room that lines of one paragraph have, resolved to pixels.
struct LineRoom {
    /// Extent between the container's padding, whole pixels; nil if lines are never wrapped.
    var width: Int32?
    /// Extent to align against where lines are not wrapped; whole pixels.
    var alignmentWidth: Int32
    /// Left padding, whole pixels.
    var x: Int32
    /// Whether the fragment is beside others on one line: nothing hangs, nothing is aligned, no line ends in it.
    var isSideways = false
    /// Returns the free intervals beside exclusion paths, for a line at a distance below the paragraph's top and of a height; nil
    /// if there are no paths here.
    var intervals: ((_ y: Int32, _ height: Int32) -> [Range<Int32>])?
}

extension LineRoom {
    /// Removes the padding at the sides where lines start and end, whole pixels.
    mutating func pad(_ padding: (leading: Int32, trailing: Int32), rtl: Bool) {
        let (leading, trailing) = padding
        guard leading + trailing > 0 else { return }
        let left = rtl ? trailing : leading
        x += left
        alignmentWidth = max(1, alignmentWidth - leading - trailing)
        guard let width else { return }
        let inner = max(1, width - leading - trailing)
        self.width = inner
        guard let free = intervals else { return }
        intervals = { y, height in
            free(y, height).compactMap { range in
                let low = max(0, range.lowerBound - left)
                let high = min(inner, range.upperBound - left)
                return low < high ? low..<high : nil
            }
        }
    }
}
