import InkstoneBase

/// Changes of attributes, in order. Ranges are UTF-16 units of the text after the transaction that contains the
/// changes. They are clamped to that text, and an empty range changes nothing.
///
/// A paragraph key that is set or removed in a part of a paragraph changes in all of the paragraph. But if attributes
/// are set run by run, a paragraph gets the values of its first character. A key that depends on a changed one is
/// removed, unless it is set in the same step.
public struct Restyling: Sendable {
    enum Action: Sendable {
        /// Adds attributes to the existing ones.
        case merge(TextAttributes)
        /// Replaces all existing attributes.
        case set(TextAttributes)
        /// Removes keys.
        case remove([AttributeKeyInfo])
        /// Sets a key in each run to the result of a function of the run's attributes.
        case map(AttributeKeyInfo, @Sendable (TextAttributes) -> TextAttributes)
        /// Replaces all existing attributes, run by run.
        case runs(AttributeRuns)
    }

    struct Step: Sendable {
        var range: Range<UTF16Offset>
        var action: Action
    }

    private(set) var steps: [Step] = []

    /// Creates an empty list of changes of attributes.
    public init() {}

    /// Whether the list contains no changes of attributes.
    public var isEmpty: Bool { steps.isEmpty }

    /// Adds attributes to those of a range; existing values of the same keys are replaced.
    public mutating func merge(_ attributes: TextAttributes, in range: Range<UTF16Offset>) {
        add(.merge(attributes), in: range)
    }

    /// Replaces all attributes of a range by others.
    public mutating func set(_ attributes: TextAttributes, in range: Range<UTF16Offset>) {
        add(.set(attributes), in: range)
    }

    /// Sets the value of a key in a range. If the value is nil, or one that the key rejects, removes the key.
    public mutating func set<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type, in range: Range<UTF16Offset>) {
        let new = value.map { TextAttributes(key, $0) } ?? TextAttributes()
        add(new.isEmpty ? .remove([AttributeKeys.info(key)]) : .merge(new), in: range)
    }

    /// Applies `change` to the value of a key in each run of a range. As argument and as result of `change`, nil
    /// means no value. `change` is called when the transaction is applied, at least once for each different set of
    /// attributes. It must always return the same for the same value.
    public mutating func map<Key: AttributeKey>(
        _ key: Key.Type, in range: Range<UTF16Offset>, _ change: @escaping @Sendable (Key.Value?) -> Key.Value?
    ) {
        add(
            .map(AttributeKeys.info(key)) { attributes in
                var result = TextAttributes()
                result[key] = change(attributes[key])
                return result
            }, in: range)
    }

    /// Replaces all attributes of a range by runs. Runs of another length are cut, or extended by their last
    /// attributes.
    public mutating func set(_ runs: AttributeRuns, in range: Range<UTF16Offset>) { add(.runs(runs), in: range) }

    package mutating func remove(_ keys: [any AttributeKey.Type], in range: Range<UTF16Offset>) {
        add(.remove(keys.map { AttributeKeys.info(of: $0) }), in: range)
    }

    package mutating func append(_ other: Restyling) { steps += other.steps }

    mutating func add(_ action: Action, in range: Range<UTF16Offset>) {
        if !range.isEmpty { steps.append(Step(range: range, action: action)) }
    }

    /// Whether a step gives any run of a text attributes that meet a condition. Checks at most `limit` runs in all, and
    /// returns true if there are that many. Also returns true, without a check, if a step replaces attributes run by
    /// run (`Action.runs`). Only for a transaction that replaces no text. If a step covers only a part of a paragraph,
    /// the rest of the paragraph is not checked.
    ///
    /// - Parameter isMet: called with the attributes of a run before and after the step.
    package func gives(
        in text: StyledText, within limit: Int, where isMet: (TextAttributes, TextAttributes) -> Bool
    ) -> Bool {
        var left = limit
        for step in steps {
            if case .runs = step.action { return true }
            let runs = text.runs ?? AttributeRuns(length: text.rope.metrics.utf16, .none)
            var isFound = false
            runs.forEachID(in: step.range.clamped(into: text.rope.utf16Range)) { id, _ in
                guard !isFound, left > 0 else { return }
                left -= 1
                isFound = isMet(id.attributes, step.action.apply(to: id).attributes)
            }
            if isFound || left == 0 { return true }
        }
        return false
    }

    /// The ranges of the steps, in order. They may overlap.
    package var ranges: [Range<UTF16Offset>] { steps.map(\.range) }

    /// Removes the steps for whose ranges `isLeftOut` returns true.
    package mutating func removeAll(where isLeftOut: (Range<UTF16Offset>) -> Bool) {
        steps.removeAll { isLeftOut($0.range) }
    }

    /// Returns the changes with their ranges moved along with a transaction that was rebased.
    func mapped(through move: TransactionMove) -> Restyling {
        var result = Restyling()
        for step in steps {
            guard case .runs(let runs) = step.action else {
                result.add(step.action, in: move.map(step.range))
                continue
            }
            // Set the runs only on the parts of the range that still exist: text that others inserted between these
            // parts keeps its own attributes.
            let fitted = runs.fitted(to: step.range.length())
            for (from, range) in move.parts(of: step.range) {
                result.add(.runs(fitted.slice(from..<from + range.length())), in: range)
            }
        }
        return result
    }
}

extension Restyling.Action {
    /// Returns the attributes of a run after the action; unchanged for the action `runs`, which the caller carries
    /// out.
    func apply(to id: AttributeID) -> AttributeID {
        switch self {
        case .merge(let new): id.replacing(new.items.map(\.key), by: new)
        case .set(let new): AttributeTable.id(of: new)
        case .remove(let keys): id.replacing(keys, by: TextAttributes())
        case .map(let key, let change): id.replacing([key], by: change(id.attributes))
        case .runs: id
        }
    }

    /// The names of the paragraph keys that the action sets or removes, whatever their old values are. Nil if the
    /// new values may depend on the old ones, or if the action replaces all keys.
    var replacedParagraphKeys: [String]? {
        let keys: [AttributeKeyInfo]
        switch self {
        case .merge(let new): keys = new.items.map(\.key)
        case .remove(let removed): keys = removed
        case .set, .map, .runs: return nil
        }
        return keys.filter { $0.boundaries == .paragraph }.map(\.name)
    }

    /// If the action is applied to a part of a paragraph, returns the change of the runs in the rest of the
    /// paragraph; nil if the rest does not change.
    ///
    /// - Parameter rules: the rules of all runs of the text.
    func forRestOfParagraph(in rules: AttributeRules) -> ((AttributeID) -> AttributeID)? {
        switch self {
        case .merge(let new):
            let part = new.filter { $0.boundaries == .paragraph }
            let rest = Self.merge(part)
            return part.isEmpty ? nil : { rest.apply(to: $0) }
        case .remove(let keys):
            let part = keys.filter { $0.boundaries == .paragraph }
            let rest = Self.remove(part)
            return part.isEmpty ? nil : { rest.apply(to: $0) }
        case .set(let new):
            let part = AttributeTable.id(of: new).paragraphPart
            guard part != .none || rules.contains(.paragraph) else { return nil }
            return { $0.withParagraphPart(part) }
        case .map(let key, _):
            guard key.boundaries == .paragraph else { return nil }
            return { apply(to: $0) }
        case .runs: return nil
        }
    }
}

extension AttributeID {
    /// Returns the attributes with the values that `new` has for some keys. Attributes that depend on changed keys
    /// are removed.
    func replacing(_ keys: [AttributeKeyInfo], by new: TextAttributes) -> AttributeID {
        var result = attributes
        let changed = keys.filter { !result.agrees(with: new, on: $0) }
        guard !changed.isEmpty else { return self }
        for key in changed { result[key] = new[key] }
        result.removeDependents(of: changed) { key in new[key] != nil && keys.contains { $0 === key } }
        return AttributeTable.id(of: result)
    }

    /// Returns the attributes with each key for which `old` and `new` differ set to its value in `new`.
    func changed(as old: AttributeID, to new: AttributeID) -> AttributeID {
        if self == old { return new }
        if old == new { return self }
        var result = attributes
        let after = new.attributes
        for key in old.attributes.differences(from: after) { result[key] = after[key] }
        return AttributeTable.id(of: result)
    }

    /// Returns the attributes with their paragraph keys replaced by those of `part`.
    func withParagraphPart(_ part: AttributeID) -> AttributeID {
        guard paragraphPart != part else { return self }
        let new = part.attributes
        let mine = attributes.items.map(\.key).filter { $0.boundaries == .paragraph }
        return replacing(mine + new.items.map(\.key).filter { key in !mine.contains { $0 === key } }, by: new)
    }
}
