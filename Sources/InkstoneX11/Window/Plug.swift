import CX11

/// The end of a window's contents at which the focus enters it.
public enum FocusEntry: Int, Hashable, Sendable {
    /// The content that last had the focus gets it again.
    case current
    /// The focus comes from before the window: its first content gets it.
    case first
    /// The focus comes from after the window: its last content gets it.
    case last
}

/// The state of a plug: a window embedded in a window of another program, by XEmbed 0.5 if that program supports it.
///
/// Hosts come in three kinds. *XEmbed* (GTK's `GtkSocket`) announces itself in a first message; the X focus stays with it, and it forwards
/// keys by `XSendEvent`. *Silent* (a container of Tk, a plain window) sends no message; the plug takes the X focus when it is clicked.
/// *Mixed* (`tabbed`) sends some messages without the first one and gives the plug the X focus; its messages are ignored.
struct Plug {
    /// The parent window; nil if it is the root window.
    var host: UInt?
    /// Whether the host redirects its children's requests, and so decides on their positions and sizes.
    var isPlacedByHost = false
    /// The window that has announced XEmbed, to which messages are sent; nil before.
    var embedder: UInt?
    /// Whether the host's top-level window is the active one, by its messages.
    var isActive = false
    /// Whether the host has given the plug its focus, by its messages.
    var hasHostFocus = false
    /// Whether the X focus is on the plug.
    var hasXFocus = false
    /// Whether a modal window of the host blocks the user's input.
    var isBlocked = false

    /// Whether sent keys are the host's and accepted.
    ///
    /// X does not reveal the sender of an event, so this is the only protection against other clients: sent keys are accepted while the host
    /// reports that its user types into the plug, and at no other time.
    var takesSentKeys: Bool { embedder != nil && isActive && hasHostFocus && !isBlocked }
    /// Whether keys are delivered to the plug.
    var isFocused: Bool { hasXFocus || embedder != nil && isActive && hasHostFocus }
}

/// The messages of XEmbed 0.5 by their numbers, without those of accelerators: a plug registers none.
enum XEmbedMessage: Int {
    case embeddedNotify = 0
    case windowActivate = 1
    case windowDeactivate = 2
    case requestFocus = 3
    case focusIn = 4
    case focusOut = 5
    case focusNext = 6
    case focusPrevious = 7
    case modalityOn = 10
    case modalityOff = 11
}
