import InkstoneBase

/// A text with attributes, as a value.
///
/// If no part of the text has attributes, there are no runs: the text uses no more memory than its rope, and edits
/// do no work for attributes.
public struct StyledText: Sendable {
    /// The text without its attributes.
    public internal(set) var rope: Rope
    /// The attribute runs, covering all of the text; nil if no part of the text has attributes.
    public internal(set) var runs: AttributeRuns?

    /// Creates a text without attributes.
    public init(_ rope: Rope = Rope()) { self.rope = rope }

    /// Creates a text with the same attributes everywhere. A key bound to a scalar stays only on that scalar.
    public init(_ rope: Rope, _ attributes: TextAttributes) {
        self.init(rope, runs: AttributeRuns(length: rope.metrics.utf16, attributes))
    }

    /// Creates a text with attribute runs. Runs of another length than the text are cut, or extended by their last
    /// attributes. The rules of paragraph keys and of keys bound to a scalar are enforced, as after an edit.
    public init(_ rope: Rope, runs: AttributeRuns?) {
        self.rope = rope
        guard let runs, !runs.isPlain else { return }
        self.runs = runs.fitted(to: rope.metrics.utf16)
        guard !runs.rules.isDisjoint(with: [.paragraph, .scalar]) else { return }
        var restyling = Restyling()
        restyling.set(runs, in: rope.utf16Range)
        apply(TextChangeSet(none: rope), restyling: restyling)
    }

    /// Creates a text with attribute runs that have the length of the text. The runs must already obey the rules of
    /// paragraph keys and of keys bound to a scalar. For code that makes text and runs together, such as a reader of
    /// Markdown. O(1).
    package init(_ rope: Rope, validRuns runs: AttributeRuns) {
        precondition(runs.length == rope.metrics.utf16, "the runs have another length than the text")
        self.init(unchecked: rope, runs.isPlain ? nil : runs)
    }

    init(unchecked rope: Rope, _ runs: AttributeRuns?) {
        self.rope = rope
        self.runs = runs
    }

    /// Returns the attributes of the UTF-16 unit at an offset; at the end of the text, those of the last unit.
    /// O(log n).
    public func attributes(at offset: UTF16Offset) -> TextAttributes {
        runs?.run(at: offset)?.attributes ?? TextAttributes()
    }

    /// Returns the attribute runs of a range, cut to the range, in order. For a text without attributes, a single
    /// run. O(log n + k).
    public func attributes(in range: Range<UTF16Offset>) -> [AttributeRuns.Run] {
        let range = range.clamped(into: rope.utf16Range)
        guard !range.isEmpty else { return [] }
        guard let runs else { return [AttributeRuns.Run(range: range, attributes: TextAttributes())] }
        var result: [AttributeRuns.Run] = []
        runs.forEachRun(in: range) { run, _ in result.append(run) }
        return result
    }

    /// Returns the value of a key at an offset, and the longest range around the offset that has this value; nil in
    /// an empty text. If the key is bound to a scalar and has a value at the offset, the range is that of the one
    /// character there. O(k log n) for k runs.
    public func run<Key: AttributeKey>(
        of key: Key.Type, at offset: UTF16Offset
    ) -> (value: Key.Value?, range: Range<UTF16Offset>)? {
        let length = rope.metrics.utf16
        guard length > 0 else { return nil }
        let at = min(max(0, offset.value), length - 1)
        guard let runs else { return (nil, rope.utf16Range) }
        let info = AttributeKeys.info(key)
        let attributes = runs.id(at: at).attributes
        let low = runs.start(of: info, like: attributes, before: at)
        if case .scalar(let scalar) = info.boundaries, let value = attributes[key] {
            let width = UTF16.width(scalar)
            let start = UTF16Offset(low + (at - low) / width * width)
            return (value, start..<start + width)
        }
        let high = runs.end(of: info, like: attributes, from: at)
        return (attributes[key], UTF16Offset(low)..<UTF16Offset(high))
    }

    /// Returns a part of the text with its attributes. O(log n).
    public func slice(_ range: Range<UTF16Offset>) -> StyledText {
        let bytes = rope.byteRange(of: range)
        let range = rope.utf16Range(of: bytes)
        let part = runs?.slice(range)
        return StyledText(unchecked: rope.slice(bytes), part?.isPlain == false ? part : nil)
    }

    // MARK: Changing text and attributes

    /// Returns the attributes of text typed over a range, in UTF-16 units. Typed text inherits them from the first
    /// replaced unit, or if the range is empty from the unit before it, as far as
    /// ``AttributeKey/inheritedByAddedText`` permits. At the start of a paragraph, typed text inherits from the
    /// text after it. Values that the characters before and after the range have in common are also inherited if
    /// ``AttributeKey/inheritedByTextInside`` permits.
    public func typingAttributes(replacing range: Range<UTF16Offset>) -> TextAttributes {
        guard let runs else { return TextAttributes() }
        let range = range.clamped(into: rope.utf16Range)
        return runs.added(at: range.lowerBound.value..<range.upperBound.value, in: rope).attributes
    }

    /// Returns the change with its effect on attributes resolved, so that its inverse is exact. Returns the change
    /// itself if no attributes are affected, or if it is resolved already and the other parameters are omitted.
    ///
    /// - Parameters:
    ///   - insertedAttributes: the attributes of inserted text; nil for ``typingAttributes(replacing:)`` of each
    ///     replaced range.
    ///   - overrides: values that replace some of the attributes of inserted text.
    ///   - restyling: changes of attributes made after that, in UTF-16 units of the new text.
    package func resolved(
        _ changes: TextChangeSet, insertedAttributes: TextAttributes? = nil,
        overrides: AttributeOverrides = AttributeOverrides(), restyling: Restyling? = nil
    ) -> TextChangeSet {
        var copy = self
        return copy.apply(
            changes, insertedAttributes: insertedAttributes, overrides: overrides, restyling: restyling)
    }

    /// Applies a change, and returns it with its effect on attributes. See
    /// ``resolved(_:insertedAttributes:overrides:restyling:)``.
    ///
    /// O(k log n) for k sections and restyled runs, plus the paragraphs in which a paragraph key differs.
    @discardableResult
    package mutating func apply(
        _ changes: TextChangeSet, insertedAttributes: TextAttributes? = nil,
        overrides: AttributeOverrides = AttributeOverrides(), restyling: Restyling? = nil
    ) -> TextChangeSet {
        let oldLength = rope.metrics.utf16
        let isStyling =
            restyling?.isEmpty == false || insertedAttributes?.isEmpty == false || !overrides.isEmpty
        if let patch = changes.patch, !isStyling {
            rope.apply(changes)
            patch.apply(to: &runs, oldLength: oldLength)
            return changes
        }
        guard runs != nil || isStyling else {
            rope.apply(changes)
            return changes
        }
        let old = rope
        rope.apply(changes)
        var resolver = AttributeResolver(
            old: old, new: rope, changes.changeMap, runs ?? AttributeRuns(length: oldLength, .none))
        runs = nil
        resolver.insert(insertedAttributes.map { AttributeTable.id(of: $0) }, overrides, changes.patch)
        resolver.restyle(restyling)
        var resolved = changes
        (resolved.patch, runs) = resolver.finish()
        return resolved
    }

    /// Replaces a range of this text by a text with attributes. Returns the change.
    @discardableResult
    public mutating func replace(_ range: Range<UTF16Offset>, with new: StyledText) -> TextChangeSet {
        let replacement = replacing([(range, new)])
        return apply(replacement.changes, restyling: replacement.restyling)
    }

    /// Changes attributes by the steps that `change` adds to an empty ``Restyling``. Returns the change.
    @discardableResult
    public mutating func restyle(_ change: (inout Restyling) -> Void) -> TextChangeSet {
        var restyling = Restyling()
        change(&restyling)
        return apply(TextChangeSet(none: rope), restyling: restyling)
    }

    /// Runs `body`, which changes the text, and then maps `ranges` through the changes that `body` has made. The
    /// ranges are in UTF-16 units. Text inserted at the ends of a range stays outside, and a range whose text is
    /// deleted becomes empty.
    public mutating func transform<Failure: Error>(
        updating ranges: inout [Range<UTF16Offset>], _ body: (inout Draft) throws(Failure) -> Void
    ) throws(Failure) {
        var draft = Draft(self)
        try body(&draft)
        self = draft.text
        for change in draft.changes { ranges = ranges.map { change.map($0) } }
    }

    /// A text that is being changed, with the changes made so far.
    public struct Draft {
        /// The text after the changes made so far.
        public private(set) var text: StyledText
        /// The changes made so far, in order.
        public private(set) var changes: [TextChangeSet] = []

        /// Creates a draft that starts from a text.
        public init(_ text: StyledText) { self.text = text }

        /// Replaces a range by a text that inherits attributes from its surroundings.
        public mutating func replace(_ range: Range<UTF16Offset>, with new: Rope) {
            changes.append(text.apply(TextChangeSet(replacing: range, with: new, in: text.rope)))
        }

        /// Replaces a range by a text with attributes of its own.
        public mutating func replace(_ range: Range<UTF16Offset>, with new: StyledText) {
            changes.append(text.replace(range, with: new))
        }

        /// Changes attributes by the steps that `change` adds to an empty ``Restyling``.
        public mutating func restyle(_ change: (inout Restyling) -> Void) { changes.append(text.restyle(change)) }
    }

    /// Returns the violated invariants of the runs, in words; empty if there are none. O(n).
    package func checkInvariants() -> [String] {
        guard let runs else { return [] }
        var problems = runs.checkInvariants()
        if runs.isPlain { problems.append("runs of a text without attributes") }
        if runs.length != rope.metrics.utf16 {
            problems.append("runs of \(runs.length) for \(rope.metrics.utf16) units")
        }
        return problems
    }
}

extension StyledText: Equatable {
    /// Whether both texts have the same bytes and the same attributes. O(n).
    public static func == (a: Self, b: Self) -> Bool { a.rope == b.rope && a.runs == b.runs }
}

extension AttributeRuns {
    /// Returns the start of the range around the UTF-16 unit at `offset` in which a key has the same value as in
    /// `attributes`.
    func start(of key: AttributeKeyInfo, like attributes: TextAttributes, before offset: Int) -> Int {
        var low = offset
        while let run = idRun(at: low), attributes.agrees(with: run.id.attributes, on: key) {
            low = run.range.lowerBound
            if low == 0 { return 0 }
            low -= 1
        }
        return low + 1
    }

    /// Returns the end of the range around the UTF-16 unit at `offset` in which a key has the same value as in
    /// `attributes`.
    func end(of key: AttributeKeyInfo, like attributes: TextAttributes, from offset: Int) -> Int {
        var high = offset
        while let run = idRun(at: high), attributes.agrees(with: run.id.attributes, on: key) {
            high = run.range.upperBound
        }
        return high
    }

    /// Returns the attributes that are inherited by text which replaces a range.
    func added(at range: Range<Int>, in text: Rope) -> AttributeID {
        guard length > 0 else { return .none }
        let added = addedAtEnds(of: range, in: text)
        guard rules.contains(.inheritedInside), range.lowerBound > 0, range.upperBound < length else { return added }
        let (before, after) = (id(at: range.lowerBound - 1).attributes, id(at: range.upperBound).attributes)
        var result = added.attributes
        // An edit within a run removes a key that depends on the text: the new text does not inherit it either.
        for item in before.items where !item.key.isTextDependent {
            if let parts = item.key.parts {
                if let other = after[item.key] { result[item.key] = parts.shared(item.value, other, result[item.key]) }
            } else if item.key.isInheritedInside, before.agrees(with: after, on: item.key) {
                result[item.key] = item.value
            }
        }
        return AttributeTable.id(of: result)
    }

    /// Returns the attributes that text typed into the empty paragraph after the last newline inherits from the
    /// paragraph before. Nil if there is no such empty paragraph, or if text typed into it inherits the same
    /// attributes as text typed elsewhere.
    private func lastParagraph(in text: Rope) -> AttributeID? {
        let added = id(at: length - 1).added
        let rest = added.behindLastNewline
        return rest != added && text.utf16Range(of: ParagraphIndex(text.paragraphCount - 1)).isEmpty ? rest : nil
    }

    private func addedAtEnds(of range: Range<Int>, in text: Rope) -> AttributeID {
        if !range.isEmpty { return id(at: range.lowerBound).added }
        let at = range.lowerBound
        if at == 0 { return id(at: 0).added }
        guard at < length else { return lastParagraph(in: text) ?? id(at: at - 1).added }
        let before = id(at: at - 1)
        let after = id(at: at)
        if before == after { return before.added }
        let paragraph = text.utf16Range(of: text.paragraphIndex(at: UTF16Offset(at)))
        return (paragraph.lowerBound.value == at ? after : before).added
    }
}

extension StyledText {
    /// Applies a change that a journal has recorded with all of its effect on attributes. Inserted text first has
    /// no attributes; then each of `styles` sets the runs of a range of the new text. No rules of keys are
    /// enforced. Returns the changes in order.
    package mutating func replay(
        _ range: Range<ByteOffset>, with new: Rope, runs styles: [JournaledRuns]
    ) -> [TextChangeSet] {
        var change = TextChangeSet(replacing: range, with: new, in: rope)
        if let runs {
            let replaced = rope.utf16Range(of: range)
            change.patch = AttributePatch(
                change.changeMap.map { section in
                    // The section may be wider than the recorded range. The additional text keeps its attributes.
                    let head = runs.slice(
                        section.oldRange.lowerBound..<max(section.oldRange.lowerBound, replaced.lowerBound))
                    let tail = runs.slice(
                        min(section.oldRange.upperBound, replaced.upperBound)..<section.oldRange.upperBound)
                    var new = head
                    let length = max(0, section.inserted.utf16 - head.length - tail.length)
                    new.append(AttributeRuns(length: length, .none))
                    new.append(tail)
                    return .init(
                        oldStart: section.oldStart.utf16, newStart: section.newStart.utf16,
                        old: runs.slice(section.oldRange), new: new.fitted(to: section.inserted.utf16))
                })
        }
        apply(change)
        guard !styles.isEmpty else { return [change] }
        var restyling = TextChangeSet(none: rope)
        let old = runs ?? AttributeRuns(length: rope.metrics.utf16, .none)
        var at = 0
        restyling.patch = AttributePatch(
            styles.compactMap { style in
                let low = style.start.value
                let high = min(low + style.runs.length, old.length)
                guard low >= at, low < high else { return nil }
                at = high
                let before = old.slice(low..<high)
                let after = style.completed(from: before).fitted(to: high - low)
                return .init(oldStart: low, newStart: low, old: before, new: after)
            })
        apply(restyling)
        return [change, restyling]
    }
}

extension TextChangeSet {
    /// Returns the attribute runs that a journal has to record: those of the new text in each changed section that
    /// has attributes before or after the change. In order and without overlap. Where an attachment keeps its
    /// contents and only other attributes change, the contents are left out, because the journal has them.
    ///
    /// - Parameter unwritten: contents that the journal does not have.
    package func journaledRuns(writing unwritten: UnwrittenContents = UnwrittenContents()) -> [JournaledRuns] {
        guard let patch else { return [] }
        var texts = changeMap.makeIterator()
        var text = texts.next()
        return patch.sections.compactMap { section in
            if section.new.isPlain && section.old.isPlain || section.new.length == 0 { return nil }
            while let passed = text, passed.newEnd.utf16 <= section.newStart, passed.oldEnd.utf16 <= section.oldStart {
                text = texts.next()
            }
            let start = UTF16Offset(section.newStart)
            // Whether the section replaces text. If so, record its new attachments with their contents, because
            // none of the old attachments is kept.
            let hasOtherText =
                text.map {
                    $0.newEnd.utf16 <= section.newRange.upperBound && $0.oldEnd.utf16 <= section.oldRange.upperBound
                } ?? false
            guard !hasOtherText, section.old.length == section.new.length else {
                return JournaledRuns(start: start, runs: section.new)
            }
            return JournaledRuns(start: start, runs: section.new, inPlaceOf: section.old, writing: unwritten)
        }
    }
}
