public import InkstoneBase

/// A key that an ``AsyncTextInput`` is asked to handle: one press, repetition or release. Apple's `BEKeyEntry`.
public struct KeyEntry: Hashable, Sendable {
    /// Whether a key is down or up.
    public enum State: Hashable, Sendable {
        /// The key went down or repeats.
        case down
        /// The key came up.
        case up
    }

    /// The key, with its modifiers and characters.
    public let key: KeyEvent
    /// Whether the key is down or up.
    public var state: State { key.phase == .up ? .up : .down }
    /// Whether the key is held and repeats.
    public var isRepeating: Bool { key.phase == .repeat }
    /// The X server's time in milliseconds, which wraps around after 49 days; 0 if unknown.
    public var timestamp: UInt32 { key.timestamp }
    /// The position in the order of the client's entries; starts at 1. Distinguishes two entries of one key.
    public let number: UInt64

    /// Creates an entry from its parts.
    public init(_ key: KeyEvent, number: UInt64 = 0) {
        self.key = key
        self.number = number
    }
}

/// An entry that a client did not handle, with what the system may do with it. Apple's `BEKeyEntryContext`.
public struct KeyEntryContext: Hashable, Sendable {
    /// The entry.
    public var entry: KeyEntry
    /// Whether the system may insert the characters of the key.
    public var shouldInsertCharacter = true
    /// Whether the system may search the key bindings and key commands for the key.
    public var shouldEvaluateForInputSystemHandling = true
    /// Whether the text may be edited at the caret; if not, the system inserts no characters.
    public var isDocumentEditable = true

    /// Creates a context that allows the system everything.
    public init(_ entry: KeyEntry) { self.entry = entry }
}

/// The answer to a ``KeyEntry``: call it once, from any thread, with whether the entry was handled.
///
/// The first call counts. Later ones, those after the deadline and those after the view has closed do nothing.
public struct KeyEntryCompletion: Sendable {
    private let number: UInt64
    private let mailbox: KeyEntryMailbox

    init(_ number: UInt64, _ mailbox: KeyEntryMailbox) {
        self.number = number
        self.mailbox = mailbox
    }

    /// Answers the entry.
    ///
    /// - Parameter isHandled: whether the client handled the key. If not, the system performs it.
    public func callAsFunction(_ isHandled: Bool) { mailbox.post(number, isHandled) }
}
