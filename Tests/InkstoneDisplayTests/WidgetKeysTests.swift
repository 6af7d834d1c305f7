import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Keys of real layouts, tables and shortcuts, as they come through a text view in a window.
    @Suite struct WidgetKeysTests {
        struct Layout: Sendable, CustomTestStringConvertible {
            var names: String
            var group: UInt32
            /// What the keys a, b and c of an American keyboard type.
            var word: String
            var testDescription: String { "\(names), group \(group)" }
        }

        @Test(arguments: [
            Layout(names: "us,ru", group: 1, word: "фис"), Layout(names: "us,gr", group: 1, word: "αβψ"),
            Layout(names: "ru", group: 0, word: "фис"), Layout(names: "gr", group: 0, word: "αβψ"),
        ])
        func shortcutsWorkOnLayoutsThatAreNotLatin(_ layout: Layout) throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            try desktop.session.server.setLayout(layout.names)
            let (_, views) = try desktop.window([""])
            let view = views[0]
            XkbLockGroup(desktop.display.connection, UInt32(XkbUseCoreKbd), layout.group)
            try desktop.pump("the layout's letters") {
                desktop.probe.type("a")
                desktop.probe.sync()
                desktop.display.processEvents()
                return view.text.hasSuffix(String(layout.word.prefix(1)))
            }
            view.text = ""
            let text = layout.word + " " + layout.word
            try desktop.type("abc abc", into: view, expecting: text)
            desktop.probe.strike(.left, holding: [.leftControl])
            try desktop.pump("Ctrl+Left") { view.selected == 4..<4 }
            desktop.probe.strike(.left, holding: [.leftControl, .leftShift])
            try desktop.pump("Ctrl+Shift+Left") { view.selected == 0..<4 }
            desktop.probe.strike(.right, holding: [.leftControl])
            try desktop.pump("Ctrl+Right") { view.selected == 3..<3 }
            // Letters: of the key that types them in the Latin layout.
            desktop.probe.control("a")
            try desktop.pump("Ctrl+A") { view.selected == 0..<7 }
            desktop.probe.control("x")
            try desktop.expect("", in: view)
            desktop.probe.control("v")
            try desktop.expect(text, in: view)
            desktop.probe.control("z")
            try desktop.expect("", in: view)
            desktop.probe.control("z", shift: true)
            try desktop.expect(text, in: view)
        }

        @Test func theKeypadMovesOrTypesAsNumLockSays() throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            let (_, views) = try desktop.window(["one two"])
            let view = views[0]
            view.editor.select(Selection(caret: 7))
            // 83 is the keypad's 4 and Left, 79 its 7 and Home, 104 its Enter, 77 Num Lock.
            desktop.probe.strike(TestKey(83), holding: [.leftControl])
            try desktop.pump("Ctrl and the keypad's Left") { view.selected == 4..<4 }
            desktop.probe.strike(TestKey(79))
            try desktop.pump("the keypad's Home") { view.selected == 0..<0 }
            desktop.probe.strike(TestKey(77))
            desktop.probe.strike(TestKey(83))
            desktop.probe.strike(TestKey(104))
            try desktop.expect("4\none two", in: view)
        }

        @Test func theEmacsTableEditsWithChordsAndYank() throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            let (window, views) = try desktop.window(["one two\nthree"])
            let view = views[0]
            view.keyBindings = .emacs
            view.editor.select(Selection(caret: 7))
            desktop.probe.control("a")
            desktop.probe.strike(TestKey(typing: "f")!, holding: [.leftAlt])
            try desktop.pump("Ctrl+A, Alt+F") { view.selected == 3..<3 }
            desktop.probe.control("k")
            try desktop.expect("one\nthree", in: view)
            desktop.probe.control("n")
            desktop.probe.control("e")
            desktop.probe.control("y")
            try desktop.expect("one\nthree two", in: view)
            desktop.probe.strike(TestKey(typing: "b")!, holding: [.leftAlt])
            desktop.probe.strike(TestKey(typing: "u")!, holding: [.leftAlt])
            try desktop.expect("one\nthree TWO", in: view)
            desktop.probe.strike(TestKey(typing: "t")!, holding: [.leftAlt])
            desktop.probe.control("t")
            // Ctrl+Space sets the mark, Ctrl+W cuts from there.
            desktop.probe.strike(.space, holding: [.leftControl])
            desktop.probe.control("p")
            desktop.probe.control("w")
            try desktop.pump("the cut") { view.text.hasPrefix("one") && view.text.utf16.count < 10 }
            // A chord: shown while it waits, and its second key is no text.
            var pending: [String] = []
            view.onPendingStrokesChange = {
                pending.append(view.pendingStrokes.map(\.description).joined(separator: " "))
            }
            desktop.probe.control("x")
            try desktop.pump("the chord") { !view.pendingStrokes.isEmpty }
            desktop.probe.type("h")
            try desktop.pump("all of it") { view.selected == 0..<view.text.utf16.count }
            #expect(pending == ["Ctrl+X", ""])
            var commands: [EditCommand] = []
            window.onCommand = {
                commands.append($0)
                return true
            }
            desktop.probe.control("x")
            desktop.probe.control("s")
            try desktop.pump("the window's command") { commands == [.saveDocument] }
            // A key that continues no chord is used up with it, and Ctrl+G gives a chord up.
            let text = view.text
            desktop.probe.control("x")
            desktop.probe.type("q")
            desktop.probe.control("x")
            desktop.probe.control("g")
            desktop.probe.control("e")
            try desktop.type("!", into: view, expecting: text + "!")
        }

        @Test func wordsThatAreCutOffAreYankedInAnotherViewToo() throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            let (window, views) = try desktop.window(["one two three", "", "secret"])
            window.focusOrder = .contents
            for view in views { view.keyBindings = .emacs }
            views[2].options.isSecureTextEntry = true
            #expect(views[2].editor.store.isConfidential)
            // Two words on, then one back: one text.
            desktop.probe.control("f")
            desktop.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            desktop.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            desktop.probe.strike(.backspace, holding: [.leftAlt])
            try desktop.expect(" three", in: views[0])
            desktop.probe.control("y")
            try desktop.expect("one two three", in: views[0])
            desktop.probe.strike(.tab, holding: [.leftControl])
            try desktop.pump("the next view") { views[1].hasFocus }
            desktop.probe.control("y")
            try desktop.expect("one two", in: views[1])
            // Nothing of the secret goes anywhere.
            desktop.probe.strike(.tab, holding: [.leftControl])
            try desktop.pump("the secret") { views[2].hasFocus }
            desktop.probe.strike(TestKey(typing: "d")!, holding: [.leftAlt])
            try desktop.expect("", in: views[2])
            desktop.probe.control("y")
            try desktop.expect("one two", in: views[2])
            // Ctrl+W and Alt+W take what the mark says.
            #expect(views[1].focus())
            desktop.probe.strike(.space, holding: [.leftControl])
            desktop.probe.strike(TestKey(typing: "b")!, holding: [.leftAlt])
            desktop.probe.control("w")
            try desktop.expect("one ", in: views[1])
            desktop.probe.control("y")
            desktop.probe.control("y")
            try desktop.expect("one twotwo", in: views[1])
        }

        @Test func commandsWithoutAKeyOfTheirOwnWorkFromAUsersTable() throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            let (_, views) = try desktop.window(["one", "two three"])
            var table = KeyBindingTable.desktop
            for (key, command) in [
                ("F2", EditCommand.pasteSelection), ("F3", .indent), ("F4", .makeBaseWritingDirectionRightToLeft),
            ] { table.add(KeyBinding(key, command)) }
            for view in views { view.keyBindings = table }
            // What is selected in one view is inserted in the other, and the clipboard is left out of it.
            #expect(views[1].focus())
            views[1].editor.select(Selection(anchor: 4, head: 9))
            #expect(views[0].focus())
            views[0].editor.select(Selection(caret: 3))
            desktop.probe.strike(TestKey(68))
            try desktop.expect("onethree", in: views[0])
            desktop.probe.strike(TestKey(69))
            try desktop.expect("\tonethree", in: views[0])
            desktop.probe.strike(.tab, holding: [.leftShift])
            try desktop.expect("onethree", in: views[0])
            desktop.probe.strike(TestKey(70))
            try desktop.pump("the direction") { views[0].options.baseWritingDirection == .rightToLeft }
            // Insert (118) begins to overwrite and ends it.
            desktop.probe.strike(.home)
            desktop.probe.strike(TestKey(118))
            try desktop.type("xyz", into: views[0], expecting: "xyzthree")
            desktop.probe.strike(TestKey(118))
            try desktop.type("!", into: views[0], expecting: "xyz!three")
        }

        @Test func aPriorityCommandOverridesADefaultAndOthersDoNot() throws {
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            try desktop.session.server.setLayout("us", variant: "intl")
            let (window, views) = try desktop.window(["one two"])
            let view = views[0]
            // What was performed, and whether text was being composed then.
            var performed: [String] = []
            view.onCommand = {
                performed.append("\($0)\(view.editor.markedText == nil ? "" : " while composing")")
                return true
            }
            view.editor.select(Selection(caret: 7))
            let jump = EditCommand("jump")
            window.keyCommands = [KeyCommand(input: .left, modifierFlags: .control, action: jump)]
            desktop.probe.strike(.left, holding: [.leftControl])
            try desktop.pump("the default") { view.selected == 4..<4 }
            window.keyCommands[0].wantsPriorityOverSystemBehavior = true
            desktop.probe.strike(.left, holding: [.leftControl])
            try desktop.pump("the command") { performed == ["jump"] }
            #expect(view.selected == 4..<4)
            // In mid-composition the key is the method's: it acts when the method has given it back and ended that.
            desktop.probe.type("'")
            try desktop.pump("marked text") { view.editor.markedText != nil }
            desktop.probe.strike(.left, holding: [.leftControl])
            try desktop.pump("the command") { performed == ["jump", "jump"] }
            #expect(view.editor.markedText == nil && view.text == "one \u{b4}two")
            // Unless the command asks for it.
            window.keyCommands[0].isAllowedDuringComposition = true
            desktop.probe.type("'")
            try desktop.pump("marked text again") { view.editor.markedText != nil }
            desktop.probe.strike(.left, holding: [.leftControl])
            try desktop.pump("the command again") { performed == ["jump", "jump", "jump while composing"] }
            #expect(view.editor.markedText != nil)
        }
    }

    /// The editor with a table of the user's choice.
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
            // Ctrl+S and Ctrl+Q alone are nobody's here.
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
            let view = EditorView(
                store: TextStore(), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
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
