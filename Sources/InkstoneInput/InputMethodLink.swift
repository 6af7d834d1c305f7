public import InkstoneBase

/// What an input context asks of an input method. The X11 half implements it; a trace and tests play it.
///
/// No call blocks and none answers: answers come as `InputMethodEvent`s through ``InputSession/receive(_:)``.
public protocol InputMethodLink: AnyObject {
    /// Whether keys go to a method at all now. If not, keys are typed plainly at once.
    var isEngaged: Bool { get }

    /// Sends a key. Its answers, if any, come later; if the method does not want it, it comes back with `ticket`.
    ///
    /// `raw` is what was given with the key, for example the bytes of the X event.
    func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket)

    /// Tells where the text being composed is, in root pixels: the target clause's first line, or the caret. The
    /// candidate window goes below its bottom edge. The link deduplicates and waits for a quiet moment.
    ///
    /// Nil: the text is not on the screen.
    func setSpot(_ rect: RootRect?)

    /// Asks the method to forget what is being composed; exactly one `resetReply` answers each call, after the
    /// answers of all keys forwarded before.
    func reset()

    /// A text that takes input has the focus.
    func focusIn()

    /// No text that takes input has the focus any more.
    func focusOut()
}
