import Dispatch
import Glibc
import Inkstone

/// A small file that the editor stores for its user, such as settings.
struct SmallFile {
    /// The size, in bytes, from which a file is not read but counts as unreadable: the editor never writes so large a
    /// file.
    static let limit = 65_536

    /// The path of the file; nil if the user has no folder for such files.
    let path: FilePath?

    init(_ directory: UserDirectory, _ name: FilePath) { path = directory.file(name) }

    init(at path: FilePath?) { self.path = path }

    /// The disk work that runs on other threads, so that it does not delay typing.
    private static let work = DispatchGroup()

    /// Runs disk work on another thread, after the earlier work on the same queue. Without a queue it is
    /// independent of other work, because the disk may hang.
    static func later(on queue: DispatchQueue? = nil, _ body: @escaping @Sendable () -> Void) {
        (queue ?? DispatchQueue(label: "disk")).async(group: work, execute: body)
    }

    /// Waits until all work started by ``later(on:_:)`` is done, but at most `milliseconds`.
    static func finish(within milliseconds: Int) { _ = work.wait(timeout: .now() + .milliseconds(milliseconds)) }

    /// The error that the file exists but cannot be read, or is too large. Its content must not be replaced then.
    struct Unreadable: Error {}

    /// Reads the file; the result is empty if there is none. Blocks.
    func read() throws(Unreadable) -> [UInt8] {
        guard let path else { return [] }
        let file = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw Unreadable()
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var count: Int
        repeat { count = Glibc.read(file, &bytes, bytes.count) } while count < 0 && errno == EINTR
        guard count >= 0, count < Self.limit else { throw Unreadable() }
        return Array(bytes[..<count])
    }

    /// Creates those of the folders above a path that do not exist yet.
    static func makeDirectory(of path: FilePath) {
        var directory: FilePath = "/"
        for part in path.directory.bytes.split(separator: UInt8(ascii: "/")) {
            directory = directory.appending(FilePath(part))
            mkdir(directory.cString, 0o700)
        }
    }

    /// Writes the file atomically, readable by the user alone. Returns whether it succeeded. Blocks.
    func write(_ bytes: [UInt8]) -> Bool {
        guard let path else { return false }
        Self.makeDirectory(of: path)
        let new = path.appending(suffix: ".\(getpid())").cString
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count
        close(file)
        guard isWritten, rename(new, path.cString) == 0 else {
            unlink(new)
            return false
        }
        return true
    }

    /// Reads the file, changes its content, and writes it, under a lock against other processes. A file that cannot
    /// be read is not changed. Returns whether it succeeded. Blocks.
    ///
    /// - Parameter work: returns the new content for the present one; nil for no change.
    func change(_ work: ([UInt8]) -> [UInt8]?) -> Bool {
        guard let path else { return false }
        Self.makeDirectory(of: path)
        let lock = open(
            path.appending(suffix: ".lock").cString, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard lock >= 0 else { return false }
        // Closing the descriptor releases the lock.
        defer { close(lock) }
        guard Self.lock(lock), let old = try? read() else { return false }
        guard let new = work(old) else { return true }
        // Do not write a file of the limit's size or more, which could not be read again.
        return new.count < Self.limit && write(new)
    }

    /// Locks an open file. Waits at most five seconds for a process that has the lock, because that process may be
    /// stopped. Returns whether it succeeded.
    private static func lock(_ file: Int32) -> Bool {
        for _ in 0..<250 {
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(20_000)
        }
        return false
    }
}
