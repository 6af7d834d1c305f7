import Glibc
import Inkstone
import Testing

@testable import inkstone_editor

/// Where a file is, for the journal of its changes.
@Suite struct EditedFileTests {
    @Test func twoNamesOfOneFileAreTheSame() {
        #expect(EditedFile.absolute("/usr/../usr/bin/env") == EditedFile.absolute("/usr/bin/env"))
        #expect(EditedFile.absolute("/usr/../nothing-here.txt") == "/nothing-here.txt")
    }

    @Test func relativePathsStartAtTheWorkingDirectory() throws {
        let here = try #require(getcwd(nil, 0))
        defer { free(here) }
        #expect(EditedFile.absolute("nothing-here.txt") == String(cString: here) + "/nothing-here.txt")
    }

    @Test func aTextWithoutFileIsUsableAndHasAnEmptyBase() {
        let file = EditedFile(store: TextStore())
        #expect(file.isUsable)
        #expect(!file.isReading)
        #expect(file.displayName == "Untitled")
        #expect(file.journalBase.path == nil)
    }

    @Test func typedNamesArePaths() {
        #expect(EditedFile.path(typed: "a b.txt") == "a b.txt")
        #expect(EditedFile.path(typed: "/x/y\n") == "/x/y")
        #expect(EditedFile.path(typed: "~x") == "~x")
        #expect(EditedFile.path(typed: "~/x")?.hasSuffix("/x") == true)
        #expect(EditedFile.path(typed: "~/x")?.hasPrefix("~") == false)
        for text in ["", "  ", "/", "folder/", "\n"] { #expect(EditedFile.path(typed: text) == nil) }
    }
}
