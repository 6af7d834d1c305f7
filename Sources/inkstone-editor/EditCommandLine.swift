import ArgumentParser
import Inkstone

/// `inkstone [FILE]`: the editor itself.
struct EditCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone", abstract: "A text editor for X11 with real input-method support.",
        discussion: """
            Ctrl+S saves, Ctrl+Shift+S saves as another file, Ctrl+Q quits, Ctrl+Z and Ctrl+Shift+Z undo and redo; with \
            “--keys emacs” Ctrl+X Ctrl+S, Ctrl+X Ctrl+W and Ctrl+X Ctrl+C do. The status line tells how it stands with the \
            input method that XMODIFIERS names.

            “inkstone layout --help” tells of the other way to use it: to print the geometry of a text.
            """,
        version: EditorVersion.current)

    @Argument(help: "The file to edit; it need not exist yet.")
    var file: String?

    @Option(
        help: ArgumentHelp(
            "The file's encoding, such as UTF-16LE, Shift_JIS or GB18030; by default its mark tells, else UTF-8.",
            valueName: "name"))
    var encoding: String?

    @Option(
        help: ArgumentHelp("The font, as a fontconfig pattern such as “DejaVu Sans:size=11”.", valueName: "pattern"))
    var font: String?

    @Option(help: ArgumentHelp("Where to put the caret: LINE, LINE:COLUMN or PERCENT%.", valueName: "place"))
    var goto: String?

    @Option(help: ArgumentHelp("Extent and place of the window in pixels.", valueName: "WxH+X+Y"))
    var geometry: String?

    @Option(
        help: ArgumentHelp(
            "Key bindings: desktop, emacs, or a file with a / in its name; by default ~/.config/inkstone/keys if there is one.",
            valueName: "table"))
    var keys: String?

    @Flag(inversion: .prefixedNo, help: "Wrap long lines at the window's width.")
    var wrap = true

    @Flag(help: "Do not allow changes.")
    var readOnly = false

    @Flag(help: "Keep no journal of what is typed, and offer nothing from an earlier one.")
    var noRecovery = false

    @Option(
        help: ArgumentHelp(
            "Record every key, input-method event, client call and rectangle as JSON lines. It holds what is typed.",
            valueName: "file"))
    var trace: String?

    func validate() throws {
        if let file, file.isEmpty {
            throw ValidationError("The file's name is empty. Name a file, or none for a new text.")
        }
        if let file, file.hasSuffix("/") { throw ValidationError(TextFileError.isDirectory(path: file).description) }
        if let geometry, WindowGeometry(geometry) == nil {
            throw ValidationError("“\(geometry)” is no geometry. Write it as 800x600, +10+20 or 800x600+10+20.")
        }
        if let encoding, TextEncoding(named: encoding) == nil {
            throw ValidationError(TextFileError.unknownEncoding(name: encoding).description)
        }
        if let goto, GotoTarget(goto) == nil {
            throw ValidationError("“\(goto)” is no place. Write it as LINE, LINE:COLUMN or PERCENT%.")
        }
        if let keys, !keys.contains("/"), KeyBindingTable(named: keys) == nil {
            throw ValidationError(
                "There is no table of keys “\(keys)”. There are desktop and emacs; a file is named with a /, as in ./\(keys)."
            )
        }
        try Self.check(font: font)
    }

    func run() throws {
        let app = try EditorApp(self)
        try app.run()
    }

    /// Refuses patterns whose size cannot be shown.
    static func check(font: String?) throws {
        if let font, FontDescriptor(pattern: font, scale: 1) == nil {
            throw ValidationError("“\(font)” has no size from 1 to 500 pixels. Write it as “DejaVu Sans:size=11”.")
        }
    }
}
