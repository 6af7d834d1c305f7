import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct KeyBindingTests {
    private func commands(_ event: KeyEvent, _ table: KeyBindingTable = .desktop) -> [EditCommand] {
        let view = ReferenceTextView("text")
        let context = TextInputContext(client: view, keyBindings: table)
        context.type(event)
        return view.performedCommands
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var keysym: Keysym
        var latin: Keysym?
        var modifiers: KeyModifiers
        var expected: [EditCommand]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Case(name: "Ctrl+Left", keysym: .left, modifiers: .control, expected: [.moveWordLeft]),
        Case(
            name: "Ctrl+Shift+Left", keysym: .left, modifiers: [.control, .shift],
            expected: [.moveWordLeftAndModifySelection]),
        Case(name: "Ctrl+C on a Russian layout", keysym: 0x6d3, latin: 0x63, modifiers: .control, expected: [.copy]),
        Case(
            name: "Ctrl+Shift+Z on a Greek layout", keysym: 0x7c6, latin: 0x5a, modifiers: [.control, .shift],
            expected: [.redo]),
        Case(name: "Ctrl+Z with Caps Lock", keysym: 0x5a, modifiers: [.control, .capsLock], expected: [.undo]),
        Case(name: "keypad Left without Num Lock", keysym: 0xff96, modifiers: [], expected: [.moveLeft]),
        Case(name: "keypad Enter", keysym: 0xff8d, modifiers: .numLock, expected: [.insertNewline]),
        Case(name: "Shift+Tab", keysym: .leftTab, modifiers: .shift, expected: [.insertBacktab]),
        Case(name: "Shift+BackSpace", keysym: .backSpace, modifiers: .shift, expected: [.deleteBackward]),
        Case(name: "Shift+Insert", keysym: .insert, modifiers: .shift, expected: [.paste]),
    ])
    func keysFindTheirCommands(_ c: Case) {
        #expect(
            commands(KeyEvent(keysym: c.keysym, latinKeysym: c.latin, modifiers: c.modifiers)) == c.expected)
    }

    @Test func aDigitWithShiftIsBoundWhateverSymbolTheLayoutGivesIt() throws {
        func binds(_ name: String, keycode: UInt8, _ keysym: Keysym, _ modifiers: KeyModifiers) throws -> Bool {
            let stroke = try #require(KeyStroke(name))
            let event = KeyEvent(keycode: keycode, keysym: keysym, modifiers: modifiers)
            return KeyStroke.candidates(for: event).contains(stroke)
        }
        // `%` on the US layout, `(` on the German one, and 5 on the French one, where digits need Shift.
        #expect(try binds("Alt+Shift+5", keycode: 14, 0x25, [.alt, .shift]))
        #expect(try binds("Ctrl+Shift+8", keycode: 17, 0x28, [.control, .shift]))
        #expect(try binds("Alt+Shift+5", keycode: 14, 0x35, [.alt, .shift]))
        // The layout's symbol matches too, and a digit matches no other digit.
        #expect(try binds("Alt+percent", keycode: 14, 0x25, [.alt, .shift]))
        #expect(try !binds("Ctrl+Shift+5", keycode: 14, 0x37, [.control, .shift]))
        #expect(try !binds("Shift+5", keycode: 14, 0x25, .shift))
        #expect(try !binds("Ctrl+5", keycode: 14, 0x25, .control))
    }

    @Test(arguments: [KeyBindingTable.desktop, .emacs]) func commandsOfAProgramHaveKeys(_ table: KeyBindingTable) {
        let commands: [EditCommand] = [
            .newDocument, .openDocument, .saveDocument, .saveDocumentAs, .performClose, .terminate, .makeTextLarger,
            .makeTextSmaller, .makeTextStandardSize, .showHelp, .printDocument, .findAndReplace, .findNext,
            .findPrevious, .findPrimary,
            .goToLine, .showContextMenu, .showMenu, .toggleFullScreen, .undo, .copy, .cut, .paste, .selectAll,
            .cancelOperation,
        ]
        for command in commands { #expect(table.strokes(for: command) != nil, "\(command)") }
        #expect(table.strokes(for: .find) != nil || table.strokes(for: .findOrNext) != nil)
    }

    @Test func chordsNeedAllTheirKeysAndWrongOnesAreUsedUp() {
        let view = ReferenceTextView("text")
        let context = TextInputContext(client: view, keyBindings: .emacs)
        func press(_ keysym: Keysym, _ characters: String, _ modifiers: KeyModifiers = []) {
            context.type(KeyEvent(keysym: keysym, characters: characters, modifiers: modifiers))
        }
        press(0x78, "", .control)
        #expect(view.performedCommands.isEmpty)
        press(0x78, "", .control)
        #expect(view.performedCommands == [.swapWithMark])
        press(0x78, "", .control)
        press(0x71, "q")
        press(0x71, "q")
        #expect(view.string == "textq")
    }

    @Test func typedTextIsNoCommand() {
        let view = ReferenceTextView("")
        let context = TextInputContext(client: view)
        context.type(KeyEvent(keysym: 0x40, characters: "@", modifiers: [.level3]))
        context.type(KeyEvent(keysym: 0xffb4, characters: "4", modifiers: .numLock))
        context.type(KeyEvent(keysym: 0x61, characters: "a", modifiers: .alt))
        #expect(view.string == "@4")
    }

    @Test func aPriorityCommandComesBeforeMethodAndBindingsButNotIntoCompositions() {
        let s = Simulation("ab cd", server: Simulation.Server(kind: .composing))
        s.view.keyCommands = [
            KeyCommand(input: .left, modifierFlags: .control, action: .selectAll, wantsPriorityOverSystemBehavior: true)
        ]
        s.key(.left, "", .control)
        #expect(s.view.performedCommands == [.selectAll])
        #expect(!s.method.log.contains { $0.hasPrefix("key") })
        s.type("x")
        s.run(100)
        s.key(.left, "", .control)
        #expect(s.view.performedCommands == [.selectAll])
        #expect(s.method.log.filter { $0.hasPrefix("key") }.count == 2)
        s.view.keyCommands = [KeyCommand(input: .left, modifierFlags: .control, action: .selectAll)]
        s.waitUntilIdle()
        #expect(s.view.performedCommands.last == .moveWordLeft)
    }

    @Test func aRefusedCommandIsNeverCalled() {
        final class Refusing: ReferenceTextView {
            override func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
                action != .selectAll
            }
        }
        let view = Refusing("abc")
        let context = TextInputContext(client: view)
        context.type(KeyEvent(keysym: 0x61, modifiers: .control))
        #expect(!context.perform(.selectAll))
        #expect(view.performedCommands.isEmpty)
    }

    @Test func aCommandThatTheViewDoesNotKnowGoesUpTheChain() {
        final class Host: Responder {
            var performed: [EditCommand] = []
            func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
                performed.append(action)
                return true
            }
        }
        let view = ReferenceTextView("abc")
        let host = Host()
        view.next = host
        var table = KeyBindingTable.desktop
        table.add(KeyBinding("Ctrl+s", EditCommand("saveDocument:")))
        let context = TextInputContext(client: view, keyBindings: table)
        context.type(KeyEvent(keysym: 0x73, modifiers: .control))
        #expect(host.performed == [EditCommand("saveDocument")])
    }

    @Test func aUsersFileChangesTheTable() throws {
        let table = try KeyBindingTable(
            parsing: """
                # mine
                base = emacs
                Ctrl+X Ctrl+U = undo   # chord
                Ctrl+= = selectAll
                C-o = insertNewline, moveBackward
                Ctrl+Y = none
                """)
        #expect(table.match([KeyStroke(0x78, .control)]) == .prefix)
        #expect(table.match([KeyStroke(0x78, .control), KeyStroke(0x75, .control)]) == .commands([.undo]))
        #expect(table.match([KeyStroke(0x3d, .control)]) == .commands([.selectAll]))
        #expect(table.match([KeyStroke(0x6f, .control)]) == .commands([.insertNewline, .moveBackward]))
        #expect(table.match([KeyStroke(0x79, .control)]) == .none)
    }

    @Test func mistakesOfAUsersFileAreNamedByLine() {
        var salvaged: KeyBindingTable?
        let error = #expect(throws: KeyBindingFileError.self) {
            try KeyBindingTable(
                parsing: "Ctrl+Lefft = moveLeft\nCtrl+K = deleteToEndOfParagrap\nF5 = undo\nnothing\nbase = emacs\n",
                file: "keys", salvaged: { salvaged = $0 })
        }
        #expect(error?.lines.map(\.number) == [1, 2, 4, 5])
        #expect(
            error?.description.contains(
                "keys:2: there is no command deleteToEndOfParagrap; did you mean deleteToEndOfParagraph?") == true)
        #expect(salvaged?.match([KeyStroke(0xffc2)]) == .commands([.undo]))
    }

    /// The comparison with all known names takes time for each letter, and a file may contain a million.
    @Test func noProposalForOverlongCommandNames() {
        let error = #expect(throws: KeyBindingFileError.self) {
            try KeyBindingTable(parsing: "F5 = undo\nCtrl+K = \(String(repeating: "a", count: 10_000))\n", file: "keys")
        }
        #expect(error?.lines.map(\.number) == [2])
        #expect(error?.description.contains("did you mean") == false)
    }

    /// All prefixes of a chord are stored: for 50,000 keys they would need ten gigabytes.
    @Test func aChordIsOfUpToEightKeys() {
        var salvaged: KeyBindingTable?
        let longest = Array(repeating: "Ctrl+x", count: 8).joined(separator: " ")
        let error = #expect(throws: KeyBindingFileError.self) {
            try KeyBindingTable(
                parsing: "\(longest) = undo\n\(longest) a = redo\nF5 = redo\n", file: "keys",
                salvaged: { salvaged = $0 })
        }
        #expect(error?.description == "keys:2: too many keys: a chord has at most 8")
        let strokes = Array(repeating: KeyStroke(0x78, .control), count: 8)
        #expect(salvaged?.match(strokes) == .commands([.undo]))
        #expect(salvaged?.match([KeyStroke(0xffc2)]) == .commands([.redo]))
    }

    @Test func commandsThatNobodyPerformsAreMistakesWithAReason() {
        let error = #expect(throws: KeyBindingFileError.self) {
            try KeyBindingTable(
                parsing: "F2 = complete:\nF3 = toggleOverwriteMode\nF4 = undo, quickLookPreviewItems\n",
                file: "keys")
        }
        #expect(
            error?.description == """
                keys:1: the command complete is not supported: nothing here completes words
                keys:3: the command quickLookPreviewItems is not supported: nothing here can be previewed
                """)
        // A program that performs one of these commands may allow its binding.
        let known = EditCommand.all + [EditCommand("complete")]
        #expect(throws: Never.self) { try KeyBindingTable(parsing: "F2 = complete", knownCommands: known) }
        #expect(EditCommand.all.allSatisfy { EditCommand.unsupported[$0] == nil })
    }

    @Test func everyStandardBindingReadsBack() {
        for table in [KeyBindingTable.desktop, .emacs] {
            for binding in table.bindings {
                for stroke in binding.strokes { #expect(KeyStroke(stroke.description) == stroke, "\(stroke)") }
                for command in binding.commands { #expect(EditCommand.all.contains(command), "\(command)") }
            }
        }
    }
}
