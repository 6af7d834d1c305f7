import Glibc
import InkstoneBase
import Synchronization

/// The removed and the inserted texts of a change set of many sections. Immutable, except for the whole texts
/// before and after the change, which it may keep.
final class TextPiecesPair: Sendable {
    let removed: TextPieces
    let inserted: TextPieces
    let cost: Int

    /// The whole text before the change and the whole text after it.
    private final class WholeTexts: Sendable {
        let before: Rope
        let after: Rope

        init(before: Rope, after: Rope) { (self.before, self.after) = (before, after) }
    }

    private struct Knowledge {
        var texts: WholeTexts?
        /// Whether the whole texts are no longer used. A background thread may then release them.
        var isForgotten = false
    }

    private let knowledge = Mutex(Knowledge())

    init(removed: TextPieces, inserted: TextPieces) {
        self.removed = removed
        self.inserted = inserted
        cost = removed.cost + inserted.cost
    }

    /// Whether the whole texts before and after the change are kept.
    var knowsTexts: Bool { knowledge.withLock { $0.texts != nil && !$0.isForgotten } }

    /// Keeps the whole texts, until ``forgetTexts()``.
    func keepTexts(before: Rope, after: Rope) {
        let texts = WholeTexts(before: before, after: after)
        knowledge.withLock { $0 = Knowledge(texts: texts) }
    }

    /// Returns the kept text after the change, if `text` is the kept text before it. If `isInverted` is true, returns
    /// the kept text before the change, if `text` is the kept text after it. Nil if no texts are kept, or if `text`
    /// does not share its nodes with a kept text, though it may be equal. O(1).
    func text(from text: Rope, isInverted: Bool) -> Rope? {
        knowledge.withLock { knowledge in
            guard let texts = knowledge.texts, !knowledge.isForgotten else { return nil }
            let (from, to) = isInverted ? (texts.after, texts.before) : (texts.before, texts.after)
            // Two texts with the same root node are equal. A node is never written to while another rope shares it,
            // and the kept text shares this one.
            return from.root === text.root ? to : nil
        }
    }

    /// Drops the whole texts. A background thread, if one can be started, releases them, because releasing the nodes
    /// of a large text takes time.
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
        // Release the texts outside the lock, because the store's thread may be waiting for it.
        withExtendedLifetime(texts) {}
    }
}

extension TextChangeSet {
    /// The smallest number of sections of a change for which ``prepare(for:sections:)`` keeps the whole texts.
    static let preparedSections = 4096

    /// Computes the result of applying the change to `text`, and keeps both texts. Applying the change to exactly
    /// this text, or undoing it, then takes O(1). Does nothing for a change of few sections, or if `isCancelled`
    /// returns true meanwhile. May be called on any thread. Takes as long as applying the change.
    func prepare(
        for text: Rope, sections least: Int = preparedSections, isCancelled: () -> Bool = { false }
    ) {
        guard case .many(let pair, let isInverted) = texts, count >= least else { return }
        var other = text
        guard other.apply(self, isCancelled: isCancelled) else { return }
        pair.keepTexts(before: isInverted ? other : text, after: isInverted ? text : other)
    }

    /// Whether the change keeps its whole texts: see ``prepare(for:sections:)``.
    var knowsTexts: Bool {
        if case .many(let pair, _) = texts { return pair.knowsTexts }
        return false
    }

    /// Drops the texts that ``prepare(for:sections:)`` kept.
    func forgetTexts() {
        if case .many(let pair, _) = texts { pair.forgetTexts() }
    }
}
