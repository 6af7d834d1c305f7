import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Reads a whole file. In the encoding given, else the one its byte order mark tells, else by a guess if there is one to be made, else UTF-8.
    /// Blocks.
    public static func read(
        _ path: FilePath, encoding: TextEncoding? = nil, guess: EncodingGuess? = nil
    ) throws(TextFileError) -> TextFile {
        let source = try FileSource(path: path)
        defer { source.close() }
        return try read(source, encoding: encoding, guess: guess)
    }

    /// Reads what is left of an open descriptor, which may be a pipe or a terminal and stays open, as a file would be read:
    /// with its byte order mark taken off. `name` is what errors call it. Blocks until it ends.
    public static func readText(descriptor: Int32, name: FilePath) throws(TextFileError) -> Rope {
        let source = try FileSource(descriptor: descriptor, name: name)
        defer { source.close() }
        return try read(source, encoding: nil).text
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
    /// What the file was when it was opened: if it is written while it is read, a save will notice.
    let identity: FileIdentity
    /// Whether it is a pipe or the like, of which nobody knows how long it is or when the next bytes come.
    let isStream: Bool
    /// Bytes of a file that does not tell its length, or of a stream, after which no more are taken: it may never end.
    static let limit = 1 << 30
    /// The bytes that are still to come: a file that grows is read as it was when it was opened. The kernel's own files tell no length.
    private var rest: Int
    /// The bytes that have come.
    private var done = 0
    private var descriptor: Int32
    private var buffer: UnsafeMutableRawBufferPointer

    /// Opens a regular file; refuses all others before it could block on them.
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

    /// Reads an open descriptor of any kind from where it is; the descriptor itself is left open.
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

    /// The next bytes, at most `count`, valid until the next call; nil at the end of the file.
    func next(_ count: Int) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if buffer.count < count {
            buffer.deallocate()
            buffer = .allocate(byteCount: count, alignment: 4096)
        }
        if rest == 0 {
            // It has grown since then, or its file system does not tell how long it is.
            var status = stat()
            guard fstat(descriptor, &status) == 0, Int(status.st_size) <= identity.size else { return nil }
            rest = count
        }
        let (filled, error) = FileTransfer.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(count, rest)]), from: descriptor)
        // What is there has been read, and more may come at any time, as of a log of the kernel's.
        if error == EAGAIN { throw .isSpecial(path: path, kind: "stream") }
        if let error { throw .readFailed(path: path, code: error) }
        rest -= filled
        return try piece(filled)
    }

    /// The first bytes of the buffer, which have come; nil if there are none.
    private func piece(_ filled: Int) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if filled == 0 { return nil }
        done += filled
        guard done <= Self.limit || done <= identity.size else { throw .readFailed(path: path, code: EFBIG) }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<filled])
    }

    /// The next bytes of a stream, as soon as there are any: at most `count`, and at least `least` unless it ends. Valid until the next call;
    /// nil at its end.
    func nextArrived(_ count: Int, least: Int) throws(TextFileError) -> UnsafeRawBufferPointer? {
        if buffer.count < count {
            buffer.deallocate()
            buffer = .allocate(byteCount: count, alignment: 4096)
        }
        var filled = 0
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while filled < count, filled < least || poll(&source, 1, 0) > 0 {
            let n = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
            if n == 0 { break }
            if n > 0 {
                filled += n
            } else if errno == EAGAIN {
                // It may have been made not to block by whoever has the other end.
                _ = poll(&source, 1, -1)
            } else if errno != EINTR {
                throw .readFailed(path: path, code: errno)
            }
        }
        return try piece(filled)
    }

    /// Gives the descriptor back.
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
