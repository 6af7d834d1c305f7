import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Reads a whole file. The encoding is the given one; or else that of the byte order mark; or else a guess, if
    /// `guess` is given; or else UTF-8. Blocks.
    public static func read(
        _ path: FilePath, encoding: TextEncoding? = nil, guess: EncodingGuess? = nil
    ) throws(TextFileError) -> TextFile {
        let source = try FileSource(path: path)
        defer { source.close() }
        return try read(source, encoding: encoding, guess: guess)
    }

    /// Reads an open descriptor, such as a pipe or a terminal, up to its end, in the same encoding as
    /// ``read(_:encoding:guess:)`` reads a file. Does not close the descriptor. `name` is the name used in errors, and
    /// the path of the result. Blocks until the input ends.
    public static func read(
        descriptor: Int32, name: FilePath, encoding: TextEncoding? = nil, guess: EncodingGuess? = nil
    ) throws(TextFileError) -> TextFile {
        let source = try FileSource(descriptor: descriptor, name: name)
        defer { source.close() }
        return try read(source, encoding: encoding, guess: guess)
    }

    private static func read(
        _ source: FileSource, encoding: TextEncoding?, guess: EncodingGuess? = nil
    ) throws(TextFileError) -> TextFile {
        var decoder: TextFileDecoder?
        var builder = RopeBuilder()
        var looksBinary = false
        while let bytes = try source.next(1 << 20) {
            if decoder == nil {
                let new = TextFileDecoder(
                    start: bytes, encoding: encoding, guess: guess, isWhole: source.identity.size <= bytes.count)
                looksBinary = new.looksBinary(bytes)
                decoder = new
            }
            decoder?.append(bytes, to: &builder)
        }
        decoder?.finish(&builder)
        let format = decoder?.format ?? TextFileFormat(encoding: encoding ?? .utf8)
        var file = TextFile(
            path: source.path, text: builder.finish(), format: format, identity: source.identity,
            looksBinary: looksBinary)
        file.isLossless = decoder?.isLossless ?? true
        file.isEncodingGuessed = decoder?.isGuess ?? false
        return file
    }
}

/// An open file that is read from start to end.
final class FileSource {
    let path: FilePath
    /// The identity of the file when it was opened. If another program writes the file during reading, the next
    /// save notices that.
    let identity: FileIdentity
    /// Whether the input is a pipe or the like. Its length and timing are not known then.
    let isStream: Bool
    /// The maximum number of bytes read from a stream or from a file without a length, which may never end. With more,
    /// reading fails with `EFBIG`.
    static let limit = 1 << 30
    /// The number of bytes still to be read. A file that grows meanwhile is read only up to the length that it had when
    /// it was opened. Kernel files report no length.
    private var rest: Int
    /// The number of bytes read so far.
    private var done = 0
    private var descriptor: Int32
    private var buffer: UnsafeMutableRawBufferPointer

    /// Creates a source that reads a regular file. Refuses all other kinds of files, because they could block.
    init(path: FilePath) throws(TextFileError) {
        self.path = path
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            switch code {
            case ENOENT, ENOTDIR: throw .notFound(path: path)
            case EACCES, EPERM: throw .permissionDenied(path: path)
            case ENXIO: throw .isSpecial(path: path, kind: "socket")
            default: throw .readFailed(path: path, code: code)
            }
        }
        var status = stat()
        fstat(descriptor, &status)
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            Glibc.close(descriptor)
            throw .isDirectory(path: path)
        default:
            Glibc.close(descriptor)
            throw .isSpecial(path: path, kind: Self.kind(status.st_mode))
        }
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        self.descriptor = descriptor
        isStream = false
        identity = FileIdentity(status)
        rest = identity.size > 0 ? identity.size : .max
        buffer = .allocate(byteCount: 0, alignment: 16)
    }

    /// Creates a source that reads an open descriptor of any kind from its current position, and does not close it.
    init(descriptor: Int32, name: FilePath) throws(TextFileError) {
        path = name
        let own = dup(descriptor)
        guard own >= 0 else { throw .readFailed(path: name, code: errno) }
        var status = stat()
        fstat(own, &status)
        self.descriptor = own
        isStream = status.st_mode & S_IFMT != S_IFREG
        identity = FileIdentity(status)
        rest = .max
        buffer = .allocate(byteCount: 0, alignment: 16)
    }

    static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFIFO: "pipe"
        case S_IFCHR, S_IFBLK: "device"
        case S_IFSOCK: "socket"
        default: "special file"
        }
    }

    /// Reads the next bytes, at most `count`. Nil at the end of the file. The bytes are valid until the next call.
    func next(_ count: Int) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if buffer.count < count {
            buffer.deallocate()
            buffer = .allocate(byteCount: count, alignment: 4096)
        }
        if rest == 0 {
            // Do not read beyond the length that the file had when it was opened, if it has grown since. Otherwise read
            // on: the file system may report a length that is too small, as for some of the kernel's files.
            var status = stat()
            guard fstat(descriptor, &status) == 0, Int(status.st_size) <= identity.size else { return nil }
            rest = count
        }
        let (filled, error) = FileTransfer.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(count, rest)]), from: descriptor)
        // Refuse a stream that does not end, such as the kernel log: all present content was read, but more may
        // come at any time.
        if error == EAGAIN { throw .isSpecial(path: path, kind: "stream") }
        if let error { throw .readFailed(path: path, code: error) }
        rest -= filled
        return try piece(filled)
    }

    /// Returns the filled start of the buffer; nil if it is empty.
    private func piece(_ filled: Int) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if filled == 0 { return nil }
        done += filled
        guard done <= Self.limit || done <= identity.size else { throw .readFailed(path: path, code: EFBIG) }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<filled])
    }

    /// Reads the next bytes of a stream as soon as they arrive: at most `count`, and at least `least` unless the
    /// stream ends. Nil at the end. The bytes are valid until the next call.
    ///
    /// - Parameter interruption: a descriptor. Once it is readable, only bytes that have arrived already are read.
    func nextArrived(
        _ count: Int, least: Int, interruption: Int32 = -1
    ) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if buffer.count < count {
            buffer.deallocate()
            buffer = .allocate(byteCount: count, alignment: 4096)
        }
        var filled = 0
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while filled < count {
            // Wait by `poll`, in case the process at the other end has made the descriptor non-blocking.
            if filled >= least || isInterrupted(by: interruption), poll(&source, 1, 0) <= 0 { break }
            let n = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
            if n == 0 { break }
            if n > 0 {
                filled += n
            } else if errno != EINTR, errno != EAGAIN {
                throw .readFailed(path: path, code: errno)
            }
        }
        return try piece(filled)
    }

    /// Waits until there is something to read, or until `interruption` is readable. Returns whether that is
    /// readable.
    private func isInterrupted(by interruption: Int32) -> Bool {
        var ready = [
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&ready, 2, -1) < 0, errno == EINTR {}
        return ready[0].revents != 0
    }

    /// Closes the descriptor.
    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    deinit {
        close()
        buffer.deallocate()
    }
}
