import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneView

/// A link or an attachment in a text, as assistive technology reads it: a value of the text as it is.
package struct AccessibleLink: Hashable, Sendable {
    /// Kinds of links.
    package enum Kind: Hashable, Sendable {
        /// Words that lead somewhere.
        case words
        /// An attachment, which stands on U+FFFC.
        case attachment
    }

    package var kind: Kind
    /// The characters that it stands on, in scalars.
    package var range: Range<Int>
    /// A link's text, as far as 256 scalars, or an attachment's alternate description.
    package var name: String
    /// A link's destination; empty for an attachment.
    package var destination: String

    package var role: AccessibleRole { kind == .words ? .link : .image }
}

/// The links of one state of a text, found when they are first asked for: a reader that walks through them asks for each anew.
final class AccessibleLinks {
    /// The state of the text that they were found in.
    private var state: (version: TextVersion, isSecure: Bool)?
    private var found: [AccessibleLink] = []

    /// The links of a text, which is that of one view always.
    func links(of text: AccessibleText) -> [AccessibleLink] {
        let new = (version: text.view.state.version, isSecure: text.isSecure)
        if state.map({ $0 != new }) ?? true { (state, found) = (new, text.searchLinks()) }
        return found
    }
}

extension AccessibleText {
    /// Runs of attributes that are searched for links, from the start of the text, and attachments in them.
    private static let longestSearch = 20_000

    /// Links and attachments in the order of the text. An attachment in a link is one of its own, behind the link. O(runs) once for each state
    /// of the text, at most the first 20,000 of them, attachments counted one by one; O(1) for plain text. A secure text has none.
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
                // Equal ones side by side are one run.
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

    /// The number of the link at an offset: the innermost one; nil where there is none. O(log n), and the attachments of a link before it.
    package func linkIndex(at offset: Int) -> Int? {
        let links = links
        var index = Self.firstIndex(in: links, from: offset + 1)
        while index > 0 {
            index -= 1
            if links[index].range.contains(offset) { return index }
            // Of links no two overlap; pictures may lie between one's start and the offset.
            guard links[index].kind == .attachment else { return nil }
        }
        return nil
    }

    /// The links that start at an offset. O(log n).
    func links(from offset: Int) -> ArraySlice<AccessibleLink> {
        let links = links
        return links[Self.firstIndex(in: links, from: offset)...].prefix { $0.range.lowerBound == offset }
    }

    /// The first link that starts no earlier than at an offset. O(log n).
    private static func firstIndex(in links: [AccessibleLink], from offset: Int) -> Int {
        var (low, high) = (0, links.count)
        while low < high {
            let middle = (low + high) / 2
            if links[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
