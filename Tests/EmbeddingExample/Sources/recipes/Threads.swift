import Dispatch
import Inkstone

/// Views with work on other threads. A class of the main actor may be named there; what it holds may not.
@MainActor final class Reader {
    let log: TextView

    init(_ log: TextView) { self.log = log }

    /// From a task on any thread: `await reader.write("done")`.
    func write(_ line: String) { log.append(line + "\n") }

    /// From a thread that knows nothing of Swift's actors: the display's loop runs what is posted, on the main thread.
    func readStandardInput() {
        guard let poster = log.window?.display.poster else { return }
        DispatchQueue.global().async {
            while let line = readLine() {
                poster.post { MainActor.assumeIsolated { self.log.append(line + "\n") } }
            }
        }
    }

    /// By Swift's tasks, which go on in each of the loops. A text is a value: others may read it while one types on.
    func countWords() async -> Int {
        let text = log.store.text
        return await Task.detached {
            text.string(in: text.utf16Range).split { $0.isWhitespace }.count
        }.value
    }
}
