import InkstoneBase
import InkstoneText

/// The text of a context during an engine's run, with the replacements by the engine so far. Its parts are mapped
/// to the document, and the mapping is updated at each edit. Offsets are in UTF-16 units.
///
/// A part that the user has edited has no link any more, so the engine cannot replace it. A part that the engine has
/// replaced gets a new link. The position of a part without a link is unknown, and is not guessed.
struct TrackedText {
    /// A link: a part of ``text`` that the document contains unchanged, and its position there.
    struct Link: Equatable {
        /// The range of the part in ``text``.
        var own: Range<Int>
        /// The start of the part in the document.
        var start: Int

        var end: Int { start + own.count }
    }

    /// A replacement to be made: the range in ``text``, the corresponding range in the document, and the length of
    /// the new text.
    struct Piece: Equatable {
        var own: Range<Int>
        var place: Range<Int>
        var length: Int
    }

    /// The text as it was sent to the engine, with the replacements that the engine has made since.
    private(set) var text: Rope
    /// The links, in order and without overlap, both in ``text`` and in the document.
    private(set) var links: [Link]
    /// The ranges that the engine has replaced, each with the length of the present replacement. They are in
    /// offsets of the text as it was sent, in order and without overlap.
    private var replaced: [(sent: Range<Int>, length: Int)] = []
    /// The ranges of ``text`` that must not be changed, in order.
    private(set) var protected: [Range<Int>]
    private let sentLength: Int

    init(_ context: WritingToolsContext) {
        text = context.text.rope
        sentLength = text.metrics.utf16
        links = [Link(own: 0..<sentLength, start: context.start.value)]
        protected = context.protected.map { $0.lowerBound.value..<$0.upperBound.value }
    }

    /// Returns the range of ``text`` that corresponds to a range of the text as it was sent. Fails if the range is
    /// outside the text, divides a surrogate pair, or overlaps an earlier replacement without covering all of it.
    func ownRange(of sent: Range<Int>) -> Result<Range<Int>, WritingToolsRefusal> {
        guard sent.lowerBound >= 0, sent.upperBound <= sentLength else { return .failure(.outOfRange) }
        var (shift, growth) = (0, 0)
        for entry in replaced {
            let change = entry.length - entry.sent.count
            if sent.lowerBound <= entry.sent.lowerBound, entry.sent.upperBound <= sent.upperBound {
                growth += change
            } else if entry.sent.upperBound <= sent.lowerBound {
                shift += change
            } else if entry.sent.lowerBound < sent.upperBound {
                return .failure(.overlapping)
            }
        }
        let start = sent.lowerBound + shift
        let own = start..<start + sent.count + growth
        // Refuse a range that ends within a surrogate pair.
        for end in [own.lowerBound, own.upperBound] where text.metrics(before: UTF16Offset(end)).utf16 != end {
            return .failure(.outOfRange)
        }
        return .success(own)
    }

    /// Returns the range of the document that corresponds to a range of ``text``. Nil if the user has edited it;
    /// for an empty range, if the user has inserted text there.
    func place(of own: Range<Int>) -> Range<Int>? {
        // Search the first part that extends to the start of the range or beyond. If it ends there and the next part
        // begins there, use the next part, unless the range is empty.
        var index = links.partitioningIndex { $0.own.upperBound >= own.lowerBound }
        guard index < links.count, links[index].own.lowerBound <= own.lowerBound else { return nil }
        if links[index].own.upperBound == own.lowerBound, index + 1 < links.count,
            links[index + 1].own.lowerBound == own.lowerBound
        {
            if own.isEmpty, links[index].end != links[index + 1].start { return nil }
            if !own.isEmpty { index += 1 }
        }
        let start = links[index].start + own.lowerBound - links[index].own.lowerBound
        while links[index].own.upperBound < own.upperBound {
            guard index + 1 < links.count, links[index + 1].own.lowerBound == links[index].own.upperBound,
                links[index + 1].start == links[index].end
            else { return nil }
            index += 1
        }
        return start..<start + own.count
    }

    /// The range of the document from the first to the last part that it still has in common with ``text``; nil if
    /// there is none.
    var extent: Range<Int>? {
        guard let first = links.first, let last = links.last else { return nil }
        return first.start..<last.end
    }

    /// Updates the positions of the parts after an edit of the document that does not come from the engine's run. O(n +
    /// k) for n links and k sections of the edit.
    mutating func follow(_ map: TextChangeMap) {
        var kept: [Link] = []
        kept.reserveCapacity(links.count + map.count)
        var sections = map.makeIterator()
        var next = sections.next()
        var shift = 0
        for var link in links {
            while let section = next, section.oldEnd.utf16 <= link.start {
                // An insertion at an empty part counts as an edit of that part.
                if link.own.isEmpty, section.oldEnd.utf16 == link.start { break }
                shift = section.newEnd.utf16 - section.oldEnd.utf16
                next = sections.next()
            }
            if link.own.isEmpty {
                if let section = next, section.oldStart.utf16 <= link.start { continue }
                link.start += shift
                kept.append(link)
                continue
            }
            while let section = next, section.oldStart.utf16 < link.end {
                let low = max(0, section.oldStart.utf16 - link.start)
                if low > 0 {
                    let own = link.own.lowerBound..<link.own.lowerBound + low
                    kept.append(Link(own: own, start: link.start + shift))
                }
                let high = min(section.oldEnd.utf16, link.end) - link.start
                link = Link(own: link.own.lowerBound + high..<link.own.upperBound, start: link.start + high)
                guard section.oldEnd.utf16 <= link.end else { break }
                shift = section.newEnd.utf16 - section.oldEnd.utf16
                next = sections.next()
            }
            if !link.own.isEmpty { kept.append(Link(own: link.own, start: link.start + shift)) }
        }
        links = kept
    }

    /// Updates text and links after the engine's own replacements, which were made as one edit; `pieces` and `new`
    /// are in order.
    mutating func follow(
        _ map: TextChangeMap, replacing pieces: [Piece], with new: [String], sent: Range<Int>, own: Range<Int>
    ) {
        follow(map)
        guard map.count == pieces.count, zip(map, pieces).allSatisfy({ $0.inserted.utf16 == $1.length }) else {
            // Drop all links if a transaction filter has changed the replacements: the position of the engine's
            // text in the document is no longer known.
            links = []
            return
        }
        var (linked, rest, shift) = ([Link](), links[...], 0)
        var change = TextChangeSet.Builder(over: text)
        for (index, (section, piece)) in zip(map, pieces).enumerated() {
            while let link = rest.first, link.own.upperBound <= piece.own.lowerBound,
                !(link.own.isEmpty && piece.own.isEmpty)
            {
                linked.append(Link(own: link.own.lowerBound + shift..<link.own.upperBound + shift, start: link.start))
                rest.removeFirst()
            }
            if piece.length > 0 {
                let start = piece.own.lowerBound + shift
                linked.append(Link(own: start..<start + piece.length, start: section.newStart.utf16))
            }
            shift += piece.length - piece.own.count
            change.replace(UTF16Offset(piece.own.lowerBound)..<UTF16Offset(piece.own.upperBound), with: new[index])
        }
        linked += rest.map { Link(own: $0.own.lowerBound + shift..<$0.own.upperBound + shift, start: $0.start) }
        let changes = change.finish()
        text.apply(changes)
        links = linked
        // No protected range was replaced, so only move the ranges with the text around them.
        protected = protected.map { range in
            let moved = changes.map(UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
            return moved.lowerBound.value..<moved.upperBound.value
        }
        let first = replaced.partitioningIndex { $0.sent.lowerBound >= sent.lowerBound }
        let end = replaced[first...].prefix { $0.sent.upperBound <= sent.upperBound }.endIndex
        replaced.replaceSubrange(first..<end, with: [(sent, own.count + shift)])
    }
}
