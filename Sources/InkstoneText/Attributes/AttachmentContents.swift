import InkstoneBase

/// Contents of attachments among attributes: they are large, so those who keep attributes count them, and a journal writes them once.
extension TextAttributes {
    /// The attachments among the values.
    var attachments: some Sequence<TextAttachment> {
        items.lazy.filter(\.key.holdsContents).compactMap { $0.value as? TextAttachment }
    }

    /// Whether the attachments have the contents of those that others have for the same keys.
    func hasContents(of other: TextAttributes) -> Bool {
        items.allSatisfy { item in
            guard item.key.holdsContents, let mine = item.value as? TextAttachment else { return true }
            return (other[item.key] as? TextAttachment).map { mine.hasContents(of: $0) } ?? false
        }
    }

    /// The attributes with the contents of those attachments that others have for the same keys.
    func withContents(of other: TextAttributes) -> TextAttributes {
        var result = self
        for item in items where item.key.holdsContents {
            guard let mine = item.value as? TextAttachment, let theirs = other[item.key] as? TextAttachment else {
                continue
            }
            result[item.key] = mine.withContents(of: theirs)
        }
        return result
    }

    /// The attributes with attachments that have no contents.
    var withoutContents: TextAttributes {
        var result = self
        for item in items where item.key.holdsContents {
            if let mine = item.value as? TextAttachment { result[item.key] = mine.withContents(of: nil) }
        }
        return result
    }

    /// Bytes of strings and contents among the values, and a little for each.
    var heldBytes: Int {
        items.reduce(0) { sum, item in
            let size = (item.value as? String)?.utf8.count ?? (item.value as? TextAttachment)?.contents.count ?? 0
            return sum + 64 + size
        }
    }
}

extension AttributeID {
    /// UTF-16 units of the scalar that one of the attributes is bound to; nil if none is.
    var scalarWidth: Int? {
        guard rules.contains(.scalar) else { return nil }
        for item in attributes.items {
            if case .scalar(let scalar) = item.key.boundaries { return UTF16.width(scalar) }
        }
        return nil
    }
}

extension AttributeRuns {
    /// Bytes of the contents of all attachments, those that several share counted once. O(k log n) for k runs with attachments.
    package var contentsSize: Int { contents.reduce(0) { $0 + $1.value } }

    /// The contents of all attachments, by their identities, with the bytes that they have.
    fileprivate var contents: [ObjectIdentifier: Int] {
        var result: [ObjectIdentifier: Int] = [:]
        add(to: &result)
        return result
    }

    fileprivate func add(to contents: inout [ObjectIdentifier: Int]) {
        forEachID(with: .contents) { id, _ in
            for attachment in id.attributes.attachments {
                contents[attachment.contentsIdentity] = attachment.contents.count
            }
        }
    }
}

extension AttributePatch {
    /// Bytes of the contents of attachments that only the old runs of sections have, and of those that only the new ones have.
    static func contents(of sections: [Section]) -> (old: Int, new: Int) {
        var (old, new): ([ObjectIdentifier: Int], [ObjectIdentifier: Int]) = ([:], [:])
        for section in sections {
            section.old.add(to: &old)
            section.new.add(to: &new)
        }
        func size(of some: [ObjectIdentifier: Int], without others: [ObjectIdentifier: Int]) -> Int {
            some.reduce(0) { others[$1.key] == nil ? $0 + $1.value : $0 }
        }
        return (size(of: old, without: new), size(of: new, without: old))
    }
}

/// Runs of attributes that a journal keeps, from a place in the text after a change on.
package struct JournaledRuns: Sendable {
    /// Their start in UTF-16 units of the text after the change.
    package var start: UTF16Offset
    /// The runs.
    package var runs: AttributeRuns
    /// Where attachments have the contents that were there before, and none in ``runs``: UTF-16 units from the start on, in order and without
    /// overlap.
    package var kept: [Range<Int>]

    /// Runs with the attachments that they have.
    package init(start: UTF16Offset, runs: AttributeRuns, kept: [Range<Int>] = []) {
        (self.start, self.runs, self.kept) = (start, runs, kept)
    }

    /// Runs in place of others of the same text, without the contents of attachments that the two have in common.
    init(start: UTF16Offset, runs: AttributeRuns, inPlaceOf old: AttributeRuns) {
        self.init(start: start, runs: runs)
        guard old.rules.contains(.contents) else { return }
        runs.forEachID(with: .contents) { id, range in
            old.forEachID(in: range) { before, part in
                if id.attributes.hasContents(of: before.attributes) { kept.append(part) }
                return true
            }
        }
        for range in kept {
            _ = self.runs.update(range) { AttributeTable.id(of: $0.attributes.withoutContents) }
        }
    }

    /// The runs with the contents that are kept, for a text that has `old` from ``start`` on.
    func completed(from old: AttributeRuns) -> AttributeRuns {
        var result = runs
        for range in kept {
            let range = range.clamped(to: 0..<min(runs.length, old.length))
            var parts: [(length: Int, id: AttributeID)] = []
            runs.forEachID(in: range) { id, part in
                old.forEachID(in: part) { before, part in
                    let whole = id.attributes.withContents(of: before.attributes)
                    parts.append((part.count, AttributeTable.id(of: whole)))
                    return true
                }
                return true
            }
            result.replace(range, with: AttributeRuns(parts))
        }
        return result
    }
}
