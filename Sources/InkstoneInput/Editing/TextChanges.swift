public import InkstoneBase
public import InkstoneText
public import Observation

/// What has changed in a text since one was last told: several edits as one.
public struct TextChange: Hashable, Sendable {
    /// What was replaced, in UTF-16 units of the text as it was told of last.
    public var oldRange: Range<UTF16Offset>
    /// What stands there afterwards, in UTF-16 units of the text after the change. That is the present text, unless an observer of a
    /// store has edited since: that is told next.
    public var newRange: Range<UTF16Offset>

    /// A change by its ranges; both start at the same offset.
    public init(oldRange: Range<UTF16Offset>, newRange: Range<UTF16Offset>) {
        self.oldRange = oldRange
        self.newRange = newRange
    }

    /// This change followed by another, as one that covers both.
    public func followed(by next: TextChange) -> TextChange {
        // Both in the text between them, where this one's new range is the other's old space.
        let start = min(newRange.lowerBound, next.oldRange.lowerBound)
        let end = max(newRange.upperBound, next.oldRange.upperBound)
        let before = newRange.lowerBound - start
        let after = end - newRange.upperBound
        let old = (oldRange.lowerBound - before)..<(oldRange.upperBound + after)
        return TextChange(oldRange: old, newRange: start..<(end + next.delta))
    }

    /// UTF-16 units gained; negative if lost.
    public var delta: Int { newRange.length() - oldRange.length() }
}

/// Tells the program of changes to a text, but never of half-composed text: while text is marked it is silent, and when
/// the composition ends it speaks once. A composition that ends where it began is not told at all.
///
/// A view feeds it; the program listens in the way it likes best. A binding that writes the text it was told back into
/// the view should ask ``shouldAccept(_:)`` first, so that an echo in mid-composition changes nothing.
public final class TextChanges {
    /// Called with each change, on the view's thread.
    public var onTextChange: ((TextChange) -> Void)?
    /// A property for Observation: grows with each change that is told.
    public let revision = TextRevision()
    /// Whether text is marked: changes are kept back.
    public private(set) var isComposing = false
    /// What was told last, as the program knows it; compared with what it writes back.
    private var told: Rope
    /// What was kept back, and the text after it.
    private var pending: (change: TextChange, text: Rope)?
    private var streams: [Int: AsyncStream<TextChange>.Continuation] = [:]
    private var lastStream = 0
    private let read: () -> Rope

    /// Changes of a text that `read` gives.
    public init(_ read: @escaping () -> Rope) {
        self.read = read
        told = read()
    }

    /// The changes from now on, for one reader. Ends when this object goes.
    public var changes: AsyncStream<TextChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: TextChange.self)
        lastStream += 1
        streams[lastStream] = continuation
        return stream
    }

    deinit { for stream in streams.values { stream.finish() } }

    /// The text was edited, in so many places as lie within a change. Told at once, or kept back while composing.
    ///
    /// - Parameter text: the text after it, which need not be the present one any more.
    public func textDidChange(_ change: TextChange, to text: Rope) {
        pending = (pending?.change.followed(by: change) ?? change, text)
        if !isComposing { tell(isNews: true) }
    }

    /// Text is marked from now on, or no longer; tells what was kept back.
    public func markingDidChange(_ isMarked: Bool) {
        guard isMarked != isComposing else { return }
        isComposing = isMarked
        // Only what was kept back can have come to nothing, and only there can the text be another.
        if !isMarked, let (change, text) = pending {
            let isSame =
                change.delta == 0
                && text.slice(text.byteRange(of: change.newRange)) == told.slice(told.byteRange(of: change.oldRange))
            tell(isNews: !isSame)
        }
    }

    /// Whether a text that the program sets is news: false while composing for what it was told last (an echo), and
    /// always for the text that stands already. True means: an edit by the program.
    public func shouldAccept(_ text: String) -> Bool {
        let new = Rope(text)
        return new != read() && !(isComposing && new == told)
    }

    private func tell(isNews: Bool) {
        guard let (change, text) = pending else { return }
        pending = nil
        told = text
        guard isNews else { return }
        revision.value += 1
        onTextChange?(change)
        for (id, stream) in streams {
            if case .terminated = stream.yield(change) { streams[id] = nil }
        }
    }
}

/// A number that Observation can watch.
@Observable
public final class TextRevision {
    /// Grows with each change.
    public internal(set) var value = 0

    init() {}
}
