import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The properties of a path that need the disk.
extension FilePath {
    /// The name of a directory entry, as `readdir` returns it.
    package init(entry: UnsafeMutablePointer<dirent>) {
        self = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(cString: $0) }
        }
    }

    /// The working directory; nil if it has no path.
    package static var workingDirectory: FilePath? {
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        // The kernel names a directory that cannot be reached from the root "(unreachable)…".
        let path = FilePath(cString: current)
        return path.isAbsolute ? path : nil
    }

    /// The path with all links and `.` and `..` resolved; nil if there is no such file.
    private var real: FilePath? {
        guard let resolved = realpath(cString, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(cString: resolved)
    }

    /// The absolute path, with links resolved. For a file that does not exist, the links of its directory are resolved.
    package var absolute: FilePath {
        if let real { return real }
        let (folder, name) = (directoryPrefix, nameInDirectory)
        if let parent = (folder.isEmpty ? "." : folder).real { return parent.appending(name) }
        guard !isAbsolute, let current = Self.workingDirectory else { return self }
        return current.appending(self)
    }

    /// Whether both paths name one file: by device and inode, through all links; if there is no file, whether they would name the same one.
    package func isSameFile(as other: FilePath) -> Bool {
        var (first, second) = (stat(), stat())
        switch (stat(cString, &first), stat(other.cString, &second)) {
        case (0, 0): return first.st_dev == second.st_dev && first.st_ino == second.st_ino
        case (0, _), (_, 0): return false
        default: return absolute == other.absolute
        }
    }
}
