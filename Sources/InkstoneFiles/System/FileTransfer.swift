#if canImport(Glibc)
    import Glibc
#endif

/// Complete reads and writes by system calls that may transfer less than requested.
enum FileTransfer {
    /// Writes all of some bytes, at an offset or at the current position. Returns the `errno` of a failure; nil for
    /// success. After a failure, some of the bytes may be written.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int? = nil) -> Int32? {
        var done = 0
        while done < bytes.count {
            let start = bytes.baseAddress?.advanced(by: done)
            let n =
                offset.map { pwrite(descriptor, start, bytes.count - done, off_t($0 + done)) }
                ?? Glibc.write(descriptor, start, bytes.count - done)
            if n > 0 {
                done += n
            } else if n == 0 {
                // Report a full disk: a write returns zero only if no bytes can be written.
                return ENOSPC
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Reads until the buffer is full or the file ends, from an offset or from the current position. Returns the
    /// number of bytes read, and the `errno` of a failure. Some kernel files refuse large requests; for these,
    /// smaller ones are tried.
    static func read(
        into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int? = nil
    ) -> (count: Int, error: Int32?) {
        var done = 0
        var most = Int.max
        while done < buffer.count {
            let start = buffer.baseAddress?.advanced(by: done)
            let wanted = min(buffer.count - done, most)
            let n =
                offset.map { pread(descriptor, start, wanted, off_t($0 + done)) }
                ?? Glibc.read(descriptor, start, wanted)
            if n == 0 { break }
            if n > 0 {
                done += n
                continue
            }
            switch errno {
            case EINTR: break
            // Request less at a time. For files in /proc/sys, the kernel allocates a buffer of the requested
            // length, which may fail.
            case ENOMEM where wanted > 4096, EINVAL where wanted > 4096: most = wanted / 2
            default: return (done, errno)
            }
        }
        return (done, nil)
    }

    /// Waits until a file's data is on the disk. Returns the `errno` of a failure; nil for success.
    static func sync(_ descriptor: Int32) -> Int32? {
        while fsync(descriptor) != 0 {
            if errno != EINTR { return errno }
        }
        return nil
    }
}
