/// The minimum that a view needs for typing: inserting text and deleting one character.
///
/// A PIN view needs no more. Such a view gets no input method: keys that type text arrive as ``insertText(_:)``,
/// BackSpace as ``deleteBackward()``. Apple's `UIKeyInput`.
public protocol KeyInput: AnyObject {
    /// Whether there is text that ``deleteBackward()`` could delete, wherever the caret is.
    var hasText: Bool { get }

    /// Inserts `text` at the caret and leaves the caret after it.
    ///
    /// A selection is replaced, also one inside marked text; the marked text around it becomes ordinary text.
    /// `text` may contain several characters, but no control characters except newline and tab.
    func insertText(_ text: String)

    /// Deletes the selection, or without one the last typed unit before the caret; has no effect at the start.
    ///
    /// The unit is one code point in scripts whose marks and consonants are typed singly (Thai, Lao, Khmer, the scripts of India, Arabic,
    /// Hebrew and others), and one grapheme cluster in all others: emoji, flags, Hangul, Latin letters with their accents.
    ///
    /// Within marked text, the remaining text stays marked unless it is empty.
    func deleteBackward()
}
