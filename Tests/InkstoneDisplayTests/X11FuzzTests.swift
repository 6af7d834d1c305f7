import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Random messages from other clients neither end nor silence the editor: desktop settings, selections,
    /// notifications that only the server should send, and messages of window managers, launchers and embedders.
    ///
    /// `INKSTONE_SEED` with a run's seed repeats a failed run.
    @Suite struct X11FuzzTests {
        static var messages: Int {
            if let given = getenv("INKSTONE_FUZZ_MESSAGES").flatMap({ Int(String(cString: $0)) }) { return given }
            return getenv("INKSTONE_LONG_TESTS") == nil ? 3000 : 1_000_000
        }

        @Test func strangersMessagesBreakNothing() throws {
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let editor = try EditorProcess(in: session, named: "fuzz.txt")
            defer { editor.end() }
            // Copy a text, so that the editor owns a selection and serves it from a window of its own.
            try editor.takeFocus()
            session.probe.type("a text to copy", pause: 5)
            session.probe.control("a")
            session.probe.control("c")
            try waitUntil("a copy", instead: { editor.report() }) { session.probe.selectionOwner("CLIPBOARD") != 0 }
            let owner = session.probe.selectionOwner("CLIPBOARD")
            var stranger = try Stranger(session.server.display, window: editor.window.id, owner: owner)
            print("fuzz|seed of the run \(stranger.random.seed), \(Self.messages) messages")
            var sent = 0
            while sent < Self.messages, editor.process.isRunning {
                for _ in 0..<min(500, Self.messages - sent) { stranger.sendOne() }
                sent += min(500, Self.messages - sent)
                // Paste whatever the clipboard has now, and select text, so that PRIMARY is offered.
                session.probe.control("v")
                session.probe.control("a")
                session.probe.control("c")
                // The editor answers the ping only after it has handled all earlier messages.
                try session.probe.ping(editor.window.id)
            }
            stranger.leave()
            #expect(editor.process.isRunning, "it ended after \(sent) messages: \(editor.process.status as Any)")
            try session.probe.ping(editor.window.id)
            try editor.takeFocus()
            session.probe.type("qxz", pause: 15)
            var text = ""
            try waitUntil("what is typed after it", within: 20_000, instead: { text + editor.report() }) {
                session.probe.control("s")
                text = (try? TextFiles.read(editor.file)) ?? ""
                return text.contains("qxz") || !editor.process.isRunning
            }
            #expect(editor.process.isRunning)
            // The server refuses ownership with a time in the future.
            #expect(session.probe.selectionOwner("CLIPBOARD") != owner)
            session.probe.control("a")
            session.probe.control("c")
            try waitUntil("the copy", instead: { editor.report() }) {
                session.probe.selectionOwner("CLIPBOARD") == owner
            }
        }

        /// Extension libraries parse events of their types while Xlib reads them, even if a client sent them.
        @Test func eventsOfExtensionsThatAClientSendsAreNotRead() throws {
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let editor = try EditorProcess(in: session, named: "forged.txt")
            defer { editor.end() }
            try editor.takeFocus()
            session.probe.type("a", pause: 5)
            var stranger = try Stranger(session.server.display, window: editor.window.id, owner: editor.window.id)
            for _ in 0..<10 {
                for _ in 0..<1000 { stranger.sendExtensionEvent() }
                stranger.sync()
                try session.probe.ping(editor.window.id)
            }
            session.probe.type("b", pause: 5)
            try waitUntil("the file", instead: { editor.report() }) {
                session.probe.control("s")
                return (try? TextFiles.read(editor.file))?.contains("ab") == true
            }
        }
    }
}

/// A client that sends invalid messages.
private struct Stranger {
    var random = SeededGenerator()
    private let wire: RawWire
    private let window: UInt32
    private let owner: UInt32
    private let own: UInt32
    private let keyboardEvent: UInt8
    private let atoms: [UInt32]
    private let settings: (selection: UInt32, property: UInt32, manager: UInt32)
    private let protocols: UInt32
    private let deletion: UInt32

    /// Connects to a display.
    ///
    /// - Parameter owner: the window with which the editor owns and requests selections.
    init(_ display: String, window: UInt32, owner: UInt32) throws {
        wire = try RawWire(display)
        (self.window, self.owner) = (window, owner)
        own = wire.makeWindow()
        keyboardEvent = wire.firstEvent(of: "XKEYBOARD")
        atoms =
            [
                "WM_PROTOCOLS", "WM_TAKE_FOCUS", "_NET_WM_PING", "_NET_WM_SYNC_REQUEST", "_NET_WM_STATE",
                "_NET_ACTIVE_WINDOW",
                "_NET_STARTUP_INFO_BEGIN", "_NET_STARTUP_INFO", "_XEMBED", "MANAGER", "_XSETTINGS_S0", "CLIPBOARD",
                "TARGETS",
                "MULTIPLE", "ATOM_PAIR", "INCR", "UTF8_STRING", "COMPOUND_TEXT", "TEXT", "TIMESTAMP", "SAVE_TARGETS",
                "DELETE",
                "CLIPBOARD_MANAGER", "NULL", "XIM_SERVERS", "_XSETTINGS_SETTINGS", "_INKSTONE_SELECTION_0",
                "_INKSTONE_SELECTION_1", "_INKSTONE_TIME",
            ].map(wire.atom) + [1, 4, 31, 0]
        protocols = atoms[0]
        settings = (wire.atom("_XSETTINGS_S0"), wire.atom("_XSETTINGS_SETTINGS"), wire.atom("MANAGER"))
        deletion = wire.atom("WM_DELETE_WINDOW")
        wire.own(settings.selection, own)
    }

    mutating func sendOne() {
        switch random.below(11) {
        case 10: sendExtensionEvent()
        case 0: changeSettings()
        case 1: announceSettings()
        case 2: send(type: keyboardEvent, detail: random.once(in: 2) ? UInt8(random.below(13)) : nil)
        case 3: send(type: [29, 30, 31, 28][random.below(4)])
        case 4: sendNotice()
        case 5, 6: askForSelection()
        case 7: answerAsOwner()
        // Event types of any extension; the server accepts those of its own extensions.
        case 8: send(type: UInt8(64 + random.below(64)))
        default: sendMessage()
        }
        if random.once(in: 50) { wire.sync() }
    }

    /// Sends an event of any extension, in which only the window is valid.
    mutating func sendExtensionEvent() {
        var event = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        event[0] = UInt8(64 + random.below(64))
        let place = 4 * (1 + random.below(4))
        event.replaceSubrange(place..<place + 4, with: wire.bytes(window))
        wire.sendEvent(event, to: window)
    }

    func sync() { wire.sync() }

    /// Withdraws the settings manager and its selection.
    func leave() {
        wire.own(settings.selection, 0)
        wire.own(clipboard, own)
        wire.sync()
    }

    /// Returns a number that such messages contain, or an extreme one.
    private mutating func word() -> UInt32 {
        switch random.below(6) {
        case 0: atoms[random.below(atoms.count)]
        case 1: [window, own, owner, wire.root, 0][random.below(5)]
        case 2: UInt32(random.below(8))
        case 3: [.max, 0x8000_0000, 0x7fff_ffff, 0xffff][random.below(4)]
        default: UInt32(truncatingIfNeeded: random.next())
        }
    }

    /// Publishes settings in the right format, with bytes changed, removed or inserted.
    private mutating func changeSettings() {
        var data = SettingsData(isBigEndian: random.once(in: 2), count: random.once(in: 4) ? word() : 3)
        data.integer("Xft/DPI", random.once(in: 3) ? word() : 96 * 1024)
        data.string("Xft/HintStyle", "hintfull")
        data.integer("Net/DoubleClickTime", random.once(in: 3) ? word() : 400)
        var bytes = data.bytes
        for _ in 0..<random.below(6) {
            let at = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.removeSubrange(at..<min(bytes.count, at + 1 + random.below(8)))
            default: bytes.insert(contentsOf: wire.bytes(word()), at: at)
            }
            if bytes.isEmpty { break }
        }
        wire.change(settings.property, of: own, type: random.once(in: 8) ? word() : settings.property, to: bytes)
    }

    private mutating func announceSettings() {
        let data = random.once(in: 3) ? word() : settings.selection
        var event = [33, 32, 0, 0] + wire.bytes(wire.root) + wire.bytes(settings.manager)
        event += wire.bytes(0) + wire.bytes(data) + wire.bytes(word()) + wire.bytes(word()) + wire.bytes(word())
        wire.sendEvent(event, to: wire.root, mask: 0x20000)
    }

    private var clipboard: UInt32 { atoms[11] }

    private mutating func someAtom() -> UInt32 {
        random.once(in: 12) ? word() : atoms[random.below(atoms.count)]
    }

    /// Requests the editor's copied text in unusual ways: with an invalid list of targets, without a property, and
    /// by deleting pieces that were never sent.
    private mutating func askForSelection() {
        let property = someAtom()
        if random.once(in: 2) {
            var words: [UInt8] = []
            for _ in 0..<random.below(200) { words += wire.bytes(someAtom()) }
            wire.change(property, of: own, type: someAtom(), to: words, bits: 32)
        }
        let target = random.once(in: 4) ? atoms[13] : someAtom()
        wire.convert(random.once(in: 3) ? 1 : clipboard, to: target, in: property, of: own)
        if random.once(in: 3) { wire.delete(someAtom(), of: own) }
    }

    /// Becomes the clipboard's owner, and claims that the requested data is there, although it is missing or
    /// something else.
    private mutating func answerAsOwner() {
        if random.once(in: 8) { wire.own(clipboard, own) }
        let property = someAtom()
        if random.once(in: 2) {
            let data = (0..<random.below(64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            wire.change(property, of: owner, type: someAtom(), to: data)
        }
        var event = [UInt8(31), 0, 0, 0] + wire.bytes(0) + wire.bytes(owner) + wire.bytes(clipboard)
        event += wire.bytes(someAtom()) + wire.bytes(property) + [UInt8](repeating: 0, count: 8)
        wire.sendEvent(event, to: owner)
        if random.once(in: 4) { wire.delete(property, of: owner) }
    }

    /// Sends an event of this type, whose first words may be valid.
    private mutating func send(type: UInt8, detail: UInt8? = nil) {
        var event = [type, detail ?? UInt8(truncatingIfNeeded: random.next()), 0, 0]
        for _ in 0..<7 { event += wire.bytes(word()) }
        wire.sendEvent(event, to: window)
    }

    /// Sends a notification for the window that only the server should send: crossing and focus (7 to 10),
    /// destroyed, unmapped, mapped or reparented (17, 18, 19, 21), or a changed property (28).
    private mutating func sendNotice() {
        let type: UInt8 = [7, 8, 9, 10, 17, 18, 19, 21, 28][random.below(9)]
        var event = [type, UInt8(random.below(8)), 0, 0]
        switch type {
        case 7, 8: event += wire.bytes(word()) + wire.bytes(wire.root) + wire.bytes(window)
        case 9, 10: event += wire.bytes(window)
        case 28: event += wire.bytes(window) + wire.bytes(atoms[random.below(atoms.count)]) + wire.bytes(word())
        default: event += wire.bytes(window) + wire.bytes(window)
        }
        event += [UInt8](repeating: 0, count: 32 - event.count)
        wire.sendEvent(event, to: window)
    }

    private mutating func sendMessage() {
        let type = random.once(in: 2) ? protocols : atoms[random.below(atoms.count)]
        var event = [33, [8, 16, 32, 32, 32, UInt8(truncatingIfNeeded: random.next())][random.below(6)], 0, 0]
        event += wire.bytes(random.once(in: 4) ? word() : window) + wire.bytes(type)
        for _ in 0..<5 { event += wire.bytes(word()) }
        // A valid request to close the window would be obeyed, so change it.
        if event[12..<16].elementsEqual(wire.bytes(deletion)) { event[12] ^= 1 }
        wire.sendEvent(event, to: window)
    }
}
