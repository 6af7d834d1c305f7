import Glibc
import InkstoneWords

/// The texts of the command line. They are in the language of the windows if the encoding of the terminal's locale
/// is UTF-8, else in English.
enum CommandLineWords {
    /// The translator of the texts into the user's language.
    static let say =
        String(cString: nl_langinfo(Int32(CODESET))) == "UTF-8" ? inkstone_editor.say : Translator([]) { _ in nil }

    // MARK: Names of option values in the help

    static var standardInput: String { say("standard input") }
    static var file: String { say("file") }
    static var name: String { say("name") }
    static var pattern: String { say("pattern") }
    static var place: String { say("place") }
    static var table: String { say("table") }
    static var paper: String { say("paper") }
    static var lengths: String { say("lengths") }
    static var text: String { say("text") }
    static var direction: String { say("direction") }
    static var program: String { say("program") }
    static var journalOrFile: String { say("journal|file") }

    // MARK: inkstone

    static var editor: String { say("A text editor for X11 with real input-method support.") }
    static var editorDiscussion: String {
        say(
            "Ctrl+S saves, Ctrl+Shift+S saves as another file, Ctrl+Q quits, Ctrl+Z and Ctrl+Shift+Z undo and redo; with “--keys emacs” Ctrl+X Ctrl+S, Ctrl+X Ctrl+W and Ctrl+X Ctrl+C do. The status line shows the state of the input method named by XMODIFIERS."
        )
    }
    static var otherCommands: String {
        say("Other commands: “inkstone print”, “recover”, “proxy” and “layout”, each with --help.")
    }
    static var files: String {
        say("Files to edit, each in a window; created on first save. - is standard input, ./- a file of that name.")
    }
    static var encoding: String {
        say(
            "Encoding of the file, such as UTF-16LE, Shift_JIS or GB18030; by default detected from the BOM, otherwise UTF-8 or a guess."
        )
    }
    static var font: String { say("Font, as a fontconfig pattern such as “DejaVu Sans:size=11”.") }
    static var goto: String { say("Position of the caret: LINE, LINE:COLUMN or PERCENT%.") }
    static var geometry: String { say("Window size and position in pixels.") }
    static var embed: String {
        say("Fill a window of another program, by its number, as tabbed and sockets of toolkits give it.")
    }
    static var keys: String {
        say(
            "Key bindings: desktop, emacs, or a file with a / in its name; by default ~/.config/inkstone/keys if it exists."
        )
    }
    static var wrap: String { say("Wrap long lines at the window's width; by default as chosen last.") }
    static var rich: String { say("Show the files, which are Markdown, as styled text, and save them as Markdown.") }
    static var readOnly: String { say("Do not allow changes.") }
    static var noRecovery: String { say("Disable crash recovery.") }
    static var syntheticEvents: String {
        say("Accept keys and buttons that other programs send to the window (XSendEvent). Any program can do so.")
    }
    static var trace: String {
        say(
            "Record every key, input-method event, client call and rectangle as JSON lines. The trace contains everything typed."
        )
    }
    static var emptyName: String { say("The file's name is empty. Name a file, or none for a new text.") }
    static var inputIsTerminal: String {
        say(
            "Standard input is a terminal, from which nothing comes. Write a command before it, as in “ls | inkstone -”, or ./- for a file of that name."
        )
    }
    static func invalidGeometry(_ text: String) -> String {
        say("Invalid geometry “\(text)”. Write it as 800x600, +10+20 or 800x600+10+20.")
    }
    static func invalidWindow(_ text: String) -> String {
        say("Invalid window number “\(text)”. Write it as 0x2400007 or 37748743.")
    }
    static func invalidPosition(_ text: String) -> String {
        say("Invalid position “\(text)”. Write it as LINE, LINE:COLUMN or PERCENT%.")
    }
    static func noKeys(_ name: String) -> String {
        say(
            "There are no key bindings “\(name)”. There are desktop and emacs; a file is named with a /, as in ./\(name)."
        )
    }
    static func traceReplaces(_ file: String) -> String {
        say("The trace would replace “\(file)”, which is to be edited. Name another file for it.")
    }
    static func invalidFont(_ pattern: String) -> String {
        say("Invalid font pattern “\(pattern)”. Write it as “DejaVu Sans:size=11”.")
    }
    static func invalidFontSize(_ pattern: String) -> String {
        say("“\(pattern)” has no size from 1 to 500 pixels. Write it as “DejaVu Sans:size=11”.")
    }

    // MARK: inkstone print

    static var printing: String { say("Print a text on pages, to a PDF file or a printer.") }
    static var printingDiscussion: String {
        say(
            "Without --pdf it goes to a printer, by the program lp. A PDF file is written whole or not at all; its text can be searched and copied in every script. No X server is needed."
        )
    }
    static var textFile: String { say("Text file; “-” or nothing for standard input.") }
    static var pdf: String { say("Write a PDF file; “-” for standard output.") }
    static var printer: String { say("Print on this printer instead of your default one.") }
    static var paperSize: String {
        say("Paper: A3, A4, A5, Letter, Legal, or WIDTHxHEIGHT with mm, cm, in or pt behind it.")
    }
    static var margins: String {
        say("Margins with a unit: all (20mm), top and sides (1in,2cm), or top, right, bottom, left.")
    }
    static var header: String { say("Line above each page; by default the file's name, and none if it is empty.") }
    static var fileEncoding: String { say("Encoding of the file; by default UTF-8 or what it looks like.") }
    static var printRich: String { say("Print a Markdown file as styled text.") }
    static var lineNumbers: String { say("Number the lines.") }
    static var noPageNumbers: String { say("Leave the page numbers out.") }
    static var pdfOrPrinter: String { say("Give --pdf or --printer, not both.") }
    static var emptyPDFName: String { say("The PDF file's name is empty.") }
    static func printsOverText(_ file: String) -> String {
        say("The PDF would replace “\(file)”, which is to be printed. Name another file after --pdf.")
    }
    static func isNoPDF(_ file: String) -> String {
        say("“\(file)” exists already and is not a PDF file. Name another file after --pdf, or remove this one.")
    }
    static func readAsGuess(_ name: String, _ encoding: String) -> String {
        say("The encoding of “\(name)” is a guess: \(encoding).")
    }
    static func invalidBytesPrinted(_ name: String, _ encoding: String) -> String {
        say("Not all bytes of “\(name)” are \(encoding). They are printed as “�”; --encoding names another one.")
    }
    static func invalidPaper(_ text: String) -> String {
        say("Invalid paper “\(text)”. Write it as A4, Letter or 148x210mm.")
    }
    static func invalidMargins(_ text: String) -> String {
        say("Invalid margins “\(text)”. Write them as 20mm, 1in,2cm or 10,20,10,20mm.")
    }
    static var pdfOnTerminal: String {
        say("A terminal cannot show a PDF. Name a file after --pdf, or redirect the output with >.")
    }
    static func page(_ number: Int, percent: Int) -> String { say("Page \(number), \(say.language.percent(percent))") }

    // MARK: inkstone recover

    static var recovering: String { say("List and print unsaved changes of sessions that were cut off.") }
    static var recoveringDiscussion: String {
        say(
            "Without an option it lists them: time of the last change, number of changes and of characters typed, state, file and journal. States: fits (the file is as it was), cut (the same, but the last changes are lost), changed (the file has other content now), missing (there is no such file at the moment), unreadable, too large (for the memory of this machine), in use (by a running editor), not known (the disk of the file does not answer within three seconds). For a save that was cut off while it wrote its file in place, the copy of the old text is listed: a file like any other. Nothing is removed. No X server is needed."
        )
    }
    static var list: String { say("List all journals, as without an option.") }
    static var printJournal: String {
        say(
            "Print the recovered text of a journal, or of the newest one of a file; if the text that it was typed into is gone, the typed pieces."
        )
    }
    static var output: String { say("Write to a new file instead of standard output.") }
    static var outputNeedsPrint: String { say("--output needs --print.") }
    static var listOrPrint: String { say("Give --list or --print, not both.") }
    static func editedBy(_ process: String, _ file: String) -> String {
        say(
            "“\(file)” is open in a running editor (process \(process)): this is the text as its journal has it by now."
        )
    }
    static func edited(_ file: String) -> String {
        say("“\(file)” is open in a running editor: this is the text as its journal has it by now.")
    }
    static var onlyPieces: String { say("The text that this was typed into is gone: these are the pieces.") }
    static var endIsDamaged: String { say("The end of the journal is damaged: the last changes are lost.") }
    static func otherFormat(_ format: String) -> String {
        say("This is UTF-8; the file is \(format). With --output the text is, too.")
    }
    static func writtenAsUTF8(_ file: String, _ format: String) -> String {
        say("“\(file)” is UTF-8: not all of the text can be written as \(format).")
    }
    static func bytesAreOther(_ file: String, _ format: String) -> String {
        say("“\(file)” has other bytes than the old file in some places: not all of those can be kept in \(format).")
    }
    static var nothingUnsaved: String { say("There are no unsaved changes.") }
    static var textBeforeSave: String { say("the text before a save that was cut off") }
    static var unknown: String { say("unknown") }
    static var untitledText: String { say("an untitled text") }
    static func changes(_ count: Int) -> String { say(count, one: "1 change", other: "\(count) changes") }
    static func typed(_ count: Int) -> String {
        say(count, one: "1 character typed", other: "\(count) characters typed")
    }
    /// Joins two parts of an enumeration.
    static func list(_ first: String, _ second: String) -> String { say("\(first), \(second)") }
    static func noJournal(_ name: String) -> String {
        say("“\(name)” is no journal, and there is none of a file with that name.")
    }
    /// A word for the state of a journal; ``recoveringDiscussion`` explains this word and those below.
    static var fits: String { say("fits") }
    static var cut: String { say("cut") }
    static var changed: String { say("changed") }
    static var missing: String { say("missing") }
    static var unreadable: String { say("unreadable") }
    static var tooLarge: String { say("too large") }
    static var inUse: String { say("in use") }
    static func inUse(by process: String) -> String { say("in use by process \(process)") }
    static var notKnown: String { say("not known: the disk of the file does not answer") }
    static var perhapsInUse: String { say("perhaps in use elsewhere") }
    static var setAside: String { say("set aside") }

    // MARK: inkstone proxy

    static var proxies: String { say("List and change which programs may type into texts of the editor.") }
    static var proxiesDiscussion: String {
        say(
            "On-screen keyboards, dictation and inkstone-type type by the session's D-Bus. The editor lets them ask if “On-Screen Keyboards” is on in its menu. A program is known by its path and by the file at that path: after an upgrade it has to ask again. Changes apply at once, in running editors too."
        )
    }
    static var proxiesWarning: String {
        say(
            "This does not protect against a hostile program with your rights, which can run a program that is allowed."
        )
    }
    static var listPrograms: String { say("List the programs.") }
    static var allowProgram: String {
        say("Let a program type without asking, and let keyboards ask in editors that are started from now on.")
    }
    static var revokeProgram: String {
        say("Take a program off the list, and revoke what it was allowed once: it has to ask the next time.")
    }
    static var executable: String { say("Path of its executable.") }
    static var noPrograms: String { say("No program is on the list.") }
    static var isReplaced: String { say("(another file is there now, which has to ask)") }
    static var allowed: String { say("allowed") }
    static var refused: String { say("refused") }
    static func noProgram(_ path: String) -> String {
        say("“\(path)” is no program. Write its whole path, as “command -v” gives it.")
    }
    static func notLasting(_ path: String) -> String {
        say("“\(path)” runs programs of others, or others can change it. Allow it in the editor when it asks.")
    }
    static func notListed(_ path: String) -> String {
        say("“\(path)” is no program, and not on the list. “inkstone proxy list” shows the list.")
    }
    static func cannotWrite(_ file: String) -> String { say("“\(file)” cannot be written.") }

    // MARK: inkstone layout

    static var layout: String { say("Print lines, runs, carets and selection of a text as JSON.") }
    static var layoutDiscussion: String {
        say(
            "One JSON object: lines (range, frame, baseline, runs with range, direction, font, x, width), carets (offset, affinity, rect) and selection (rect, direction, containsStart, containsEnd). Ranges are [start, end] in UTF-16 units, rectangles [x, y, width, height] in pixels. No X server is needed; if $DISPLAY names one, its font settings count."
        )
    }
    static var width: String { say("Width that lines are wrapped at, in pixels.") }
    static var baseDirection: String { say("Base direction of paragraphs: natural, ltr or rtl.") }
    static var selection: String { say("Report the rectangles of a range of UTF-16 units, such as 3..<7.") }
    static var carets: String { say("Report a caret for each place that one can be at.") }
    static func invalidWidth(_ width: String) -> String {
        say("Invalid width \(width). Give pixels from 1 to 1000000.")
    }
    static func resultNotWritten(_ reason: String) -> String { say("The result could not be written: \(reason).") }

    // MARK: Messages of ArgumentParser

    /// Translates the known lines of an English message of ArgumentParser.
    static func translated(_ message: String) -> String {
        guard say.language.code != "en" else { return message }
        return message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let known = lines.lazy.compactMap { english, translation in gaps(of: line, in: english).map(translation) }
            return parts.reduce(known.first ?? String(line)) { $0.replacing($1.english, with: $1.translation) }
        }.joined(separator: "\n")
    }

    /// The lines of ArgumentParser's messages, with {} for variable parts, and their translations.
    private static var lines: [(english: String, translation: ([String]) -> String)] {
        [
            ("OVERVIEW: {}", { $0[0] }),
            ("USAGE: {}", { say("USAGE: \($0[0])") }), ("Usage: {}", { say("Usage: \($0[0])") }),
            ("ARGUMENTS:", { _ in say("ARGUMENTS:") }), ("OPTIONS:", { _ in say("OPTIONS:") }),
            ("SUBCOMMANDS:", { _ in say("SUBCOMMANDS:") }),
            ("  See '{}' for more information.", { "  " + say("See “\($0[0])” for more information.") }),
            ("  See '{}' for detailed help.", { "  " + say("See “\($0[0])” for more information.") }),
            (
                "Error: Unknown option '{}'. Did you mean '{}'?",
                {
                    say("Error: unknown option “\($0[0])”. Did you mean “\($0[1])”?")
                }
            ),
            ("Error: Unknown option '{}'", { say("Error: unknown option “\($0[0])”") }),
            ("Error: Missing value for '{}'", { say("Error: missing value for “\($0[0])”") }),
            ("Error: Missing expected argument '{}'", { say("Error: missing argument “\($0[0])”") }),
            ("Error: Unexpected argument '{}'", { say("Error: unexpected argument “\($0[0])”") }),
            (
                "Error: The value '{}' is invalid for '{}'",
                {
                    say("Error: the value “\($0[0])” is invalid for “\($0[1])”")
                }
            ),
            ("Error: {}", { say("Error: \($0[0])") }), ("Help:  {}", { say("Help:  \($0[0])") }),
        ]
    }

    /// The phrases in ArgumentParser's list of options, and their translations.
    private static var parts: [(english: String, translation: String)] {
        [
            ("Show the version.", say("Show the version.")),
            ("Show help information.", say("Show help information.")), ("(default:", say("(default:")),
            ("<options>", say("<options>")), ("<subcommand>", say("<subcommand>")),
        ]
    }

    /// Returns the parts of a line that are at the gaps `{}` of a pattern; nil if the line does not match the
    /// pattern.
    static func gaps(of line: Substring, in pattern: String) -> [String]? {
        var parts = pattern.components("{}")[...]
        guard let first = parts.popFirst(), line.hasPrefix(first) else { return nil }
        var (rest, found) = (line.dropFirst(first.count), [String]())
        while let part = parts.popFirst() {
            if part.isEmpty, parts.isEmpty { return found + [String(rest)] }
            guard
                let place = parts.isEmpty
                    ? (rest.hasSuffix(part) ? rest.index(rest.endIndex, offsetBy: -part.count)..<rest.endIndex : nil)
                    : rest.firstRange(of: part)
            else { return nil }
            found.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        return rest.isEmpty ? found : nil
    }
}

extension String {
    /// Splits a text at a separator.
    fileprivate func components(_ separator: String) -> [Substring] {
        split(separator: separator, omittingEmptySubsequences: false)
    }
}
