import CX11

/// The content that gets the focus when the focus enters a window.
public enum FocusEntry: Int, Hashable, Sendable {
    /// The content that had the focus last.
    case current
    /// The first content, because the focus comes from before the window.
    case first
    /// The last content, because the focus comes from after the window.
    case last
}

/// The state of a plug: a window embedded in another program's window (the host). XEmbed 0.5 is used if that
/// program supports it.
///
/// There are three kinds of hosts. An *XEmbed* host (GTK's `GtkSocket`) announces itself in its first message,
/// keeps the X focus and forwards keys by `XSendEvent`. A *silent* host (a container of Tk, a plain window) sends
/// no messages; the plug takes the X focus when it is clicked. A *mixed* host (`tabbed`) sends some messages
/// without the first one, and gives the plug the X focus; its messages are ignored.
struct Plug {
    /// The parent window; nil if that is the root window.
    var host: UInt?
    /// Whether the host redirects its children's requests. If so, the host decides on their position and size.
    var isPlacedByHost = false
    /// The window that has announced itself as an XEmbed host. Messages are sent to it. Nil before the
    /// announcement.
    var embedder: UInt?
    /// Whether the host's top-level window is active, as its messages report.
    var isActive = false
    /// Whether the plug has the focus within the host, as its messages report.
    var hasHostFocus = false
    /// Whether the plug has the X focus.
    var hasXFocus = false
    /// Whether the host has blocked input to the plug. Hosts do so while they show a modal window.
    var isBlocked = false

    /// Whether key events that another client has sent are accepted, on the assumption that the host has forwarded
    /// them.
    ///
    /// X does not reveal which client has sent an event. The only protection is to accept sent keys just while the
    /// host reports that the plug has its focus.
    var takesSentKeys: Bool { embedder != nil && isActive && hasHostFocus && !isBlocked }
    /// Whether the plug receives keys: it has the X focus, or the focus of an active XEmbed host.
    var isFocused: Bool { hasXFocus || embedder != nil && isActive && hasHostFocus }
}

/// The numbers of the messages of XEmbed 0.5. Those for accelerators are left out, because a plug registers none.
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
