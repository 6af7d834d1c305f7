import Synchronization

/// A font that layout measured with, as a small number stored in glyph runs: see `FontTable`.
@frozen
public struct FontID: Hashable, Sendable {
    /// A number issued by the process's `FontTable`; never reused for another font.
    public let rawValue: UInt32

    /// Wraps a number issued by the table.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The process's fonts, by number.
///
/// Layout resolves a description to one font file and its rendering options, writes that as a fully resolved
/// fontconfig pattern without charset (`FcNameUnparse`), and interns it here. The canvas opens *that* pattern from the file that
/// layout holds open, so that the measured font is the drawn font. A file that was replaced or overwritten is another font.
/// An entry lives as long as a font of layout uses it.
package enum FontTable {
    private struct Entry {
        var key: Key
        var users: Int
    }

    private struct Key: Hashable {
        var pattern: String
        var file: String?
    }

    private struct Contents {
        var entries: [FontID: Entry] = [:]
        var ids: [Key: FontID] = [:]
        var next: UInt32 = 0
    }

    private static let contents = Mutex(Contents())

    /// Returns the number of a resolved fontconfig pattern and of an open file to read in place of the one that the pattern names. Equal
    /// arguments give the same number as long as it is in use. Balance each call with ``release(_:)``. Any thread.
    package static func intern(_ pattern: String, file: String? = nil) -> FontID {
        let key = Key(pattern: pattern, file: file)
        return contents.withLock { table in
            if let id = table.ids[key] {
                table.entries[id]?.users += 1
                return id
            }
            let id = FontID(rawValue: table.next)
            table.next &+= 1
            table.entries[id] = Entry(key: key, users: 1)
            table.ids[key] = id
            return id
        }
    }

    /// Gives up one use of a number. Any thread.
    package static func release(_ id: FontID) {
        contents.withLock { table in
            guard var entry = table.entries[id] else { return }
            entry.users -= 1
            table.entries[id] = entry.users > 0 ? entry : nil
            if entry.users <= 0 { table.ids[entry.key] = nil }
        }
    }

    /// Returns the resolved fontconfig pattern of a number; empty for a number not in use. Any thread.
    package static func pattern(for id: FontID) -> String {
        contents.withLock { $0.entries[id]?.key.pattern ?? "" }
    }

    /// Returns the name to open the font's file by, as long as the number is in use; nil for the file in its pattern. Any thread.
    package static func file(for id: FontID) -> String? { contents.withLock { $0.entries[id]?.key.file } }

    /// Number of fonts in use.
    package static var count: Int { contents.withLock { $0.entries.count } }
}
