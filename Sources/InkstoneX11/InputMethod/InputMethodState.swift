import InkstoneWords

/// The state of the connection to the input method. It is shown in a status line, and it decides whether keys are
/// sent to the input method.
public struct InputMethodState: Hashable, Sendable {
    /// A phase of the connection.
    public enum Phase: Hashable, Sendable {
        /// No input method is configured, or the connection has been closed.
        case none
        /// The server runs, and the connection to it is being made. For a short time, keys wait for the connection.
        case connecting
        /// The server is connected and receives the keys.
        case ready
        /// The configured server does not run. It will be used when it starts.
        case notRunning
        /// The server runs but does not answer. It will be used when it answers again.
        case notResponding
        /// The server runs, but does not serve this program. For example, it does not support this locale, or none
        /// of our styles.
        case refused
        /// The server has sent invalid or endless data. The next attempt to connect to it follows after a pause, which
        /// grows each time. A different server is connected to at once, unless two servers in a row were faulty.
        case faulty
        /// No thread, descriptor or connection is available for an input method. Another attempt follows.
        case unavailable
    }

    /// The phase of the connection.
    public var phase: Phase
    /// The server's name as in `XMODIFIERS=@im=NAME`; nil if none is configured.
    public var serverName: String?
    /// The style of showing compositions that is in use; nil unless the phase is `ready`.
    package var style: InputMethodStyle?

    /// Creates a state from its parts.
    package init(phase: Phase, serverName: String?, style: InputMethodStyle? = nil) {
        self.phase = phase
        self.serverName = serverName
        self.style = style
    }

    /// Whether the server returns keys through another channel than the one for what it draws. A key may then
    /// overtake what is drawn (see the trap “keys out of turn” on the page KeysAndAnswers).
    public var returnsKeysOutOfTurn: Bool { Self.returnsKeysOutOfTurn(serverName) }

    /// Whether a server of this name returns keys out of turn. ibus-x11 does: it reads all keys from its socket
    /// before it handles what the engine has drawn.
    static func returnsKeysOutOfTurn(_ serverName: String?) -> Bool { serverName == "ibus" }

    /// Whether keys are to be sent to the input method. If not, they are typed directly.
    public var isEngaged: Bool { phase == .ready || phase == .connecting }

    /// The server's name for display to people.
    public var displayName: String {
        guard let serverName else { return localized("none") }
        return ["fcitx": "fcitx5", "SCIM": "scim"][serverName] ?? serverName
    }

    /// The server's name and, unless the server is ready, its state in two or three words. Without a configured
    /// server, a note about that.
    public var shortSummary: String {
        switch phase {
        case .none: localized("No input method")
        case .ready: displayName
        default: summary
        }
    }

    /// The server and its state in a few words.
    public var summary: String {
        switch phase {
        case .none: localized("none: XMODIFIERS names no server")
        case .connecting: localized("\(displayName): connecting")
        case .notRunning: localized("\(displayName): not running")
        case .notResponding: localized("\(displayName): not responding")
        case .refused: localized("\(displayName): not available for this language")
        case .faulty: localized("\(displayName): error")
        case .unavailable: localized("\(displayName): not available")
        case .ready: localized("\(displayName): \(preeditWords)")
        }
    }

    /// The words of ``summary`` for the position of the preedit.
    private var preeditWords: String {
        switch style?.preedit {
        case .callbacks: localized("inline")
        case .position: localized("over the text")
        case .nothing: localized("separate window")
        case InputMethodStyle.Preedit.none?: localized("not shown")
        case nil: localized("ready")
        }
    }

    /// An explanation of the state and a remedy, in a sentence or two; nil if there is no problem.
    public var diagnosis: String? {
        switch phase {
        case .none:
            localized(
                "No input method is configured. To use one, start the program with XMODIFIERS=@im=NAME in its environment, where NAME is ibus, fcitx, uim or SCIM."
            )
        case .connecting: nil
        case .notRunning:
            if let startHint {
                localized(
                    "\(displayName) is not running. You can type without it; it will connect as soon as it starts (\(startHint))."
                )
            } else {
                localized(
                    "\(displayName) is not running. You can type without it; it will connect as soon as it starts.")
            }
        case .notResponding:
            localized("\(displayName) is not responding. You can type without it. If this persists, restart it.")
        case .refused:
            localized(
                "\(displayName) is not available for this language. You can type without it; LANG=en_US.UTF-8 or C.UTF-8 may help."
            )
        case .faulty:
            localized(
                "\(displayName) is sending invalid data and has been disconnected. You can type without it. If this persists, restart or update it."
            )
        case .unavailable:
            localized(
                "Not enough system resources to connect to \(displayName). You can type without it; another attempt follows."
            )
        case .ready where style?.preedit == .callbacks: nil
        case .ready:
            localized(
                "\(displayName) shows the composition in its own window."
            ) + " " + inlineHint
        }
    }

    private var startHint: String? {
        switch serverName {
        case "ibus": "ibus-daemon --daemonize --xim"
        case "fcitx": "fcitx5 -d"
        case "uim": "uim-xim &"
        default: nil
        }
    }

    private var inlineHint: String {
        switch serverName {
        case "fcitx":
            localized(
                "For inline composition put UseOnTheSpot=True into ~/.config/fcitx5/conf/xim.conf and restart fcitx5.")
        case "SCIM":
            localized(
                "For inline composition put /FrontEnd/OnTheSpot = true and /FrontEnd/X11/OnTheSpot = true into ~/.scim/config and restart scim."
            )
        default: localized("Its settings may have an option for XIM called “on the spot”.")
        }
    }
}

extension InputMethodState {
    /// Returns the server's name in a value of `XMODIFIERS` such as `@im=ibus`. Nil if it names none, or only one
    /// of Xlib's own methods.
    package static func serverName(modifiers: String?) -> String? {
        guard let modifiers else { return nil }
        for part in modifiers.split(separator: "@") where part.hasPrefix("im=") {
            let name = String(part.dropFirst(3))
            return name.isEmpty || name == "none" || name == "local" ? nil : name
        }
        return nil
    }
}
