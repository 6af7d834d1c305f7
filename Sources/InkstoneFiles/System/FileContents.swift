import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The identity of a file's content: its length and a hash of 128 bits.
///
/// Unlike a ``FileIdentity``, the value stays the same on another device, after a copy and after `touch`. The hash
/// detects changes. It does not protect against someone who constructs two files with the same hash.
public struct FileContents: Hashable, Sendable {
    /// The length in bytes.
    public var size: Int
    /// The two halves of the hash of the content.
    var high: UInt64
    var low: UInt64

    init(size: Int, high: UInt64, low: UInt64) { (self.size, self.high, self.low) = (size, high, low) }

    /// Creates the identity of the given bytes as content.
    public init(_ bytes: [UInt8]) {
        var hasher = ContentHasher()
        bytes.withUnsafeBytes { hasher.update($0) }
        self = hasher.contents
    }

    /// Creates the identity of a regular file's content. Reads the file in pieces. Nil if it cannot be read, or is no
    /// regular file. Blocks.
    public init?(path: FilePath) {
        guard let found = FileContents.read(path, keepingUpTo: 0) else { return nil }
        self = found.contents
    }

    /// Returns the content identity and the file identity of a regular file. Also returns its bytes, if there are
    /// no more than `limit`. Nil if the file cannot be read, is not regular, or changes during reading. Blocks.
    static func read(
        _ path: FilePath, keepingUpTo limit: Int
    ) -> (contents: FileContents, identity: FileIdentity, bytes: [UInt8]?)? {
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let identity = FileIdentity(status)
        var hasher = ContentHasher()
        var kept: [UInt8]? = identity.size <= limit ? [] : nil
        kept?.reserveCapacity(identity.size)
        var buffer = [UInt8](repeating: 0, count: min(max(1, identity.size), 1 << 20))
        while true {
            let (count, error) = buffer.withUnsafeMutableBytes { FileTransfer.read(into: $0, from: descriptor) }
            guard error == nil else { return nil }
            if count == 0 { break }
            buffer.withUnsafeBytes { hasher.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            kept?.append(contentsOf: buffer[..<count])
            // Stop if the file grows during reading: its content would not match `identity`.
            guard hasher.size <= identity.size else { return nil }
        }
        guard fstat(descriptor, &status) == 0, FileIdentity(status) == identity, hasher.size == identity.size else {
            return nil
        }
        return (hasher.contents, identity, kept)
    }
}

/// A hasher that computes a ``FileContents`` piece by piece. Its rounds are those of XXH64. There are two lanes,
/// and each processes every word.
struct ContentHasher {
    private var lanes = (first: Self.first, second: Self.second)
    private var rest: UInt64 = 0
    private(set) var size = 0

    fileprivate static let first: UInt64 = 0x9e37_79b1_85eb_ca87
    fileprivate static let second: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    private static let third: UInt64 = 0x1656_67b1_9e37_79f9

    init(seed: UInt64 = 0) { lanes.second ^= seed }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var at = 0
        while at < bytes.count, size & 7 != 0 {
            add(bytes[at])
            at += 1
        }
        var (a, b) = (lanes.first, lanes.second)
        while bytes.count - at >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            a = Self.round(a, word)
            b = Self.round(b ^ Self.third, word &* Self.third)
            at += 8
            size += 8
        }
        (lanes.first, lanes.second) = (a, b)
        while at < bytes.count {
            add(bytes[at])
            at += 1
        }
    }

    private mutating func add(_ byte: UInt8) {
        rest |= UInt64(byte) << UInt64(8 * (size & 7))
        size += 1
        guard size & 7 == 0 else { return }
        lanes.first = Self.round(lanes.first, rest)
        lanes.second = Self.round(lanes.second ^ Self.third, rest &* Self.third)
        rest = 0
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        let sum = lane &+ word &* second
        return (sum << 31 | sum >> 33) &* first
    }

    private static func finish(_ lane: UInt64) -> UInt64 {
        var hash = lane
        hash = (hash ^ hash >> 33) &* second
        hash = (hash ^ hash >> 29) &* third
        return hash ^ hash >> 32
    }

    var contents: FileContents {
        var end = self
        let size = UInt64(self.size)
        end.lanes.first = Self.round(Self.round(lanes.first, rest), size)
        end.lanes.second = Self.round(Self.round(lanes.second ^ Self.third, rest &* Self.third), size)
        let (a, b) = (Self.finish(end.lanes.first), Self.finish(end.lanes.second &+ end.lanes.first))
        return FileContents(size: self.size, high: a, low: b)
    }

    /// A checksum of 64 bits: the two halves of the hash combined.
    var checksum: UInt64 {
        let hash = contents
        return hash.high ^ hash.low
    }
}
