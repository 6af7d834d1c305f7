/// The minimum that a view needs for typing: inserting text and deleting one character. The counterpart of Apple's
/// `UIKeyInput`.
///
/// A PIN view, for example, needs no more. Such a view gets no input method. Keys that type text call
/// ``insertText(_:)``, and BackSpace calls ``deleteBackward()``.
public protocol KeyInput: AnyObject {
    /// Whether there is text that ``deleteBackward()`` could delete. The position of the caret does not matter.
    var hasText: Bool { get }

    /// Inserts `text` at the caret and moves the caret after it.
    ///
    /// A selection is replaced. If the selection is inside of marked text, the rest of the marked text becomes
    /// ordinary text. `text` may contain several characters, but no control characters except newline and tab.
    func insertText(_ text: String)

    /// Deletes the selection. Without one, deletes the last typed unit before the caret. Has no effect at the start
    /// of the text.
    ///
    /// The unit is one code point in scripts whose marks and consonants are typed one by one (Thai, Lao, Khmer, the
    /// scripts of India, Arabic, Hebrew and others). In all other scripts it is one grapheme cluster: an emoji, a
    /// flag, a Hangul syllable, a Latin letter with its accents.
    ///
    /// Within marked text, the remaining text stays marked unless it is empty.
    func deleteBackward()
}
