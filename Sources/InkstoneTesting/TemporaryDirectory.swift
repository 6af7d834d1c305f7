import Glibc
import InkstoneBase
import InkstoneFiles

/// Creation and removal of temporary folders for tests.
package enum TemporaryDirectory {
    /// Creates an empty folder that only this user can read, in TMPDIR if that is set. `scripts/test` checks that
    /// none of these folders is left.
    package static func make() throws(FileFailure) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/inkstone-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileFailure(path: base, code: errno) }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        ProcessGuard.shared.remove(directory: path)
        return path
    }

    /// Removes a folder with its whole content, without following symbolic links.
    package static func remove(_ path: String) { remove(FilePath(path)) }

    private static func remove(_ path: FilePath) {
        var names: [FilePath] = []
        if let entries = opendir(path.cString) {
            while let entry = readdir(entries) { names.append(FilePath(entry: entry)) }
            closedir(entries)
        }
        for name in names where name != "." && name != ".." {
            let entry = path.appending(name)
            if unlink(entry.cString) != 0 { remove(entry) }
        }
        rmdir(path.cString)
    }

    /// Makes another account the owner of a folder and its whole content, without following symbolic links.
    package static func giveAway(_ path: String, to account: uid_t) {
        lchown(path, account, account)
        for name in names(in: path) {
            var status = stat()
            let entry = "\(path)/\(name)"
            guard lstat(entry, &status) == 0 else { continue }
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            if isDirectory { giveAway(entry, to: account) } else { lchown(entry, account, account) }
        }
    }

    /// Returns the names of a folder's entries, in any order; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// A temporary folder that is removed when the object is released.
package final class OwnedDirectory {
    package let path: String

    package init() throws(FileFailure) { path = try TemporaryDirectory.make() }

    deinit { TemporaryDirectory.remove(path) }
}

/// The error that a file could not be read or written; `code` is the `errno`.
package struct FileFailure: Error, CustomStringConvertible {
    package let path: String
    package let code: CInt

    package init(path: String, code: CInt) { (self.path, self.code) = (path, code) }

    package var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// Functions that read and write whole files.
package enum TextFiles {
    package static func bytes(_ path: String) throws(FileFailure) -> [UInt8] {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw FileFailure(path: path, code: errno) }
        defer { close(fd) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(fd, &buffer, buffer.count)
            guard count >= 0 else { throw FileFailure(path: path, code: errno) }
            if count == 0 { return all }
            all += buffer.prefix(count)
        }
    }

    /// Returns a file as UTF-8 text, with U+FFFD for invalid bytes.
    package static func read(_ path: String) throws(FileFailure) -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// Writes a file in place of an existing one, and creates its folders. `path` must be absolute.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) throws(FileFailure) {
        var directory = ""
        for part in path.split(separator: "/").dropLast() {
            directory += "/\(part)"
            mkdir(directory, 0o755)
        }
        let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard fd >= 0 else { throw FileFailure(path: path, code: errno) }
        defer { close(fd) }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(fd, $0.baseAddress, $0.count) }
            guard count > 0 else { throw FileFailure(path: path, code: errno) }
            done += count
        }
    }

    /// Writes a text file in place of an existing one, and creates its folders.
    package static func write(_ text: String, to path: String) throws(FileFailure) {
        try write(Array(text.utf8), to: path)
    }
}
