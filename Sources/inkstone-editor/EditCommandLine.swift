import ArgumentParser
import Inkstone

/// `inkstone [FILE…]`: the editor itself.
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

    @Argument(
        help: ArgumentHelp(
            "The files to edit, each in a window; they need not exist yet. - is standard input, ./- a file of that name.",
            valueName: "file"))
    var files: [FilePath] = []

    @Option(
        help: ArgumentHelp(
            "The file's encoding, such as UTF-16LE, Shift_JIS or GB18030; by default its mark tells, else it is UTF-8 or a guess.",
            valueName: "name"))
    var encoding: String?

    @Option(
        help: ArgumentHelp("The font, as a fontconfig pattern such as “DejaVu Sans:size=11”.", valueName: "pattern"))
    var font: String?

    @Option(help: ArgumentHelp("Where to put the caret: LINE, LINE:COLUMN or PERCENT%.", valueName: "place"))
    var goto: String?

    @Option(help: ArgumentHelp("Window size and position in pixels.", valueName: "WxH+X+Y"))
    var geometry: String?

    @Option(
        help: ArgumentHelp(
            "Fill a window of another program, by its number, as tabbed and sockets of toolkits give it.",
            valueName: "xid"))
    var embed: String?

    @Option(
        help: ArgumentHelp(
            "Key bindings: desktop, emacs, or a file with a / in its name; by default ~/.config/inkstone/keys if there is one.",
            valueName: "table"))
    var keys: FilePath?

    @Flag(inversion: .prefixedNo, help: "Wrap long lines at the window's width; by default as it was chosen last.")
    var wrap: Bool?

    @Flag(help: "Show the files, which are Markdown, as styled text, and save what is written as Markdown.")
    var rich = false

    @Flag(help: "Do not allow changes.")
    var readOnly = false

    @Flag(help: "Disable crash recovery.")
    var noRecovery = false

    @Flag(help: "Take keys and buttons that other programs send to the window (XSendEvent). Any program can do so.")
    var allowSyntheticEvents = false

    @Option(
        help: ArgumentHelp(
            "Record every key, input-method event, client call and rectangle as JSON lines. It holds what is typed.",
            valueName: "file"))
    var trace: FilePath?

    /// What it asks for.
    var options: EditOptions {
        let readsInput = files.contains("-")
        var named = files.filter { $0 != "-" }
        let first = readsInput || named.isEmpty ? nil : named.removeFirst()
        return EditOptions(
            file: first, otherFiles: named, readsInput: readsInput, encoding: encoding,
            font: font.map(CommandWords.plainText), goto: goto,
            geometry: geometry, embed: embed, keys: keys, wrap: wrap,
            rich: rich, readOnly: readOnly, noRecovery: noRecovery,
            allowSyntheticEvents: allowSyntheticEvents, trace: trace)
    }

    func validate() throws {
        if let problem = options.problem { throw ValidationError(problem) }
    }

    func run() throws { try Self.run(options) }

    /// Edits until the user quits.
    static func run(_ options: EditOptions) throws {
        let program = try EditorProgram(options)
        try program.run()
    }
}
