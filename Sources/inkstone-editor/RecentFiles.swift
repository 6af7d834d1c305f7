import Inkstone

/// The files that were opened or saved last, the latest first: `inkstone/recent` in the user's state, a path a line.
struct RecentFiles: Hashable {
    /// So many are remembered.
    private static let limit = 30

    private(set) var paths: [String] = []

    init() {}

    /// Reads what a file says; what is no path from the root is left out.
    init(text: String) {
        for line in text.split(separator: "\n") where line.hasPrefix("/") && !paths.contains(String(line)) {
            if paths.count < Self.limit { paths.append(String(line)) }
        }
    }

    /// Those that are remembered.
    static var kept: RecentFiles { RecentFiles(text: SmallFile(.state, "recent").read() ?? "") }

    /// As ``init(text:)`` reads it.
    var text: String { paths.map { $0 + "\n" }.joined() }

    /// A file was opened or saved.
    mutating func note(_ path: String) {
        // One name a line.
        guard path.hasPrefix("/"), !path.contains("\n") else { return }
        paths.removeAll { $0 == path }
        paths.insert(path, at: 0)
        paths.removeLast(max(0, paths.count - Self.limit))
    }

    /// Remembers them. Returns whether that went well.
    @discardableResult
    func keep() -> Bool { SmallFile(.state, "recent").write(text) }
}
