import InkstoneBase
import InkstoneLayout
import InkstoneText

extension StyledText {
    /// Returns the restyling that gives each replacement the attributes of the first character of the replaced
    /// match. It includes links and code, which typed text would not inherit in place of a whole match. Nil if
    /// there is nothing to restyle.
    func keepingStyles(ofMatchesIn changes: TextChangeSet) -> Restyling? {
        guard runs != nil else { return nil }
        var result = Restyling()
        for section in changes.changeMap where !section.oldRange.isEmpty && !section.newRange.isEmpty {
            let old = attributes(at: section.oldRange.lowerBound)
            // Leave out two kinds of matches: those that begin with an attachment, which belongs to its character
            // alone, and those whose attributes the replacement inherits anyway.
            guard old[AttachmentAttribute.self] == nil, old != typingAttributes(replacing: section.oldRange) else {
                continue
            }
            result.set(old, in: section.newRange)
        }
        return result.isEmpty ? nil : result
    }
}
