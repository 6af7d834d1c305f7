import Glibc
import InkstoneBase
import InkstoneText
import InkstoneWords
import Synchronization

/// A program that reads text on its standard input and writes the text to put in its place: `fmt`, `sed`, a language model's client.
///
/// It is started without a shell unless it is a command line for one, in a process group of its own, in the user's home directory. Text is UTF-8 with LF. A text without a
/// last line end gets one on the way, and loses it again.
public struct CommandFilter: Hashable, Sendable {
    /// The name of the program, found along `PATH`, and its arguments.
    public var arguments: [String]
    /// The time that it may take, in milliseconds.
    public var timeout = 30_000
    /// Most bytes that it may write.
    public var outputLimit = 16 << 20

    /// A program with its arguments.
    public init(arguments: [String]) { self.arguments = arguments }

    /// A command as a user types it: words with blanks between them. Quotes of either kind keep blanks, and a backslash the character
    /// behind it; nothing else means anything, since there is no shell.
    ///
    /// - Throws: ``CommandFilterError/noCommand``, ``CommandFilterError/openQuote``.
    public init(command: String) throws(CommandFilterError) {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in command.unicodeScalars where scalar.value != 0 {
            if isEscaped {
                word = (word ?? .init()) + CollectionOfOne(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "\"" || scalar == "'" {
                quote = scalar
                word = word ?? .init()
            } else if quote == nil, scalar.properties.isWhitespace {
                if let word { words.append(String(word)) }
                word = nil
            } else {
                word = (word ?? .init()) + CollectionOfOne(scalar)
            }
        }
        guard quote == nil, !isEscaped else { throw .openQuote }
        if let word { words.append(String(word)) }
        guard let program = words.first, !program.isEmpty else { throw .noCommand }
        arguments = words
    }

    /// A command line for the shell, which knows pipes and variables: `sort -k3 | head -3`.
    ///
    /// - Throws: ``CommandFilterError/noCommand``.
    package init(shellCommand command: String) throws(CommandFilterError) {
        let command = String(command.filter { $0 != "\0" })
        guard command.contains(where: { !$0.isWhitespace }) else { throw .noCommand }
        arguments = ["sh", "-c", command]
        title = command.count > 40 ? command.prefix(39) + "…" : command
    }

    /// The command line of a shell, as it is spoken of; nil for a program.
    private(set) var title: String?

    /// The name of the program; of a shell's command line, its start.
    public var program: String { title ?? arguments.first ?? "" }

    /// Runs the program on a text, and returns what it has written. Blocks: call it on a thread of its own.
    public func run(_ text: String, cancellation: Cancellation = Cancellation()) throws(CommandFilterError) -> String {
        var input = [UInt8]()
        var last: UInt8 = 0
        for byte in text.utf8 {
            if byte == 0x0a, last == 0x0d { input.removeLast() }
            input.append(byte)
            last = byte
        }
        let lacksEnd = last != 0x0a && !input.isEmpty
        if lacksEnd { input.append(0x0a) }
        var output = try FilterProcess(self).run(input, cancellation)
        if lacksEnd, output.last == 0x0a { output.removeLast() }
        guard let result = String(validating: output, as: UTF8.self) else { throw .notText(program) }
        return result
    }

    /// A way to give up a run from another thread. It ends the process group at once.
    public final class Cancellation: Sendable {
        private let descriptor = Mutex<(isCancelled: Bool, wake: Int32?)>((false, nil))

        /// A run that goes on.
        public init() {}

        /// Gives the run up, also before it begins.
        public func cancel() {
            descriptor.withLock {
                $0.isCancelled = true
                if let wake = $0.wake { _ = write(wake, [UInt8(0)], 1) }
            }
        }

        /// Has cancelling write a byte; nil for no more. Returns whether it was cancelled before.
        func wake(_ end: Int32?) -> Bool {
            descriptor.withLock {
                $0.wake = end
                return $0.isCancelled
            }
        }
    }
}

/// A reason why a command has not given a text. Nothing was changed.
public enum CommandFilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The command has no words.
    case noCommand
    /// A quote of the command has no end.
    case openQuote
    /// No such program.
    case notFound(String)
    /// The program could not be started, for a reason of the system's.
    case notStarted(String, code: Int32)
    /// The program took longer than so many milliseconds.
    case timeout(String, Int)
    /// The program has written more than so many bytes.
    case tooMuch(String, Int)
    /// The bytes that the program has written are not UTF-8.
    case notText(String)
    /// The program has failed: its exit status or, below 0, the signal that ended it, and the first lines that it has written to its
    /// standard error.
    case failed(String, status: Int32, message: String)
    /// The run was given up.
    case cancelled

    /// A sentence for the user.
    public var description: String {
        switch self {
        case .noCommand: localized("Enter a command, such as “fmt” or “sort -u”.")
        case .openQuote: localized("The command has a quote without an end.")
        case .notFound(let program): localized("Command not found: \(program)")
        case .notStarted(let program, let code):
            localized("“\(program)” could not be started: \(String(cString: strerror(code))).")
        case .timeout(let program, let limit):
            localized("“\(program)” took longer than \(limit / 1000) seconds and was stopped. The text is unchanged.")
        case .tooMuch(let program, let limit):
            localized("“\(program)” has written more than \(limit >> 20) MB and was stopped. The text is unchanged.")
        case .notText(let program):
            localized("“\(program)” has written bytes that are not UTF-8. The text is unchanged.")
        case .failed(let program, let status, let message) where message.isEmpty:
            status < 0
                ? localized("“\(program)” was ended by signal \(Int(-status)). The text is unchanged.")
                : localized("“\(program)” failed with exit code \(Int(status)). The text is unchanged.")
        case .failed(let program, let status, let message):
            status < 0
                ? localized("“\(program)” was ended by signal \(Int(-status)): \(message)")
                : localized("“\(program)” failed with exit code \(Int(status)): \(message)")
        case .cancelled: localized("The command was stopped. The text is unchanged.")
        }
    }
}

/// A command-line filter as an engine: its output replaces the range of the context.
extension CommandFilter: WritingToolsEngine {
    /// Rewriting, under the program's name.
    public var tools: [WritingTool] { [.custom(program)] }
    /// False: what a program does with the text is unknown.
    public var isLocal: Bool { false }

    /// Runs the program on a thread of its own; ending the stream ends the program.
    public func process(_ request: WritingToolsRequest) -> AsyncThrowingStream<WritingToolsEvent, any Error> {
        let context = request.context
        let text = context.text.rope.string(in: context.range)
        return AsyncThrowingStream(WritingToolsEvent.self) { stream in
            let cancellation = Cancellation()
            stream.onTermination = { @Sendable _ in cancellation.cancel() }
            stream.yield(.progress(nil))
            do throws(BackgroundThread.Failure) {
                _ = pthread_detach(
                    try BackgroundThread.start {
                        do throws(CommandFilterError) {
                            stream.yield(
                                .replace(context.range, with: .plain(try run(text, cancellation: cancellation))))
                            stream.yield(.finished())
                            stream.finish()
                        } catch {
                            stream.finish(throwing: error)
                        }
                    })
            } catch {
                stream.finish(throwing: CommandFilterError.notStarted(program, code: error.code))
            }
        }
    }
}
