import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Keys of real layouts, key tables and shortcuts in a text view of a window.
    @Suite struct WidgetKeysTests {
        struct Layout: Sendable, CustomTestStringConvertible {
            var names: String
            var group: UInt32
            /// The text that the American keys a, b and c type in this layout.
            var word: String
            var testDescription: String { "\(names), group \(group)" }
        }

        @Test(arguments: [
            Layout(names: "us,ru", group: 1, word: "фис"), Layout(names: "us,gr", group: 1, word: "αβψ"),
            Layout(names: "ru", group: 0, word: "фис"), Layout(names: "gr", group: 0, word: "αβψ"),
        ])
        func shortcutsWorkOnLayoutsThatAreNotLatin(_ layout: Layout) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.server.setLayout(layout.names)
            let (_, views) = try scene.makeWindow([""])
            let view = views[0]
            XkbLockGroup(scene.display.connection, UInt32(XkbUseCoreKbd), layout.group)
            try scene.pump("the layout's letters") {
                scene.probe.type("a")
                scene.probe.sync()
                scene.display.processEvents()
                return view.text.hasSuffix(String(layout.word.prefix(1)))
            }
            view.text = ""
            let text = layout.word + " " + layout.word
            try scene.type("abc abc", into: view, expecting: text)
            scene.probe.strike(.left, holding: [.leftControl])
            try scene.pump("Ctrl+Left") { view.selected == 4..<4 }
            scene.probe.strike(.left, holding: [.leftControl, .leftShift])
            try scene.pump("Ctrl+Shift+Left") { view.selected == 0..<4 }
            scene.probe.strike(.right, holding: [.leftControl])
            try scene.pump("Ctrl+Right") { view.selected == 3..<3 }
            // A shortcut's letter is the one that the key types in the Latin layout.
            scene.probe.control("a")
            try scene.pump("Ctrl+A") { view.selected == 0..<7 }
            scene.probe.control("x")
            try scene.expect(text: "", in: view)
            scene.probe.control("v")
            try scene.expect(text: text, in: view)
            scene.probe.control("z")
            try scene.expect(text: "", in: view)
            scene.probe.control("z", shift: true)
            try scene.expect(text: text, in: view)
        }

        /// The user's later actions do not overtake keys that wait for a paste.
        @Test func clicksAndWorkKeepTheirOrderWithKeysThatWait() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["one two"])
            let view = views[0]
            view.select(Selection(caret: 7))
            window.keysWait = true
            scene.probe.type("x")
            try scene.pump("the key to wait") { window.hasWaitingKeys }
            var seen: [String] = []
            window.performInOrder { seen.append("later: \(view.text)") }
            window.performInOrder(beforeWaitingKeys: true) { seen.append("at once: \(view.text)") }
            // Click before the first letter of the first line.
            scene.probe.click(x: 41, y: 50)
            scene.probe.type("y")
            scene.waitUntilIdle()
            window.keysWait = false
            try scene.expect(text: "yone twox", in: view)
            #expect(seen == ["at once: one two", "later: one twox"])
            #expect(!window.hasWaitingKeys)
        }

        /// Dropped text and focus changes do not overtake waiting keys either.
        @Test func theFocusThatGoesLeavesKeysThatWaitTheirOrder() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow([""])
            window.keysWait = true
            scene.probe.type("ab")
            try scene.pump("the keys to wait") { window.hasWaitingKeys }
            scene.probe.focusNothing()
            try scene.pump("the focus to go") { !window.window.isFocused }
            window.keysWait = false
            try scene.expect(text: "ab", in: views[0])
        }

        /// A window that replaces another receives its waiting keys, and later keys until the old window is closed.
        @Test func theWindowThatTakesAnothersPlaceHasItsKeys() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (former, views) = try scene.makeWindow([""])
            former.keysWait = true
            scene.probe.type("ab")
            try scene.pump("the keys to wait") { former.hasWaitingKeys }
            var performed = false
            former.performInOrder { performed = true }
            let other = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            let view = TextView(in: other)
            other.keysWait = true
            former.passKeys(to: other)
            #expect(other.hasWaitingKeys && !former.hasWaitingKeys)
            scene.probe.type("cd")
            // The keys have reached the connection, but no turn of the event loop has handled them.
            scene.probe.sync()
            former.close()
            other.keysWait = false
            try scene.expect(text: "abcd", in: view)
            #expect(views[0].text.isEmpty && !performed)
        }

        /// The window that is replaced stays until the one in its place has the focus, so that no key is struck
        /// while neither has it. It passes on its keys, and takes no presses.
        @Test func theReplacedWindowStaysUntilItsSuccessorHasTheFocus() throws {
            let scene = try DisplayScene(width: 800, height: 600, manager: true)
            defer { scene.end() }
            let (former, views) = try scene.makeWindow(["old"])
            try scene.pump("the focus") { former.window.isFocused }
            let other = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            let view = TextView(in: other)
            var wasFocused: Bool?
            former.passKeys(to: other)
            former.closeAfterSuccessor { wasFocused = other.window.isFocused }
            scene.probe.type("ab")
            try scene.pump("the keys in the window behind the former one") { other.hasWaitingKeys }
            #expect(!former.window.isClosed && former.window.isShown && wasFocused == nil)
            #expect(scene.probe.focusedWindow == former.window.id.rawValue)
            other.show()
            scene.probe.type("cd")
            try scene.pump("the end of the former window") { former.window.isClosed }
            #expect(wasFocused == true)
            scene.probe.type("ef")
            try scene.expect(text: "abcdef", in: view)
            #expect(views[0].text == "old")
        }

        /// A window that never gets the focus replaces the former one nevertheless.
        @Test func aSuccessorThatIsClosedClosesTheWindowsThatItReplaces() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (former, _) = try scene.makeWindow([""])
            let other = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            let last = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
            former.passKeys(to: other)
            former.closeAfterSuccessor()
            other.passKeys(to: last)
            other.closeAfterSuccessor()
            #expect(!former.window.isClosed && !other.window.isClosed)
            last.close()
            #expect(former.window.isClosed && other.window.isClosed)
        }

        /// A screen reader that answers when the test allows it.
        final class SlowReader: KeyReader {
            var wantsKeys = true
            private(set) var questions: [(Bool) -> Void] = []

            func show(_ key: KeyEvent, then handler: @escaping (Bool) -> Void) {
                if key.phase == .up { handler(false) } else { questions.append(handler) }
            }

            func leaveNext() { questions.removeFirst()(false) }
        }

        /// A save or a close is performed after a key that the screen reader still holds.
        @Test func workInOrderComesBehindAKeyThatAReaderHas() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow([""])
            let reader = SlowReader()
            window.keyReader = reader
            scene.probe.type("a")
            try scene.pump("the key at the reader") { reader.questions.count == 1 }
            var seen: [String] = []
            window.performInOrder { seen.append("save: \(views[0].text)") }
            window.performInOrder(beforeWaitingKeys: true) { seen.append("switch: \(views[0].text)") }
            scene.probe.type("b")
            scene.waitUntilIdle()
            #expect(seen.isEmpty && views[0].text.isEmpty)
            reader.leaveNext()
            try scene.pump("the next key at the reader") { reader.questions.count == 1 }
            reader.leaveNext()
            try scene.expect(text: "ab", in: views[0])
            // The save has waited for the key's release too.
            #expect(seen == ["switch: a", "save: a"])
        }

        /// The command of a key that the screen reader has released is performed before the next keys.
        @Test func aShortcutThatAReaderHasLeftComesBeforeTheNextKey() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["x"])
            views[0].select(Selection(caret: 1))
            let reader = SlowReader()
            window.keyReader = reader
            var seen: [String] = []
            window.keyInterceptor = { key in
                guard key.phase == .down, key.keysym == .escape else { return false }
                window.performInOrder { seen.append(views[0].text) }
                return true
            }
            scene.probe.strike(.escape)
            scene.probe.type("b")
            try scene.pump("the key at the reader") { reader.questions.count == 1 }
            scene.waitUntilIdle()
            reader.wantsKeys = false
            reader.leaveNext()
            try scene.expect(text: "xb", in: views[0])
            #expect(seen == ["x"])
        }

        /// While the screen reader holds a key, its window is replaced twice: the key comes first in the last
        /// window.
        @Test func aKeyThatAReaderHasGoesToTheWindowThatTakesThePlace() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (former, views) = try scene.makeWindow([""])
            let reader = SlowReader()
            former.keyReader = reader
            scene.probe.type("ab")
            try scene.pump("the key at the reader") { reader.questions.count == 1 && former.hasWaitingKeys }
            var windows: [WidgetWindow] = []
            var last = former
            for _ in 0..<2 {
                let next = try WidgetWindow(scene.display, size: Size(width: 200, height: 100))
                _ = TextView(in: next)
                next.keysWait = true
                last.passKeys(to: next)
                last.close()
                windows.append(next)
                last = next
            }
            let view = try #require(last.focusedView)
            // The window in the middle is closed.
            windows = [last]
            reader.leaveNext()
            #expect(view.text.isEmpty && last.hasWaitingKeys)
            last.keysWait = false
            try scene.expect(text: "ab", in: view)
            #expect(views[0].text.isEmpty)
        }

        @Test func theKeypadMovesOrTypesAsNumLockSays() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["one two"])
            let view = views[0]
            view.select(Selection(caret: 7))
            // 83 is the keypad's 4 and Left, 79 its 7 and Home, 104 its Enter, 77 Num Lock.
            scene.probe.strike(TestKey(83), holding: [.leftControl])
            try scene.pump("Ctrl and the keypad's Left") { view.selected == 4..<4 }
            scene.probe.strike(TestKey(79))
            try scene.pump("the keypad's Home") { view.selected == 0..<0 }
            scene.probe.strike(TestKey(77))
            scene.probe.strike(TestKey(83))
            scene.probe.strike(TestKey(104))
            try scene.expect(text: "4\none two", in: view)
        }

        @Test func theEmacsTableEditsWithChordsAndYank() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["one two\nthree"])
            let view = views[0]
            view.inputContext.keyBindings = .emacs
            view.select(Selection(caret: 7))
            scene.probe.control("a")
            scene.probe.strike(TestKey(typing: "f")!, holding: [.leftAlt])
            try scene.pump("Ctrl+A, Alt+F") { view.selected == 3..<3 }
            scene.probe.control("k")
            try scene.expect(text: "one\nthree", in: view)
            scene.probe.control("n")
            scene.probe.control("e")
            scene.probe.control("y")
            try scene.expect(text: "one\nthree two", in: view)
            scene.probe.strike(TestKey(typing: "b")!, holding: [.leftAlt])
            scene.probe.strike(TestKey(typing: "u")!, holding: [.leftAlt])
            try scene.expect(text: "one\nthree TWO", in: view)
            scene.probe.strike(TestKey(typing: "t")!, holding: [.leftAlt])
            scene.probe.control("t")
            // Ctrl+Space sets the mark; Ctrl+W cuts from the mark to the caret.
            scene.probe.strike(.space, holding: [.leftControl])
            scene.probe.control("p")
            scene.probe.control("w")
            try scene.pump("the cut") { view.text.hasPrefix("one") && view.text.utf16.count < 10 }
            // A pending chord is shown, and its second key inserts no text.
            var pending: [String] = []
            view.inputContext.onPendingStrokesChange = {
                pending.append(view.inputContext.pendingStrokes.map(\.description).joined(separator: " "))
            }
            scene.probe.control("x")
            try scene.pump("the chord") { !view.inputContext.pendingStrokes.isEmpty }
            scene.probe.type("h")
            try scene.pump("all of it") { view.selected == 0..<view.text.utf16.count }
            #expect(pending == ["Ctrl+X", ""])
            var commands: [EditCommand] = []
            window.onCommand = {
                commands.append($0)
                return true
            }
            scene.probe.control("x")
            scene.probe.control("s")
            try scene.pump("the window's command") { commands == [.saveDocument] }
            // A key that does not continue the chord is discarded with it; Ctrl+G cancels a chord.
            let text = view.text
            scene.probe.control("x")
            scene.probe.type("q")
            scene.probe.control("x")
            scene.probe.control("g")
            scene.probe.control("e")
            try scene.type("!", into: view, expecting: text + "!")
        }

        @Test func wordsThatAreCutOffAreYankedInAnotherViewToo() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["one two three", "", "secret"])
            window.focusOrder = .contents
            for view in views { view.inputContext.keyBindings = .emacs }
            views[2].options.isSecureTextEntry = true
            #expect(views[2].store.isConfidential)
            // Killing two words forward and then one backward yields one killed text.
            scene.probe.control("f")
            scene.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            scene.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            scene.probe.strike(.backspace, holding: [.leftAlt])
            try scene.expect(text: " three", in: views[0])
            scene.probe.control("y")
            try scene.expect(text: "one two three", in: views[0])
            scene.probe.strike(.tab, holding: [.leftControl])
            try scene.pump("the next view") { views[1].hasFocus }
            scene.probe.control("y")
            try scene.expect(text: "one two", in: views[1])
            // Text of a secure view is neither kept nor offered.
            scene.probe.strike(.tab, holding: [.leftControl])
            try scene.pump("the secret") { views[2].hasFocus }
            scene.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            try scene.expect(text: "", in: views[2])
            scene.probe.control("y")
            try scene.expect(text: "one two", in: views[2])
            // Ctrl+W and Alt+W cut and copy the range between mark and caret.
            #expect(views[1].focus())
            scene.probe.strike(.space, holding: [.leftControl])
            scene.probe.strike(TestKey(typing: "b")!, holding: [.leftAlt])
            scene.probe.control("w")
            try scene.expect(text: "one ", in: views[1])
            scene.probe.control("y")
            scene.probe.control("y")
            try scene.expect(text: "one twotwo", in: views[1])
        }

        @Test func commandsWithoutAKeyOfTheirOwnWorkFromAUsersTable() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["one", "two three"])
            var table = KeyBindingTable.desktop
            for (key, command) in [
                ("F2", EditCommand.pasteSelection), ("F3", .indent), ("F4", .makeBaseWritingDirectionRightToLeft),
            ] { table.add(KeyBinding(key, command)) }
            for view in views { view.inputContext.keyBindings = table }
            // Text selected by keys in one view is inserted in the other through PRIMARY; the clipboard is not
            // involved.
            #expect(views[1].focus())
            views[1].select(Selection(caret: 4))
            views[1].perform(.moveToEndOfDocumentAndModifySelection)
            #expect(views[0].focus())
            views[0].select(Selection(caret: 3))
            scene.probe.strike(TestKey(68))
            try scene.expect(text: "onethree", in: views[0])
            scene.probe.strike(TestKey(69))
            try scene.expect(text: "\tonethree", in: views[0])
            scene.probe.strike(.tab, holding: [.leftShift])
            try scene.expect(text: "onethree", in: views[0])
            scene.probe.strike(TestKey(70))
            try scene.pump("the direction") { views[0].options.baseWritingDirection == .rightToLeft }
            // Insert (118) starts and ends overwriting.
            scene.probe.strike(.home)
            scene.probe.strike(TestKey(118))
            try scene.type("xyz", into: views[0], expecting: "xyzthree")
            scene.probe.strike(TestKey(118))
            try scene.type("!", into: views[0], expecting: "xyz!three")
        }

        @Test func aPriorityCommandOverridesADefaultAndOthersDoNot() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.server.setLayout("us", variant: "intl")
            let (window, views) = try scene.makeWindow(["one two"])
            let view = views[0]
            // Records the performed commands, and whether there was marked text at the time.
            var performed: [String] = []
            view.onCommand = {
                performed.append("\($0)\(view.markedText == nil ? "" : " while composing")")
                return true
            }
            view.select(Selection(caret: 7))
            let jump = EditCommand("jump")
            window.keyCommands = [KeyCommand(input: .left, modifierFlags: .control, action: jump)]
            scene.probe.strike(.left, holding: [.leftControl])
            try scene.pump("the default") { view.selected == 4..<4 }
            window.keyCommands[0].wantsPriorityOverSystemBehavior = true
            scene.probe.strike(.left, holding: [.leftControl])
            try scene.pump("the command") { performed == ["jump"] }
            #expect(view.selected == 4..<4)
            // During a composition, the key goes to the method first; the command is performed once the method has
            // returned the key and ended the composition.
            scene.probe.type("'")
            try scene.pump("marked text") { view.markedText != nil }
            scene.probe.strike(.left, holding: [.leftControl])
            try scene.pump("the command") { performed == ["jump", "jump"] }
            #expect(view.markedText == nil && view.text == "one \u{b4}two")
            // A command may ask to be performed during a composition.
            window.keyCommands[0].isAllowedDuringComposition = true
            scene.probe.type("'")
            try scene.pump("marked text again") { view.markedText != nil }
            scene.probe.strike(.left, holding: [.leftControl])
            try scene.pump("the command again") { performed == ["jump", "jump", "jump while composing"] }
            #expect(view.markedText != nil)
        }
    }

    /// The editor with a key table chosen by the user.
    @Suite struct JourneyKeys {
        @Test func emacsKeysSaveAndQuitAndShowTheirChord() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\n", options: ["--keys", "emacs"])
            session.probe.control("e")
            session.probe.type(" two")
            try editor.waitForCall("insertText", after: 3)
            let before = session.probe.screenshot(of: editor.currentWindow)
            session.probe.control("x")
            try waitUntil("the chord in the status line", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                let now = session.probe.screenshot(of: editor.currentWindow)
                return now?.pixels.suffix(640 * 70) != before?.pixels.suffix(640 * 70)
            }
            session.probe.control("s")
            try waitUntil("the file to be saved") { (try? TextFiles.read(editor.file)) == "one two\n" }
            // Ctrl+Q alone has no binding. Ctrl+S opens the find bar, where chords still work.
            session.probe.type("!")
            session.probe.control("s")
            session.probe.control("q")
            try editor.waitForCall("insertText", after: 4)
            #expect(try TextFiles.read(editor.file) == "one two\n" && editor.process.isRunning)
            session.probe.control("x")
            session.probe.control("s")
            session.probe.control("x")
            session.probe.control("c")
            #expect(try editor.process.waitForExit(within: 10_000) == .exited(0), "\(session.logText)")
            #expect(try TextFiles.read(editor.file) == "one two!\n")
        }

        @Test func emacsKeysYankWhatTheyCutOffAndTheTraceReplaysIt() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one two three\n", options: ["--keys", "emacs"])
            session.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            session.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            session.probe.control("e")
            session.probe.control("y")
            session.probe.type("!")
            try editor.waitForCall("insertText", after: 0)
            session.probe.control("x")
            session.probe.control("s")
            try waitUntil("the file to be saved") {
                (try? TextFiles.read(editor.file)) == " threeone two!\n"
            }
            let (records, _) = TraceRecord.parse(try TextFiles.read(editor.trace.path))
            #expect(records.contains { $0.event == .keyBindings(.emacs) })
            let view = ViewScene().view
            let differences = TraceReplay(records).run(on: view)
            #expect(differences.isEmpty, "\(differences.prefix(3))")
            #expect(view.text == " threeone two!\n")
        }

        @Test func aUsersFileIsTakenAndItsMistakesAreNamed() throws {
            let session = try DesktopSession()
            defer { session.end() }
            try TextFiles.write(
                "# mine\nCtrl+J = moveToEndOfDocment\nCtrl+J = moveToEndOfDocument\nF2 = saveDocument\nCtrl+S = none\n",
                to: "\(session.home)/.config/inkstone/keys")
            let editor = try EditorProcess(in: session, text: "one\ntwo")
            session.probe.watchPixels(of: editor.window.id)
            try waitUntil(
                "a message in the colour of problems", within: 15_000, watching: [session.probe.descriptor]
            ) {
                session.probe.drainEvents()
                return session.probe.screenshot(of: editor.currentWindow)?.shows(EditorColor.problem) ?? false
            }
            #expect(
                session.logText.contains(
                    "keys:2: there is no command moveToEndOfDocment; did you mean moveToEndOfDocument?"))
            session.probe.control("j")
            session.probe.type("!")
            session.probe.control("s")
            session.probe.strike(TestKey(68))
            try waitUntil("F2 to save") { (try? TextFiles.read(editor.file)) == "one\ntwo!" }
        }
    }
}
