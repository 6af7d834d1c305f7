import CX11
import DisplayTestSupport
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import Inkstone
@testable import InkstoneX11

extension DisplayTests {
    /// Text dragged within a view, between views and between programs, and peers that break the protocol.
    @Suite struct DragTests {
        /// The point of an offset in a view that no other window covers, in root pixels.
        private func root(_ offset: Int, in view: TextView) throws -> (x: Int, y: Int) {
            let origin = try #require(view.window?.window.rootOrigin)
            let place = try #require(view.position(from: view.beginningOfDocument, offset: offset))
            let caret = view.caretRect(for: place)
            return (
                Int(origin.x + view.frame.minX + caret.minX) + 1,
                Int(origin.y + view.frame.minY + caret.minY + caret.height / 2)
            )
        }

        /// Selects a range, presses the button in it, and begins to drag it.
        private func begin(_ range: Range<Int>, of view: TextView, _ scene: DisplayScene) throws {
            let window = try #require(view.window)
            let from = try root(range.lowerBound, in: view)
            scene.probe.movePointer(x: from.x + 2, y: from.y)
            scene.probe.button(1, down: true)
            scene.waitUntilIdle()
            scene.display.processEvents()
            view.select(Selection(anchor: UTF16Offset(range.lowerBound), head: UTF16Offset(range.upperBound)))
            let location = WindowPoint(
                x: Double(from.x + 2) - window.window.rootOrigin.x, y: Double(from.y) - window.window.rootOrigin.y)
            let event = PointerEvent(
                kind: .motion, location: location, isPrimaryDown: true, timestamp: scene.display.latestTimestamp)
            #expect(view.beginDraggingSession(with: event))
        }

        /// Moves the pointer to an offset of a view until the view would accept the drop, then releases the button.
        private func drop(
            at offset: Int, of view: TextView, _ scene: DisplayScene, and others: [InkstoneX11.Display] = [],
            holding keys: [TestKey] = []
        ) throws {
            let to = try root(offset, in: view)
            for key in keys { scene.probe.key(key.keycode, down: true) }
            scene.probe.movePointer(x: to.x, y: to.y)
            try scene.pump("the drop caret", and: others) { view.dropCaret.position != nil }
            scene.probe.button(1, down: false)
            try scene.pump("the end of the drag", within: 20_000, and: others) {
                scene.display.draggingSession == nil
            }
            for key in keys { scene.probe.key(key.keycode, down: false) }
            scene.waitUntilIdle()
            #expect(view.dropCaret.position == nil)
        }

        /// Covers INT 53 of the checklist for interaction.
        @Test func aMoveWithinAViewIsOneStepAndTheTextIsSelected() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            view.store.removeAllUndo()
            try begin(0..<4, of: view, scene)
            try drop(at: 8, of: view, scene)
            #expect(view.text == "two one three" && view.session.selectedText == "one ")
            view.session.undo()
            #expect(view.text == "one two three" && !view.store.canUndo)
            view.session.redo()
            #expect(view.text == "two one three")
        }

        /// While a modal question of the program has the pointer, the view accepts no drop, even if the question
        /// appears during the drag.
        @Test func noDropDuringAModalQuestion() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            let (place, beside) = (try root(8, in: view), try root(12, in: view))
            for isMoved in [false, true] {
                scene.window.takesPress = nil
                try begin(0..<4, of: view, scene)
                scene.probe.movePointer(x: place.x, y: place.y)
                try scene.pump("the drop caret") { view.dropCaret.position != nil }
                scene.window.takesPress = { _ in false }
                if isMoved {
                    scene.probe.movePointer(x: beside.x, y: beside.y)
                    try scene.pump("the refusal") { view.dropCaret.position == nil }
                }
                scene.probe.button(1, down: false)
                try scene.pump("the end of the drag") { scene.display.draggingSession == nil }
                scene.waitUntilIdle()
                #expect(view.text == "one two three" && view.dropCaret.position == nil)
            }
        }

        @Test func controlCopies() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            try begin(0..<4, of: scene.view, scene)
            try drop(at: 8, of: scene.view, scene, holding: [.leftControl])
            #expect(scene.view.text == "one two one three" && scene.view.session.selectedText == "one ")
        }

        /// A text dropped at its own edge can be copied, but not moved.
        @Test func controlAtRestSwitchesBetweenMovingAndCopying() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            try begin(0..<4, of: view, scene)
            let (edge, outside) = (try root(4, in: view), try root(12, in: view))
            scene.probe.movePointer(x: outside.x, y: outside.y)
            try scene.pump("the drop caret") { view.dropCaret.position != nil }
            scene.probe.movePointer(x: edge.x, y: edge.y)
            try scene.pump("the refusal") { view.dropCaret.position == nil }
            for _ in 0..<2 {
                scene.probe.key(TestKey.leftControl.keycode, down: true)
                scene.probe.sync()
                try scene.pump("the place of a copy") { view.dropCaret.position != nil }
                scene.probe.key(TestKey.leftControl.keycode, down: false)
                scene.probe.sync()
                try scene.pump("the refusal of a move") { view.dropCaret.position == nil }
            }
            scene.probe.key(TestKey.leftControl.keycode, down: true)
            scene.probe.sync()
            try scene.pump("the place of the copy") { view.dropCaret.position != nil }
            scene.probe.button(1, down: false)
            try scene.pump("the end of the drag") { scene.display.draggingSession == nil }
            scene.probe.key(TestKey.leftControl.keycode, down: false)
            scene.waitUntilIdle()
            #expect(view.text == "one one two three")
        }

        /// Covers INT 53, INT 54 of the checklist for interaction.
        @Test func aDropIntoTheDraggedTextDoesNothingAndEscapeEndsADrag() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            view.store.removeAllUndo()
            try begin(0..<7, of: view, scene)
            let inside = try root(3, in: view)
            let outside = try root(12, in: view)
            scene.probe.movePointer(x: outside.x, y: outside.y)
            try scene.pump("the drop caret") { view.dropCaret.position != nil }
            // The drag picture lies beside the pointer, has the window type of drags, and is never the drop target
            // itself.
            let kind = UInt32(XInternAtom(scene.display.connection, "_NET_WM_WINDOW_TYPE_DND", 0))
            let bytes = withUnsafeBytes(of: kind) { Array($0) }
            let picture = try #require(
                scene.probe.windows().first { scene.probe.property("_NET_WM_WINDOW_TYPE", of: $0.id) == bytes })
            let margin = Int(view.theme.margin)
            let letters =
                view.caretRect(for: view.range(7..<7).start).minX - view.caretRect(for: view.range(0..<0).start).minX
            #expect(picture.width == Int(letters.rounded(.up)) + 2 * margin && picture.height < 40, "\(picture.rect)")
            try scene.pump("the last letter", instead: { scene.probe.screenshot()?.kept("dragged") ?? "none" }) {
                guard let shot = scene.probe.screenshot(of: picture) else { return false }
                let columns = (1..<shot.width - 1).filter { column in
                    (1..<shot.height - 1).contains { shot[column, $0] & 0xff < 0x80 }
                }
                return (shot.width - margin - 4..<shot.width - margin).contains(columns.last ?? 0)
            }
            scene.probe.movePointer(x: inside.x, y: inside.y)
            try scene.pump("the refusal") { view.dropCaret.position == nil }
            scene.probe.movePointer(x: outside.x, y: outside.y)
            try scene.pump("the drop caret again") { view.dropCaret.position != nil }
            scene.probe.strike(.escape)
            try scene.pump("the end") { scene.display.draggingSession == nil && view.dropCaret.position == nil }
            scene.probe.button(1, down: false)
            scene.waitUntilIdle()
            #expect(view.text == "one two three" && !view.store.canUndo)
            scene.probe.type("x")
            try scene.pump("a key after it") { view.text.contains("x") }
        }

        /// Covers INT 58 of the checklist for interaction.
        @Test func moveBetweenTwoViewsIsAnUndoStepInEach() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["one two"])
            try scene.makeWindow(["three"], at: (500, 40))
            let (source, target) = (scene.views[0], scene.views[1])
            try begin(0..<4, of: source, scene)
            try drop(at: 0, of: target, scene)
            #expect(source.text == "two" && target.text == "one three" && target.session.selectedText == "one ")
            source.session.undo()
            #expect(source.text == "one two" && target.text == "one three")
            target.session.undo()
            #expect(target.text == "three")
        }

        /// If the target accepts only a part of the text, because of its length limit, the source keeps the text.
        @Test func partlyAcceptedMoveKeepsTheSourceText() throws {
            let scene = try DisplayScene()
            let other = try DisplayScene(in: scene.session)
            defer {
                other.disconnect()
                scene.end()
            }
            try scene.makeWindow(["one two"])
            try scene.makeWindow(["three"], at: (500, 40))
            try other.makeWindow(["four"], at: (500, 300))
            let (source, target, apart) = (scene.views[0], scene.views[1], other.view)
            target.options.maximumLength = 7
            apart.options.maximumLength = 6
            try begin(0..<4, of: source, scene)
            try drop(at: 0, of: target, scene)
            #expect(source.text == "one two" && target.text == "onthree")
            try begin(0..<4, of: source, scene)
            try drop(at: 0, of: apart, scene, and: [other.display], holding: [.leftShift])
            #expect(source.text == "one two" && apart.text == "onfour")
        }

        @Test func anotherProgramGetsACopyUnlessShiftMoves() throws {
            let scene = try DisplayScene()
            let other = try DisplayScene(in: scene.session)
            defer {
                other.disconnect()
                scene.end()
            }
            try scene.makeWindow(["one two"])
            try other.makeWindow(["three"], at: (500, 40))
            let (source, target) = (scene.view, other.view)
            try begin(0..<4, of: source, scene)
            try drop(at: 0, of: target, scene, and: [other.display])
            #expect(source.text == "one two" && target.text == "one three" && target.session.selectedText == "one ")
            try begin(0..<4, of: source, scene)
            try drop(at: 0, of: target, scene, and: [other.display], holding: [.leftShift])
            #expect(source.text == "two" && target.text == "one one three")
            source.session.undo()
            #expect(source.text == "one two", "it was deleted once")
        }

        // MARK: Peers without rules

        /// A client that sends XDND messages by hand to the window of a view.
        private struct RawDragger {
            let scene: DisplayScene
            let raw: RawRequestor
            var view: TextView { scene.view }

            /// Creates a scene of its own with a view of `text`, whose window has the focus.
            init(over text: String) throws {
                scene = try DisplayScene()
                raw = try RawRequestor(scene.server.display)
                try scene.makeWindow([text])
            }

            func end() {
                raw.close()
                scene.end()
            }

            func send(_ message: String, _ words: [Int]) {
                let window = scene.window.window.id.xid
                var event = XEvent()
                event.xclient.type = ClientMessage
                event.xclient.window = window
                event.xclient.message_type = raw.atom(message)
                event.xclient.format = 32
                event.xclient.data.l = (Int(raw.window), words[0], words[1], words[2], words[3])
                XSendEvent(raw.connection, window, 0, 0, &event)
                XFlush(raw.connection)
            }

            /// Returns the next XDND message to this client: its name and second word.
            func answer() throws -> (name: String, word: Int) {
                var toll = PeerToll()
                return try answer(&toll)
            }

            func answer(_ toll: inout PeerToll) throws -> (name: String, word: Int) {
                try waitFor("an answer", watching: [XConnectionNumber(raw.connection)]) {
                    toll.turn(scene.display)
                    var event = XEvent()
                    guard XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 else { return nil }
                    return (raw.name(of: event.xclient.message_type), event.xclient.data.l.1)
                }
            }
        }

        /// Any client can send enter messages with invalid atoms, or with ever new ones. The display must not ask
        /// the server about all of them.
        @Test func costOfDragTypesIsBounded() throws {
            let scene = try DisplayScene(isCounted: true)
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let drags = scene.display.dragAndDrop
            let proxy = try #require(scene.proxy)
            XSync(scene.display.connection, 0)
            let before = try #require(proxy.counts.first)
            let text = raw.atom("UTF8_STRING")
            XSync(raw.connection, 0)
            #expect(drags.names(of: [text, 0] + (0..<64).map { 0x1000_0000 + $0 }) == ["UTF8_STRING"])
            XSync(scene.display.connection, 0)
            let passed = try #require(proxy.counts.first) - before
            #expect(passed.errors == 1)
            for round in 0..<10 {
                let atoms = (0..<60).map { raw.atom("type \(round) \($0)") }
                #expect(drags.names(of: atoms + [text]).count == 61)
                #expect(drags.atomNames.count <= DragAndDrop.mostNames)
            }
        }

        /// Covers INT 56 of the checklist for interaction.
        @Test func invalidDragMessagesAreAnswered() throws {
            let peer = try RawDragger(over: "text")
            defer { peer.end() }
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            let copy = Int(raw.atom("XdndActionCopy"))
            let place = try root(2, in: view)
            let point = place.x << 16 | place.y
            var toll = PeerToll()
            // Unexpected messages: a drop, a position and a leave without an enter.
            peer.send("XdndDrop", [0, 0, 0, 0])
            #expect(try peer.answer(&toll) == ("XdndFinished", 0))
            peer.send("XdndPosition", [0, point, 0, copy])
            #expect(try peer.answer(&toll) == ("XdndStatus", 0))
            peer.send("XdndLeave", [0, 0, 0, 0])
            // A list of types that does not exist, then one of the wrong property type.
            peer.send("XdndEnter", [5 << 24 | 1, 0, 0, 0])
            peer.send("XdndPosition", [0, point, 0, copy])
            #expect(try peer.answer(&toll) == ("XdndStatus", 0))
            raw.set(raw.atom("XdndTypeList"), [0, .max, 0x7fff_ffff])
            peer.send("XdndEnter", [5 << 24 | 1, -1, -1, -1])
            peer.send("XdndPosition", [0, point, 0, copy])
            #expect(try peer.answer(&toll) == ("XdndStatus", 0))
            peer.send("XdndDrop", [0, 0, 0, 0])
            #expect(try peer.answer(&toll) == ("XdndFinished", 0))
            // A source that does not own the selection when its text is requested.
            let text = Int(raw.atom("UTF8_STRING"))
            peer.send("XdndEnter", [5 << 24, text, 0, 0])
            peer.send("XdndPosition", [0, point, 0, copy])
            #expect(try peer.answer(&toll) == ("XdndStatus", 3))
            #expect(view.dropCaret.position != nil)
            peer.send("XdndDrop", [0, 0, 0, 0])
            #expect(try peer.answer(&toll) == ("XdndFinished", 0))
            #expect(view.text == "text" && view.dropCaret.position == nil)
            // A source that dies in the middle of the drag.
            peer.send("XdndEnter", [5 << 24, text, 0, 0])
            peer.send("XdndPosition", [0, point, 0, copy])
            #expect(try peer.answer(&toll) == ("XdndStatus", 3))
            raw.close()
            try waitUntil("its end", watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                return view.dropCaret.position == nil
            }
            toll.report("a source whose messages are malformed, and that dies", megabytes: 8)
        }

        // MARK: In a host's window

        /// A host program's window at (500, 40) with embedded views of another connection, and the scene where
        /// drags begin.
        private struct Host {
            let scene: DisplayScene
            let embedded: DisplayScene
            let raw: RawRequestor
            var topLevel: WindowID { WindowID(xid: raw.window) }

            init() throws {
                scene = try DisplayScene()
                embedded = try DisplayScene(in: scene.session)
                raw = try RawRequestor(scene.server.display)
                XMoveResizeWindow(raw.connection, raw.window, 500, 40, 300, 200)
                XMapWindow(raw.connection, raw.window)
                XSync(raw.connection, 0)
                try scene.makeWindow(["one two"])
            }

            func end() {
                embedded.disconnect()
                raw.close()
                scene.end()
            }

            /// Adds a view with a text at a position in the host's window; returns the view and its window.
            func addView(_ text: String, x: Double, y: Double) throws -> (view: TextView, window: InkstoneX11.Window) {
                let view = try TextView(
                    embedded.display, parent: topLevel, frame: WindowRect(x: x, y: y, width: 200, height: 60))
                view.text = text
                let window = try #require(view.window).window
                try embedded.pump("the place", and: [scene.display]) {
                    window.rootOrigin == RootPoint(x: 500 + x, y: 40 + y)
                }
                return (view, window)
            }

            /// The window to which drag sources send their messages, as the host's window declares it.
            var proxy: [UInt32] { scene.probe.numbers("XdndProxy", of: UInt32(raw.window)) }
        }

        /// Drag sources send messages only to top-level windows, so the embedded view receives drops through the
        /// host's window.
        @Test func aDropOnAHostsWindowGoesToTheViewInIt() throws {
            let host = try Host()
            defer { host.end() }
            let scene = host.scene
            let (target, window) = try host.addView("three", x: 50, y: 60)
            defer { target.close() }
            #expect(!window.takeDrops(on: window.id), "it is no window around it")
            #expect(window.takeDrops(on: host.topLevel))
            XSync(host.embedded.display.connection, 0)
            try begin(0..<4, of: scene.view, scene)
            // Outside of the view, the drop is refused.
            scene.probe.movePointer(x: 520, y: 60)
            try drop(at: 0, of: target, scene, and: [host.embedded.display])
            #expect(scene.view.text == "one two" && target.text == "one three")
            target.close()
            XSync(host.embedded.display.connection, 0)
            #expect(host.proxy.isEmpty, "it is taken away again")
        }

        /// The view that registered last receives the drops of the host's window. The other one accepts none, and
        /// closing it changes nothing.
        @Test func lastRegisteredViewGetsTheHostsDrops() throws {
            let host = try Host()
            defer { host.end() }
            let (scene, embedded) = (host.scene, host.embedded.display)
            let views = try [10.0, 100].map { try host.addView("x", x: 50, y: $0) }
            defer { for (view, _) in views { view.close() } }
            var expected = ["x", "x"]
            for turn in 0..<3 {
                let ((target, window), other) = (views[turn % 2], views[1 - turn % 2].view)
                #expect(window.takeDrops(on: host.topLevel))
                XSync(embedded.connection, 0)
                #expect(host.proxy == [window.id.rawValue])
                try begin(0..<4, of: scene.view, scene)
                let beside = try root(0, in: other)
                scene.probe.movePointer(x: beside.x, y: beside.y)
                try drop(at: 0, of: target, scene, and: [embedded])
                expected[turn % 2] = "one " + expected[turn % 2]
                #expect(views.map(\.view.text) == expected && scene.view.text == "one two")
            }
            // When the second view registers during a drag over the first, the drag ends for the first.
            let (first, second) = (views[0], views[1])
            try begin(0..<4, of: scene.view, scene)
            let place = try root(0, in: first.view)
            scene.probe.movePointer(x: place.x, y: place.y)
            try scene.pump("the drop caret", and: [embedded]) { first.view.dropCaret.position != nil }
            #expect(second.window.takeDrops(on: host.topLevel))
            #expect(first.view.dropCaret.position == nil)
            scene.probe.strike(.escape)
            try scene.pump("the end", and: [embedded]) { scene.display.draggingSession == nil }
            scene.probe.button(1, down: false)
            first.view.close()
            XSync(embedded.connection, 0)
            #expect(host.proxy == [second.window.id.rawValue])
            try begin(0..<4, of: scene.view, scene)
            try drop(at: 0, of: second.view, scene, and: [embedded])
            #expect(second.view.text == "one " + expected[1])
        }

        // MARK: Lists, and edges

        @Test func aListOfFilesIsTextWhereNobodyTakesFiles() throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            let owner = try RawOwner(
                scene.server.display, "XdndSelection",
                answers: [
                    (
                        "text/uri-list", "text/uri-list",
                        Array("# two\r\nfile:///tmp/a%20b.txt\r\nhttp://localhost/c\r\n".utf8)
                    )
                ])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            peer.send("XdndEnter", [5 << 24, Int(raw.atom("text/uri-list")), 0, 0])
            peer.send(
                "XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
            #expect(try peer.answer() == ("XdndStatus", 3))
            peer.send("XdndDrop", [0, 0, 0, 0])
            let expected = "one file:///tmp/a%20b.txt\nhttp://localhost/ctwo"
            try scene.pump("the list", instead: { view.text }) {
                owner.serve()
                return view.text == expected
            }
            #expect(try peer.answer() == ("XdndFinished", 1))
            view.session.undo()
            #expect(view.text == "one two")
        }

        /// A browser offers a dragged link as a list of addresses and as text.
        @Test(arguments: [false, true]) func aLinkIsTextWhereFilesAreTaken(_ isStyled: Bool) throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            view.options.acceptsStyles = isStyled
            var (asked, ends) = (0, 0)
            view.onDropFiles = { _ in
                asked += 1
                return true
            }
            view.onPlaceFiles = { _, _ in
                asked += 1
                return true
            }
            view.onPasteEnd = { ends += 1 }
            let address = "https://example.org/page"
            let owner = try RawOwner(
                scene.server.display, "XdndSelection",
                answers: [
                    ("text/uri-list", "text/uri-list", Array((address + "\r\n").utf8)),
                    ("UTF8_STRING", "UTF8_STRING", Array("link ".utf8)),
                ])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            // The second drag offers only the list: its text is inserted.
            for (offered, expected) in [
                (["text/uri-list", "UTF8_STRING"], "one link two"), (["text/uri-list"], "one \(address)link two"),
            ] {
                let types = offered.map { Int(raw.atom($0)) }
                peer.send("XdndEnter", [5 << 24, types[0], types.count > 1 ? types[1] : 0, 0])
                peer.send("XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
                #expect(try peer.answer() == ("XdndStatus", 3))
                peer.send("XdndDrop", [0, 0, 0, 0])
                try scene.pump("the text", instead: { view.text }) {
                    owner.serve()
                    return view.text == expected
                }
                #expect(try peer.answer() == ("XdndFinished", 1))
            }
            #expect(asked == 0 && ends == 2 && !view.session.awaitsText)
        }

        /// Of several dropped files, those that are not inserted are opened, or whatever else the program does with files.
        @Test func filesOfADropAreDivided() throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            view.options.acceptsStyles = true
            var (placed, opened): ([String], [String]) = ([], [])
            view.placesFile = { $0.description.hasSuffix(".png") }
            view.onPlaceFiles = { files, place in
                placed += files.map(\.description)
                place(StyledText("pictures "))
                return true
            }
            view.onDropFiles = { files in
                opened += files.map(\.description)
                return true
            }
            let owner = try RawOwner(
                scene.server.display, "XdndSelection",
                answers: [
                    (
                        "text/uri-list", "text/uri-list",
                        Array("file:///tmp/a.png\r\nfile:///tmp/b.txt\r\nfile:///tmp/c.png\r\n".utf8)
                    )
                ])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            peer.send("XdndEnter", [5 << 24, Int(raw.atom("text/uri-list")), 0, 0])
            peer.send("XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
            #expect(try peer.answer() == ("XdndStatus", 3))
            peer.send("XdndDrop", [0, 0, 0, 0])
            try scene.pump("the pictures", instead: { view.text }) {
                owner.serve()
                return view.text == "one pictures two"
            }
            #expect(placed == ["/tmp/a.png", "/tmp/c.png"] && opened == ["/tmp/b.txt"])
            #expect(try peer.answer() == ("XdndFinished", 1))
        }

        /// Programs that save after all pending edits wait for the end of a drop, also if nobody takes the files.
        @Test func aListOfFilesThatNobodyTakesEndsTheDrop() throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            view.options.acceptsStyles = true
            var (asked, ends) = (0, 0)
            view.onPlaceFiles = { files, _ in
                asked += files.count
                return false
            }
            view.onPasteEnd = { ends += 1 }
            let owner = try RawOwner(
                scene.server.display, "XdndSelection",
                answers: [("text/uri-list", "text/uri-list", Array("file:///tmp/a.txt\r\n".utf8))])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            peer.send("XdndEnter", [5 << 24, Int(raw.atom("text/uri-list")), 0, 0])
            peer.send("XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
            #expect(try peer.answer() == ("XdndStatus", 3))
            peer.send("XdndDrop", [0, 0, 0, 0])
            try scene.pump("the refused list") {
                owner.serve()
                return asked == 1 && !view.session.awaitsText
            }
            #expect(ends == 1 && view.text == "one two")
            #expect(try peer.answer() == ("XdndFinished", 0))
        }

        /// The source sends the dropped text late, after an edit above: the text still goes to the dropped
        /// position.
        @Test func droppedTextIsInsertedWhereItWasDropped() throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            let owner = try RawOwner(
                scene.server.display, "XdndSelection", answers: [("UTF8_STRING", "UTF8_STRING", Array("new ".utf8))])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            peer.send("XdndEnter", [5 << 24, Int(raw.atom("UTF8_STRING")), 0, 0])
            peer.send("XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
            #expect(try peer.answer() == ("XdndStatus", 3))
            peer.send("XdndDrop", [0, 0, 0, 0])
            try scene.pump("the drop") { !scene.display.transfers.incoming.isEmpty }
            view.store.replace(0..<0 as Range<UTF16Offset>, with: "above\n", view: nil)
            try scene.pump("the text", instead: { view.text }) {
                owner.serve()
                return view.text == "above\none new two"
            }
            #expect(try peer.answer() == ("XdndFinished", 1))
        }

        /// A source that drops repeatedly without sending the text: each new drag cancels the drop before.
        @Test func aDropThatAnotherDragFollowsIsGivenUp() throws {
            let peer = try RawDragger(over: "one two")
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            // Raise the time-out, so that the pending drops do not end by themselves during the test.
            scene.display.dragAndDrop.selection.timeout = 600_000
            let owner = try RawOwner(scene.server.display, "XdndSelection", answers: [])
            defer {
                owner.close()
                peer.end()
            }
            let place = try root(4, in: view)
            for number in 1...20 {
                peer.send("XdndEnter", [5 << 24, Int(raw.atom("UTF8_STRING")), 0, 0])
                if number > 1 { #expect(try peer.answer() == ("XdndFinished", 0)) }
                peer.send("XdndPosition", [0, place.x << 16 | place.y, 0, Int(raw.atom("XdndActionCopy"))])
                #expect(try peer.answer() == ("XdndStatus", 3))
                peer.send("XdndDrop", [0, number, 0, 0])
                try scene.pump("the drop") { !scene.display.transfers.incoming.isEmpty }
                #expect(scene.display.transfers.incoming.count == 1)
            }
        }

        /// A source whose pointer does not move sends no messages, so the view scrolls by its own timer.
        @Test func aDragAtRestNearAnEdgeScrollsUntilItLeavesOrIsGone() throws {
            let peer = try RawDragger(over: (0..<400).map { "line \($0)" }.joined(separator: "\n"))
            defer { peer.end() }
            let (scene, raw, view) = (peer.scene, peer.raw, peer.view)
            let origin = scene.window.window.rootOrigin
            let (left, top) = (Int(origin.x + view.frame.minX) + 30, Int(origin.y + view.frame.minY))
            let bottom = Int(origin.y + view.frame.maxY)
            func rest(at y: Int) throws {
                peer.send(
                    "XdndPosition", [0, left << 16 | y, 0, Int(raw.atom("XdndActionCopy"))])
                #expect(try peer.answer() == ("XdndStatus", 3))
            }
            func enter() { peer.send("XdndEnter", [5 << 24, Int(raw.atom("UTF8_STRING")), 0, 0]) }
            enter()
            try rest(at: (top + bottom) / 2)
            #expect(view.dropTimer == nil, "not in the middle")
            try rest(at: bottom - 2)
            try scene.pump("the text to scroll on") { view.scrolled > 100 }
            let place = try #require(view.dropCaret.position)
            #expect(view.bounds.intersects(view.caretRect(for: place)), "the drop caret stays under the pointer")
            try rest(at: top + 2)
            try scene.pump("the text to scroll back") { view.scrolled <= 0 }
            for end in ["left", "gone"] {
                if end == "gone" { enter() }
                try rest(at: bottom - 2)
                let before = view.scrolled
                try scene.pump("the text to scroll again") { view.scrolled > before }
                if end == "left" { peer.send("XdndLeave", [0, 0, 0, 0]) } else { raw.close() }
                try scene.pump("the end of it") { view.dropCaret.position == nil && view.dropTimer == nil }
            }
        }

        /// Random drag messages with random words must not affect the handling of valid messages after them.
        @Test func aFloodOfMessagesOfADragCostsLittle() throws {
            let peer = try RawDragger(over: "text")
            defer { peer.end() }
            let (scene, raw) = (peer.scene, peer.raw)
            let copy = Int(raw.atom("XdndActionCopy"))
            let text = Int(raw.atom("UTF8_STRING"))
            let place = try root(2, in: scene.view)
            let point = place.x << 16 | place.y
            raw.set(raw.atom("XdndTypeList"), Array(repeating: .max, count: 60_000))
            var random = SeededGenerator()
            var toll = PeerToll()
            for _ in 0..<500 {
                let names = ["XdndEnter", "XdndPosition", "XdndLeave", "XdndDrop", "XdndStatus", "XdndFinished"]
                func word() -> Int {
                    switch random.below(4) {
                    case 0: 5 << 24 | random.below(2)
                    case 1: point
                    case 2: random.once(in: 2) ? copy : text
                    default: Int(truncatingIfNeeded: random.next())
                    }
                }
                peer.send(names[random.below(names.count)], [word(), word(), word(), word()])
            }
            // The client reads its answers only now.
            peer.send("XdndLeave", [0, 0, 0, 0])
            peer.send("XdndEnter", [5 << 24, text, 0, 0])
            peer.send("XdndPosition", [0, point, 0, copy])
            try waitUntil("the drop caret of the last", within: 20_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                var event = XEvent()
                while XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 {}
                return scene.view.dropCaret.position?.offset == 2
            }
            #expect(scene.view.text == "text")
            toll.report("500 messages of a drag with any words", megabytes: 16)
            peer.send("XdndLeave", [0, 0, 0, 0])
            try scene.pump("its end") { scene.view.dropCaret.position == nil }
        }

        /// Covers INT 55 of the checklist for interaction.
        @Test func aTargetThatNeverAnswersHoldsUpNobody() throws {
            let peer = try RawDragger(over: "one two")
            defer { peer.end() }
            let (scene, raw) = (peer.scene, peer.raw)
            XMoveResizeWindow(raw.connection, raw.window, 600, 500, 100, 100)
            var version: UInt = 5
            withUnsafeBytes(of: &version) {
                _ = XChangeProperty(
                    raw.connection, raw.window, raw.atom("XdndAware"), 4, 32, PropModeReplace,
                    $0.assumingMemoryBound(to: UInt8.self).baseAddress, 1)
            }
            XMapWindow(raw.connection, raw.window)
            XSync(raw.connection, 0)
            scene.view.store.removeAllUndo()
            scene.display.dragAndDrop.timing.status = 300
            try begin(0..<3, of: scene.view, scene)
            scene.probe.movePointer(x: 650, y: 550)
            var toll = PeerToll()
            #expect(try peer.answer(&toll).name == "XdndEnter")
            // Meanwhile keys are handled and windows are painted. After the button is released, the drop ends
            // without effect.
            scene.probe.button(1, down: false)
            try waitUntil("the end of it", within: 20_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                return scene.display.draggingSession == nil
            }
            toll.report("a target that never answers", megabytes: 8)
            var names: [String] = []
            var event = XEvent()
            while XCheckTypedEvent(raw.connection, ClientMessage, &event) != 0 {
                names.append(raw.name(of: event.xclient.message_type))
            }
            #expect(names.last == "XdndLeave" && !names.contains("XdndDrop"))
            #expect(scene.view.text == "one two" && !scene.view.store.canUndo)
        }
    }
}
