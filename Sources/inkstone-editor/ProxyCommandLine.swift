import ArgumentParser
import Inkstone

/// `inkstone proxy`: the programs that may type into the editor's texts.
struct ProxyCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone proxy", abstract: "List and change which programs may type into texts of the editor.",
        discussion: """
            On-screen keyboards, dictation and inkstone-type type by the session's D-Bus. The editor lets them ask when \
            “On-Screen Keyboards” is on in its menu. A program is known by its path and by the file that is there: after an upgrade it has to ask again. Changes hold at \
            once, in running editors too.

            This is no protection against a hostile program with your rights, which can run a program that is allowed.
            """,
        subcommands: [List.self, Allow.self, Revoke.self])

    /// `inkstone proxy list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the programs.")

        func run() throws {
            let entries = try ProxyCommandLine.read().entries
            if entries.isEmpty { return print("No program is on the list.") }
            for entry in entries {
                let note = entry.isReplaced ? " (another file is there now, which has to ask)" : ""
                print("\(entry.isAllowed ? "allowed" : "refused")  \(entry.path)\(note)")
            }
        }
    }

    /// `inkstone proxy allow PROGRAM`.
    struct Allow: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Let a program type without a question, and let keyboards ask in editors that are started from now on.")

        @Argument(help: ArgumentHelp("The path of its executable.", valueName: "program")) var path: String

        func run() throws {
            guard let program = ProxyProgram(at: path) else {
                throw ValidationError("“\(path)” is no program. Write its whole path, as “command -v” gives it.")
            }
            guard program.isLasting else {
                throw ValidationError(
                    "“\(program.visiblePath)” runs programs of others, or others can change it. Allow it in the editor when it asks."
                )
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

    /// `inkstone proxy revoke PROGRAM`.
    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Take a program off the list, and what it was allowed for once: it can type no more, and has to ask the next time."
        )

        @Argument(help: ArgumentHelp("The path of its executable.", valueName: "program")) var path: String

        func run() throws {
            let target = ProxyProgram(at: path)?.path
            var isKnown = target != nil
            try ProxyCommandLine.change { list in
                isKnown = list.remove(path: path) || isKnown
                if let target { list.revoke(path: target) }
                return isKnown
            }
            guard isKnown else {
                throw ValidationError(
                    "“\(path)” is no program, and not on the list. “inkstone proxy list” shows what is.")
            }
        }
    }

    /// The list could not be written or read.
    private struct CannotWrite: Error, CustomStringConvertible {
        let name: String
        var description: String {
            "“\(UserDirectory.configuration.file(FilePath(name))?.label ?? name)” cannot be written."
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
