import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The links of the text: ranges with a `LinkAttribute`.
extension EditorView {
    /// Returns the destination and the whole range of the link at an offset, in UTF-16 units. Nil if there is no
    /// link, or in a secure view.
    public func link(at offset: UTF16Offset) -> (destination: String, range: Range<UTF16Offset>)? {
        guard !isSecureTextEntry, let run = store.styledText.run(of: LinkAttribute.self, at: offset),
            run.range.contains(offset)
        else { return nil }
        return run.value.map { ($0, run.range) }
    }

    /// Opens the link at the caret or just before it, or the first link in the primary range, by ``onOpenLink``.
    /// Returns false if there is no link or no callback, and in a secure view.
    @discardableResult
    public func openLink() -> Bool {
        guard let onOpenLink, let range = selection?.primary.range else { return false }
        // A caret just after a link counts as at the link.
        let places = range.isEmpty ? [range.lowerBound, range.lowerBound - 1] : [range.lowerBound]
        guard let found = places.lazy.compactMap({ self.link(at: $0) }).first ?? firstLink(in: range) else {
            return false
        }
        onOpenLink(found.destination)
        return true
    }

    private func firstLink(in range: Range<UTF16Offset>) -> (destination: String, range: Range<UTF16Offset>)? {
        var offset = range.lowerBound
        while offset < range.upperBound, let run = store.styledText.run(of: LinkAttribute.self, at: offset) {
            if run.value != nil { return link(at: offset) }
            offset = run.range.upperBound
        }
        return nil
    }

    /// Makes the links known to the pointer's gestures if there is a callback that opens them.
    func followLinks() {
        guard onOpenLink != nil else { return interaction.links = nil }
        interaction.links = (
            has: { [weak self] position in
                guard let self else { return false }
                return link(at: store.offset(of: position)) != nil
            },
            open: { [weak self] position in
                guard let self, let found = link(at: store.offset(of: position)) else { return }
                onOpenLink?(found.destination)
            }
        )
    }
}
