import Glibc

/// Tests that cannot run, or not as they should, where they are: for want of a right, a kernel's feature, a package's version.
///
/// None goes without a word. The file that `INKSTONE_NOT_RUN` names gets a line for each, `TEST: reason`, which `scripts/test`
/// prints at its end; without it the line goes to standard output. In CI (`CI` is set) nothing may be missing: there the test fails.
package enum NotRun {
    /// What a test throws in CI that cannot run.
    package struct InCI: Error, CustomStringConvertible {
        /// The test and its reason.
        package let line: String
        package var description: String { "cannot run, which in CI is a failure: \(line)" }
    }

    /// Whether a test can run; if not, says why.
    ///
    ///     guard try NotRun.unless(SmallDisk.isPossible, "needs a namespace to mount a disk in") else { return }
    ///
    /// Throws ``InCI`` in CI.
    package static func unless(
        _ canRun: Bool, _ reason: @autoclosure () -> String, file: String = #fileID, test: String = #function
    ) throws(InCI) -> Bool {
        if !canRun { try note(reason(), file: file, test: test) }
        return canRun
    }

    /// Says that a test, or a part of it, has not run, and why.
    ///
    /// Throws ``InCI`` in CI.
    package static func note(_ reason: String, file: String = #fileID, test: String = #function) throws(InCI) {
        let line = line(reason, file: file, test: test)
        if isCI(getenv("CI").map { String(cString: $0) }) { throw InCI(line: line) }
        write(line + "\n", to: getenv("INKSTONE_NOT_RUN").map { String(cString: $0) })
    }

    /// Whether the variable `CI` says so.
    package static func isCI(_ value: String?) -> Bool { !["", "0", "false"].contains(value?.lowercased() ?? "") }

    /// The line of a test: its file without the ending, its name without the arguments, the reason in one line.
    package static func line(_ reason: String, file: String, test: String) -> String {
        let name = file.split(separator: "/").last?.split(separator: ".").first ?? "?"
        return "\(name).\(test.prefix { $0 != "(" }): \(reason.split(separator: "\n").joined(separator: " "))"
    }

    /// Appends a line to a file in one go, because test processes share it; to standard output if there is none or it cannot
    /// be written.
    private static func write(_ line: String, to path: String?) {
        let bytes = Array(line.utf8)
        let descriptor = path.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) } ?? -1
        if descriptor < 0 || Glibc.write(descriptor, bytes, bytes.count) != bytes.count { print(line, terminator: "") }
        if descriptor >= 0 { close(descriptor) }
    }
}
