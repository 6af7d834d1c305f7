import Dispatch
import Inkstone

/// The files that were opened or saved last, the latest first: `inkstone/recent` in the user's state, a path a line, written as people
/// read it (``FilePath/description``). A line that is no text is a name, byte by byte.
struct RecentFiles: Hashable {
    /// So many are remembered.
    private static let limit = 30

    private(set) var paths: [FilePath] = []

    init() {}

    /// Reads what a file says; what is no path from the root is left out.
    init(bytes: [UInt8]) {
        for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let path = String(validating: line, as: UTF8.self).map(FilePath.init(typed:)) ?? FilePath(line)
            guard path.isAbsolute, !paths.contains(path), paths.count < Self.limit else { continue }
            paths.append(path)
        }
    }

    private static let file = SmallFile(.state, "recent")
    /// The order in which files are remembered.
    static let queue = DispatchQueue(label: "recent files")

    /// The files that are remembered; none if the list cannot be read. Blocks.
    static var kept: RecentFiles { RecentFiles(bytes: (try? file.read()) ?? []) }

    /// Remembers a file that was opened or saved, by its name from the root. A list that cannot be read stays as it is. Blocks.
    static func keep(_ path: FilePath, in file: SmallFile = file) {
        guard let bytes = try? file.read() else { return }
        var recent = RecentFiles(bytes: bytes)
        recent.note(path.absolute)
        // The longest names may be too much for a file that is to be read again.
        while recent.bytes.count >= SmallFile.limit { recent.paths.removeLast() }
        _ = file.write(recent.bytes)
    }

    /// Bytes of the list, as ``init(bytes:)`` reads them.
    var bytes: [UInt8] { paths.flatMap { Array(($0.description + "\n").utf8) } }

    /// A file was opened or saved.
    mutating func note(_ path: FilePath) {
        guard path.isAbsolute else { return }
        paths.removeAll { $0 == path }
        paths.insert(path, at: 0)
        paths.removeLast(max(0, paths.count - Self.limit))
    }
}
