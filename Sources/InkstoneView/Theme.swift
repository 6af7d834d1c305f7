import InkstoneBase

/// The colours and distances of a text view. Distances are device pixels at scale 1; ``scaled(by:)`` multiplies them.
public struct Theme: Hashable, Sendable {
    /// Behind the text.
    public var background = Color.white
    /// Text.
    public var text = Color(rgb: 0x1b1f24)
    /// Behind selected text while the view has the focus.
    public var selection = Color(rgb: 0xbcd7fb)
    /// Behind selected text while it has not.
    public var inactiveSelection = Color(rgb: 0xe1e4e8)
    /// The caret.
    public var caret = Color(rgb: 0x0b57d0)
    /// The line under marked text.
    public var markedUnderline = Color(rgb: 0x57606a)
    /// The heavier line under the clause being converted.
    public var targetUnderline = Color(rgb: 0x0b57d0)
    /// Behind the clause being converted.
    public var targetBackground = Color(rgb: 0xfdf1c7)
    /// Text that stands in for what is not there yet.
    public var placeholder = Color(rgb: 0x8c959f)
    /// The scroll bar's thumb.
    public var scrollThumb = Color(rgb: 0xafb8c1)
    /// Between the view's edge and the text, on all sides.
    public var margin = 6.0
    /// Width of the caret.
    public var caretWidth = 2.0
    /// Thickness of a plain underline.
    public var underlineWidth = 1.0
    /// Width of the scroll bar.
    public var scrollBarWidth = 8.0

    /// Dark text on white.
    public init() {}

    /// The theme for a display on which everything is `scale` times as large; at least one pixel stays of each line.
    public func scaled(by scale: Double) -> Theme {
        var result = self
        result.margin = (margin * scale).rounded()
        result.caretWidth = max(1, (caretWidth * scale).rounded())
        result.underlineWidth = max(1, (underlineWidth * scale).rounded())
        result.scrollBarWidth = max(4, (scrollBarWidth * scale).rounded())
        return result
    }
}
