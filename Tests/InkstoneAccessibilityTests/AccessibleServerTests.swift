import InkstoneBase
import InkstoneEditing
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

@testable import InkstoneAccessibility
@testable import InkstoneBus

@Suite(.timeLimit(.minutes(5))) struct AccessibleServerTests {
    final class Reader {
        let scene: TreeScene
        let server: AccessibleServer

        init(_ text: String = "Hello there") {
            scene = TreeScene(text)
            server = AccessibleServer(scene.tree)
            server.busName = ":1.5"
        }

        /// Returns the answer to an AT-SPI call; a string for an error.
        func ask(_ node: AccessibleNode?, _ interface: String, _ member: String, _ body: BusValue...) -> [BusValue] {
            let path = node.map(server.path) ?? AccessibleServer.cachePath
            return ask(path, interface.contains(".") ? interface : "org.a11y.atspi." + interface, member, body)
        }

        func ask(_ path: String, _ interface: String, _ member: String, _ body: [BusValue]) -> [BusValue] {
            var answer: AccessibleServer.Answer?
            server.answer(BusMessage(sender: ":1.9", path: path, interface: interface, member: member, body: body)) {
                answer = $0
            }
            switch answer {
            case .success(let body): return body
            case .failure(let error): return [.string(error.name)]
            case nil: return [.string("no answer")]
            }
        }
    }

    private static let unknownMethod: [BusValue] = [.string("org.freedesktop.DBus.Error.UnknownMethod")]

    @Test func bothFamiliesOfReadsAnswer() {
        let reader = Reader()
        let node = reader.scene.node
        let word: [BusValue] = [.string("Hello "), .int32(0), .int32(6)]
        #expect(reader.ask(node, "Text", "GetStringAtOffset", .int32(2), .uint32(1)) == word)
        #expect(reader.ask(node, "Text", "GetTextAtOffset", .int32(2), .uint32(1)) == word)
        #expect(reader.ask(node, "Text", "GetTextBeforeOffset", .int32(7), .uint32(1)) == word)
        #expect(
            reader.ask(node, "Text", "GetTextAfterOffset", .int32(0), .uint32(0)) == [
                .string("e"), .int32(1), .int32(2),
            ])
        #expect(reader.ask(node, "Text", "GetText", .int32(0), .int32(-1)) == [.string("Hello there")])
        #expect(reader.ask(node, "Text", "GetCharacterAtOffset", .int32(1)) == [.int32(0x65)])
        #expect(
            reader.ask(
                node, "org.freedesktop.DBus.Properties", "Get", .string("org.a11y.atspi.Text"),
                .string("CharacterCount")) == [.variant(.int32(11))])
        #expect(reader.ask(node, "EditableText", "InsertText", .int32(0), .string("x"), .int32(1)) == [.boolean(true)])
        #expect(reader.scene.view.text == "xHello there")
    }

    @Test func anEditThatNobodyWaitsForAnyMoreIsNotMade() {
        let reader = Reader()
        var (queue, isAwaited): ([() -> Void], Bool) = ([], true)
        reader.scene.node.performInOrder = { queue.append($0) }
        for text in ["a", "b"] {
            let body: [BusValue] = [.int32(0), .string(text), .int32(1)]
            let call = BusMessage(
                sender: ":1.9", path: reader.server.path(of: reader.scene.node),
                interface: "org.a11y.atspi.EditableText", member: "InsertText", body: body)
            reader.server.answer(call, isAwaited: { text == "b" || isAwaited }) { _ in }
        }
        isAwaited = false
        for work in queue { work() }
        #expect(reader.scene.view.text == "bHello there")
    }

    @Test(arguments: [(1.5, "1.5"), (-1.5, "-1.5"), (-0.5, "-0.5"), (-2, "-2"), (0.04, "0"), (-0.04, "0")])
    func lengthsAreWrittenWithTheirSign(_ number: Double, _ text: String) {
        #expect(AccessibleText.text(of: number) == text)
    }

    @Test func coordinatesAreOfScreenWindowAndParent() {
        let reader = Reader()
        reader.scene.window.frame = { RootRect(x: 100, y: 50, width: 300, height: 300) }
        func extents(_ kind: UInt32) -> [BusValue] {
            reader.ask(reader.scene.node, "Component", "GetExtents", .uint32(kind))
        }
        func frame(_ x: Int32, _ y: Int32) -> [BusValue] {
            [.structure([.int32(x), .int32(y), .int32(260), .int32(200)])]
        }
        #expect(extents(0) == frame(103, 55) && extents(1) == frame(3, 5) && extents(2) == frame(3, 5))
        let screen = reader.ask(reader.scene.node, "Text", "GetCharacterExtents", .int32(0), .uint32(0))
        let window = reader.ask(reader.scene.node, "Text", "GetCharacterExtents", .int32(0), .uint32(1))
        guard case .int32(let x) = screen[0], case .int32(let inWindow) = window[0] else {
            Issue.record("no rectangle")
            return
        }
        #expect(x - inWindow == 100)
        #expect(
            reader.ask(reader.scene.node, "Text", "GetOffsetAtPoint", .int32(x + 2), .int32(65), .uint32(0)) == [
                .int32(0)
            ])
        #expect(
            reader.ask(reader.scene.window, "Component", "GetAccessibleAtPoint", .int32(110), .int32(60), .uint32(0))
                == [reader.server.reference(reader.scene.node)])
    }

    @Test func theCacheIsTheTree() {
        let reader = Reader()
        guard case .array(_, let items)? = reader.ask(nil, "Cache", "GetItems").first else {
            Issue.record("no items")
            return
        }
        #expect(items == reader.scene.tree.all.map(reader.server.item) && items.count == 3)
        #expect((try? [BusValue.array(items[0].type, items)].weight(limit: 1 << 20)) != nil)
        for (node, role) in [(reader.scene.tree.root, UInt32(75)), (reader.scene.window, 23), (reader.scene.node, 61)] {
            #expect(reader.ask(node, "Accessible", "GetRole") == [.uint32(role)])
        }
        #expect(
            reader.ask(reader.scene.window, "Accessible", "GetChildren") == [
                .array(AccessibleServer.referenceType, [reader.server.reference(reader.scene.node)])
            ])
        #expect(
            reader.ask(
                reader.scene.tree.root, "org.freedesktop.DBus.Properties", "Set", .string("org.a11y.atspi.Application"),
                .string("Id"), .variant(.int32(7))) == [])
        #expect(
            reader.ask(
                reader.scene.tree.root, "org.freedesktop.DBus.Properties", "Get", .string("org.a11y.atspi.Application"),
                .string("Id")) == [.variant(.int32(7))])
    }

    @Test func aWindowInAnothersSocketIsItsChild() throws {
        let reader = Reader()
        let (tree, window) = (reader.scene.tree, reader.scene.window)
        let other = AccessibleNode(.frame, name: "other")
        tree.root.add(other)
        window.ownStates.insert(.active)
        _ = reader.scene.take()
        func parent() -> BusValue? {
            reader.ask(
                window, "org.freedesktop.DBus.Properties", "Get", .string("org.a11y.atspi.Accessible"),
                .string("Parent")
            ).first
        }
        func children() -> [BusValue] { reader.ask(tree.root, "Accessible", "GetChildren") }
        func list(_ nodes: AccessibleNode...) -> [BusValue] {
            [.array(AccessibleServer.referenceType, nodes.map(reader.server.reference))]
        }
        #expect(children() == list(window, other))
        for body in [[], [.string("no path")], [.int32(1)]] as [[BusValue]] {
            let path = reader.server.path(of: window)
            #expect(reader.ask(path, "org.a11y.atspi.Socket", "Embedded", body) == Self.unknownMethod)
        }
        // A text is none that can be plugged in.
        #expect(reader.ask(reader.scene.node, "Socket", "Embedded", .string("/a/b")) == Self.unknownMethod)
        // Nor is a window of its own.
        #expect(reader.ask(window, "Socket", "Embedded", .string("/a/b")) == Self.unknownMethod)
        #expect(window.host == nil && reader.scene.take().isEmpty)

        window.isPlug = true
        #expect(reader.ask(window, "Socket", "Embedded", .string("/a/b")) == [])
        let host = BusValue.structure([.string(":1.9"), .objectPath("/a/b")])
        #expect(parent() == .variant(host) && window.host == AccessibleReference(busName: ":1.9", path: "/a/b"))
        #expect(children() == list(other))
        #expect(reader.ask(tree.root, "Accessible", "GetChildAtIndex", .int32(0)) == [reader.server.reference(other)])
        #expect(reader.ask(window, "Accessible", "GetIndexInParent") == [.int32(0)])
        #expect(reader.ask(other, "Accessible", "GetIndexInParent") == [.int32(0)])
        #expect(reader.ask(window, "Accessible", "GetRole") == [.uint32(39)])
        #expect(reader.ask(window, "Component", "GetLayer") == [.uint32(3)])
        #expect(!window.states.contains(.active))
        let item: [BusValue]? = if case .structure(let fields) = reader.server.item(window) { fields } else { nil }
        #expect(try #require(item)[2] == host, "also as clients keep it")
        let signals = reader.scene.notices.map(reader.server.signal)
        #expect(signals.contains { $0.member == "PropertyChange" && $0.body[3] == .variant(host) })
        #expect(
            reader.scene.take() == [
                "StateChanged active 0", "ChildrenChanged remove 0", "PropertyChange accessible-role 0",
                "PropertyChange accessible-parent 0",
            ])
        // Changes of the window's focus are reported by the host.
        window.ownStates.remove(.active)
        window.ownStates.insert(.active)
        #expect(reader.scene.take().isEmpty)

        window.host = nil
        #expect(parent() == .variant(reader.server.reference(tree.root)) && children() == list(window, other))
        #expect(reader.scene.take().contains("ChildrenChanged add 0"))
        #expect(window.states.contains(.active) && window.role == .frame)
    }

    /// A window embedded in its own program would make readers that walk up loop for ever.
    @Test func aWindowIsInNoSocketOfItsOwnProgram() {
        let reader = Reader()
        reader.server.busName = ":1.9"
        let own = reader.server.path(of: reader.scene.window)
        #expect(reader.ask(reader.scene.window, "Socket", "Embedded", .string(own)) == Self.unknownMethod)
        #expect(reader.scene.window.host == nil)
    }

    /// The host's program is watched as long as it embeds a window.
    @Test func hostsAreThoseOfTheWindowsThereAre() {
        let scene = TreeScene("")
        var changes: [Set<String>] = []
        scene.tree.onHostsChange = { [unowned scene] in changes.append(scene.tree.hosts) }
        scene.window.host = AccessibleReference(busName: ":1.7", path: "/host")
        scene.tree.root.remove(scene.window)
        scene.tree.root.add(scene.window)
        #expect(changes == [[":1.7"], [], [":1.7"]])
    }

    @Test func aScrollBarIsAValueThatReadersMaySet() throws {
        let reader = Reader(String(repeating: "line\n", count: 200))
        let view = reader.scene.view
        func update() {
            let parts = [AccessiblePart(view, name: "text")] + AccessiblePart.scrollBars(of: view)
            reader.scene.window.update(parts, root: { $0.converted(from: RootPoint(x: 0, y: 0)) }, prepare: { _, _ in })
        }
        update()
        let bar = try #require(reader.scene.window.children.last)
        #expect(reader.scene.window.children.count == 2 && reader.ask(bar, "Accessible", "GetRole") == [.uint32(48)])
        #expect(bar.states.isSuperset(of: [.vertical, .showing]) && !bar.states.contains(.focusable))
        #expect(bar.frame().maxX == view.frame.maxX && bar.frame().height == view.frame.height)
        func value(_ name: String) -> Double? {
            let answer = reader.ask(
                bar, "org.freedesktop.DBus.Properties", "Get", .string("org.a11y.atspi.Value"), .string(name))
            if case .variant(.double(let number))? = answer.first { return number }
            return nil
        }
        func set(_ value: BusValue) -> [BusValue] {
            reader.ask(
                bar, "org.freedesktop.DBus.Properties", "Set", .string("org.a11y.atspi.Value"), .string("CurrentValue"),
                .variant(value))
        }
        let end = try #require(value("MaximumValue"))
        #expect(end > 1000 && value("MinimumValue") == 0 && value("CurrentValue") == 0)
        #expect(value("MinimumIncrement") == view.presenter.lineStep)
        guard case .array(_, let interfaces)? = reader.ask(bar, "Accessible", "GetInterfaces").first else {
            Issue.record("no interfaces")
            return
        }
        #expect(interfaces.contains(.string("org.a11y.atspi.Value")))
        // Scrolling is reported after it was painted.
        reader.scene.notices = []
        view.scroll(by: 100)
        #expect(value("CurrentValue") == 100 && reader.scene.notices.isEmpty)
        update()
        update()
        #expect(reader.scene.take() == ["PropertyChange accessible-value 0"])
        #expect(set(.double(250)) == [] && value("CurrentValue") == 250)
        #expect(set(.double(1e9)) == [] && value("CurrentValue") == value("MaximumValue"))
        let refused: [BusValue] = [.string("org.freedesktop.DBus.Error.PropertyReadOnly")]
        #expect(set(.double(.nan)) == refused && set(.int32(4)) == refused)
        // Without anything to scroll there is no scroll bar.
        view.text = "short"
        update()
        #expect(reader.scene.window.children.count == 1)
    }

    @Test func windowsAreChildrenOfOneApplication() {
        let reader = Reader()
        let (root, first) = (reader.scene.tree.root, reader.scene.window)
        let other = AccessibleNode(.frame, name: "other")
        root.add(other)
        func children() -> [BusValue] { reader.ask(root, "Accessible", "GetChildren") }
        let both = [first, other].map(reader.server.reference)
        #expect(children() == [.array(AccessibleServer.referenceType, both)])
        #expect(reader.ask(other, "Accessible", "GetIndexInParent") == [.int32(1)])
        #expect(reader.ask(other, "Accessible", "GetApplication") == [reader.server.reference(root)])
        root.remove(first)
        #expect(children() == [.array(AccessibleServer.referenceType, [reader.server.reference(other)])])
    }

    @Test func anUnknownRequestIsAnError() {
        let reader = Reader()
        #expect(
            reader.ask("/org/a11y/atspi/accessible/99", "org.a11y.atspi.Text", "GetText", []) == [
                .string("org.freedesktop.DBus.Error.UnknownObject")
            ])
        #expect(reader.ask(reader.scene.node, "Text", "GetText", .string("x")) == Self.unknownMethod)
        #expect(reader.ask(reader.scene.window, "Text", "GetText", .int32(0), .int32(1)) == Self.unknownMethod)
        #expect(reader.ask(reader.scene.node, "Accessible", "Nothing") == Self.unknownMethod)
        // Object paths are never reused.
        let path = reader.server.path(of: reader.scene.node)
        reader.scene.window.remove(reader.scene.node)
        reader.scene.window.add(reader.scene.node)
        #expect(reader.server.path(of: reader.scene.node) != path)
    }

    /// Calls of every name with arguments of every kind: each is answered, and the answer can be sent.
    @Test func anyCallIsAnswered() {
        let reader = Reader("a😀c\nשלום\n")
        var random = SeededGenerator(seed: 3)
        let members = [
            "Accessible GetChildAtIndex", "Accessible GetRelationSet", "Accessible GetAttributes", "Component Contains",
            "Component GetExtents", "Component GetAccessibleAtPoint", "Component GetPosition", "Text GetText",
            "Text GetStringAtOffset", "Text GetTextAtOffset", "Text GetTextBeforeOffset", "Text GetTextAfterOffset",
            "Text GetCharacterAtOffset", "Text GetAttributeRun", "Text GetAttributes", "Text GetAttributeValue",
            "Text GetCharacterExtents", "Text GetRangeExtents", "Text GetOffsetAtPoint", "Text GetSelection",
            "Text AddSelection", "Text RemoveSelection", "Text SetSelection", "Text SetCaretOffset",
            "Text GetBoundedRanges", "Hypertext GetLink", "Hypertext GetLinkIndex", "Text ScrollSubstringTo",
            "EditableText InsertText", "EditableText DeleteText",
            "EditableText CutText", "EditableText SetTextContents", "Action DoAction",
        ]
        let numbers: [Int32] = [0, 1, 2, 3, 9, -1, .max, .min]
        func value() -> BusValue {
            switch random.below(8) {
            case 0, 1, 2, 3: .int32(numbers[random.below(numbers.count)])
            case 4, 5: .uint32(UInt32(random.below(9)))
            case 6: .string("ä😀")
            default: .boolean(true)
            }
        }
        for _ in 0..<6000 {
            let name = members[random.below(members.count)].split(separator: " ").map(String.init)
            let body = (0..<random.below(6)).map { _ in value() }
            let answer = reader.ask(
                reader.server.path(of: reader.scene.node), "org.a11y.atspi." + name[0], name[1], body)
            #expect(throws: Never.self) { try answer.weight(limit: 1 << 20) }
        }
    }

    @Test func textWithoutEndIsRefusedUncopied() {
        let reader = Reader(String(repeating: "words ", count: 1 << 20))
        let node = reader.scene.node
        let refused: [BusValue] = [.string("org.freedesktop.DBus.Error.LimitsExceeded")]
        #expect(reader.ask(node, "Text", "GetText", .int32(0), .int32(-1)) == refused)
        #expect(reader.ask(node, "Text", "GetStringAtOffset", .int32(9), .uint32(4)) == refused)
        let word: [BusValue] = [.string("words "), .int32(6), .int32(12)]
        #expect(reader.ask(node, "Text", "GetStringAtOffset", .int32(9), .uint32(1)) == word)
        #expect(reader.ask(node, "Text", "GetTextBeforeOffset", .int32(13), .uint32(1)) == word)
    }

    /// A dead key, a keypad digit and Multi_key are parts of typed text.
    @Test func keysOfASecretAreThoseThatTypeNothing() {
        for keysym: UInt32 in [0x61, 0x20, 0xfe51, 0xff20, 0xffb1, 0xffab, 0x0100_0301] {
            #expect(!AccessibilityLink.typesNothing(Keysym(rawValue: keysym)))
        }
        for keysym: UInt32 in [0xff51, 0xff0d, 0xffe1, 0xffc0, 0xff08, 0xfe03] {
            #expect(AccessibilityLink.typesNothing(Keysym(rawValue: keysym)))
        }
    }

    /// Readers are notified that a key was pressed, but not which. With Insert held, they are: then it is a command
    /// of theirs.
    @Test func keysOfASecretAreBullets() {
        let link = AccessibilityLink(TreeScene("", secure: true).tree)
        defer { link.close() }
        let (letter, left) = (
            KeyEvent(keycode: 38, keysym: 0x61, characters: "a", modifiers: .shift, timestamp: 9),
            KeyEvent(keycode: 113, keysym: 0xff51)
        )
        #expect(link.hidden(letter) == KeyEvent(keysym: 0x0100_2022, characters: "•", timestamp: 9))
        #expect(link.hidden(KeyEvent(keycode: 1, keysym: 0xfe51)).characters == "•")
        #expect(link.hidden(left) == left)
        for (phase, isShown) in [(KeyEvent.Phase.down, true), (.up, false)] {
            _ = link.readerWait.wait(for: KeyEvent(phase: phase, keysym: 0xff63))
            #expect((link.hidden(letter) == letter) == isShown)
        }
    }

    /// On a busy machine, Orca answers after more than 100 ms, and its commands would be typed too; so keys with
    /// Insert wait longer.
    @Test func aReadersCommandsWaitLonger() {
        var readerWait = ReaderWait()
        func wait(_ keysym: UInt32, _ phase: KeyEvent.Phase = .down, keycode: UInt8? = nil) -> Int64 {
            let keycode = keycode ?? UInt8(truncatingIfNeeded: keysym)
            return readerWait.wait(for: KeyEvent(phase: phase, keycode: keycode, keysym: Keysym(rawValue: keysym)))
        }
        let (f, insert, down, digit, left): (UInt32, UInt32, UInt32, UInt32, UInt32) = (
            0x66, 0xff63, 0xff99, 0xffb5, 0xff51
        )
        #expect([f, left, digit].map { wait($0) } == [100, 100, 100])
        #expect([down, 0xffab].map { wait($0) } == [500, 500])
        #expect(wait(insert) == 500 && wait(f) == 500 && wait(f, .up) == 500 && wait(insert, .up) == 500)
        #expect(wait(f) == 100)
        // Held long, it repeats.
        #expect(wait(insert) == 500 && wait(insert, .repeat) == 500 && readerWait.expectsCommand && wait(f) == 500)
        #expect(wait(insert, .up) == 500 && !readerWait.expectsCommand)
        // The keypad's is released as a digit while Shift is down.
        #expect(wait(0xff9e, keycode: 90) == 500 && readerWait.expectsCommand)
        #expect(wait(0xffb0, .up, keycode: 90) == 500 && !readerWait.expectsCommand && wait(f) == 100)
        // Released in another window.
        #expect(wait(insert) == 500)
        readerWait.focusWasLost()
        #expect(!readerWait.expectsCommand && wait(f) == 100)
    }

    @Test func keysHaveTheirNamesAndModifiers() {
        func value(_ key: KeyEvent) -> [BusValue] {
            if case .structure(let fields) = KeyNotice(key).value { fields } else { [] }
        }
        let letter = KeyEvent(keycode: 38, keysym: 0x41, characters: "A", modifiers: .shift, timestamp: 7)
        #expect(
            value(letter) == [
                .uint32(0), .int32(0x41), .int16(38), .int16(1), .int32(7), .string("A"), .boolean(true),
            ])
        let left = value(KeyEvent(phase: .up, keycode: 113, keysym: 0xff51, modifiers: [.control, .alt]))
        #expect(left[0] == .uint32(1) && left[3] == .int16(12) && left[5...] == [.string("Left"), .boolean(false)])
        #expect(value(KeyEvent(keysym: 0xffc0))[5] == .string("F3"))
        #expect(value(KeyEvent(keysym: 0x20, characters: " "))[5...] == [.string("space"), .boolean(false)])
        #expect(
            value(KeyEvent(keysym: 0x63, characters: "c", modifiers: .control))[5...] == [
                .string("c"), .boolean(false),
            ])
    }

    /// Parts of a window are added and removed; the others keep their objects.
    @Test func partsAreComparedWithTheObjectsThereAre() {
        let reader = Reader()
        let (scene, window) = (reader.scene, reader.scene.window)
        var pressed = 0
        let frame = WindowRect(x: 1, y: 2, width: 30, height: 10)
        func show(_ parts: AccessiblePart...) -> [String] {
            window.update(parts, root: { $0.converted(from: RootPoint(x: 100, y: 0)) }, prepare: { _, _ in })
            return scene.take()
        }
        let text = AccessiblePart(scene.view, name: "text")
        let status = AccessiblePart(.status, name: "Line 1", frame: frame)
        #expect(show(text, status) == ["ChildrenChanged add 1"])
        let button = AccessiblePart(.toggle(isOn: false), name: "Case", frame: frame) { pressed += 1 }
        #expect(
            show(text, AccessiblePart(.group, name: "Find", frame: frame, parts: [button]), status) == [
                "ChildrenChanged add 1"
            ])
        #expect(window.children[0] === scene.node && window.children.map(\.role) == [.text, .panel, .statusBar])
        let node = window.children[1].children[0]
        #expect(reader.ask(node, "Action", "DoAction", .int32(0)) == [.boolean(true)] && pressed == 1)
        #expect(
            reader.ask(node, "Component", "GetExtents", .uint32(0)) == [
                .structure([.int32(101), .int32(2), .int32(30), .int32(10)])
            ])
        let down = AccessiblePart(.toggle(isOn: true), name: "Case", frame: frame)
        var other = status
        other.name = "Line 2"
        #expect(
            show(text, AccessiblePart(.group, name: "Find", frame: frame, parts: [down]), other) == [
                "StateChanged pressed 1", "PropertyChange accessible-name 0",
            ])
        #expect(show(text, other) == ["ChildrenChanged remove 1"] && window.children[1].role == .statusBar)
    }

    @Test func onlyWhatIsRegisteredForIsSent() {
        let reader = Reader()
        reader.scene.view.insertText("x")
        let notice = reader.scene.notices[0]
        var listeners = AccessibleListeners()
        #expect(!listeners.want(notice))
        for (event, isWanted) in [
            ("object:text-changed", true), ("object:text-changed:insert", true), ("Object:TextChanged:Delete", false),
            ("object:", true), ("window:activate", false), ("object:text-caret-moved", false),
        ] {
            listeners = AccessibleListeners()
            listeners.add(event, of: ":1.1")
            #expect(listeners.want(notice) == isWanted, "\(event)")
            listeners.remove(event, of: ":1.1")
            #expect(listeners.isEmpty)
        }
        let signal = reader.server.signal(notice)
        #expect(signal.interface == "org.a11y.atspi.Event.Object" && signal.body.signature == "siiva{sv}")
    }
}
