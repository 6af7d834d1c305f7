import InkstoneBase
public import InkstoneText
public import Observation
import Synchronization

/// A change of a text, as it is reported to a program. It contains no unfinished composition. If the reader was
/// slow, it may combine several edits.
public struct TextChange: Equatable, Sendable, CustomStringConvertible {
    /// The replaced ranges, from the text reported before to ``text``. Changes of attributes are left out.
    public private(set) var changes: TextChangeSet
    /// The text after the change. The present text may differ. Later edits are reported by later changes.
    public private(set) var text: Rope

    /// Creates the change of one transaction, or of several transactions together.
    public init(_ changes: TextChangeSet, to text: Rope) {
        self.changes = changes.withoutAttributes
        self.text = text
    }

    /// Appends the change that follows this one. O(a + b) for change sets of a and b sections, plus the size of the
    /// texts at the sections' borders.
    public mutating func append(_ next: TextChange) {
        changes.append(next.changes)
        text = next.text
    }

    /// The replaced ranges in UTF-16 units, old and new: `"3..<3 → 3..<5"`.
    public var description: String {
        changes.changeMap.map { section in
            let (old, new) = (section.oldRange, section.newRange)
            return
                "\(old.lowerBound.value)..<\(old.upperBound.value) → \(new.lowerBound.value)..<\(new.upperBound.value)"
        }.joined(separator: ", ")
    }
}

/// Consecutive changes that are read as one. Changes of the same size are composed when they arrive. So n changes
/// at n positions cost O(n log n) in all, and O(log n) changes are stored.
private struct TextChangeRun: Sendable {
    /// The changes, oldest first. The change set of each has more sections than that of the next.
    private var changes: [TextChange] = []

    var isEmpty: Bool { changes.isEmpty }

    mutating func append(_ change: TextChange) {
        changes.append(change)
        while changes.count > 1, changes[changes.count - 2].changes.count <= changes[changes.count - 1].changes.count {
            join()
        }
    }

    /// Removes all changes, and returns them composed into one. Nil if there are none. O(n) for n sections in all.
    mutating func take() -> TextChange? {
        while changes.count > 1 { join() }
        return changes.popLast()
    }

    /// Composes the last two changes.
    private mutating func join() {
        let last = changes.removeLast()
        changes[changes.count - 1].append(last)
    }
}

/// The changes of a text, for observers that keep a copy of the text. The copy must not contain unfinished composition.
/// So changes are held back while text is marked; at the end of the composition they are reported as one. A composition
/// that leaves the text as it was is not reported.
///
/// A view passes its changes to this object, and notifies its observers of the changes that are returned. A reader
/// that works at its own pace uses ``changes`` or observes ``revision``. A binding that writes the reported text
/// back into the view should call ``shouldAccept(_:)`` first. Otherwise writing back would disturb a composition.
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

    /// A revision number for Observation, which grows with each reported change.
    public let revision = TextRevision()
    /// Whether text is marked, so that changes are held back.
    public private(set) var isComposing = false
    /// The text as last reported. A program that writes this text back during a composition makes no edit.
    private var lastReported: Rope
    /// The changes held back until the composition ends.
    private var pending = TextChangeRun()
    private var readers: [Reader] = []
    private let read: () -> Rope

    /// Creates the changes of the text that `read` returns.
    public init(_ read: @escaping () -> Rope) {
        self.read = read
        lastReported = read()
    }

    /// The changes from now on, for one reader. If the reader is slow, it gets all changes that it has missed as
    /// one. So changes do not pile up. The sequence ends when this object is deallocated.
    public var changes: some AsyncSequence<TextChange, Never> & Sendable {
        // One signal is enough for all pending changes, because each change is in the mailbox before the signal is
        // sent.
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let reader = Reader(signal: signal)
        readers.append(reader)
        let mailbox = reader.mailbox
        return signals.compactMap { mailbox.take() }
    }

    deinit { for reader in readers { reader.signal.finish() } }

    /// Records a change of the text, and whether text is marked after it. Returns the change to report. Nil if
    /// there is none, or if it is held back.
    ///
    /// - Parameters:
    ///   - changes: the replaced ranges. Nil if a composition begins or ends without a change.
    ///   - text: the text after the change. It may have changed again since.
    @discardableResult
    public func textDidChange(_ changes: TextChangeSet?, to text: Rope, isComposing: Bool) -> TextChange? {
        self.isComposing = isComposing
        if let changes, !changes.changeMap.isEmpty {
            let change = TextChange(changes, to: text)
            if pending.isEmpty, !isComposing { return report(change) }
            pending.append(change)
        }
        guard !isComposing, let change = pending.take() else { return nil }
        // The changes that were held back may have cancelled out. There is nothing to report then.
        if change.changes.isIdentity {
            lastReported = change.text
            return nil
        }
        return report(change)
    }

    /// Returns whether a text that the program sets is an edit. False for the present text and, during a composition,
    /// for the text that was reported last, which the program only writes back.
    public func shouldAccept(_ text: String) -> Bool {
        let new = Rope(text)
        return new != read() && !(isComposing && new == lastReported)
    }

    private func report(_ change: TextChange) -> TextChange {
        lastReported = change.text
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

/// The revision number of a text, as an object that the Observation framework can observe.
@Observable
public final class TextRevision {
    /// The number, which grows with each reported change of the text.
    public internal(set) var value = 0

    init() {}
}
