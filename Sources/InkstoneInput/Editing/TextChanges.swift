import InkstoneBase
public import InkstoneText
public import Observation
import Synchronization

/// A change of a text as a program hears of it: of what nobody composes any more, and several edits as one where it pauses.
public struct TextChange: Equatable, Sendable, CustomStringConvertible {
    /// Each place that was replaced, from the text as it was told of last to ``text``; attributes are left out.
    public private(set) var changes: TextChangeSet
    /// The text after the change. That is the present text, unless an observer has edited since: that is told next.
    public private(set) var text: Rope

    /// The change of one transaction, or of several together.
    public init(_ changes: TextChangeSet, to text: Rope) {
        self.changes = changes.withoutAttributes
        self.text = text
    }

    /// Follows this change by the next one. O(a + b) for a and b sections, and the size of the texts where they meet.
    public mutating func append(_ next: TextChange) {
        changes.append(next.changes)
        text = next.text
    }

    /// The sections as ranges of UTF-16 units, old and new: `"3..<3 → 3..<5"`.
    public var description: String {
        changes.changeMap.map { section in
            let (old, new) = (section.oldRange, section.newRange)
            return
                "\(old.lowerBound.value)..<\(old.upperBound.value) → \(new.lowerBound.value)..<\(new.upperBound.value)"
        }.joined(separator: ", ")
    }
}

/// Changes that follow each other, to be read as one. What has the same size is composed as it comes: n changes in n places cost
/// O(n log n) together, and O(log n) of them are kept.
private struct TextChangeRun: Sendable {
    /// The oldest first; each has more sections than the one after it.
    private var changes: [TextChange] = []

    var isEmpty: Bool { changes.isEmpty }

    mutating func append(_ change: TextChange) {
        changes.append(change)
        while changes.count > 1, changes[changes.count - 2].changes.count <= changes[changes.count - 1].changes.count {
            join()
        }
    }

    /// All of them as one; nil if there is none. O(n) for n sections.
    mutating func take() -> TextChange? {
        while changes.count > 1 { join() }
        return changes.popLast()
    }

    /// Composes the last two.
    private mutating func join() {
        let last = changes.removeLast()
        changes[changes.count - 1].append(last)
    }
}

/// Changes of a text for those who keep a copy of it, without half-composed text: while text is marked it is silent, and when
/// the composition ends it speaks once. A composition that ends where it began is not told at all.
///
/// A view feeds it, and tells its observers of what it returns; who reads at a pace of their own reads ``changes`` or watches
/// ``revision``. A binding that writes the text it was told back into the view should ask ``shouldAccept(_:)`` first, so that an echo in
/// mid-composition changes nothing.
public final class TextChanges {
    /// The change that one reader has not read yet.
    private final class Mailbox: Sendable {
        private let unread = Mutex(TextChangeRun())

        func put(_ change: TextChange) { unread.withLock { $0.append(change) } }

        func take() -> TextChange? {
            var all = unread.withLock { unread in
                defer { unread = TextChangeRun() }
                return unread
            }
            return all.take()
        }
    }

    private struct Reader {
        var mailbox = Mailbox()
        var signal: AsyncStream<Void>.Continuation
    }

    /// A property for Observation: grows with each change that is told.
    public let revision = TextRevision()
    /// Whether text is marked: changes are kept back.
    public private(set) var isComposing = false
    /// What was told last, as the program knows it; compared with what it writes back.
    private var told: Rope
    /// The changes that are kept back until the composition ends.
    private var pending = TextChangeRun()
    private var readers: [Reader] = []
    private let read: () -> Rope

    /// Changes of a text that `read` gives.
    public init(_ read: @escaping () -> Rope) {
        self.read = read
        told = read()
    }

    /// The changes from now on, for one reader. One that pauses gets all that it has missed as one change, so nothing piles up. Ends when
    /// this object goes.
    public var changes: some AsyncSequence<TextChange, Never> & Sendable {
        // A change is in the mailbox before its signal, so one signal for all that is there is enough.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reader = Reader(signal: signal)
        readers.append(reader)
        let mailbox = reader.mailbox
        return signals.compactMap { mailbox.take() }
    }

    deinit { for reader in readers { reader.signal.finish() } }

    /// Takes in a change of the text, and whether text is marked after it. Returns what the program is told; nil if that is nothing, or
    /// kept back.
    ///
    /// - Parameters:
    ///   - changes: what was replaced; nothing where a composition begins or ends by itself.
    ///   - text: the text after it, which need not be the present one any more.
    @discardableResult
    public func textDidChange(_ changes: TextChangeSet?, to text: Rope, isComposing: Bool) -> TextChange? {
        self.isComposing = isComposing
        if let changes, !changes.changeMap.isEmpty {
            let change = TextChange(changes, to: text)
            if pending.isEmpty, !isComposing { return tell(change) }
            pending.append(change)
        }
        guard !isComposing, let change = pending.take() else { return nil }
        // Only what was kept back can have come to nothing.
        if change.changes.isIdentity {
            told = change.text
            return nil
        }
        return tell(change)
    }

    /// Whether a text that the program sets is news: false while composing for what it was told last (an echo), and
    /// always for the text that stands already. True means: an edit by the program.
    public func shouldAccept(_ text: String) -> Bool {
        let new = Rope(text)
        return new != read() && !(isComposing && new == told)
    }

    private func tell(_ change: TextChange) -> TextChange {
        told = change.text
        revision.value += 1
        if !readers.isEmpty {
            readers.removeAll {
                $0.mailbox.put(change)
                if case .terminated = $0.signal.yield() { return true }
                return false
            }
        }
        return change
    }
}

/// A number that Observation can watch.
@Observable
public final class TextRevision {
    /// Grows with each change.
    public internal(set) var value = 0

    init() {}
}
