import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// What a file was when it was read or saved, to notice that another program wrote it since.
public struct FileIdentity: Hashable, Sendable {
    /// The device that it is on.
    public var device: UInt64
    /// Its number on the device.
    public var inode: UInt64
    /// Its length in bytes.
    public var size: Int
    /// When its contents were written last: seconds and nanoseconds since 1970.
    public var seconds: Int
    /// The nanoseconds of that time.
    public var nanoseconds: Int

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// The identity of the file at a path, through symbolic links; nil if there is none or it may not be looked at.
    public init?(path: FilePath) {
        var status = stat()
        guard stat(path.cString, &status) == 0 else { return nil }
        self.init(status)
    }

    /// How a file now is another than this; nil if it is the same.
    func change(to now: FileIdentity?) -> TextFileError.Change? {
        guard let now else { return .removed }
        if now == self { return nil }
        return now.device == device && now.inode == inode ? .modified : .replaced
    }
}
