import CXattr
import InkstoneBase

#if canImport(Glibc)
    import Glibc
#endif

/// The extended attributes of a file, including its access control list.
///
/// Source: xattr(7), acl(5). The access control list is the attribute `system.posix_acl_access`. Its layout is that
/// of the kernel's `linux/posix_acl_xattr.h`.
struct FileAttributes {
    /// The name of the attribute that holds the access control list.
    static let accessList: FilePath = "system.posix_acl_access"

    /// The attributes that the system removes at every write. They are lost however a file is saved.
    static let endWithAnyWrite: Set<String> = ["security.capability"]

    /// A function that sets an attribute. Tests replace it to simulate a file system that cannot set any.
    typealias Setter = (_ descriptor: Int32, _ name: FilePath, _ value: [UInt8]) -> Bool

    /// The attributes with their names. Names are bytes, like file names.
    private(set) var values: [(name: FilePath, value: [UInt8])] = []
    /// The names of the attributes that this process may not read.
    private(set) var unreadable: [FilePath] = []

    /// Creates the attributes of a file by reading them, through symbolic links; empty if the file system has no
    /// extended attributes.
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

    /// Sets these attributes on an open file. If they include no access control list, removes a list that the file
    /// inherited from its directory. Returns the names of the attributes that could not be read or set.
    ///
    /// - Parameters:
    ///   - mode: the intended mode, which the file has already. With an access control list, the group bits of a
    ///     mode are the maximum of what the list permits. If the list cannot be set, the group bits are reduced to
    ///     the group's own permission.
    ///   - hasGroup: whether the file has the group that the list refers to. If not, no list is set.
    func apply(
        to descriptor: Int32, mode: mode_t, hasGroup: Bool = true, set: Setter = FileAttributes.set
    ) -> [String] {
        var lost = unreadable
        for (name, value) in values {
            if hasGroup || name != Self.accessList, set(descriptor, name, value) { continue }
            // If the access control list could not be set, reduce the group bits of the mode to the group's own
            // permission.
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

    /// Sets an attribute. Returns whether the file now has the attribute with this value.
    static func set(_ descriptor: Int32, _ name: FilePath, _ value: [UInt8]) -> Bool {
        let name = name.cString
        if fsetxattr(descriptor, name, value, value.count, 0) == 0 { return true }
        // Accept a failure if the file has the value already, as for attributes that only the system sets, such as a
        // security label.
        return bytes { fgetxattr(descriptor, name, $0, $1) } == value
    }

    /// Returns the permission (0 to 7) that an access control list gives to the owning group. Nil if the list has no
    /// entry for that group.
    private static func groupPermission(in list: [UInt8]) -> mode_t? {
        // The list begins with four bytes of version. An entry consists of a tag (two bytes), a permission (two
        // bytes) and an id (four bytes), little-endian. The tag of the owning group is 4.
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

    /// Returns the bytes that a system call delivers. The call reports the required size if its buffer is empty.
    /// Nil if the call fails.
    private static func bytes(_ call: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8]? {
        // Try again if the result has grown between the two calls.
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
