import Glibc
import InkstoneBase
import Synchronization

/// The texts of both sides of a change set of many sections. Immutable, but for the whole texts that it may know.
final class TextPiecesPair: Sendable {
    let removed: TextPieces
    let inserted: TextPieces
    let cost: Int

    /// The whole text before and after the change.
    private final class WholeTexts: Sendable {
        let before: Rope
        let after: Rope

        init(before: Rope, after: Rope) { (self.before, self.after) = (before, after) }
    }

    private struct Knowledge {
        var texts: WholeTexts?
        /// Whether the texts are not used any more; a thread releases them.
        var isForgotten = false
    }

    private let knowledge = Mutex(Knowledge())

    init(removed: TextPieces, inserted: TextPieces) {
        self.removed = removed
        self.inserted = inserted
        cost = removed.cost + inserted.cost
    }

    /// Whether the whole texts before and after the change are known.
    var knowsTexts: Bool { knowledge.withLock { $0.texts != nil && !$0.isForgotten } }

    /// Keeps the whole texts, until ``forgetTexts()``.
    func keepTexts(before: Rope, after: Rope) {
        let texts = WholeTexts(before: before, after: after)
        knowledge.withLock { $0 = Knowledge(texts: texts) }
    }

    /// Returns the known text after the change, or with `isInverted` the text before it, if `text` is the text of the other side. Nil if
    /// that is not certain without a comparison: equal texts may have different nodes. O(1).
    func text(from text: Rope, isInverted: Bool) -> Rope? {
        knowledge.withLock { knowledge in
            guard let texts = knowledge.texts, !knowledge.isForgotten else { return nil }
            let (from, to) = isInverted ? (texts.after, texts.before) : (texts.before, texts.after)
            // Nodes are not written to while they are shared, as they are with the kept text.
            return from.root === text.root ? to : nil
        }
    }

    /// Drops the whole texts. Releasing the nodes of a large text takes time, so another thread does it.
    func forgetTexts() {
        let isKnown = knowledge.withLock { knowledge in
            defer { knowledge.isForgotten = true }
            return knowledge.texts != nil && !knowledge.isForgotten
        }
        guard isKnown else { return }
        do throws(BackgroundThread.Failure) {
            pthread_detach(try BackgroundThread.start { [self] in releaseTexts() })
        } catch {
            releaseTexts()
        }
    }

    private func releaseTexts() {
        let texts = knowledge.withLock { knowledge in
            defer { if knowledge.isForgotten { knowledge.texts = nil } }
            return knowledge.isForgotten ? knowledge.texts : nil
        }
        // Outside the lock, which the store's thread may want.
        withExtendedLifetime(texts) {}
    }
}

extension TextChangeSet {
    /// Fewest sections of a change whose texts are kept by ``prepare(for:sections:)``.
    static let preparedSections = 4096

    /// Computes the text that the change makes of its text, and keeps both, so that applying and undoing it to exactly these texts takes O(1). Does
    /// nothing for a change of few sections, and once `isCancelled` returns true. Any thread. O(n + m), as applying it.
    func prepare(
        for text: Rope, sections least: Int = preparedSections, isCancelled: () -> Bool = { false }
    ) {
        guard case .many(let pair, let isInverted) = texts, count >= least else { return }
        var other = text
        guard other.apply(self, isCancelled: isCancelled) else { return }
        pair.keepTexts(before: isInverted ? other : text, after: isInverted ? text : other)
    }

    /// Whether the change knows its texts: see ``prepare(for:sections:)``.
    var knowsTexts: Bool {
        if case .many(let pair, _) = texts { return pair.knowsTexts }
        return false
    }

    /// Drops the texts that ``prepare(for:sections:)`` kept; from then on the change is applied section by section.
    func forgetTexts() {
        if case .many(let pair, _) = texts { pair.forgetTexts() }
    }
}
