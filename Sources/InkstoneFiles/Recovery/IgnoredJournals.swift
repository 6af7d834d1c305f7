#if canImport(Glibc)
    import Glibc
#endif

/// The journals that could not be used, or were not wanted, and were set aside. They are kept for a person who looks for
/// them, but not for ever.
enum IgnoredJournals {
    static let suffix = ".ignored"
    /// Most that are kept: the ones set aside last.
    static let most = 20
    /// For how long one is kept, in seconds from the moment when it was set aside.
    static let longest = 30 * 24 * 60 * 60

    /// Removes those of a directory that are too old at `now`, in seconds since 1970, and the oldest of too many.
    static func prune(in directory: String, now: Int = time(nil)) {
        guard let entries = opendir(directory) else { return }
        defer { closedir(entries) }
        var kept: [(path: String, time: Int)] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard name.hasSuffix(".journal" + suffix), lstat("\(directory)/\(name)", &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
            else { continue }
            // Renaming is what changed its inode last.
            kept.append(("\(directory)/\(name)", status.st_ctim.tv_sec))
        }
        kept.sort { ($0.time, $0.path) > ($1.time, $1.path) }
        for (i, journal) in kept.enumerated() where i >= most || journal.time < now - longest { unlink(journal.path) }
    }
}
