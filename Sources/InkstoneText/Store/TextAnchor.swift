import InkstoneBase

/// A place in a document that moves with the text around it, for as long as somebody holds it.
public final class TextAnchor {
    /// Where it is now, in UTF-16 units of the present text; the last place if the document is gone.
    public internal(set) var offset: UTF16Offset
    /// Which way it goes when text is inserted just there.
    public let gravity: TextAffinity

    init(offset: UTF16Offset, gravity: TextAffinity) {
        self.offset = offset
        self.gravity = gravity
    }
}

/// The anchors of a document that somebody still holds.
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
