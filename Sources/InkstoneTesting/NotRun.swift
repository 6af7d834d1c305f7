import Glibc

/// Reports of tests that cannot run completely on this machine, because a privilege, a kernel feature or a package
/// version is missing.
///
/// Each such test adds a line `TEST: reason` to the file named by `INKSTONE_NOT_RUN`, which `scripts/test` prints
/// at its end. Without that variable the line goes to standard output. In CI (`CI` is set) such a test fails.
package enum NotRun {
    /// The error that a test cannot run in CI.
    package struct InCI: Error, CustomStringConvertible {
        /// The line with the test and the reason.
        package let line: String
        package var description: String { "cannot run, which in CI is a failure: \(line)" }
    }

    /// Returns whether a test can run; if not, reports why.
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

    /// Reports that a test, or a part of it, was not run, with the reason.
    ///
    /// Throws ``InCI`` in CI.
    package static func note(_ reason: String, file: String = #fileID, test: String = #function) throws(InCI) {
        let line = line(reason, file: file, test: test)
        if isCI(getenv("CI").map { String(cString: $0) }) { throw InCI(line: line) }
        write(line + "\n", to: getenv("INKSTONE_NOT_RUN").map { String(cString: $0) })
    }

    /// Returns whether a value of the variable `CI` means that this is CI.
    package static func isCI(_ value: String?) -> Bool { !["", "0", "false"].contains(value?.lowercased() ?? "") }

    /// Returns the line about a test: its file without the extension, its name without arguments, and the reason on
    /// one line.
    package static func line(_ reason: String, file: String, test: String) -> String {
        let name = file.split(separator: "/").last?.split(separator: ".").first ?? "?"
        return "\(name).\(test.prefix { $0 != "(" }): \(reason.split(separator: "\n").joined(separator: " "))"
    }

    /// Appends a line to a file in a single write, because test processes share the file. Without a file, or if the
    /// file cannot be written, prints the line to standard output.
    private static func write(_ line: String, to path: String?) {
        let bytes = Array(line.utf8)
        let descriptor = path.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) } ?? -1
        if descriptor < 0 || Glibc.write(descriptor, bytes, bytes.count) != bytes.count { print(line, terminator: "") }
        if descriptor >= 0 { close(descriptor) }
    }
}
