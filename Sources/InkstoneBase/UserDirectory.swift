import Glibc

/// Where a user's programs keep their files: the XDG Base Directory Specification, §3.
public enum UserDirectory: String, Sendable {
    /// What the user has set up.
    case configuration
    /// What can be made again.
    case cache
    /// What is to be there after a restart, but belongs to this machine.
    case state

    /// The directory; nil if neither its variable nor `HOME` names an absolute path. It need not exist.
    public var path: FilePath? {
        switch self {
        case .configuration: Self.absolute("XDG_CONFIG_HOME") ?? Self.home(".config")
        case .cache: Self.absolute("XDG_CACHE_HOME") ?? Self.home(".cache")
        case .state: Self.absolute("XDG_STATE_HOME") ?? Self.home(".local/state")
        }
    }

    /// A file or directory of this library's in it; nil as ``path`` is.
    public func file(_ name: FilePath) -> FilePath? { path?.appending("inkstone").appending(name) }

    /// What all of them lie in unless a variable says otherwise, and what `~` stands for; nil as ``path`` is.
    package static var home: FilePath? { absolute("HOME") }

    private static func home(_ directory: FilePath) -> FilePath? { home?.appending(directory) }

    /// Relative paths are to be ignored, says the specification.
    private static func absolute(_ variable: String) -> FilePath? {
        guard let value = getenv(variable).map({ FilePath(cString: $0) }), value.isAbsolute else { return nil }
        return value
    }
}
