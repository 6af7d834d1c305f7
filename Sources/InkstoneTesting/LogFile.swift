import Glibc

/// A log of JSON lines that another process is writing, with the entries read so far.
package final class LogFile {
    package let path: String
    /// The entries of all complete lines read so far, oldest first; lines that are no JSON objects are left out.
    /// Call ``refresh()`` to read more.
    package private(set) var entries: [LogEntry] = []
    private var descriptor: CInt = -1
    private var tail: [UInt8] = []

    /// Creates a log at `path`, which need not exist yet.
    package init(path: String) { self.path = path }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads the lines written since the last call. An incomplete line is left for the next call.
    package func refresh() {
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            tail += buffer.prefix(count)
        }
        while let end = tail.firstIndex(of: 0x0a) {
            if let entry = LogEntry(line: String(decoding: tail[..<end], as: UTF8.self)) { entries.append(entry) }
            tail.removeSubrange(...end)
        }
    }

    /// Waits for an entry after the first `count` ones that satisfies `fits`, and returns the first such entry.
    ///
    /// - Parameter isInVain: throws if no further entry can come.
    @discardableResult
    package func wait(
        for what: String, after count: Int = 0, within milliseconds: Int = 5000,
        unless isInVain: () throws -> Void = {}, where fits: (LogEntry) -> Bool
    ) throws -> LogEntry {
        try waitFor(
            what, within: milliseconds,
            instead: { "\n" + self.entries.dropFirst(count).suffix(40).map(\.line).joined(separator: "\n") },
            {
                refresh()
                if let entry = entries.dropFirst(count).first(where: fits) { return entry }
                try isInVain()
                return nil
            })
    }
}
