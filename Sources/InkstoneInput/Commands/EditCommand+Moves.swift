public import InkstoneText

extension EditCommand {
    /// The effect of a moving command on a selection.
    public struct Move: Hashable, Sendable {
        /// The direction of the move.
        public var direction: TextDirection
        /// The destination of the move: the boundary of a unit, or another destination.
        public var destination: Selection.Destination
        /// Whether the move extends the selection: the anchors of its ranges stay, and only their other ends move.
        public var isExtending: Bool
    }

    /// The effect of a moving command; nil for any other command.
    public var move: Move? {
        if let (direction, destination) = Self.moves[self] {
            return Move(direction: direction, destination: destination, isExtending: false)
        }
        guard let plain = moveWithoutModifyingSelection, let (direction, destination) = Self.moves[plain] else {
            return nil
        }
        return Move(direction: direction, destination: destination, isExtending: true)
    }

    /// The moving commands that do not extend the selection.
    package static var movingCommands: some Collection<EditCommand> { moves.keys }

    private static let moves: [EditCommand: (TextDirection, Selection.Destination)] = [
        .moveLeft: (.left, .character), .moveRight: (.right, .character),
        .moveForward: (.forward, .character), .moveBackward: (.backward, .character),
        .moveUp: (.up, .character), .moveDown: (.down, .character),
        .pageUp: (.up, .page), .pageDown: (.down, .page),
        .moveWordLeft: (.left, .word), .moveWordRight: (.right, .word),
        .moveWordForward: (.forward, .word), .moveWordBackward: (.backward, .word),
        .moveToBeginningOfLine: (.backward, .line), .moveToEndOfLine: (.forward, .line),
        .moveToLeftEndOfLine: (.left, .line), .moveToRightEndOfLine: (.right, .line),
        .moveToBeginningOfParagraph: (.backward, .paragraph), .moveToEndOfParagraph: (.forward, .paragraph),
        .moveParagraphForward: (.forward, .nextParagraph), .moveParagraphBackward: (.backward, .nextParagraph),
        .moveToBeginningOfDocument: (.backward, .document), .moveToEndOfDocument: (.forward, .document),
    ]

    /// The direction of a deleting command, and the unit up to whose boundary it deletes. Nil for any other
    /// command.
    package var deletion: (direction: TextStorageDirection, granularity: TextGranularity)? {
        switch self {
        case .deleteBackward: (.backward, .character)
        case .deleteForward: (.forward, .character)
        case .deleteWordBackward: (.backward, .word)
        case .deleteWordForward: (.forward, .word)
        case .deleteToBeginningOfLine: (.backward, .line)
        case .deleteToEndOfLine: (.forward, .line)
        case .deleteToBeginningOfParagraph: (.backward, .paragraph)
        case .deleteToEndOfParagraph: (.forward, .paragraph)
        default: nil
        }
    }

    /// The direction of a command that moves the caret along the stored text, and the unit to whose boundary it
    /// moves. Nil for any other command.
    package var moveToBorder: (direction: TextStorageDirection, granularity: TextGranularity)? {
        guard let move, !move.isExtending, case .storage(let direction) = move.direction else { return nil }
        return switch move.destination {
        case .character: (direction, .character)
        case .word: (direction, .word)
        case .sentence: (direction, .sentence)
        case .document: (direction, .document)
        case .line, .paragraph, .nextParagraph, .page: nil
        }
    }

    /// The command by which a view without a caret scrolls in place of this moving command. For a scrolling command,
    /// the command itself. Nil if there is none.
    package var scrolling: EditCommand? {
        switch self {
        case .moveUp: .scrollLineUp
        case .moveDown: .scrollLineDown
        case .pageUp: .scrollPageUp
        case .pageDown: .scrollPageDown
        case .moveToBeginningOfDocument, .moveToBeginningOfLine: .scrollToBeginningOfDocument
        case .moveToEndOfDocument, .moveToEndOfLine: .scrollToEndOfDocument
        default: rawValue.hasPrefix("scroll") ? self : nil
        }
    }
}
