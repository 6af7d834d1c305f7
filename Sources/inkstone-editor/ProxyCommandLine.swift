import ArgumentParser
import Glibc
import Inkstone
import InkstoneFiles

/// The command `inkstone proxy`, which shows and changes the list of programs that were permitted or forbidden to type
/// into the editor's text.
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
            let program = ProxyProgram(at: path)
            let target = program?.file ?? Self.absolute(path)
            var isKnown = program != nil
            try ProxyCommandLine.change { list in
                for path in [path, target] { isKnown = list.remove(path: path) || isKnown }
                // A program whose file has been removed may still run: revoke its permission too.
                list.revoke(path: target)
                return true
            }
            if !isKnown { StandardError.write(CommandLineWords.notListed(path) + "\n") }
        }

        /// Returns the absolute path of a removed executable, in the form in which the kernel names it while it still
        /// runs.
        private static func absolute(_ path: String) -> String {
            let whole = path.hasPrefix("/") ? path : "\(EditedFile.workingFolder)\(path)"
            guard let slash = whole.lastIndex(of: "/"), let resolved = realpath(String(whole[...slash]), nil) else {
                return ProxyProgram.onOneLine(whole)
            }
            defer { free(resolved) }
            let folder = String(cString: resolved)
            return ProxyProgram.onOneLine((folder == "/" ? "" : folder) + whole[slash...])
        }
    }

    /// The error that the list of permissions could not be written or read.
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
