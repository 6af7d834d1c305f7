import InkstoneBase

/// The last edits of a document, to map older offsets to the present: a ring, so its memory is bounded.
struct EditLog {
    /// Most edits that are kept.
    let limit: Int
    private var records: [EditRecord] = []
    private var oldest = 0
    /// The version after the last edit.
    private(set) var version = TextVersion(0)

    init(limit: Int) { self.limit = limit }

    /// The oldest version that offsets can be mapped from.
    var firstVersion: TextVersion { TextVersion(version.value - records.count) }

    mutating func append(_ edit: TextEdit) {
        let record = EditRecord(edit)
        version = edit.after
        if records.count < limit {
            records.append(record)
        } else {
            records[oldest] = record
            oldest = (oldest + 1) % limit
        }
    }

    /// Maps an offset from a version that the log still reaches. O(k) for k edits since.
    func map(_ offset: UTF16Offset, _ affinity: TextAffinity, from old: TextVersion) -> UTF16Offset {
        var offset = offset
        let age = version.value - old.value
        for i in (records.count - age)..<records.count {
            offset = records[(oldest + i) % records.count].map(offset, affinity)
        }
        return offset
    }
}
