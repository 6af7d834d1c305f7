/// Records on their way to a trace, in order, among them keys of which it is not known yet which client takes them: it may be
/// a secure one, and then they are never traced. What happens meanwhile comes behind them.
struct HeldTrace {
    private enum Line {
        case record(TraceRecord)
        case key(TraceRecord, id: Int)
        case dropped
    }

    private var lines: [Line] = []
    private var nextID = 0

    /// Adds a record; returns what is to be traced now.
    mutating func add(_ record: TraceRecord) -> [TraceRecord] {
        if lines.isEmpty { return [record] }
        lines.append(.record(record))
        return []
    }

    /// Adds a key whose client is not known yet. Returns what ``release(_:isSecret:)`` knows it by.
    mutating func hold(_ key: TraceRecord) -> Int {
        nextID += 1
        lines.append(.key(key, id: nextID))
        return nextID
    }

    /// The client of a key is known. Returns what is to be traced now. O(n) in what is held.
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
