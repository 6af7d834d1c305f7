public import InkstoneText

extension EditCommand {
    /// What a moving command does to a selection.
    public struct Move: Hashable, Sendable {
        /// Which way it goes.
        public var direction: TextDirection
        /// How far it goes.
        public var destination: Selection.Destination
        /// Whether the fixed ends stay, so that text is selected.
        public var isExtending: Bool
    }

    /// What a moving command does; nil for any other command.
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
}
