import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The journals, and backups of saves, that the user did not want, which were set aside. They are kept for a person who looks for them, but not for ever.
/// Journals that nobody has decided about are never removed.
enum IgnoredJournals {
    static let suffix = ".ignored"
    /// The suffix of those that cannot be read; they stay.
    static let unreadable = ".unreadable"
    /// For how long one is kept, in seconds from the moment when it was set aside.
    static let longest = 30 * 24 * 60 * 60

    /// Removes those of a directory that are too old at `now`, in seconds since 1970.
    static func prune(in directory: FilePath, now: Int = time(nil)) {
        for name in JournalDirectory.names(in: directory)
        where name.hasSuffix(".journal" + suffix) || name.hasSuffix(SaveBackup.suffix + suffix) {
            var status = stat()
            let path = directory.appending(name).cString
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(),
                // Renaming is what changed its inode last.
                status.st_ctim.tv_sec < now - longest
            else { continue }
            unlink(path)
        }
    }
}
