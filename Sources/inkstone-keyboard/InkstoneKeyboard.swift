import CEditorCatalogs
import Glibc
import Inkstone
import InkstoneWords

/// The options with which the on-screen keyboard was started.
struct KeyboardOptions {
    /// The layouts that the layout key steps through; the first one is shown at first.
    var layouts = KeyLayout.all
    /// Whether the colours are light on dark; nil to follow the desktop's setting.
    var isDark: Bool?
    /// The time for which a key has to be held until it offers other texts, in milliseconds.
    var longPress = 500

    /// Creates the options from the arguments of the program; nil if they are invalid. If no argument gives the
    /// layouts, the first layout is that of the language of messages.
    init?(_ arguments: [String]) {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let language = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
        let own = KeyLayout.all.filter { language?.hasPrefix($0.language) ?? false }
        layouts = own + KeyLayout.all.filter { !own.contains($0) }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--dark": isDark = true
            case "--light": isDark = false
            case "--hold":
                guard let time = rest.popFirst().flatMap({ Int($0) }), (100...5000).contains(time) else { return nil }
                longPress = time
            case "--layouts":
                let names = rest.popFirst()?.split(separator: ",") ?? []
                layouts = names.compactMap { name in KeyLayout.all.first { $0.name == name } }
                guard !layouts.isEmpty, layouts.count == names.count else { return nil }
            default: return nil
            }
        }
    }

    func painter(for display: Display) -> KeyPainter {
        let wishes = display.preferences
        let isDark = isDark ?? wishes.prefersDark
        return KeyPainter(
            display, theme: .standard(isDark: isDark, hasHighContrast: wishes.prefersHighContrast), isDark: isDark)
    }
}

/// The program `inkstone-keyboard`: an on-screen keyboard at the lower edge of the screen.
@main
enum InkstoneKeyboard {
    private static let usage = """
        usage: inkstone-keyboard [--layouts us,de,gr,ar] [--dark | --light] [--hold MILLISECONDS]

        Shows a keyboard at the lower edge of the screen. It types into the text that has the focus: of the editor
        inkstone and other programs with such texts, which have to allow it (see “inkstone proxy --help”), and of
        all others by keys. Hold a key for the letters with accents, for 500 ms or what --hold says; INKSTONE_SCALE
        makes it larger.

        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            print(usage, terminator: "")
            return
        }
        guard let options = KeyboardOptions(arguments) else { end(usage, 2) }
        signal(SIGPIPE, SIG_IGN)
        LibraryWords.use(
            Translator { language in
                var count = 0
                return ceditor_catalog(language, &count).map { UnsafeRawBufferPointer(start: $0, count: count) }
            })
        do throws(X11Error) {
            let display = try Display()
            let keyboard = try OnScreenKeyboard(display, options)
            // Let a signal end the loop instead of the process, so that `close()` can unmap the borrowed key codes.
            let signals = SignalWatch([SIGTERM, SIGINT, SIGHUP], on: display) { _ in display.stop() }
            keyboard.start()
            display.run()
            signals?.end()
            if !display.isLost { keyboard.close() }
            display.close()
        } catch {
            end("inkstone-keyboard: \(error)\n", 1)
        }
    }

    private static func end(_ message: String, _ status: Int32) -> Never {
        message.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
        exit(status)
    }
}
