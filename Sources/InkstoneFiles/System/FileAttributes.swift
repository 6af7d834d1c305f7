import CXattr
import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// What a file has besides its text and its mode: extended attributes, an access control list among them.
///
/// Source: xattr(7), acl(5); the list is the attribute `system.posix_acl_access`, whose layout is the kernel's
/// `linux/posix_acl_xattr.h`.
struct FileAttributes {
    /// The attribute that an access control list is.
    static let accessList: FilePath = "system.posix_acl_access"

    /// The attributes that the system takes from a file whenever it is written, which no way to save it keeps.
    static let endWithAnyWrite: Set<String> = ["security.capability"]

    /// How attributes are set; tests put a file system there that cannot.
    typealias Setter = (_ descriptor: Int32, _ name: FilePath, _ value: [UInt8]) -> Bool

    /// By their names, which are bytes as those of files are.
    private(set) var values: [(name: FilePath, value: [UInt8])] = []
    /// Names of those that are there and may not be read.
    private(set) var unreadable: [FilePath] = []

    /// The attributes of a file, through symbolic links. None where the file system has none.
    init(path: FilePath) {
        let path = path.cString
        for name in Self.names({ listxattr(path, $0, $1) }) {
            if let value = Self.bytes({ getxattr(path, name.cString, $0, $1) }) {
                values.append((name, value))
            } else if errno != ENODATA {
                unreadable.append(name)
            }
        }
    }

    /// Gives an open file these attributes; a list that it got from its directory goes if this has none. Returns the names
    /// of those that it could not have.
    ///
    /// - Parameter mode: the mode that the file is to have, which it has already. Under a list the group's bits are no more
    ///   than the most that anybody on the list may do, so without it they are cut to what the group may.
    /// - Parameter hasGroup: whether the file has the group that the list speaks of. If not it gets no list.
    func apply(
        to descriptor: Int32, mode: mode_t, hasGroup: Bool = true, set: Setter = FileAttributes.set
    ) -> [String] {
        var lost = unreadable
        for (name, value) in values {
            if hasGroup || name != Self.accessList, set(descriptor, name, value) { continue }
            // A list as plain as a mode says nothing more than it.
            if hasGroup, name == Self.accessList, let group = Self.groupPermission(in: value) {
                fchmod(descriptor, mode & 0o7707 | mode & group << 3)
            }
            lost.append(name)
        }
        if !values.contains(where: { $0.name == Self.accessList }), !unreadable.contains(Self.accessList),
            Self.bytes({ fgetxattr(descriptor, Self.accessList.cString, $0, $1) }) != nil,
            fremovexattr(descriptor, Self.accessList.cString) == 0
        {
            fchmod(descriptor, mode & 0o7777)
        }
        return lost.map(\.description)
    }

    /// Sets an attribute; true if the file has it.
    static func set(_ descriptor: Int32, _ name: FilePath, _ value: [UInt8]) -> Bool {
        let name = name.cString
        if fsetxattr(descriptor, name, value, value.count, 0) == 0 { return true }
        // Some come by themselves, such as a security label, and may not be set.
        return bytes { fgetxattr(descriptor, name, $0, $1) } == value
    }

    /// What the owning group may do (0 to 7) by a list; nil if it cannot be read.
    private static func groupPermission(in list: [UInt8]) -> mode_t? {
        // Four bytes of version, then entries of a tag, a permission (two bytes each) and an id (four), little-endian.
        for entry in stride(from: 4, through: list.count - 8, by: 8) where list[entry] == 0x04 && list[entry + 1] == 0 {
            return mode_t(list[entry + 2] & 7)
        }
        return nil
    }

    private static func names(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) -> [FilePath] {
        let names = bytes { buffer, count in
            buffer.map { $0.withMemoryRebound(to: CChar.self, capacity: count) { call($0, count) } } ?? call(nil, 0)
        }
        return (names ?? []).split(separator: 0).map { FilePath($0) }
    }

    /// What a call gives that tells its length when it is given no room. Nil if it fails.
    private static func bytes(_ call: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8]? {
        // It may grow between the two calls.
        for _ in 0..<8 {
            let count = call(nil, 0)
            if count <= 0 { return count == 0 ? [] : nil }
            var failed = false
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let n = call(buffer.baseAddress, count)
                failed = n < 0
                filled = max(0, n)
            }
            if !failed { return bytes }
            if errno != ERANGE { return nil }
        }
        return nil
    }
}
