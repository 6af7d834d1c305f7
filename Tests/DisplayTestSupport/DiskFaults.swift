import Glibc
import InkstoneTesting

/// A disk with faults for one program, simulated by the preloaded library of `Tests/CDiskFaults`.
package final class DiskFaults {
    /// The faults that may happen; the values are the library's.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }
        /// No room to write.
        package static let full = Kinds(rawValue: 1)
        /// A write fails with EIO.
        package static let failingWrites = Kinds(rawValue: 2)
        /// A sync fails with EIO.
        package static let failingSyncs = Kinds(rawValue: 4)
        /// A read fails with EIO.
        package static let failingReads = Kinds(rawValue: 8)
        /// Each call takes some time.
        package static let slow = Kinds(rawValue: 16)
        /// A rename fails with EIO.
        package static let failingRenames = Kinds(rawValue: 32)
        /// A write takes half of what it is given.
        package static let partialWrites = Kinds(rawValue: 64)
        /// Each call waits until this fault is switched off.
        package static let hanging = Kinds(rawValue: 128)
    }

    /// The built library, or nil if `INKSTONE_DISK_FAULTS_LIBRARY` names none.
    package static var library: String? {
        getenv("INKSTONE_DISK_FAULTS_LIBRARY").map { String(cString: $0) }.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }

    private let path: String
    private let directories: [String]
    private let library: String

    /// Creates a disk without faults.
    ///
    /// - Parameters:
    ///   - path: a file to be created, which controls the faults.
    ///   - directories: the directories whose files are affected.
    package init(_ library: String, switchedBy path: String, under directories: [String]) throws {
        (self.path, self.directories, self.library) = (path, directories, library)
        try TextFiles.write([UInt8](repeating: 0, count: 16), to: path)
    }

    /// The environment variables of a program that is to use the disk.
    package var environment: [String: String] {
        [
            "LD_PRELOAD": library, "INKSTONE_DISK_FAULTS": path,
            "INKSTONE_DISK_FAULTS_UNDER": directories.joined(separator: ":"),
        ]
    }

    /// Sets the faults from now on.
    ///
    /// - Parameters:
    ///   - likelihood: the probability of each fault per call, in thousandths.
    ///   - delay: the delay of each call of a slow disk, in microseconds.
    package func set(_ kinds: Kinds, likelihood: UInt32 = 1000, delay: UInt32 = 0) {
        // Write in place, because the program has mapped the file.
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let words = [kinds.rawValue, likelihood, delay]
        _ = words.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
    }
}
