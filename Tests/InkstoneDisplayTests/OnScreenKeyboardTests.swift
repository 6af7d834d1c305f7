import CKeys
import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_keyboard

extension DisplayTests {
    /// The program `inkstone-keyboard`, used by the mouse.
    @Suite struct OnScreenKeyboardTests {
        /// Simulated clicks on the keyboard's keys.
        private struct Hand {
            let session: DesktopSession
            private let first: WindowInfo
            var layout: KeyLayout
            private var probe: XProbe { session.probe }
            /// The keyboard's current window. It is smaller for a moment while it reports that the editor asks for
            /// permission.
            var window: WindowInfo { probe.info(first.id) ?? first }

            init(_ session: DesktopSession, _ layout: KeyLayout) throws {
                (self.session, self.layout) = (session, layout)
                first = try session.probe.waitForWindow("the keyboard") { $0.title == "Inkstone Keyboard" }
            }

            /// Returns the centre of the key with a text, in root pixels.
            private func place(of text: String) throws -> (x: Int, y: Int) {
                let window = window
                let size = Size(width: Double(window.width), height: Double(window.height))
                let places = KeyPlaces(layout.rows, size: size, scale: 1)
                let frame = places.frames[try #require(places.keys.firstIndex { $0.plain == text }, "\(text)")]
                return (window.x + Int(frame.minX + frame.width / 2), window.y + Int(frame.minY + frame.height / 2))
            }

            func click(_ text: String) throws {
                let place = try place(of: text)
                probe.click(x: place.x, y: place.y)
                try probe.waitForClicks()
            }

            func type(_ text: String) throws { for character in text { try click(String(character)) } }

            func hold(_ text: String) throws {
                let place = try place(of: text)
                probe.movePointer(x: place.x, y: place.y)
                probe.button(1, down: true)
            }

            /// Waits until Shift is lit, as at the start of a sentence.
            func waitForCapitals() throws { try waitForLight(true, "capitals on the keys") }

            /// Waits until a key or a choice is lit, or until none is.
            func waitForLight(_ isLit: Bool, _ what: String) throws {
                try waitUntil(what, watching: [probe.descriptor], instead: { session.logText }) {
                    probe.drainEvents()
                    return probe.screenshot(of: window)?.pixels.contains { $0 & 0xffffff == 0xbcd7fb } == isLit
                }
            }
        }

        @Test func twoSentencesAreTypedByMouseAndWhatIsMarkedOutlivesTheKeyboard() throws {
            let session = try DesktopSession(width: 900, height: 800)
            defer { session.end() }
            let probe = session.probe
            try session.startBus()
            try session.startWindowManager()
            let program = Products.path(of: "inkstone-keyboard")
            let allowed = try session.run(Products.path(of: "inkstone"), ["proxy", "allow", program])
            #expect(allowed.status == .exited(0))
            let editor = try EditorProcess(in: session)
            let focus = probe.focusedWindow
            let keyboard = try session.start(program, ["--light", "--layouts", "de,gr"])
            var hand = try Hand(session, .german)
            try hand.waitForCapitals()
            try hand.type("hallo, schöne ")
            try hand.click("⇧")
            try hand.type("welt\n")
            // The context of a new paragraph comes with the editor's answer; the keyboard cannot predict it.
            try hand.waitForCapitals()
            try editor.save(expecting: "Hallo, schöne Welt\n")
            // The dead accent is typed before its letter.
            try hand.click("de")
            hand.layout = .greek
            try hand.waitForCapitals()
            try hand.type("καλημ´ερα κ´οσμε.")
            try editor.save(expecting: "Hallo, schöne Welt\nΚαλημέρα κόσμε.")
            #expect(probe.focusedWindow == focus)
            // Holding a key offers its accented letters as marked text.
            func holdUntilMarked() throws {
                let caret = editor.caret()?.left
                try hand.hold("α")
                try waitUntil("marked text", watching: [probe.descriptor], instead: { editor.report() }) {
                    probe.drainEvents()
                    return editor.caret().map { $0.left != caret } ?? false
                }
            }
            try holdUntilMarked()
            // Typing on commits the marked letter and ends the offer.
            probe.type("y")
            try hand.waitForLight(false, "no offer")
            probe.button(1, down: false)
            try probe.waitForClicks()
            try hand.click("⌫")
            try editor.save(expecting: "Hallo, schöne Welt\nΚαλημέρα κόσμε.ά")
            try hand.click("⌫")
            // The deletion moves the caret too.
            try editor.save(expecting: "Hallo, schöne Welt\nΚαλημέρα κόσμε.")
            // The keyboard dies while its letter is marked.
            try holdUntilMarked()
            kill(keyboard.pid, SIGKILL)
            probe.button(1, down: false)
            _ = try keyboard.waitForExit(within: 5000)
            probe.type("x")
            try editor.save(expecting: "Hallo, schöne Welt\nΚαλημέρα κόσμε.άx")
        }

        /// Without a bus, the keyboard sends key events as it does to any program, and borrows key codes for
        /// symbols that the user's layout lacks.
        @Test func otherProgramsGetKeysAndARepetitionEndsWithALostRelease() throws {
            let session = try DesktopSession(width: 900, height: 800)
            defer { session.end() }
            let probe = session.probe
            let editor = try EditorProcess(in: session, text: String(repeating: "-", count: 400))
            try editor.waitForText()
            try session.start(Products.path(of: "inkstone-keyboard"), ["--layouts", "gr"])
            let hand = try Hand(session, .greek)
            try hand.type("1λ")
            try hand.click("⇧")
            try hand.type("ω")
            try editor.save(expecting: "1λΩ" + String(repeating: "-", count: 400))
            func strikeCapsLock() {
                for isDown in [true, false] { probe.key(66, down: isDown) }
                probe.sync()
            }
            strikeCapsLock()
            try hand.type("λ")
            strikeCapsLock()
            try editor.save(expecting: "1λΩλ" + String(repeating: "-", count: 400))
            func saved() throws -> Int {
                // Type a letter before each save, so that each saved text is different.
                probe.type("x")
                let count = try editor.save(expectingOneOf: candidates(editor)).count { $0 == "-" }
                marks += 1
                return count
            }
            var marks = 1
            func candidates(_ editor: EditorProcess) -> [String] {
                (0...400).map { "1λΩλ" + String(repeating: "x", count: marks) + String(repeating: "-", count: $0) }
            }
            #expect(try saved() == 400)
            try hand.hold("⌦")
            try waitUntil("keys that repeat", within: 10_000, instead: { editor.report() }) { try saved() < 390 }
            // Move off the keyboard with the button down, so that the release is lost.
            probe.movePointer(x: 450, y: 300)
            let first = try saved()
            #expect(try (1...5).map { _ in try saved() - first } == [0, 0, 0, 0, 0])
            probe.button(1, down: false)
        }

        /// The second finger touches before the first one is lifted.
        @Test func twoFingersTypeAKeyEach() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let painter = KeyPainter(
                scene.display, theme: .standard(isDark: false, hasHighContrast: false), isDark: false)
            let face = KeyboardFace(state: KeyboardState(layouts: [.german]))
            let window = try KeyboardWindow(scene.display, face: face, painter: painter)
            defer { window.close() }
            let (other, _) = try scene.makePlainWindow()
            var typed: [String] = []
            window.onKey = { typed.append($0.plain) }
            func touch(_ phase: TouchEvent.Phase, _ id: UInt32, _ text: String) throws {
                let index = try #require(window.places.keys.firstIndex { $0.plain == text })
                let frame = window.places.frames[index]
                let place = WindowPoint(x: frame.minX + frame.width / 2, y: frame.minY + frame.height / 2)
                let event = TouchEvent(phase, id: id, isPointer: id == 1, location: place)
                window.window(other, didReceiveTouch: event)
            }
            // Holding “o” or “a” offers accented letters, so these keys act when lifted.
            try touch(.began, 1, "o")
            try touch(.began, 2, "a")
            try touch(.ended, 1, "o")
            try touch(.began, 3, "k")
            try touch(.ended, 3, "k")
            try touch(.ended, 2, "a")
            #expect(typed == ["o", "a", "k"])
        }

        /// Each change of the keyboard map makes window managers grab their keys again, which delays clicks.
        @Test func likelySymbolsGetKeyCodesInOneMapChange() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let keys = try #require(FakeKeys(scene.display))
            defer { keys.close() }
            keys.likely = "λκωψΛ".map(String.init)
            func lent() -> Set<String> {
                Set((UInt8(8)...255).flatMap { scene.display.keyboard.symbols(of: $0) }.map(Keyboard.characters))
                    .intersection(keys.likely)
            }
            #expect(lent().isEmpty)
            let raw = try RawRequestor(scene.server.display)
            defer { raw.close() }
            var (opcode, first, error, major, minor): (CInt, CInt, CInt, CInt, CInt) = (0, 0, 0, 1, 0)
            try #require(XkbQueryExtension(raw.connection, &opcode, &first, &error, &major, &minor) != 0)
            let mask = UInt32(XkbMapNotifyMask)
            XkbSelectEvents(raw.connection, UInt32(XkbUseCoreKbd), mask, mask)
            XSync(raw.connection, 0)
            /// The number of changes of the keyboard map since the last call.
            func changes() -> Int {
                XSync(raw.connection, 0)
                var count = 0
                while XPending(raw.connection) > 0 {
                    var event = XEvent()
                    XNextEvent(raw.connection, &event)
                    if event.type == first { count += 1 }
                }
                return count
            }
            keys.perform(.insert("λ"))
            try scene.pump("a key code that is lent") { lent().contains("λ") }
            #expect(lent() == Set(keys.likely))
            let once = changes()
            #expect(once > 0)
            keys.perform(.insert("κωψΛλ"))
            #expect(changes() == 0, "all of it is lent")
            keys.perform(.insert("ц"))
            #expect(changes() == once, "one change again")
            try scene.pump("another") {
                (UInt8(8)...255).contains {
                    scene.display.keyboard.symbols(of: $0).map(Keyboard.characters).contains("ц")
                }
            }
            #expect(lent() == Set(keys.likely))
        }

        /// A window manager that is busy with a change of the keyboard map loses a click right after the change. So
        /// the letters get key codes when the pointer enters, before the first click.
        @Test func thePointersComingLendsTheLettersOfAllLayoutsBeforeTheFirstClick() throws {
            let session = try DesktopSession(width: 900, height: 800)
            defer { session.end() }
            let probe = session.probe
            try session.start(Products.path(of: "inkstone-keyboard"), ["--layouts", "us,de"])
            let window = try Hand(session, .american).window
            let display = try InkstoneX11.Display(name: session.server.display)
            defer { display.close() }
            func lent() -> Set<String> {
                Set((UInt8(8)...255).flatMap { display.keyboard.symbols(of: $0) }.map(Keyboard.characters))
                    .intersection(["ä", "ö", "ü", "ß", "Ä", "Ö", "Ü", "§"])
            }
            #expect(lent().isEmpty)
            // A point without a key, so that nothing is typed.
            probe.movePointer(x: window.x + 2, y: window.y + 2)
            probe.sync()
            try waitUntil("the letters", watching: [display.fileDescriptor]) {
                display.processEvents()
                return lent().count == 8
            }
        }

        /// A change of the core keyboard's map applies to all attached keyboards, including XTEST's, which must
        /// keep their own layouts.
        @Test func otherKeyboardsKeepTheirLayouts() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let connection = try #require(xcb_connect(scene.server.display, nil))
            defer { xcb_disconnect(connection) }
            let map = try #require(KeyMap(connection))
            #expect(map.attached.count > 1)
            let other = try #require(map.attached.first)
            var own = try #require(map.read(of: other))
            let core = try #require(map.read())
            // The key code of a letter, among codes without symbols.
            own.set([40: [0x0100_0444, 0x0100_0424]])
            #expect(map.write(own, to: other) && core.symbol(40, 0) != 0x0100_0444)
            var lent = try #require(map.read())
            lent.set([8: [0x0100_03bb], 248: [0x0100_03ba]])
            #expect(map.write(lent))
            for keyboard in map.attached {
                let found = try #require(map.read(of: keyboard))
                #expect(found.symbol(8, 0) == 0x0100_03bb && found.symbol(248, 0) == 0x0100_03ba)
                #expect(found.symbol(40, 0) == (keyboard == other ? 0x0100_0444 : core.symbol(40, 0)))
            }
        }

        /// If the keyboard assumed a refused change of the map, its keys would type other letters or none.
        @Test func aRefusedChangeOfTheMapIsNoneThatWasMade() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let connection = try #require(xcb_connect(scene.server.display, nil))
            defer { xcb_disconnect(connection) }
            let map = try #require(KeyMap(connection))
            var contents = try #require(map.read())
            contents.set([248: [0x0100_03ba]])
            #expect(!map.write(contents, to: 77))
            #expect(map.write(contents))
        }

        /// Neither keyboard has yet received the notification of the other's change of the map.
        @Test func twoKeyboardsLendNoKeyCodeTwice() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let keyboards = try (0..<2).map { _ in try #require(FakeKeys(scene.display)) }
            defer { for keyboard in keyboards { keyboard.close() } }
            func lent(_ text: String) -> [Keysym: Int] {
                let wanted = text.unicodeScalars.map { Keysym(rawValue: 0x0100_0000 + $0.value) }
                let all = (UInt8(8)...255).compactMap { scene.display.keyboard.symbols(of: $0).first }
                return Dictionary(grouping: all.filter(wanted.contains), by: { $0 }).mapValues(\.count)
            }
            for (keyboard, text) in zip(keyboards, ["λκ", "ωψ"]) { keyboard.perform(.insert(text)) }
            try scene.pump("four key codes that are lent") { lent("λκωψ").count == 4 }
            #expect(lent("λκωψ").values.allSatisfy { $0 == 1 })
        }

        @Test func keysOfAKilledKeyboardAreGivenBackAndMonitorsAreFollowed() throws {
            let session = try DesktopSession(width: 900, height: 800)
            defer { session.end() }
            let probe = session.probe
            func isLent() throws -> Bool {
                try session.run("xkbcomp", [session.server.display, "-"]).output.contains("U03BB")
            }
            let program = Products.path(of: "inkstone-keyboard")
            let killed = try session.start(program, ["--layouts", "gr"])
            let hand = try Hand(session, .greek)
            try hand.click("λ")
            try waitUntil("a key code that is lent") { try isLent() }
            kill(killed.pid, SIGKILL)
            _ = try killed.waitForExit(within: 5000)
            #expect(try isLent())
            // Over the other keyboard, the pointer would make that one borrow key codes.
            probe.movePointer(x: 450, y: 100)
            probe.sync()
            try session.start(program, ["--layouts", "gr"])
            try waitUntil("no key code that is lent") { try !isLent() }
            // The middle of the keyboard's lower edge is on the right monitor.
            let other = try Hand(session, .greek).window
            for monitor in [["L", "400/100x800/200+0+0", "screen"], ["R", "500/120x800/200+400+0", "none"]] {
                #expect(try session.run("xrandr", ["--setmonitor"] + monitor).status == .exited(0))
            }
            try waitUntil("the keyboard on the right monitor", watching: [probe.descriptor]) {
                probe.drainEvents()
                return probe.info(other.id).map { $0.x >= 400 && $0.x + $0.width <= 900 } ?? false
            }
        }
    }
}
