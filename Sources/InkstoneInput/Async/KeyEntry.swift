public import InkstoneBase

/// A key event that an ``AsyncTextInput`` is asked to handle: a press, a repetition or a release. The counterpart
/// of Apple's `BEKeyEntry`.
public struct KeyEntry: Hashable, Sendable {
    /// Whether a key is down or up.
    public enum State: Hashable, Sendable {
        /// The key went down or repeats.
        case down
        /// The key was released.
        case up
    }

    /// The key event, with its modifiers and characters.
    public let key: KeyEvent
    /// Whether the key is down or up.
    public var state: State { key.phase == .up ? .up : .down }
    /// Whether the key is held and repeats.
    public var isRepeating: Bool { key.phase == .repeat }
    /// The X server's time in milliseconds, which wraps around after 49 days; 0 if unknown.
    public var timestamp: UInt32 { key.timestamp }
    /// The number of the entry in the order of the client's entries, from 1. It distinguishes two entries of the
    /// same key.
    public let number: UInt64

    /// Creates an entry for a key event; `number` is 0 for an entry outside of a client's queue.
    public init(_ key: KeyEvent, number: UInt64 = 0) {
        self.key = key
        self.number = number
    }
}

/// An entry that a client did not handle, with the actions that the system may perform instead. The counterpart of
/// Apple's `BEKeyEntryContext`.
public struct KeyEntryContext: Hashable, Sendable {
    /// The entry that the client did not handle.
    public var entry: KeyEntry
    /// Whether the system may insert the characters of the key.
    public var shouldInsertCharacter = true
    /// Whether the system may look for the key among the key bindings and key commands.
    public var shouldEvaluateForInputSystemHandling = true
    /// Whether the text at the caret may be edited. If not, the system inserts no characters.
    public var isDocumentEditable = true

    /// Creates a context in which the system may look for the key among the bindings, and insert its characters.
    public init(_ entry: KeyEntry) { self.entry = entry }
}

/// The completion of a ``KeyEntry``. Call it once, from any thread, with whether the entry was handled.
///
/// Only the first call counts, and none after the window has closed. A call after the deadline does not change the
/// treatment of the key; but it shows that the client answers again, so the input system waits for its answers again.
public struct KeyEntryCompletion: Sendable {
    private let number: UInt64
    private let mailbox: KeyEntryMailbox

    init(_ number: UInt64, _ mailbox: KeyEntryMailbox) {
        self.number = number
        self.mailbox = mailbox
    }

    /// Completes the entry.
    ///
    /// - Parameter isHandled: whether the client has handled the key. If not, the system performs it.
    public func callAsFunction(_ isHandled: Bool) { mailbox.post(number, isHandled) }
}
