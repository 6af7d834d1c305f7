import InkstoneBase

/// Attributes of text that is put in the place of other text, rather than typed.
extension StyledText {
    /// Returns the changes of attributes that let replacements be in the link, code and the like in which all of the
    /// replaced text is. Typed text leaves these, but Replace All must not take a link from a text. Nil if there is
    /// nothing to change. O(k log n) for k sections and runs.
    ///
    /// - Parameter changes: changes of this text, without effects on attributes.
    package func restyling(keepingReplaced changes: TextChangeSet) -> Restyling? {
        guard let runs, runs.rules.contains(.inheritedInside) else { return nil }
        var restyling = Restyling()
        for section in changes.changeMap where section.inserted.utf16 > 0 {
            let old = section.oldStart.utf16..<section.oldEnd.utf16
            guard !old.isEmpty, let kept = runs.sharedWithoutGrowing(in: old) else { continue }
            let typed = runs.added(at: old, in: rope).attributes
            restyling.merge(kept.united(with: typed), in: section.newRange)
        }
        return restyling.isEmpty ? nil : restyling
    }
}

extension AttributeRuns {
    /// Returns the attributes that all of a range has and that typed text does not inherit at their ends; nil if there
    /// are none.
    fileprivate func sharedWithoutGrowing(in range: Range<Int>) -> TextAttributes? {
        var shared: TextAttributes?
        forEachID(in: range) { id, _ in
            guard id.rules.contains(.inheritedInside) else {
                shared = nil
                return false
            }
            let attributes = id.attributes
            guard let known = shared else {
                shared = attributes.filter {
                    ($0.isInheritedInside || $0.parts != nil) && $0.boundaries == nil && !$0.isTextDependent
                }
                return true
            }
            var common = TextAttributes()
            for item in known.items {
                guard let other = attributes[item.key] else { continue }
                if let parts = item.key.parts {
                    common[item.key] = parts.shared(item.value, other, nil)
                } else if known.agrees(with: attributes, on: item.key) {
                    common[item.key] = item.value
                }
            }
            shared = common
            return !common.isEmpty
        }
        return shared.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension TextAttributes {
    /// Returns the attributes, with the parts that the same keys have in `other`.
    fileprivate func united(with other: TextAttributes) -> TextAttributes {
        var result = self
        for item in items {
            if let parts = item.key.parts, let rest = other[item.key] {
                result[item.key] = parts.shared(item.value, item.value, rest)
            }
        }
        return result
    }
}
