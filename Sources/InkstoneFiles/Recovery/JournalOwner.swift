import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The process that writes a journal. If the journal's lock does not show whether this process still runs, other
/// processes find that out by this value.
///
/// Numbers are 0 if the system does not provide them.
struct JournalOwner: Hashable, Sendable {
    /// The process identifier.
    var process: Int
    /// The start time of the process, in the kernel's ticks. It is needed because the identifier of a process may
    /// be used again by another one.
    var start = 0
    /// A hash of the machine's identifier.
    var machine = 0
    /// A hash of the identifier of the machine's current boot.
    var boot = 0
    /// The number of the process's PID namespace.
    var space = 0
    /// Whether the process has locked the journal. If it has, a free lock means that the process has ended.
    var isLocked = false

    /// Returns the running process as an owner.
    ///
    /// - Parameter isLocked: whether the process has locked the journal.
    static func current(isLocked: Bool) -> JournalOwner {
        var owner = here
        owner.isLocked = isLocked
        return owner
    }

    static let here = JournalOwner(
        process: Int(getpid()), start: start(of: Int(getpid())), machine: hash(of: "/etc/machine-id"),
        boot: hash(of: "/proc/sys/kernel/random/boot_id"), space: processSpace)

    /// Whether a process runs, as far as this machine can determine it.
    enum Life {
        case running
        case ended
        /// Unknown: the process cannot be examined from this machine, or its journal does not identify it.
        case unknown
    }

    /// Returns whether the process runs, as far as this machine can determine. `lock` is the result of a request
    /// for the journal's lock.
    func life(lock: FileLock.Answer) -> Life {
        if lock == .held { return .running }
        let here = Self.here
        guard boot != 0, boot == here.boot else {
            // If a journal was written during an earlier boot of this machine, its process has ended. This can be
            // concluded only if both boots are known and the machine is the same.
            guard boot != 0, here.boot != 0, machine == here.machine else { return .unknown }
            return machine != 0 || lock == .free && isLocked ? .ended : .unknown
        }
        if lock == .free, isLocked { return .ended }
        guard process > 0, space == here.space else { return .unknown }
        let found = Self.start(of: process)
        let isSame = start == 0 || found == 0 || found == start
        return isSame && (kill(pid_t(truncatingIfNeeded: process), 0) == 0 || errno == EPERM) ? .running : .ended
    }

    private static func hash(of path: String) -> Int {
        guard let bytes = bytes(path), !bytes.isEmpty else { return 0 }
        var hasher = ContentHasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        return Int(bitPattern: UInt(hasher.checksum))
    }

    /// Returns the start time of a process, the 22nd field of its `stat`; 0 if unknown. The fields are counted from
    /// the last bracket, because the name in the second field may contain spaces and brackets.
    private static func start(of process: Int) -> Int {
        guard let state = bytes("/proc/\(process)/stat"), let end = state.lastIndex(of: UInt8(ascii: ")")) else {
            return 0
        }
        let words = state[(end + 1)...].split(separator: UInt8(ascii: " "))
        return words.count > 19 ? Int(String(decoding: words[19], as: UTF8.self)) ?? 0 : 0
    }

    private static var processSpace: Int {
        var status = stat()
        return stat("/proc/self/ns/pid", &status) == 0 ? Int(truncatingIfNeeded: status.st_ino) : 0
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let (count, error) = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor) }
        return error == nil ? Array(bytes.prefix(count)) : nil
    }
}
