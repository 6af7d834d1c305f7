import InkstoneBase

/// The last changes of a document, for mapping older offsets to the present text: a ring, so its memory is bounded.
struct EditLog {
    /// The largest number of changes that the log keeps. A further change replaces the oldest.
    let limit: Int
    /// The largest number of sections that all changes in the log may have together: the oldest changes beyond it are
    /// dropped. If the newest change alone has more, it is kept, but no other change is.
    private static let sectionLimit = 1 << 20

    private var maps: [TextChangeMap] = []
    /// The index in `maps` of the oldest change.
    private var oldest = 0
    /// The number of changes in the log.
    private var count = 0
    private var sections = 0
    /// The version after the last change.
    private(set) var version = TextVersion(0)

    init(limit: Int) { self.limit = limit }

    /// The oldest version from which offsets can be mapped.
    var firstVersion: TextVersion { TextVersion(version.value - count) }

    mutating func append(_ map: TextChangeMap) {
        version = version.next
        sections += map.count
        if count == limit { dropOldest() }
        while sections > Self.sectionLimit, count > 0 { dropOldest() }
        let index = (oldest + count) % limit
        if index == maps.count { maps.append(map) } else { maps[index] = map }
        count += 1
    }

    private mutating func dropOldest() {
        sections -= maps[oldest].count
        // Free a large map now, not only when its slot in the ring is reused.
        maps[oldest] = TextChangeMap(none: .zero)
        oldest = (oldest + 1) % limit
        count -= 1
    }

    /// Returns the changes since an old version, oldest first. The log must still reach back to the version.
    func changes(since old: TextVersion) -> [TextChangeMap] {
        let age = version.value - old.value
        return (count - age..<count).map { maps[(oldest + $0) % limit] }
    }

    /// Maps an offset from an old version, which the log must still reach, to the last version. O(k log n) for k
    /// changes of n sections.
    func map(_ offset: UTF16Offset, _ affinity: TextAffinity, from old: TextVersion) -> UTF16Offset {
        var offset = offset
        let age = version.value - old.value
        for i in (count - age)..<count {
            offset = maps[(oldest + i) % limit].map(offset, bias: affinity)
        }
        return offset
    }
}
