import InkstoneBase
import InkstoneText

/// What an ``EditorView`` asks of whatever shows it: a widget in an X window, or a test.
public protocol EditorViewHost: AnyObject {
    /// A part of the view is out of date; the host paints it soon, once for many calls.
    func editorView(_ view: EditorView, needsDisplay rect: ViewRect)
    /// What is painted of `rect` moves down by `dy` view pixels, a whole number (up if negative), and what is out of date
    /// there with it; the host copies what it has and paints the rest soon.
    func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double)
    /// The caret or the marked text may be somewhere else on the screen: the input method's window has to follow.
    func editorViewCoordinatesDidChange(_ view: EditorView)
    /// The text has changed, whoever changed it; during a composition too.
    func editorView(_ view: EditorView, didApply edit: TextEdit)
    /// The selection has changed.
    func editorViewSelectionDidChange(_ view: EditorView)
    /// Puts text on the clipboard.
    func editorView(_ view: EditorView, copy text: String)
    /// Asks for the clipboard's text, which the host pastes with ``EditorView/paste(_:)`` when it comes.
    func editorViewRequestsPaste(_ view: EditorView)
    /// Asks for PRIMARY's text, what was selected last anywhere, which the host pastes in the same way.
    func editorViewRequestsPasteOfSelection(_ view: EditorView)
    /// The view's ``EditorView/nextDeadline`` has changed.
    func editorViewDeadlineDidChange(_ view: EditorView)
}

extension EditorViewHost {
    /// All of it is painted anew.
    public func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double) {
        editorView(view, needsDisplay: rect)
    }
    /// Nothing follows.
    public func editorViewCoordinatesDidChange(_ view: EditorView) {}
    /// Nothing is told.
    public func editorView(_ view: EditorView, didApply edit: TextEdit) {}
    /// Nothing is told.
    public func editorViewSelectionDidChange(_ view: EditorView) {}
    /// There is no clipboard.
    public func editorView(_ view: EditorView, copy text: String) {}
    /// There is no clipboard.
    public func editorViewRequestsPaste(_ view: EditorView) {}
    /// There is no PRIMARY.
    public func editorViewRequestsPasteOfSelection(_ view: EditorView) {}
    /// The caret does not blink.
    public func editorViewDeadlineDidChange(_ view: EditorView) {}
}
