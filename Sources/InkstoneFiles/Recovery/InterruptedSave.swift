import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A save in place that was interrupted. The file contains part of the new text and part of the old one. The backup
/// contains all of the old text.
public struct InterruptedSave: Sendable {
    /// The file whose save was interrupted.
    public let path: FilePath
    /// The path of the backup, which has the file's old bytes.
    package let backupPath: FilePath

    /// Searches for interrupted saves of a file on a background thread; finds none if no thread can be started. Calls
    /// `receive` with the result on the caller's thread: `post` must run its closure there.
    public static func search(
        of path: FilePath, directory: FilePath = RecoveryJournal.defaultDirectory, post: @escaping TextFileLoader.Post,
        receive: @escaping ([InterruptedSave]) -> Void
    ) {
        // `receive` is not Sendable, but is called only in closures passed to `post`, which run on the caller's thread.
        nonisolated(unsafe) let receive = receive
        let thread = try? BackgroundThread.start {
            let found = all(of: path, directory: directory)
            post { receive(found) }
        }
        guard let thread else { return post { receive([]) } }
        pthread_detach(thread)
    }

    /// Returns the interrupted saves of a file. `path` must be absolute. If the file contains all of the old
    /// content, or all of the new content, the backup is removed. Blocks.
    public static func all(
        of path: FilePath, directory: FilePath = RecoveryJournal.defaultDirectory
    ) -> [InterruptedSave] {
        let names = JournalDirectory.names(in: directory)
        removeUnfinished(names, in: directory)
        let backups = names.filter { $0.hasSuffix(SaveBackup.suffix) }
        guard !backups.isEmpty else { return [] }
        let identity = FileIdentity(path: path)
        return backups.compactMap { name in
            let backup = directory.appending(name)
            let numbers = SaveBackup.numbers(in: name)
            guard numbers.count == 5 else { return nil }
            guard let target = target(of: backup) else { return nil }
            // Use device and inode only to select the files to check: the numbers of a removed file are soon used
            // again.
            let mayBeSame = identity.map { $0.device == numbers[0] && $0.inode == numbers[1] } ?? false
            // Check without claiming the backup: a claim would lock it, and so block other processes while the files
            // are read.
            guard target == path || mayBeSame && target.isSameFile(as: path), SaveBackup.isLeft(at: backup) else {
                return nil
            }
            let new = FileContents(size: Int(truncatingIfNeeded: numbers[2]), high: numbers[3], low: numbers[4])
            if let now = FileContents(path: path), now == new || now == FileContents(path: backup) {
                SaveBackup(claiming: backup)?.remove()
                return nil
            }
            return InterruptedSave(path: path, backupPath: backup)
        }
    }

    /// Sets the file's backups aside after a complete save. None of them is then offered for recovery. `path` must
    /// be absolute. The backups are kept for 30 days.
    static func setAside(of path: FilePath, in directory: FilePath) {
        for name in JournalDirectory.names(in: directory) where name.hasSuffix(SaveBackup.suffix) {
            let backup = directory.appending(name)
            if target(of: backup) == path { SaveBackup(claiming: backup)?.setAside() }
        }
    }

    /// Lists the interrupted saves. Does not read the saved files, because their disks may hang. So some of these
    /// files may contain all of the old text or all of the new text. The list includes backups that were set aside.
    /// Their `path` is nil, because the name of their file is no longer known.
    public static func listed(
        in directory: FilePath = RecoveryJournal.defaultDirectory
    ) -> [(path: FilePath?, backupPath: FilePath, time: Int)] {
        JournalDirectory.names(in: directory).sorted().compactMap { name in
            let backup = directory.appending(name)
            var status = stat()
            let isAside = name.hasSuffix(SaveBackup.suffix + IgnoredJournals.suffix)
            guard isAside || name.hasSuffix(SaveBackup.suffix) && SaveBackup.isLeft(at: backup),
                lstat(backup.cString, &status) == 0
            else { return nil }
            return (isAside ? nil : target(of: backup), backup, status.st_mtim.tv_sec)
        }
    }

    /// Removes incomplete backups. The process that made such a backup was killed before it had changed the file,
    /// so the file is intact.
    private static func removeUnfinished(_ names: [FilePath], in directory: FilePath) {
        for name in names where name.hasSuffix(SaveBackup.unfinished) {
            let path = directory.appending(name)
            guard let claim = SaveBackup(claiming: path) else { continue }
            unlink(path.cString)
            claim.release()
        }
        for name in names where name.hasSuffix(SaveBackup.link) {
            let stem = directory.appending(name.dropping(suffix: SaveBackup.link))
            // Check the two names in the order in which a backup gets them, the unfinished name first. If a backup
            // is renamed between the two checks, the second check finds it.
            let isNeeded = [SaveBackup.unfinished, SaveBackup.suffix].contains {
                access(stem.appending(suffix: $0).cString, F_OK) == 0
            }
            if !isNeeded { unlink(directory.appending(name).cString) }
        }
    }

    private static func target(of backup: FilePath) -> FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(SaveBackup.link(of: backup).cString, &buffer, buffer.count)
        return count > 0 ? FilePath(buffer[..<count].map { UInt8(bitPattern: $0) }) : nil
    }

    /// Writes the old bytes back to the file. Removes the backup once the bytes are on the disk. The content that
    /// the file has now is kept for some time, in a file whose name ends in `.backup.ignored`. Blocks.
    public func restore() throws(TextFileError) {
        guard let claim = SaveBackup(claiming: backupPath) else {
            throw .writeFailed(path: path, step: "flock", code: EBUSY)
        }
        do throws(TextFileError) {
            var now = stat()
            guard stat(path.cString, &now) == 0 else { throw .writeFailed(path: path, step: "stat", code: errno) }
            let file = try InPlaceWriter.open(path, path, now)
            defer { close(file) }
            let directory = backupPath.directory
            let aside: SaveBackup
            do throws(JournalDisk.Failure) {
                aside = try SaveBackup(of: file, now, at: nil, before: FileContents([]), in: directory)
            } catch {
                throw .backupFailed(path: path, directory: directory, code: error.code)
            }
            aside.release()
            if let failure = claim.putBack(into: file) {
                throw .halfWritten(path: path, backup: backupPath, step: failure.step, code: failure.code)
            }
        } catch {
            claim.release()
            throw error
        }
        claim.remove()
    }

    /// Sets the backup aside, and leaves the file unchanged. The backup is kept for some time, under a name that
    /// ends in `.backup.ignored`. Returns its new path. Nil if another process has claimed the backup, or if the
    /// backup is gone.
    @discardableResult
    public func setAside() -> FilePath? {
        guard let claim = SaveBackup(claiming: backupPath) else { return nil }
        claim.setAside()
        return backupPath.appending(suffix: IgnoredJournals.suffix)
    }
}
