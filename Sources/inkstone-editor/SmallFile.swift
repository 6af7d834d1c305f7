import Glibc
import Inkstone

/// A file of a few lines that the editor keeps for its user.
struct SmallFile {
    /// More than this is no file of ours.
    private static let limit = 65_536

    /// Where it is; nil if the user has no place for such files.
    let path: FilePath?

    init(_ directory: UserDirectory, _ name: FilePath) { path = directory.file(name) }

    /// Content of the file; nil if it is empty or cannot be read.
    func read() -> [UInt8]? {
        guard let path, case let file = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), file >= 0
        else {
            return nil
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count > 0 ? Array(bytes[..<count]) : nil
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
}
