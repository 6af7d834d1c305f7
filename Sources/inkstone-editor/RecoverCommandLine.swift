import ArgumentParser
import Glibc
import Inkstone
import InkstoneFiles

/// The command `inkstone recover`, which lists and prints the contents of the recovery journals of interrupted
/// sessions.
struct RecoverCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone recover", abstract: CommandLineWords.recovering,
        discussion: CommandLineWords.recoveringDiscussion)

    @Flag(help: ArgumentHelp(CommandLineWords.list))
    var list = false

    @Option(help: ArgumentHelp(CommandLineWords.printJournal, valueName: CommandLineWords.journalOrFile))
    var print: FilePath?

    @Option(help: ArgumentHelp(CommandLineWords.output, valueName: CommandLineWords.file))
    var output: FilePath?

    func validate() throws {
        if output != nil, print == nil { throw ValidationError(CommandLineWords.outputNeedsPrint) }
        if list, print != nil { throw ValidationError(CommandLineWords.listOrPrint) }
    }

    func run() throws {
        guard let print else { return try StandardOutput.write(Self.listing()) }
        let document = try Self.document(named: print)
        if document.state == .inUse {
            let name = print.description
            StandardError.write(
                (document.process.map { CommandLineWords.editedBy("\($0)", name) } ?? CommandLineWords.edited(name))
                    + "\n")
        }
        guard document.state != .corrupt, document.state != .tooLarge else {
            StandardError.write("\(document.description)\n")
            throw ExitCode.failure
        }
        let text = document.textOrPieces
        if document.text == nil {
            StandardError.write(CommandLineWords.onlyPieces + "\n")
        }
        if document.isCut, document.state != .inUse {
            StandardError.write(CommandLineWords.endIsDamaged + "\n")
        }
        let format = document.chosenFormat ?? document.base?.format ?? .utf8
        /// Returns the text for output in an encoding. Invalid bytes become U+FFFD in another encoding than that in
        /// which they were read: they would be other characters there, or none.
        func shown(in encoding: TextEncoding) -> Rope {
            encoding == document.base?.format.encoding ?? encoding ? text : text.replacingInvalidBytes()
        }
        guard let output else {
            if format != .utf8 {
                StandardError.write(CommandLineWords.otherFormat(format.description) + "\n")
            }
            return try StandardOutput.write(shown(in: .utf8))
        }
        do throws(TextFileError) {
            let isSame = try document.write(shown(in: format.encoding), to: output, format: format)
            if !isSame || shown(in: format.encoding) != text {
                StandardError.write(CommandLineWords.bytesAreOther(output.description, format.description) + "\n")
            }
        } catch {
            switch error {
            case .inexpressible, .invalidBytes: break
            default: throw error
            }
            try TextFile.write(shown(in: .utf8), to: output, expecting: nil)
            StandardError.write(
                CommandLineWords.writtenAsUTF8(output.description, format.description) + "\n")
        }
    }

    private static func listing() -> String {
        let documents = RecoveredDocument.listed()
        let saves = InterruptedSave.listed().map { save in
            let state = save.path == nil ? CommandLineWords.setAside : CommandLineWords.textBeforeSave
            let name = save.path?.description ?? CommandLineWords.unknown
            return "\(date(save.time))  \(state)\n    \(visible(name))\n    \(visible(save.backupPath.description))\n"
        }.joined()
        guard !documents.isEmpty || !saves.isEmpty else { return CommandLineWords.nothingUnsaved + "\n" }
        return saves
            + documents.map { document in
                let name =
                    document.base.map { $0.subject?.description ?? CommandLineWords.untitledText }
                    ?? CommandLineWords.unknown
                let typed = CommandLineWords.list(
                    CommandLineWords.changes(document.changeCount), CommandLineWords.typed(document.typedCount))
                let state = state(document)
                let words = document.changeCount == 0 ? state : CommandLineWords.list(typed, state)
                return
                    "\(date(document.time))  \(words)\n    \(visible(name))\n    \(visible(document.journalPath.description))\n"
            }.joined()
    }

    private static func document(named name: FilePath) throws -> RecoveredDocument {
        // Require the suffix for unreadable journals: otherwise any file could be read as a journal.
        if let document = RecoveredDocument.read(name, removingEmpty: false, readingInUse: true),
            document.state != .corrupt || name.hasSuffix(".journal")
        {
            return document
        }
        let path = name.absolute
        let found = RecoveredDocument.listed(of: path)
        // Prefer the changes of the file itself. A draft, the journal of a styled text, has only the plain text of the
        // latest changes.
        let known = found.filter { !$0.isDraft } + found.filter(\.isDraft)
        guard let document = known.first(where: { $0.state != .inUse }) ?? known.first else {
            throw ValidationError(CommandLineWords.noJournal(name.description))
        }
        return document
    }

    private static func state(_ document: RecoveredDocument) -> String {
        let cut = document.isCut ? CommandLineWords.cut : nil
        let state: [String?] =
            switch document.state {
            case .intact: [CommandLineWords.fits]
            case .truncated: [CommandLineWords.cut]
            case .changed: [CommandLineWords.changed, cut]
            case .missing: [CommandLineWords.missing, cut]
            case .corrupt: [CommandLineWords.unreadable]
            case .tooLarge: [CommandLineWords.tooLarge]
            case .inUse: [document.process.map { CommandLineWords.inUse(by: "\($0)") } ?? CommandLineWords.inUse]
            case .unreachable: [CommandLineWords.notKnown]
            }
        let isElsewhere = document.mayBeInUse && ![.inUse, .corrupt].contains(document.state)
        let isAside = !document.journalPath.hasSuffix(".journal")
        let words =
            (state + [
                isElsewhere ? CommandLineWords.perhapsInUse : nil, isAside ? CommandLineWords.setAside : nil,
            ]).compactMap(\.self)
        return words.dropFirst().reduce(words[0]) { CommandLineWords.list($0, $1) }
    }

    /// Returns a name with its control characters replaced by question marks, for the terminal.
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
