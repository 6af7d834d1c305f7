import Glibc

/// The executables that were built together with the running program.
package enum Products {
    /// The path of the running program.
    package static let running: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// Returns the path of an executable by its name; the file may not exist.
    package static func path(of name: String) -> String {
        running.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
    }
}
