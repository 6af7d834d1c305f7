import Glibc
import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The settings that the editor keeps from one start to the next.
@Suite(.timeLimit(.minutes(5))) struct EditorSettingsTests {
    @Test func writtenSettingsAreReadAndInvalidOnesIgnored() {
        var settings = EditorSettings()
        #expect(EditorSettings(bytes: settings.bytes()) == settings)
        (settings.appearance, settings.wraps) = (.dark, false)
        (settings.numbersLines, settings.font) = (true, "DejaVu Sans:weight=200, serif")
        (settings.showsWhiteSpace, settings.showsCaretLine, settings.showsBrackets) = (true, true, false)
        #expect(EditorSettings(bytes: settings.bytes()) == settings)
        #expect(
            EditorSettings(text: "appearance=purple\n  wrap =no \nfuture = 3\n=\nwrap = perhaps\n\0").wraps == false)
        #expect(EditorSettings(text: "appearance = light").appearance == .light)
        #expect(EditorSettings(text: "") == EditorSettings())
        settings.window = Size(width: 1024, height: 700)
        #expect(EditorSettings(bytes: settings.bytes()) == settings)
        for size in ["1024", "1x1", "-800x600", "99999x600", "800x600x2", "axb"] {
            #expect(EditorSettings(text: "window = \(size)").window == EditorSettings.standardWindow)
        }
        // The standard window size is not written, and an old line with another size is removed.
        settings.window = EditorSettings.standardWindow
        #expect(
            !String(decoding: settings.bytes(in: Array("window = 900x700\n".utf8)), as: UTF8.self).contains("window"))
    }

    /// A new window does not copy the size of a window that was made very small; and the page that lists the keys
    /// does not copy the size of a document's window.
    @Test func aNewWindowIsNeverTiny() {
        var settings = EditorSettings()
        settings.window = Size(width: 200, height: 900)
        #expect(settings.window(forPage: false) == Size(width: EditorSettings.smallestWindow.width, height: 900))
        #expect(settings.window(forPage: true) == EditorSettings.standardWindow)
        settings.window = Size(width: 1024, height: 700)
        #expect(settings.window(forPage: false) == settings.window)
    }

    /// The user may have written the settings file by hand, and may keep it elsewhere behind a symbolic link.
    @Test func linesThatMeanNothingHereStayAndSoDoLinks() throws {
        let scratch = try OwnedDirectory()
        let (file, link) = ("\(scratch.path)/file", "\(scratch.path)/link")
        try TextFiles.write("# my comment\nsize = 100\r\nfuture = 3\n\nfont = serif\n", to: file)
        symlink(file, link)
        var settings = EditorSettings()
        settings.enlarge(by: 1)
        #expect(settings.keep(in: FilePath(link)))
        #expect(
            try TextFiles.read(file)
                == "# my comment\nsize = 110\r\nfuture = 3\n\nappearance = desktop\nwrap = yes\nnumbers = no\n")
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        // A directory cannot be read as a file: the settings must not replace it.
        #expect(!settings.keep(in: FilePath(scratch.path)))
        #expect(settings.keep(in: FilePath("\(scratch.path)/new/settings")))
        #expect(EditorSettings(text: try TextFiles.read("\(scratch.path)/new/settings")) == settings)
    }

    /// A line ends with CR, LF or both, when the file is read and when it is written.
    @Test func linesEndWithReturnsToo() throws {
        let old = Array("numbers = yes\rfont = serif\rfuture = 3\rsize = 100\r".utf8)
        var settings = EditorSettings(bytes: old)
        #expect(settings.numbersLines && settings.font == "serif")
        settings.font = nil
        settings.enlarge(by: 1)
        let new = settings.bytes(in: old)
        #expect(
            String(decoding: new, as: UTF8.self)
                == "numbers = yes\rfuture = 3\rsize = 110\r\nappearance = desktop\nwrap = yes\n")
        #expect(EditorSettings(bytes: new) == settings)
        #expect(settings.bytes(in: new) == new)
    }

    /// Lines of the settings file that are not valid text, or are unknown to the editor, may still matter to
    /// somebody, so they stay.
    @Test func invalidBytesAreReportedAndKept() throws {
        let scratch = try OwnedDirectory()
        let file = "\(scratch.path)/settings"
        let old =
            Array("size = 100\n# caf".utf8) + [0xe9] + Array("\nfont = ".utf8) + [0xff]
            + Array("\nwrap = perhaps\n".utf8)
        try TextFiles.write(old, to: file)
        var bad: [Int] = []
        var settings = EditorSettings(bytes: old) { bad.append($0) }
        #expect(bad == [2, 3] && settings.font == nil)
        settings.enlarge(by: 1)
        (settings.font, settings.appearance, settings.numbersLines) = ("serif", .dark, true)
        #expect(settings.keep(in: FilePath(file)))
        let kept = try TextFiles.bytes(file)
        #expect(
            kept == Array("size = 110".utf8) + old[10...]
                + Array("appearance = dark\nnumbers = yes\nfont = serif\n".utf8))
        #expect(EditorSettings(bytes: kept) == settings)
    }

    /// A file that is too large to be read as settings is reported, and keeps its values.
    @Test func aTooLargeFileIsReportedAndNotChanged() throws {
        let scratch = try OwnedDirectory()
        let path = "\(scratch.path)/settings"
        let small = "appearance = dark\n"
        let large = small + String(repeating: "# a line\n", count: 8000)
        try TextFiles.write(large, to: path)
        let read = EditorSettings.read(SmallFile(at: FilePath(path)))
        #expect(read.settings == EditorSettings())
        #expect(read.problem?.contains("too large") == true && read.problem?.contains("settings") == true)
        var settings = read.settings
        settings.keyboards = true
        #expect(!settings.keep(in: FilePath(path)))
        #expect(try TextFiles.read(path) == large)
        // New lines do not make a file too large either.
        let filled = small + "#" + String(repeating: "x", count: SmallFile.limit - small.count - 3) + "\n"
        try TextFiles.write(filled, to: path)
        #expect(EditorSettings.read(SmallFile(at: FilePath(path))).problem == nil)
        #expect(!settings.keep(in: FilePath(path)))
        #expect(try TextFiles.read(path) == filled)
        try TextFiles.write(small, to: path)
        #expect(settings.keep(in: FilePath(path)))
    }

    @Test func sizesGoUpAndDownByStepsAndNoFurtherThanTheLast() {
        var settings = EditorSettings()
        settings.enlarge(by: 1)
        #expect(settings.size == 110)
        #expect(EditorSettings(bytes: settings.bytes()) == settings)
        for _ in 0..<50 { settings.enlarge(by: -1) }
        #expect(settings.size == 50)
        for _ in 0..<50 { settings.enlarge(by: 1) }
        #expect(settings.size == 400)
        #expect(EditorSettings(text: "size = 12345").size == 100)
    }

    /// If the settings file cannot be written, further changes start from the settings shown. Settings that another
    /// editor has kept meanwhile are not overwritten.
    @Test func changedSettingsHoldWhateverTheFileSays() {
        var settings = CurrentSettings(kept: EditorSettings())
        var file = EditorSettings()
        file.appearance = .dark
        let kept = settings.change(onTopOf: file) { $0.enlarge(by: 1) }
        #expect(kept.size == 110 && kept.appearance == .dark)
        #expect(settings.shown.size == 110 && settings.shown.appearance == .desktop)
        _ = settings.change(onTopOf: EditorSettings()) { $0.enlarge(by: 1) }
        #expect(settings.shown.size == 125)
    }

    @Test func everySettingCanBeChangedAndKept() {
        #expect(EditorSettings.all.count == Mirror(reflecting: EditorSettings()).children.count)
        let text = """
            appearance = dark
            wrap = no
            numbers = yes
            size = 150
            font = mono
            keyboards = yes
            spelling = en_US de_DE
            whitespace = yes
            caretline = yes
            brackets = no
            window = 640x480

            """
        let others = EditorSettings(text: text)
        for (index, setting) in EditorSettings.all.enumerated() {
            #expect(setting.differs(others, EditorSettings()), "\(index)")
        }
        var settings = CurrentSettings(kept: EditorSettings())
        let kept = settings.change(onTopOf: EditorSettings()) { $0 = others }
        #expect(settings.shown == others && kept == others && EditorSettings(bytes: kept.bytes()) == others)
    }

    /// If the user changes a setting before the disk has delivered the kept settings, only this setting differs
    /// from the kept ones.
    @Test func settingsReadLateDoNotReplaceChoicesMadeMeanwhile() {
        let start = CurrentSettings(kept: EditorSettings(), font: "serif", wraps: nil)
        var kept = EditorSettings()
        (kept.appearance, kept.wraps, kept.numbersLines, kept.size, kept.font) = (.dark, false, true, 150, "mono")
        let unchanged = CurrentSettings(atStart: start, keptLate: kept, [])
        #expect(unchanged == CurrentSettings(kept: kept, font: "serif"))
        let settings = CurrentSettings(
            atStart: start, keptLate: kept, [{ $0.wraps.toggle() }, { $0.enlarge(by: 1) }, { $0.enlarge(by: -1) }])
        // When the user made the change, lines were wrapped and the text size was 100 %.
        #expect(!settings.shown.wraps && settings.shown.size == 100)
        #expect(settings.shown.appearance == .dark && settings.shown.numbersLines && settings.shown.font == "serif")
        #expect(settings.chosen.font == "mono")
        let named = CurrentSettings(atStart: start, keptLate: kept, [{ $0.font = "sans" }])
        #expect(named.shown.font == "sans" && named.chosen.font == "sans" && !named.shown.wraps)
    }

    @Test func theCommandLineHoldsForOneRunAndUntilTheUserChooses() {
        var settings = CurrentSettings(kept: EditorSettings(), font: "serif", wraps: false)
        #expect(!settings.shown.wraps && settings.shown.font == "serif")
        let kept = settings.change(onTopOf: EditorSettings()) { $0.enlarge(by: 1) }
        #expect(kept.wraps && kept.font == nil && kept.size == 110)
        #expect(!settings.shown.wraps && settings.shown.font == "serif")
        let wrapped = settings.change(onTopOf: kept) { $0.wraps.toggle() }
        #expect(wrapped.wraps && settings.shown.wraps && settings.shown.font == "serif")
        let changed = settings.change(onTopOf: wrapped) { $0.font = nil }
        #expect(changed.font == nil && settings.shown.font == nil)
        #expect(!settings.change(onTopOf: changed) { $0.wraps.toggle() }.wraps)
    }
}
