import Glibc
import Inkstone

/// Names that a path which is being typed can become, by the files of its folder.
struct PathCompletion: Hashable {
    /// Something in a folder.
    struct Entry: Hashable, Sendable {
        /// The name as it is typed: see ``FilePath/description``.
        var name: String
        var isFolder: Bool
    }

    /// What stands before the name: the folder as it was typed, with its slash.
    let folder: String
    /// What was typed of the name.
    let start: String
    /// What begins so, folders with a slash behind them, in the order of their bytes.
    private(set) var candidates: [String] = []

    /// What is typed so far.
    init(typed text: String) {
        let scalars = text.unicodeScalars
        let slash = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? text.startIndex
        (folder, start) = (String(text[..<slash]), String(text[slash...]))
    }

    /// The folder to look into, as the system knows it.
    var directory: FilePath { folder.isEmpty ? "." : FilePath(typed: folder).expandingHome }

    /// Takes what lies in the folder. Hidden files count if the name begins with a dot; without regard to case, if nothing fits otherwise.
    mutating func take(_ entries: [Entry]) {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        var found = seen.filter { Self.begins($0.name, with: start) }
        if found.isEmpty { found = seen.filter { Self.begins($0.name.lowercased(), with: start.lowercased()) } }
        candidates = found.map { $0.isFolder ? $0.name + "/" : $0.name }.sorted {
            Array($0.utf8).lexicographicallyPrecedes($1.utf8)
        }
    }

    /// The entries that a list shows for what was typed, in their order: those that begin so without regard to case, else those that have it in
    /// their names. Hidden files count if the name begins with a dot.
    func fitting(_ entries: [Entry]) -> [Entry] {
        let seen = entries.filter { Self.isHidden(start) || !Self.isHidden($0.name) }
        guard !start.isEmpty else { return seen }
        let wanted = start.lowercased()
        let found = seen.filter { Self.begins($0.name.lowercased(), with: wanted) }
        return found.isEmpty ? seen.filter { $0.name.lowercased().contains(wanted) } : found
    }

    /// The changes that make a path begin anew: `/` inserted behind a folder, and `/` or `~` behind the text that the line was opened with, take
    /// the place of all that stands before. Nil for other changes.
    static func begunAnew(by changes: TextChangeSet, of text: Rope, openedWith start: String) -> TextChangeSet? {
        guard changes.count == 1, let range = changes.changeMap.first?.oldByteRange,
            range.upperBound == text.byteRange.upperBound, range.lowerBound > 0,
            case let inserted = changes.insertedText(0), !inserted.isEmpty
        else { return nil }
        let isUntouched = text.string(in: 0..<range.lowerBound) == start
        switch inserted.byte(at: 0) {
        case UInt8(ascii: "/") where isUntouched || text.byte(at: range.lowerBound - 1) == UInt8(ascii: "/"): break
        case UInt8(ascii: "~") where isUntouched: break
        default: return nil
        }
        return TextChangeSet(replacing: text.byteRange, with: inserted, in: text)
    }

    private static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }

    /// By scalars: a mark that follows belongs to a letter, but not to the start of a name.
    private static func begins(_ name: String, with start: String) -> Bool {
        name.unicodeScalars.starts(with: start.unicodeScalars)
    }

    /// The text with all that the candidates have in common; what was typed, if that is nothing more.
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

    /// The candidates as one line, no more than some of them; empty if there is nothing to choose from.
    var list: String {
        guard candidates.count > 1 else { return candidates.isEmpty ? Words.noMatchingFile : "" }
        let shown = candidates.prefix(20).map { FilePath.label($0, limit: 60) }.joined(separator: "   ")
        return candidates.count > 20 ? Words.andMore(shown, candidates.count - 20) : shown
    }

    /// Entries to choose from. The disk may take its time.
    var entries: [Entry] { Self.entries(of: directory) }

    /// Entries of a folder, at most 20,000 things; empty if it cannot be read. The disk may take its time.
    static func entries(of directory: FilePath) -> [Entry] {
        guard let stream = opendir(directory.cString) else { return [] }
        defer { closedir(stream) }
        var entries: [Entry] = []
        while entries.count < 20_000, let entry = readdir(stream) {
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
