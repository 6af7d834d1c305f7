import Glibc
import InkstoneTesting

/// Files of a failing test that stay for its reader, where `INKSTONE_PICTURES` says or in /tmp.
package enum KeptFile {
    /// Writes a file and gives its path, or says that it cannot.
    package static func write(_ bytes: [UInt8], as name: String) -> String {
        // Not a directory that goes with the test.
        let base = getenv("INKSTONE_PICTURES").map { String(cString: $0) } ?? "/tmp"
        mkdir(base, 0o755)
        var template = Array("\(base)/inkstone-kept.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return "(no place to keep it)" }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/\(name)"
        try? TextFiles.write(bytes, to: path)
        return path
    }
}
