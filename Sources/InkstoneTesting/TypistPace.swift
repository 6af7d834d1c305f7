/// The pauses of a person between two strokes, or on the way from the keys to the mouse.
///
/// A test waits for what it needs, not for a time. It is another matter where the pace belongs to what is tested: an input method
/// may tell its windows to move at the next key only, and what is older than a second has to be on the disk. Such a test
/// paces its keys by this, and nothing else of the tests waits for the mere passing of time.
package enum TypistPace {
    /// Between two strokes of somebody who types quickly, in milliseconds.
    package static let stroke = 60

    /// Pauses for some milliseconds, in which `meanwhile` is called whenever one of `descriptors` is readable, and now and then.
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
