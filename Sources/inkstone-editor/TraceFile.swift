import Glibc
import Inkstone

/// The file that `--trace` writes: one JSON object a line for each key, input-method event, client call and reported
/// rectangle (``TraceRecord/line``), and one of the type `state` whenever the input method's changes.
///
/// Each line is written as it comes, so that a crash or kill −9 loses none.
final class TraceFile {
    private let path: FilePath
    private var descriptor: Int32
    /// Called once if writing fails, with a sentence for the user; nothing more is written then.
    var onFailure: ((String) -> Void)?

    /// Opens the file anew; it is private, as it holds what is typed. A pipe is not waited for: without a reader, and when that does not
    /// keep up, there is no trace.
    init(path: FilePath) throws {
        self.path = path
        descriptor = Glibc.open(path.cString, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw TraceError(path: path, code: errno) }
    }

    deinit { close() }

    /// Traces everything in a session from now on.
    func follow(_ session: InputSession) {
        session.onRecord = { [weak self] in self?.write($0.line) }
    }

    /// Notes the state of the input method: `phase`, `server` and, when it is ready, `style`.
    func note(_ state: InputMethodState) {
        let time = MonotonicClock.milliseconds
        let server = state.serverName.map(Self.quoted) ?? "null"
        let style = state.style.map { Self.quoted($0.description) } ?? "null"
        let phase = Self.quoted(state.phase.name)
        write("{\"t\":\(time),\"type\":\"state\",\"phase\":\(phase),\"server\":\(server),\"style\":\(style)}")
    }

    /// Ends the trace; what happens later is not written.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// A name as a JSON string, without what would have to be escaped.
    private static func quoted(_ name: String) -> String {
        "\"\(String(String.UnicodeScalarView(name.unicodeScalars.filter { $0 != "\"" && $0 != "\\" && $0 >= " " })))\""
    }

    private func write(_ line: String) {
        guard descriptor >= 0 else { return }
        var line = line
        line += "\n"
        var failure: Int32?
        line.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failure == nil {
                let count = Glibc.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
            }
        }
        if let failure {
            close()
            onFailure?(TraceError(path: path, code: failure).description)
        }
    }
}

/// Why there is no trace.
struct TraceError: Error, CustomStringConvertible {
    /// The file.
    let path: FilePath
    /// The `errno`.
    let code: Int32

    var description: String { Words.traceFailed("\(path)", String(cString: strerror(code))) }
}

extension InputMethodState.Phase {
    /// Its name in a trace.
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .connecting: "connecting"
        case .ready: "ready"
        case .notRunning: "notRunning"
        case .notResponding: "notResponding"
        case .refused: "refused"
        case .faulty: "faulty"
        case .unavailable: "unavailable"
        }
    }
}
