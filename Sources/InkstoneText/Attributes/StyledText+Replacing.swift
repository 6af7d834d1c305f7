import InkstoneBase

/// Attributes of text that replaces other text, as in Replace All, and is not typed.
extension StyledText {
    /// Returns the restyling that makes each replacement a part of the same link, code and so on as the text that
    /// it replaces. All of the replaced text must have been part of it. Without the restyling, Replace All would
    /// remove links: typed text that replaces a whole link does not become part of the link. Nil if no attributes
    /// have to be set. O(k log n) for k sections and runs.
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
    /// Returns the attributes that all units of a range have in common, without those that text typed next to the
    /// range would inherit anyway. Nil if there are none.
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
    /// Returns these attributes. If a value has parts, the parts of the value that `other` has for the same key are
    /// added.
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
