import Inkstone
import InkstoneFiles
import Testing

@testable import inkstone_editor

/// Save requests that wait while another save runs.
@Suite(.timeLimit(.minutes(5))) struct SaveRequestTests {
    @Test func savesToOneFileAreOneWithAllThatWasAgreedTo() {
        var waiting = WaitingSaves()
        for _ in 0..<20 { _ = waiting.add(SaveRequest()) }
        #expect(waiting.next == [SaveRequest()])
        var withPictures = WaitingSaves()
        let answer = PictureAnswer(document: "/a", leftOut: [])
        _ = withPictures.add(SaveRequest(pictures: answer))
        _ = withPictures.add(SaveRequest())
        #expect(withPictures.takeNext() == [SaveRequest(pictures: answer)] && withPictures.next.isEmpty)
        _ = waiting.add(SaveRequest(acceptingLoss: true))
        _ = waiting.add(SaveRequest(method: .inPlace))
        _ = waiting.add(SaveRequest(overwriting: true))
        _ = waiting.add(SaveRequest())
        #expect(waiting.next == [SaveRequest(overwriting: true, acceptingLoss: true, method: .inPlace)])
        _ = waiting.add(SaveRequest(method: .replacing))
        #expect(waiting.next.count == 1 && waiting.next[0].method == .replacing, "the later word counts")
    }

    /// A later request is the user's last word: the question about the save may be asked unless the user has typed
    /// since.
    @Test func mergedSavesAreAsOldAsTheLastOfThem() {
        var (input, waiting) = (InputMark(), WaitingSaves())
        let first = input
        _ = waiting.add(SaveRequest(request: first))
        input.advance()
        #expect(input != first)
        _ = waiting.add(SaveRequest(request: input))
        #expect(waiting.next.map(\.request) == [input])
    }

    /// A request that is merged into another releases the keys that it holds back; otherwise they would wait until
    /// a time-out.
    @Test func mergedSaveReleasesTheKeysItHeldBack() {
        var (waits, waiting) = (KeyWaits(), WaitingSaves())
        let (first, second, third) = (waits.begin(nil), waits.begin(nil), waits.begin(nil))
        #expect(waiting.add(SaveRequest(path: "/a")) == nil)
        #expect(waiting.add(SaveRequest(path: "/a", hold: first)) == nil)
        #expect(waiting.add(SaveRequest(path: "/a", hold: second)) == second)
        #expect(waiting.add(SaveRequest(path: "/b", hold: third)) == nil)
        #expect(waiting.next.map(\.hold) == [first, third])
    }

    @Test func savesToOtherFilesAreSavesOfTheirOwn() {
        var waiting = WaitingSaves()
        for path in [nil, "/a", "/a", "/b", nil] as [FilePath?] { _ = waiting.add(SaveRequest(path: path)) }
        #expect(waiting.next.map(\.path) == [nil, "/a", "/b", nil])
        waiting.putBack([SaveRequest(path: "/c")])
        #expect(waiting.next.first?.path == "/c" && waiting.next.count == 5)
    }

    /// The consent to overwrite another program's file keeps the other agreements, but not the method: writing in
    /// place was chosen for the user's own file.
    @Test func anotherFileIsOverwrittenWithAllElseThatWasAgreedTo() {
        let answer = PictureAnswer(document: "/a")
        #expect(SaveRequest(path: "/a", pictures: answer).overwritingFile().pictures == answer)
        let request = SaveRequest(path: "/a", acceptingLoss: true, method: .inPlace)
        #expect(request.overwritingFile() == SaveRequest(path: "/a", overwriting: true, acceptingLoss: true))
        #expect(request.restoringFile() == SaveRequest(path: "/a", restoring: true, acceptingLoss: true))
    }
}
