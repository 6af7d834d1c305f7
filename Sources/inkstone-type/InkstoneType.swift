import Glibc
import InkstoneProxy

/// The program `inkstone-type TEXT` or `inkstone-type -`. It types into the text view that has the focus, if that
/// belongs to a program with Inkstone.
@main
struct InkstoneType {
    private static let usage = """
        usage: inkstone-type TEXT
               inkstone-type -

        Types TEXT, or what standard input has, at the caret of the text that has the focus, if that is the editor
        inkstone or another program with such texts. It has to allow that: see “inkstone proxy --help”.
        The status is 0 if all was typed, 1 if not, 2 for a wrong use.

        """

    /// The bytes that are still to be typed.
    private var bytes: [UInt8] = []
    private var readsInput = false
    /// The error number (`errno`) at which reading standard input failed; 0 for none.
    private var inputError: Int32 = 0
    private var typed = 0
    private let keyboard = InputController(name: "inkstone-type")
    private let target = Target()

    /// The text into which the program types.
    private final class Target {
        /// The proxy of the text's present view; nil before any text has the focus.
        var proxy: TextDocumentProxy?

        /// Replaces the proxy by `next` if the view of `next` has taken the place of the proxy's view to show the
        /// same text. For example, the editor now shows styles instead of their Markdown source.
        func follow(_ next: TextDocumentProxy?) {
            if let next, let proxy, next.takesPlace(of: proxy) { self.proxy = next }
        }
    }

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if let first = arguments.first, arguments.count == 1, ["-h", "--help"].contains(first) {
            print(usage, terminator: "")
            exit(0)
        }
        let words = arguments.first == "--" ? arguments.dropFirst() : arguments
        guard words.count == 1, let text = words.first, text == "-" || arguments.first == "--" || !text.hasPrefix("--")
        else {
            complain(usage)
            exit(2)
        }
        signal(SIGPIPE, SIG_IGN)
        var typist = InkstoneType()
        typist.readsInput = text == "-" && arguments.first != "--"
        if !typist.readsInput { typist.bytes = Array(text.utf8) }
        exit(typist.run())
    }

    private static let advice = """
        Answer the editor's question, or allow it for good: inkstone proxy allow "$(command -v inkstone-type)"
        """

    private static func complain(_ text: String) {
        var text = text
        text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Types the whole text, and returns the exit status of the program.
    private mutating func run() -> Int32 {
        guard let proxy = waitForFocus() else { return 1 }
        target.proxy = proxy
        // Follow the view at each change of the focus: it may be replaced more than once while there is nothing to
        // type.
        keyboard.onFocusChange = { [keyboard, target] in target.follow(keyboard.textDocumentProxy) }
        while true {
            if readsInput, bytes.count < Self.piece { readMore(waits: nextPiece(removing: false) == nil) }
            guard let text = nextPiece(removing: true) else {
                if !readsInput { break }
                continue
            }
            guard type(text) else { return 1 }
        }
        keyboard.close()
        guard inputError != 0 else { return 0 }
        let reason = String(cString: strerror(inputError))
        Self.complain("inkstone-type: standard input cannot be read: \(reason); \(typed) characters were typed.\n")
        return 1
    }

    /// Waits until a text has the focus and the user has permitted typing. Returns the proxy of the text. After a
    /// failure, prints the reason and returns nil.
    private func waitForFocus() -> TextDocumentProxy? {
        var deadline = Self.now + 5_000
        var problem = "No text has the focus that can be typed into."
        keyboard.onAccessChange = { _, access in
            switch access {
            case .asked:
                problem = "Nobody has allowed inkstone-type to type. \(Self.advice)"
                // The editor asks the user at the latest a minute after its previous question about this program.
                // If the user does not answer within another minute, the program is refused. Wait a little longer
                // than both.
                deadline = Self.now + 130_000
            case .refused: problem = "inkstone-type is not allowed to type. \(Self.advice)"
            case .allowed:
                problem = "No text has the focus that can be typed into."
                deadline = Self.now + 5_000
            }
            if access == .refused { deadline = Self.now + 500 }
        }
        var isLost = false
        keyboard.onConnectionChange = { failure in
            if let failure {
                problem = "There is no D-Bus: \(failure)."
                isLost = true
            }
        }
        keyboard.start()
        while !isLost, Self.now < deadline {
            keyboard.processEvents()
            if let proxy = keyboard.textDocumentProxy { return proxy }
            wait(100)
        }
        Self.complain("inkstone-type: \(problem)\n")
        return nil
    }

    /// Waits until a text has the focus, but at most `timeout` milliseconds. Returns whether a view has taken the
    /// place of the view of `former`.
    private func hasSuccessor(of former: TextDocumentProxy, within timeout: Int64) -> Bool {
        let deadline = Self.now + timeout
        while target.proxy === former, keyboard.textDocumentProxy == nil, Self.now < deadline {
            wait(100)
            keyboard.processEvents()
        }
        return target.proxy !== former
    }

    private func wait(_ milliseconds: Int32, for input: Bool = false) {
        var descriptors = [pollfd(fd: keyboard.descriptor, events: Int16(POLLIN), revents: 0)]
        if input { descriptors.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
        poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }

    private static let piece = 16 << 10

    /// Reads the available bytes of standard input.
    ///
    /// - Parameter waits: whether to wait for bytes if there are none. True when there is no text left to type.
    private mutating func readMore(waits: Bool) {
        var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&ready, 1, 0) == 0 {
            guard waits else { return }
            wait(1000, for: true)
            keyboard.processEvents()
        }
        var buffer = [UInt8](repeating: 0, count: Self.piece)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0 {
            if errno == EINTR || errno == EAGAIN { return }
            inputError = errno
        }
        readsInput = count > 0
        bytes += buffer.prefix(max(0, count))
    }

    /// Returns the next piece of text to type; nil if there is none. While more bytes may follow, an incomplete
    /// scalar at the end, or a carriage return at the end, is left for the next piece.
    private mutating func nextPiece(removing: Bool) -> String? {
        var end = min(bytes.count, Self.piece)
        if end < bytes.count || readsInput {
            // End the piece at a scalar boundary. Leave the first bytes of an incomplete scalar for later.
            var start = end
            while start > 0, end - start < 4, bytes[start - 1] & 0xC0 == 0x80 { start -= 1 }
            if start > 0, bytes[start - 1] >= 0xC0 {
                let length = bytes[start - 1] >= 0xF0 ? 4 : bytes[start - 1] >= 0xE0 ? 3 : 2
                if end - start + 1 < length { end = start - 1 }
            }
            // Leave a carriage return at the end for later: if a newline follows, both are one character.
            if end > 0, bytes[end - 1] == 0x0D { end -= 1 }
        }
        guard end > 0 else { return nil }
        defer { if removing { bytes.removeFirst(end) } }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Types a text, and waits until the editor has applied it. Returns true then. If the text cannot be typed,
    /// prints the reason and returns false.
    private mutating func type(_ text: String) -> Bool {
        while let proxy = target.proxy {
            var status: TextEditStatus?
            proxy.perform(then: { status = $0 }) { $0.insertText(text) }
            while status == nil {
                wait(1000)
                keyboard.processEvents()
            }
            switch status {
            case .applied?:
                typed += text.count
                return true
            case .busy?:
                wait(50)
                keyboard.processEvents()
                if !proxy.isValid { _ = hasSuccessor(of: proxy, within: 5_000) }
                continue
            // The view was replaced before it received the text, so no part of the text has been typed: try again in
            // the new view.
            case .gone? where hasSuccessor(of: proxy, within: 1_000): continue
            case .gone?: Self.complain("inkstone-type: the focus has moved; \(typed) characters were typed before.\n")
            case .unknown?:
                Self.complain(
                    "inkstone-type: the editor does not answer; \(typed) characters were typed, perhaps some more.\n")
            default:
                Self.complain("inkstone-type: the text does not take that; \(typed) characters were typed before.\n")
            }
            return false
        }
        return false
    }
}
