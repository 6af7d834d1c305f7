import ArgumentParser
import Glibc
import Inkstone
import InkstoneWords

/// The program: `inkstone layout …`, `print …`, `recover …` and `proxy …` run a command; `inkstone …` with anything
/// else runs the editor. A file with the name of a command is edited as `./layout` and so on.
@main
enum InkstoneCommand {
    static func main() {
        StandardDescriptors.prepare()
        FontDescriptor.tolerateTruncatedFiles()
        // Start the thread that loads the fonts first, because loading takes longest. The thread only needs this
        // category of the locale.
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
    /// Runs the command as `main(_:)` does, but with messages in the user's language.
    static func start(_ arguments: [String]) {
        LibraryWords.use(CommandLineWords.say)
        // Show error messages of the C library in the user's language too.
        if CommandLineWords.say.language.code != "en" { setlocale(LC_MESSAGES, "") }
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
        } catch {
            end(with: error)
        }
    }

    /// Ends the program as `exit(withError:)` does, but with the message in the user's language.
    static func end(with error: any Error) -> Never {
        let (code, message) = (exitCode(for: error), CommandLineWords.translated(fullMessage(for: error)))
        if !message.isEmpty {
            if code == .success { print(message) } else { StandardError.write(message + "\n") }
        }
        Glibc.exit(code.rawValue)
    }
}

/// The version of the editor and of the package.
enum EditorVersion {
    static let current = "0.1.0"
}
