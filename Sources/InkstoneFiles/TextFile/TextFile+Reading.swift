import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Reads a whole file. In the encoding given, else the one its byte order mark tells, else UTF-8. Blocks.
    public static func read(_ path: String, encoding: TextEncoding? = nil) throws(TextFileError) -> TextFile {
        let source = try FileSource(path: path)
        defer { source.close() }
        return try read(source, encoding: encoding)
    }

    /// Reads what is left of an open descriptor, which may be a pipe or a terminal and stays open, as a file would be read:
    /// with its byte order mark taken off. `name` is what errors call it. Blocks until it ends.
    public static func readText(descriptor: Int32, name: String) throws(TextFileError) -> Rope {
        let source = try FileSource(descriptor: descriptor, name: name)
        defer { source.close() }
        return try read(source, encoding: nil).text
    }

    private static func read(_ source: FileSource, encoding: TextEncoding?) throws(TextFileError) -> TextFile {
        var decoder: TextFileDecoder?
        var builder = RopeBuilder()
        var looksBinary = false
        while let bytes = try source.next(1 << 20) {
            if decoder == nil {
                let new = TextFileDecoder(start: bytes, encoding: encoding)
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
        return file
    }
}

/// An open file that is read from start to end.
final class FileSource {
    let path: String
    /// What the file was when it was opened: if it is written while it is read, a save will notice.
    let identity: FileIdentity
    private var descriptor: Int32
    private var buffer: UnsafeMutableRawBufferPointer

    /// Opens a regular file; refuses all others before it could block on them.
    init(path: String) throws(TextFileError) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
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
        identity = FileIdentity(status)
        buffer = .allocate(byteCount: 0, alignment: 16)
    }

    /// Reads an open descriptor of any kind from where it is; the descriptor itself is left open.
    init(descriptor: Int32, name: String) throws(TextFileError) {
        path = name
        let own = dup(descriptor)
        guard own >= 0 else { throw .readFailed(path: name, code: errno) }
        var status = stat()
        fstat(own, &status)
        self.descriptor = own
        identity = FileIdentity(status)
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
        let (filled, error) = FileTransfer.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), from: descriptor)
        if let error { throw .readFailed(path: path, code: error) }
        if filled == 0 { return nil }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<filled])
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

/// Turns a file's bytes into a text's: takes off the mark, decodes, and keeps what cannot be decoded.
final class TextFileDecoder {
    private(set) var format: TextFileFormat
    private let converter: TextConverter?
    private var markLeft: Int
    /// Whether encoding the text again gives the same bytes.
    private(set) var isLossless = true

    /// A decoder for a file that starts with these bytes (4 or more, if it has as many).
    init(start: UnsafeRawBufferPointer, encoding: TextEncoding?) {
        let marked = TextEncoding.marked(by: start)
        let encoding = encoding ?? marked ?? .utf8
        let mark = encoding.byteOrderMark
        let hasMark = !mark.isEmpty && start.starts(with: mark)
        format = TextFileFormat(encoding: encoding, hasByteOrderMark: hasMark)
        markLeft = hasMark ? mark.count : 0
        converter = encoding == .utf8 ? nil : TextConverter(encoding)
    }

    /// Whether a file's first bytes look like no text: NUL bytes, or many control characters.
    func looksBinary(_ start: UnsafeRawBufferPointer) -> Bool {
        guard converter == nil || format.encoding.byteOrderMark.isEmpty else { return false }
        let sample = start.prefix(65_536)
        var controls = 0
        for byte in sample where byte < 0x20 {
            switch byte {
            case 0x09...0x0d, 0x1b: break
            case 0: return true
            default: controls += 1
            }
        }
        return controls * 20 > sample.count
    }

    func append(_ bytes: UnsafeRawBufferPointer, to builder: inout RopeBuilder) {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(markLeft))
        markLeft = 0
        convert(bytes, isLast: false, &builder)
    }

    func finish(_ builder: inout RopeBuilder) {
        guard converter != nil else { return }
        convert(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, &builder)
    }

    private func convert(_ bytes: UnsafeRawBufferPointer, isLast: Bool, _ builder: inout RopeBuilder) {
        guard let converter else {
            builder.append(bytes)
            return
        }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        converter.decode(bytes, isLast: isLast) { units in
            output.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        } invalid: { bytes in
            // Bytes that are wrong in UTF-8 as well can stand for themselves; others would read as something else.
            if bytes.allSatisfy({ $0 >= 0x80 }) { output.append(contentsOf: bytes) } else { output += "\u{fffd}".utf8 }
            isLossless = false
        }
        output.withUnsafeBytes { builder.append($0) }
    }
}
