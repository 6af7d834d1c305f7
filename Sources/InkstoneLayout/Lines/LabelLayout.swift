import InkstoneBase
import InkstoneUnicode

/// A layout of short standalone texts such as labels: without text store, carets or undo.
package struct LabelLayout {
    private let tools: LayoutTools
    private let stack: FontStack
    private let spacing: Int32

    /// Creates a layout that shares the fonts, cached words and settings of another layout. The font's size is in
    /// device pixels.
    package init(font: FontDescriptor, sharing layout: TextLayoutManager) {
        tools = layout.document.tools
        stack = tools.context.stack(for: font)
        spacing = font.spacing
    }

    /// Creates a layout that opens its own fonts. The font's size is in device pixels.
    package init(font: FontDescriptor, settings: FontSettings) {
        tools = LayoutTools(settings: settings)
        stack = tools.context.stack(for: font)
        spacing = font.spacing
    }

    /// Lays out a text without newlines: wrapped at `width` device pixels; if `width` is nil, on one line however
    /// long. O(n).
    package func layOut(_ text: String, width: Double?) -> LaidLabel {
        let units = Array(text.utf16)
        let container = TextContainer(
            width: max(1, width ?? 1), lineBreakMode: width == nil ? .byClipping : .byWordWrapping)
        let input = ParagraphInput(
            units: units, spans: [StyleSpan(range: 0..<units.count, stack: stack, spacing: spacing)], stack: stack,
            style: ParagraphStyle(), direction: .natural, room: container.room)
        let made = ParagraphLayout(input, tools)
        let placed = PlacedFragment(
            fragment: LaidFragment(input, made, terminator: 0), start: 0, paragraph: 0, units: units.count, y: 0)
        let shaped = made.shaped
        let fragment = TextLayoutFragment(placed, tools: tools, width: container.width, length: units.count)
        let first = fragment.textLineFragments[0]
        return LaidLabel(
            fragment: fragment, size: Size(width: first.typographicBounds.width, height: Double(made.height)),
            lineHeight: first.bottom,
            isPlain: shaped.isPlain && shaped.baseLevel == 0 && shaped.runs.allSatisfy { $0.kind == .text },
            spaceAdvance: stack.primary.spaceAdvance)
    }
}

/// A standalone text that was laid out, with its top left corner as origin. Immutable.
package struct LaidLabel {
    /// The label's fragment with its lines.
    package let fragment: TextLayoutFragment
    /// Width of the first line and height of all lines, in device pixels.
    package let size: Size
    /// Height of the first line, in device pixels.
    package let lineHeight: Double
    /// Whether the text consists only of left-to-right glyphs, without tabs, attachments or boxes for missing
    /// glyphs.
    let isPlain: Bool
    /// Advance of a space, whole pixels.
    let spaceAdvance: Int32

    private var line: PositionedLine {
        let first = fragment.textLineFragments[0]
        return first.fragment.line(0, first.tools)
    }

    /// Returns the x of a caret in the first line, in whole pixels from the label's left edge. The UTF-16 offset is
    /// clamped to that line. O(n).
    package func caretX(at offset: Int) -> Double {
        Double((line.caretX(at: unit(offset), upstream: false) &+ 32) >> 6)
    }

    /// Returns the caret position in the first line that is closest to an x, in UTF-16 units. O(n).
    package func offset(closestTo x: Double) -> Int {
        Int(line.hit(Int32(Int(checking: x * 64, in: -(1 << 30)...1 << 30))).unit)
    }

    /// Returns the horizontal intervals that a range covers in the first line, in pixels; several in mixed
    /// directions. O(n).
    package func spans(of range: Range<Int>) -> [Range<Double>] {
        line.spans(from: unit(range.lowerBound), to: unit(range.upperBound)).map {
            Double(($0.left &+ 32) >> 6)..<Double(($0.right &+ 32) >> 6)
        }
    }

    private func unit(_ offset: Int) -> Int32 {
        let line = fragment.textLineFragments[0].utf16Range
        return Int32(min(max(line.lowerBound.value, offset), line.upperBound.value))
    }

    /// Returns the interval in which this label differs visibly from an earlier one in the same font, in pixels
    /// from the left edge. Nil if the two look the same. The interval starts and ends between words: no ink of
    /// unchanged words extends into it. If either text is wrapped or not plain left-to-right text, returns the
    /// whole width. O(n).
    package func changes(from old: LaidLabel) -> Range<Double>? {
        let whole = 0..<max(size.width, old.size.width) + Double(spaceAdvance)
        let (lines, oldLines) = (fragment.textLineFragments, old.fragment.textLineFragments)
        guard isPlain, old.isPlain, lines.count == 1, oldLines.count == 1 else { return whole }
        let (new, old) = (lines[0].glyphs, oldLines[0].glyphs)
        func isSame(_ a: LineGlyph, _ b: LineGlyph) -> Bool {
            a.x == b.x && a.glyph == b.glyph && a.y == b.y && a.font == b.font
        }
        let shared = min(new.count, old.count)
        var first = 0
        while first < shared, isSame(new[first], old[first]) { first += 1 }
        if first == new.count, first == old.count { return nil }
        var behind = 0
        while behind < shared - first, isSame(new[new.count - 1 - behind], old[old.count - 1 - behind]) { behind += 1 }
        let text = fragment.textLineFragments[0].fragment.shaped.text
        let gap = Double(spaceAdvance) / 2
        // Go back to the start of the changed word, since the interval must start between words.
        while first > 0, !(first < new.count && text[new[first].offset - 1] == 0x20) { first -= 1 }
        let left = first == 0 ? 0 : min(new[first].x, first < old.count ? old[first].x : .max)
        let low = first == 0 ? 0 : (Double(left) - gap).rounded()
        var end = new.count - behind
        while end < new.count, text[new[end].offset - 1] != 0x20 { end += 1 }
        return low..<(end < new.count ? (Double(new[end].x) - gap).rounded() : whole.upperBound)
    }
}
