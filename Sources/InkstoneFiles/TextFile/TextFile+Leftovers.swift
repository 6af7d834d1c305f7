import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

extension TextFile {
    /// Removes what saves of a file left beside it that were killed half-way; returns how many. Every save does so first.
    ///
    /// A save writes to a file with a name of its own, which it locks. One that nobody locks is of a process that is gone:
    /// it is part of a text at most, as its user has it in the file or in a journal. A file without a name (`O_TMPFILE`)
    /// would leave nothing behind, but cannot take the place of another: it needs such a name before it can be renamed.
    @discardableResult
    public static func removeLeftovers(of path: String) -> Int {
        guard let target = try? resolve(path) else { return 0 }
        let slash = target.lastIndex(of: "/")
        let directory = slash.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        return removeLeftovers(of: slash.map { String(target[target.index(after: $0)...]) } ?? target, in: directory)
    }

    @discardableResult
    static func removeLeftovers(of name: String, in directory: String) -> Int {
        guard let entries = opendir(directory) else { return 0 }
        defer { closedir(entries) }
        let names = TemporaryName(for: name)
        var removed = 0
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if names.contains(name), remove("\(directory)/\(name)") { removed += 1 }
        }
        return removed
    }

    /// Removes a file if it is this user's and no process has it locked.
    private static func remove(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { FileLock.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid() || geteuid() == 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return false }
        return unlink(path) == 0
    }
}

/// The names of the files that saves of a file are written to: hidden, beside it, and unlike any that people give.
struct TemporaryName {
    private static let digits = 13
    private static let suffix = ".inkstone"
    private let prefix: String

    init(for name: String) {
        // Names are at most 255 bytes long.
        var start = name[...]
        while start.utf8.count > 200 { start = start.dropLast() }
        prefix = ".\(start)."
    }

    func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 36)
        return prefix + String(repeating: "0", count: Self.digits - digits.count) + digits + Self.suffix
    }

    func contains(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(Self.suffix) else { return false }
        let middle = name.utf8.dropFirst(prefix.utf8.count).dropLast(Self.suffix.utf8.count)
        return middle.count == Self.digits
            && middle.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }
    }
}
