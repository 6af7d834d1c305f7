import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// The absolute paths of files, under which the journals of their edits are found.
@Suite(.timeLimit(.minutes(5))) struct EditedFileTests {
    @Test func twoNamesOfOneFileAreTheSame() {
        #expect(FilePath("/usr/../usr/bin/env").absolute == FilePath("/usr/bin/env").absolute)
        #expect(FilePath("/usr/../nothing-here.txt").absolute == "/nothing-here.txt")
    }

    @Test func relativePathsStartAtTheWorkingDirectory() throws {
        let here = try #require(getcwd(nil, 0))
        defer { free(here) }
        #expect(FilePath("nothing-here.txt").absolute == FilePath(cString: here).appending("nothing-here.txt"))
    }

    @Test func aTextWithoutFileIsUsableAndHasAnEmptyBase() {
        let file = EditedFile(store: TextStore())
        #expect(file.isUsable)
        #expect(!file.isReading)
        #expect(file.displayName == "Untitled")
        #expect(file.journalBase.path == nil)
    }

    @Test func aFolderThatIsMissingIsKnownBeforeAFileIsToLieInIt() {
        #expect(EditedFile.missingFolder(of: "/usr/bin/nothing-here") == nil)
        #expect(EditedFile.missingFolder(of: "nothing-here") == nil)
        #expect(EditedFile.missingFolder(of: "/usr/no-such/file") == "/usr/no-such")
        #expect(EditedFile.missingFolder(of: "no-such/file") == "no-such")
        #expect(EditedFile.missingFolder(of: "/usr/bin/env/file") == "/usr/bin/env")
    }

    @Test func typedNamesArePaths() {
        #expect(EditedFile.path(typed: "a b.txt") == "a b.txt")
        #expect(EditedFile.path(typed: "/x/y\n") == "/x/y")
        #expect(EditedFile.path(typed: "~nobody-of-this-name") == "~nobody-of-this-name")
        #expect(EditedFile.path(typed: "~/x")?.lastComponent == "x")
        #expect(EditedFile.path(typed: "~/x")?.isAbsolute == true)
        for text in ["", "  ", "/", "folder/", "\n"] { #expect(EditedFile.path(typed: text) == nil) }
    }
}
