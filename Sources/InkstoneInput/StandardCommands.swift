import InkstoneText

/// Moving, selecting and deleting for any `TextInput`, by its positions and tokenizer alone.
///
/// What a field of one's own drawing gets for free. The view's `inputDelegate` is told of what a command does, except where
/// it is a call of `KeyInput` by another name. A large view does better with its layout's navigation (goal columns,
/// visual words), and has undo and a clipboard, which are not known here.
public enum StandardCommands {
    /// Performs `command`; false if it is not known here or not possible.
    public static func perform(_ command: EditCommand, on input: any TextInput) -> Bool {
        guard let selection = input.selectedTextRange else { return false }
        if let move = command.moveWithoutModifyingSelection {
            return extend(by: move, on: input, selection)
        }
        switch command {
        case .deleteBackward:
            edit(input) { input.deleteBackward() }
        case .deleteForward:
            delete(to: { target(of: .moveForward, from: $0, on: input) }, selection, input)
        case .deleteWordBackward:
            delete(to: { target(of: .moveWordBackward, from: $0, on: input) }, selection, input)
        case .deleteWordForward:
            delete(to: { target(of: .moveWordForward, from: $0, on: input) }, selection, input)
        case .deleteToBeginningOfLine:
            delete(to: { target(of: .moveToBeginningOfLine, from: $0, on: input) }, selection, input)
        case .deleteToEndOfLine:
            delete(to: { target(of: .moveToEndOfLine, from: $0, on: input) }, selection, input)
        case .deleteToBeginningOfParagraph:
            delete(to: { target(of: .moveToBeginningOfParagraph, from: $0, on: input) }, selection, input)
        case .deleteToEndOfParagraph:
            delete(to: { target(of: .moveToEndOfParagraph, from: $0, on: input) }, selection, input)
        case .delete:
            guard !selection.isEmpty else { return false }
            edit(input) { remove(selection, input) }
        case .insertNewline, .insertNewlineIgnoringFieldEditor, .insertParagraphSeparator:
            type("\n", selection, input)
        case .insertTab, .insertTabIgnoringFieldEditor:
            type("\t", selection, input)
        case .selectAll:
            select(input.textRange(from: input.beginningOfDocument, to: input.endOfDocument), input)
        case .selectWord:
            select(.word, selection, input)
        case .selectLine:
            select(.line, selection, input)
        case .selectParagraph:
            select(.paragraph, selection, input)
        case .cancelOperation:
            select(TextRange(start: selection.end, end: selection.end), input)
        case .noop:
            break
        default:
            return move(by: command, on: input, selection)
        }
        return true
    }

    private static func edit(_ input: any TextInput, _ work: () -> Void) {
        if input.isEditable { work() }
    }

    private static func type(_ text: String, _ selection: TextRange, _ input: any TextInput) {
        guard input.isEditable, input.shouldChangeText(in: selection, replacementText: text) else { return }
        input.insertText(text)
    }

    private static func delete(
        to end: (TextPosition) -> TextPosition?, _ selection: TextRange, _ input: any TextInput
    ) {
        guard input.isEditable else { return }
        var range = selection
        if selection.isEmpty {
            guard let found = end(selection.start), let whole = input.textRange(from: selection.start, to: found)
            else { return }
            range = whole
        }
        guard !range.isEmpty, input.shouldChangeText(in: range, replacementText: "") else { return }
        remove(range, input)
    }

    private static func remove(_ range: TextRange, _ input: any TextInput) {
        let told = input.inputDelegate
        told?.textWillChange(input)
        input.replace(range, withText: "")
        told?.textDidChange(input)
    }

    /// Selects and tells of it, if that is anything new.
    private static func select(_ range: TextRange?, _ input: any TextInput) {
        guard let range, range != input.selectedTextRange else { return }
        let told = input.inputDelegate
        told?.selectionWillChange(input)
        input.selectedTextRange = range
        told?.selectionDidChange(input)
    }

    private static func select(_ unit: TextGranularity, _ selection: TextRange, _ input: any TextInput) {
        let tokenizer = input.tokenizer
        guard
            let range = tokenizer.rangeEnclosingPosition(selection.start, with: unit, inDirection: .forward)
                ?? tokenizer.rangeEnclosingPosition(selection.start, with: unit, inDirection: .backward)
        else { return }
        select(range, input)
    }

    private static func move(by command: EditCommand, on input: any TextInput, _ selection: TextRange) -> Bool {
        // Left and right collapse a selection to that end of it.
        if !selection.isEmpty {
            let collapsed: TextPosition? =
                switch command {
                case .moveLeft: input.position(within: selection, farthestIn: .left)
                case .moveRight: input.position(within: selection, farthestIn: .right)
                case .moveForward: selection.end
                case .moveBackward: selection.start
                default: nil
                }
            if let collapsed {
                select(TextRange(start: collapsed, end: collapsed), input)
                return true
            }
        }
        let isBack = backward.contains(command)
        guard knows(command) else { return false }
        let from = isBack ? selection.start : selection.end
        if let found = target(of: command, from: from, on: input) {
            select(TextRange(start: found, end: found), input)
        }
        return true
    }

    /// A `TextInput` does not say which end of its selection is the anchor: moves back extend the start, moves forward
    /// the end.
    private static func extend(by command: EditCommand, on input: any TextInput, _ selection: TextRange) -> Bool {
        guard knows(command) else { return false }
        let isBack = backward.contains(command)
        let fixed = isBack ? selection.end : selection.start
        if let found = target(of: command, from: isBack ? selection.start : selection.end, on: input) {
            select(input.textRange(from: fixed, to: found), input)
        }
        return true
    }

    private static let backward: Set<EditCommand> = [
        .moveLeft, .moveBackward, .moveUp, .moveWordLeft, .moveWordBackward, .moveToBeginningOfLine,
        .moveToLeftEndOfLine, .moveToBeginningOfParagraph, .moveParagraphBackward, .moveToBeginningOfDocument, .pageUp,
    ]
    private static let forward: Set<EditCommand> = [
        .moveRight, .moveForward, .moveDown, .moveWordRight, .moveWordForward, .moveToEndOfLine,
        .moveToRightEndOfLine, .moveToEndOfParagraph, .moveParagraphForward, .moveToEndOfDocument, .pageDown,
    ]
    /// Whether it is a moving command.
    static func knows(_ command: EditCommand) -> Bool {
        backward.contains(command) || forward.contains(command)
    }

    /// Where a moving command leads from a position; nil if nowhere or if it is none.
    static func target(
        of command: EditCommand, from position: TextPosition, on input: any TextInput
    ) -> TextPosition? {
        let tokenizer = input.tokenizer
        func boundary(_ unit: TextGranularity, _ direction: TextDirection) -> TextPosition? {
            tokenizer.position(from: position, toBoundary: unit, inDirection: direction)
        }
        func end(of unit: TextGranularity, _ direction: TextDirection) -> TextPosition? {
            tokenizer.isPosition(position, atBoundary: unit, inDirection: direction)
                ? position : boundary(unit, direction)
        }
        switch command {
        case .moveLeft: return input.position(from: position, in: .left, offset: 1)
        case .moveRight: return input.position(from: position, in: .right, offset: 1)
        case .moveUp: return input.position(from: position, in: .up, offset: 1) ?? input.beginningOfDocument
        case .moveDown: return input.position(from: position, in: .down, offset: 1) ?? input.endOfDocument
        case .moveForward: return boundary(.character, .forward)
        case .moveBackward: return boundary(.character, .backward)
        case .moveWordLeft, .moveWordBackward: return boundary(.word, .backward) ?? input.beginningOfDocument
        case .moveWordRight, .moveWordForward: return boundary(.word, .forward) ?? input.endOfDocument
        case .moveToBeginningOfLine, .moveToLeftEndOfLine: return end(of: .line, .backward)
        case .moveToEndOfLine, .moveToRightEndOfLine: return end(of: .line, .forward)
        case .moveToBeginningOfParagraph: return end(of: .paragraph, .backward)
        case .moveToEndOfParagraph: return end(of: .paragraph, .forward)
        case .moveParagraphBackward: return boundary(.paragraph, .backward) ?? input.beginningOfDocument
        case .moveParagraphForward: return boundary(.paragraph, .forward) ?? input.endOfDocument
        case .moveToBeginningOfDocument, .pageUp: return input.beginningOfDocument
        case .moveToEndOfDocument, .pageDown: return input.endOfDocument
        default: return nil
        }
    }
}
