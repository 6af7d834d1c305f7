import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A save in place that was cut off: the file has part of the new text and part of the old one, and the old one is here.
public struct InterruptedSave: Sendable {
    /// The file that was written.
    public let path: FilePath
    /// The copy of its old bytes.
    public let backupPath: FilePath

    /// The saves of a file that were cut off, on a thread of its own. `post` runs a closure on the owner's thread; `receive` is called
    /// there.
    public static func search(
        of path: FilePath, directory: FilePath = RecoveryJournal.defaultDirectory, post: @escaping TextFileLoader.Post,
        receive: @escaping ([InterruptedSave]) -> Void
    ) {
        // Called only by what `post` runs on the owner's thread.
        nonisolated(unsafe) let receive = receive
        let thread = try? BackgroundThread.start {
            let found = all(of: path, directory: directory)
            post { receive(found) }
        }
        guard let thread else { return post { receive([]) } }
        pthread_detach(thread)
    }

    /// The saves of a file, named from the root, that were cut off. Backups of files that have the old content, or all of the new one, are
    /// removed. Blocks.
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
            // The numbers only say of which files to ask: those of a removed one are soon another's.
            let mayBeSame = identity.map { $0.device == numbers[0] && $0.inode == numbers[1] } ?? false
            // Without the lock, which would keep others from it for as long as the files are read.
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

    /// Sets the backups of a file, named from the root, aside after a complete save, so that none is offered. They are kept for 30 days.
    static func setAside(of path: FilePath, in directory: FilePath) {
        for name in JournalDirectory.names(in: directory) where name.hasSuffix(SaveBackup.suffix) {
            let backup = directory.appending(name)
            if target(of: backup) == path { SaveBackup(claiming: backup)?.setAside() }
        }
    }

    /// All saves that were cut off, as far as they can be told without their files, whose disks may hang: some files may have the whole of
    /// the old or the new text. With those whose backups were set aside, of which the file is not known any more.
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

    /// Removes what was not complete when its process was killed: its file was not touched.
    private static func removeUnfinished(_ names: [FilePath], in directory: FilePath) {
        for name in names where name.hasSuffix(SaveBackup.unfinished) {
            let path = directory.appending(name)
            guard let claim = SaveBackup(claiming: path) else { continue }
            unlink(path.cString)
            claim.release()
        }
        for name in names where name.hasSuffix(SaveBackup.link) {
            let stem = directory.appending(name.dropping(suffix: SaveBackup.link))
            // In the order in which one becomes the other.
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

    /// Puts the old bytes back into the file, and removes the backup when the disk has them. What the file had instead stays for some time
    /// as a file whose name ends in `.backup.ignored`. Blocks.
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

    /// Leaves the file as it is. The backup stays for some time as a file whose name ends in `.backup.ignored`. Returns its path; nil if
    /// another process has taken it up.
    @discardableResult
    public func setAside() -> FilePath? {
        guard let claim = SaveBackup(claiming: backupPath) else { return nil }
        claim.setAside()
        return backupPath.appending(suffix: IgnoredJournals.suffix)
    }
}
