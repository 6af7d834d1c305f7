extension Selection {
    /// The distance of a move of the caret, such as to the end of a line. The direction is a separate argument of
    /// moves, either in the order of the text or on the screen.
    public enum Destination: Hashable, Sendable, CaseIterable {
        /// To the next grapheme cluster; for a move up or down, to the next visual line at the goal column.
        case character
        /// To the next edge of a word in the direction of the move: a word's end forwards, its start backwards.
        case word
        /// To the next edge of a sentence.
        case sentence
        /// To the edge of the visual line.
        case line
        /// To the edge of the paragraph.
        case paragraph
        /// To the edge of the paragraph; if the caret is already there, to that of the next paragraph.
        case nextParagraph
        /// Up or down by the visual lines of a page, at the goal column.
        case page
        /// To the edge of the document.
        case document
    }
}
