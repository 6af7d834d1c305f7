import Glibc
import Inkstone
import InkstoneFiles

/// The completions of a typed path by the names in its folder.
struct PathCompletion: Hashable {
    /// A file or folder in the folder of the typed path.
    struct Entry: Hashable, Sendable {
        /// The name as the user would type it: see ``FilePath/description``.
        var name: String
        var isFolder: Bool
    }

    /// The part of the typed path before the name: the folder, with its slash.
    let folder: String
    /// The typed start of the name, after the last slash.
    let start: String
    /// The names that complete the typed path, folders with a slash at the end, in byte order.
    private(set) var candidates: [String] = []

    /// Creates a completion of a typed path, split into folder and name.
    init(typed text: String) {
        let scalars = text.unicodeScalars
        let slash = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? text.startIndex
        (folder, start) = (String(text[..<slash]), String(text[slash...]))
    }

    /// The path of the folder; `.` if none is typed, and with `~` expanded.
    var directory: FilePath { folder.isEmpty ? "." : FilePath(typed: folder).expandingHome }

    /// Sets ``candidates`` to the entries that begin with the typed name; if there are none, to those that begin
    /// with it ignoring case. Hidden files are included if the typed name begins with a dot.
    mutating func take(_ entries: [Entry]) {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        var found = seen.filter { Self.begins($0.name, with: start) }
        if found.isEmpty { found = seen.filter { Self.begins($0.name.lowercased(), with: start.lowercased()) } }
        candidates = found.map { $0.isFolder ? $0.name + "/" : $0.name }.sorted {
            Array($0.utf8).lexicographicallyPrecedes($1.utf8)
        }
    }

    /// Returns the entries to list for the typed name, in their order: those that begin with it, ignoring case; if
    /// there are none, those that contain it. Hidden files are included if the typed name begins with a dot.
    func fitting(_ entries: [Entry]) -> [Entry] {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        guard !start.isEmpty else { return seen }
        let wanted = start.lowercased()
        let found = seen.filter { Self.begins($0.name.lowercased(), with: wanted) }
        return found.isEmpty ? seen.filter { $0.name.lowercased().contains(wanted) } : found
    }

    /// Returns changes of the prompt's line that replace the whole line by a new path; nil for edits that do not
    /// start one. A new path starts with `/` typed after a folder. It also starts with `/` or the name of a home
    /// folder, typed at the end of the text that the line was opened with, or over its file name.
    ///
    /// The name of a home folder is `~`, or `~` and a user's name, with or without a path after it. Other file
    /// names begin with `~` as well. Text typed after `~` is therefore a name in the folder that the line was
    /// opened with, until a slash is typed after the name of a user.
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

    /// Whether a path begins with a home folder: `~/`, or `~` and the name of a user.
    private static func isHome(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "~") else { return false }
        let user = FilePath(path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") })
        return user.bytes.isEmpty ? path.utf8.count > 1 : getpwnam(user.cString) != nil
    }

    private static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// Whether a name begins with a typed text. Scalars are compared, so a name whose first letter has a combining
    /// mark begins with that letter alone as well.
    private static func begins(_ name: String, with start: String) -> Bool {
        name.unicodeScalars.starts(with: start.unicodeScalars)
    }

    /// The typed path, with its name extended to the common prefix of the candidates; unchanged if there is no
    /// candidate, or that prefix is shorter than the typed name.
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

    /// The candidates as one line: at most 20, and the number of the others. A message if there is no candidate; empty
    /// if there is only one.
    var list: String {
        guard candidates.count > 1 else { return candidates.isEmpty ? Words.noMatchingFile : "" }
        let shown = candidates.prefix(20).map { FilePath.label($0, limit: 60) }.joined(separator: "   ")
        return candidates.count > 20 ? Words.andMore(shown, candidates.count - 20) : shown
    }

    /// The entries of the folder of the typed path. May block on the disk.
    var entries: [Entry] { Self.entries(of: directory) }

    /// Returns the path of the only file or folder whose name begins with the typed one, ignoring case. Nil if
    /// there is none or several, if the typed path exists, or if the folder has too many entries to read all. May
    /// block on the disk.
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

    /// The maximum number of a folder's entries that are read; the others are not offered.
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
