import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The properties of a path that need access to the file system.
extension FilePath {
    /// Creates a path of the name of a directory entry, as `readdir` returns it.
    package init(entry: UnsafeMutablePointer<dirent>) {
        self = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(cString: $0) }
        }
    }

    /// The working directory; nil if it has no path from the root.
    package static var workingDirectory: FilePath? {
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        // Return nil for a directory that cannot be reached from the root: the kernel's name of it begins with
        // "(unreachable)".
        let path = FilePath(cString: current)
        return path.isAbsolute ? path : nil
    }

    /// The path with all links and all `.` and `..` resolved. Nil if the file does not exist or cannot be reached.
    private var real: FilePath? {
        guard let resolved = realpath(cString, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(cString: resolved)
    }

    /// The absolute path, with links resolved. For a file that does not exist, only the links of its directory are
    /// resolved; if that does not exist either, no links.
    package var absolute: FilePath {
        if let real { return real }
        let (folder, name) = (directoryPrefix, nameInDirectory)
        if let parent = (folder.isEmpty ? "." : folder).real { return parent.appending(name) }
        guard !isAbsolute, let current = Self.workingDirectory else { return self }
        return current.appending(self)
    }

    /// Whether both paths lead to the same file, by device and inode, through all links. If neither file exists:
    /// whether both paths would create the same file.
    package func isSameFile(as other: FilePath) -> Bool {
        var (first, second) = (stat(), stat())
        switch (stat(cString, &first), stat(other.cString, &second)) {
        case (0, 0): return first.st_dev == second.st_dev && first.st_ino == second.st_ino
        case (0, _), (_, 0): return false
        default: return absolute == other.absolute
        }
    }
}
