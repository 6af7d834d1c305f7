extension Selection {
    /// How far a move goes. The direction says which way, in the order of the text or on the screen.
    public enum Destination: Hashable, Sendable, CaseIterable {
        /// To the next grapheme cluster; up and down, to the next visual line at the goal column.
        case character
        /// To the next edge of a word: its last one in the direction of the move.
        case word
        /// To the next edge of a sentence.
        case sentence
        /// To the edge of the visual line.
        case line
        /// To the edge of the paragraph.
        case paragraph
        /// To the edge of the paragraph, or of the next one from there.
        case nextParagraph
        /// As many visual lines up or down as a page has, at the goal column.
        case page
        /// To the edge of the document.
        case document
    }
}
