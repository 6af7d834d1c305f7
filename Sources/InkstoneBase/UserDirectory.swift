import Glibc

/// A base directory for a user's files: the XDG Base Directory Specification, §3.
package enum UserDirectory: String, Sendable {
    /// Files that the user has set up.
    case configuration
    /// Files that can be created again when they are lost.
    case cache
    /// Files that survive a restart but belong to this machine, such as journals.
    case state

    /// The path of the directory; nil if neither its environment variable nor `HOME` contains an absolute path. The
    /// directory need not exist.
    package var path: FilePath? {
        switch self {
        case .configuration: Self.absolute("XDG_CONFIG_HOME") ?? Self.home(".config")
        case .cache: Self.absolute("XDG_CACHE_HOME") ?? Self.home(".cache")
        case .state: Self.absolute("XDG_STATE_HOME") ?? Self.home(".local/state")
        }
    }

    /// Returns the path of a file or directory of this library's in the base directory; nil if ``path`` is nil.
    package func file(_ name: FilePath) -> FilePath? { path?.appending("inkstone").appending(name) }

    /// The user's home directory: the directory that `~` means, and the parent of the default base directories. Nil
    /// if `HOME` contains no absolute path.
    package static var home: FilePath? { absolute("HOME") }

    private static func home(_ directory: FilePath) -> FilePath? { home?.appending(directory) }

    /// Returns the value of an environment variable if it is an absolute path. The specification requires relative
    /// paths to be ignored.
    private static func absolute(_ variable: String) -> FilePath? {
        guard let value = getenv(variable).map({ FilePath(cString: $0) }), value.isAbsolute else { return nil }
        return value
    }
}
