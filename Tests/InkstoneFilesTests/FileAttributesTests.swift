import CXattr
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneFiles

/// A save keeps a file's attributes.
@Suite(.timeLimit(.minutes(5))) struct FileAttributesTests {
    let scratch = Scratch()

    /// An access control list: read and write for user 1234, read for the group, nothing for others.
    private static let list: [UInt8] =
        [2, 0, 0, 0] + entry(0x01, 6) + entry(0x02, 6, id: 1234) + entry(0x04, 4) + entry(0x10, 6) + entry(0x20, 0)

    private static func entry(_ tag: UInt8, _ permission: UInt8, id: UInt32 = .max) -> [UInt8] {
        [tag, 0, permission, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * UInt32($0))) }
    }

    private func value(_ path: String, _ name: FilePath) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        let n = getxattr(path, name.cString, &buffer, buffer.count)
        return n < 0 ? nil : Array(buffer[..<n])
    }

    private func set(_ path: String, _ name: FilePath, _ value: [UInt8]) throws {
        try #require(
            setxattr(path, name.cString, value, value.count, 0) == 0, "no extended attributes in /tmp: \(errno)")
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o7777
    }

    @Test func attributesAndTheAccessListStay() throws {
        let path = scratch.put("file", "old")
        try set(path, "user.origin", Array("elsewhere".utf8))
        try set(path, "user.empty", [])
        try set(path, FileAttributes.accessList, Self.list)
        let saved = try TextFile.write("new", to: path, expecting: FileIdentity(path: path))
        #expect(contents(path) == Array("new".utf8))
        #expect(saved.lost.isEmpty && saved.notice == nil)
        #expect(value(path, "user.origin") == Array("elsewhere".utf8))
        #expect(value(path, "user.empty") == [])
        #expect(value(path, FileAttributes.accessList) == Self.list)
        #expect(mode(path) == 0o660)
    }

    @Test func anAttributeWhoseNameIsNoTextStays() throws {
        let path = scratch.put("file", "old")
        let name = FilePath(Array("user.caf".utf8) + [0xe9])
        try set(path, name, [1])
        let saved = try TextFile.write("new", to: path, expecting: FileIdentity(path: path))
        #expect(value(path, name) == [1] && saved.lost.isEmpty)
    }

    @Test func aFileWithoutAListGetsNoneFromItsDirectory() throws {
        let path = scratch.put("file", "old")
        chmod(path, 0o640)
        try set(scratch.path, "system.posix_acl_default", Self.list)
        try TextFile.write("new", to: path, expecting: FileIdentity(path: path))
        #expect(value(path, FileAttributes.accessList) == nil)
        #expect(mode(path) == 0o640)
        // A new file gets the usual attributes in this directory.
        try TextFile.write("new", to: scratch.file("ours"), expecting: nil)
        close(open(scratch.file("any"), O_WRONLY | O_CREAT, 0o666))
        #expect(value(scratch.file("ours"), FileAttributes.accessList) != nil)
        #expect(
            value(scratch.file("ours"), FileAttributes.accessList)
                == value(scratch.file("any"), FileAttributes.accessList))
    }

    @Test func lostAttributesAreReportedAndGrantNoAccess() throws {
        let old = scratch.put("old", "old")
        try set(old, "user.origin", [1])
        try set(old, FileAttributes.accessList, Self.list)
        let new = scratch.put("new", "new")
        chmod(new, 0o660)
        let descriptor = open(new, O_RDWR)
        defer { close(descriptor) }
        let lost = FileAttributes(path: FilePath(old)).apply(to: descriptor, mode: 0o660) { _, _, _ in false }
        #expect(lost.sorted() == [FileAttributes.accessList.description, "user.origin"])
        // Without the list, the group would get the permissions of user 1234.
        #expect(mode(new) == 0o640)
        #expect(
            SavedFile(
                identity: try #require(FileIdentity(path: new)), path: FilePath(new), lost: ["owner", "user.origin"]
            ).notice
                == "Not kept, because the system does not allow it: owner, user.origin.")
    }
}
