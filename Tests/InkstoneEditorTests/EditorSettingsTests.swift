import Inkstone
import Testing

@testable import inkstone_editor

/// What the editor remembers from one start to the next.
@Suite(.timeLimit(.minutes(5))) struct EditorSettingsTests {
    @Test func whatIsWrittenIsReadAndNonsenseIsLeftOut() {
        var settings = EditorSettings()
        #expect(EditorSettings(text: settings.text) == settings)
        (settings.appearance, settings.wraps) = (.dark, false)
        (settings.numbersLines, settings.font) = (true, "DejaVu Sans:weight=200, serif")
        #expect(EditorSettings(text: settings.text) == settings)
        #expect(
            EditorSettings(text: "appearance=purple\n  wrap =no \nfuture = 3\n=\nwrap = perhaps\n\0").wraps == false)
        #expect(EditorSettings(text: "appearance = light").appearance == .light)
        #expect(EditorSettings(text: "") == EditorSettings())
    }

    @Test func sizesGoUpAndDownByStepsAndNoFurtherThanTheLast() {
        var settings = EditorSettings()
        settings.enlarge(by: 1)
        #expect(settings.size == 110)
        #expect(EditorSettings(text: settings.text) == settings)
        for _ in 0..<50 { settings.enlarge(by: -1) }
        #expect(settings.size == 50)
        for _ in 0..<50 { settings.enlarge(by: 1) }
        #expect(settings.size == 400)
        #expect(EditorSettings(text: "size = 12345").size == 100)
    }
}
