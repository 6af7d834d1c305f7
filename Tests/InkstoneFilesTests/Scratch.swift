import Glibc
import InkstoneBase
import InkstoneTesting

@testable import InkstoneFiles

/// A directory that goes away with the value.
final class Scratch {
    let path: String

    init() { path = (try? TemporaryDirectory.make()) ?? "/nowhere" }

    deinit { TemporaryDirectory.remove(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func put(_ name: String, _ bytes: [UInt8]) -> String {
        let path = file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        return path
    }

    func put(_ name: String, _ text: String) -> String { put(name, Array(text.utf8)) }

    func names() -> [String] { Self.names(in: path) }

    /// In the order of their code units: a directory has none of its own.
    static func names(in path: String) -> [String] { TemporaryDirectory.names(in: path).sorted() }

    static func names(in path: FilePath) -> [String] { names(in: path.description) }
}

/// The bytes of a file; empty if it cannot be read.
func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let n = read(descriptor, &buffer, buffer.count), n > 0 { bytes += buffer[..<n] }
    return bytes
}

/// The bytes of a file; empty if it cannot be read.
func contents(_ path: FilePath) -> [UInt8] { contents(path.description) }

func access(_ path: FilePath, _ mode: Int32) -> Int32 { Glibc.access(path.cString, mode) }

@discardableResult
func stat(_ path: FilePath, _ status: inout stat) -> Int32 { fstatat(AT_FDCWD, path.cString, &status, 0) }

@discardableResult
func unlink(_ path: FilePath) -> Int32 { Glibc.unlink(path.cString) }

@discardableResult
func mkdir(_ path: FilePath, _ mode: mode_t) -> Int32 { Glibc.mkdir(path.cString, mode) }

/// Runs a program to its end; its exit status, or 128 + signal.
@discardableResult
func run(_ arguments: String...) -> Int32 {
    var pid = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    argv.append(nil)
    defer { argv.forEach { free($0) } }
    guard posix_spawn(&pid, arguments[0], nil, nil, argv, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
}
