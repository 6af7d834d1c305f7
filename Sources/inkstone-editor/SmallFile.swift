import Dispatch
import Glibc
import Inkstone

/// A file of a few lines that the editor keeps for its user.
struct SmallFile {
    /// Bytes of a file that is none of ours.
    static let limit = 65_536

    /// Where it is; nil if the user has no place for such files.
    let path: FilePath?

    init(_ directory: UserDirectory, _ name: FilePath) { path = directory.file(name) }

    init(at path: FilePath?) { self.path = path }

    /// All work that asks a disk later: nobody waits for it who types.
    private static let work = DispatchGroup()

    /// Does work that asks a disk on another thread, behind what was given to the same queue before. Without a queue it waits for nothing:
    /// each disk may hang.
    static func later(on queue: DispatchQueue? = nil, _ body: @escaping @Sendable () -> Void) {
        (queue ?? DispatchQueue(label: "disk")).async(group: work, execute: body)
    }

    /// Waits until what was to be done later is done, but no longer than that many milliseconds.
    static func finish(within milliseconds: Int) { _ = work.wait(timeout: .now() + .milliseconds(milliseconds)) }

    /// The file is there, and cannot be read: what it holds is not to be replaced.
    struct Unreadable: Error {}

    /// Content of the file; empty if there is none. Blocks.
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

    /// Makes the directories that the file lies in, as far as they are missing.
    static func makeDirectory(of path: FilePath) {
        var directory: FilePath = "/"
        for part in path.directory.bytes.split(separator: UInt8(ascii: "/")) {
            directory = directory.appending(FilePath(part))
            mkdir(directory.cString, 0o700)
        }
    }

    /// Keeps bytes, whole or not at all, for the user alone. Returns whether that went well.
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

    /// Reads the file, has it changed, and keeps that, while no other process does the same. Leaves a file alone that cannot be read. Blocks.
    /// Returns whether that went well.
    ///
    /// - Parameter work: makes the new content of the old; nil to leave it.
    func change(_ work: ([UInt8]) -> [UInt8]?) -> Bool {
        guard let path else { return false }
        Self.makeDirectory(of: path)
        let lock = open(
            path.appending(suffix: ".lock").cString, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard lock >= 0 else { return false }
        // Closing it gives the lock back.
        defer { close(lock) }
        guard Self.lock(lock), let old = try? read() else { return false }
        guard let new = work(old) else { return true }
        // What is larger could not be read again.
        return new.count < Self.limit && write(new)
    }

    /// Waits some seconds for the lock of a file, which a process that is stopped may have.
    private static func lock(_ file: Int32) -> Bool {
        for _ in 0..<250 {
            if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(20_000)
        }
        return false
    }
}
