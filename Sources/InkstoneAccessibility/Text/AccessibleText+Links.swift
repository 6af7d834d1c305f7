import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneView

/// A link or an attachment in a text, as assistive technology reads it. The value describes one state of the text.
package struct AccessibleLink: Hashable, Sendable {
    /// Kinds of links.
    package enum Kind: Hashable, Sendable {
        /// Text with a destination.
        case words
        /// An attachment, whose character is U+FFFC.
        case attachment
    }

    package var kind: Kind
    /// The range of the link's or attachment's characters, in scalars.
    package var range: Range<Int>
    /// A link's text, at most 256 scalars of it, or an attachment's alternate description.
    package var name: String
    /// A link's destination; empty for an attachment.
    package var destination: String

    package var role: AccessibleRole { kind == .words ? .link : .image }
}

/// A cache of the links of one state of a text. Screen readers query the links one by one; with the cache, the text is
/// searched only once for each state.
final class AccessibleLinks {
    /// The state of the text that `found` belongs to; nil before the first search.
    private var state: (version: TextVersion, isSecure: Bool)?
    private var found: [AccessibleLink] = []

    /// Returns the links of a text. All texts passed must be of the same view.
    func links(of text: AccessibleText) -> [AccessibleLink] {
        let new = (version: text.view.state.version, isSecure: text.isSecure)
        if state.map({ $0 != new }) ?? true { (state, found) = (new, text.searchLinks()) }
        return found
    }
}

extension AccessibleText {
    /// The largest number of attribute runs that are searched for links, from the start of the text. Each attachment
    /// counts as one. Links after these runs are not found.
    private static let longestSearch = 20_000

    /// The links and attachments in text order. An attachment within a link is an element of its own, after the
    /// link. Empty for a secure text. The first 20,000 attribute runs are searched, each attachment counting as
    /// one: O(runs), once for each state of the text; O(1) for plain text.
    package var links: [AccessibleLink] { known?.links(of: self) ?? searchLinks() }

    func searchLinks() -> [AccessibleLink] {
        guard !isSecure, let runs = view.state.styledText.runs, !runs.isPlain else { return [] }
        var found: [AccessibleLink] = []
        var open: (range: Range<UTF16Offset>, destination: String, place: Int)?
        var rest = Self.longestSearch
        func close() {
            guard let link = open else { return }
            let range = scalars(link.range)
            let name = string(range.lowerBound..<min(range.upperBound, range.lowerBound + 256))
            let words = AccessibleLink(kind: .words, range: range, name: name, destination: link.destination)
            found.insert(words, at: link.place)
            open = nil
        }
        runs.forEachRun(in: text.utf16Range) { run, stop in
            let destination = run.attributes[LinkAttribute.self]
            if let link = open, link.destination == destination {
                open?.range = link.range.lowerBound..<run.range.upperBound
            } else {
                close()
                open = destination.map { (run.range, $0, found.count) }
            }
            if let attachment = run.attributes[AttachmentAttribute.self] {
                // Adjacent equal attachments are a single attribute run: add each of them to the result.
                let places = scalars(run.range).prefix(rest)
                rest -= places.count - 1
                for place in places {
                    found.append(
                        AccessibleLink(
                            kind: .attachment, range: place..<place + 1, name: attachment.alternateDescription,
                            destination: ""))
                }
            }
            rest -= 1
            stop = rest <= 0
        }
        close()
        return found
    }

    /// Returns the index in ``links`` of the innermost link at an offset; nil if there is none. O(log n), plus the
    /// attachments between the start of the link and the offset.
    package func linkIndex(at offset: Int) -> Int? {
        let links = links
        var index = links.partitioningIndex { $0.range.lowerBound > offset }
        while index > 0 {
            index -= 1
            if links[index].range.contains(offset) { return index }
            // Stop at a link that ends before the offset, because links do not overlap each other. Continue after an
            // attachment: it may be in a link that contains the offset.
            guard links[index].kind == .attachment else { return nil }
        }
        return nil
    }

    /// Returns the links that start at an offset. O(log n).
    func links(from offset: Int) -> ArraySlice<AccessibleLink> {
        let links = links
        let first = links.partitioningIndex { $0.range.lowerBound >= offset }
        return links[first...].prefix { $0.range.lowerBound == offset }
    }
}
