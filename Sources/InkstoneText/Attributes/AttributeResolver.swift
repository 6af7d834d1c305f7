import InkstoneBase

/// A computation of the effect of a change on a text's attributes, in this order:
/// 1. the text of each section is replaced; inserted text inherits attributes from its surroundings;
/// 2. keys that depend on the text are removed where the text was edited;
/// 3. the requested changes of attributes are made, and keys that depend on the changed ones are removed;
/// 4. keys bound to a scalar are removed from all other scalars, and paragraphs get the values of their first
/// characters.
///
/// The patch is computed from the runs before and after, so its inverse is exact.
struct AttributeResolver {
    private let oldText: Rope
    private let text: Rope
    private let map: TextChangeMap
    private let old: AttributeRuns
    private var runs: AttributeRuns
    /// The ranges in which attributes were changed, in UTF-16 units of the new text, in any order. They may overlap
    /// the sections that replace text.
    private var touched: [Range<Int>] = []

    init(old oldText: Rope, new text: Rope, _ map: TextChangeMap, _ runs: AttributeRuns) {
        self.oldText = oldText
        self.text = text
        self.map = map
        old = runs
        self.runs = runs
    }

    // MARK: Steps 1 and 2: replacing text, removing keys that depend on text

    /// Sets the attributes of the inserted texts. If there is a `patch`, they are the patch's. Otherwise inserted text
    /// gets `attributes`, or the attributes that it inherits if these are nil; then `overrides` are applied to them.
    mutating func insert(_ attributes: AttributeID?, _ overrides: AttributeOverrides, _ patch: AttributePatch?) {
        guard !map.isEmpty || patch != nil else { return }
        if let patch {
            for index in stride(from: patch.count - 1, through: 0, by: -1) {
                runs.replace(patch[index].oldRange, with: patch[index].new)
                touched.append(patch[index].newRange)
            }
            return fix(map.map { $0.newStart.utf16..<$0.newEnd.utf16 })
        }
        let invalidated = old.rules.contains(.textDependent) ? map.flatMap { invalidatedRuns($0) } : []
        for (key, range) in invalidated where runs.update(range, { $0.replacing([key], by: TextAttributes()) }) {
            let low = map.map(UTF16Offset(range.lowerBound), bias: .upstream).value
            let high = map.map(UTF16Offset(range.upperBound), bias: .downstream).value
            touched.append(low..<high)
        }
        for index in stride(from: map.count - 1, through: 0, by: -1) {
            let section = map[index]
            let range = section.oldStart.utf16..<section.oldEnd.utf16
            let id = overrides.applied(to: attributes ?? old.added(at: range, in: oldText))
            runs.replace(range, with: section.inserted.utf16, id)
        }
        fix(map.map { $0.newStart.utf16..<$0.newEnd.utf16 })
    }

    /// Returns the keys that depend on text that a section changes, with the ranges from which they are removed, in
    /// UTF-16 units of the old text.
    private func invalidatedRuns(_ section: TextChangeMap.Section) -> [(AttributeKeyInfo, Range<Int>)] {
        let low = section.oldStart.utf16
        let high = section.oldEnd.utf16
        var result: [(AttributeKeyInfo, Range<Int>)] = []
        func add(at offset: Int, where isTouched: (AttributeKeyInfo, TextAttributes) -> Bool) {
            let id = old.id(at: offset)
            guard id.rules.contains(.textDependent) else { return }
            let attributes = id.attributes
            for item in attributes.items where item.key.isTextDependent && isTouched(item.key, attributes) {
                let start = old.start(of: item.key, like: attributes, before: offset)
                result.append((item.key, start..<old.end(of: item.key, like: attributes, from: offset)))
            }
        }
        if low < high {
            add(at: low) { _, _ in true }
            if high - 1 > low { add(at: high - 1) { _, _ in true } }
        } else if low > 0, low < old.length {
            // An insertion between two runs removes the key from neither of them.
            let before = old.id(at: low - 1)
            if before.rules.contains(.textDependent) {
                let attributes = before.attributes
                add(at: low) { key, after in after.agrees(with: attributes, on: key) }
            }
        }
        return result
    }

    // MARK: Step 3: requested changes of attributes

    /// The last change of some paragraph keys of a paragraph. It is applied to the whole paragraph when no further step
    /// changes the same keys of this paragraph.
    private struct PendingRest {
        var paragraph: Range<Int>
        var names: [String]
        var change: (AttributeID) -> AttributeID
    }

    /// Applies the requested changes of attributes.
    mutating func restyle(_ restyling: Restyling?) {
        // Several steps may set the same paragraph keys in parts of one paragraph. Only the last of these steps
        // matters for the whole paragraph: apply only its change there.
        var pending: PendingRest?
        for step in restyling?.steps ?? [] {
            let clamped = text.utf16Range(of: text.byteRange(of: step.range.clamped(into: text.utf16Range)))
            let range = clamped.lowerBound.value..<clamped.upperBound.value
            guard !range.isEmpty else { continue }
            switch step.action.replacedParagraphKeys {
            case nil: complete(&pending)
            case []?:
                if pending != nil {
                    update(range, step.action.apply)
                    if runs.rules.contains(.scalar) { fixScalars(range) }
                    continue
                }
            case let names?:
                let whole = paragraphs(around: range)
                if pending.map({ $0.paragraph != whole || $0.names != names }) ?? false { complete(&pending) }
                guard let change = step.action.forRestOfParagraph(in: runs.rules),
                    paragraph(at: range.lowerBound) == whole
                else { break }
                // Paragraph keys have the same values in all of a paragraph. The paragraph's first run therefore
                // shows whether the step changes anything.
                let first = runs.id(at: whole.lowerBound)
                guard pending != nil || change(first) != first else { break }
                update(range, step.action.apply)
                pending = PendingRest(paragraph: whole, names: names, change: change)
                continue
            }
            if case .runs(let new) = step.action {
                touched.append(range)
                runs.replace(range, with: new.fitted(to: range.count))
            } else {
                // Remember results, because thousands of runs have only a few different sets of attributes.
                var known: [AttributeID: AttributeID] = [:]
                update(range) { id in
                    if let new = known[id] { return new }
                    let new = step.action.apply(to: id)
                    known[id] = new
                    return new
                }
                if let change = step.action.forRestOfParagraph(in: runs.rules) {
                    let whole = paragraphs(around: range)
                    updateRest(whole.lowerBound..<range.lowerBound, change)
                    updateRest(range.upperBound..<whole.upperBound, change)
                }
            }
            fix([range])
        }
        complete(&pending)
    }

    private mutating func complete(_ pending: inout PendingRest?) {
        guard let rest = pending else { return }
        pending = nil
        update(rest.paragraph, rest.change)
        fix([rest.paragraph])
    }

    /// Changes the paragraph keys of the rest of a paragraph. Their values are the same in all of a paragraph, so the
    /// first run shows whether anything changes. If nothing changes, the other runs are not visited, because a
    /// paragraph may get thousands of steps.
    private mutating func updateRest(_ rest: Range<Int>, _ change: (AttributeID) -> AttributeID) {
        guard !rest.isEmpty else { return }
        let first = runs.id(at: rest.lowerBound)
        if change(first) != first { update(rest, change) }
    }

    private mutating func update(_ range: Range<Int>, _ change: (AttributeID) -> AttributeID) {
        guard !range.isEmpty, runs.update(range, change) else { return }
        touched.append(range)
    }

    // MARK: Step 4: rules of paragraph keys and of keys bound to a scalar

    /// Enforces the rules of keys bound to a scalar in changed ranges, and those of paragraph keys in the
    /// paragraphs around them.
    private mutating func fix(_ ranges: [Range<Int>]) {
        if runs.rules.contains(.scalar) { for range in ranges { fixScalars(range) } }
        if runs.rules.contains(.paragraph) { for range in ranges { fixParagraphs(range) } }
    }

    private mutating func fixScalars(_ range: Range<Int>) {
        var wrong: [(Range<Int>, AttributeKeyInfo)] = []
        runs.forEachID(in: range) { id, part in
            guard id.rules.contains(.scalar) else { return true }
            var bound: [(key: AttributeKeyInfo, scalar: Unicode.Scalar)] = []
            for item in id.attributes.items {
                if case .scalar(let scalar) = item.key.boundaries { bound.append((item.key, scalar)) }
            }
            var at = part.lowerBound
            for scalar in text.string(in: UTF16Offset(part.lowerBound)..<UTF16Offset(part.upperBound)).unicodeScalars {
                let next = at + UTF16.width(scalar)
                for (key, wanted) in bound where wanted != scalar { wrong.append((at..<next, key)) }
                at = next
            }
            return true
        }
        for (range, key) in wrong { update(range) { $0.replacing([key], by: TextAttributes()) } }
    }

    /// Sets the paragraph keys of the paragraphs that overlap a range to the values of their first characters. The last
    /// paragraph may continue beyond the range. The text there is unchanged and has the same values throughout, so the
    /// first unit after the range shows whether they have to be replaced.
    private mutating func fixParagraphs(_ range: Range<Int>) {
        guard runs.length > 0 else { return }
        var at = range.lowerBound
        let first = paragraph(at: at)
        if first.lowerBound < at {
            let style = runs.id(at: first.lowerBound).paragraphPart
            let end = min(first.upperBound, range.upperBound)
            update(at..<end) { $0.withParagraphPart(style) }
            at = end
        }
        if at < range.upperBound, !hasOneParagraphPart(at..<range.upperBound) {
            fixParagraphs(from: at..<range.upperBound)
        }
        let last = paragraph(at: range.upperBound)
        guard last.lowerBound < range.upperBound, range.upperBound < last.upperBound else { return }
        let style = runs.id(at: last.lowerBound).paragraphPart
        guard runs.id(at: range.upperBound).paragraphPart != style else { return }
        update(range.upperBound..<last.upperBound) { $0.withParagraphPart(style) }
    }

    /// Sets the paragraph keys in a range that begins at the start of a paragraph, to the values of the paragraphs'
    /// first characters. Text and runs are visited once.
    private mutating func fixParagraphs(from range: Range<Int>) {
        var paragraphs = RopeParagraphCursor(
            text, in: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound))
        var end = range.lowerBound
        var style = AttributeID.none
        var last: (old: AttributeID, style: AttributeID, new: AttributeID)?
        var new: [(length: Int, id: AttributeID)] = []
        var wrong: [Range<Int>] = []
        runs.forEachID(in: range) { id, part in
            let own = id.paragraphPart
            var start = part.lowerBound
            while start < part.upperBound {
                if start == end {
                    style = own
                    end = paragraphs.next()?.utf16WithNewline.upperBound.value ?? range.upperBound
                }
                let stop = min(end, part.upperBound)
                var right = id
                if own != style {
                    if let known = last, known.old == id, known.style == style {
                        right = known.new
                    } else {
                        right = id.withParagraphPart(style)
                        last = (id, style, right)
                    }
                    if wrong.last?.upperBound == start {
                        wrong[wrong.count - 1] = wrong[wrong.count - 1].lowerBound..<stop
                    } else {
                        wrong.append(start..<stop)
                    }
                }
                if new.last?.id == right {
                    new[new.count - 1].length += stop - start
                } else {
                    new.append((stop - start, right))
                }
                start = stop
            }
            return true
        }
        guard !wrong.isEmpty else { return }
        runs.replace(range, with: AttributeRuns(new))
        touched += wrong
    }

    private func hasOneParagraphPart(_ range: Range<Int>) -> Bool {
        let style = runs.id(at: range.lowerBound).paragraphPart
        var isOne = true
        runs.forEachID(in: range) { id, _ in
            isOne = id.paragraphPart == style
            return isOne
        }
        return isOne
    }

    private func paragraph(at offset: Int) -> Range<Int> {
        let range = text.utf16Range(of: text.paragraphIndex(at: UTF16Offset(offset)))
        return range.lowerBound.value..<range.upperBound.value
    }

    private func paragraphs(around range: Range<Int>) -> Range<Int> {
        paragraph(at: range.lowerBound).lowerBound..<paragraph(at: range.upperBound - 1).upperBound
    }

    // MARK: The result

    /// Returns the changes of attributes as a patch, and the attribute runs of the new text. The patch is nil if
    /// neither the old nor the new text has attributes. The runs are nil if the new text has none.
    func finish() -> (patch: AttributePatch?, runs: AttributeRuns?) {
        var sections: [AttributePatch.Section] = []
        let ranges = union(touched.sorted { $0.lowerBound < $1.lowerBound })
        var next = 0
        /// Adds the change of a range of kept text that lies in no section. `shift` is the distance from the range in
        /// the old text to the range in the new text.
        func add(_ range: Range<Int>, _ shift: Int) {
            let before = old.slice(range.lowerBound - shift..<range.upperBound - shift)
            let after = runs.slice(range)
            guard before != after else { return }
            sections.append(
                .init(oldStart: range.lowerBound - shift, newStart: range.lowerBound, old: before, new: after))
        }
        /// The end of the last section passed, in the new text. `add(upTo:)` adds the changes from this offset up to
        /// another.
        var at = 0
        func add(upTo end: Int, _ shift: Int) {
            while next < ranges.count {
                let part = ranges[next].clamped(to: at..<max(at, end))
                if !part.isEmpty { add(part, shift) }
                guard ranges[next].upperBound <= end else { return }
                next += 1
            }
        }
        var shift = 0
        for section in map {
            add(upTo: section.newStart.utf16, shift)
            sections.append(
                .init(
                    oldStart: section.oldStart.utf16, newStart: section.newStart.utf16,
                    old: old.slice(section.oldStart.utf16..<section.oldEnd.utf16),
                    new: runs.slice(section.newStart.utf16..<section.newEnd.utf16)))
            at = section.newEnd.utf16
            shift = section.newEnd.utf16 - section.oldEnd.utf16
        }
        add(upTo: .max, shift)
        let patch = AttributePatch(sections)
        return (old.isPlain && runs.isPlain ? nil : patch, runs.isPlain ? nil : runs)
    }

    private func union(_ sorted: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in sorted {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
