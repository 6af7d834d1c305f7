import ArgumentParser
import Glibc
import Inkstone
import InkstoneWords

/// The command line: `inkstone layout …`, `print …`, `recover …`, `proxy …` or `inkstone …`. Files of these names are edited as `./layout` and
/// so on.
@main
enum InkstoneCommand {
    static func main() {
        StandardDescriptors.prepare()
        FontDescriptor.tolerateTruncatedFiles()
        // Fonts take longest, so their thread starts first; of the character locale it needs only what is set by then.
        setlocale(LC_CTYPE, "")
        let arguments = CommandWords.all
        if arguments.first == "recover" { return RecoverCommandLine.start(Array(arguments.dropFirst())) }
        if arguments.first == "proxy" { return ProxyCommandLine.start(Array(arguments.dropFirst())) }
        let command = arguments.first
        let edits = command != "layout" && command != "print"
        FontDescriptor.prepareSystemFonts(rememberedIn: edits ? UserDirectory.cache.file("fonts") : nil)
        CharacterLocale.prepare()
        if command == "layout" {
            LayoutCommandLine.start(Array(arguments.dropFirst()))
        } else if command == "print" {
            PrintCommandLine.start(Array(arguments.dropFirst()))
        } else if let options = EditOptions(plain: arguments) {
            do { try EditCommandLine.run(options) } catch { EditCommandLine.end(with: error) }
        } else {
            EditCommandLine.start(arguments)
        }
    }
}

extension ParsableCommand {
    /// Runs the command as `main(_:)` does, with messages in the user's language.
    static func start(_ arguments: [String]) {
        LibraryWords.use(CommandLineWords.say)
        // Reasons of the system are shown in the user's language too.
        if CommandLineWords.say.language.code != "en" { setlocale(LC_MESSAGES, "") }
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Ends the program as `exit(withError:)` does, with the message in the user's language.
    static func end(with error: any Error) -> Never {
        let (code, message) = (exitCode(for: error), CommandLineWords.translated(fullMessage(for: error)))
        if !message.isEmpty {
            if code == .success { print(message) } else { StandardError.write(message + "\n") }
        }
        Glibc.exit(code.rawValue)
    }
}

/// The version of editor and package.
enum EditorVersion {
    static let current = "0.1.0"
}
