import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The journals and backups that were set aside because the user did not want to recover them. They are kept for a
/// while, in case the user wants them after all. Journals about which the user has not decided are not removed
/// here.
enum IgnoredJournals {
    static let suffix = ".ignored"
    /// The suffix of ignored journals that cannot be read. These are never removed.
    static let unreadable = ".unreadable"
    /// The time for which a journal that was set aside is kept, in seconds.
    static let longest = 30 * 24 * 60 * 60

    /// Removes the journals and backups of a directory that were set aside more than `longest` seconds before
    /// `now`. `now` is in seconds since 1970.
    static func prune(in directory: FilePath, now: Int = time(nil)) {
        for name in JournalDirectory.names(in: directory)
        where name.hasSuffix(".journal" + suffix) || name.hasSuffix(SaveBackup.suffix + suffix) {
            var status = stat()
            let path = directory.appending(name).cString
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_uid == geteuid(),
                // Compare the time of the inode's last change, which was the renaming that set the file aside.
                status.st_ctim.tv_sec < now - longest
            else { continue }
            unlink(path)
        }
    }
}
