import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// A writer that overwrites a file in place, so that its inode, links and owner stay the same.
///
/// A backup of the file's old bytes is on the disk before the first new byte is written. It is kept until the last
/// new byte is on the disk. After a failure, the old bytes are restored from it. If the process is killed during a
/// save, ``InterruptedSave`` finds the backup.
struct InPlaceWriter {
    private let path: FilePath
    private let target: FilePath
    private let old: stat
    private let directory: FilePath

    /// Creates a writer for one file.
    ///
    /// - Parameters:
    ///   - path: the file as named in errors.
    ///   - target: the path with symbolic links at its end resolved.
    ///   - old: the status of the present file.
    ///   - directory: the directory for the backup.
    init(path: FilePath, target: FilePath, old: stat, keepingIn directory: FilePath) {
        (self.path, self.target, self.old, self.directory) = (path, target, old, directory)
    }

    /// Writes a text, and returns the file's new identity. `willWrite` is called with the new content when the
    /// backup is on the disk. It may throw to stop the save.
    func write(
        _ text: Rope, _ format: TextFileFormat, keeping original: OriginalFile? = nil,
        willWrite: (FileContents) throws(TextFileError) -> Void
    ) throws(TextFileError) -> FileIdentity {
        // Encode the text once before anything is changed. This shows whether the encoding can represent the text.
        var hasher = ContentHasher()
        try TextFile.encode(text, format, path, keeping: original) { bytes throws(TextFileError) in hasher.update(bytes)
        }
        let new = hasher.contents
        let descriptor = try Self.open(target, path, old)
        defer { close(descriptor) }
        let backup = try keep(descriptor, before: new)
        do throws(TextFileError) {
            try willWrite(new)
            try Self.reserve(new.size, old, descriptor, path)
        } catch {
            backup.remove()
            throw error
        }
        do throws(TextFileError) {
            var (offset, original) = (0, original)
            // If the original file is the one that is overwritten, read its bytes from the backup.
            if original?.path.isSameFile(as: target) == true { original?.path = backup.path }
            try TextFile.encode(text, format, path, keeping: original) { bytes throws(TextFileError) in
                if let code = FileTransfer.write(bytes, to: descriptor, at: offset) {
                    throw .failure(writing: path, step: "write", code: code, size: new.size)
                }
                offset += bytes.count
            }
            try Self.finish(descriptor, size: new.size, path)
        } catch {
            if let failure = backup.putBack(into: descriptor) {
                backup.release()
                throw .halfWritten(path: path, backup: backup.path, step: failure.step, code: failure.code)
            }
            // Restore the file's times as well as its old bytes.
            _ = futimens(descriptor, [old.st_atim, old.st_mtim])
            backup.remove()
            throw error
        }
        // Writing by another user than the owner clears the set-user-ID bits. If the mode has changed, try to
        // restore it. Only the owner and root may do so.
        var status = stat()
        fstat(descriptor, &status)
        if status.st_mode != old.st_mode { _ = fchmod(descriptor, old.st_mode & 0o7777) }
        backup.remove()
        return FileIdentity(status)
    }

    /// Opens a file for writing, and for reading its old bytes. Throws if it cannot be opened, is not regular, or
    /// is another file than before. Does not block, even if the file is not regular.
    static func open(_ target: FilePath, _ path: FilePath, _ old: stat) throws(TextFileError) -> Int32 {
        let descriptor = Glibc.open(target.cString, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .changedOnDisk(path: path, change: .removed)
            case ELOOP: throw .changedOnDisk(path: path, change: .replaced)
            case EISDIR: throw .isDirectory(path: path)
            case ENXIO: throw .isNoFileToSave(path: path, kind: "pipe")
            case EACCES, EPERM: throw .readOnlyFile(path: path)
            default: throw .writeFailed(path: path, step: "open", code: errno)
            }
        }
        var status = stat()
        fstat(descriptor, &status)
        do throws(TextFileError) {
            try TextFile.checkKind(status, path)
            guard status.st_dev == old.st_dev, status.st_ino == old.st_ino else {
                throw .changedOnDisk(path: path, change: .replaced)
            }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private func keep(_ descriptor: Int32, before new: FileContents) throws(TextFileError) -> SaveBackup {
        do throws(JournalDisk.Failure) {
            return try SaveBackup(of: descriptor, old, at: target.absolute, before: new, in: directory)
        } catch {
            throw .backupFailed(path: path, directory: directory, code: error.code)
        }
    }

    /// Reserves disk space for a file that grows, before any of it is overwritten. Some file systems have no
    /// reservations. On these, a full disk is noticed only later.
    private static func reserve(_ size: Int, _ old: stat, _ descriptor: Int32, _ path: FilePath) throws(TextFileError) {
        let length = Int(old.st_size)
        guard size > length else { return }
        let code = posix_fallocate(descriptor, off_t(length), off_t(size - length))
        guard [ENOSPC, EDQUOT, EFBIG].contains(code) else { return }
        if ftruncate(descriptor, old.st_size) == 0 { _ = futimens(descriptor, [old.st_atim, old.st_mtim]) }
        throw .failure(writing: path, step: "fallocate", code: code, size: size)
    }

    /// Truncates a file to its new size, and waits until it is on the disk.
    private static func finish(_ descriptor: Int32, size: Int, _ path: FilePath) throws(TextFileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw .writeFailed(path: path, step: "ftruncate", code: errno)
        }
        if let code = FileTransfer.sync(descriptor) {
            throw .failure(writing: path, step: "fsync", code: code, size: size)
        }
    }
}
