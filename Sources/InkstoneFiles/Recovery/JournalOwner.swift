import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The process that writes a journal, so that others know whether it still runs where its lock does not tell them.
///
/// Numbers are 0 where the system does not give them.
struct JournalOwner: Hashable, Sendable {
    /// The number of the process.
    var process: Int
    /// The time at which it began, in the kernel's ticks: the number alone may be another's by now.
    var start = 0
    /// The machine, as a hash of its name for itself.
    var machine = 0
    /// The time between two starts of the machine, as a hash.
    var boot = 0
    /// The namespace in which the process has its number.
    var space = 0
    /// Whether it has a lock on the journal: a lock that is free then means that it has ended.
    var isLocked = false

    /// The running process as an owner; `isLocked` says whether it holds the journal's lock.
    static func current(isLocked: Bool) -> JournalOwner {
        var owner = here
        owner.isLocked = isLocked
        return owner
    }

    private static let here = JournalOwner(
        process: Int(getpid()), start: start(of: Int(getpid())), machine: hash(of: "/etc/machine-id"),
        boot: hash(of: "/proc/sys/kernel/random/boot_id"), space: processSpace)

    /// Whether a process runs.
    enum Life {
        case running
        case ended
        /// Nothing here tells.
        case unknown
    }

    /// Whether it runs, as far as that can be told from here.
    func life(lock: FileLock.Answer) -> Life {
        if lock == .held { return .running }
        let here = Self.here
        guard boot != 0, boot == here.boot else {
            // Since the last start of this machine nothing runs that ran before.
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

    /// The 22nd word of a process's state; its name, the second, may have spaces and brackets.
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
