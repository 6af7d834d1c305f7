import Glibc
import Inkstone

/// The names of files.
extension EditedFile {
    /// The file that a person means by a name: `~` is the home, `~name` another user's, `\\x` and two digits a byte; control characters,
    /// which come with a paste, are left out. Nil if it names none.
    static func path(typed text: String) -> FilePath? {
        let line = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }
        guard let last = line.last, last != "/", !line.allSatisfy({ $0 == " " }) else { return nil }
        return FilePath(typed: String(String.UnicodeScalarView(line))).expandingHome
    }

    /// Why a file cannot be opened, as far as its name tells; nil if nothing is known to stand against it, or it does not exist. Blocks.
    static func problem(opening path: FilePath) -> TextFileError? {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return errno == EACCES ? .permissionDenied(path: path) : nil }
        if status.st_mode & S_IFMT == S_IFDIR { return .isDirectory(path: path) }
        return access(path.cString, R_OK) == 0 ? nil : .permissionDenied(path: path)
    }

    /// The folder that a file would lie in, if the disk says that there is none of that name. Blocks.
    static func missingFolder(of path: FilePath) -> FilePath? {
        var status = stat()
        guard stat(path.cString, &status) != 0, [ENOENT, ENOTDIR].contains(errno) else { return nil }
        let folder = path.directory
        if stat(folder.cString, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? nil : folder }
        return [ENOENT, ENOTDIR].contains(errno) ? folder : nil
    }

    /// The file's name, for titles and questions: see ``FilePath/label(_:limit:)``.
    var displayName: String {
        guard let name = shownPath?.lastComponent, !name.isEmpty else {
            return page?.title ?? (untitledNumber > 1 ? Words.untitled(untitledNumber) : Words.untitled)
        }
        return FilePath.label(name.description, limit: 60)
    }

    /// The folder that the file lies in as a person reads it, with `~` for the home; nil if there is no file. By the name alone: its disk
    /// may be slow.
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

    /// The folder that names without one are looked for in, with a slash at its end.
    static var workingFolder: FilePath { (FilePath.workingDirectory ?? ".").appending("") }
}

extension FilePath {
    /// The name with the home in place of `~`, or with that of a user in place of `~name`, as a shell reads it; unchanged if there is none.
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
