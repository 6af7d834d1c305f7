import Glibc
import Inkstone

/// The paths of files, as typed and as shown.
extension EditedFile {
    /// Returns the path for a typed name: `~` is the home, `~name` another user's, `\\x` and two digits a byte; control characters,
    /// which may come from a paste, are dropped. Nil if the text names no file.
    static func path(typed text: String) -> FilePath? {
        let line = text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f }
        guard let last = line.last, last != "/", !line.allSatisfy({ $0 == " " }) else { return nil }
        return FilePath(typed: String(String.UnicodeScalarView(line))).expandingHome
    }

    /// Returns the reason why a file cannot be opened, from its status alone; nil if none is known, or it does not exist. Blocks.
    static func problem(opening path: FilePath) -> TextFileError? {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return errno == EACCES ? .permissionDenied(path: path) : nil }
        if status.st_mode & S_IFMT == S_IFDIR { return .isDirectory(path: path) }
        return access(path.cString, R_OK) == 0 ? nil : .permissionDenied(path: path)
    }

    /// Returns the folder of a file if the disk reports that it does not exist. Blocks.
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

    /// The folder of the file as shown to the user, with `~` for the home; nil without a file. Computed from the path alone, because its disk
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

    /// The folder for names without one, with a slash at its end.
    static var workingFolder: FilePath { (FilePath.workingDirectory ?? ".").appending("") }
}

extension FilePath {
    /// The absolute path of a name in the working folder.
    var fromWorkingFolder: FilePath { isAbsolute ? self : EditedFile.workingFolder.appending(self) }

    /// The path with `~` replaced by the home, or `~name` by that user's home, as in a shell; unchanged if there is none.
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
