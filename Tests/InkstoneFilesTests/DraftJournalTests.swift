import InkstoneBase
import InkstoneText
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// The journal of a text whose other form is written later.
@Suite(.timeLimit(.minutes(5))) struct DraftJournalTests: JournalSuite {
    let scratch = Scratch()

    private func recovered(of path: String) -> [RecoveredDocument] {
        RecoveredDocument.all(of: FilePath(path), directory: journals)
    }

    @Test func aDraftGivesTheWholeTextApartFromItsFile() throws {
        let (path, _, journal) = try open("*one*")
        let view = TextStore("one")
        let before = view.text
        view.replace(3..<3 as Range<ByteOffset>, with: " two", origin: .typing)
        let draft = RecoveryJournal.draft(of: view, since: before, origin: FilePath(path), directory: journals)
        view.replace(0..<1 as Range<ByteOffset>, with: "O", origin: .typing)
        try waitForCopy(draft)
        draft.abandon()
        let document = try #require(recovered(of: path).first)
        #expect(document.isDraft && document.state == .intact && document.base?.subject == FilePath(path))
        // The file's text is not the text before the edits: only the edits count as changes.
        #expect(document.text?.rope == "One two" && document.changeCount == 2 && document.typedCount == 5)
        journal.close()
    }

    /// The process may be killed between the edits and the copy of the text before them.
    @Test func aDraftWithoutItsCopyGivesWhatWasTyped() throws {
        let path = scratch.put("file", "text")
        let view = TextStore("text")
        let identity = FileIdentity(device: 0, inode: 0, size: 4, seconds: 0, nanoseconds: 0)
        let base = JournalBase(path: nil, identity: identity, origin: FilePath(path))
        let draft = RecoveryJournal(of: view, base: base, baseText: view.text, directory: journals)
        view.replace(4..<4 as Range<ByteOffset>, with: " typed", origin: .typing)
        draft.abandon(within: 20_000)
        let document = try #require(recovered(of: path).first)
        #expect(document.isDraft && document.text == nil && document.textOrPieces == " typed")
    }

    @Test func otherJournalsAreNoDrafts() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        journal.abandon(within: 20_000)
        let untitled = TextStore()
        let other = RecoveryJournal(
            of: untitled, base: JournalBase(path: nil, identity: nil, origin: FilePath(path)), directory: journals)
        type("apart", in: untitled)
        other.abandon(within: 20_000)
        #expect(recovered(of: path).map(\.isDraft) == [false, false])
    }
}
