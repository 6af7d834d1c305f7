import Glibc
import Inkstone

/// The names of files.
extension EditedFile {
    /// The file that a person means by a name: `~` is the home; what cannot be in a name is left out. Nil if it names none.
    static func path(typed text: String) -> String? {
        let line = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
        guard let last = line.last, last != "/", !line.allSatisfy({ $0 == " " }) else { return nil }
        if line.hasPrefix("~/"), let home = UserDirectory.home { return home + line.dropFirst() }
        return line
    }

    /// Why a file cannot be opened, as far as its name tells; nil if nothing is known to stand against it, or it does not exist.
    static func problem(opening path: String) -> TextFileError? {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == EACCES ? .permissionDenied(path: path) : nil }
        if status.st_mode & S_IFMT == S_IFDIR { return .isDirectory(path: path) }
        return access(path, R_OK) == 0 ? nil : .permissionDenied(path: path)
    }

    /// The folder that a file lies in, with a slash at its end.
    static func folder(of path: String) -> String {
        let path = absolute(path)
        return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    /// Whether two names are of one file, by links of any kind too, or would be if it existed.
    static func areSame(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        if stat(a, &first) == 0, stat(b, &second) == 0 {
            return first.st_dev == second.st_dev && first.st_ino == second.st_ino
        }
        return absolute(a) == absolute(b)
    }

    /// The path from the root, with the links on the way followed: two names of one file are the same then.
    static func absolute(_ path: String) -> String {
        func real(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if let whole = real(path) { return whole }
        guard let slash = path.lastIndex(of: "/") else { return (real(".") ?? "") + "/" + path }
        let directory = String(path[...slash])
        let parent = real(directory) ?? directory
        return parent + (parent.hasSuffix("/") ? "" : "/") + path[path.index(after: slash)...]
    }
}
