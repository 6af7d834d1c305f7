import InkstoneBase

/// Attributes of text that replaces other text, as in Replace All, and is not typed.
extension StyledText {
    /// Returns the restyling that gives each replacement the attributes of the first character of the text that it
    /// replaces. Links and code are included, which text typed in the same place would not inherit: without the
    /// restyling, Replace All would remove links. Attributes of paragraphs stay as they are. Nil if no attributes
    /// have to be set. O(k log n) for k sections.
    ///
    /// - Parameter changes: changes of this text, without effects on attributes.
    package func restyling(keepingReplaced changes: TextChangeSet) -> Restyling? {
        guard let runs else { return nil }
        var restyling = Restyling()
        for section in changes.changeMap where section.inserted.utf16 > 0 && section.removed.utf16 > 0 {
            let old = section.oldStart.utf16..<section.oldEnd.utf16
            let first = runs.id(at: old.lowerBound)
            // Do not pass on the attributes of a character to which one of these attributes is bound, such as a
            // picture.
            if first.rules.contains(.scalar) { continue }
            let kept = first.attributes.filter { $0.boundaries == nil && !$0.isTextDependent }
            let typed = runs.added(at: old, in: rope).attributes
            // Leave out a section whose new text inherits all of these attributes anyway.
            if kept.items.allSatisfy({ typed.agrees(with: kept, on: $0.key) }) { continue }
            restyling.merge(kept, in: section.newRange)
        }
        return restyling.isEmpty ? nil : restyling
    }
}
