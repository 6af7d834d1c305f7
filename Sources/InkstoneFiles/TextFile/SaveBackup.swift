import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A backup of the bytes of a file while the file is written in place. The backup is stored beside the journals. It
/// is kept until the new bytes are on the disk.
///
/// The backup contains only the file's bytes, so that the user can copy it. Its name contains the file's device and
/// inode, and the size and hash of the content that the file is to have. A symbolic link beside the backup, with
/// another suffix, leads to the file. The process that made the backup keeps it locked until the process ends or
/// releases it.
struct SaveBackup {
    static let suffix = ".backup"
    static let unfinished = ".backup.new"
    static let link = ".target"

    let path: FilePath
    private let descriptor: Int32
    /// The size of the backup in bytes.
    private let size: Int

    /// Creates a backup with the bytes of an open file. Returns when the copy and its name are on the disk.
    ///
    /// - Parameters:
    ///   - old: the status of the file.
    ///   - target: the file's absolute path; nil if the copy is not to be offered for recovery.
    ///   - new: the content that the file is to have.
    init(
        of file: Int32, _ old: stat, at target: FilePath?, before new: FileContents, in directory: FilePath
    ) throws(JournalDisk.Failure) {
        do throws(RecoveryError) {
            try JournalDirectory.make(directory)
        } catch {
            throw .init(step: error.step, code: error.code)
        }
        let disk = JournalDisk()
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        let numbers = [UInt64(old.st_dev), UInt64(old.st_ino), UInt64(new.size), new.high, new.low]
        let name = "\(random)-" + numbers.map { String($0, radix: 16) }.joined(separator: "-")
        let stem = directory.appending(FilePath(name))
        let temporary = stem.appending(suffix: Self.unfinished)
        path = stem.appending(suffix: target == nil ? Self.suffix + IgnoredJournals.suffix : Self.suffix)
        let link = stem.appending(suffix: Self.link).cString
        // Lock the copy before it gets the name by which searches find it.
        descriptor = try disk.create(temporary, true).get()
        do throws(JournalDisk.Failure) {
            size = try Self.copy(file, to: descriptor)
            if let code = disk.sync(descriptor) { throw .init(step: "fsync", code: code) }
            if let target, symlink(target.cString, link) != 0 { throw .init(step: "symlink", code: errno) }
            if let code = disk.rename(temporary, path) { throw .init(step: "rename", code: code) }
            if let code = disk.syncDirectory(directory) { throw .init(step: "fsync", code: code) }
        } catch {
            unlink(temporary.cString)
            unlink(path.cString)
            unlink(link)
            FileLock.close(descriptor)
            throw error
        }
    }

    /// Creates the value for a backup that another process has left, and locks it. Nil if a process has locked the
    /// backup, or if the backup is gone.
    init?(claiming path: FilePath, pause: () -> Void = FileLock.pause) {
        // Open the backup for writing too. On a network file system, a lock needs a descriptor that is open for
        // writing.
        let descriptor = open(path.cString, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 0,
            FileLock.takeFromReaders(descriptor, pause: pause) != .held, fstat(descriptor, &status) == 0,
            status.st_nlink > 0
        else {
            FileLock.close(descriptor)
            return nil
        }
        (self.path, self.descriptor, size) = (path, descriptor, Int(status.st_size))
    }

    /// Whether a backup exists that no process is known to have locked. If so, the process that made it has ended or
    /// released it, and no process has claimed it. On a file system without locks, this is only assumed.
    static func isLeft(at path: FilePath) -> Bool {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { FileLock.close(descriptor) }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink > 0
            && FileLock.take(descriptor, isExclusive: false) != .held
    }

    /// Copies one file to another, both from their starts. Returns the number of bytes copied.
    private static func copy(_ source: Int32, to copy: Int32) throws(JournalDisk.Failure) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        var done = 0
        while true {
            let (count, error) = FileTransfer.read(into: buffer, from: source, at: done)
            if let error { throw .init(step: "read", code: error) }
            if count == 0 { return done }
            if let code = FileTransfer.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: copy, at: done) {
                throw .init(step: "write", code: code)
            }
            done += count
        }
    }

    /// Writes the old bytes back to the file, and waits until they are on the disk. Returns the step that failed;
    /// nil if none did.
    func putBack(into file: Int32) -> JournalDisk.Failure? {
        // Open the backup again for reading.
        let source = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard source >= 0 else { return .init(step: "open", code: errno) }
        defer { close(source) }
        do throws(JournalDisk.Failure) {
            guard try Self.copy(source, to: file) == size else { return .init(step: "read", code: EIO) }
        } catch {
            return error
        }
        guard ftruncate(file, off_t(size)) == 0 else { return .init(step: "ftruncate", code: errno) }
        return FileTransfer.sync(file).map { .init(step: "fsync", code: $0) }
    }

    /// Removes the backup. Call when the file contains either all new bytes or the old ones again.
    func remove() {
        unlink(path.cString)
        unlink(Self.link(of: path).cString)
        FileLock.close(descriptor)
    }

    /// Renames the backup, so that searches do not find it. It is kept for some time.
    func setAside() {
        let aside = path.appending(suffix: IgnoredJournals.suffix)
        if rename(path.cString, aside.cString) == 0 { unlink(Self.link(of: path).cString) }
        FileLock.close(descriptor)
    }

    /// Releases the lock, but keeps the backup. A later save of the same file sets it aside, if the save succeeds.
    /// Otherwise the next start of the program finds the backup.
    func release() { FileLock.close(descriptor) }

    /// Returns the path of the link that leads from a backup to its file.
    static func link(of path: FilePath) -> FilePath { path.dropping(suffix: suffix).appending(suffix: link) }

    /// Returns the numbers in the name of a backup: device and inode of the file, and size and hash of the content
    /// that the file was to have.
    static func numbers(in name: FilePath) -> [UInt64] {
        name.dropping(suffix: suffix).bytes.split(separator: UInt8(ascii: "-")).dropFirst().map {
            UInt64(String(decoding: $0, as: UTF8.self), radix: 16) ?? 0
        }
    }
}
