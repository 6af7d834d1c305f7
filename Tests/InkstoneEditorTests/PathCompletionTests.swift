import Dispatch
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The completion of a typed path by Tab, and the list of recent files.
@Suite(.timeLimit(.minutes(5))) struct PathCompletionTests {
    private func completion(_ typed: String, _ names: String...) -> PathCompletion {
        var completion = PathCompletion(typed: typed)
        completion.take(
            names.map { name in
                let isFolder = name.hasSuffix("/")
                return PathCompletion.Entry(name: isFolder ? String(name.dropLast()) : name, isFolder: isFolder)
            })
        return completion
    }

    @Test func theCommonPrefixIsCompleted() {
        let several = completion("/x/al", "alphabet.md", "alpha.txt", "beta")
        #expect(several.completed == "/x/alpha")
        #expect(several.list == "alpha.txt   alphabet.md")
        let one = completion("/x/alphab", "alphabet.md", "alpha.txt")
        #expect(one.completed == "/x/alphabet.md")
        #expect(one.list.isEmpty)
        #expect(completion("su", "sub/").completed == "sub/", "a folder can be gone on in")
        #expect(completion("/x/zz", "alpha").completed == "/x/zz")
        #expect(!completion("/x/zz", "alpha").list.isEmpty, "it says why nothing happens")
    }

    @Test func installedFontsCanBeNamed() {
        let families = FontDescriptor.installedFamilies
        #expect(!families.isEmpty)
        for family in families { #expect(FontDescriptor(family: family, size: 12).isInstalled, "\(family)") }
    }

    /// Under scripts/test, the tests use only the fonts of the project, whatever the machine has installed.
    @Test(.enabled(if: getenv("INKSTONE_TEST_TMPDIR") != nil))
    func theTestsSeeNoFontsButTheirOwn() {
        let foreign = FontDescriptor.installedFamilies.filter { !$0.hasPrefix("DejaVu ") && !$0.hasPrefix("Noto ") }
        #expect(foreign.isEmpty)
    }

    @Test func hiddenFilesAreForThoseWhoTypeTheDot() {
        #expect(completion("/x/", ".git/", "file").completed == "/x/file")
        #expect(completion("/x/.", ".git/", "file").completed == "/x/.git/")
    }

    @Test func caseCountsOnlyIfSomethingFits() {
        #expect(completion("re", "README", "Readme.txt", "rest").completed == "rest")
        #expect(completion("READ", "README", "readme").completed == "README")
        #expect(completion("rea", "README", "READING").completed == "READ")
    }

    @Test func marksAreNotTornFromTheirLetters() {
        // The second file name continues with a combining mark after “e”. Compared by grapheme clusters, the name
        // would not begin with “e”.
        #expect(completion("e", "e\u{301}tude").completed == "e\u{301}tude")
        #expect(completion("日", "日本語.txt", "日本.txt").completed == "日本")
    }

    @Test func namesThatAreNoTextAreCompletedAsTheyAreTyped() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let folder = FilePath(directory).appending(FilePath([0x67, 0x72, 0xfc, 0x6e]))
        try #require(mkdir(folder.cString, 0o700) == 0)
        close(creat(folder.appending(FilePath("\u{301}a\nb")).cString, 0o600))
        var completion = PathCompletion(typed: "\(directory)/gr\\xFC")
        completion.take(completion.entries)
        #expect(completion.completed == "\(directory)/gr\\xFCn/")
        completion = PathCompletion(typed: completion.completed)
        completion.take(completion.entries)
        #expect(EditedFile.path(typed: completion.completed) == folder.appending(FilePath("\u{301}a\nb")))
        for name in [[0xff], Array("é.txt".utf8), Array("e\u{301}.txt".utf8), Array("a\u{301}/\u{302}b".utf8)] {
            let path = FilePath(Array("/".utf8) + name)
            #expect(EditedFile.path(typed: path.description) == path)
        }
    }

    @Test func theEntriesOfAFolderAreReadWithItsLinks() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        try TextFiles.write("", to: "\(directory)/file")
        mkdir("\(directory)/folder", 0o700)
        symlink("folder", "\(directory)/link")
        symlink("nowhere", "\(directory)/broken")
        let entries = Set(PathCompletion.entries(of: FilePath(directory)))
        #expect(
            entries == [
                .init(name: "file", isFolder: false), .init(name: "folder", isFolder: true),
                .init(name: "link", isFolder: true), .init(name: "broken", isFolder: false),
            ])
        #expect(PathCompletion.entries(of: FilePath("\(directory)/none")).isEmpty)
    }

    @Test func theLatestFilesAreRemembered() {
        var recent = RecentFiles(bytes: Array("/a\nnonsense\n/b\n/a\n".utf8))
        #expect(recent.paths == ["/a", "/b"])
        recent.note("/b")
        recent.note("relative")
        recent.note("/with\nnewline")
        #expect(recent.paths == ["/with\nnewline", "/b", "/a"])
        #expect(RecentFiles(bytes: recent.bytes) == recent)
        for number in 0..<100 { recent.note(FilePath("/\(number)")) }
        #expect(recent.paths.count == 30 && recent.paths.first == "/99")
        #expect(RecentFiles(bytes: recent.bytes) == recent)
    }

    /// Editors that close at the same time lose no entry of the list of recent files.
    @Test func filesAreRememberedByManyAtOnce() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        DispatchQueue.concurrentPerform(iterations: 12) { RecentFiles.keep(FilePath("/\($0)"), in: file) }
        #expect(Set(RecentFiles(bytes: try file.read()).paths.map(\.description)) == Set((0..<12).map { "/\($0)" }))
    }

    /// The kept caret position is found through a symbolic link and through a path with dots.
    @Test func aPositionIsFoundByEachNameOfTheFile() throws {
        let directory = FilePath(try TemporaryDirectory.make()).absolute.description
        defer { TemporaryDirectory.remove(directory) }
        try TextFiles.write("text", to: "\(directory)/text")
        try #require(symlink("text", "\(directory)/link") == 0)
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        let place = RecentFiles.Place(caret: 3, top: 0)
        RecentFiles.keep(place, of: FilePath("\(directory)/text"), in: file)
        for name in ["text", "link", "./link"] {
            #expect(RecentFiles.place(of: FilePath("\(directory)/\(name)"), in: file) == place, "\(name)")
        }
        #expect(RecentFiles.place(of: FilePath("\(directory)/other"), in: file) == nil)
    }

    @Test func aPositionIsFoundUnderANewNameOfTheFile() throws {
        let directory = FilePath(try TemporaryDirectory.make()).absolute.description
        defer { TemporaryDirectory.remove(directory) }
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        let (old, new) = ("\(directory)/old", "\(directory)/new")
        try TextFiles.write("text", to: old)
        let place = RecentFiles.Place(caret: 3, top: 0)
        RecentFiles.keep(place, of: FilePath(old), in: file)
        try #require(rename(old, new) == 0)
        #expect(RecentFiles.place(of: FilePath(new), in: file) == place)
        let recent = RecentFiles(bytes: try file.read())
        #expect(!recent.marks.isEmpty && RecentFiles(bytes: recent.bytes) == recent)
        var written = utimbuf(actime: 1000, modtime: 1000)
        try #require(utime(new, &written) == 0)
        #expect(RecentFiles.place(of: FilePath(new), in: file) == nil, "another program wrote it: its text is another")
    }

    @Test func positionsInFilesAreRememberedWithThem() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        func kept() throws -> RecentFiles { RecentFiles(bytes: try file.read()) }
        let place = RecentFiles.Place(caret: 120, top: 80)
        RecentFiles.keep(place, of: "/a", in: file)
        for number in 0..<29 { RecentFiles.keep(FilePath("/\(number)"), in: file) }
        RecentFiles.keep("/a", in: file)
        #expect(try kept().places == ["/a": place] && kept().paths.first == "/a", "opening leaves it")
        RecentFiles.keep(.init(caret: 0, top: 0), of: "/a", in: file)
        #expect(try kept().places.isEmpty && kept().paths.first == "/a", "closed at the start")
        RecentFiles.keep(place, of: "/0", in: file)
        #expect(try kept().paths.last == "/0" && kept().places == ["/0": place], "closing is not opening")
        RecentFiles.keep("/b", in: file)
        #expect(try kept().places.isEmpty, "with the file that drops out")
        // Text that another program has removed from the file moves the kept position.
        let changes = TextChangeSet(from: Rope("new lines\nfile\n"), to: Rope("file\n")).changeMap
        #expect(RecentFiles.Place(caret: 12, top: 9).mapped(through: changes) == .init(caret: 2, top: 0))
        let lines = "\t1 2\n/a\n\t-1 2\n/b\n\t1\n/c\n\t9223372036854775807 0\n/d\n\t5 6\n\t7 8"
        let bad = RecentFiles(bytes: Array(lines.utf8))
        #expect(bad.paths == ["/a", "/b", "/c", "/d"] && bad.places == ["/d": .init(caret: 5, top: 6)])
    }

    /// A list of recent files that cannot be read, or has another format, is not overwritten without a message.
    @Test func aListOfFilesThatCannotBeReadStaysAsItIs() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        RecentFiles.keep("/first", in: file)
        #expect(RecentFiles(bytes: try file.read()).paths == ["/first"])
        let large = String(repeating: "/a file\n", count: 10_000)
        try TextFiles.write(large, to: "\(directory)/recent")
        RecentFiles.keep("/second", in: file)
        #expect(try TextFiles.read("\(directory)/recent") == large)
        unlink("\(directory)/recent")
        try #require(symlink("recent", "\(directory)/recent") == 0)
        RecentFiles.keep("/third", in: file)
        var status = stat()
        #expect(lstat("\(directory)/recent", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    /// The list stays below the size up to which it can be read, even with very long paths; a longer one would
    /// never change again.
    @Test func filesInTheDeepestFoldersAreRemembered() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let file = SmallFile(at: FilePath("\(directory)/recent"))
        let paths = (0..<30).map { FilePath("/\($0)" + String(repeating: "/0123456789abcde", count: 250)) }
        for path in paths { RecentFiles.keep(path, in: file) }
        let kept = RecentFiles(bytes: try file.read()).paths
        #expect(kept.count > 10 && kept.elementsEqual(paths.reversed().prefix(kept.count)))
    }

    @Test func filesWhoseNamesLookAlikeAreRememberedBoth() {
        var recent = RecentFiles()
        let paths = [FilePath("/é.txt"), FilePath("/e\u{301}.txt"), FilePath([0x2f, 0xe9]), FilePath("/\u{301}\r\nx")]
        for path in paths { recent.note(path) }
        #expect(recent.paths == paths.reversed())
        #expect(RecentFiles(bytes: recent.bytes) == recent)
    }

    @Test func theListOfKeysHasEachOfThem() {
        let page = KeyPage(.desktop).page
        let names = [
            "plus": "+", "minus": "−", "equal": "=", "BackSpace": "Backspace", "Return": "Enter",
            "bracketright": "]", "bracketleft": "[",
        ]
        for binding in KeyBindingTable.desktop.bindings {
            var keys = binding.strokes.map(\.description).joined(separator: " ")
            for (key, name) in names where keys.hasSuffix(key) { keys = keys.dropLast(key.count) + name }
            #expect(
                page.text.split(separator: "\n").contains { $0.contains("\t\(keys)") || $0.contains(" \(keys)") },
                "\(keys)")
        }
        let headings = page.text.split(separator: "\n\n").count
        #expect(headings > 10 && page.text.contains("\nMoving\n\nMove left"))
        // The list names Ctrl+Z, because few keyboards have a key “Undo”.
        #expect(page.text.contains("\tCtrl+Z"))
        #expect(KeyPage.title(.deleteToEndOfLine) == "Delete to end of line")
        #expect(KeyPage.title(.moveLeftAndModifySelection) == "Extend selection left")
        #expect(KeyPage.title(.moveParagraphForwardAndModifySelection) == "Extend selection to next paragraph")
        #expect(KeyPage.title(.terminate) == "Quit")
        #expect(EditCommand.all.filter { Words.title($0) == nil } == [])
        #expect(KeyPage.title(EditCommand("fooBar")) == "Foo bar")
    }

    @Test func theListOfKeysHasTheSignsOfKeyboards() {
        for table in [KeyBindingTable.desktop, .emacs] {
            let lines = KeyPage(table).page.text.split(separator: "\n").filter { $0.contains("\t") }
            let keys = lines.flatMap { $0.drop { $0 != "\t" }.split { $0 == " " || $0 == "\t" } }
            #expect(keys.count > 50)
            for key in keys {
                let sign = key.split(separator: "+").last ?? "+"
                #expect(
                    sign.count == 1 || sign.first?.isUppercase == true
                        || ["click", "drag", "middle", "button"].contains(sign), "\(key)")
            }
        }
    }

    /// Returns the path in the prompt after `typed` was typed or pasted at its end, over `selected` selected bytes.
    private func path(_ text: String, typing typed: String, over selected: Int = 0, openedWith start: String) -> String
    {
        let rope = Rope(text)
        let end = rope.byteRange.upperBound
        let typing = TextChangeSet(replacing: (end - selected)..<end, with: Rope(typed), in: rope)
        var after = rope
        after.apply(PathCompletion.begunAnew(by: typing, of: rope, openedWith: start) ?? typing)
        return after.string(in: after.byteRange)
    }

    @Test func aPathBeginsAnewWhereOneBegins() {
        let folder = "/texts/mine/"
        #expect(path(folder, typing: "/etc/x", openedWith: folder) == "/etc/x")
        #expect(path(folder, typing: "/", openedWith: folder) == "/")
        #expect(path(folder, typing: "~/x", openedWith: folder) == "~/x")
        #expect(path("/texts/mine/notes.txt", typing: "/etc/x", openedWith: "/texts/mine/notes.txt") == "/etc/x")
        #expect(path(folder, typing: "a", openedWith: folder) == "/texts/mine/a")
        // The file name is selected at first.
        let file = folder + "notes.txt"
        #expect(path(file, typing: "a", over: 9, openedWith: file) == "/texts/mine/a")
        #expect(path(file, typing: "/etc/x", over: 9, openedWith: file) == "/etc/x")
        #expect(path(file, typing: "~/x", over: 9, openedWith: file) == "~/x")
        // Within a path, `/` and `~` are ordinary characters; only a second slash in a row starts a new path.
        #expect(path("/texts/mine/a", typing: "/", openedWith: folder) == "/texts/mine/a/")
        #expect(path("/texts/mine/a", typing: "~", openedWith: folder) == "/texts/mine/a~")
        #expect(path("/texts/mine/a/", typing: "/", openedWith: folder) == "/")
        #expect(path("", typing: "/etc", openedWith: "") == "/etc")
    }

    /// The names of backup files may begin with `~` too.
    @Test func aNameThatBeginsWithATildeStaysOne() throws {
        let (folder, file) = ("/texts/mine/", "/texts/mine/notes.txt")
        let user = try #require(getpwuid(0)).pointee.pw_name.map { String(cString: $0) } ?? ""
        #expect(path(file, typing: "~draft.txt", over: 9, openedWith: file) == "/texts/mine/~draft.txt")
        #expect(path(folder, typing: "~draft.txt", openedWith: folder) == "/texts/mine/~draft.txt")
        #expect(path(file, typing: "~\(user)", over: 9, openedWith: file) == "~\(user)")
        #expect(path(file, typing: "~\(user)/x", over: 9, openedWith: file) == "~\(user)/x")
        /// Returns the path after the characters are typed one by one, the first of them over the selected file
        /// name.
        func typed(_ signs: String) -> String {
            var line = file
            for sign in signs { line = path(line, typing: "\(sign)", over: line == file ? 9 : 0, openedWith: file) }
            return line
        }
        #expect(typed("~") == "~" && typed("~/x") == "~/x")
        #expect(typed("~draft") == "/texts/mine/~draft" && typed("~draft/x") == "/texts/mine/~draft/x")
        #expect(typed("~\(user)/x") == "~\(user)/x")
    }
}
