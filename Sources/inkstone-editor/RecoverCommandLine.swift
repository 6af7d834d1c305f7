import ArgumentParser
import Glibc
import Inkstone

/// `inkstone recover`: what the journals of sessions that were cut off hold.
struct RecoverCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone recover", abstract: "List and print unsaved changes of sessions that were cut off.",
        discussion: """
            Without an option it lists them: when the last was made, how many there are and how many characters were typed, their \
            state, the file and the journal. States: fits (the file is as it was), cut (the same, but the last changes are lost), \
            changed (the file has another content now), missing (there is no such file at the moment), unreadable, too large (for \
            the memory of this machine), in use (by a running editor), not known (the disk of the file does not answer within three \
            seconds). Of a save that was cut off as it wrote its file in place, the list has the copy of the old text: that is a file as \
            any other. \
            Nothing is removed. No X server is needed.
            """)

    @Flag(help: "List all journals, which is done without an option as well.")
    var list = false

    @Option(
        help: ArgumentHelp(
            "Print the recovered text of a journal, or of the newest one of a file; if the text that it was typed into is gone, what was typed, piece by piece.",
            valueName: "journal|file"))
    var print: FilePath?

    @Option(help: ArgumentHelp("Write to a new file instead of standard output.", valueName: "file"))
    var output: FilePath?

    func validate() throws {
        if output != nil, print == nil { throw ValidationError("--output needs --print.") }
        if list, print != nil { throw ValidationError("Give --list or --print.") }
    }

    func run() throws {
        guard let print else { return try StandardOutput.write(Self.listing()) }
        let document = try Self.document(named: print)
        if document.state == .inUse {
            let process = document.process.map { " (process \($0))" } ?? ""
            StandardError.write(
                "A running editor\(process) has “\(print)”: this is the text as its journal has it by now.\n")
        }
        guard document.state != .corrupt, document.state != .tooLarge else {
            StandardError.write("\(document.description)\n")
            throw ExitCode.failure
        }
        let text = document.textOrPieces
        if document.text == nil {
            StandardError.write("The text that this was typed into is gone: these are the pieces.\n")
        }
        if document.isCut, document.state != .inUse {
            StandardError.write("The end of the journal is damaged: the last changes are lost.\n")
        }
        let format = document.chosenFormat ?? document.base?.format ?? .utf8
        guard let output else {
            if format != .utf8 {
                StandardError.write(
                    "This is UTF-8; the file is \(format). With --output the text is, too.\n")
            }
            return try StandardOutput.write(text)
        }
        do throws(TextFileError) {
            try TextFile.write(text, to: output, format: format, expecting: nil)
        } catch {
            switch error {
            case .inexpressible, .invalidBytes: break
            default: throw error
            }
            try TextFile.write(text, to: output, expecting: nil)
            StandardError.write("“\(output)” is UTF-8: not all of the text can be written as \(format).\n")
        }
    }

    private static func listing() -> String {
        let documents = RecoveredDocument.listed()
        let saves = InterruptedSave.listed().map { save in
            let state = save.path == nil ? "set aside" : "the text before a save that was cut off"
            let name = save.path?.description ?? "unknown"
            return "\(date(save.time))  \(state)\n    \(visible(name))\n    \(visible(save.backupPath.description))\n"
        }.joined()
        guard !documents.isEmpty || !saves.isEmpty else { return "There are no unsaved changes.\n" }
        return saves
            + documents.map { document in
                let name = document.base.map { $0.subject?.description ?? "a text without a name" } ?? "unknown"
                let changes = document.changeCount == 1 ? "1 change" : "\(document.changeCount) changes"
                let characters = document.typedCount == 1 ? "1 character" : "\(document.typedCount) characters"
                let typed = document.changeCount == 0 ? "" : "\(changes), \(characters) typed, "
                return
                    "\(date(document.time))  \(typed)\(state(document))\n    \(visible(name))\n    \(visible(document.journalPath.description))\n"
            }.joined()
    }

    private static func document(named name: FilePath) throws -> RecoveredDocument {
        // Any other file would be an unreadable journal.
        if let document = RecoveredDocument.read(name, removingEmpty: false, readingInUse: true),
            document.state != .corrupt || name.hasSuffix(".journal")
        {
            return document
        }
        let path = name.absolute
        let found = RecoveredDocument.listed(of: path)
        guard let document = found.first(where: { $0.state != .inUse }) ?? found.first else {
            throw ValidationError("“\(name)” is no journal, and there is none of a file with that name.")
        }
        return document
    }

    private static func state(_ document: RecoveredDocument) -> String {
        let aside = document.journalPath.hasSuffix(".journal") ? "" : ", set aside"
        let state =
            switch document.state {
            case .intact: "fits"
            case .truncated: "cut"
            case .changed: document.isCut ? "changed, cut" : "changed"
            case .missing: document.isCut ? "missing, cut" : "missing"
            case .corrupt: "unreadable"
            case .tooLarge: "too large"
            case .inUse: "in use" + (document.process.map { " by process \($0)" } ?? "")
            case .unreachable: "not known: the disk of the file does not answer"
            }
        let isElsewhere = document.mayBeInUse && ![.inUse, .corrupt].contains(document.state)
        return state + (isElsewhere ? ", perhaps in use elsewhere" : "") + aside
    }

    /// A name without anything that a terminal would obey.
    private static func visible(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? "?" : $0 }))
    }

    private static func date(_ seconds: Int) -> String {
        var time = time_t(seconds)
        var parts = tm()
        localtime_r(&time, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
