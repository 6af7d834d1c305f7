import InkstoneBase
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A copy in memory of bytes that come only once, such as those of a pipe, so that they can be read again in another encoding.
public final class InputCopy: Sendable {
    private let descriptor: Int32
    private let isKept = Atomic(true)

    /// An empty copy; nil if the system has no memory or descriptor for one.
    public init?() {
        // The name goes at once: nobody else opens it, and nothing is left behind.
        let name = "/inkstone-\(UInt64.random(in: .min ... .max))"
        descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
        if descriptor < 0 { return nil }
        shm_unlink(name)
    }

    deinit { close(descriptor) }

    /// A name for the copy, for this process and as long as it has the object.
    public var path: FilePath { FilePath("/proc/self/fd/\(descriptor)") }

    /// Whether the copy has all bytes that were added.
    public var isWhole: Bool { isKept.load(ordering: .acquiring) }

    /// Adds bytes; without memory for them the copy is given up. One thread at a time.
    func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while isWhole, !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                ftruncate(descriptor, 0)
                isKept.store(false, ordering: .releasing)
            }
        }
    }
}
