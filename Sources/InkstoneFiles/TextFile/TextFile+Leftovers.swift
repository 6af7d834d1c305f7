import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Removes the temporary files of interrupted saves beside a file. Returns their number. A save that writes a
    /// new file calls this first.
    ///
    /// A save writes to a temporary file, which it locks. An unlocked temporary file belongs to a process that has
    /// ended. It contains at most part of a text that the user also has in the file or in a journal. A file without a
    /// name (`O_TMPFILE`) would leave nothing behind, but could not replace another file without first getting such a
    /// name.
    @discardableResult
    public static func removeLeftovers(of path: FilePath) -> Int {
        guard let target = try? resolve(path) else { return 0 }
        return removeLeftovers(of: target.nameInDirectory, in: target.directory)
    }

    @discardableResult
    static func removeLeftovers(of name: FilePath, in directory: FilePath) -> Int {
        guard let entries = opendir(directory.cString) else { return 0 }
        defer { closedir(entries) }
        let names = TemporaryName(for: name)
        var removed = 0
        while let entry = readdir(entries) {
            let name = FilePath(entry: entry)
            if names.contains(name), remove(directory.appending(name)) { removed += 1 }
        }
        return removed
    }

    /// Removes a file if this user owns it and no process has locked it. Root may remove the file of any owner.
    /// Returns whether the file was removed.
    private static func remove(_ path: FilePath) -> Bool {
        let name = path.cString
        let descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { FileLock.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid() || geteuid() == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        return unlink(name) == 0
    }
}

/// The names of temporary files of saves. They are hidden, in the directory of the saved file, and unlike names
/// that people choose.
struct TemporaryName {
    /// The number of random digits in a name. In base 36, these are enough for 64 bits.
    private static let digits = 13
    private static let suffix = Array(".inkstone".utf8)
    private let prefix: [UInt8]

    init(for name: FilePath) {
        // Limit the length of the prefix. A name has at most 255 bytes, or 143 in an encrypted directory
        // (eCryptfs). The prefix may be cut within a character, because names are bytes.
        prefix = Array(".".utf8) + name.bytes.prefix(100) + Array(".".utf8)
    }

    func random() -> FilePath {
        let digits = String(UInt64.random(in: .min ... .max), radix: 36)
        let zeros = repeatElement(UInt8(ascii: "0"), count: Self.digits - digits.utf8.count)
        return FilePath(prefix + zeros + Array(digits.utf8) + Self.suffix)
    }

    func contains(_ name: FilePath) -> Bool {
        let bytes = name.bytes
        guard bytes.count == prefix.count + Self.digits + Self.suffix.count, bytes.starts(with: prefix),
            bytes.suffix(Self.suffix.count).elementsEqual(Self.suffix)
        else { return false }
        return bytes.dropFirst(prefix.count).prefix(Self.digits)
            .allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
    }
}
