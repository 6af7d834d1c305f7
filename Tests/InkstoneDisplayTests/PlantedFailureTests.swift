import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Tests that fail on demand, with which the handling of failures in `scripts/test` is checked.
    ///
    /// `INKSTONE_PLANTED_FAILURE` is `once`, `always`, `four`, `ends` or `dies`, a colon, and a directory where the
    /// tests record that they have run.
    @Suite(.enabled(if: getenv("INKSTONE_PLANTED_FAILURE") != nil)) struct PlantedFailureTests {
        private func run(_ number: Int) {
            let parts = String(cString: getenv("INKSTONE_PLANTED_FAILURE")).split(separator: ":", maxSplits: 1)
            let (mode, note) = (parts[0], "\(parts[1])/\(number)")
            let isFirst = access(note, F_OK) != 0
            close(open(note, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            switch mode {
            case "once": #expect(number > 1 || !isFirst, "planted")
            case "always": #expect(number > 1, "planted")
            case "ends": if number == 3, isFirst { raise(SIGKILL) }
            case "dies": if number == 3 { raise(SIGKILL) }
            default: #expect(!isFirst, "planted")
            }
        }

        @Test func first() { run(1) }
        @Test(arguments: [2]) func second(_ number: Int) { run(number) }
        @Test func third() { run(3) }
        @Test func fourth() { run(4) }
    }
}
