import InkstoneBase
import InkstoneText
import InkstoneUnicode
import InkstoneWords

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Writes a text to a file atomically. A new file is written in the same directory, and replaces the old file
    /// when it is safe on the disk. Mode, owner, access control list and extended attributes are kept where
    /// permitted, and so are symbolic links.
    ///
    /// If replacing the file would lose something (hard links, an owner),
    /// ``TextFileError/wouldLose(path:names:attributes:)`` is thrown, unless `method` decides otherwise. A file
    /// that cannot be replaced is written in place. So is any file if `method` demands it. A backup of the old
    /// bytes is then in the directory `backups` until the new bytes are on the disk: see ``InterruptedSave``.
    ///
    /// Blocks until the file is on the disk; any thread.
    ///
    /// - Parameters:
    ///   - expecting: the identity of the file when it was last read or saved; nil if the file must not exist yet.
    ///     If the file on disk is another one, ``TextFileError/changedOnDisk(path:change:)`` is thrown, unless
    ///     `overwriting`.
    ///   - original: a file whose bytes are kept in all unchanged lines, if the format is the same. If bytes cannot
    ///     be kept, ``TextFileError/bytesWouldChange(path:encoding:line:)`` is thrown.
    ///   - willReplace: called with the new content, directly before the old file is replaced or overwritten. The save
    ///     may still fail then.
    ///   - willBegin: called when the file was found to be writable and, unless `overwriting`, unchanged. The save may
    ///     still be refused then.
    /// - Returns: the file's new identity, and which properties of the old file were lost.
    @discardableResult
    public static func write(
        _ text: Rope, to path: FilePath, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        overwriting: Bool = false, method: SaveMethod = .automatic, keeping original: OriginalFile? = nil,
        keepingIn backups: FilePath = RecoveryJournal.defaultDirectory, willReplace: (FileContents) -> Void = { _ in },
        willBegin: () -> Void = {}
    ) throws(TextFileError) -> SavedFile {
        let target = try resolve(path)
        let old = try status(of: target, path)
        if let old {
            try checkKind(old, path)
        }
        if let kernel = kernelDirectory(of: target.directory) {
            throw .isNoFileToSave(path: path, kind: localized("name in the system’s own \(kernel.description)"))
        }
        if old != nil {
            guard access(target.cString, W_OK) == 0 else {
                guard errno == EACCES || errno == EPERM else {
                    throw .writeFailed(path: path, step: "access", code: errno)
                }
                throw .readOnlyFile(path: path)
            }
        }
        func checkAgain() throws(TextFileError) {
            if !overwriting { try check(path, target, expecting) }
        }
        try checkAgain()
        willBegin()
        let real = target.absolute
        func writeInPlace(_ old: stat, reason: String? = nil) throws(TextFileError) -> SavedFile {
            let writer = InPlaceWriter(path: path, target: target, old: old, keepingIn: backups)
            let identity = try writer.write(text, format, keeping: original) { contents throws(TextFileError) in
                willReplace(contents)
                try checkAgain()
            }
            InterruptedSave.setAside(of: real, in: backups)
            return SavedFile(identity: identity, path: real, reasonInPlace: reason)
        }
        let (directory, name) = (target.directory, target.nameInDirectory)
        if let old {
            if method == .inPlace { return try writeInPlace(old) }
            if let reason = obstacle(to: target, old) { return try writeInPlace(old, reason: reason) }
        }
        removeLeftovers(of: name, in: directory)
        // Create a file that did not exist with the default mode. Make a file that replaces another one private until
        // it gets the mode of that file.
        var sink: FileSink
        do throws(TextFileError) {
            sink = try FileSink(path: path, directory: directory, name: name, mode: old == nil ? 0o666 : 0o600)
        } catch {
            guard case .readOnlyDirectory = error, let old else { throw error }
            return try writeInPlace(old, reason: localized("no new file can be made in “\(directory.label)”"))
        }
        do throws(TextFileError) {
            let attributes = old.map { _ in FileAttributes(path: target) }
            if let old, let attributes, method == .automatic {
                // Set the attributes to find out which of them can be kept.
                let lost = sink.adopt(old, attributes).filter { !FileAttributes.endWithAnyWrite.contains($0) }
                guard old.st_nlink <= 1, lost.isEmpty else {
                    throw TextFileError.wouldLose(path: path, names: Int(old.st_nlink), attributes: lost)
                }
            }
            try sink.write(text, format, keeping: original)
            // Set the attributes again, because writing clears bits of the mode.
            let lost = old.flatMap { old in attributes.map { sink.adopt(old, $0) } } ?? []
            try sink.sync()
            willReplace(sink.contents)
            try checkAgain()
            let saved = SavedFile(identity: try sink.rename(to: target), path: real, lost: lost)
            InterruptedSave.setAside(of: real, in: backups)
            return saved
        } catch {
            sink.discard()
            throw error
        }
    }

    /// Encodes a text as the content of a file, and passes the bytes to `put`, in pieces. If `original` has the
    /// same format, unchanged text keeps the bytes of that file.
    static func encode(
        _ text: Rope, _ format: TextFileFormat, _ path: FilePath, keeping original: OriginalFile?,
        _ put: (UnsafeRawBufferPointer) throws(TextFileError) -> Void
    ) throws(TextFileError) {
        func putAll(_ bytes: [UInt8]) throws(TextFileError) {
            try bytes.withUnsafeBufferPointer { buffer throws(TextFileError) in
                try put(UnsafeRawBufferPointer(buffer))
            }
        }
        if format.hasByteOrderMark { try putAll(format.encoding.byteOrderMark) }
        if let original, original.format == format {
            return try OriginalFileMerge(text, original, path: path).forEachPiece(putAll)
        }
        // Write nothing for an empty text: some encodings have a header, but an empty file has none.
        if text.isEmpty { return }
        if format.encoding == .utf8 {
            // Collect leaves, which are small, and write them in larger pieces.
            var buffer: [UInt8] = []
            buffer.reserveCapacity(1 << 20)
            try text.forEachChunk(in: text.byteRange) { chunk, _ throws(TextFileError) in
                buffer.append(contentsOf: chunk)
                if buffer.count >= (1 << 20) - 4096 {
                    try putAll(buffer)
                    buffer.removeAll(keepingCapacity: true)
                }
            }
            return try putAll(buffer)
        }
        var encoder = TextFileEncoder(text, format.encoding, path: path)
        try text.forEachChunk(in: text.byteRange) { chunk, _ throws(TextFileError) in
            try putAll(encoder.encode(chunk))
        }
        try putAll(encoder.finish())
    }

    /// Returns the status of the file at a path; nil if there is none.
    private static func status(of target: FilePath, _ path: FilePath) throws(TextFileError) -> stat? {
        var status = stat()
        guard stat(target.cString, &status) != 0 else { return status }
        switch errno {
        case ENOENT: return nil
        case ENOTDIR: throw .noDirectory(path: path, directory: target.directory)
        default: throw .writeFailed(path: path, step: "stat", code: errno)
        }
    }

    /// Throws if a file is not regular.
    static func checkKind(_ status: stat, _ path: FilePath) throws(TextFileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .isDirectory(path: path)
        default: throw .isNoFileToSave(path: path, kind: FileSource.kind(status.st_mode))
        }
    }

    /// Returns the kernel file system (`/proc`, `/sys`, `/dev`) that contains a directory. Nil for a directory on a
    /// disk or in memory.
    private static func kernelDirectory(of directory: FilePath) -> FilePath? {
        let name = directory.absolute
        if let found = (["/proc", "/sys"] as [FilePath]).first(where: { name == $0 || name.remainder(in: $0) != nil }) {
            return found
        }
        // Compare devices, not paths. File systems mounted below these directories, such as /dev/shm, may contain
        // ordinary files.
        func device(_ path: FilePath) -> dev_t? {
            var status = stat()
            return stat(path.cString, &status) == 0 ? status.st_dev : nil
        }
        return device("/dev") != device("/") && device(name) == device("/dev") ? "/dev" : nil
    }

    /// Returns the reason why a file cannot be replaced, although a new file may be created in its directory. Nil
    /// if no obstacle is known.
    private static func obstacle(to target: FilePath, _ old: stat) -> String? {
        // Swift's Glibc lacks O_PATH. With it, opening a file needs no read permission, and does not block on a
        // pipe.
        let onlyPath: Int32 = 0o1000_0000
        let directory = open(target.directory.cString, onlyPath | O_DIRECTORY | O_CLOEXEC)
        let file = open(target.cString, onlyPath | O_CLOEXEC)
        defer {
            if directory >= 0 { close(directory) }
            if file >= 0 { close(file) }
        }
        if let mount = mountNumber(of: file), let other = mountNumber(of: directory), mount != other {
            return localized("it is mounted there by itself")
        }
        var status = stat()
        guard fstat(directory, &status) == 0, status.st_mode & S_ISVTX != 0 else { return nil }
        return [0, old.st_uid, status.st_uid].contains(geteuid())
            ? nil : localized("in “\(target.directory.label)” only its owner may replace it")
    }

    /// Returns the number of the mount that contains an open file; nil if unknown. The device number is not enough,
    /// because several mounts of one disk have the same device number.
    ///
    /// Source: proc_pid_fdinfo(5), Linux 3.15; `statx` reports the number as well, but is not visible to Swift.
    private static func mountNumber(of descriptor: Int32) -> Int? {
        guard descriptor >= 0,
            case let file = open("/proc/self/fdinfo/\(descriptor)", O_RDONLY | O_CLOEXEC), file >= 0
        else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = bytes.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: file).count }
        let line = bytes[..<count].split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "mnt_id:".utf8) }
        return line.flatMap { Int(String(decoding: $0.dropFirst(7).drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)) }
    }

    /// Throws ``TextFileError/changedOnDisk(path:change:)`` if the file on disk is not the expected one. Also
    /// throws it if a file exists although nil is expected.
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

    /// Returns the path with symbolic links at its end resolved. The file need not exist.
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

/// The way in which a save writes an existing file.
public enum SaveMethod: Hashable, Sendable {
    /// A new file replaces the old one. If that is impossible, the old file is written in place. If the old file has
    /// other hard links, or attributes that the new file cannot get, the save is refused with
    /// ``TextFileError/wouldLose(path:names:attributes:)``.
    case automatic
    /// A new file replaces the old one, even if hard links or attributes of the old file are lost. If that is
    /// impossible, the old file is written in place.
    case replacing
    /// The old file is overwritten, and stays the same file.
    case inPlace
}

/// The result of a successful save.
public struct SavedFile: Hashable, Sendable {
    /// The identity of the file after the save.
    public var identity: FileIdentity
    /// The absolute path of the written file, with links resolved.
    public var path: FilePath
    /// The properties of the old file that were lost: names of extended attributes, `owner`, `group`. Nearly always
    /// empty.
    public var lost: [String] = []
    /// The reason why the file was written in place although that was not requested. Worded as the end of a
    /// sentence. Nil if there is none.
    public var reasonInPlace: String?

    /// Sentences for the user about what was lost and how the file was written. Nil if there is nothing to report.
    public var notice: String? {
        var sentences: [String] = []
        if !lost.isEmpty {
            sentences.append(
                localized("Not kept, because the system does not allow it: \(lost.joined(separator: ", "))."))
        }
        if let reasonInPlace { sentences.append(localized("It was written in place, because \(reasonInPlace).")) }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }
}

/// A new file in the directory of the file that it is to replace.
private struct FileSink {
    let path: FilePath
    let directory: FilePath
    let temporary: FilePath
    var descriptor: Int32
    private var hasher = ContentHasher()

    /// The identity of the content written so far.
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
            // After locking the file, check that it still exists. Before, another process may have removed it,
            // taking it for the leftover of an interrupted save.
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
        try TextFile.encode(text, format, path, keeping: original) { bytes throws(TextFileError) in try put(bytes, text)
        }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer, _ text: Rope) throws(TextFileError) {
        hasher.update(bytes)
        guard let code = FileTransfer.write(bytes, to: descriptor) else { return }
        throw .failure(writing: path, step: "write", code: code, size: text.metrics.bytes)
    }

    /// Copies mode, owner and attributes from the file that is to be replaced. Only root may change a file's owner.
    /// Other users can at least keep the group, if they belong to it. Returns the properties that were lost.
    func adopt(_ status: stat, _ attributes: FileAttributes) -> [String] {
        var lost: [String] = []
        var mode = status.st_mode & 0o7777
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 {
            // Clear the set-ID bits, because a program must not run as another owner. If the group is lost, the new
            // group gets no more permissions than all other users.
            if status.st_uid != geteuid() {
                lost.append("owner")
                mode &= ~S_ISUID
            }
            if fchown(descriptor, .max, status.st_gid) != 0 {
                lost.append("group")
                mode = mode & ~(S_ISGID | 0o070) | (mode & 0o007) << 3
            }
        }
        _ = fchmod(descriptor, mode)
        return lost + attributes.apply(to: descriptor, mode: mode, hasGroup: !lost.contains("group"))
    }

    func sync() throws(TextFileError) {
        if let code = FileTransfer.sync(descriptor) {
            throw .failure(writing: path, step: "fsync", code: code, size: contents.size)
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
        // Sync the directory; the new name is then safe. Some file systems cannot sync a directory, but even then
        // the file's content is safe.
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
