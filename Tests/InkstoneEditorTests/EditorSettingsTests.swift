import Inkstone
import Testing

@testable import inkstone_editor

/// What the editor remembers from one start to the next.
@Suite(.timeLimit(.minutes(5))) struct EditorSettingsTests {
    @Test func whatIsWrittenIsReadAndNonsenseIsLeftOut() {
        var settings = EditorSettings()
        #expect(EditorSettings(text: settings.text) == settings)
        (settings.appearance, settings.wraps) = (.dark, false)
        #expect(EditorSettings(text: settings.text) == settings)
        #expect(
            EditorSettings(text: "appearance=purple\n  wrap =no \nfuture = 3\n=\nwrap = perhaps\n\0").wraps == false)
        #expect(EditorSettings(text: "appearance = light").appearance == .light)
        #expect(EditorSettings(text: "") == EditorSettings())
    }
}
