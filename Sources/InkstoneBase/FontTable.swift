import Synchronization

/// A font that layout measured with, as a small number that glyph runs carry: see ``FontTable``.
@frozen
public struct FontID: Hashable, Sendable {
    /// A number that the process's ``FontTable`` gave out; never given out again for another font.
    public let rawValue: UInt32

    /// Wraps a number that the table gave out.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The process's fonts, by number.
///
/// Layout resolves a description to one font file and its rendering options, writes that as a fully resolved
/// fontconfig pattern without charset (`FcNameUnparse`), and interns it here. The canvas opens *that* pattern, so
/// that what was measured is what is drawn. An entry lives as long as a font of layout uses it.
public enum FontTable {
    private struct Entry {
        var pattern: String
        var users: Int
    }

    private struct Contents {
        var entries: [FontID: Entry] = [:]
        var ids: [String: FontID] = [:]
        var next: UInt32 = 0
    }

    private static let contents = Mutex(Contents())

    /// The number of a resolved fontconfig pattern; the same pattern has the same number as long as it is used. Balance each call
    /// with ``release(_:)``. Any thread.
    public static func intern(_ pattern: String) -> FontID {
        contents.withLock { table in
            if let id = table.ids[pattern] {
                table.entries[id]?.users += 1
                return id
            }
            let id = FontID(rawValue: table.next)
            table.next &+= 1
            table.entries[id] = Entry(pattern: pattern, users: 1)
            table.ids[pattern] = id
            return id
        }
    }

    /// Gives up one use of a number. Any thread.
    public static func release(_ id: FontID) {
        contents.withLock { table in
            guard var entry = table.entries[id] else { return }
            entry.users -= 1
            table.entries[id] = entry.users > 0 ? entry : nil
            if entry.users <= 0 { table.ids[entry.pattern] = nil }
        }
    }

    /// The resolved fontconfig pattern behind a number; empty for one that nothing uses. Any thread.
    public static func pattern(for id: FontID) -> String {
        contents.withLock { $0.entries[id]?.pattern ?? "" }
    }

    /// Number of fonts that are used.
    package static var count: Int { contents.withLock { $0.entries.count } }
}
