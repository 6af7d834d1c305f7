import Glibc

/// A base directory of a user's programs: the XDG Base Directory Specification, §3.
public enum UserDirectory: String, Sendable {
    /// Files that the user has set up.
    case configuration
    /// Files that can be made again.
    case cache
    /// Files that are kept over a restart, but belong to this machine.
    case state

    /// The directory; nil if neither its variable nor `HOME` names an absolute path. It need not exist.
    public var path: FilePath? {
        switch self {
        case .configuration: Self.absolute("XDG_CONFIG_HOME") ?? Self.home(".config")
        case .cache: Self.absolute("XDG_CACHE_HOME") ?? Self.home(".cache")
        case .state: Self.absolute("XDG_STATE_HOME") ?? Self.home(".local/state")
        }
    }

    /// Returns a file or directory of this library's in the directory; nil as ``path`` is.
    public func file(_ name: FilePath) -> FilePath? { path?.appending("inkstone").appending(name) }

    /// The parent of all base directories unless a variable names another, and the directory that `~` means; nil as ``path`` is.
    package static var home: FilePath? { absolute("HOME") }

    private static func home(_ directory: FilePath) -> FilePath? { home?.appending(directory) }

    /// Returns the variable's value, if it is absolute: the specification requires relative paths to be ignored.
    private static func absolute(_ variable: String) -> FilePath? {
        guard let value = getenv(variable).map({ FilePath(cString: $0) }), value.isAbsolute else { return nil }
        return value
    }
}
