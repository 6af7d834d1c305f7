import Synchronization

/// The number of a font with which text was measured, as stored in glyph runs: see `FontTable`.
@frozen
public struct FontID: Hashable, Sendable {
    /// The number issued by the process's `FontTable`; never issued again for another font.
    public let rawValue: UInt32

    /// Creates the identifier with a number that the table has issued.
    @inlinable
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The process's table of fonts, by number.
///
/// Layout chooses one font file and its rendering options for a description. It stores the result here as a fully
/// resolved fontconfig pattern without charset (`FcNameUnparse`). The canvas opens *that* pattern, from the file
/// that layout holds open. So text is drawn with the font with which it was measured. A file that was replaced or
/// overwritten counts as another font. An entry lives as long as a font of layout uses it.
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

    /// Returns the number of the font that a resolved fontconfig pattern describes. Equal arguments yield the same
    /// number as long as the number is in use. Balance each call with ``release(_:)``. Any thread.
    ///
    /// - Parameter file: the name of an open file to read in place of the file named in the pattern; nil for none.
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

    /// Releases one use of a number. Any thread.
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

    /// Returns the name by which to open the font's file. Nil to open the file named in the pattern, and for a
    /// number not in use. Any thread.
    package static func file(for id: FontID) -> String? { contents.withLock { $0.entries[id]?.key.file } }

    /// Number of fonts in use.
    package static var count: Int { contents.withLock { $0.entries.count } }
}
