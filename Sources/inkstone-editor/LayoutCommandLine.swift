import ArgumentParser
import Glibc
import Inkstone
import InkstoneFiles

/// The command `inkstone layout`, which prints the geometry of a text's layout as JSON.
struct LayoutCommandLine: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inkstone layout", abstract: CommandLineWords.layout,
        discussion: CommandLineWords.layoutDiscussion)

    @Argument(help: ArgumentHelp(CommandLineWords.textFile, valueName: CommandLineWords.file))
    var file: FilePath = "-"

    @Option(help: ArgumentHelp(CommandLineWords.font, valueName: CommandLineWords.pattern))
    var font: String?

    @Option(help: ArgumentHelp(CommandLineWords.width, valueName: "px"))
    var width = 800.0

    @Option(help: ArgumentHelp(CommandLineWords.baseDirection, valueName: CommandLineWords.direction))
    var direction = BidiBaseDirection.natural

    @Option(help: ArgumentHelp(CommandLineWords.selection, valueName: "A..<B"))
    var selection: SelectionRange?

    @Flag(help: ArgumentHelp(CommandLineWords.carets))
    var carets = false

    func validate() throws {
        guard (1...1_000_000).contains(width) else {
            throw ValidationError(CommandLineWords.invalidWidth("\(width)"))
        }
        if let problem = EditOptions.problem(font: font.map(CommandWords.plainText)) { throw ValidationError(problem) }
    }

    func run() throws {
        let text =
            file == "-"
            ? try TextFile.read(descriptor: STDIN_FILENO, name: FilePath(CommandLineWords.standardInput)).text
            : try TextFile.read(file).text
        let (settings, scale) = Self.displaySettings()
        let pattern = font.map(CommandWords.plainText)
        let font = pattern.flatMap { FontDescriptor(pattern: $0, scale: scale) } ?? .standard(scale: scale)
        var style = ParagraphStyle()
        style.baseDirection = direction
        let layout = TextLayoutManager(
            store: TextStore(text), container: TextContainer(width: width), font: font, settings: settings,
            paragraphStyle: style)
        if !font.isInstalled {
            StandardError.write(font.missingFamily(standIn: layout.fontFamily) + "\n")
        }
        let range = selection?.offsets.clamped(to: text.utf16Range)
        try StandardOutput.write(GeometryReport(layout, selection: range, carets: carets).text)
    }

    /// Returns the font settings and the scale of the X server; without a server, default settings and the
    /// environment's scale.
    private static func displaySettings() -> (FontSettings, scale: Double) {
        guard let display = try? Display() else { return (FontSettings(), Display.environmentScale ?? 1) }
        defer { display.close() }
        return (display.layoutFontSettings, display.scale)
    }
}

extension BidiBaseDirection: ExpressibleByArgument {
    /// Creates a direction from `natural`, `ltr` or `rtl`; nil for any other argument.
    public init?(argument: String) {
        switch argument {
        case "natural": self = .natural
        case "ltr": self = .leftToRight
        case "rtl": self = .rightToLeft
        default: return nil
        }
    }
}

/// An argument of the command line that gives a range as `A..<B`.
struct SelectionRange: Hashable, ExpressibleByArgument {
    /// The range, in UTF-16 units; not yet clamped to a text.
    var offsets: Range<UTF16Offset>

    /// Creates a range from `A..<B` with 0 ≤ A ≤ B; nil for anything else.
    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..<"), let low = Int(argument[..<dots.lowerBound]),
            let high = Int(argument[dots.upperBound...]), low >= 0, low <= high
        else { return nil }
        offsets = UTF16Offset(low)..<UTF16Offset(high)
    }
}

/// The standard output, to which commands write their results.
enum StandardOutput {
    /// Writes all of a text. If the output has no reader, throws a failure without a message: the descriptor was
    /// closed at the start, or the reader of the pipe has ended.
    static func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes all of a text, including bytes that are not valid UTF-8.
    static func write(_ text: Rope) throws {
        var start = text.byteRange.lowerBound
        while start < text.byteRange.upperBound {
            let end = min(start + 65_536, text.byteRange.upperBound)
            try text.bytes(in: start..<end).withUnsafeBytes(write)
            start = end
        }
    }

    /// Writes all bytes. Throws a failure without a message if the output has no reader, and ``OutputError`` for other
    /// failures.
    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard !StandardDescriptors.closedAtStart.contains(STDOUT_FILENO) else { throw ExitCode.failure }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw ExitCode.failure
            } else if errno != EINTR {
                throw OutputError(code: errno)
            }
        }
    }
}

/// The error that writing to standard output failed.
struct OutputError: Error, CustomStringConvertible {
    /// The `errno` of the failed write.
    let code: Int32

    var description: String { CommandLineWords.resultNotWritten(String(cString: strerror(code))) }
}

/// The standard error output.
enum StandardError {
    /// Writes a text, ignoring errors.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
