import InkstoneWords

/// How it stands with the input method: for a status line, and for whoever decides where keys go.
public struct InputMethodState: Hashable, Sendable {
    /// Where the connection is in its life.
    public enum Phase: Hashable, Sendable {
        /// No input method is configured, or the connection has been closed.
        case none
        /// The server is there and is being connected to. Keys wait a moment for it.
        case connecting
        /// Keys go to the server.
        case ready
        /// The server that is configured does not run. It will be used when it starts.
        case notRunning
        /// The server runs and does not answer. It will be used when it answers again.
        case notResponding
        /// The server serves neither this locale nor any style of ours.
        case refused
        /// The server sent what is not of the protocol, or without end. It is tried again after a pause that grows, and another at once.
        case faulty
        /// There is no thread, descriptor or connection for an input method. It is tried again.
        case unavailable
    }

    /// Where the connection is in its life.
    public var phase: Phase
    /// The server's name as in `XMODIFIERS=@im=NAME`; nil if none is configured.
    public var serverName: String?
    /// The style in use; nil unless ready.
    public var style: InputMethodStyle?

    /// A state by its parts.
    package init(phase: Phase, serverName: String?, style: InputMethodStyle? = nil) {
        self.phase = phase
        self.serverName = serverName
        self.style = style
    }

    /// Whether the server gives keys back by another way than it draws. Trap “keys out of turn”.
    public var returnsKeysOutOfTurn: Bool { Self.returnsKeysOutOfTurn(serverName) }

    /// Whether a server of this name does. ibus-x11 takes all keys off its socket before it comes to what the engine has drawn.
    static func returnsKeysOutOfTurn(_ serverName: String?) -> Bool { serverName == "ibus" }

    /// Whether keys are to be sent to the method. If not, they are typed plainly.
    public var isEngaged: Bool { phase == .ready || phase == .connecting }

    /// The server's name for people.
    public var displayName: String {
        guard let serverName else { return localized("none") }
        return ["fcitx": "fcitx5", "SCIM": "scim"][serverName] ?? serverName
    }

    /// The server, and its state unless all is well, in two or three words.
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
        case .none: displayName
        case .connecting: localized("\(displayName): connecting")
        case .notRunning: localized("\(displayName): not running")
        case .notResponding: localized("\(displayName): not responding")
        case .refused: localized("\(displayName): not available for this language")
        case .faulty: localized("\(displayName): error")
        case .unavailable: localized("\(displayName): not available")
        case .ready: localized("\(displayName): \(preeditWords)")
        }
    }

    /// Words for where the composition is shown.
    private var preeditWords: String {
        switch style?.preedit {
        case .callbacks: localized("inline")
        case .position: localized("over the text")
        case .nothing: localized("separate window")
        case InputMethodStyle.Preedit.none?: localized("not shown")
        case nil: localized("ready")
        }
    }

    /// What is going on and what would help, in plain words: a sentence or two. Nil if all is well.
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
                "\(displayName) shows what is being composed in a window of its own, because it offers no inline composition."
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
    /// The server's name in a value of `XMODIFIERS` such as `@im=ibus`; nil if it names none, or only Xlib's own methods.
    package static func serverName(modifiers: String?) -> String? {
        guard let modifiers else { return nil }
        for part in modifiers.split(separator: "@") where part.hasPrefix("im=") {
            let name = String(part.dropFirst(3))
            return name.isEmpty || name == "none" || name == "local" ? nil : name
        }
        return nil
    }
}
