import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@Suite struct TraceTests {
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
        s.settle()
        s.session.receive([
            .preeditStart,
            .preeditDraw(
                PreeditDraw(
                    caret: 1, changeFirst: 0, changeLength: 0, text: "日😀\"\n", feedback: [.reverse, .underline])),
        ])
        s.session.receive([.preeditCaret(PreeditCaret(direction: .lineEnd, position: 0, style: .invisible))])
        s.session.receive([.commit("終")])
        s.settle()
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

    @Test func aReplayFailsForAnotherUnit() {
        // The recording of a client that took scalars for UTF-16 units.
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
