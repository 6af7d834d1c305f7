import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// A journal that is to be listed, of which only the start has been read.
struct ListedJournal: Sendable {
    let path: FilePath
    /// The directory of its file.
    let directory: FilePath?
    /// The document as it is listed if the disk of its file does not answer.
    let document: RecoveredDocument

    /// Nil if it is no journal, or holds nothing.
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

/// A file whose journals are sought, by any of its names.
final class SoughtFile {
    private let path: FilePath
    /// The name without links, by which journals have it.
    private let real: FilePath
    private let identity: FileIdentity?
    private lazy var contents = FileContents(path: path)

    init(_ path: FilePath) {
        (self.path, real) = (path, path.absolute)
        identity = FileIdentity(path: path)
    }

    /// Whether a base has one of the file's names.
    func isNamed(_ base: JournalBase) -> Bool {
        base.subject.map { $0 == path || $0 == real } ?? false
    }

    /// Gives the bases of a journal the name of the file if they are of it under another one: a hard link, or a file that was renamed since.
    ///
    /// Device and inode only say which journals to look at. The number of a file that was removed is soon that of another, so that the
    /// content decides whether this is the file.
    func follow(_ content: inout JournalContent) {
        guard let standing = content.standing, let other = standing.base.path, !isNamed(standing.base), let identity,
            let known = standing.base.identity, known.device == identity.device, known.inode == identity.inode,
            // On the same disk as the file.
            other.isSameFile(as: path) || FileIdentity(path: other) == nil && isContent(of: standing)
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

/// The files of bases as they are now, of which each is read once.
final class CurrentFiles {
    private typealias Found = (contents: FileContents, identity: FileIdentity)
    /// By the bytes of the path.
    private var known: [[UInt8]: Found] = [:]

    func exists(_ path: FilePath?) -> Bool { path.map { access($0.cString, F_OK) == 0 } ?? true }

    /// Identity of a file when it was read; if it was not read, its present one.
    func identity(of path: FilePath?) -> FileIdentity? {
        path.flatMap { known[$0.bytes]?.identity ?? FileIdentity(path: $0) }
    }

    /// Whether the file of a base is what it was.
    func are(_ record: JournalBaseRecord) -> Bool {
        guard let path = record.base.path else { return true }
        guard let identity = record.base.identity else { return FileIdentity(path: path) == nil && errno == ENOENT }
        guard let now = FileIdentity(path: path), now.size == identity.size else { return false }
        guard let contents = record.contents else {
            // Device and inode may be others after a restart.
            return record.kind == .standing && now.seconds == identity.seconds
                && now.nanoseconds == identity.nanoseconds
        }
        let found = known[path.bytes] ?? FileContents.read(path, keepingUpTo: 0).map { ($0.contents, $0.identity) }
        known[path.bytes] = found
        return found?.contents == contents
    }
}
