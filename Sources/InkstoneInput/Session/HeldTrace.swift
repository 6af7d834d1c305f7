/// The pending records of a trace, in order. They include keys whose client is not known yet: it may be a secure one, and then they are
/// never traced. Later records wait behind such a key.
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

    /// Resolves a key whose client is known now. Returns the records to trace now. O(n) in the number of held records.
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
