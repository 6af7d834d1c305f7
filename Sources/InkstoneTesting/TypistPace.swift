/// The pauses of a person between two keys, or between the keyboard and the mouse.
///
/// Tests wait for conditions, not for a time. The exception is a test whose subject includes the pace: an input
/// method may move its windows only at the next key, and changes older than a second must be on the disk. Such a
/// test paces its keys by these pauses. No other test waits for the mere passing of time.
package enum TypistPace {
    /// The pause between two keys of a fast typist, in milliseconds.
    package static let stroke = 60

    /// Waits for a time in milliseconds. Meanwhile calls `meanwhile` every few milliseconds, and whenever one of
    /// `descriptors` is readable.
    package static func pause(
        _ milliseconds: Int = stroke, watching descriptors: [CInt] = [], meanwhile: () throws -> Void = {}
    ) throws {
        let end = Deadline(milliseconds: milliseconds)
        try waitUntil(
            "a pause to end", within: milliseconds + 5000, watching: descriptors,
            every: CInt(min(5, max(1, milliseconds)))
        ) {
            try meanwhile()
            return end.hasPassed
        }
    }
}
