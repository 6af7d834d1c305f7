import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

/// Text is readable on its background (WCAG 2.1, 1.4.3 and 1.4.11), light and dark.
@Suite(.timeLimit(.minutes(5))) struct ThemeTests {
    /// Returns the contrast of two opaque colours, 1…21.
    static func contrast(_ a: Color, _ b: Color) -> Double {
        func luminance(_ color: Color) -> Double {
            func linear(_ value: UInt8) -> Double {
                let part = Double(value) / 255
                return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
            }
            return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
        }
        let (light, dark) = (max(luminance(a), luminance(b)), min(luminance(a), luminance(b)))
        return (light + 0.05) / (dark + 0.05)
    }

    /// A view at scale 2 scales a theme that is at scale 1, but not a change of its own theme.
    @Test func viewScalesThemeOfAnotherScale() {
        let view = ViewScene(theme: Theme().scaled(by: 2)).view
        view.theme = .dark
        #expect(view.theme == Theme.dark.scaled(by: 2))
        view.theme.margin = 5
        #expect(view.theme.margin == 5 && view.theme.scale == 2)
        view.theme = view.theme.colored(like: .highContrast)
        #expect(view.theme.margin == 5 && view.theme.scale == 2)
    }

    @Test(arguments: [Theme(), .dark, .highContrast, .highContrastDark])
    func textCanBeReadOnEveryGround(_ theme: Theme) {
        let grounds: [(String, Color)] = [
            ("background", theme.background), ("selection", theme.selection), ("inactive", theme.inactiveSelection),
            ("match", theme.match), ("current match", theme.currentMatch), ("target", theme.targetBackground),
        ]
        for (name, ground) in grounds {
            #expect(Self.contrast(theme.text, ground) >= 4.5, "text on \(name)")
        }
        for (name, ink) in [
            ("panel text", theme.panel.text), ("problem", theme.panel.problem), ("note", theme.panel.note),
        ] {
            #expect(Self.contrast(ink, theme.panel.background) >= 4.5, "\(name)")
        }
        #expect(Self.contrast(theme.panel.accent, theme.background) >= 4.5, "what is gone to in a menu")
        #expect(Self.contrast(theme.panel.text, theme.panel.highlight) >= 4.5, "a button that is on")
        #expect(Self.contrast(theme.panel.accent, theme.panel.background) >= 3, "the line around it")
        #expect(Self.contrast(theme.caret, theme.background) >= 3, "the caret")
    }

    /// High-contrast themes meet the enhanced contrast (WCAG 2.1, 1.4.6), and the selection differs from the
    /// background.
    @Test(arguments: [Theme.highContrast, .highContrastDark])
    func highContrastIsHigh(_ theme: Theme) {
        #expect(Self.contrast(theme.text, theme.background) > 20)
        #expect(Self.contrast(theme.panel.text, theme.panel.background) > 20)
        #expect(Self.contrast(theme.placeholder, theme.background) >= 7)
        #expect(Self.contrast(theme.caret, theme.background) >= 7)
        #expect(Self.contrast(theme.selection, theme.background) >= 2.4)
        #expect(theme.hasStandardColors)
    }

    @Test func colorsAreTakenOverWithoutDistances() {
        var theme = Theme()
        theme.margin = 17
        let dark = theme.colored(like: .dark)
        #expect(dark.margin == 17 && dark.text == Theme.dark.text && dark.hasStandardColors && theme.hasStandardColors)
        theme.text = Color(rgb: 0x123456)
        #expect(!theme.hasStandardColors)
    }
}
