import InkstoneBase
import InkstoneEditing
import InkstoneText

/// Requests of an ``EditorView`` to whatever shows it: a widget in an X window, or a test. A host hears of what happens in the view as
/// everybody does, by ``EditorView/observe(_:)``.
///
/// A host may edit the text in any of these calls but the first two, which also come while a transaction is being made.
public protocol EditorViewHost: AnyObject {
    /// A part of the view is out of date; the host paints it soon, once for many calls. The text may not be edited here.
    func editorView(_ view: EditorView, needsDisplay rect: ViewRect)
    /// What is painted of `rect` moves down by `dy` view pixels, a whole number (up if negative), and what is out of date
    /// there with it; the host copies what it has and paints the rest soon. The text may not be edited here.
    func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double)
    /// Puts text on the clipboard.
    func editorView(_ view: EditorView, copy text: CopiedText)
    /// The user has selected something with keys: it becomes PRIMARY once they are at rest. Not called where the program selects, a
    /// search, undoing or a file that is being read.
    func editorViewDidSelectByKeys(_ view: EditorView)
    /// Asks for the text of CLIPBOARD or PRIMARY, with its attributes unless the source is a plain one. The host gives it to
    /// ``EditingSession/paste(_:for:)-(CopiedText,_)`` when it comes, or gives up with ``EditingSession/cancelPaste(_:)``.
    func editorView(_ view: EditorView, requestsPasteFrom source: PasteSource, for paste: DeferredEdit.ID)
    /// The user gives up what is going on (Escape): text that is still to be pasted with its styles comes without them. Returns whether there was any
    /// such text.
    func editorViewGivesUpStyles(_ view: EditorView) -> Bool
    /// The view's ``EditorView/nextDeadline`` has changed.
    func editorViewDeadlineDidChange(_ view: EditorView)
    /// A function that runs a closure on the view's thread, soon, from any thread. Without it, painting waits for images to be decoded.
    func editorViewPoster(_ view: EditorView) -> (@Sendable (@escaping @Sendable () -> Void) -> Void)?
}

extension EditorViewHost {
    /// All of it is painted anew.
    public func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double) {
        editorView(view, needsDisplay: rect)
    }
    /// There is no clipboard.
    public func editorView(_ view: EditorView, copy text: CopiedText) {}
    /// There is no PRIMARY.
    public func editorViewDidSelectByKeys(_ view: EditorView) {}
    /// There is neither.
    public func editorView(_ view: EditorView, requestsPasteFrom source: PasteSource, for paste: DeferredEdit.ID) {
        view.session.cancelPaste(paste)
    }
    /// Nothing is waited for.
    public func editorViewGivesUpStyles(_ view: EditorView) -> Bool { false }
    /// The caret does not blink.
    public func editorViewDeadlineDidChange(_ view: EditorView) {}
    /// No such function.
    public func editorViewPoster(_ view: EditorView) -> (@Sendable (@escaping @Sendable () -> Void) -> Void)? { nil }
}
