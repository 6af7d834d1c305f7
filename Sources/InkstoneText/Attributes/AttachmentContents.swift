import InkstoneBase

/// The contents of attachments among attributes. Contents are large, so code that limits its memory counts their
/// bytes, and a journal writes the same contents only once.
extension TextAttributes {
    /// The attachments among the values.
    var attachments: some Sequence<TextAttachment> {
        items.lazy.filter(\.key.holdsContents).compactMap { $0.value as? TextAttachment }
    }

    /// Whether each attachment has the same contents as the attachment that `other` has for the same key.
    func hasContents(of other: TextAttributes) -> Bool {
        items.allSatisfy { item in
            guard item.key.holdsContents, let mine = item.value as? TextAttachment else { return true }
            return (other[item.key] as? TextAttachment).map { mine.hasContents(of: $0) } ?? false
        }
    }

    /// Returns the attributes with the contents of the attachments that `other` has for the same keys. Attachments
    /// that `other` lacks are removed, because an empty attachment would be saved in place of a picture.
    func withContents(of other: TextAttributes) -> TextAttributes {
        var result = self
        for item in items where item.key.holdsContents {
            guard let mine = item.value as? TextAttachment else { continue }
            result[item.key] = (other[item.key] as? TextAttachment).map { mine.withContents(of: $0) }
        }
        return result
    }

    /// The attributes with the contents of all attachments removed.
    var withoutContents: TextAttributes {
        var result = self
        for item in items where item.key.holdsContents {
            if let mine = item.value as? TextAttachment { result[item.key] = mine.withContents(of: nil) }
        }
        return result
    }

    /// Bytes of the strings and attachment contents among the values, plus a small constant for each value.
    var heldBytes: Int {
        items.reduce(0) { sum, item in
            let size = (item.value as? String)?.utf8.count ?? (item.value as? TextAttachment)?.contents.count ?? 0
            return sum + 64 + size
        }
    }
}

extension AttributeID {
    /// The number of UTF-16 units of the scalar to which one of the attributes is bound; nil if none is bound.
    var scalarWidth: Int? {
        guard rules.contains(.scalar) else { return nil }
        for item in attributes.items {
            if case .scalar(let scalar) = item.key.boundaries { return UTF16.width(scalar) }
        }
        return nil
    }
}

extension AttributeRuns {
    /// Bytes of the contents of all attachments, with shared contents counted once. O(k log n) for k runs with
    /// attachments.
    package var contentsSize: Int { contents.reduce(0) { $0 + $1.value } }

    /// The sizes in bytes of the contents of all attachments, by the identity of the contents object.
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
    /// Returns the sizes in bytes of attachment contents, by the identity of the contents object. `old` lists contents
    /// that only the sections' old runs have, `new` those that only the sections' new runs have.
    static func contents(of sections: [Section]) -> (old: [ObjectIdentifier: Int], new: [ObjectIdentifier: Int]) {
        var (old, new): ([ObjectIdentifier: Int], [ObjectIdentifier: Int]) = ([:], [:])
        for section in sections {
            section.old.add(to: &old)
            section.new.add(to: &new)
        }
        if old.isEmpty || new.isEmpty { return (old, new) }
        return (old.filter { new[$0.key] == nil }, new.filter { old[$0.key] == nil })
    }
}

/// The attachment contents of a text that the text's recovery journal has not recorded yet. The journal has to write
/// them in full before it can refer to them.
///
/// Contents are identified by the identity of their object. If an object is released and another gets the same
/// identity, the journal may record the new contents once more than needed, which does no harm.
package struct UnwrittenContents: Sendable {
    private var identities: Set<ObjectIdentifier> = []

    /// Creates an empty set, for a text without contents.
    package init() {}

    /// Creates the set of all contents of a text, for a journal that starts with this text. O(k log n) for k runs with
    /// attachments.
    package init(of text: StyledText) {
        if let runs = text.runs { identities = Set(runs.contents.keys) }
    }

    /// Adds the contents in the text that a change inserts or restyles. Call this for a change that the journal does
    /// not record.
    package mutating func insert(_ changes: TextChangeSet) {
        for section in changes.patch?.sections ?? [] { identities.formUnion(section.new.contents.keys) }
    }

    /// Removes contents that the journal has now recorded. Contents count as recorded if `styles` include them at every
    /// position at which the text has them. O(k log n) for k runs with attachments; O(1) if the set is empty.
    package mutating func remove(writtenBy styles: [JournaledRuns], of text: StyledText) {
        guard !identities.isEmpty else { return }
        var written: [ObjectIdentifier: Int] = [:]
        for style in styles { count(style.runs, in: &written) }
        guard !written.isEmpty, let runs = text.runs else { return }
        var present: [ObjectIdentifier: Int] = [:]
        count(runs, in: &present)
        for (identity, count) in written where present[identity] == count { identities.remove(identity) }
    }

    /// Adds the lengths of the runs that have unwritten contents to `lengths`, by the identity of the contents object.
    private func count(_ runs: AttributeRuns, in lengths: inout [ObjectIdentifier: Int]) {
        runs.forEachID(with: .contents) { id, range in
            for attachment in id.attributes.attachments where identities.contains(attachment.contentsIdentity) {
                lengths[attachment.contentsIdentity, default: 0] += range.count
            }
        }
    }

    fileprivate func has(any attributes: TextAttributes) -> Bool {
        !identities.isEmpty && attributes.attachments.contains { identities.contains($0.contentsIdentity) }
    }
}

/// Attribute runs that a recovery journal records, from a position on in the text after a change.
package struct JournaledRuns: Sendable {
    /// The start of the runs, in UTF-16 units of the text after the change.
    package var start: UTF16Offset
    /// The attribute runs to record, without the contents of attachments in the ``kept`` ranges.
    package var runs: AttributeRuns
    /// The ranges in which ``runs`` lacks the contents of attachments, because they are the same as before the change.
    /// In UTF-16 units from ``start``, in order and without overlap.
    package var kept: [Range<Int>]

    /// Creates runs that include the contents of their attachments, except in the `kept` ranges.
    package init(start: UTF16Offset, runs: AttributeRuns, kept: [Range<Int>] = []) {
        (self.start, self.runs, self.kept) = (start, runs, kept)
    }

    /// Creates runs that replace `old` runs of the same text. The contents of an attachment are left out where the old
    /// runs have the same contents, if the journal has them already.
    init(start: UTF16Offset, runs: AttributeRuns, inPlaceOf old: AttributeRuns, writing unwritten: UnwrittenContents) {
        self.init(start: start, runs: runs)
        guard old.rules.contains(.contents) else { return }
        runs.forEachID(with: .contents) { id, range in
            old.forEachID(in: range) { before, part in
                if id.attributes.hasContents(of: before.attributes), !unwritten.has(any: before.attributes),
                    !unwritten.has(any: id.attributes)
                {
                    kept.append(part)
                }
                return true
            }
        }
        for range in kept {
            _ = self.runs.update(range) { AttributeTable.id(of: $0.attributes.withoutContents) }
        }
    }

    /// Returns the runs with the contents that were left out, for a text that has the runs `old` from ``start`` on.
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
