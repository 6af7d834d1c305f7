import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Links whose text is their address. An edit by the user inside the text changes the address as well: a corrected
/// address would otherwise still lead to the old one.
extension EditorState {
    /// A link of the present text whose text is its address.
    fileprivate struct AddressLink {
        var range: Range<UTF16Offset>
        var text: String
        var destination: String
    }

    /// The length of the longest link, in UTF-16 units, whose destination follows its text. A longer link keeps its
    /// destination.
    private static let longestFollowed = 4096

    /// Changes the destinations of links whose text is their address, if a transaction by the user edits the text. A
    /// link whose new text cannot be an address keeps its destination. A destination stays too if the text is cut in
    /// two. Undo, redo, reading, styling and the reordering of lines are not changed.
    func followAddresses(_ transaction: inout Transaction) {
        guard styledText.runs != nil, transaction.origin.isUser, !transaction.changes.isEmpty,
            ![.history, .load, .styling, .reordering].contains(where: transaction.origin.isWithin)
        else { return }
        let links = addressLinks(beside: transaction.changes.changeMap)
        guard !links.isEmpty else { return }
        transaction.resolve(in: styledText)
        var after = styledText
        after.apply(transaction.changes)
        var restyling = Restyling()
        for link in links {
            let low = transaction.changes.map(link.range.lowerBound, bias: .upstream)
            let high = transaction.changes.map(link.range.upperBound, bias: .downstream)
            let parts = linked(low..<max(low, high), to: link.destination, in: after)
            guard let range = parts.first else {
                // Text that is typed in place of a deleted address is not linked to that address.
                if transaction.typing?.value(of: LinkAttribute.self) == link.destination {
                    transaction.typing?.set(nil, of: LinkAttribute.self)
                }
                continue
            }
            guard parts.count == 1, range.length() <= Self.longestFollowed,
                let new = link.destination(showing: after.rope.string(in: range))
            else { continue }
            restyling.set(new, of: LinkAttribute.self, in: range)
            // If the link was chosen for typing, text that is typed next belongs to the link with its new destination.
            var typing = transaction.typing ?? typing
            if typing.value(of: LinkAttribute.self) == link.destination {
                typing.set(new, of: LinkAttribute.self)
                transaction.typing = typing
            }
        }
        guard !restyling.isEmpty else { return }
        let added = after.apply(TextChangeSet(none: after.rope), restyling: restyling)
        transaction.changes = transaction.changes.composed(with: added)
    }

    /// Returns the links that a change may edit and whose text is their address, in order.
    private func addressLinks(beside changes: TextChangeMap) -> [AddressLink] {
        var result: [AddressLink] = []
        for section in changes {
            let (low, high) = (section.oldRange.lowerBound, section.oldRange.upperBound)
            for offset in [low - 1, low, high - 1, high] {
                guard offset >= 0, offset < textRange.upperBound, offset >= result.last?.range.upperBound ?? 0,
                    styledText.attributes(at: offset)[LinkAttribute.self] != nil,
                    let run = styledText.run(of: LinkAttribute.self, at: offset), let destination = run.value,
                    run.range.length() <= Self.longestFollowed
                else { continue }
                let link = AddressLink(range: run.range, text: string(in: run.range), destination: destination)
                if link.prefix != nil { result.append(link) }
            }
        }
        return result
    }

    /// Returns the parts of a range that are linked to a destination, in order.
    private func linked(
        _ range: Range<UTF16Offset>, to destination: String, in text: StyledText
    ) -> [Range<UTF16Offset>] {
        var result: [Range<UTF16Offset>] = []
        for run in text.attributes(in: range) where run.attributes[LinkAttribute.self] == destination {
            if let last = result.last, last.upperBound == run.range.lowerBound {
                result[result.count - 1] = last.lowerBound..<run.range.upperBound
            } else {
                result.append(run.range)
            }
        }
        return result
    }
}

extension EditorState.AddressLink {
    /// The beginning of the destination that the text does not show: empty, `http://`, `https://` or `mailto:`. Nil
    /// if the text is not the address.
    fileprivate var prefix: String? {
        ["", "http://", "https://", "mailto:"].first { mayFollow(text, behind: $0) && destination == $0 + text }
    }

    /// Returns the destination of the link for a new text. Nil if the text is the old one or cannot be an address. A
    /// part of an address, as while its end is typed anew, is followed too.
    fileprivate func destination(showing new: String) -> String? {
        guard new != text, let prefix, mayFollow(new, behind: prefix) else { return nil }
        let destination = prefix + new
        return LinkAttribute.checked(destination) == destination ? destination : nil
    }

    /// Whether a text, with the given beginning before it, may be an address or a part of one.
    private func mayFollow(_ text: String, behind prefix: String) -> Bool {
        guard !text.isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        return !prefix.isEmpty || text.firstIndex(of: ":").map { $0 > text.startIndex } ?? false
    }
}
