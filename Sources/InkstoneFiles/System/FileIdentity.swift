import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The identity of a file at the time when it was read or saved, by which a later change by another program is noticed.
public struct FileIdentity: Hashable, Sendable {
    /// The device of the file.
    public var device: UInt64
    /// The number of the file on its device.
    public var inode: UInt64
    /// The length of the file in bytes.
    public var size: Int
    /// The time of the last write to the content, in seconds since 1970.
    public var seconds: Int
    /// The nanoseconds that are added to ``seconds``.
    package var nanoseconds: Int

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// Creates the identity of the file at a path, through symbolic links. Nil if there is no such file, or if it is
    /// inaccessible.
    public init?(path: FilePath) {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Returns how a file has changed from this identity to its present one. Nil if it is unchanged.
    func change(to now: FileIdentity?) -> TextFileError.Change? {
        guard let now else { return .removed }
        if now == self { return nil }
        return now.device == device && now.inode == inode ? .modified : .replaced
    }
}
