import Glibc
import Inkstone

/// The file that `--trace` writes, with one JSON object in each line. There is an object for each key, input-method
/// event, client call and reported rectangle (``TraceRecord/line``), and one of type `state` for each change of the
/// input method's state.
///
/// Each line is written immediately, so that a crash or SIGKILL loses none.
final class TraceFile {
    private let path: FilePath
    private var descriptor: Int32
    /// Called once if writing fails, with a sentence for the user. The trace ends then.
    var onFailure: ((String) -> Void)?

    /// Creates the file, or empties an existing one. Only the user can read a new file, because it contains the typed
    /// text. The file may be a pipe. Writing never blocks: the trace ends if the pipe has no reader, or one that is
    /// too slow.
    init(path: FilePath) throws {
        self.path = path
        descriptor = Glibc.open(path.cString, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw TraceError(path: path, code: errno) }
    }

    deinit { close() }

    /// Traces all records of an input session from now on.
    func follow(_ session: InputSession) {
        session.onRecord = { [weak self] in self?.write($0.line) }
    }

    /// Writes the state of the input method: `phase`, `server`, and `style` if the input method is ready.
    func note(_ state: InputMethodState) {
        let time = MonotonicClock.milliseconds
        let server = state.serverName.map(Self.quoted) ?? "null"
        let style = state.style.map { Self.quoted($0.description) } ?? "null"
        let phase = Self.quoted(state.phase.name)
        write("{\"t\":\(time),\"type\":\"state\",\"phase\":\(phase),\"server\":\(server),\"style\":\(style)}")
    }

    /// Ends the trace; later records are dropped.
    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Returns a name as a JSON string; drops the characters that would have to be escaped.
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

/// The error that the trace file could not be written.
struct TraceError: Error, CustomStringConvertible {
    let path: FilePath
    /// The `errno` of the failed call.
    let code: Int32

    var description: String { Words.traceFailed("\(path)", String(cString: strerror(code))) }
}

extension InputMethodState.Phase {
    /// The name of an input method's phase, as it is written in a trace.
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
