import InkstoneText

/// The commands for moving, selecting and deleting. They use only positions and a tokenizer, so they work for any
/// `TextInput`.
///
/// A field that draws itself needs no further code for these commands. The view's `inputDelegate` is notified of a
/// command's effects, unless the command only calls a member of `KeyInput`. A large view should move the caret by
/// its layout instead: only the layout keeps the caret's x from line to line, and knows the order of words on the
/// screen. Here a move by a page goes to the end or the start of the document. Undo and the clipboard are not
/// available here; a view has to offer them itself.
public enum StandardCommands {
    /// Performs `command`. Returns false without a selection, and if the command is not supported here. Otherwise
    /// returns true, even if the command has no effect, for example in text that cannot be edited.
    public static func perform(_ command: EditCommand, on input: any TextInput) -> Bool {
        guard let selection = input.selectedTextRange else { return false }
        if let move = command.move {
            if move.isExtending {
                extend(by: move, on: input, selection)
            } else {
                self.move(by: move, on: input, selection)
            }
            return true
        }
        if let (direction, granularity) = command.deletion {
            delete(in: direction, to: granularity, selection, input)
            return true
        }
        switch command {
        case .delete:
            delete(in: .forward, to: .character, selection, input)
        case .insertNewline, .insertNewlineIgnoringFieldEditor, .insertParagraphSeparator, .insertLineBreak:
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
            return false
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

    /// Deletes the selection. Without one, deletes the text from the caret to the boundary of a unit.
    static func delete(
        in direction: TextStorageDirection, to granularity: TextGranularity, _ selection: TextRange,
        _ input: any TextInput
    ) {
        switch (direction, granularity) {
        case (.backward, .character): edit(input) { input.deleteBackward() }
        case (_, .character): delete(.storage(direction), .character, selection, input)
        case (_, .word): delete(.storage(direction), .word, selection, input)
        case (_, .sentence): delete(.storage(direction), .sentence, selection, input)
        case (_, .line): delete(.storage(direction), .line, selection, input)
        case (_, .paragraph): delete(.storage(direction), .paragraph, selection, input)
        case (_, .document): delete(.storage(direction), .document, selection, input)
        }
    }

    private static func delete(
        _ direction: TextDirection, _ destination: Selection.Destination, _ selection: TextRange,
        _ input: any TextInput
    ) {
        guard input.isEditable else { return }
        var range = selection
        if selection.isEmpty {
            guard let found = target(direction, destination, from: selection.start, on: input),
                let whole = input.textRange(from: selection.start, to: found)
            else { return }
            range = whole
        }
        guard !range.isEmpty, input.shouldChangeText(in: range, replacementText: "") else { return }
        remove(range, input)
    }

    private static func remove(_ range: TextRange, _ input: any TextInput) {
        let delegate = input.inputDelegate
        delegate?.textWillChange(input)
        input.replace(range, withText: "")
        delegate?.textDidChange(input)
    }

    /// Selects a range and notifies the delegate. Does nothing if the range is selected already.
    private static func select(_ range: TextRange?, _ input: any TextInput) {
        guard let range, range != input.selectedTextRange else { return }
        let delegate = input.inputDelegate
        delegate?.selectionWillChange(input)
        input.selectedTextRange = range
        delegate?.selectionDidChange(input)
    }

    private static func select(_ unit: TextGranularity, _ selection: TextRange, _ input: any TextInput) {
        let tokenizer = input.tokenizer
        guard
            let range = tokenizer.rangeEnclosingPosition(selection.start, with: unit, inDirection: .forward)
                ?? tokenizer.rangeEnclosingPosition(selection.start, with: unit, inDirection: .backward)
        else { return }
        select(range, input)
    }

    private static func move(by move: EditCommand.Move, on input: any TextInput, _ selection: TextRange) {
        let isForward = isForward(move.direction, move.destination, at: selection.start, on: input)
        var target: TextPosition?
        if !selection.isEmpty, move.destination == .character {
            // A selection collapses to its end in the direction of the move.
            switch move.direction {
            case .layout(.left): target = input.position(within: selection, farthestIn: .left)
            case .layout(.right): target = input.position(within: selection, farthestIn: .right)
            case .storage(let side): target = side == .forward ? selection.end : selection.start
            case .layout: break
            }
        }
        let from = isForward ? selection.end : selection.start
        if let found = target ?? self.target(move.direction, move.destination, from: from, on: input) {
            select(TextRange(start: found, end: found), input)
        }
    }

    /// Extends the selection. A `TextInput` does not report which end is the anchor. So backward moves extend the
    /// start, and forward moves the end.
    private static func extend(by move: EditCommand.Move, on input: any TextInput, _ selection: TextRange) {
        let isForward = isForward(move.direction, move.destination, at: selection.start, on: input)
        let fixed = isForward ? selection.start : selection.end
        let from = isForward ? selection.end : selection.start
        if let found = target(move.direction, move.destination, from: from, on: input) {
            select(input.textRange(from: fixed, to: found), input)
        }
    }

    /// Returns whether a move goes towards the end of the text. For left and right, that depends on the direction of
    /// the text at the position for moves by characters, words and sentences, and on that of the paragraph for others.
    private static func isForward(
        _ direction: TextDirection, _ destination: Selection.Destination, at position: TextPosition,
        on input: any TextInput
    ) -> Bool {
        switch direction {
        case .storage(let side): return side == .forward
        case .layout(.up): return false
        case .layout(.down): return true
        case .layout(let side):
            if destination == .character || destination == .word || destination == .sentence,
                let next = input.position(from: position, in: side, offset: 1)
            {
                return input.compare(position, to: next) == .orderedAscending
            }
            let isRightToLeft = input.baseWritingDirection(for: position, in: .forward) == .rightToLeft
            return (side == .right) != isRightToLeft
        }
    }

    /// Returns the destination of a moving command from a position; nil if there is none, or for other commands.
    package static func target(
        of command: EditCommand, from position: TextPosition, on input: any TextInput
    ) -> TextPosition? {
        command.move.flatMap { target($0.direction, $0.destination, from: position, on: input) }
    }

    /// Returns the destination of a move from a position; nil if there is none. Uses only the view's tokenizer and
    /// carets.
    private static func target(
        _ direction: TextDirection, _ destination: Selection.Destination, from position: TextPosition,
        on input: any TextInput
    ) -> TextPosition? {
        let isForward = isForward(direction, destination, at: position, on: input)
        let side: TextDirection = isForward ? .forward : .backward
        let end = isForward ? input.endOfDocument : input.beginningOfDocument
        func boundary(_ unit: TextGranularity) -> TextPosition? {
            input.tokenizer.position(from: position, toBoundary: unit, inDirection: side)
        }
        func edge(of unit: TextGranularity) -> TextPosition? {
            input.tokenizer.isPosition(position, atBoundary: unit, inDirection: side) ? position : boundary(unit)
        }
        switch destination {
        case .character:
            guard case .layout(let way) = direction else { return boundary(.character) }
            let next = input.position(from: position, in: way, offset: 1)
            return way == .up || way == .down ? next ?? end : next
        case .word: return boundary(.word) ?? end
        case .sentence: return boundary(.sentence) ?? end
        case .line: return edge(of: .line)
        case .paragraph: return edge(of: .paragraph)
        case .nextParagraph: return boundary(.paragraph) ?? end
        case .page, .document: return end
        }
    }
}
