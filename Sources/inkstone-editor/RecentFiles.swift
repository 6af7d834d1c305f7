import Dispatch
import Inkstone
import InkstoneFiles

/// The list of files that were opened or saved last, the latest first, and the user's positions in them.
///
/// It is stored in `inkstone/recent` in the user's state folder, with one path in each line, as shown to the user
/// (``FilePath/description``). A line that is not valid UTF-8 is the path's bytes. A line that begins with a tab
/// belongs to the path before it: it has the caret, the first visible line, and the identity of the file
/// (``FileMark``), by which the file is found under another name.
struct RecentFiles: Hashable {
    /// The user's position in a file, as UTF-16 offsets into its text. The file may have become shorter since.
    struct Place: Hashable, Sendable {
        var caret: UTF16Offset
        /// The offset of the start of the first visible line.
        var top: UTF16Offset

        /// Whether this is the position in a file that is opened for the first time: its start.
        var isStart: Bool { caret == 0 && top == 0 }

        /// Returns the position mapped through changes of the text.
        func mapped(through changes: TextChangeMap) -> Place {
            Place(caret: changes.map(caret, bias: .upstream), top: changes.map(top, bias: .upstream))
        }
    }

    /// The identity of a file when the position in it was stored. The file is recognized if it was renamed or moved
    /// since, but not if it was written.
    struct FileMark: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
        /// The time of the last write, in seconds since 1970.
        var seconds: Int

        init(_ identity: FileIdentity) {
            (device, inode, seconds) = (identity.device, identity.inode, identity.seconds)
        }
    }

    /// The maximum number of files in the list; the oldest ones are dropped.
    private static let limit = 30

    private(set) var paths: [FilePath] = []
    /// The user's positions in the files. A file that was closed with the caret and the view at its start has no entry.
    private(set) var places: [FilePath: Place] = [:]
    /// The identities of files with a stored position, by which a renamed file is found. A file whose identity was not
    /// obtained has no entry.
    private(set) var marks: [FilePath: FileMark] = [:]

    init() {}

    /// Creates a list from its stored form. Ignores paths that are not absolute, repeated, or beyond the maximum
    /// number.
    init(bytes: [UInt8]) {
        var last: FilePath?
        for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            if line.first == 0x09 {
                if let path = last, places[path] == nil {
                    places[path] = Place(line: line)
                    marks[path] = places[path] == nil ? nil : FileMark(line: line)
                }
                continue
            }
            let path = String(validating: line, as: UTF8.self).map(FilePath.init(typed:)) ?? FilePath(line)
            last = nil
            guard path.isAbsolute, !paths.contains(path), paths.count < Self.limit else { continue }
            paths.append(path)
            last = path
        }
    }

    private static let file = SmallFile(.state, "recent")
    /// The serial queue on which changes of the stored list are made.
    static let queue = DispatchQueue(label: "recent files")

    /// The stored list; empty if there is none, or it cannot be read. Blocks.
    static var kept: RecentFiles { RecentFiles(bytes: (try? file.read()) ?? []) }

    /// Adds a file that was opened or saved to the stored list. A list that cannot be read is not changed. Blocks.
    static func keep(_ path: FilePath, in file: SmallFile = file) { change(file) { $0.note(path.absolute) } }

    /// Returns the stored position in a file; nil if there is none. The file is found by its absolute path with
    /// symbolic links resolved. If it has another name by now, it is found by its identity. Blocks.
    static func place(of path: FilePath, in file: SmallFile = file) -> Place? {
        let recent = RecentFiles(bytes: (try? file.read()) ?? [])
        if let place = recent.places[path.absolute] { return place }
        guard !recent.paths.contains(path.absolute), let mark = FileIdentity(path: path).map(FileMark.init) else {
            return nil
        }
        return recent.paths.first { recent.marks[$0] == mark }.flatMap { recent.places[$0] }
    }

    /// Stores the position in a file that is closed, by its absolute path with symbolic links resolved. A position
    /// at the start removes the stored one. Blocks.
    static func keep(_ place: Place, of path: FilePath, in file: SmallFile = file) {
        change(file) {
            if !$0.paths.contains(path) { $0.note(path) }
            $0.places[path] = $0.paths.contains(path) && !place.isStart ? place : nil
            $0.marks[path] = $0.places[path] == nil ? nil : FileIdentity(path: path).map(FileMark.init)
        }
    }

    private static func change(_ file: SmallFile, _ change: (inout RecentFiles) -> Void) {
        _ = file.change { bytes in
            let old = RecentFiles(bytes: bytes)
            var recent = old
            change(&recent)
            // Drop the last files of a list that is too large to be read again, because of very long paths.
            while recent.bytes.count >= SmallFile.limit { recent.dropLast(1) }
            return recent == old ? nil : recent.bytes
        }
    }

    /// The list in its stored form, which ``init(bytes:)`` reads.
    var bytes: [UInt8] {
        paths.flatMap { path in
            let mark = marks[path].map { " \($0.device) \($0.inode) \($0.seconds)" } ?? ""
            let place = places[path].map { "\t\($0.caret.value) \($0.top.value)\(mark)\n" } ?? ""
            return Array("\(path.description)\n\(place)".utf8)
        }
    }

    /// Moves a file that was opened or saved to the front, or adds it there; files beyond the maximum number are
    /// dropped.
    mutating func note(_ path: FilePath) {
        guard path.isAbsolute else { return }
        paths.removeAll { $0 == path }
        paths.insert(path, at: 0)
        dropLast(paths.count - Self.limit)
    }

    private mutating func dropLast(_ count: Int) {
        for path in paths.suffix(max(0, count)) { (places[path], marks[path]) = (nil, nil) }
        paths.removeLast(max(0, count))
    }
}

extension RecentFiles.Place {
    /// Creates the position from a line that begins with a tab; nil if it is invalid, or an offset is larger than half
    /// of the range of `Int`.
    fileprivate init?(line: ArraySlice<UInt8>) {
        let numbers = String(decoding: line.dropFirst(), as: UTF8.self).split(separator: " ").map { Int($0) }
        guard numbers.count >= 2, let caret = numbers[0], let top = numbers[1] else { return nil }
        let range = 0...(Int.max / 2)
        guard range.contains(caret), range.contains(top) else { return nil }
        self.init(caret: UTF16Offset(caret), top: UTF16Offset(top))
    }
}

extension RecentFiles.FileMark {
    /// Creates the identity of a file from the words after the position in a line; nil if they are invalid.
    fileprivate init?(line: ArraySlice<UInt8>) {
        let numbers = String(decoding: line.dropFirst(), as: UTF8.self).split(separator: " ").dropFirst(2).map(
            String.init)
        guard numbers.count == 3, let device = UInt64(numbers[0]), let inode = UInt64(numbers[1]),
            let seconds = Int(numbers[2])
        else { return nil }
        (self.device, self.inode, self.seconds) = (device, inode, seconds)
    }
}
