import Glibc
import Inkstone

/// The completions of a typed path by the files of its folder.
struct PathCompletion: Hashable {
    /// A file or folder.
    struct Entry: Hashable, Sendable {
        /// The name as it is typed: see ``FilePath/description``.
        var name: String
        var isFolder: Bool
    }

    /// The part before the name: the folder as typed, with its slash.
    let folder: String
    /// The typed start of the name.
    let start: String
    /// The matching names, folders with a slash at the end, in byte order.
    private(set) var candidates: [String] = []

    /// The completion of a typed text.
    init(typed text: String) {
        let scalars = text.unicodeScalars
        let slash = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? text.startIndex
        (folder, start) = (String(text[..<slash]), String(text[slash...]))
    }

    /// The folder to read, as a path.
    var directory: FilePath { folder.isEmpty ? "." : FilePath(typed: folder).expandingHome }

    /// Finds the candidates among a folder's entries. Hidden files count if the name begins with a dot; ignores case if nothing matches otherwise.
    mutating func take(_ entries: [Entry]) {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        var found = seen.filter { Self.begins($0.name, with: start) }
        if found.isEmpty { found = seen.filter { Self.begins($0.name.lowercased(), with: start.lowercased()) } }
        candidates = found.map { $0.isFolder ? $0.name + "/" : $0.name }.sorted {
            Array($0.utf8).lexicographicallyPrecedes($1.utf8)
        }
    }

    /// Returns the entries to list for the typed text, in their order: names that begin with it, ignoring case, else names that contain
    /// it. Hidden files count if the name begins with a dot.
    func fitting(_ entries: [Entry]) -> [Entry] {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        guard !start.isEmpty else { return seen }
        let wanted = start.lowercased()
        let found = seen.filter { Self.begins($0.name.lowercased(), with: wanted) }
        return found.isEmpty ? seen.filter { $0.name.lowercased().contains(wanted) } : found
    }

    /// Returns the changes that start a new path: `/` inserted after a folder, and `/` or a home's name at the end of the text that the line was
    /// opened with, or over its name, replace everything before. Nil for other changes.
    ///
    /// A home is `~`, and `~name` of a user, with or without a path in it. `~` is the beginning of other names as well: what is typed behind it
    /// has them in the folder that the line was opened with, until a slash comes behind a user's name.
    static func begunAnew(by changes: TextChangeSet, of text: Rope, openedWith start: String) -> TextChangeSet? {
        guard changes.count == 1, let range = changes.changeMap.first?.oldByteRange,
            range.upperBound == text.byteRange.upperBound, range.lowerBound > 0,
            case let inserted = changes.insertedText(0), !inserted.isEmpty
        else { return nil }
        let (line, typed) = (text.string(in: text.byteRange), inserted.string(in: inserted.byteRange))
        let (isUntouched, folder) = (line == start, PathCompletion(typed: start).folder)
        let before = PathCompletion(typed: text.string(in: 0..<range.lowerBound))
        let path: String
        if inserted.byte(at: 0) == UInt8(ascii: "/") {
            if isUntouched || text.byte(at: range.lowerBound - 1) == UInt8(ascii: "/") {
                path = typed
            } else if before.folder == folder, before.start == "~" || isHome(before.start) {
                path = before.start + typed
            } else {
                return nil
            }
        } else if isUntouched, typed == "~" || isHome(typed) {
            path = typed
        } else if line == "~", range.isEmpty, !folder.isEmpty, !isHome(line + typed) {
            path = folder + line + typed
        } else {
            return nil
        }
        return TextChangeSet(replacing: text.byteRange, with: Rope(path), in: text)
    }

    /// Whether a path begins with the name of a home: `~/`, or `~` and the name of a user.
    private static func isHome(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "~") else { return false }
        let user = FilePath(path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") })
        return user.bytes.isEmpty ? path.utf8.count > 1 : getpwnam(user.cString) != nil
    }

    private static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// Compares by scalars: a combining mark that follows belongs to a letter, but not to the start of a name.
    private static func begins(_ name: String, with start: String) -> Bool {
        name.unicodeScalars.starts(with: start.unicodeScalars)
    }

    /// The text extended by the common prefix of the candidates; the typed text if that is no longer.
    var completed: String {
        guard var common = candidates.first?.unicodeScalars.map(\.self) else { return folder + start }
        for candidate in candidates.dropFirst() {
            let length = zip(common, candidate.unicodeScalars).prefix { $0 == $1 }.count
            common.removeLast(common.count - length)
        }
        guard common.count >= start.unicodeScalars.count else { return folder + start }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: common)
        return folder + String(name)
    }

    /// The candidates as one line, up to a limit; empty if there is only one.
    var list: String {
        guard candidates.count > 1 else { return candidates.isEmpty ? Words.noMatchingFile : "" }
        let shown = candidates.prefix(20).map { FilePath.label($0, limit: 60) }.joined(separator: "   ")
        return candidates.count > 20 ? Words.andMore(shown, candidates.count - 20) : shown
    }

    /// The entries of the folder. May block on the disk.
    var entries: [Entry] { Self.entries(of: directory) }

    /// Returns the path of the only file or folder that begins with a typed text, ignoring case; nil if there is a file of that very name, or if not
    /// all of the folder was read. May block on the disk.
    static func onlyMatch(of typed: String) -> String? {
        let completion = PathCompletion(typed: typed)
        var status = stat()
        guard !completion.start.isEmpty, let path = EditedFile.path(typed: typed), lstat(path.cString, &status) != 0,
            errno == ENOENT, case let entries = completion.entries, entries.count < most
        else { return nil }
        let wanted = completion.start.lowercased()
        let found = completion.fitting(entries).filter { begins($0.name.lowercased(), with: wanted) }
        return found.count == 1 ? completion.folder + found[0].name + (found[0].isFolder ? "/" : "") : nil
    }

    /// The number of a folder's entries that are read.
    private static let most = 20_000

    /// Returns the entries of a folder, at most 20,000; empty if it cannot be read. May block on the disk.
    static func entries(of directory: FilePath) -> [Entry] {
        guard let stream = opendir(directory.cString) else { return [] }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while entries.count < most, let entry = readdir(stream) {
            let name = FilePath(entry: entry)
            guard name != ".", name != ".." else { continue }
            var isFolder = entry.pointee.d_type == UInt8(DT_DIR)
            if [UInt8(DT_LNK), UInt8(DT_UNKNOWN)].contains(entry.pointee.d_type) {
                var status = stat()
                isFolder = fstatat(dirfd(stream), name.cString, &status, 0) == 0 && status.st_mode & S_IFMT == S_IFDIR
            }
            entries.append(Entry(name: name.description, isFolder: isFolder))
        }
        return entries
    }
}
