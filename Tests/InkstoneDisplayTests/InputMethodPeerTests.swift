import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneX11
import PipedExample
import Testing

extension PipedView: WindowContent {
    package var frame: WindowRect { WindowRect(x: 0, y: 0, width: 400, height: 240) }
    package func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, .white) }
}

extension DisplayTests {
    /// Real input methods in programs whose text another process holds or edits: a remote document, and an
    /// on-screen keyboard.
    @Suite struct InputMethodPeerTests {
        private static let methods = [RealInputMethod(.ibus, .hangul), RealInputMethod(.fcitx5, .hangul)]

        @Test(arguments: methods, [0, 50, 300])
        func aDocumentInAnotherProcessHasAllThatIsComposed(_ method: RealInputMethod, delay: Int) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let scene = try DisplayScene(in: session)
            defer { scene.disconnect() }
            // A busy machine may delay answers; the document must not count as hung.
            var timing = InputTiming()
            timing.handling = 30_000
            scene.display.inputMethodSetup = InputMethodSetup(modifiers: "@im=\(method.serverName)", timing: timing)
            let view = try PipedView(delay: delay...delay)
            let (window, views) = try scene.makeWindow(isFocused: false)
            window.remove(views[0])
            window.add(view)
            window.makeFirstResponder(view)
            scene.display.addDescriptor(view.descriptor) { view.readAnswers(waiting: 0) }
            defer { scene.display.removeDescriptor(view.descriptor) }
            try scene.focus(window)
            try scene.pump("the input method") { window.inputMethodState.phase == .ready }
            // The method composes letters, and returns the characters that end a syllable; the remote document
            // inserts them.
            scene.type("gksrmf dkssud! rk ")
            let text = "한글 안녕! 가 "
            func state() -> String {
                "\(view.string.debugDescription), the document \(view.documentText.debugDescription)"
            }
            try scene.pump("the text", within: 20_000, instead: state) {
                view.documentText == text && view.isIdle && !view.hasMarkedText() && !window.session.isWaiting
            }
            #expect(view.string == text)
        }

        /// Each text of the on-screen keyboard ends the syllable being composed. The method's remaining keys then
        /// form other syllables.
        @Test(arguments: methods) func aKeyboardTypesAmongWhatIsComposed(_ method: RealInputMethod) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            // The session's bus may belong to another account.
            let bus = try PrivateBus()
            session.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
            let program = Products.path(of: "inkstone-type")
            #expect(
                try session.run(Products.path(of: "inkstone"), ["proxy", "allow", program]).status == .exited(0))
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(method)
            _ = try editor.waitForCaret()
            let keyboard = try session.start(program, ["-"], input: .pipe)
            let words = ["gksrmf", "dkssud", "tptkd", "rkskek", "qkqh"]
            var typed = ""
            for round in 0..<20 {
                let known = editor.calls("setMarkedText").count
                let word = words[round % words.count]
                session.probe.type(word)
                typed += word
                try editor.waitForCall("setMarkedText", after: known)
                keyboard.write("§")
            }
            keyboard.closeInput()
            #expect(try keyboard.waitForExit(within: 20_000) == .exited(0))
            // The space ends the last syllable.
            session.probe.type(" ")
            try waitUntil("all of it to be typed", within: 20_000, instead: { editor.report() }) {
                editor.calls("insertText").last?["text"]?.text?.hasSuffix(" ") == true
            }
            session.probe.control("s")
            var text = ""
            try waitUntil("the text to be saved", within: 10_000, instead: { "\(text)\n\(editor.report())" }) {
                text = try TextFiles.read(editor.file)
                return text.hasSuffix(" ")
            }
            #expect(HangulKeys.keys(of: text.filter { $0 != "§" }) == typed + " ", "\(text)")
            #expect(text.count { $0 == "§" } == 20, "\(text)")
        }
    }
}

/// The keys of the Korean two-set keyboard for a text.
private enum HangulKeys {
    private static func list(_ keys: String) -> [String] {
        keys.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
    }
    private static let initials = list("r R s e E f a q Q t T d w W c z x v g")
    private static let vowels = list("k o i O j p u P h hk ho hl y n nj np nl b m ml l")
    private static let finals = list(" r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g")
    /// The keys of the separate consonants, in Unicode order.
    private static let consonants = list("r R rt s sw sg e E f fr fa fq ft fx fv fg a q Q qt t T d w W c z x v g")

    static func keys(of text: String) -> String {
        text.unicodeScalars.map { scalar in
            let value = Int(scalar.value)
            switch value {
            case 0xac00...0xd7a3:
                let number = value - 0xac00
                return initials[number / 588] + vowels[number % 588 / 28] + finals[number % 28]
            case 0x3131...0x314e: return consonants[value - 0x3131]
            case 0x314f...0x3163: return vowels[value - 0x314f]
            default: return String(scalar)
            }
        }.joined()
    }
}
