import CEditorCatalogs
import InkstoneFiles
import InkstoneWords

/// The translator of the editor's texts into the user's language.
let say = Translator { language in
    var count = 0
    return ceditor_catalog(language, &count).map { UnsafeRawBufferPointer(start: $0, count: count) }
}

/// The texts that the editor's windows show, in English; `Sources/CEditorCatalogs` has the translations. In an
/// answer, the letter in brackets is the access letter, which chooses the answer with Alt.
enum Words {
    /// Returns a number with separators between its groups of thousands.
    static func grouped(_ number: Int) -> String { say.language.number(number, grouped: true) }

    /// Returns a percentage with its percent sign.
    static func percent(_ number: Int) -> String { say.language.percent(number) }

    // MARK: Menu

    static var new: String { say("New") }
    static var open: String { say("Open…") }
    static var openRecent: String { say("Open Recent…") }
    static var save: String { say("Save") }
    static var saveAs: String { say("Save As…") }
    static var print: String { say("Print…") }
    static var export: String { say("Export…") }
    static var textStyle: String { say("Text Style") }
    static var markdownStyles: String { say("Markdown With Styles") }
    static var find: String { say("Find…") }
    static var replace: String { say("Replace…") }
    static var goToLine: String { say("Go to Line…") }
    static var edit: String { say("Edit") }
    static var lines: String { say("Lines") }
    static var letterCase: String { say("Upper and Lower Case") }
    static var columnsAndCarets: String { say("Columns and Carets") }
    static var document: String { say("Document") }
    static var reloadFile: String { say("Reload") }
    static var reloadedOverChanges: String { say("Reloaded. Undo brings your changes back") }
    static var view: String { say("View") }
    static var keyboardShortcuts: String { say("Keyboard Shortcuts") }
    static var about: String { say("About Inkstone") }
    static var aboutPage: EditedFile.Page {
        let version = EditorVersion.current
        return EditedFile.Page(
            title: about,
            text: "Inkstone \(version)\n\n" + say("A text editor for X11, for all the world's writing.") + "\n"
                + say("Free software under the MIT license.") + "\n")
    }
    static var close: String { say("Close") }
    static var quit: String { say("Quit") }
    static var encoding: String { say("Encoding…") }
    static var windowsLineEndings: String { say("Windows Line Endings (CRLF)") }
    static var onScreenKeyboards: String { say("On-Screen Keyboards") }
    static var countWords: String { say("Count Words") }
    static var checkSpelling: String { say("Spell Checking") }
    static var spellingLanguages: String { say("Spelling Languages…") }
    static var filterSelection: String { say("Filter Selection Through Command…") }
    static var wrapLines: String { say("Wrap Lines") }
    static var lineNumbers: String { say("Line Numbers") }
    static var whiteSpace: String { say("Show White Space") }
    static var currentLine: String { say("Highlight Current Line") }
    static var matchingBrackets: String { say("Matching Brackets") }
    static var font: String { say("Font…") }
    static var zoomIn: String { say("Zoom In") }
    static var zoomOut: String { say("Zoom Out") }
    static var resetZoom: String { say("Reset Zoom") }
    static var fullScreen: String { say("Full Screen") }
    static var systemColors: String { say("Use System Colors") }
    static var light: String { say("Light") }
    static var dark: String { say("Dark") }
    static func tabWidth(_ columns: Int) -> String { say("Tab Width \(columns)") }
    static var tabs: String { say("Tabs") }
    static func spaces(_ count: Int) -> String { say(count, one: "1 Space", other: "\(count) Spaces") }
    static var unixLineEnds: String { say("Unix (LF)") }
    static var windowsLineEnds: String { say("Windows (CRLF)") }
    /// Returns the name for line ends of several kinds; `commonest` is the name of the most frequent one.
    static func mixedLineEnds(_ commonest: String) -> String { say("\(commonest), mixed") }
    static var macLineEnds: String { say("Classic Mac (CR)") }

    // MARK: Status line

    static var readOnly: String { say("Read-only") }
    static var overwriting: String { say("OVR") }
    static var recoveryIsOff: String { say("Crash recovery is off") }
    static var readingInput: String { say("Reading standard input") }
    static func loading(_ percent: String) -> String { say("Loading, \(percent)") }
    static func position(line: Int, column: Int) -> String { say("Line \(line), Column \(column)") }
    static func tabsOfSpaces(_ columns: Int) -> String { say("Spaces: \(columns)") }
    static func tab(_ columns: Int) -> String { say("Tab: \(columns)") }
    static var textSize: String { say("Zoom") }
    static var indentation: String { say("Indentation") }
    static var lineEnds: String { say("Line Ends") }
    static var inputMethodHint: String { say("Input Method") }
    static var nothingIsRecovered: String {
        say("Unsaved changes would be lost in a crash: nothing can be written to the recovery folder")
    }
    static var openedReadOnly: String { say("This window was opened for reading only") }
    static func inputMethod(_ state: String) -> String { say("Input method: \(state)") }
    static func selectedCharacters(_ count: Int, _ text: String) -> String {
        say(count, one: "1 character selected", other: "\(text) characters selected")
    }
    static func carets(_ count: Int, _ text: String) -> String { say(count, one: "1 caret", other: "\(text) carets") }
    /// Joins two parts of an enumeration.
    static func list(_ first: String, _ second: String) -> String { say("\(first), \(second)") }
    static var menu: String { say("Menu") }
    static var withAltShift: String { say("(Alt+Shift and the letter)") }
    static var withPointer: String { say("(Choose with the pointer.)") }

    // MARK: Find bar

    /// Returns the hint about a button: its words, and the key with the same action.
    static func hint(_ words: String, key: String) -> String { say("\(words) (\(key))") }
    static var searching: String { say("Searching…") }
    static var selectionTooLong: String { say("What is selected is too long to look for") }
    static func goToLinePrompt(_ last: String) -> String { say("Go to line (1–\(last)):") }
    static var goThere: String { say("Go") }
    static var goToLineHint: String { say("Line, line:column or percentage (120, 120:8, 50%) · Esc: cancel") }
    static func notALine(_ text: String) -> String {
        say("“\(text)” is not a line number. Enter a line (120), line and column (120:8) or a percentage (50%).")
    }

    // MARK: Settings and format

    static func zoom(_ percent: String) -> String { say("Zoom \(percent)") }
    static var settingsNotSaved: String { say("Settings could not be saved; this applies until you quit.") }
    static func settingsAreUnreadable(_ path: String) -> String {
        say("\(path) cannot be read, or is too large. The default settings apply, and no setting is stored.")
    }
    static func settingsLineIsNotUTF8(_ path: String, _ line: Int) -> String {
        say("\(path), line \(line): not UTF-8. The line is left as it is.")
    }
    static func moreLinesAreNotUTF8(_ count: Int) -> String {
        say(count, one: "1 more line is not UTF-8.", other: "\(count) more lines are not UTF-8.")
    }
    static func keyBindings(line: Int, _ message: String) -> String { say("Key bindings, line \(line): \(message)") }
    static func wrongLines(_ count: Int, _ lines: String) -> String {
        say(count, one: "Line \(lines) is wrong as well.", other: "Lines \(lines) are wrong as well.")
    }
    static func moreWrongLines(_ count: Int) -> String {
        say(
            count, one: "1 more line is wrong; all are named where the editor was started.",
            other: "\(count) more lines are wrong; all are named where the editor was started.")
    }
    static var fontPrompt: String { say("Font:") }
    static var useIt: String { say("Apply") }
    static var chooseHint: String { say("Enter: apply · ↑↓ or typing: choose · Esc: cancel") }
    static var defaultFont: String { say("Default font") }
    static func readAsGuess(_ name: String, _ encoding: String) -> String {
        say("The encoding of “\(name)” is a guess: \(encoding).")
    }
    static func fontIsMissing(_ font: String, standIn: String?) -> String {
        if let standIn { return say("Font “\(font)” is not installed; using “\(standIn)”.") }
        return say("Font “\(font)” is not installed.")
    }
    static var chooseEncoding: String { say("Choose [E]ncoding…") }
    static var keep: String { say("[K]eep") }
    static func guessed(_ encoding: String) -> String { say("\(encoding)?") }
    static var encodingWillChange: String { say("The encoding will change when the file has finished loading") }
    static var encodingPrompt: String { say("Encoding:") }
    static func notAnEncoding(_ name: String) -> String {
        say("“\(name)” is not an encoding. Type a part of a name, or choose one above.")
    }
    static func reloadOrConvert(_ name: String, _ encoding: String) -> String {
        say("Reload “\(name)” as \(encoding), or convert it when it is saved?")
    }
    static var reload: String { say("[R]eload") }
    static var convert: String { say("Con[v]ert") }
    static var cancel: String { say("[C]ancel") }
    static var cancelShort: String { say("Cancel") }
    static func willBeSavedAs(_ format: String) -> String { say("Will be saved as \(format)") }

    // MARK: Opening and closing files

    static var untitled: String { say("Untitled") }
    static func untitled(_ number: Int) -> String { say("Untitled \(number)") }
    /// The mark of a read-only file, after its name in the title bar.
    static var readOnlyMark: String { say("[Read Only]") }
    static func loadingFile(_ name: String) -> String { say("Loading “\(name)”") }
    static func loadingBehindTyping(_ name: String) -> String {
        say("Loading “\(name)”. What you type now goes at the beginning.")
    }
    static func notText(_ name: String) -> String { say("“\(name)” does not appear to be a text file. Open anyway?") }
    static var openAnswer: String { say("[O]pen") }
    static var quitAnswer: String { say("[Q]uit") }
    static var keptUntitled: String { say("What you typed is kept in an untitled document.") }
    static func writingMarkdown(_ name: String) -> String { say("Writing “\(name)” as Markdown") }
    static func closesAfterSaving(_ name: String) -> String {
        say("Saving “\(name)”. The window closes when that is done")
    }
    static func closesAfterPrinting(_ name: String) -> String {
        say("Printing “\(name)”. The window closes when that is done")
    }
    static func saveBeforeClosing(_ name: String) -> String { say("Save changes to “\(name)” before closing?") }
    static var saveAnswer: String { say("[S]ave") }
    static var discard: String { say("[D]iscard") }
    static var openPrompt: String { say("Open:") }
    static var openButton: String { say("Open") }
    static var openHint: String {
        say("Enter: open · Tab: complete · ↑↓: choose · / or ~: another folder · Esc: cancel")
    }
    static var noRecentFiles: String { say("No other files have been opened yet") }
    static var openRecentPrompt: String { say("Open recent:") }
    static var openRecentHint: String { say("Enter: open · ↑↓ or typing: choose · Esc: cancel") }
    static var enterFileName: String { say("Enter a file name.") }
    static func noFolder(_ name: String) -> String { say("Folder not found: \(name)") }
    static var keepMyVersion: String { say("[K]eep My Version") }
    static var reloadAndDiscard: String { say("[R]eload and Discard My Changes") }
    static func wasDeleted(_ name: String) -> String { say("“\(name)” was deleted or moved.") }
    static func hasChanged(_ name: String) -> String { say("“\(name)” has changed on disk since you opened it.") }
    static func firstFilesOpened(_ count: Int, of all: Int) -> String {
        say("The first \(count) of \(all) files were opened")
    }
    static func pastedReplacements(_ count: Int) -> String {
        say(
            count, one: "Some of the pasted text was invalid: 1 character was replaced by �.",
            other: "Some of the pasted text was invalid: \(count) characters were replaced by �.")
    }
    static func staysOpenSaving(_ name: String) -> String { say("“\(name)” stays open, and is still being saved") }
    static func staysOpenPrinting(_ name: String) -> String { say("“\(name)” stays open, and is still being printed") }
    static func noOtherWindow(_ reason: String) -> String { say("No other window can be opened: \(reason)") }
    static var noResources: String { say("Not enough system resources.") }
    static var noResourcesToSearch: String { say("Not enough system resources to search") }
    static var noResourcesToCount: String { say("Not enough system resources to count") }
    static var noMatchingFile: String { say("No matching file") }
    static func andMore(_ list: String, _ count: Int) -> String { say("\(list)   and \(count) more") }
    static func newFile(_ name: String) -> String { say("New file: there is no “\(name)” yet") }
    static func noLine(_ line: String) -> String { say("There is no line \(line): this is the last one") }
    static func invalidBytesKept(_ encoding: String) -> String {
        say("Not all bytes are \(encoding). They are kept in lines that are not changed.")
    }
    static var standardInput: String { say("standard input") }
    static func changesHaveNoPlace(_ count: Int) -> String {
        say(
            count, one: "One change cannot be kept in that encoding.",
            other: "\(count) changes cannot be kept in that encoding.")
    }
    static var reloadCannotBeUndone: String {
        say("The file is so different that undo could not bring your changes back.")
    }
    static var reloadWithoutChanges: String { say("[R]eload Without My Changes") }
    static func readingAgain(_ name: String) -> String { say("Reloading “\(name)”") }

    // MARK: Saving

    static var awaitingText: String { say("Waiting for text to insert · Esc: cancel") }
    static var awaitedTextCancelled: String { say("The text that was still to come is not inserted.") }
    static var pictureDidNotCome: String { say("No picture was inserted: its disk does not answer.") }
    static var willSaveAfterEdits: String { say("Will save when the edits before it are made") }
    static var willSaveAfterLoading: String { say("Will save when the file has finished loading") }
    static var inputGoesOn: String { say("Standard input has not ended: more text may come.") }
    static var endInputAndSave: String { say("[S]top Reading and Save") }
    static var saveAtEndOfInput: String { say("Save When It [E]nds") }
    static var willSaveAgain: String { say("Will save again when the current save finishes") }
    static func bytesWouldBeLost(_ name: String) -> String {
        say("Some bytes of “\(name)” could not be read in its encoding; in another one they are lost.")
    }
    static func saving(_ name: String) -> String { say("Saving “\(name)”…") }
    static func saved(_ name: String) -> String { say("Saved \(name)") }
    static func wasNotSaved(_ name: String) -> String { say("“\(name)” was not saved") }
    static func hasNames(_ name: String, _ count: Int) -> String {
        say(
            count, one: "“\(name)” has one name.",
            other: "“\(name)” has \(count) names, and a new file would have one of them.")
    }
    static func wouldLose(_ name: String, _ attributes: String) -> String {
        say("A new file in place of “\(name)” would not keep its \(attributes).")
    }
    static var writeInPlace: String { say("Write [I]n Place") }
    static var makeNewFile: String { say("Make a [N]ew File") }
    static var saveAgain: String { say("[S]ave Again") }
    static var overwrite: String { say("[O]verwrite") }
    static var chooseAnotherName: String { say("Choose [A]nother Name…") }
    static var saveAsAnswer: String { say("Save [A]s…") }
    static func alreadyExists(_ name: String) -> String { say("“\(name)” already exists. Overwrite it?") }
    static var saveAnyway: String { say("[S]ave Anyway") }
    static func picturesBeside(_ name: String, _ count: Int, _ folder: String) -> String {
        say(
            count, one: "When “\(name)” is saved, the folder “\(folder)” beside it gets the new picture.",
            other: "When “\(name)” is saved, the folder “\(folder)” beside it gets \(count) new pictures.")
    }
    static var savePicturesToo: String { say("[S]ave Text and Pictures") }
    static var saveWithoutPictures: String { say("Save [T]ext Only") }
    static var saveAsUTF8: String { say("Save as [U]TF-8") }
    static func goToLineAnswer(_ line: Int) -> String { say("[G]o to Line \(line)") }
    static func cannotType(_ name: String) -> String {
        say("“\(name)” is open for reading only. Nothing can be typed.")
    }
    static func openForReading(_ name: String) -> String {
        say("“\(name)” is open for reading only. Nothing was saved.")
    }
    static func notSavedLoading(_ name: String) -> String {
        say("“\(name)” was not saved: it is still loading. The file is unchanged.")
    }
    static func notSavedUnread(_ name: String) -> String {
        say("“\(name)” was not saved: it could not be read. The file is unchanged.")
    }
    static var notSavedAtPrompt: String { say("Nothing was saved: answer or cancel this first.") }
    static var exportPrompt: String { say("Export to:") }
    static var exportButton: String { say("Export") }
    static var exportHint: String { say("Enter: export · Tab: complete · Esc: cancel") }
    static var exportSuffixes: String { say("End the name with .html, .rtf or .md.") }
    static func exported(_ name: String) -> String { say("Exported to “\(name)”") }
    static var exportAnyway: String { say("[E]xport Anyway") }
    static func formatHasNo(_ format: String, _ styles: String, _ name: String) -> String {
        say("\(format) has no \(styles). “\(name)” is written without.")
    }
    static func formatIsInexact(_ format: String, _ name: String) -> String {
        say("\(format) cannot say all of “\(name)”: some of it will look different.")
    }
    static func markdownLosesStyles(_ styles: String, _ name: String) -> String {
        say("Markdown has no \(styles). “\(name)” loses that when its source is shown.")
    }
    static func saveBeforeSwitching(_ name: String) -> String {
        say("“\(name)” is read again to be shown in another way. Save the changes first?")
    }
    static var showAnyway: String { say("Show [A]nyway") }
    static var saveAsPrompt: String { say("Save as:") }
    static var saveAsHint: String { say("Enter: save · Tab: complete · ↑↓: choose · Esc: cancel") }
    static func openElsewhere(_ name: String) -> String { say("“\(name)” is open in another window.") }

    // MARK: Crash recovery

    static var recoveryIsOn: String { say("Crash recovery is on again") }
    static func saveWasCutOff(_ name: String) -> String {
        say("Saving “\(name)” was interrupted: it has a part of the new text, and a part of the old.")
    }
    static var restoreOldText: String { say("[P]ut the Old Text Back") }
    static var discardOldText: String { say("[D]iscard the Old Text") }
    static var notNow: String { say("[L]ater") }
    static func discarded(_ place: String) -> String { say("Discarded. A copy is kept for 30 days in \(place).") }
    static func restoringOldText(_ name: String) -> String { say("Putting the old text of “\(name)” back") }
    static var oldTextIsBack: String { say("The old text is back in the file") }
    static func number(_ number: Int, of count: Int) -> String { say("\(number) of \(count)") }
    static func openInAnotherEditor(_ name: String) -> String {
        say("“\(name)” is open in another Inkstone. Who saves last is asked before anything is overwritten.")
    }
    static func openInProcess(_ name: String, _ process: String) -> String {
        say(
            "“\(name)” is open in another Inkstone (process \(process)). Who saves last is asked before anything is overwritten."
        )
    }
    static func unsavedInAnotherEditor(_ name: String) -> String {
        say(
            "“\(name)” has unsaved changes in another Inkstone. Who saves last is asked before anything is overwritten."
        )
    }
    static func unsavedInProcess(_ name: String, _ process: String) -> String {
        say(
            "“\(name)” has unsaved changes in another Inkstone (process \(process)). Who saves last is asked before anything is overwritten."
        )
    }
    static var understood: String { say("[O]K") }
    static func recentChangesLost(_ sentence: String) -> String {
        say("\(sentence) The most recent changes could not be recovered.")
    }
    static func changesFound(_ name: String, _ session: String) -> String {
        say("Unsaved changes to “\(name)” from \(session) were found.")
    }
    /// A phrase for the gap after “from” in ``changesFound(_:_:)``.
    static var thisSession: String { say("your last session") }
    /// A phrase for the gap after “from” in ``changesFound(_:_:)``.
    static var runningSession: String { say("a session that may still run, perhaps on another computer") }
    static var keptAsPlainText: String { say("They are kept as plain text.") }
    static var shownApart: String { say("They were shown apart from the file.") }
    static var cannotBeFound: String { say("The file cannot be found at the moment.") }
    static var wasChangedSince: String { say("The file has changed since.") }
    static func wasReadAs(_ encoding: String) -> String { say("The file was read as \(encoding) then.") }
    static var anotherEncoding: String { say("another encoding") }
    static var restore: String { say("[R]estore") }
    static var showInNewWindow: String { say("Show in a New [W]indow") }
    static var merge: String { say("[M]erge") }
    static var changesRestored: String { say("Changes restored. Save to keep them.") }
    static var changesMerged: String { say("Changes merged. Check them, and save to keep them.") }
    static var textAsTyped: String { say("This is the text as it was typed. Save it under a name to keep it.") }
    static func textOfFileAsTyped(_ name: String) -> String {
        say("This is the text of “\(name)” as it was typed. Save it under a name to keep it.")
    }
    static var changesTakenUp: String { say("These changes were restored by another editor.") }

    static var changesWereKept: String {
        say("Unsaved changes were kept: the next start with this file offers them.")
    }
    static var changesAreLost: String { say("Unsaved changes are lost: they could not be kept.") }
    static func traceFailed(_ path: String, _ reason: String) -> String {
        say("The trace “\(path)” cannot be written: \(reason). Name another file.")
    }

    // MARK: Format bar

    static var formatBar: String { say("Format") }
    static func paragraphStyle(_ name: String) -> String { say("Paragraph style: \(name)") }
    static var bodyText: String { say("Body") }
    static func heading(_ level: Int) -> String { say("Heading \(level)") }
    static var quotation: String { say("Quotation") }
    static var codeBlock: String { say("Code block") }
    static var severalStyles: String { say("Several styles") }
    static var bold: String { say("Bold") }
    static var italic: String { say("Italic") }
    static var underline: String { say("Underline") }
    static var strikethrough: String { say("Strikethrough") }
    static var code: String { say("Code") }
    static var bulletedList: String { say("Bulleted list") }
    static var numberedList: String { say("Numbered list") }
    static var checklist: String { say("Checklist") }
    static var link: String { say("Link") }
    static var editLink: String { say("Edit Link…") }
    static var insertRule: String { say("Insert horizontal rule") }
    static var insertTable: String { say("Insert table") }
    static var insertPicture: String { say("Insert picture…") }
    static var pasteAsMarkdown: String { say("Paste as Markdown") }
    static var picturePrompt: String { say("Picture:") }
    static var insertButton: String { say("Insert picture") }
    static var pictureDescription: String { say("Picture Description…") }
    static var descriptionPrompt: String { say("Description:") }
    static var setDescription: String { say("Set description") }
    static var descriptionHint: String { say("Enter: set the description · Esc: cancel") }
    static func notAPicture(_ name: String) -> String { say("“\(name)” is no picture that can be shown") }
    static var selectLinkFirst: String { say("Select the words of the link first") }
    static var onlyWebLinks: String { say("Only links to web pages and mail addresses are opened") }
    static func linkNotOpened(_ address: String) -> String { say("“\(address)” could not be opened (xdg-open)") }
    static var addressPrompt: String { say("Address:") }
    static var addressHint: String { say("Enter: set the link · empty: remove it · Esc: cancel") }

    // MARK: Markdown

    static func cannotBeShown(_ name: String, _ reason: String) -> String {
        say("“\(name)” cannot be shown: \(reason)")
    }
    static func openedAsPlainText(_ reason: String) -> String { say("\(reason). Opened as plain text") }
    static func tooLargeForStyles(_ megabytes: Int) -> String {
        say("A file of more than \(megabytes) MB is opened as plain text, without styles")
    }
    static func willLookDifferent(_ name: String) -> String {
        say("Markdown cannot say all of “\(name)”: some of it will look different.")
    }
    static func savedWithout(_ styles: String, _ name: String, looksDifferent: Bool) -> String {
        looksDifferent
            ? say("Markdown has no \(styles). “\(name)” is saved without, and some of it will look different.")
            : say("Markdown has no \(styles). “\(name)” is saved without.")
    }
    /// Joins the last two parts of an enumeration.
    static func and(_ first: String, _ last: String) -> String { say("\(first) and \(last)") }
    /// Returns the name of a style by the last part of its attribute's name, for “Markdown has no …”.
    static func style(_ name: String) -> String {
        switch name {
        case "attachment": say("picture")
        case "background": say("background")
        case "baseline-offset": say("baseline offset")
        case "exclude-from-writing-tools": say("protection from writing tools")
        case "font-family": say("font family")
        case "font-features": say("font features")
        case "font-size": say("font size")
        case "font-slant": say("font slant")
        case "font-weight": say("font weight")
        case "foreground": say("foreground")
        case "kern": say("kern")
        case "language": say("language")
        case "link": say("link")
        case "list": say("such list markers")
        case "alignment": say("alignment")
        case "text-direction": say("text direction")
        case "indents": say("indents")
        case "line-height": say("line height")
        case "paragraph-spacing": say("paragraph spacing")
        case "tab-stops": say("tab stops")
        case "strikethrough": say("strikethrough")
        case "strikethrough-color": say("strikethrough color")
        case "superscript": say("superscript")
        case "tracking": say("tracking")
        case "underline": say("underline")
        case "underline-color": say("underline color")
        default: name.replacing("-", with: " ")
        }
    }

    // MARK: Spelling and filter commands

    static var noDictionary: String {
        say(
            "Spelling is not checked: there is no dictionary for your language. Choose another in Document, Spelling Languages…, or install one (package hunspell-en-us)"
        )
    }
    static var spellingLanguagesHint: String {
        say("Enter: add the language, or remove one in use · several: with blanks between · Esc: cancel")
    }
    static var spellingLanguagesPrompt: String { say("Languages for spelling:") }
    static var inUse: String { say("in use") }
    static var systemLanguages: String { say("Languages of your system") }
    static func noDictionary(for language: String) -> String { say("There is no dictionary for “\(language)”.") }
    static func spellingIsChecked(_ languages: String) -> String { say("Spelling is checked: \(languages)") }
    static var suggestSpellings: String { say("Suggest Spellings…") }
    static var moreSuggestions: String { say("More Suggestions") }
    static func noSuggestions(_ word: String) -> String { say("No suggestions for “\(word)”") }
    static func addToDictionary(_ word: String) -> String { say("Add “\(word)” to Dictionary") }
    static func ignore(_ word: String) -> String { say("Ignore “\(word)”") }
    static var commandIsRunning: String { say("A command is running. Escape stops it") }
    static var sorting: String { say("Sorting… · Esc: cancel") }
    static var notSorted: String { say("Not sorted: the text was changed meanwhile") }
    static var nothingChanged: String { say("Stopped: nothing was changed") }
    static var cannotEditNow: String { say("This text cannot be edited now") }
    static var commandPrompt: String { say("Command:") }
    static var run: String { say("Run") }
    static var commandHint: String {
        say("Enter: run; the output replaces the selection · Esc: cancel")
    }
    static func tooManyParts(_ limit: Int) -> String {
        say("A command can rewrite up to \(limit) selected parts in different paragraphs")
    }
    static func running(_ program: String) -> String { say("Running “\(program)”… Escape stops it") }
    static func rewritten(_ program: String) -> String {
        say("“\(program)” has rewritten the text. Undo takes that back")
    }
    static func partlyRewritten(_ program: String) -> String {
        say("Parts of the output of “\(program)” were left out, because you have changed the text meanwhile")
    }
    static func codeNotRewritten(_ program: String) -> String {
        say("“\(program)” may change code and quotations only if they are selected. Output for them was left out")
    }
    static func invalidBytesForFilter(_ program: String) -> String {
        say("“\(program)” was not run: the text has invalid bytes, which the command would change")
    }
    static func notRewritten(_ program: String) -> String {
        say("The output of “\(program)” was left out, because you have changed the text meanwhile")
    }

    // MARK: Printing

    static var alreadyPrinting: String { say("Pages are being printed. Escape stops that") }
    static var printsAfterLoading: String { say("It can be printed when the file has finished loading") }
    static var toFile: String { say("To a PDF [F]ile…") }
    static var toPrinter: String { say("To a [P]rinter…") }
    static var selectionOnly: String { say("The [S]election Only…") }
    static func printQuestion(_ name: String) -> String { say("Print “\(name)”?") }
    static func printSelectionQuestion(_ name: String) -> String { say("Print the selection of “\(name)”?") }
    static var pdfPrompt: String { say("PDF file:") }
    static var printButton: String { say("Print") }
    static var pdfHint: String { say("Enter: print · Tab: complete · Esc: cancel") }
    static func openInEditor(_ name: String) -> String { say("“\(name)” is open in the editor. Choose another file.") }
    static var printerPrompt: String { say("Printer:") }
    static var printerHint: String { say("Enter: print · empty: default printer · Esc: cancel") }
    static func waitingForDisk(_ name: String) -> String { say("Waiting for the disk of “\(name)”…") }
    static func printing(_ name: String) -> String { say("Printing “\(name)”… Escape stops it") }
    static func printing(_ name: String, _ percent: String) -> String {
        say("Printing “\(name)”, \(percent). Escape stops it")
    }

    static func pages(_ count: Int, in name: String) -> String {
        say(count, one: "1 page was printed to “\(name)”", other: "\(count) pages were printed to “\(name)”")
    }
    static func pagesSent(_ count: Int) -> String {
        say(count, one: "1 page was sent to the printer.", other: "\(count) pages were sent to the printer.")
    }

    // MARK: Counts

    static func words(_ count: Int, _ text: String) -> String { say(count, one: "1 word", other: "\(text) words") }
    static func characters(_ count: Int, _ text: String) -> String {
        say(count, one: "1 character", other: "\(text) characters")
    }
    static func lines(_ count: Int, _ text: String) -> String { say(count, one: "1 line", other: "\(text) lines") }
    static func selected(_ counts: String) -> String { say("Selected: \(counts)") }
    static var counting: String { say("Counting…") }

    // MARK: On-screen keyboards

    static func keyboardsCannotAsk(_ reason: String) -> String { say("On-screen keyboards cannot ask: \(reason).") }
    static var keyboardAnswerNotKept: String {
        say("The answer about a keyboard could not be saved; it applies until you quit.")
    }
    static func asksToType(_ program: String, _ process: String) -> String {
        say("“\(program)” (process \(process)) asks to type into your texts, and to read around the caret.")
    }
    static var notNowKeyboard: String { say("[N]ot Now") }
    static var allowOnce: String { say("Allow [O]nce") }
    static var allowAlways: String { say("Allow [A]lways") }
    static var neverAllow: String { say("Ne[v]er Allow") }
}
