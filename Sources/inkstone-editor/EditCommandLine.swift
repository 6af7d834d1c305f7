import ArgumentParser
import Inkstone

/// The command `inkstone [FILE…]`, which runs the editor.
struct EditCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone", abstract: CommandLineWords.editor,
        discussion: CommandLineWords.editorDiscussion + "\n\n" + CommandLineWords.otherCommands,
        version: EditorVersion.current)

    @Argument(help: ArgumentHelp(CommandLineWords.files, valueName: CommandLineWords.file))
    var files: [FilePath] = []

    @Option(help: ArgumentHelp(CommandLineWords.encoding, valueName: CommandLineWords.name))
    var encoding: String?

    @Option(help: ArgumentHelp(CommandLineWords.font, valueName: CommandLineWords.pattern))
    var font: String?

    @Option(help: ArgumentHelp(CommandLineWords.goto, valueName: CommandLineWords.place))
    var goto: String?

    @Option(help: ArgumentHelp(CommandLineWords.geometry, valueName: "WxH+X+Y"))
    var geometry: String?

    @Option(help: ArgumentHelp(CommandLineWords.embed, valueName: "xid"))
    var embed: String?

    @Option(help: ArgumentHelp(CommandLineWords.keys, valueName: CommandLineWords.table))
    var keys: FilePath?

    @Flag(inversion: .prefixedNo, help: ArgumentHelp(CommandLineWords.wrap))
    var wrap: Bool?

    @Flag(help: ArgumentHelp(CommandLineWords.rich))
    var rich = false

    @Flag(help: ArgumentHelp(CommandLineWords.readOnly))
    var readOnly = false

    @Flag(help: ArgumentHelp(CommandLineWords.noRecovery))
    var noRecovery = false

    @Flag(help: ArgumentHelp(CommandLineWords.syntheticEvents))
    var allowSyntheticEvents = false

    @Option(help: ArgumentHelp(CommandLineWords.trace, valueName: CommandLineWords.file))
    var trace: FilePath?

    /// The editor's options for the parsed arguments.
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

    /// Runs the editor until the user quits.
    static func run(_ options: EditOptions) throws {
        let program = try EditorProgram(options)
        try program.run()
    }
}
