import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// What any client may send to a window or announce to a display neither ends nor silences the editor: desktop settings, selections,
    /// notices of the keyboard and of what only the server knows, messages of a window manager, a launcher and an embedder, each changed
    /// at random.
    ///
    /// A run that fails can be had again with its seed in `INKSTONE_SEED`.
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
            // As an owner it serves from a window of its own.
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
                // What it owns by now is pasted, or not, and what is selected is offered to it.
                session.probe.control("v")
                session.probe.control("a")
                session.probe.control("c")
                // Answered only when the editor has done with all before.
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
            // The server refuses a selection that is claimed for a time to come.
            #expect(session.probe.selectionOwner("CLIPBOARD") != owner)
            session.probe.control("a")
            session.probe.control("c")
            try waitUntil("the copy", instead: { editor.report() }) {
                session.probe.selectionOwner("CLIPBOARD") == owner
            }
        }

        /// The libraries of extensions read events of their types as Xlib takes them in, whoever has sent them.
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

/// A client that sends what it must not.
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

    /// `owner`: the window by which the editor owns selections and asks for them.
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
        // Of any extension: the server takes those that it has.
        case 8: send(type: UInt8(64 + random.below(64)))
        default: sendMessage()
        }
        if random.once(in: 50) { wire.sync() }
    }

    /// An event of any extension, with nothing in it right but the window.
    mutating func sendExtensionEvent() {
        var event = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        event[0] = UInt8(64 + random.below(64))
        let place = 4 * (1 + random.below(4))
        event.replaceSubrange(place..<place + 4, with: wire.bytes(window))
        wire.sendEvent(event, to: window)
    }

    func sync() { wire.sync() }

    /// Takes its settings away, and the editor's copy.
    func leave() {
        wire.own(settings.selection, 0)
        wire.own(clipboard, own)
        wire.sync()
    }

    /// A number as such messages have them, or a mad one.
    private mutating func word() -> UInt32 {
        switch random.below(6) {
        case 0: atoms[random.below(atoms.count)]
        case 1: [window, own, owner, wire.root, 0][random.below(5)]
        case 2: UInt32(random.below(8))
        case 3: [.max, 0x8000_0000, 0x7fff_ffff, 0xffff][random.below(4)]
        default: UInt32(truncatingIfNeeded: random.next())
        }
    }

    /// Settings in the right form, with bytes changed, left out or put in.
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

    /// Asks the editor for what it has copied, by a request as the server passes it on; with a list that makes no sense, without a
    /// property, and taking pieces that nobody has sent.
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

    /// Takes the clipboard, and says that what the editor has asked for is there: where it is not, or something else.
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

    /// An event of this type whose first words may be right.
    private mutating func send(type: UInt8, detail: UInt8? = nil) {
        var event = [type, detail ?? UInt8(truncatingIfNeeded: random.next()), 0, 0]
        for _ in 0..<7 { event += wire.bytes(word()) }
        wire.sendEvent(event, to: window)
    }

    /// Of the window, what only the server has to tell: the pointer or the focus has come or gone (7 to 10), the window is destroyed,
    /// out of sight, shown or in another one (17, 18, 19, 21), a property has changed (28).
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
        // To be asked to close is no fault.
        if event[12..<16].elementsEqual(wire.bytes(deletion)) { event[12] ^= 1 }
        wire.sendEvent(event, to: window)
    }
}
