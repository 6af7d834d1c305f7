import InkstoneBase

/// A position in a document that moves with the text around it, as long as the anchor is held.
public final class TextAnchor {
    /// The present offset, in UTF-16 units of the present text; the last offset if the document is gone.
    public internal(set) var offset: UTF16Offset
    /// The side of text inserted at the anchor's offset on which the anchor ends up: upstream before the inserted
    /// text, downstream after it.
    public let gravity: TextAffinity

    init(offset: UTF16Offset, gravity: TextAffinity) {
        self.offset = offset
        self.gravity = gravity
    }
}

/// The anchors of a document that are still held.
struct AnchorList {
    private struct Entry {
        weak var anchor: TextAnchor?
    }

    private var entries: [Entry] = []
    private var sweepAt = 32

    mutating func append(_ anchor: TextAnchor) {
        if entries.count >= sweepAt {
            entries.removeAll { $0.anchor == nil }
            sweepAt = max(32, entries.count * 2)
        }
        entries.append(Entry(anchor: anchor))
    }

    /// Moves all anchors through a change. O(n) in anchors.
    func apply(_ changes: TextChangeMap) {
        for entry in entries {
            guard let anchor = entry.anchor else { continue }
            anchor.offset = changes.map(anchor.offset, bias: anchor.gravity)
        }
    }
}
