import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    @Suite struct X11KeyboardTests {
        @Test func keysTypeWhatTheLayoutSays() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            let text = "Hello, World! 0123 ~{}|\\"
            scene.probe.type(text)
            try scene.pump("the keys") { record.typed.count == text.count }
            #expect(record.typed == text)
            #expect(record.keys.allSatisfy { $0.timestamp != 0 && $0.keycode >= 8 })
        }

        @Test func controlTypesNothingAndKeepsItsLetter() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            scene.probe.control("c")
            scene.probe.control("Z", shift: true)
            scene.probe.strike(.enter)
            scene.probe.strike(.left, holding: [.leftAlt])
            scene.waitUntilIdle()
            let down = record.keys.filter { $0.phase == .down && $0.keysym.rawValue < 0xffe0 }
            #expect(down.map(\.keysym) == [0x63, 0x5a, 0xff0d, 0xff51])
            #expect(down.map(\.modifiers) == [[.control], [.control, .shift], [], [.alt]])
            #expect(down.map(\.characters) == ["c", "Z", "", ""])
        }

        @Test func aHeldKeyRepeatsWithoutReleases() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            let key = try #require(TestKey(typing: "r"))
            scene.probe.key(key.keycode, down: true)
            scene.probe.sync()
            try scene.pump("repetitions") { record.keys.count >= 4 }
            scene.probe.key(key.keycode, down: false)
            scene.probe.sync()
            try scene.pump("the release") { record.keys.last?.phase == .up }
            #expect(record.keys.first?.phase == .down)
            #expect(record.keys.dropFirst().dropLast().allSatisfy { $0.phase == .repeat })
        }

        @Test func aLayoutChangedLaterIsFollowed() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            scene.probe.type("z")
            try scene.pump("the first key") { record.typed == "z" }
            try scene.server.setLayout("de")
            try scene.pump("the new layout") {
                scene.probe.type("z")
                scene.waitUntilIdle()
                return record.typed.hasSuffix("y")
            }
            // AltGr selects the third level: 0x18 is the key Q, with the at sign on German keyboards.
            scene.probe.strike(TestKey(24), holding: [TestKey(108)])
            scene.waitUntilIdle()
            #expect(record.typed.hasSuffix("@"))
            let key = try #require(record.keys.last { $0.characters == "@" })
            #expect(key.modifiers == [.level3])
        }

        @Test func shortcutsHaveTheirLatinLetterOnOtherLayouts() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            try scene.server.setLayout("us,ru")
            let raw = try RawRequestor(scene.server.display)
            defer { raw.close() }
            XkbLockGroup(raw.connection, UInt32(XkbUseCoreKbd), 1)
            XSync(raw.connection, 0)
            try scene.pump("Russian letters") {
                scene.probe.type("c")
                scene.waitUntilIdle()
                return record.typed.hasSuffix("с")
            }
            record.keys = []
            scene.probe.control("c")
            scene.waitUntilIdle()
            let key = try #require(
                record.keys.first { $0.modifiers.contains(.control) && $0.phase == .down }, "\(record.keys)")
            #expect(key.keysym != 0x63)
            #expect(key.latinKeysym == 0x63)
            // If the only layout is not Latin, the key's position determines the shortcut.
            try scene.server.setLayout("ru")
            record.keys = []
            try scene.pump("the only layout") {
                scene.probe.control("c")
                scene.waitUntilIdle()
                return record.keys.contains { $0.keysym == 0x6d3 }
            }
            #expect(record.keys.last { $0.keysym == 0x6d3 }?.latinKeysym == 0x63)
        }

        @Test func aKeyThatComesBackFromAnotherThreadTranslatesTheSame() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            scene.probe.type("Q")
            try scene.pump("the key") { record.typed == "Q" }
            for (key, raw) in zip(record.keys, record.rawKeys) {
                #expect(scene.display.keyboard.translate(raw) == key)
            }
        }

        @Test func controlKeysHaveNoCharacters() {
            #expect(Keyboard.characters(for: 0x61) == "a")
            #expect(Keyboard.characters(for: 0xff0d) == "")
            #expect(Keyboard.characters(for: 0xff1b) == "")
            #expect(Keyboard.characters(for: 0xffff) == "")
            #expect(Keyboard.characters(for: 0x1001F600) == "")
            #expect(Keyboard.characters(for: 0x101F600) == "😀")
            #expect(Keyboard.characters(for: 0x6c1) == "а")
            #expect(Keyboard.characters(for: 0x20ac) == "€")
            #expect(Keyboard.characters(for: 0xffb5) == "5")
        }

        @Test(arguments: ["C.UTF-8", "en_US.UTF-8", "xx_YY.UTF-8"])
        func deadKeysComposeWithoutAServer(locale: String) {
            let compose = ComposeState(locale: locale)
            #expect(compose.feed(0x61) == .plain)
            #expect(compose.feed(0xfe51) == .composing(pending: "´"))
            #expect(compose.isComposing)
            #expect(compose.feed(0x65) == .composed("é", 0xe9))
            #expect(!compose.isComposing)
            #expect(compose.feed(0xff20) == .composing(pending: "·"))
            #expect(compose.feed(0xffe1) == .composing(pending: "·"), "Shift is no part of a sequence")
            #expect(compose.feed(0x3d) == .composing(pending: "·="))
            #expect(compose.feed(0x45) == .composed("€", 0x20ac))
            #expect(compose.feed(0xfe51) == .composing(pending: "´"))
            #expect(compose.feed(0x71) == .cancelled)
            #expect(compose.feed(0x71) == .plain)
            #expect(compose.feed(0xfe57) == .composing(pending: "¨"))
            compose.reset()
            #expect(compose.feed(0x61) == .plain)
        }
    }
}
