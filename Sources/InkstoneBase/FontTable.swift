import Synchronization

/// A font that layout measured with, as a small number that glyph runs carry: see ``FontTable``.
@frozen
public struct FontID: Hashable, Sendable {
    /// Index into the process's ``FontTable``.
    public let rawValue: UInt32

    /// Wraps an index that the table gave out.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The process's fonts, by number.
///
/// Layout resolves a description to one font file and its rendering options, writes that as a fully resolved
/// fontconfig pattern without charset (`FcNameUnparse`), and interns it here. The canvas opens *that* pattern, so
/// that what was measured is what is drawn. Entries are never removed: a process uses some dozens.
public enum FontTable {
    private struct Contents {
        var patterns: [String] = []
        var ids: [String: FontID] = [:]
    }

    private static let contents = Mutex(Contents())

    /// The number of a resolved fontconfig pattern; the same pattern always has the same number. Any thread.
    public static func intern(_ pattern: String) -> FontID {
        contents.withLock { table in
            if let id = table.ids[pattern] { return id }
            let id = FontID(rawValue: UInt32(table.patterns.count))
            table.patterns.append(pattern)
            table.ids[pattern] = id
            return id
        }
    }

    /// The resolved fontconfig pattern behind a number. Any thread. Traps on a number that was never given out.
    public static func pattern(for id: FontID) -> String {
        contents.withLock { $0.patterns[Int(id.rawValue)] }
    }
}
