/// The least that a view needs to be typed into: text comes in, one character goes out.
///
/// A PIN view needs nothing more. Such a view gets no input method: keys that type text arrive as ``insertText(_:)``,
/// BackSpace as ``deleteBackward()``. Apple's `UIKeyInput`.
public protocol KeyInput: AnyObject {
    /// Whether there is anything that ``deleteBackward()`` could delete, wherever the caret is.
    var hasText: Bool { get }

    /// Inserts `text` where the caret is and leaves the caret after it.
    ///
    /// A selection is replaced, also one inside marked text; what was marked around it becomes ordinary text.
    /// `text` may hold several characters, never a control character except newline and tab.
    func insertText(_ text: String)

    /// Deletes the selection, or without one what was typed last before the caret; at the start nothing happens.
    ///
    /// That is one code point in scripts whose marks and consonants are typed one by one (Thai, Lao, Khmer, the scripts of India, Arabic,
    /// Hebrew and others), and one grapheme cluster in all else: emoji, flags, Hangul, Latin letters with their accents.
    ///
    /// In marked text it deletes from the marked text, which stays marked unless nothing is left of it.
    func deleteBackward()
}
