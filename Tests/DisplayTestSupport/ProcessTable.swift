import Glibc
import InkstoneTesting

/// Information from /proc about processes, asked for only about those that a test has started.
package enum ProcessTable {
    /// The processes of a group. Not by parent: daemons that start helpers by forking twice disown them, but keep the group.
    package static func members(ofGroup group: pid_t) -> [pid_t] {
        TemporaryDirectory.names(in: "/proc").compactMap { pid_t($0) }
            .filter { pid in fields(of: pid).flatMap { pid_t($0[2]) } == group }
    }

    /// The processes that were started with this entry, `NAME=VALUE`, in their environment.
    package static func members(withEnvironment entry: String) -> [pid_t] {
        let wanted = Array(entry.utf8)
        return TemporaryDirectory.names(in: "/proc").compactMap { pid_t($0) }.filter { pid in
            guard pid != getpid(), let bytes = try? TextFiles.bytes("/proc/\(pid)/environ") else { return false }
            return bytes.split(separator: 0).contains { $0.elementsEqual(wanted) }
        }
    }

    /// The program's name, as far as the kernel keeps it (15 bytes); empty once the process is gone.
    package static func name(of pid: pid_t) -> String {
        ((try? TextFiles.read("/proc/\(pid)/comm")) ?? "").split(separator: "\n").first.map(String.init) ?? ""
    }

    /// Whether a process handles a signal itself by now.
    package static func catches(_ signal: CInt, in pid: pid_t) -> Bool {
        let text = (try? TextFiles.read("/proc/\(pid)/status")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        let mask = line?.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) } ?? 0
        return mask & 1 << UInt64(signal - 1) != 0
    }

    /// Whether the process's first thread waits for something at this moment.
    package static func sleeps(_ pid: pid_t) -> Bool { fields(of: pid)?.first == "S" }

    /// The proportional set size in kilobytes; nil once the process is gone.
    package static func proportionalSetSize(of pid: pid_t) -> Int? {
        let text = (try? TextFiles.read("/proc/\(pid)/smaps_rollup")) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    /// The fields of /proc/PID/stat after the name: state, parent, group, …
    private static func fields(of pid: pid_t) -> [Substring]? {
        guard let text = try? TextFiles.read("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].dropFirst(2).split(separator: " ")
        return fields.count > 2 ? fields : nil
    }
}
