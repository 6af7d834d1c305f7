import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A journal to be listed. Only its start has been read.
struct ListedJournal: Sendable {
    let path: FilePath
    /// The directory of the file that the journal is about.
    let directory: FilePath?
    /// The document to list if the file that the journal is about is on a disk that does not respond.
    let document: RecoveredDocument

    /// Creates the entry for a journal by reading its start. Nil if the file cannot be opened, is no regular file of this
    /// user or was replaced meanwhile, and also if it cannot be decoded and is locked. A file that cannot be decoded and
    /// is not locked gets the state `corrupt`.
    init?(path: FilePath) {
        self.path = path
        let found = Self.withDescriptor(path) {
            RecoveredDocument.read(path, from: $0, removingEmpty: false, limit: -1)
        }
        guard var found else { return nil }
        if found.state == .tooLarge { found.markUnreachable() }
        document = found
        directory = found.base?.subject?.directory
    }

    func withDescriptor<Result>(_ body: (Int32) -> Result?) -> Result? { Self.withDescriptor(path, body) }

    private static func withDescriptor<Result>(_ path: FilePath, _ body: (Int32) -> Result?) -> Result? {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { FileLock.close(descriptor) }
        return body(descriptor)
    }
}

/// A file whose journals are searched for. A journal may name it by any of its names.
final class SoughtFile {
    private let path: FilePath
    /// The path with links resolved, which is the path that journals record.
    private let real: FilePath
    private let identity: FileIdentity?
    private lazy var contents = FileContents(path: path)

    init(_ path: FilePath) {
        (self.path, real) = (path, path.absolute)
        identity = FileIdentity(path: path)
    }

    /// Whether a journal's edits apply to this file. The journal may name the file by the path as given, or by the path
    /// with links resolved.
    func isNamed(_ base: JournalBase) -> Bool {
        base.subject.map { $0 == path || $0 == real } ?? false
    }

    /// If a journal is about this file under another name, replaces the other name by the file's path in all records of
    /// the journal. The other name may be a hard link, or the name before a renaming.
    ///
    /// Device and inode only select the journals to check, because the inode of a removed file is soon used again. The
    /// content decides whether this is the file.
    func follow(_ content: inout JournalContent) {
        guard let confirmed = content.confirmed, let other = confirmed.base.path, !isNamed(confirmed.base),
            let identity,
            let known = confirmed.base.identity, known.device == identity.device, known.inode == identity.inode,
            // Require that the other name leads to this file. If no file has that name, require that this file has the
            // recorded content.
            other.isSameFile(as: path) || FileIdentity(path: other) == nil && isContent(of: confirmed)
        else { return }
        for index in content.bases.indices where content.bases[index].base.path == other {
            content.bases[index].base.path = path
        }
    }

    private func isContent(of record: JournalBaseRecord) -> Bool {
        guard let known = record.contents else { return record.base.identity == identity }
        return known.size == identity?.size && known == contents
    }
}

/// A cache of the present contents of the files to which journals' edits apply, so that each file is read only once.
final class CurrentFiles {
    private typealias Found = (contents: FileContents, identity: FileIdentity)
    /// The content and identity of the files read so far, by the bytes of the path.
    private var known: [[UInt8]: Found] = [:]

    func exists(_ path: FilePath?) -> Bool { path.map { access($0.cString, F_OK) == 0 } ?? true }

    /// Returns the identity that a file had when it was read. If it was not read, returns its present identity; nil
    /// if there is no path or no file.
    func identity(of path: FilePath?) -> FileIdentity? {
        path.flatMap { known[$0.bytes]?.identity ?? FileIdentity(path: $0) }
    }

    /// Whether a file has not changed since it was recorded as the one to which a journal's edits apply: it has the
    /// same content, or still does not exist. If the content was not recorded, size and time are compared; a file whose
    /// save was only announced counts as changed then. Always true for a record without a path.
    func are(_ record: JournalBaseRecord) -> Bool {
        guard let path = record.base.path else { return true }
        guard let identity = record.base.identity else { return FileIdentity(path: path) == nil && errno == ENOENT }
        guard let now = FileIdentity(path: path), now.size == identity.size else { return false }
        guard let contents = record.contents else {
            // Compare only size and time. Device and inode may differ after a restart.
            return record.kind == .confirmed && now.seconds == identity.seconds
                && now.nanoseconds == identity.nanoseconds
        }
        let found = known[path.bytes] ?? FileContents.read(path, keepingUpTo: 0).map { ($0.contents, $0.identity) }
        known[path.bytes] = found
        return found?.contents == contents
    }
}
