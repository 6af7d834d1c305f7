import ArgumentParser
import Inkstone

/// `inkstone proxy`: the programs that may type into the editor's texts.
struct ProxyCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone proxy", abstract: CommandLineWords.proxies,
        discussion: CommandLineWords.proxiesDiscussion + "\n\n" + CommandLineWords.proxiesWarning,
        subcommands: [List.self, Allow.self, Revoke.self])

    /// The command `inkstone proxy list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: CommandLineWords.listPrograms)

        func run() throws {
            let entries = try ProxyCommandLine.read().entries
            if entries.isEmpty { return print(CommandLineWords.noPrograms) }
            for entry in entries {
                let note = entry.isReplaced ? " " + CommandLineWords.isReplaced : ""
                print("\(entry.isAllowed ? CommandLineWords.allowed : CommandLineWords.refused)  \(entry.path)\(note)")
            }
        }
    }

    /// The command `inkstone proxy allow PROGRAM`.
    struct Allow: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: CommandLineWords.allowProgram)

        @Argument(help: ArgumentHelp(CommandLineWords.executable, valueName: CommandLineWords.program)) var path: String

        func run() throws {
            guard let program = ProxyProgram(at: path) else {
                throw ValidationError(CommandLineWords.noProgram(path))
            }
            guard program.isLasting else {
                throw ValidationError(CommandLineWords.notLasting(program.visiblePath))
            }
            try ProxyCommandLine.change { list in
                list.set(true, for: program)
                return true
            }
            var settings = EditorSettings.kept
            settings.keyboards = true
            guard settings.keep() else { throw CannotWrite(name: "settings") }
        }
    }

    /// The command `inkstone proxy revoke PROGRAM`.
    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: CommandLineWords.revokeProgram)

        @Argument(help: ArgumentHelp(CommandLineWords.executable, valueName: CommandLineWords.program)) var path: String

        func run() throws {
            let target = ProxyProgram(at: path)?.path
            var isKnown = target != nil
            try ProxyCommandLine.change { list in
                isKnown = list.remove(path: path) || isKnown
                if let target { list.revoke(path: target) }
                return isKnown
            }
            guard isKnown else {
                throw ValidationError(CommandLineWords.notListed(path))
            }
        }
    }

    /// The error that the list could not be written or read.
    private struct CannotWrite: Error, CustomStringConvertible {
        let name: String
        var description: String {
            CommandLineWords.cannotWrite(UserDirectory.configuration.file(FilePath(name))?.label ?? name)
        }
    }

    private static func read() throws -> ProxyPermissions {
        do {
            return ProxyPermissions(text: String(decoding: try KeyboardAccess.file.read(), as: UTF8.self))
        } catch {
            throw CannotWrite(name: "keyboards")
        }
    }

    private static func change(_ work: (inout ProxyPermissions) -> Bool) throws {
        guard KeyboardAccess.change(work) else { throw CannotWrite(name: "keyboards") }
    }
}
