import InkstoneInput

/// The text is the first that is asked what a key does; the widget that shows it is ``EditorView/next``, and has the focus.
extension EditorView: Responder {
    /// It takes keys.
    public var canBecomeFirstResponder: Bool { true }
}
