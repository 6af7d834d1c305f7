import InkstoneLayout
public import InkstoneText

/// Traits of fonts that the user changes: of what is selected, and of what is typed next. Other traits of each run stay. Nil where
/// nothing is selected or may be edited.
extension EditorState {
    /// Makes all selected text bold; if all of it is, as heavy as the view's own font.
    public func togglingBold() -> Transaction? {
        togglingStyle(FontDescriptor.boldWeight, of: FontWeightAttribute.self) { FontDescriptor.isBold($0) }
    }

    /// Makes all selected text italic; if all of it leans, as the view's own font is.
    public func togglingItalic() -> Transaction? {
        togglingStyle(.italic, of: FontSlantAttribute.self) { $0 == .italic || $0 == .oblique }
    }

    /// Underlines all selected text; if all of it is underlined in whatever way, takes the lines away.
    public func togglingUnderline() -> Transaction? {
        togglingStyle(.single, of: UnderlineAttribute.self) { $0 != nil }
    }

    /// Strikes all selected text through; if all of it is struck in whatever way, takes the lines away.
    public func togglingStrikethrough() -> Transaction? {
        togglingStyle(.single, of: StrikethroughAttribute.self) { $0 != nil }
    }

    /// Makes all selected text larger, or smaller, by a number of pixels at scale 1. `base` is the size of text without a size of its
    /// own, in the same pixels.
    public func changingFontSize(by difference: Double, base: Double) -> Transaction? {
        styling(FontSizeAttribute.self) { ($0 ?? base) + difference }
    }
}
