import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

@Suite(.timeLimit(.minutes(5))) struct TextFileSaverTests {
    let scratch = Scratch()

    @Test func theOutcomeComesOnceOnTheOwnersThread() throws {
        let path = scratch.put("file", "old")
        let inbox = Inbox()
        let store = TextStore("new")
        var outcomes: [TextFileSaver.Outcome] = []
        let saver = TextFileSaver(
            store.text, to: path, expecting: FileIdentity(path: path), post: { inbox.post($0) }
        ) { outcomes.append($0) }
        // What is typed meanwhile is not in the file.
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
        inbox.run { !outcomes.isEmpty }
        #expect(outcomes == [.success(SavedFile(identity: try #require(FileIdentity(path: path))))])
        #expect(contents(path) == Array("new".utf8))
        #expect(saver.wait() == nil)
    }

    @Test func oneCanWaitForItWithoutALoop() throws {
        let path = scratch.put("file", "old")
        let inbox = Inbox()
        var outcomes = 0
        let saver = TextFileSaver("new", to: path, expecting: nil, post: { inbox.post($0) }) { _ in outcomes += 1 }
        #expect(saver.wait() == .failure(.changedOnDisk(path: path, change: .created)))
        // What the thread posted finds nothing to hand over any more.
        let later = Atomic(false)
        inbox.post { later.store(true, ordering: .relaxed) }
        inbox.run { later.load(ordering: .relaxed) }
        #expect(outcomes == 0 && contents(path) == Array("old".utf8))
    }

    @Test func whatStandsAgainstASaveIsKnownBeforehand() throws {
        let path = scratch.put("file", "old")
        let identity = FileIdentity(path: path)
        try TextFile.check(path, expecting: identity)
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .created)) {
            try TextFile.check(path, expecting: nil)
        }
        unlink(path)
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .removed)) {
            try TextFile.check(path, expecting: identity)
        }
        try TextFile.check(path, expecting: nil)
    }
}
