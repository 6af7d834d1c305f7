import ArgumentParser
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneMarkdown
import InkstonePrint
import Synchronization

/// The command `inkstone print`, which prints a text to a PDF file or a printer.
struct PrintCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone print", abstract: CommandLineWords.printing,
        discussion: CommandLineWords.printingDiscussion)

    @Argument(help: ArgumentHelp(CommandLineWords.textFile, valueName: CommandLineWords.file))
    var file: FilePath = "-"

    @Option(help: ArgumentHelp(CommandLineWords.pdf, valueName: CommandLineWords.file))
    var pdf: FilePath?

    @Option(help: ArgumentHelp(CommandLineWords.printer, valueName: CommandLineWords.name))
    var printer: String?

    @Option(help: ArgumentHelp(CommandLineWords.paperSize, valueName: CommandLineWords.paper))
    var paper = Paper.preferred.name

    @Option(help: ArgumentHelp(CommandLineWords.margins, valueName: CommandLineWords.lengths))
    var margins = "20mm"

    @Option(help: ArgumentHelp(CommandLineWords.header, valueName: CommandLineWords.text))
    var header: String?

    @Option(help: ArgumentHelp(CommandLineWords.font, valueName: CommandLineWords.pattern))
    var font: String?

    @Option(help: ArgumentHelp(CommandLineWords.fileEncoding, valueName: CommandLineWords.name))
    var encoding: String?

    @Flag(help: ArgumentHelp(CommandLineWords.printRich))
    var rich = false

    @Flag(help: ArgumentHelp(CommandLineWords.lineNumbers))
    var lineNumbers = false

    @Flag(help: ArgumentHelp(CommandLineWords.noPageNumbers))
    var noPageNumbers = false

    func validate() throws {
        if pdf != nil, printer != nil { throw ValidationError(CommandLineWords.pdfOrPrinter) }
        if let pdf, pdf.isEmpty { throw ValidationError(CommandLineWords.emptyPDFName) }
        if Paper(paper) == nil { throw ValidationError(CommandLineWords.invalidPaper(paper)) }
        if PageMargins(margins) == nil { throw ValidationError(CommandLineWords.invalidMargins(margins)) }
        if let encoding, TextEncoding(named: encoding) == nil {
            throw TextFileError.unknownEncoding(name: encoding)
        }
        if let problem = EditOptions.problem(font: font.map(CommandWords.plainText)) { throw ValidationError(problem) }
    }

    func run() throws {
        if let pdf, pdf != "-", let problem = Self.problem(replacing: pdf, printing: file) {
            throw ValidationError(problem)
        }
        let chosen = encoding.flatMap(TextEncoding.init(named:))
        let guess = EncodingGuess(locale: CharacterLocale.environmentName)
        let input =
            file == "-"
            ? try TextFile.read(
                descriptor: STDIN_FILENO, name: FilePath(CommandLineWords.standardInput), encoding: chosen,
                guess: guess)
            : try TextFile.read(file, encoding: chosen, guess: guess)
        for notice in Self.notices(about: input) { StandardError.write(notice + "\n") }
        let text = input.text
        let name = file == "-" ? "" : file.lastComponent.description
        let font = Self.font(pattern: font.map(CommandWords.plainText), isStyled: rich)
        if !font.isInstalled { StandardError.write(font.missingFamily(standIn: nil) + "\n") }
        var setup = PageSetup()
        setup.paper = Paper(paper) ?? setup.paper
        setup.margins = PageMargins(margins) ?? setup.margins
        setup.header = header.map(CommandWords.plainText) ?? name
        setup.title = name
        setup.numbersLines = lineNumbers
        setup.numbersPages = !noPageNumbers
        let styled = rich ? try styledText(of: text) : StyledText(text)
        var page = PagePrinter(styled, font: font, setup: setup)
        if rich { Self.showStyles(of: &page) }
        try Self.print(page, to: pdf, printer: printer)
    }

    /// Returns sentences for the user about the encoding of a text: that it was guessed, and that some bytes are
    /// printed as U+FFFD because they are invalid in it.
    static func notices(about file: TextFile) -> [String] {
        let (name, encoding) = (file.path.label, "\(file.format.encoding)")
        let guess = file.isEncodingGuessed ? CommandLineWords.readAsGuess(name, encoding) : nil
        // Only text that was read as UTF-8 still contains its invalid bytes. Decoding from other encodings replaces
        // them by U+FFFD.
        let isUndecodable =
            file.invalidBytes != nil || !file.isLossless && file.text.description.unicodeScalars.contains("\u{fffd}")
        return [guess, isUndecodable ? CommandLineWords.invalidBytesPrinted(name, encoding) : nil].compactMap(\.self)
    }

    /// Returns the reason why a file must not be replaced by a PDF: it is the printed text, or it is not empty and
    /// not a PDF file. Nil otherwise; also for a file that is not regular, such as a pipe, because it is written to
    /// and not replaced.
    static func problem(replacing pdf: FilePath, printing text: FilePath) -> String? {
        var status = stat()
        guard stat(pdf.cString, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        if text != "-", pdf.isSameFile(as: text) { return CommandLineWords.printsOverText(pdf.label) }
        let file = Glibc.open(pdf.cString, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var start = [UInt8](repeating: 0, count: 4)
        let count = read(file, &start, start.count)
        return count <= 0 || start == Array("%PDF".utf8) ? nil : CommandLineWords.isNoPDF(pdf.label)
    }

    /// Returns a Markdown text with its styles and the pictures that are files beside it; without pictures if the
    /// text is from standard input.
    private func styledText(of text: Rope) throws -> StyledText {
        let document = try MarkdownDocument(text.string(in: text.utf16Range))
        guard file != "-" else { return document.text }
        var pictures = PicturePlaces()
        pictures.folder = PictureFolder(document: file.fromWorkingFolder)
        return pictures.shown(in: document).text
    }

    /// Prints styled text as the editor's window shows it: with space between paragraphs, and with the marks of
    /// quotations, code blocks, breaks and tables.
    static func showStyles(of printer: inout PagePrinter) {
        printer.paragraphStyle.spacingAfter = spacingAfter(printer.font)
        printer.preparation = RichBlocks.printed
    }

    /// Returns the space below a paragraph of styled text in a font, in the unit of the font's size.
    static func spacingAfter(_ font: FontDescriptor) -> Double { (font.size * 0.45).rounded() }

    /// Returns a font for paper, whose size is not rounded to the pixels of a display.
    static func font(pattern: String?, isStyled: Bool) -> FontDescriptor {
        let steps = 8.0
        guard let font = pattern.flatMap({ FontDescriptor(pattern: $0, scale: steps) }) else {
            return .usual(isStyled: isStyled, scale: 1)
        }
        return font.scaled(by: 1 / steps)
    }

    private static func print(_ printer: PagePrinter, to pdf: FilePath?, printer name: String?) throws {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number) { _ in Interruption.came.store(true, ordering: .relaxed) }
        }
        let notes = ProgressNotes()
        defer { notes.end() }
        func goesOn(_ progress: PrintProgress) -> Bool {
            notes.show(progress)
            return !Interruption.came.load(ordering: .relaxed)
        }
        guard let pdf else {
            let reply = try printer.print(toPrinter: name, progress: goesOn)
            notes.end()
            if !reply.isEmpty { try StandardOutput.write(reply + "\n") }
            return
        }
        guard pdf == "-" else {
            try printer.print(to: pdf, progress: goesOn)
            return
        }
        if isatty(STDOUT_FILENO) == 1 {
            throw ValidationError(CommandLineWords.pdfOnTerminal)
        }
        var failure: (any Error)?
        do throws(PrintError) {
            try printer.print(progress: goesOn) { (bytes) throws(PrintError) in
                do { try StandardOutput.write(bytes) } catch {
                    failure = error
                    throw .cancelled
                }
            }
        } catch { throw failure ?? error }
    }

    /// Whether a signal has asked the program to end. The program first removes its temporary files.
    private enum Interruption {
        static let came = Atomic(false)
    }

    /// The progress of printing, as a line on the terminal, if printing takes long.
    private final class ProgressNotes {
        private let start = MonotonicClock.milliseconds
        /// The time at which the line was last written, in milliseconds.
        private var last: Int64 = 0
        private let isShown = isatty(STDERR_FILENO) == 1

        func show(_ progress: PrintProgress) {
            let now = MonotonicClock.milliseconds
            guard isShown, now - start > 1000, now - last > 200 else { return }
            last = now
            StandardError.write("\r\(CommandLineWords.page(progress.pages, percent: Int(progress.fraction * 100))) ")
        }

        func end() {
            if last != 0 { StandardError.write("\r\u{1b}[K") }
            last = 0
        }
    }
}
