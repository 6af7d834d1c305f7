import Glibc
import Inkstone
import InkstoneFiles

/// The paths of files, as typed and as shown to the user.
extension EditedFile {
    /// Returns the path for a name that the user typed: `~` stands for the user's home, `~name` for the home of another
    /// user, and `\x` with two hexadecimal digits for a byte. Control characters, which may come from a paste, are
    /// dropped. Nil if the text names no file: if it is empty, consists of blanks, or ends in a slash.
    static func path(typed text: String) -> FilePath? {
        let line = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }
        guard let last = line.last, last != "/", !line.allSatisfy({ $0 == " " }) else { return nil }
        return FilePath(typed: String(String.UnicodeScalarView(line))).expandingHome
    }

    /// Returns the reason why a file cannot be opened: it is a folder, or permission is lacking. Nil otherwise, also
    /// if the file does not exist. Blocks.
    static func problem(opening path: FilePath) -> TextFileError? {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return errno == EACCES ? .permissionDenied(path: path) : nil }
        if status.st_mode & S_IFMT == S_IFDIR { return .isDirectory(path: path) }
        return access(path.cString, R_OK) == 0 ? nil : .permissionDenied(path: path)
    }

    /// Returns the folder of a file if there is no such folder. Nil if there is one, or if that cannot be found out,
    /// for example for lack of permission. Blocks.
    static func missingFolder(of path: FilePath) -> FilePath? {
        var status = stat()
        guard stat(path.cString, &status) != 0, [ENOENT, ENOTDIR].contains(errno) else { return nil }
        let folder = path.directory
        if stat(folder.cString, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? nil : folder }
        return [ENOENT, ENOTDIR].contains(errno) ? folder : nil
    }

    /// The file's name, for titles and questions, shortened by ``FilePath/label(_:limit:)``; without a file the
    /// title of the page, or “Untitled” with a number.
    var displayName: String {
        guard let name = shownPath?.lastComponent, !name.isEmpty else {
            return page?.title ?? (untitledNumber > 1 ? Words.untitled(untitledNumber) : Words.untitled)
        }
        return FilePath.label(name.description, limit: 60)
    }

    /// The folder of the file as shown to the user, with `~` for the home; nil without a file. Computed without
    /// access to the disk, which may be slow.
    var displayFolder: String? {
        guard var path = shownPath else { return nil }
        if !path.isAbsolute {
            guard let current = FilePath.workingDirectory else { return nil }
            path = current.appending(path)
        }
        let folder = path.directory
        guard let home = UserDirectory.home, home.bytes.count > 1, let rest = folder.remainder(in: home) else {
            return folder.label
        }
        return FilePath.label("~" + rest.description)
    }

    /// The folder that relative file names refer to, with a slash at its end.
    static var workingFolder: FilePath { (FilePath.workingDirectory ?? ".").appending("") }
}

extension FilePath {
    /// The absolute path: a relative one is completed by the working folder.
    var fromWorkingFolder: FilePath { isAbsolute ? self : EditedFile.workingFolder.appending(self) }

    /// The path with a leading `~` replaced by the user's home, or a leading `~name` by that user's home, as in a
    /// shell; unchanged if there is no such home.
    var expandingHome: FilePath {
        guard bytes.first == UInt8(ascii: "~") else { return self }
        let end = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
        let (user, rest) = (bytes[1..<end], bytes[end...])
        var home: FilePath?
        if user.isEmpty {
            home = UserDirectory.home
        } else if let entry = getpwnam(FilePath(user).cString), let directory = entry.pointee.pw_dir {
            home = FilePath(cString: directory)
        }
        guard let home, home.isAbsolute else { return self }
        return FilePath(home.bytes + rest)
    }
}
