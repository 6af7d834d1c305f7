import InkstoneBase
import InkstoneText
import InkstoneUnicode

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Writes a text to a file, whole or not at all: a new file beside the old one takes its name when it is safe on
    /// the disk. Mode, owner, access control list and extended attributes stay where that is allowed, and so do symbolic
    /// links; other hard links keep the old text.
    ///
    /// `expecting` is what the file was when it was read or saved last, nil if it is to be new: if the disk holds
    /// something else it throws ``TextFileError/changedOnDisk(path:change:)``, unless `overwriting`. `willReplace` is called with the
    /// new content when the disk has it, right before it takes the place of the old one. With `original` the bytes of that file stay in
    /// all lines that were not changed, if the format is the same; what cannot be kept so throws
    /// ``TextFileError/bytesWouldChange(path:encoding:line:)``. Returns what the
    /// file is now, and what of the old one it could not keep. Blocks until the disk has it; any thread.
    @discardableResult
    public static func write(
        _ text: Rope, to path: FilePath, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        overwriting: Bool = false, keeping original: OriginalFile? = nil,
        willReplace: (FileContents) -> Void = { _ in }
    ) throws(TextFileError) -> SavedFile {
        let target = try resolve(path)
        var status = stat()
        let exists = stat(target.cString, &status) == 0
        if exists {
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFDIR: throw .isDirectory(path: path)
            default: throw .isSpecial(path: path, kind: FileSource.kind(status.st_mode))
            }
            guard access(target.cString, W_OK) == 0 else {
                let code = errno
                let isForbidden = code == EACCES || code == EPERM
                throw isForbidden ? .readOnlyFile(path: path) : .writeFailed(path: path, step: "access", code: code)
            }
        }
        if !overwriting { try check(path, target, expecting) }
        let (directory, name) = (target.directory, target.nameInDirectory)
        removeLeftovers(of: name, in: directory)
        // A new file gets the mode that any new file gets; one that replaces another is nobody's to read until it has the
        // other's.
        var sink = try FileSink(path: path, directory: directory, name: name, mode: exists ? 0o600 : 0o666)
        do {
            try sink.write(text, format, keeping: original)
            let lost = exists ? sink.adopt(status, FileAttributes(path: target)) : []
            try sink.sync()
            willReplace(sink.contents)
            if !overwriting { try check(path, target, expecting) }
            return SavedFile(identity: try sink.rename(to: target), lost: lost)
        } catch {
            sink.discard()
            throw error
        }
    }

    /// Throws ``TextFileError/changedOnDisk(path:change:)`` if the disk holds something else than `expected`, or anything
    /// if that is nil. A save does so as well; asked beforehand, the user can decide before it begins.
    public static func check(_ path: FilePath, expecting expected: FileIdentity?) throws(TextFileError) {
        try check(path, resolve(path), expected)
    }

    private static func check(
        _ path: FilePath, _ target: FilePath, _ expecting: FileIdentity?
    ) throws(TextFileError) {
        let now = FileIdentity(path: target)
        if let expecting {
            if let change = expecting.change(to: now) { throw .changedOnDisk(path: path, change: change) }
        } else if now != nil {
            throw .changedOnDisk(path: path, change: .created)
        }
    }

    /// The path with symbolic links at its end followed, also to a file that is not there yet.
    static func resolve(_ path: FilePath) throws(TextFileError) -> FilePath {
        var target = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let n = readlink(target.cString, &buffer, Int(PATH_MAX))
            guard n > 0 else { return target }
            let link = FilePath(buffer[..<n].map { UInt8(bitPattern: $0) })
            target = link.isAbsolute ? link : target.directoryPrefix.appending(link)
        }
        throw .writeFailed(path: path, step: "readlink", code: ELOOP)
    }
}

/// What a save came to.
public struct SavedFile: Hashable, Sendable {
    /// What the file is now.
    public var identity: FileIdentity
    /// What of the file before it has not: names of extended attributes, `owner`, `group`. Empty nearly always.
    public var lost: [String] = []

    /// A sentence for a person about what could not be kept; nil if all was.
    public var notice: String? {
        guard !lost.isEmpty else { return nil }
        return "Not kept, because the system does not allow it: \(lost.joined(separator: ", "))."
    }
}

/// A new file beside the one it is to replace.
private struct FileSink {
    let path: FilePath
    let directory: FilePath
    let temporary: FilePath
    var descriptor: Int32
    private var hasher = ContentHasher()

    /// The content that was written.
    var contents: FileContents { hasher.contents }

    init(path: FilePath, directory: FilePath, name: FilePath, mode: mode_t) throws(TextFileError) {
        self.path = path
        self.directory = directory
        (temporary, descriptor) = try Self.create(path, directory, TemporaryName(for: name), mode)
    }

    private static func create(
        _ path: FilePath, _ directory: FilePath, _ names: TemporaryName, _ mode: mode_t
    ) throws(TextFileError) -> (FilePath, Int32) {
        for _ in 0..<100 {
            let candidate = directory.appending(names.random())
            let descriptor = open(candidate.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            guard descriptor >= 0 else {
                let code = errno
                switch code {
                case EEXIST: continue
                case EACCES, EPERM: throw .readOnlyDirectory(path: path, directory: directory)
                case ENOENT, ENOTDIR: throw .noDirectory(path: path, directory: directory)
                default: throw .failure(writing: path, step: "open", code: code)
                }
            }
            // The lock tells that its owner lives; another process may have taken the file for a leftover just now.
            var status = stat()
            let isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            if isOurs, fstat(descriptor, &status) == 0, status.st_nlink > 0 { return (candidate, descriptor) }
            FileLock.close(descriptor)
        }
        throw .writeFailed(path: path, step: "open", code: EEXIST)
    }

    mutating func write(
        _ text: Rope, _ format: TextFileFormat, keeping original: OriginalFile?
    ) throws(TextFileError) {
        if format.hasByteOrderMark {
            let mark = format.encoding.byteOrderMark
            try put(mark, text)
        }
        if let original, original.format == format {
            return try OriginalFileMerge(text, original, path: path).forEachPiece { bytes throws(TextFileError) in
                try put(bytes, text)
            }
        }
        if format.encoding == .utf8 {
            // Leaves are small: write them in larger pieces.
            var buffer: [UInt8] = []
            buffer.reserveCapacity(1 << 20)
            try text.forEachChunk(in: text.byteRange) { chunk, _ throws(TextFileError) in
                buffer.append(contentsOf: chunk)
                if buffer.count >= (1 << 20) - 4096 {
                    try put(buffer, text)
                    buffer.removeAll(keepingCapacity: true)
                }
            }
            try put(buffer, text)
            return
        }
        var encoder = TextFileEncoder(text, format.encoding, path: path)
        try text.forEachChunk(in: text.byteRange) { chunk, _ throws(TextFileError) in
            let bytes = try encoder.encode(chunk)
            try put(bytes, text)
        }
        let rest = try encoder.finish()
        try put(rest, text)
    }

    private mutating func put(_ bytes: [UInt8], _ text: Rope) throws(TextFileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(TextFileError) in
            try put(UnsafeRawBufferPointer(buffer), text)
        }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer, _ text: Rope) throws(TextFileError) {
        hasher.update(bytes)
        guard let code = FileTransfer.write(bytes, to: descriptor) else { return }
        throw .failure(writing: path, step: "write", code: code, size: text.metrics.bytes)
    }

    /// Takes over mode, owner and attributes of the file that is to be replaced. Only root may give files away; then at
    /// least the group may be one's own. Returns what could not be kept.
    func adopt(_ status: stat, _ attributes: FileAttributes) -> [String] {
        var lost: [String] = []
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
            if status.st_uid != geteuid() { lost.append("owner") }
            if fchown(descriptor, .max, status.st_gid) != 0 { lost.append("group") }
        }
        _ = fchmod(descriptor, status.st_mode & 0o7777)
        return lost + attributes.apply(to: descriptor, mode: status.st_mode & 0o7777)
    }

    func sync() throws(TextFileError) {
        while fsync(descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            throw .failure(writing: path, step: "fsync", code: code)
        }
    }

    mutating func rename(to target: FilePath) throws(TextFileError) -> FileIdentity {
        var status = stat()
        fstat(descriptor, &status)
        guard Glibc.rename(temporary.cString, target.cString) == 0 else {
            throw .failure(writing: path, step: "rename", code: errno)
        }
        FileLock.close(descriptor)
        descriptor = -1
        // The new name is safe once the directory is. Some file systems cannot do it; the file itself is safe.
        let parent = open(directory.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if parent >= 0 {
            fsync(parent)
            close(parent)
        }
        return FileIdentity(status)
    }

    func discard() {
        guard descriptor >= 0 else { return }
        FileLock.close(descriptor)
        unlink(temporary.cString)
    }
}
