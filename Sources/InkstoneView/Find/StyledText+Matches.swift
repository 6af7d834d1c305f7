import InkstoneBase
import InkstoneLayout
import InkstoneText

extension StyledText {
    /// Returns the restyling that gives the replacements of matches the attributes of the first characters of the matches, links and code
    /// included, which text typed in their place does not inherit. Nil if there is nothing to restyle.
    func keepingStyles(ofMatchesIn changes: TextChangeSet) -> Restyling? {
        guard runs != nil else { return nil }
        var result = Restyling()
        for section in changes.changeMap where !section.oldRange.isEmpty && !section.newRange.isEmpty {
            let old = attributes(at: section.oldRange.lowerBound)
            // An attachment belongs to its character.
            guard old[AttachmentAttribute.self] == nil, old != typingAttributes(replacing: section.oldRange) else {
                continue
            }
            result.set(old, in: section.newRange)
        }
        return result.isEmpty ? nil : result
    }
}
