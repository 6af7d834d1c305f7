import Glibc
import Inkstone
import InkstoneFiles

/// The options of the editor from its command line.
struct EditOptions: Hashable {
    /// The file to edit; nil for an empty document.
    var file: FilePath?
    /// More files to edit, each in a window of its own.
    var otherFiles: [FilePath] = []
    /// Whether standard input is read, as a document without a file, in the first window. ``file`` is nil then.
    var readsInput = false
    /// The built-in page, such as the list of keys, that is shown instead of a file; nil for none.
    var page: EditedFile.Page?
    /// The name of the file's encoding when it is first read; nil to detect it.
    var encoding: String?
    /// Whether the user has agreed to ``encoding``, in the window that this one replaces. Bytes that are invalid in it
    /// are not reported then.
    var acceptsEncoding = false
    /// The guessed encoding of the file in the window that this one replaces; nil for none. The file is read in it
    /// again if its bytes permit that.
    var presentGuess: TextEncoding?
    /// The font as a fontconfig pattern; nil for the stored setting.
    var font: String?
    /// The initial position of the caret: see ``GotoTarget``. Nil if none is given.
    var goto: String?
    /// The initial size and position of the window: see ``WindowGeometry``. Nil if none is given.
    var geometry: String?
    /// The identifier of another program's window that the first window is embedded in, in decimal or as `0x…`; nil
    /// for none.
    var embed: String?
    /// The key binding table: the name of a built-in one, or the path of a file, which contains a `/`. Nil if none
    /// is given.
    var keys: FilePath?
    /// Whether lines are wrapped at the window's width; nil for the stored setting.
    var wrap: Bool?
    /// Whether the files are Markdown, and are shown as styled text.
    var rich = false
    /// Whether the documents are read-only.
    var readOnly = false
    /// Whether recovery journals are disabled.
    var noRecovery = false
    /// Whether key and button events sent by other programs are accepted.
    var allowSyntheticEvents = false
    /// The file to which a trace of the events is written; nil for none.
    var trace: FilePath?
}

extension EditOptions {
    /// Creates the options from a simple command line: options by their full names, each followed by its value as a
    /// separate argument, and then at most one file name. Nil for any other command line, and for an invalid one.
    /// Trying this first saves the two milliseconds that ArgumentParser takes before it reads its first argument.
    init?(plain arguments: [String]) {
        var words = arguments[...]
        while let word = words.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-") else {
                guard words.isEmpty else { return nil }
                file = FilePath(argument: word)
                break
            }
            guard let value = words.popFirst(), value.utf8.first != UInt8(ascii: "-") else { return nil }
            switch word {
            case "--encoding" where encoding == nil: encoding = value
            case "--font" where font == nil: font = CommandWords.plainText(value)
            case "--goto" where goto == nil: goto = value
            case "--geometry" where geometry == nil: geometry = value
            case "--embed" where embed == nil: embed = value
            case "--keys" where keys == nil: keys = FilePath(argument: value)
            case "--trace" where trace == nil: trace = FilePath(argument: value)
            default: return nil
            }
        }
        if problem != nil { return nil }
    }

    /// The first problem with the options, as a message for the user; nil if there is none.
    var problem: String? {
        let files = (file.map { [$0] } ?? []) + otherFiles
        if files.contains(where: \.isEmpty) { return CommandLineWords.emptyName }
        if readsInput, isatty(STDIN_FILENO) == 1 {
            return CommandLineWords.inputIsTerminal
        }
        if let folder = files.first(where: \.endsInSlash) {
            return TextFileError.isDirectory(path: folder).description
        }
        if let geometry, WindowGeometry(geometry) == nil {
            return CommandLineWords.invalidGeometry(geometry)
        }
        if let embed, WindowID(embed) == nil {
            return CommandLineWords.invalidWindow(embed)
        }
        if let encoding, TextEncoding(named: encoding) == nil {
            return TextFileError.unknownEncoding(name: encoding).description
        }
        if let goto, GotoTarget(goto) == nil {
            return CommandLineWords.invalidPosition(goto)
        }
        if let keys, !keys.bytes.contains(UInt8(ascii: "/")), keys.text.flatMap(KeyBindingTable.init(named:)) == nil {
            return CommandLineWords.noKeys(keys.description)
        }
        if let trace, let file = files.first(where: { $0.isSameFile(as: trace) }) {
            return CommandLineWords.traceReplaces(file.description)
        }
        return Self.problem(font: font)
    }

    /// Returns the message about a font pattern that fontconfig cannot parse, or whose size cannot be shown; nil if
    /// the pattern is usable.
    static func problem(font: String?) -> String? {
        guard let font, FontDescriptor(pattern: font, scale: 1) == nil else { return nil }
        guard FontDescriptor(pattern: font, size: 13) != nil else {
            return CommandLineWords.invalidFont(font)
        }
        return CommandLineWords.invalidFontSize(font)
    }
}

extension WindowID {
    /// Creates a window identifier from a decimal number or from `0x…`; nil for anything else, and for 0.
    init?(_ text: String) {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        // Exclude a sign, which `UInt32(_:radix:)` accepts.
        guard digits.utf8.first.map({ $0 > UInt8(ascii: "-") }) == true,
            let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number != 0
        else { return nil }
        self.init(rawValue: number)
    }
}
