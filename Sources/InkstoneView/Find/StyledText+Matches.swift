import InkstoneBase
import InkstoneLayout
import InkstoneText

extension StyledText {
    /// Returns the restyling that gives each replacement the attributes of the first character of the replaced
    /// match. Links and code are included, which text typed in the place of the match does not inherit. Nil if
    /// there is nothing to restyle.
    func keepingStyles(ofMatchesIn changes: TextChangeSet) -> Restyling? {
        guard runs != nil else { return nil }
        var result = Restyling()
        for section in changes.changeMap where !section.oldRange.isEmpty && !section.newRange.isEmpty {
            let old = attributes(at: section.oldRange.lowerBound)
            // Leave out a match that begins with an attachment, which belongs to its character, and a match whose
            // attributes the replacement inherits anyway.
            guard old[AttachmentAttribute.self] == nil, old != typingAttributes(replacing: section.oldRange) else {
                continue
            }
            result.set(old, in: section.newRange)
        }
        return result.isEmpty ? nil : result
    }
}
