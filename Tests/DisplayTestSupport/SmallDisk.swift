import Glibc
import InkstoneTesting

/// A file system of 256 KB that one process alone sees, to be filled.
package struct SmallDisk {
    /// The path of the file system in that process.
    package let path: String

    /// A place for it, which is made as a directory.
    package init(at path: String) throws {
        self.path = path
        mkdir(path, 0o755)
    }

    /// Whether this user may mount one.
    package static let isPossible: Bool = {
        let probe = try? ChildProcess(
            "unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], output: .null, errors: .null)
        return (try? probe?.waitForExit(within: 5000)) == .exited(0)
    }()

    /// Returns the command under which to start a program so that it has the disk, with files of these contents.
    package func wrapper(holding files: [String: String] = [:]) -> [String] {
        let script = files.map { "printf %s '\($0.value)' > \"$0/\($0.key)\" && " }.sorted().joined()
        return [
            "unshare", "--map-root-user", "--mount", "sh", "-c",
            "mount -t tmpfs -o size=256k tmpfs \"$0\" && \(script)exec \"$@\"", path,
        ]
    }

    /// A file of the disk as others reach it while the process lives.
    package func path(inside pid: pid_t, _ name: String) -> String { "/proc/\(pid)/root\(path)/\(name)" }

    /// Leaves no room on it.
    package func fill(inside pid: pid_t) throws {
        let descriptor = open(path(inside: pid, "ballast"), O_WRONLY | O_CREAT, 0o644)
        guard descriptor >= 0 else { throw FileFailure(path: path, code: errno) }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 0x78, count: 4096)
        while Glibc.write(descriptor, block, block.count) > 0 {}
    }

    /// Gives the room back.
    package func makeRoom(inside pid: pid_t) throws {
        guard unlink(path(inside: pid, "ballast")) == 0 else { throw FileFailure(path: path, code: errno) }
    }
}
