import InkstoneBase
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A copy in memory of bytes that arrive only once, such as those of a pipe. The bytes can be read again from the copy
/// in another encoding.
public final class InputCopy: Sendable {
    private let descriptor: Int32
    private let limit: Int
    private let isKept = Atomic(true)
    /// The number of bytes added. Used only by the thread that adds bytes.
    private let size = Atomic(0)

    /// The default maximum size of a copy, in bytes: an eighth of the machine's memory, but at most 256 MB. Beyond the
    /// maximum, the copy is abandoned.
    public static let largest = min(256 << 20, sysconf(Int32(_SC_PHYS_PAGES)) / 8 * sysconf(Int32(_SC_PAGESIZE)))

    /// Creates an empty copy of at most `limit` bytes. Nil if the system has no memory or descriptor for one.
    public init?(limit: Int = largest) {
        self.limit = limit
        // Remove the name of the memory object at once, so that no other process can open it, and the system frees the
        // memory when this process ends.
        let name = "/inkstone-\(UInt64.random(in: .min ... .max))"
        descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
        if descriptor < 0 { return nil }
        shm_unlink(name)
    }

    deinit { close(descriptor) }

    /// The path of the copy, valid in this process while the object exists.
    public var path: FilePath { FilePath("/proc/self/fd/\(descriptor)") }

    /// Whether the copy contains all bytes that were added.
    public var isWhole: Bool { isKept.load(ordering: .acquiring) }

    /// Appends bytes. If there is no memory for them, or if the limit would be exceeded, the copy is emptied and
    /// abandoned. One thread at a time.
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard isWhole else { return }
        let new = size.load(ordering: .relaxed) + bytes.count
        size.store(new, ordering: .relaxed)
        guard new <= limit else { return giveUp() }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return giveUp()
            }
        }
    }

    private func giveUp() {
        isKept.store(false, ordering: .releasing)
        ftruncate(descriptor, 0)
    }
}
