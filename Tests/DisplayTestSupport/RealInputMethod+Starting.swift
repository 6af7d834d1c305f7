import Glibc
import InkstoneTesting

/// Setting up and starting each input method.
extension RealInputMethod {
    /// Sets it up in a session's home, starts it on a bus of its own and waits until a client could type with it: the server is
    /// in XIM_SERVERS, owns its selection, and the engine is the active one. The session's programs find it by XMODIFIERS.
    ///
    /// Unless `loadsEngine`, fcitx5 is left to load the engine in the midst of what the client does.
    @discardableResult
    package func start(in session: DesktopSession, loadsEngine: Bool = true) throws -> RunningInputMethod {
        if refusesRoot { session.runsServicesAsNobody = getuid() == 0 }
        if framework == .ibus || framework == .fcitx5 { try session.startBus() }
        session.environment["XMODIFIERS"] = "@im=\(serverName)"
        let process: ChildProcess
        switch framework {
        case .ibus: process = try startIBus(in: session)
        case .fcitx5: process = try startFcitx(in: session)
        case .uim: process = try startUim(in: session)
        case .scim: process = try startScim(in: session)
        case .nabi: process = try startNabi(in: session)
        }
        let running = RunningInputMethod(
            method: self, process: process, session: session, loadsEngine: loadsEngine)
        try running.waitUntilReady()
        return running
    }

    private func startIBus(in session: DesktopSession) throws -> ChildProcess {
        session.environment["GSETTINGS_BACKEND"] = "keyfile"
        try TextFiles.write(
            """
            [desktop/ibus/general]
            preload-engines=['\(engineName)']
            engines-order=['\(engineName)']
            use-system-keyboard-layout=true

            [org/freedesktop/ibus/engine/anthy/common]
            input-mode=0

            [org/freedesktop/ibus/engine/hangul]
            initial-input-mode='hangul'
            off-keys=''

            """, to: "\(session.home)/.config/glib-2.0/settings/keyfile")
        if engine == .mozc {
            // Otherwise it begins with the keyboard's own letters.
            try TextFiles.write(
                """
                engines {
                  name : "mozc-jp"
                  longname : "Mozc"
                  layout : "default"
                  layout_variant : ""
                  layout_option : ""
                  rank : 80
                }
                active_on_launch: True

                """, to: "\(session.home)/.config/mozc/ibus_config.textproto")
        }
        var environment = try accounts(in: session)
        // Version 1.5.32 takes the next key while it waits for its engine, and may show what an earlier key came to last ("y" after
        // "ゆ"), to any client. If it is to wait for no engine it does not; 1.5.27 does not in any case.
        let version = try session.run("ibus", ["version"]).output.split { !$0.isNumber }.compactMap { Int($0) }
        if [1, 5, 27].lexicographicallyPrecedes(version) { environment["IBUS_ENABLE_SYNC_MODE"] = "0" }
        // In the foreground it ends with us, and so do the engines that it starts.
        return try session.startService(
            "ibus-daemon", ["--xim", "--replace", "--cache=none"], adding: environment)
    }

    private func startFcitx(in session: DesktopSession) throws -> ChildProcess {
        let configuration = "\(session.home)/.config/fcitx5"
        try TextFiles.write(
            """
            [Groups/0]
            Name=Default
            Default Layout=us
            DefaultIM=\(engineName)

            [Groups/0/Items/0]
            Name=keyboard-us
            Layout=

            [Groups/0/Items/1]
            Name=\(engineName)
            Layout=

            [GroupOrder]
            0=Default

            """, to: "\(configuration)/profile")
        try TextFiles.write("[Behavior]\nActiveByDefault=True\n", to: "\(configuration)/config")
        try TextFiles.write("UseOnTheSpot=\(onTheSpot ? "True" : "False")\n", to: "\(configuration)/conf/xim.conf")
        try TextFiles.write("CloudPinyinEnabled=False\n", to: "\(configuration)/conf/pinyin.conf")
        return try session.startService(
            "fcitx5", ["--disable=wayland,waylandim,notificationitem,notifications,kimpanel"],
            adding: try accounts(in: session))
    }

    private func startUim(in session: DesktopSession) throws -> ChildProcess {
        try TextFiles.write(
            """
            (define default-im-name '\(engineName))
            (define enabled-im-list '(\(engineName) direct))

            """, to: "\(session.home)/.uim")
        session.environment["UIM_CANDWIN_PROG"] = "uim-candwin-gtk3"
        return try session.startService(
            "uim-xim", ["--engine=\(engineName)"],
            adding: try accounts(in: session).merging(["LOCPATH": try makeLocale(in: session)]) { $1 })
    }

    private func startScim(in session: DesktopSession) throws -> ChildProcess {
        try TextFiles.write(
            """
            /FrontEnd/SharedInputMethod = true
            /FrontEnd/IMOpenedByDefault = true
            /FrontEnd/OnTheSpot = true
            /FrontEnd/X11/OnTheSpot = true

            """, to: "\(session.home)/.scim/config")
        // What `scim` itself runs, here in the foreground.
        let places: [String] = TemporaryDirectory.names(in: "/usr/lib").map { "/usr/lib/\($0)/scim-1.0/scim-launcher" }
        let launcher = places.first { access($0, X_OK) == 0 }
        return try session.startService(
            launcher ?? "scim-launcher", ["-c", "simple", "-e", engineName, "-f", "x11", "--no-socket"],
            adding: try accounts(in: session).merging(["LOCPATH": try makeLocale(in: session)]) { $1 })
    }

    /// anthy and scim ask the accounts, not the environment, where the home lies: without accounts of the session's own they
    /// would learn from the tests in the dictionary of whoever runs them.
    private func accounts(in session: DesktopSession) throws -> [String: String] {
        guard engine == .anthy || framework == .scim else { return [:] }
        let accounts = "\(session.home)/passwd"
        try TextFiles.write("tester:x:\(getuid()):\(getgid())::\(session.home):/bin/sh\n", to: accounts)
        return [
            "LD_PRELOAD": "libnss_wrapper.so", "NSS_WRAPPER_PASSWD": accounts, "NSS_WRAPPER_GROUP": "/etc/group",
        ]
    }

    /// uim and scim serve only the locales that are installed, and C.UTF-8, which is en_US.UTF-8 to Xlib, does not count.
    private func makeLocale(in session: DesktopSession) throws -> String {
        let directory = "\(session.home)/locales"
        guard access(directory, F_OK) != 0 else { return directory }
        mkdir(directory, 0o755)
        _ = try session.run("localedef", ["-i", "en_US", "-f", "UTF-8", "\(directory)/en_US.UTF-8"], within: 30_000)
        return directory
    }

    private func startNabi(in session: DesktopSession) throws -> ChildProcess {
        try TextFiles.write(
            "hangul_keyboard=2\ndefault_input_mode=compose\n", to: "\(session.home)/.nabi/config")
        return try session.startService("nabi")
    }
}
