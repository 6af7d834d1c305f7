import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy
@testable import InkstoneProxyServer

/// Names on the bus, and the paths by which permissions are taken away.
extension ProxyServerTests {
    /// Two displays of a process, or two sandboxes, have two servers.
    @Test func aSecondServerOfAProcessHasAnotherName() throws {
        _ = try proxy()
        let second = ProxyServer(BusSetup(address: bus.address))
        let other = TestHost("Other")
        second.onQuestion = { [unowned second] in second.answer($0, isAllowed: true, lasts: false) }
        #expect(second.start() == nil)
        second.setFocus(other)
        try waitUntil(
            "the other text", within: 10_000, watching: [server, second].map(\.descriptor) + [keyboard.descriptor]
        ) {
            server.processEvents()
            second.processEvents()
            keyboard.processEvents()
            return keyboard.textDocumentProxy?.documentContextBeforeInput == "Other"
        }
        second.close()
        try wait("the end of the other") { keyboard.textDocumentProxy == nil }
    }

    @Test func aProgramWhoseFileWasReplacedOrHasGoneIsRevokedByItsPath() throws {
        // The test's own keyboard is also asked about, before or after the child.
        var subjects: [Int32: ProxyProgram] = [:]
        server.onQuestion = { [unowned server] in
            subjects[$0.process] = $0
            server.answer($0, isAllowed: true, lasts: false)
        }
        let path = bus.directory.path + "/key\nboard"
        try TextFiles.write(TextFiles.bytes(Products.path(of: "inkstone-type")), to: path)
        chmod(path, 0o755)
        let child = try ChildProcess(
            path, ["-"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin"], input: .pipe,
            errors: .null)
        unlink(path)
        clock.passed += 60_000
        let input = try #require(child.input)
        #expect(write(input, "a", 1) == 1)
        try wait("its text") { host.session.text == "Hello.a" }
        let program = try #require(subjects[child.pid])
        #expect(program.path != program.file && program.file == ProxyProgram.onOneLine(path))
        server.permissions.revoke(path: program.file)
        #expect(write(input, "b", 1) == 1)
        try wait("its end") { !child.isRunning }
        #expect(host.session.text == "Hello.a")
    }
}
