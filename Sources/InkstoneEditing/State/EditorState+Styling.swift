import InkstoneBase
import InkstoneInput
public import InkstoneText

/// Attributes that the user chooses: of what is selected, and of what is typed next.
extension EditorState {
    /// What is typed next gets at the primary range: what it takes over from the text, with what was chosen for it.
    public var typingAttributes: TextAttributes { typedAttributes(at: primary.range) }

    /// Whether anything was chosen for what is typed next.
    public var hasChosenStyles: Bool { !typing.isEmpty }

    /// Gives all selected text a value of a key, or takes the key away; what is typed next at carets gets it. The latter is
    /// forgotten when the selection moves. Nil where nothing is selected or may be edited.
    public func styling<Key: AttributeKey>(_ value: Key.Value?, of key: Key.Type) -> Transaction? {
        styling(key) { _ in value }
    }

    /// Gives each run of the selected text what `change` makes of its value of a key, nil being none: sizes that differ keep their
    /// difference. What is typed next at carets gets what it makes of the first caret's. See ``styling(_:of:)``.
    public func styling<Key: AttributeKey>(
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

    /// A step of the user's that changes attributes.
    func styling(by restyling: Restyling) -> Transaction {
        var result = Transaction(
            on: document, version, TextChangeSet(none: text), origin: .styling, selectionBefore: selection, view: view)
        if !restyling.isEmpty { result.restyling = restyling }
        return result
    }

    /// Takes a value away if all selected text has it, and all that is typed next at carets would; else gives it to all of them.
    public func togglingStyle<Key: AttributeKey>(_ value: Key.Value, of key: Key.Type) -> Transaction? {
        togglingStyle(value, of: key) { $0 == value }
    }

    /// Takes a key away if all selected text has a value that counts as on, and all that is typed next at carets would; else gives a
    /// value to what has none such. Spaces and line ends count only where nothing else is selected.
    public func togglingStyle<Key: AttributeKey>(
        _ value: Key.Value, of key: Key.Type, isOn: @escaping @Sendable (Key.Value?) -> Bool
    ) -> Transaction? {
        styleState { isOn($0[key]) } == .on ? styling(nil, of: key) : styling(key) { isOn($0) ? $0 : value }
    }

    /// The same for a style that a role of text has as well: text of the role counts as on unless the key says otherwise, and loses the role
    /// where the style goes.
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

    /// Gives all selected text a role within its paragraph, such as code; takes it away where all of it has it.
    public func togglingRole(_ role: InlinePresentationIntent) -> Transaction? {
        let isOn = styleState { $0.hasRole(role) } == .on
        return styling(InlinePresentationIntentAttribute.self) { roles in
            let new = isOn ? (roles ?? []).subtracting(role) : (roles ?? []).union(role)
            return new.isEmpty ? nil : new
        }
    }

    /// The caret where it is, behind the code that was being typed there: instead of a step forward, and of a move that leads nowhere. Nil where
    /// no such role was chosen.
    ///
    /// - Parameter moved: what would be selected without.
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

    /// Whether a style is on in all selected text, and in all that is typed next at carets; in none of it; or in a part. Spaces and line ends
    /// count only where nothing else is selected. Ends at the first run that differs.
    public func styleState(_ isOn: (TextAttributes) -> Bool) -> StyleState {
        guard let selection else { return .off }
        var (inked, blank): (StyleState?, StyleState?)
        func add(_ new: StyleState, to state: inout StyleState?) { state = state == nil || state == new ? new : .mixed }
        for range in selection.ranges {
            if range.isCaret {
                add(isOn(typedAttributes(at: range.range)) ? .on : .off, to: &inked)
            } else if let runs = styledText.runs {
                runs.forEachRun(in: range.range) { run, stops in
                    let state: StyleState = isOn(run.attributes) ? .on : .off
                    // Of thousands of runs most say nothing new, blank or not.
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

    /// Makes headings of a level of the selected paragraphs, or with nil body text. At a caret in an empty last paragraph it holds for what is
    /// typed there. Nil where nothing is selected or may be edited.
    public func settingHeading(_ level: Int?) -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        let change: @Sendable (PresentationIntent?) -> PresentationIntent? = { $0.heading(of: level) }
        var restyling = Restyling()
        for block in lineBlocks {
            restyling.map(PresentationIntentAttribute.self, in: utf16Range(ofLines: block), change)
        }
        var result = styling(by: restyling)
        if restyling.isEmpty, selection.isCaret {
            var chosen = typing
            chosen.set(change(typingAttributes[PresentationIntentAttribute.self]), of: PresentationIntentAttribute.self)
            result.typing = chosen
        }
        return result
    }

    /// Level of the headings of all selected paragraphs; 0 for body text, nil for several.
    public var headingLevel: Int? {
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

    /// The selected ranges; of a paragraph key those that meet in a paragraph are one, which has but one value to change.
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
        constrained(typing.applied(to: styledText.typingAttributes(replacing: range)))
    }

    /// Whether a range has only spaces and line ends. Stops at the first other character.
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

/// The state of a style in what is selected, as a button shows it.
public enum StyleState: Hashable, Sendable {
    /// Nothing has it.
    case off
    /// All has it.
    case on
    /// A part has it.
    case mixed
}

extension TextAttributes {
    /// Whether text has a role within its paragraph.
    public func hasRole(_ role: InlinePresentationIntent) -> Bool {
        self[InlinePresentationIntentAttribute.self]?.contains(role) ?? false
    }

    /// Whether text looks as a role does, because a key says nothing else.
    func isRole<Key: AttributeKey>(_ role: InlinePresentationIntent, _ key: Key.Type) -> Bool {
        self[key] == nil && hasRole(role)
    }
}

extension PresentationIntent? {
    /// Level of the heading that a paragraph is; 0 for another paragraph.
    package var headingLevel: Int {
        if case .header(let level)? = self?.components.first?.kind { level } else { 0 }
    }

    /// The intent of the paragraph as a heading of a level, or with nil as body text, in the same blocks; a line of code is none any more. Rows and
    /// cells of tables stay what they are.
    package func heading(of level: Int?) -> PresentationIntent? {
        var components = self?.components ?? []
        switch components.first?.kind {
        case .header, .paragraph, .codeBlock: components.removeFirst()
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
