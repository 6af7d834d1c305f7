import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A bare address that the last edit has changed, by which text typed next is recognized as a part of it.
package struct AddressEdit: Hashable, Sendable {
    /// The text of the address, in UTF-16 units. It is linked only if it is an address at present.
    package var range: Range<UTF16Offset>
    /// The last destination.
    var destination: String
    /// The beginning of the destination that the text does not show.
    var prefix: String

    /// Returns the edit mapped through a change by others.
    func mapped(through changes: TextChangeMap) -> AddressEdit {
        var result = self
        result.range = changes.map(range)
        return result
    }
}

/// Links whose text is their address. An edit by the user inside the text changes the address as well: a corrected
/// address would otherwise still lead to the old one.
extension EditorState {
    /// A link of the present text whose text is its address, or the address that the last edit has changed.
    fileprivate struct AddressLink {
        var range: Range<UTF16Offset>
        var text: String
        var destination: String
        /// The beginning of the destination that the text does not show: empty, `http://`, `https://` or `mailto:`.
        var prefix: String
        /// Whether text inserted at the ends belongs to the address.
        var isUnderWay = false
    }

    /// The length of the longest link, in UTF-16 units, whose destination follows its text. A longer link keeps its
    /// destination.
    private static let longestFollowed = 4096

    /// Changes the destinations of links whose text is their address, if a transaction by the user edits the text.
    /// While the new text is no address, it is no link. Text typed directly after such an edit, at the end or start of
    /// the address too, belongs to it: the deleted part of an address is typed anew. A link keeps its destination if its
    /// new text has blanks or is cut in two. Undo, redo, reading, styling and the reordering of lines are not changed.
    func followAddresses(_ transaction: inout Transaction) {
        // The text has no styles any more if the address was its only link.
        guard styledText.runs != nil || addressEdit != nil, transaction.origin.isUser, !transaction.changes.isEmpty,
            ![.history, .load, .styling, .reordering].contains(where: transaction.origin.isWithin)
        else { return }
        let map = transaction.changes.changeMap
        let links = addressLinks(beside: map)
        guard !links.isEmpty else { return }
        transaction.resolve(in: styledText)
        var after = styledText
        after.apply(transaction.changes)
        var restyling = Restyling()
        var edited: AddressEdit?
        for link in links {
            let low = map.map(link.range.lowerBound, bias: .upstream)
            let high = map.map(link.range.upperBound, bias: .downstream)
            let parts = linked(low..<max(low, high), to: link.destination, in: after)
            if parts.isEmpty, !link.isUnderWay {
                // Text that is typed in place of a deleted address is not linked to that address.
                if transaction.typing?.value(of: LinkAttribute.self) == link.destination {
                    transaction.typing?.set(nil, of: LinkAttribute.self)
                }
                continue
            }
            var range = link.range(after: map)
            if let part = parts.first {
                range = min(range.lowerBound, part.lowerBound)..<max(range.upperBound, part.upperBound)
            }
            guard parts.count <= 1, range.length() <= Self.longestFollowed,
                isAddress(range, to: link.destination, in: after)
            else { continue }
            var text = after.rope.string(in: range)
            if text.contains(where: \.isWhitespace), let part = parts.first {
                // Text with blanks in place of the end of an address is not a part of it.
                (range, text) = (part, after.rope.string(in: part))
            }
            guard !text.isEmpty, text != link.text, !text.contains(where: \.isWhitespace) else { continue }
            let endsTyping = map.contains { !$0.newRange.isEmpty && $0.newRange.upperBound == range.upperBound }
            let found = link.address(in: text, withoutPunctuation: link.isUnderWay && endsTyping)
            let end = range.lowerBound + (found?.length ?? 0)
            if end < range.upperBound { restyling.set(nil, of: LinkAttribute.self, in: end..<range.upperBound) }
            if let found { restyling.set(found.destination, of: LinkAttribute.self, in: range.lowerBound..<end) }
            // If the link was chosen for typing, text that is typed next belongs to the link with its new destination.
            var typing = transaction.typing ?? typing
            if typing.value(of: LinkAttribute.self) == link.destination {
                typing.set(found?.destination, of: LinkAttribute.self)
                transaction.typing = typing
            }
            edited = AddressEdit(
                range: range, destination: found?.destination ?? link.destination, prefix: link.prefix)
        }
        if let edited, links.count == 1, selection?.count == 1 {
            transaction.effects.append(StateEffect.addressing(edited))
        }
        guard !restyling.isEmpty else { return }
        let added = after.apply(TextChangeSet(none: after.rope), restyling: restyling)
        transaction.changes = transaction.changes.composed(with: added)
    }

    /// Returns the links that a change may edit and whose text is their address, in order.
    private func addressLinks(beside changes: TextChangeMap) -> [AddressLink] {
        if let edit = addressEdit, edit.range.upperBound <= textRange.upperBound, changes.touches(edit.range) {
            return [
                AddressLink(
                    range: edit.range, text: string(in: edit.range), destination: edit.destination,
                    prefix: edit.prefix, isUnderWay: true)
            ]
        }
        var result: [AddressLink] = []
        for section in changes {
            let (low, high) = (section.oldRange.lowerBound, section.oldRange.upperBound)
            for offset in [low - 1, low, high - 1, high] {
                guard offset >= 0, offset < textRange.upperBound, offset >= result.last?.range.upperBound ?? 0,
                    styledText.attributes(at: offset)[LinkAttribute.self] != nil,
                    let run = styledText.run(of: LinkAttribute.self, at: offset), let destination = run.value,
                    run.range.length() <= Self.longestFollowed
                else { continue }
                let text = string(in: run.range)
                guard let prefix = AddressLink.prefix(of: destination, showing: text) else { continue }
                result.append(AddressLink(range: run.range, text: text, destination: destination, prefix: prefix))
            }
        }
        return result
    }

    /// Whether a range holds no attachment and no link to anything but a destination, as pasted text may.
    private func isAddress(_ range: Range<UTF16Offset>, to destination: String, in text: StyledText) -> Bool {
        text.attributes(in: range).allSatisfy { run in
            let link = run.attributes[LinkAttribute.self]
            return run.attributes[AttachmentAttribute.self] == nil && (link == nil || link == destination)
        }
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
    /// Returns the beginning of a destination that its text does not show. Nil if the text is not the address.
    fileprivate static func prefix(of destination: String, showing text: String) -> String? {
        guard !text.isEmpty, !text.contains(where: \.isWhitespace) else { return nil }
        return ["", "http://", "https://", "mailto:"].first {
            destination == $0 + text && (!$0.isEmpty || text.firstIndex(of: ":").map { $0 > text.startIndex } ?? false)
        }
    }

    /// Returns the range of the address after changes. Text in place of a part of the address is a part of it; text
    /// inserted at its ends is only if the address is under way.
    fileprivate func range(after changes: TextChangeMap) -> Range<UTF16Offset> {
        var low = changes.map(range.lowerBound, bias: .downstream)
        var high = changes.map(range.upperBound, bias: .upstream)
        for section in changes {
            let old = section.oldRange
            let isWithin =
                isUnderWay
                ? old.lowerBound <= range.upperBound && range.lowerBound <= old.upperBound
                : old.lowerBound < range.upperBound && range.lowerBound < old.upperBound
            guard isWithin else { continue }
            low = min(low, section.newRange.lowerBound)
            high = max(high, section.newRange.upperBound)
        }
        return low..<max(low, high)
    }

    /// Returns the destination of a new text of the link, and the length of the linked part of the text in UTF-16 units.
    /// Nil if the text is no address. The beginning of an address, as while its end is typed anew, is an address too.
    ///
    /// - Parameter withoutPunctuation: whether punctuation at the end of the text is not a part of the address.
    fileprivate func address(
        in text: String, withoutPunctuation: Bool
    ) -> (destination: String, length: Int)? {
        let address = withoutPunctuation ? EditorState.withoutPunctuation(text[...]) : text[...]
        let isWhole = prefix.isEmpty || address.contains("://")
        guard !address.isEmpty, !isWhole || Self.hasScheme(address) else { return nil }
        let destination = (isWhole ? "" : prefix) + address
        guard LinkAttribute.checked(destination) == destination else { return nil }
        return (destination, address.utf16.count)
    }

    /// Whether a text begins with the name of a scheme and a colon, and has more after them than slashes.
    private static func hasScheme(_ text: Substring) -> Bool {
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter
        else { return false }
        let isName = text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }
        return isName && text[text.index(after: colon)...].contains { $0 != "/" }
    }
}
