import Glibc
import InkstoneBase
import InkstoneText
import InkstoneWords
import Synchronization

/// A program that reads text on its standard input and writes the replacement to its standard output, such as
/// `fmt`, `sed` or the client of a language model.
///
/// The program is started without a shell, unless the command is a command line for the shell. It runs in a process
/// group of its own, in the user's home folder. The text is passed as UTF-8, with LF in place of CR LF. If the text has
/// no final line end, one is added to the input and removed from the output.
public struct CommandFilter: Hashable, Sendable {
    /// The name of the program, which is searched in `PATH`, and its arguments.
    public var arguments: [String]
    /// The maximum time that the program may take, in milliseconds. After it, the program is ended, and the run fails
    /// with ``CommandFilterError/timeout(_:_:)``.
    public var timeout = 30_000
    /// The maximum number of bytes that the program may write to its standard output. With more, the program is ended,
    /// and the run fails with ``CommandFilterError/tooMuch(_:_:)``.
    public var outputLimit = 16 << 20
    /// The time without output, in milliseconds, after which the output is taken as complete, if the program has
    /// ended but another process still holds its pipes.
    package var grace = 300

    /// Creates a filter from the name of a program and its arguments.
    public init(arguments: [String]) { self.arguments = arguments }

    /// Creates a filter from a command as a user types it: words separated by blanks. Blanks within single or double
    /// quotes, and a character after a backslash, are part of a word; within single quotes, a backslash is a character
    /// like others. Other characters have no special meaning, because no shell is used.
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

    /// Creates a filter from a command line for the shell, which may have pipes and variables, such as `sort -k3 |
    /// head -3`.
    ///
    /// - Throws: ``CommandFilterError/noCommand``.
    package init(shellCommand command: String) throws(CommandFilterError) {
        let command = String(command.filter { $0 != "\0" })
        guard command.contains(where: { !$0.isWhitespace }) else { throw .noCommand }
        arguments = ["sh", "-c", command]
        title = command.count > 40 ? command.prefix(39) + "…" : command
    }

    /// The command line for the shell, shortened for messages; nil if the filter is a program.
    private(set) var title: String?

    /// The name of the program, for messages; for a command line of the shell its beginning.
    public var program: String { title ?? arguments.first ?? "" }

    /// Runs the program on a text, and returns its output. In the program's input, CR LF becomes LF, and a last
    /// line without a line end gets one, which is then removed from the output. Blocks: call this on a background
    /// thread.
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

    /// A handle that can cancel a run of a filter from another thread. Cancelling ends the process group
    /// immediately.
    public final class Cancellation: Sendable {
        private let descriptor = Mutex<(isCancelled: Bool, wake: Int32?)>((false, nil))

        /// Creates a handle for a run.
        public init() {}

        /// Cancels the run. If called before the run begins, the run fails at once.
        public func cancel() {
            descriptor.withLock {
                $0.isCancelled = true
                if let wake = $0.wake { _ = write(wake, [UInt8(0)], 1) }
            }
        }

        /// Sets the descriptor to which ``cancel()`` writes a byte, to wake the waiting run; nil for none. Returns
        /// whether the run was already cancelled.
        func wake(_ end: Int32?) -> Bool {
            descriptor.withLock {
                $0.wake = end
                return $0.isCancelled
            }
        }
    }
}

/// The reason why a filter could not be created, or its run has failed. The document is unchanged then.
public enum CommandFilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The command has no words, or its first word is empty.
    case noCommand
    /// A quotation mark of the command has no counterpart, or the command ends in a backslash.
    case openQuote
    /// The program with this name was not found.
    case notFound(String)
    /// The program with this name could not be started; `code` is the system's `errno`.
    case notStarted(String, code: Int32)
    /// The program took longer than the given number of milliseconds.
    case timeout(String, Int)
    /// The program has written more than the given number of bytes.
    case tooMuch(String, Int)
    /// The program's output is not valid UTF-8.
    case notText(String)
    /// The program has failed. `status` is its exit status, or the negative number of the signal that ended it;
    /// `message` has the first lines of its standard error output.
    case failed(String, status: Int32, message: String)
    /// The program has ended with an unknown exit status, because the host ignores SIGCHLD or waits for all children.
    case unknownStatus(String)
    /// The run was cancelled.
    case cancelled

    /// The error as a sentence for the user.
    public var description: String {
        switch self {
        case .noCommand: localized("Enter a command, such as “fmt” or “sort -u”.")
        case .openQuote: localized("A quotation mark in the command is not closed. Add the closing one.")
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
        case .unknownStatus(let program):
            localized("The exit code of “\(program)” is unknown. The text is unchanged.")
        case .cancelled: localized("The command was stopped. The text is unchanged.")
        }
    }
}

/// A filter as a writing tools engine: the program's output replaces the range of the context.
extension CommandFilter: WritingToolsEngine {
    /// The filter's only tool, under the name of the program.
    public var tools: [WritingTool] { [.custom(program)] }
    /// False: the program may send the text elsewhere.
    public var isLocal: Bool { false }

    /// Runs the program on a background thread. Terminating the stream ends the program.
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
