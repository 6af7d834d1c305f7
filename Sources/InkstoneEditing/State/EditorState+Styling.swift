import InkstoneBase
import InkstoneInput
import InkstoneText

/// Attributes that the user sets for the selected text and for text typed next.
extension EditorState {
    /// The attributes that text typed at the primary range would get: those inherited from the text, changed by
    /// those chosen for typing.
    package var typingAttributes: TextAttributes { typedAttributes(at: primary.range) }

    /// Whether the user has chosen styles for text typed next.
    package var hasChosenStyles: Bool { !typing.isEmpty }

    /// Sets the value of a key for all selected text; nil removes the key. At carets, sets the value for the text
    /// typed next; this value is forgotten when the selection moves. Nil without a selection, or if the text cannot
    /// be edited.
    package func styling<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) -> Transaction? {
        styling(key) { _ in value }
    }

    /// Sets the value of a key for each run of the selected text to the result of `change`, which receives the run's
    /// present value. Runs of different sizes, for example, can all be enlarged. For text typed next at carets,
    /// `change` is called with the value at the first caret. See ``styling(_:of:)``.
    package func styling<Key: AttributeKey>(
        _ key: Key.Type, _ change: @escaping @Sendable (Key.Value?) -> Key.Value?
    ) -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        var restyling = Restyling()
        for range in pieces(of: selection, for: key) { restyling.map(key, in: range, change) }
        var result = styling(by: restyling)
        if let caret = selection.ranges.first(where: \.isCaret) {
            var chosen = typing
            chosen.set(change(typedAttributes(at: caret.range)[key]), of: key)
            result.typing = chosen
        }
        return result
    }

    /// Returns a transaction by the user that changes attributes.
    func styling(by restyling: Restyling) -> Transaction {
        var result = Transaction(
            on: document, version, TextChangeSet(none: text), origin: .styling, selectionBefore: selection, view: view)
        if !restyling.isEmpty { result.restyling = restyling }
        return result
    }

    /// Removes a value if all selected text has it, and all text typed next at carets would have it; otherwise sets
    /// the value for all selected text and for text typed next. To decide, spaces and line ends are ignored unless
    /// nothing else is selected.
    package func togglingStyle<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) -> Transaction? {
        togglingStyle(value, of: key) { $0 == value }
    }

    /// Removes a key if all selected text has a value for which `isOn` is true, and all text typed next at carets
    /// would have one; otherwise sets the value for text for which `isOn` is false. To decide, spaces and line ends
    /// are ignored unless nothing else is selected.
    package func togglingStyle<Key: AttributeKey>(
        _ value: Key.Value, of key: Key.Type, isOn: @escaping @Sendable (Key.Value?) -> Bool
    ) -> Transaction? {
        styleState { isOn($0[key]) } == .on ? styling(nil, of: key) : styling(key) { isOn($0) ? $0 : value }
    }

    /// Toggles a style that a role of the text may imply as well. Text with the role counts as having the style,
    /// unless its value of the key says otherwise. When the style is removed, the role is removed too.
    func togglingStyle<Key: AttributeKey>(
        _ value: Key.Value, of key: Key.Type, role: InlinePresentationIntent,
        isOn: @escaping @Sendable (Key.Value?) -> Bool
    ) -> Transaction? {
        let state = styleState { isOn($0[key]) || $0.isRole(role, key) }
        guard state == .on else { return styling(key) { isOn($0) ? $0 : value } }
        var result = styling(nil, of: key)
        guard let roles = styling(InlinePresentationIntentAttribute.self, { ($0 ?? []).subtracting(role) }) else {
            return result
        }
        var restyling = result?.restyling
        restyling?.append(roles.restyling ?? Restyling())
        result?.restyling = restyling
        if result?.typing != nil {
            result?.typing?.set(roleTyped(without: role), of: InlinePresentationIntentAttribute.self)
        }
        return result
    }

    private func roleTyped(without role: InlinePresentationIntent) -> InlinePresentationIntent? {
        let left = (typingAttributes[InlinePresentationIntentAttribute.self] ?? []).subtracting(role)
        return left.isEmpty ? nil : left
    }

    /// Adds an inline role, such as code, to all selected text. If all of it has the role, removes the role. At
    /// carets, does the same for text typed next.
    package func togglingRole(_ role: InlinePresentationIntent) -> Transaction? {
        let isOn = styleState { $0.hasRole(role) } == .on
        return styling(InlinePresentationIntentAttribute.self) { roles in
            let new = isOn ? (roles ?? []).subtracting(role) : (roles ?? []).union(role)
            return new.isEmpty ? nil : new
        }
    }

    /// Ends a role, such as code, that was chosen for typing at the caret, instead of moving the caret. Only a step
    /// forward, or a move that leaves the caret in place, ends the role. Nil for other moves, and if no such role
    /// was chosen.
    ///
    /// - Parameter moved: the selection that the move would make.
    func leavingRole(before moved: Selection?, _ destination: Selection.Destination) -> Transaction? {
        guard !typing.isEmpty, let selection, selection.isCaret, let moved, moved.isCaret else { return nil }
        let (head, new) = (selection.primary.head, moved.primary.head)
        guard new == head || new > head && destination == .character else { return nil }
        let growing = InlinePresentationIntentAttribute.partsInheritedByAddedText
        let chosen = (typingAttributes[InlinePresentationIntentAttribute.self] ?? []).subtracting(growing)
        let taken = styledText.typingAttributes(replacing: head..<head)[InlinePresentationIntentAttribute.self] ?? []
        let left = chosen.subtracting(taken)
        guard !left.isEmpty else { return nil }
        var result = selecting(selection)
        result.typing = typing
        result.typing?.set(roleTyped(without: left), of: InlinePresentationIntentAttribute.self)
        return result
    }

    /// Returns whether a style is on in all selected text and in all text typed next at carets, in a part of it, or
    /// in none; off without a selection. Spaces and line ends are ignored unless nothing else is selected. Stops at
    /// the first run that differs.
    package func styleState(_ isOn: (TextAttributes) -> Bool) -> StyleState {
        guard let selection else { return .off }
        var (inked, blank): (StyleState?, StyleState?)
        func add(_ new: StyleState, to state: inout StyleState?) { state = state == nil || state == new ? new : .mixed }
        for range in selection.ranges {
            if range.isCaret {
                add(isOn(typedAttributes(at: range.range)) ? .on : .off, to: &inked)
            } else if let runs = styledText.runs {
                runs.forEachRun(in: range.range) { run, stops in
                    let state: StyleState = isOn(run.attributes) ? .on : .off
                    // First skip runs that do not change the result. There may be thousands of runs, and checking
                    // whether a run is blank takes longer.
                    guard state != inked else { return }
                    if isBlank(run.range) { add(state, to: &blank) } else { add(state, to: &inked) }
                    stops = inked == .mixed
                }
            } else {
                add(isOn(TextAttributes()) ? .on : .off, to: &inked)
            }
            if inked == .mixed { return .mixed }
        }
        return inked ?? blank ?? .off
    }

    /// Makes the selected paragraphs headings of a level, or body text if the level is nil. Rules and rows of tables
    /// do not change. A selected empty paragraph at the end of the text gets a newline, which holds the heading. Nil
    /// without a selection, or if the text cannot be edited.
    package func settingHeading(_ level: Int?) -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        // Leave rules (thematic breaks) unchanged: a heading made of a rule would show the rule's character as text.
        let change: @Sendable (PresentationIntent?) -> PresentationIntent? = {
            $0?.components.first?.kind == .thematicBreak ? $0 : $0.heading(of: level)
        }
        if let result = stylingLines(PresentationIntentAttribute.self, change) { return result }
        var result = styling(by: Restyling())
        if selection.isCaret {
            var chosen = typing
            chosen.set(change(typingAttributes[PresentationIntentAttribute.self]), of: PresentationIntentAttribute.self)
            result.typing = chosen
        }
        return result
    }

    /// Returns a transaction that sets the value of a paragraph key for each selected paragraph to the result of
    /// `change`. If the empty paragraph after the last newline is selected, it gets a newline: without any
    /// character, it could not hold the value. Nil if there is nothing to change.
    ///
    /// - Parameters:
    ///   - blocks: the paragraphs to change; nil for the selected ones.
    ///   - isSpared: whether paragraphs with these attributes stay as they are.
    func stylingLines<Key: AttributeKey>(
        _ key: Key.Type, in blocks: [Range<Int>]? = nil, sparing isSpared: ((TextAttributes) -> Bool)? = nil,
        _ change: @escaping @Sendable (Key.Value?) -> Key.Value?
    ) -> Transaction? {
        let end = textRange.upperBound
        // An LF alone would form one line end with a lone CR at the end of the text: keep the two apart.
        let newline = text.keepingLineEndsApart(newline, replacing: end..<end)
        var restyling = Restyling()
        var needsNewline = false
        for block in blocks ?? lineBlocks {
            var range = utf16Range(ofLines: block)
            let last = text.utf16Range(of: ParagraphIndex(block.upperBound - 1))
            if last.isEmpty, !options.isSingleLine {
                let value = typedAttributes(at: end..<end)[key]
                needsNewline = change(value) != value
                if needsNewline { range = range.lowerBound..<(end + newline.utf16.count) }
            }
            for part in isSpared.map({ parts(of: range, without: $0) }) ?? [range] {
                restyling.map(key, in: part, change)
            }
        }
        if needsNewline {
            // Set the value explicitly: the new line end may inherit another value than the one shown in the empty
            // paragraph.
            restyling.set(
                change(typedAttributes(at: end..<end)[key]), of: key, in: end..<end + newline.utf16.count)
        }
        guard needsNewline else { return restyling.isEmpty ? nil : styling(by: restyling) }
        var result = transaction(
            TextChangeSet(replacing: end..<end, with: Rope(newline), in: text), origin: .styling, undo: .step,
            selection: .set(selection))
        result.restyling = restyling
        // Keep the styles chosen for typing, because the caret has not moved: appending the newline would discard them.
        if !typing.isEmpty { result.typing = typing }
        return result
    }

    /// Returns the parts of a range without the text whose attributes meet a condition. Text beyond the end of the document
    /// is not included.
    private func parts(
        of range: Range<UTF16Offset>, without isSpared: (TextAttributes) -> Bool
    ) -> [Range<UTF16Offset>] {
        guard let runs = styledText.runs else { return [range] }
        var parts: [Range<UTF16Offset>] = []
        runs.forEachRun(in: range.clamped(to: textRange)) { run, _ in
            guard !isSpared(run.attributes) else { return }
            if let last = parts.indices.last, parts[last].upperBound == run.range.lowerBound {
                parts[last] = parts[last].lowerBound..<run.range.upperBound
            } else {
                parts.append(run.range)
            }
        }
        return parts
    }

    /// The heading level of all selected paragraphs; 0 for body text. Nil if the levels differ, and without a
    /// selection.
    package var headingLevel: Int? {
        guard let selection else { return nil }
        var levels: Set<Int> = []
        for range in selection.ranges {
            if range.isCaret {
                levels.insert(typedAttributes(at: range.range)[PresentationIntentAttribute.self].headingLevel)
            } else if let runs = styledText.runs {
                runs.forEachRun(in: range.range) { run, stops in
                    levels.insert(run.attributes[PresentationIntentAttribute.self].headingLevel)
                    stops = levels.count > 1
                }
            } else {
                levels.insert(0)
            }
        }
        return levels.count == 1 ? levels.first : nil
    }

    /// Returns the selected ranges that are not carets. For a paragraph key, ranges in the same paragraph are
    /// joined, since a paragraph has one value.
    private func pieces<Key: AttributeKey>(of selection: Selection, for key: Key.Type) -> [Range<UTF16Offset>] {
        let ranges = selection.ranges.map(\.range).filter { !$0.isEmpty }
        guard key.runBoundaries == .paragraph else { return ranges }
        return ranges.reduce(into: []) { pieces, range in
            if let last = pieces.last,
                text.paragraphIndex(at: last.upperBound - 1) == text.paragraphIndex(at: range.lowerBound)
            {
                pieces[pieces.count - 1] = last.lowerBound..<range.upperBound
            } else {
                pieces.append(range)
            }
        }
    }

    func typedAttributes(at range: Range<UTF16Offset>) -> TextAttributes {
        var inherited = styledText.typingAttributes(replacing: range)
        if range.isEmpty, isBelowTable(range.lowerBound) {
            inherited[PresentationIntentAttribute.self] = outerIntent(ofRow: text.paragraphCount - 2)
        }
        return constrained(typing.applied(to: inherited))
    }

    /// Whether a range consists of white space, line ends included. Stops at the first other character.
    private func isBlank(_ range: Range<UTF16Offset>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            let end = min(range.upperBound, at + 256)
            if !text.utf16(in: at..<end).allSatisfy({ Unicode.Scalar($0)?.properties.isWhitespace ?? false }) {
                return false
            }
            at = end
        }
        return true
    }
}

/// The state of a style in the selected text, as a button shows it.
package enum StyleState: Hashable, Sendable {
    /// No selected text has the style.
    case off
    /// All selected text has the style.
    case on
    /// Only a part of the selected text has the style.
    case mixed
}

extension TextAttributes {
    /// Whether the text has an inline role, such as code or emphasis.
    package func hasRole(_ role: InlinePresentationIntent) -> Bool {
        self[InlinePresentationIntentAttribute.self]?.contains(role) ?? false
    }

    /// Whether text has a style only by its role: it has the role, and no value of the key.
    func isRole<Key: AttributeKey>(_ role: InlinePresentationIntent, _ key: Key.Type) -> Bool {
        self[key] == nil && hasRole(role)
    }
}

extension PresentationIntent? {
    /// The level of a heading paragraph; 0 for any other paragraph.
    package var headingLevel: Int {
        if case .header(let level)? = self?.components.first?.kind { level } else { 0 }
    }

    /// Returns the paragraph's intent as a heading of a level, or as body text if nil, within the same blocks. A
    /// line of code becomes ordinary text. Rows and cells of tables are returned unchanged.
    package func heading(of level: Int?) -> PresentationIntent? {
        var components = self?.components ?? []
        switch components.first?.kind {
        case .header, .paragraph, .codeBlock, .thematicBreak: components.removeFirst()
        case .tableHeaderRow, .tableRow, .tableCell: return self
        default: break
        }
        if let level {
            components.insert(.init(kind: .header(level: level), identity: 0), at: 0)
        } else if !components.isEmpty {
            components.insert(.init(kind: .paragraph, identity: 0), at: 0)
        }
        return PresentationIntent(components: components)
    }
}
