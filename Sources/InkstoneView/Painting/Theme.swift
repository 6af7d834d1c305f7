import InkstoneBase

/// The colours and distances of a text view. Distances are in pixels at ``scale``: for a new theme at scale 1, for the
/// theme of a view in device pixels.
public struct Theme: Hashable, Sendable {
    /// The colours of strips, lists and menus beside the text.
    public struct Panel: Hashable, Sendable {
        /// The background of strips, lists and menus.
        public var background = Color(rgb: 0xf6f8fa)
        /// The colour of text.
        public var text = Color(rgb: 0x424a53)
        /// The colour of the lines around and between panels.
        public var border = Color(rgb: 0xd0d7de)
        /// The colour of the chosen or focused element.
        public var accent = Color(rgb: 0x0b57d0)
        /// Background of an element that is switched on or pointed at.
        public var highlight = Color(rgb: 0xbcd7fb)
        /// The colour of error messages.
        public var problem = Color(rgb: 0xb42318)
        /// The colour of advice about an error, and of other notes.
        public var note = Color(rgb: 0x8a5a00)

        /// Creates the colours of a light theme.
        public init() {}
    }

    /// The number of pixels of a distance that is one pixel at scale 1. ``scaled(by:)`` changes it.
    public private(set) var scale = 1.0
    /// Background of the text.
    public var background = Color.white
    /// The colour of text.
    public var text = Color(rgb: 0x1b1f24)
    /// The colour of links.
    public var link = Color(rgb: 0x0b57d0)
    /// Background of selected text while the view has the focus.
    public var selection = Color(rgb: 0xbcd7fb)
    /// Background of selected text while the view does not have the focus.
    public var inactiveSelection = Color(rgb: 0xe1e4e8)
    /// The colour of the caret.
    public var caret = Color(rgb: 0x0b57d0)
    /// The colour of the underline of marked text.
    public var markedUnderline = Color(rgb: 0x57606a)
    /// The colour of the heavier underline of the clause being converted.
    public var targetUnderline = Color(rgb: 0x0b57d0)
    /// Background of the clause being converted.
    public var targetBackground = Color(rgb: 0xfdf1c7)
    /// The colour of placeholder text.
    public var placeholder = Color(rgb: 0x8c959f)
    /// Background of the matches of a search.
    public var match = Color(rgb: 0xffe58a)
    /// Background of the current match of a search, which is underlined as well. In the standard themes, its contrast
    /// with ``text`` is at least 4.5 : 1.
    public var currentMatch = Color(rgb: 0xff9b3d)
    /// Background of the line with the caret, in views that show it (``TextGuides/caretLine``).
    public var caretLine = Color(rgb: 0xf1f4f8)
    /// The colour of a scroll bar's thumb.
    public var scrollThumb = Color(rgb: 0xafb8c1)
    /// The colour of a scroll bar's thumb that is under the pointer or is being dragged.
    public var activeScrollThumb = Color(rgb: 0x6e7781)
    /// The colours of strips, lists and menus beside the text.
    public var panel = Panel()
    /// Distance between the view's edge and the text, on all sides.
    public var margin = 6.0
    /// Width of the caret.
    public var caretWidth = 2.0
    /// Thickness of a plain underline.
    public var underlineWidth = 1.0
    /// Width of a scroll bar.
    public var scrollBarWidth = 8.0

    /// Creates the theme of dark text on white.
    public init() {}

    /// The standard colours on a dark background.
    public static let dark: Theme = {
        var theme = Theme()
        theme.background = Color(rgb: 0x1e2227)
        theme.text = Color(rgb: 0xe6e9ed)
        theme.link = Color(rgb: 0x78b0ff)
        theme.selection = Color(rgb: 0x2f5a96)
        theme.inactiveSelection = Color(rgb: 0x3b434d)
        theme.caret = Color(rgb: 0x78b0ff)
        theme.markedUnderline = Color(rgb: 0xaab4bf)
        theme.targetUnderline = Color(rgb: 0x78b0ff)
        theme.targetBackground = Color(rgb: 0x51471f)
        theme.placeholder = Color(rgb: 0x7d8794)
        theme.match = Color(rgb: 0x5c4d12)
        theme.currentMatch = Color(rgb: 0x9a4a00)
        theme.caretLine = Color(rgb: 0x282d34)
        theme.scrollThumb = Color(rgb: 0x59636e)
        theme.activeScrollThumb = Color(rgb: 0x8c96a1)
        theme.panel.background = Color(rgb: 0x2a2f36)
        theme.panel.text = Color(rgb: 0xcdd3da)
        theme.panel.border = Color(rgb: 0x434b55)
        theme.panel.accent = Color(rgb: 0x78b0ff)
        theme.panel.highlight = Color(rgb: 0x32496b)
        theme.panel.problem = Color(rgb: 0xff9488)
        theme.panel.note = Color(rgb: 0xe3b341)
        return theme
    }()

    /// Black on white, for users who need high contrast. Text views use it by default only if the desktop's theme
    /// has high contrast.
    public static let highContrast: Theme = {
        var theme = Theme.of(.black, on: .white)
        theme.link = Color(rgb: 0x0a3d91)
        theme.selection = Color(rgb: 0x5aa5ff)
        theme.inactiveSelection = Color(rgb: 0xb0b0b0)
        theme.targetUnderline = .black
        theme.targetBackground = Color(rgb: 0xffe14d)
        theme.placeholder = Color(rgb: 0x595959)
        theme.match = Color(rgb: 0xffd800)
        theme.caretLine = Color(rgb: 0xe4e4e4)
        theme.scrollThumb = Color(rgb: 0x595959)
        theme.panel.accent = Color(rgb: 0x0a3d91)
        theme.panel.highlight = Color(rgb: 0xffe14d)
        theme.panel.problem = Color(rgb: 0xa40000)
        theme.panel.note = Color(rgb: 0x5c3d00)
        return theme
    }()

    /// White on black for users who need high contrast; see ``highContrast``.
    public static let highContrastDark: Theme = {
        var theme = Theme.of(.white, on: .black)
        theme.link = Color(rgb: 0xffff00)
        theme.selection = Color(rgb: 0x1f5fd0)
        theme.inactiveSelection = Color(rgb: 0x595959)
        theme.targetUnderline = Color(rgb: 0xffff00)
        theme.targetBackground = Color(rgb: 0x5c5200)
        theme.placeholder = Color(rgb: 0xb0b0b0)
        theme.match = Color(rgb: 0x6b5a00)
        theme.currentMatch = Color(rgb: 0x9a4a00)
        theme.caretLine = Color(rgb: 0x2a2a2a)
        theme.scrollThumb = Color(rgb: 0xb0b0b0)
        theme.panel.accent = Color(rgb: 0xffff00)
        theme.panel.highlight = Color(rgb: 0x0a3d91)
        theme.panel.problem = Color(rgb: 0xff9a9a)
        theme.panel.note = Color(rgb: 0xffd866)
        return theme
    }()

    /// Returns the common part of both high-contrast themes: the given text colour and background, and the colours
    /// that are equal to one of them.
    private static func of(_ text: Color, on ground: Color) -> Theme {
        var theme = Theme()
        (theme.background, theme.panel.background) = (ground, ground)
        (theme.text, theme.panel.text, theme.panel.border) = (text, text, text)
        (theme.caret, theme.markedUnderline, theme.activeScrollThumb) = (text, text, text)
        return theme
    }

    /// Returns the standard theme for a desktop's preferences.
    public static func standard(isDark: Bool, hasHighContrast: Bool) -> Theme {
        hasHighContrast ? (isDark ? .highContrastDark : .highContrast) : (isDark ? .dark : Theme())
    }

    /// Returns a theme with this theme's distances and ``scale``, and with another theme's colours.
    public func colored(like other: Theme) -> Theme {
        var result = other
        result.scale = scale
        result.margin = margin
        result.caretWidth = caretWidth
        result.underlineWidth = underlineWidth
        result.scrollBarWidth = scrollBarWidth
        return result
    }

    /// Whether the colours are those of a ``standard(isDark:hasHighContrast:)`` theme.
    public var hasStandardColors: Bool {
        [Theme(), .dark, .highContrast, .highContrastDark].contains { colored(like: $0) == self }
    }

    /// Returns the theme for a display on which everything is `scale` times as large. Carets and underlines are at
    /// least one pixel wide, and scroll bars at least four.
    public func scaled(by scale: Double) -> Theme {
        var result = self
        result.scale = self.scale * scale
        result.margin = (margin * scale).rounded()
        result.caretWidth = max(1, (caretWidth * scale).rounded())
        result.underlineWidth = max(1, (underlineWidth * scale).rounded())
        result.scrollBarWidth = max(4, (scrollBarWidth * scale).rounded())
        return result
    }

    /// The theme at scale 1, with distances that are not rounded.
    package var unscaled: Theme {
        guard scale != 1 else { return self }
        var result = self
        result.scale = 1
        result.margin /= scale
        result.caretWidth /= scale
        result.underlineWidth /= scale
        result.scrollBarWidth /= scale
        return result
    }
}
