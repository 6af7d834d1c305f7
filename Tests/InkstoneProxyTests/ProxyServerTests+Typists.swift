import InkstoneEditing
import InkstoneTesting
import Testing

extension ProxyServerTests {
    /// An input whose first read fails: the memory of a process at its address 0.
    @Test func aProgramReportsThatItsInputCannotBeRead() throws {
        let child = try typist(["-"], input: .file("/proc/self/mem"))
        defer { child.end() }
        try serve("its end") { !child.isRunning }
        #expect(child.status == .exited(1) && host.session.text == "Hello.")
    }
}
