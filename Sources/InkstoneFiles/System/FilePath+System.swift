import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The questions about a name that the disk answers.
extension FilePath {
    /// The name of an entry of a directory, as `readdir` gives it.
    package init(entry: UnsafeMutablePointer<dirent>) {
        self = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { FilePath(cString: $0) }
        }
    }

    /// The working directory; nil if it cannot be named.
    package static var workingDirectory: FilePath? {
        guard let current = getcwd(nil, 0) else { return nil }
        defer { free(current) }
        // One that cannot be reached from the root is named "(unreachable)…" by the kernel.
        let path = FilePath(cString: current)
        return path.isAbsolute ? path : nil
    }

    /// The name with all links in it followed and no `.` or `..`; nil if there is no such file.
    private var real: FilePath? {
        guard let resolved = realpath(cString, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(cString: resolved)
    }

    /// The name from the root, with the links on the way followed. Of a file that does not exist those of its directory are.
    package var absolute: FilePath {
        if let real { return real }
        let (folder, name) = (directoryPrefix, nameInDirectory)
        if let parent = (folder.isEmpty ? "." : folder).real { return parent.appending(name) }
        guard !isAbsolute, let current = Self.workingDirectory else { return self }
        return current.appending(self)
    }

    /// Whether both name one file: by device and inode, whatever links lead there; where there is none, whether it would be one.
    package func isSameFile(as other: FilePath) -> Bool {
        var (first, second) = (stat(), stat())
        switch (stat(cString, &first), stat(other.cString, &second)) {
        case (0, 0): return first.st_dev == second.st_dev && first.st_ino == second.st_ino
        case (0, _), (_, 0): return false
        default: return absolute == other.absolute
        }
    }
}
