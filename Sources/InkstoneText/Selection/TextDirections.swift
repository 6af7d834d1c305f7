/// A direction along the stored text. Apple's `UITextStorageDirection`.
public enum TextStorageDirection: Int, Hashable, Sendable, CaseIterable {
    /// Towards the end of the text.
    case forward
    /// Towards the start of the text.
    case backward
}

/// A direction on the screen. Apple's `UITextLayoutDirection`.
public enum TextLayoutDirection: Int, Hashable, Sendable, CaseIterable {
    /// To the right on the screen, independently of the direction of the text.
    case right = 2
    /// To the left on the screen.
    case left
    /// To the visual line above.
    case up
    /// To the visual line below.
    case down
}

/// A direction of either kind, for tokenizers. Apple's `UITextDirection`.
public enum TextDirection: Hashable, Sendable {
    /// A direction along the stored text.
    case storage(TextStorageDirection)
    /// A direction on the screen.
    case layout(TextLayoutDirection)

    /// Towards the end of the text.
    public static let forward = TextDirection.storage(.forward)
    /// Towards the start of the text.
    public static let backward = TextDirection.storage(.backward)
    /// To the right on the screen.
    public static let right = TextDirection.layout(.right)
    /// To the left on the screen.
    public static let left = TextDirection.layout(.left)
    /// To the visual line above.
    public static let up = TextDirection.layout(.up)
    /// To the visual line below.
    public static let down = TextDirection.layout(.down)
}

/// The units of text that a tokenizer finds. Apple's `UITextGranularity`.
public enum TextGranularity: Int, Hashable, Sendable, CaseIterable {
    /// A grapheme cluster.
    case character
    /// A word (UAX #29, with dictionaries for Chinese, Japanese, Thai …).
    case word
    /// A sentence (UAX #29).
    case sentence
    /// A paragraph, without its newline; may be empty.
    case paragraph
    /// A visual line, without a newline; may be empty.
    case line
    /// The whole text.
    case document
}
