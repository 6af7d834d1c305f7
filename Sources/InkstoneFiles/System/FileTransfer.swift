#if canImport(Glibc)
    import Glibc
#endif

/// Reading and writing of all that is wanted, where a system call may do less than it is asked for.
enum FileTransfer {
    /// Writes all of some bytes, from a position of the file on or where it was left; returns the `errno` that stopped it, nil if none
    /// did. Bytes may be written then, too.
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
                // Nothing is written only where nothing can be.
                return ENOSPC
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Reads until the buffer is full or the file ends: from a place in the file, or from where it was left. Returns how many
    /// bytes came, and the `errno` that stopped it. Files of the kernel's that refuse to give much at once are asked for less.
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
            // The kernel makes a buffer of that length for what is in /proc/sys.
            case ENOMEM where wanted > 4096, EINVAL where wanted > 4096: most = wanted / 2
            default: return (done, errno)
            }
        }
        return (done, nil)
    }

    /// Waits until the disk has a file; returns the `errno` of a failure.
    static func sync(_ descriptor: Int32) -> Int32? {
        while fsync(descriptor) != 0 {
            if errno != EINTR { return errno }
        }
        return nil
    }
}
