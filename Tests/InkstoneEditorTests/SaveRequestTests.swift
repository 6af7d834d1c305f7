import Inkstone
import Testing

@testable import inkstone_editor

/// Saves that wait for another one.
@Suite(.timeLimit(.minutes(5))) struct SaveRequestTests {
    @Test func savesToOneFileAreOneWithAllThatWasAgreedTo() {
        var waiting = WaitingSaves()
        for _ in 0..<20 { waiting.add(SaveRequest()) }
        #expect(waiting.next == [SaveRequest()])
        waiting.add(SaveRequest(acceptingLoss: true))
        waiting.add(SaveRequest(method: .inPlace))
        waiting.add(SaveRequest(overwriting: true))
        waiting.add(SaveRequest())
        #expect(waiting.next == [SaveRequest(overwriting: true, acceptingLoss: true, method: .inPlace)])
        waiting.add(SaveRequest(method: .replacing))
        #expect(waiting.next.count == 1 && waiting.next[0].method == .replacing, "the later word counts")
    }

    @Test func savesToOtherFilesAreSavesOfTheirOwn() {
        var waiting = WaitingSaves()
        for path in [nil, "/a", "/a", "/b", nil] as [FilePath?] { waiting.add(SaveRequest(path: path)) }
        #expect(waiting.next.map(\.path) == [nil, "/a", "/b", nil])
        waiting.putBack([SaveRequest(path: "/c")])
        #expect(waiting.next.first?.path == "/c" && waiting.next.count == 5)
    }

    /// Another program's file is written in the way that was chosen for the own one only if that is chosen again.
    @Test func anotherFileIsOverwrittenWithAllElseThatWasAgreedTo() {
        let request = SaveRequest(path: "/a", acceptingLoss: true, method: .inPlace)
        #expect(request.overwritingFile() == SaveRequest(path: "/a", overwriting: true, acceptingLoss: true))
        #expect(SaveRequest().isPlain && !request.isPlain && !SaveRequest(overwriting: true).isPlain)
    }
}
