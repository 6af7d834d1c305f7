import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The directory of the journals. It is used only if it belongs to the user and no one else may write to it.
enum JournalDirectory {
    /// `inkstone/recovery` under the XDG state directory. For a user without a home, a directory of this user under
    /// `/tmp`.
    static var standard: FilePath { UserDirectory.state.file("recovery") ?? temporary.appending("recovery") }

    private static var temporary: FilePath { FilePath("/tmp/inkstone-\(geteuid())") }

    /// Creates the directory and its missing parents (mode 0700), and checks that it may be used.
    static func make(_ path: FilePath) throws(RecoveryError) {
        var partial: FilePath = "/"
        for part in path.bytes.split(separator: UInt8(ascii: "/")) {
            partial = partial.appending(FilePath(part))
            if mkdir(partial.cString, 0o700) != 0, errno != EEXIST {
                throw RecoveryError(path: partial, step: "mkdir", code: errno)
            }
        }
        // Check the parent directory too if it is under /tmp, where another user may have created it.
        if path.directory == temporary, let error = problem(of: path.directory) { throw error }
        if let error = problem(of: path) { throw error }
    }

    /// Returns the reason why a directory must not be used; nil if it may be used. If the user owns the directory,
    /// the permissions of others are removed from it.
    static func problem(of path: FilePath) -> RecoveryError? {
        var status = stat()
        let above = path.directory
        guard stat(above.cString, &status) == 0 else { return RecoveryError(path: above, step: "stat", code: errno) }
        // Refuse a parent directory in which another user may rename entries. That user could replace this
        // directory.
        let isOurs = status.st_uid == geteuid() || status.st_uid == 0
        guard isOurs, status.st_mode & 0o002 == 0 || status.st_mode & S_ISVTX != 0 else {
            return RecoveryError(path: above, step: "use", code: EPERM)
        }
        let name = path.cString
        guard lstat(name, &status) == 0 else { return RecoveryError(path: path, step: "lstat", code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return RecoveryError(path: path, step: "use", code: ENOTDIR) }
        guard status.st_uid == geteuid() else { return RecoveryError(path: path, step: "use", code: EPERM) }
        guard status.st_mode & 0o077 == 0 || chmod(name, status.st_mode & 0o700) == 0 else {
            return RecoveryError(path: path, step: "chmod", code: errno)
        }
        return nil
    }

    /// Returns the names of the files in a directory, in any order. None if the directory must not be used.
    static func names(in path: FilePath) -> [FilePath] {
        guard problem(of: path) == nil, let entries = opendir(path.cString) else { return [] }
        defer { closedir(entries) }
        var names: [FilePath] = []
        while let entry = readdir(entries) { names.append(FilePath(entry: entry)) }
        return names
    }
}
