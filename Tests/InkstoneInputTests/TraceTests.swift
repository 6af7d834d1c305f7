import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@Suite(.timeLimit(.minutes(5))) struct TraceTests {
    private func record(_ server: Simulation.Server) -> (text: String, records: [TraceRecord]) {
        let s = Simulation("<....>", caret: 1, server: server)
        s.records = [
            TraceRecord(time: s.now, .document("<....>", UTF16Range(location: 1, length: 0)))
        ]
        s.type("ab ", every: 3)
        s.type("cd")
        s.click(fromEnd: 1)
        s.type("ef ")
        s.key(.backSpace)
        s.key(0x61, "", .control)
        s.waitUntilIdle()
        s.session.deliver([
            .preeditStart,
            .preeditDraw(
                PreeditDraw(
                    caret: 1, changeFirst: 0, changeLength: 0, text: "日😀\"\n", feedback: [.reverse, .underline])),
        ])
        s.session.deliver([.preeditCaret(PreeditCaret(direction: .lineEnd, position: 0, style: .invisible))])
        s.session.deliver([.commit("終")])
        s.waitUntilIdle()
        return (s.view.string, s.records)
    }

    @Test(arguments: SequencingTests.servers.filter { $0.delay < 20 })
    func aReplayMakesTheSameCallsAndText(_ server: Simulation.Server) {
        let (text, records) = record(server)
        let lines = records.map(\.line).joined(separator: "\n") + "\n"
        let (read, bad) = TraceRecord.parse(lines)
        #expect(bad.isEmpty)
        #expect(read.map(\.event) == records.map(\.event))
        let view = ReferenceTextView("", columns: 40)
        let replay = TraceReplay(read)
        let differences = replay.run(on: view)
        #expect(differences.isEmpty, "\(differences.prefix(3))")
        #expect(view.string == text)
        #expect(!replay.calls.isEmpty)
    }

    /// Ctrl+N moves down in one key table, and is unbound in the other.
    @Test(arguments: [KeyBindingTable.emacs, own]) func aReplayBindsKeysAsTheyWere(_ table: KeyBindingTable) throws {
        let s = Simulation("one\ntwo", caret: 0, server: Simulation.Server(kind: .composing))
        s.context.keyBindings = table
        var records: [TraceRecord] = []
        s.session.onRecord = { records.append($0) }
        s.type("a ")
        s.waitUntilIdle()
        s.key(0x6e, "", .control)
        s.waitUntilIdle()
        s.context.keyBindings = .desktop
        s.key(.home, "", .control)
        s.waitUntilIdle()
        s.context.keyBindings = table
        s.key(0x65, "", .control)
        s.waitUntilIdle()
        s.type("b ")
        s.waitUntilIdle()
        let (read, bad) = TraceRecord.parse(records.map { $0.line + "\n" }.joined())
        #expect(bad.isEmpty && read.map(\.event) == records.map(\.event))
        func isTable(_ record: TraceRecord) -> Bool {
            if case .keyBindings = record.event { true } else { false }
        }
        #expect(read.count(where: isTable) == 3)
        let view = ReferenceTextView("", columns: 40)
        let differences = TraceReplay(read).run(on: view)
        #expect(differences.isEmpty, "\(differences.prefix(3))")
        #expect(view.string == s.view.string && view.string.contains("b"))
        // Without the recorded key table, the replay gives other results.
        #expect(!TraceReplay(read.filter { !isTable($0) }).run(on: ReferenceTextView("", columns: 40)).isEmpty)
    }

    /// A method that dies during a composition and is restarted.
    @Test func aReplayLosesTheMethodWhenItWasLost() {
        let s = Simulation("<....>", caret: 1, server: Simulation.Server(kind: .composing))
        var records: [TraceRecord] = []
        s.session.onRecord = { records.append($0) }
        s.type("ab")
        s.waitUntilIdle()
        // Two keys are in flight.
        s.type("wx")
        s.method.isEngaged = false
        s.session.lose(afterSilence: 2000)
        s.type("yz")
        s.waitUntilIdle()
        s.method.isEngaged = true
        s.session.linkDidChange()
        s.type("cd ")
        s.waitUntilIdle()
        let (read, bad) = TraceRecord.parse(records.map { $0.line + "\n" }.joined())
        #expect(bad.isEmpty && read.map(\.event) == records.map(\.event))
        let view = ReferenceTextView("", columns: 40)
        let replay = TraceReplay(read)
        for _ in 0..<2 {
            let differences = replay.run(on: view)
            #expect(differences.isEmpty, "\(differences.prefix(3))")
            #expect(view.string == s.view.string && view.string.contains("xyz"))
        }
        let others = read.filter { if case .link = $0.event { false } else { true } }
        #expect(!TraceReplay(others).run(on: ReferenceTextView("", columns: 40)).isEmpty)
    }

    /// A user's own key table, with a chord and a key for several commands.
    private static let own: KeyBindingTable = {
        var table = KeyBindingTable()
        table.add(KeyBinding("Ctrl+n", .moveDown, .moveToEndOfLine))
        table.add(KeyBinding("Ctrl+x Ctrl+plus", .undo))
        table.add(KeyBinding("F2", EditCommand("an own \"one\"")))
        table.add(KeyBinding([KeyStroke(0x65, .control)], [.moveToEndOfDocument]))
        table.add(KeyBinding([KeyStroke(.home, .control)], []))
        return table
    }()

    @Test func aReplayFailsForAnotherUnit() {
        // A recording of a client that treated scalar counts as UTF-16 offsets.
        let records = record(Simulation.Server(kind: .composing)).records.map { record in
            guard case .call(.setMarkedText(let text, var selected, let range)) = record.event,
                text.string.hasPrefix("日😀")
            else { return record }
            selected.length = text.string.unicodeScalars.count
            return TraceRecord(time: record.time, .call(.setMarkedText(text, selected, range)))
        }
        #expect(!TraceReplay(records).run(on: ReferenceTextView("")).isEmpty)
    }

    @Test func linesThatAreNoRecordsAreNamed() {
        let (records, bad) = TraceRecord.parse(
            "{\"t\":1,\"type\":\"reset\"}\n\nnonsense\n{\"t\":1,\"type\":\"odd\"}\n{\"t\":1")
        #expect(records == [TraceRecord(time: 1, .reset)])
        #expect(bad == [3, 4, 5])
    }
}
