import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The system calls of a journal, as functions. Tests replace them to simulate a disk that hangs, is full, or loses
/// data. Most return nil for success, or the `errno` of a failure.
struct JournalDisk: Sendable {
    /// Creates and locks a file that only its owner may read. If the file exists already, the call fails if
    /// `isNew`; otherwise the file is emptied.
    var create: @Sendable (_ path: FilePath, _ isNew: Bool) -> Result<Int32, Failure> = JournalDisk.makeFile
    /// Whether this process has the lock of a created file. False on a file system without locks.
    var isLocked: @Sendable (Int32) -> Bool = { FileLock.take($0, isExclusive: true) == .free }
    /// Writes all of the bytes at an offset of the file.
    var write: @Sendable (UnsafeRawBufferPointer, Int32, _ offset: Int) -> Int32? = {
        FileTransfer.write($0, to: $1, at: $2)
    }
    /// Truncates a file.
    var truncate: @Sendable (Int32, _ size: Int) -> Int32? = { ftruncate($0, off_t($1)) == 0 ? nil : errno }
    /// Waits until the content of a file is on the disk.
    var sync: @Sendable (Int32) -> Int32? = JournalDisk.syncFile
    var rename: @Sendable (_ from: FilePath, _ to: FilePath) -> Int32? = {
        Glibc.rename($0.cString, $1.cString) == 0 ? nil : errno
    }
    /// Waits until the names in a directory are on the disk.
    var syncDirectory: @Sendable (_ path: FilePath) -> Int32? = JournalDisk.syncNames
    var remove: @Sendable (_ path: FilePath) -> Int32? = { unlink($0.cString) == 0 ? nil : errno }
    /// Reads the first bytes of a file, at most `count`.
    var read: @Sendable (Int32, _ count: Int) -> [UInt8] = JournalDisk.readFile
    /// Whether the path still leads to the open file. Also true if an error of the disk prevents the check.
    var isNamed: @Sendable (Int32, _ path: FilePath) -> Bool = JournalDisk.isName
    /// Duplicates a descriptor; nil if too many are open.
    var duplicate: @Sendable (Int32) -> Int32? = {
        let copy = fcntl($0, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : copy
    }
    /// Closes a descriptor. With `isLocked`, also releases the lock of the file.
    var close: @Sendable (Int32, _ isLocked: Bool) -> Int32? = { descriptor, isLocked in
        if isLocked { return FileLock.close(descriptor) }
        return Glibc.close(descriptor) == 0 || errno == EINTR ? nil : errno
    }
    /// Reads a file to which a journal's edits apply. Returns the identities of its content and of the file, and its
    /// bytes if they are at most `limit`. Nil if the file cannot be read.
    var base: @Sendable (_ path: FilePath, _ limit: Int) -> (FileContents, FileIdentity, [UInt8]?)? = {
        FileContents.read($0, keepingUpTo: $1).map { ($0.contents, $0.identity, $0.bytes) }
    }

    /// The system call that failed, with its `errno`.
    struct Failure: Error {
        var step: String
        var code: Int32
    }

    private static func makeFile(_ path: FilePath, _ isNew: Bool) -> Result<Int32, Failure> {
        let flags = isNew ? O_EXCL : O_TRUNC
        let descriptor = open(path.cString, O_RDWR | O_CREAT | flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { return .failure(Failure(step: "open", code: errno)) }
        var status = stat()
        // After locking the file, check that it still exists. Before, another process may have removed it, taking
        // it for the leftover of a process that has ended.
        guard FileLock.take(descriptor, isExclusive: true) != .held, fstat(descriptor, &status) == 0,
            status.st_nlink > 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else {
            _ = FileLock.close(descriptor)
            return .failure(Failure(step: "flock", code: EEXIST))
        }
        return .success(descriptor)
    }

    private static func syncFile(_ descriptor: Int32) -> Int32? {
        while fdatasync(descriptor) != 0 {
            let code = errno
            // Ignore EINVAL, which means that the file system does not support syncing.
            if code == EINVAL { return nil }
            if code != EINTR { return code }
        }
        return nil
    }

    private static func syncNames(_ path: FilePath) -> Int32? {
        let directory = open(path.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return errno }
        defer { _ = Glibc.close(directory) }
        while fsync(directory) != 0 {
            let code = errno
            if code == EINVAL || code == ENOTSUP { return nil }
            if code != EINTR { return code }
        }
        return nil
    }

    private static func readFile(_ descriptor: Int32, _ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor, at: 0).count }
        return Array(bytes.prefix(filled))
    }

    private static func isName(_ descriptor: Int32, _ path: FilePath) -> Bool {
        var (status, named) = (stat(), stat())
        // `fstat` fails on a network file system if another machine has removed the file.
        guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return false }
        guard lstat(path.cString, &named) == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return status.st_dev == named.st_dev && status.st_ino == named.st_ino
    }
}
