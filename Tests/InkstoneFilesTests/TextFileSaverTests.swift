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
        let identity = try #require(FileIdentity(path: path))
        #expect(outcomes == [.success(SavedFile(identity: identity, path: FilePath(path).absolute))])
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

    /// In the turn of the key that asks for the save, unless the disk does not answer.
    @Test func obstaclesToASaveAreKnownBeforeTheNextTurn() {
        let path = scratch.put("file", "old")
        let inbox = Inbox()
        var outcomes = 0
        let refused = TextFileSaver("new", to: path, expecting: nil, post: { inbox.post($0) }) { _ in outcomes += 1 }
        #expect(refused.refusal(within: 20_000) == .failure(.changedOnDisk(path: path, change: .created)))
        let begun = TextFileSaver(
            "new", to: path, expecting: FileIdentity(path: path), post: { inbox.post($0) }
        ) { _ in outcomes += 1 }
        #expect(begun.refusal(within: 20_000) == nil)
        inbox.run { outcomes == 1 }
        #expect(contents(path) == Array("new".utf8) && outcomes == 1)
    }

    /// The name is another one, the file is the same; or it is another file, which the save knows nothing of.
    @Test func aSaverExpectsTheStateOfItsOwnFileByAnyName() throws {
        let (path, other) = (scratch.put("file", "old"), scratch.put("other", "another's"))
        let link = scratch.file("link")
        try #require(symlink(path, link) == 0)
        let inbox = Inbox()
        func save(to target: String) -> (outcome: TextFileSaver.Outcome?, begun: Int) {
            var (outcome, begun) = (TextFileSaver.Outcome?.none, 0)
            let saver = TextFileSaver(
                "new", to: FilePath(target), expecting: FileIdentity(path: path), of: FilePath(path),
                post: { inbox.post($0) }, willBegin: { begun += 1 }
            ) { outcome = $0 }
            inbox.run { outcome != nil }
            return withExtendedLifetime(saver) { (outcome, begun) }
        }
        let (outcome, begun) = save(to: link)
        #expect((try? outcome?.get())?.path == FilePath(path).absolute && begun == 1)
        #expect(contents(path) == Array("new".utf8))
        let refused = save(to: other)
        #expect(refused.outcome == .failure(.changedOnDisk(path: FilePath(other), change: .created)))
        #expect(refused.begun == 0 && contents(other) == Array("another's".utf8))
    }
}
