/// The records of a trace that wait to be written, in order. A key waits here while its client is not known. If the
/// client proves to be a secure field, the key must never be traced. Later records wait behind such a key.
struct HeldTrace {
    private enum Line {
        case record(TraceRecord)
        case key(TraceRecord, id: Int)
        case dropped
    }

    private var lines: [Line] = []
    private var nextID = 0

    /// Adds a record; returns the records to trace now.
    mutating func add(_ record: TraceRecord) -> [TraceRecord] {
        if lines.isEmpty { return [record] }
        lines.append(.record(record))
        return []
    }

    /// Adds a key whose client is not known yet. Returns its identifier for ``release(_:isSecret:)``.
    mutating func hold(_ key: TraceRecord) -> Int {
        nextID += 1
        lines.append(.key(key, id: nextID))
        return nextID
    }

    /// Decides about a held key whose client is known now: the key is traced, or is dropped if the client is secret.
    /// Returns the records to trace now. O(n) in the number of waiting records.
    mutating func release(_ id: Int, isSecret: Bool) -> [TraceRecord] {
        for (index, line) in lines.enumerated() {
            guard case .key(let record, id) = line else { continue }
            lines[index] = isSecret ? .dropped : .record(record)
        }
        let end = lines.firstIndex { if case .key = $0 { true } else { false } } ?? lines.endIndex
        let known = lines[..<end].compactMap { line in if case .record(let record) = line { record } else { nil } }
        lines.removeFirst(end)
        return known
    }
}
