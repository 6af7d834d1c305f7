/// A visual line of a paragraph, or of a fragment of a long paragraph: its range of text and glyphs, and its
/// position.
struct LineRecord {
    /// Start and end of the line, and below those of its glyphs, in UTF-16 units and glyphs of the fragment. Trailing
    /// spaces belong to the line, the paragraph's terminator does not.
    var start: Int32
    var end: Int32
    var glyphStart: Int32
    var glyphEnd: Int32
    /// Width of the line without trailing spaces, in 26.6 pixels.
    var width: Int32
    /// Width of the line with trailing spaces, in 26.6 pixels.
    var fullWidth: Int32
    /// Left edge of the interval available for the line, after indents; whole pixels from the container's left edge.
    var roomX: Int32
    /// Width of the interval available for the line, after indents; whole pixels.
    var room: Int32
    /// Distance of the line's top below the paragraph's top, in whole pixels.
    var y: Int32
    /// Height of the line, in whole pixels.
    var height: Int32
    /// Distance of the baseline below the line's top, in whole pixels.
    var baseline: Int32
    /// Whether a hyphen is shown at the line's end, because the line ends at a soft hyphen.
    var hasHyphen = false
    /// Whether the line ends because it was full. Text of the same paragraph then continues on the next line.
    var isWrapped = false
    /// Whether the line ends because of a forced break, such as U+2028. The break is then the line's last UTF-16 unit.
    var endsByBreak = false

    /// End of the line without a forced break, in UTF-16 units of the fragment. Carets at the end of the line are at
    /// this unit: those after the break are at the start of the next line.
    var contentEnd: Int32 { endsByBreak ? end - 1 : end }
}

/// The space available for the lines of one paragraph, in whole pixels.
struct LineRoom {
    /// Width between the container's paddings; nil if lines do not wrap.
    var width: Int32?
    /// Width within which lines are aligned, also if they do not wrap.
    var alignmentWidth: Int32
    /// Distance of the available space from the container's left edge: the paddings of the container and of the
    /// paragraph.
    var x: Int32
    /// Whether the fragment lies beside others on one line. Then no spaces hang, and the fragment is not aligned.
    var isSideways = false
    /// Returns the free intervals beside exclusion paths for a line. `y` is the line's distance below the
    /// paragraph's top. Nil if there are no paths.
    var intervals: ((_ y: Int32, _ height: Int32) -> [Range<Int32>])?
}

extension LineRoom {
    /// Reduces the available space by a padding at the paragraph's leading and trailing side, in whole pixels.
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
