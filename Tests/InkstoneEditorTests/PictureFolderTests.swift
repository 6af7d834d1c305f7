import Glibc
import Inkstone
import InkstoneFiles
import InkstoneMarkdown
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// Pictures of Markdown documents in files next to the document.
@Suite("Pictures beside a document", .timeLimit(.minutes(5)), .enabled(if: RichDocument.hasParser))
struct PictureFolderTests {
    /// A folder on disk with a document and pictures.
    private final class Desk {
        let folder: String

        init() throws {
            folder = try TemporaryDirectory.make()
            mkdir(folder + "/in", 0o755)
        }

        deinit {
            chmod(folder + "/in", 0o755)
            TemporaryDirectory.remove(folder)
        }

        /// The folder for the pictures of a document one level below.
        var pictures: PictureFolder { PictureFolder(document: FilePath(folder + "/in/a page.md")) }

        func put(_ bytes: [UInt8], _ name: String) throws {
            let file = try #require(fopen(folder + "/in/" + name, "w"))
            fwrite(bytes, 1, bytes.count, file)
            fclose(file)
        }

        /// The names of the files in the picture folder, sorted.
        var names: [String] { Desk.names(of: folder + "/in/a page.assets") }

        static func names(of path: String) -> [String] {
            guard let directory = opendir(path) else { return [] }
            defer { closedir(directory) }
            var result: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { result.append(name) }
            }
            return result.sorted()
        }
    }

    private func picture(_ bytes: [UInt8] = TestImages.png, _ address: String? = nil) throws -> PlacedPicture {
        PlacedPicture(try #require(TextAttachment(image: bytes)), address: address)
    }

    @Test func pictureFilesFromAnywhereAreReadToBeInserted() throws {
        let desk = try Desk()
        mkdir(desk.folder + "/in/sub", 0o755)
        for name in ["sub/b b.png", "../out.PNG"] { try desk.put(TestImages.png, name) }
        try desk.put([1, 2, 3], "wrong.png")
        for name in ["in/sub/b b.png", "out.PNG"] {
            let path = FilePath(desk.folder + "/" + name)
            #expect(PictureFolder.isPicture(path))
            #expect(PictureFolder.picture(at: path)?.contents == TestImages.png)
        }
        // Pictures that are placed together have a limit together.
        let both = [FilePath(desk.folder + "/out.PNG"), FilePath(desk.folder + "/in/sub/b b.png")]
        #expect(PictureFolder.pictures(at: both).count { $0 != nil } == 2)
        let limit = TestImages.png.count * 3 / 2
        #expect(PictureFolder.pictures(at: both, atMost: limit).map { $0 != nil } == [true, false])
        #expect(PictureFolder.picture(at: FilePath(desk.folder + "/in/wrong.png")) == nil)
        #expect(PictureFolder.picture(at: FilePath(desk.folder + "/in/none.png")) == nil)
        #expect(PictureFolder.picture(at: FilePath(desk.folder + "/in/sub")) == nil)
        #expect(!PictureFolder.isPicture("notes.txt") && !PictureFolder.isPicture("png"))
        // A picture file below the document's folder is used directly; others are copied when the document is
        // saved.
        #expect(desk.pictures.address(of: FilePath(desk.folder + "/in/sub/b b.png")) == "sub/b%20b.png")
        #expect(desk.pictures.address(of: FilePath(desk.folder + "/out.PNG")) == nil)
        #expect(desk.pictures.address(of: FilePath(desk.folder + "/in/../out.PNG")) == nil)
    }

    @Test func picturesOfTheFolderAreReadAndNoOthers() throws {
        let desk = try Desk()
        mkdir(desk.folder + "/in/sub", 0o755)
        for name in ["a.png", "sub/b b.png", "../out.png", "é%.png", "%+f.png", "%-0.png"] {
            try desk.put(TestImages.png, name)
        }
        symlink("a.png", desk.folder + "/in/link.png")
        symlink("../out.png", desk.folder + "/in/out.png")
        symlink("..", desk.folder + "/in/up")
        mkfifo(desk.folder + "/in/pipe.png", 0o644)
        try desk.put(Array("no picture".utf8), "text.png")
        // `%+f` and `%-0` are not percent escapes: a sign is no hexadecimal digit.
        let inside = [
            "a.png", "./a.png", "sub/b%20b.png", "sub/b b.png", "é%25.png", "link.png", "%+f.png", "%-0.png",
        ]
        let outside = [
            "../out.png", "sub/../a.png", "%2e%2e/out.png", "out.png", "up/out.png", desk.folder + "/in/a.png", "",
            "file:a.png", "http://x.org/a.png", "//x.org/a.png", "a.png?x", "pipe.png", "text.png", "none.png", "sub",
        ]
        let found = desk.pictures.pictures(of: inside + outside)
        #expect(Set(found.keys.map(\.string)) == Set(inside))
        #expect(found["a.png"]?.contents == TestImages.png)
    }

    @Test func picturesAreWrittenToFreeNamesAndReadBack() throws {
        let desk = try Desk()
        mkdir(desk.folder + "/in/a page.assets", 0o755)
        try desk.put(Array("mine".utf8), "a page.assets/image-1.png")
        let pictures = try [picture(), picture(TestImages.jpeg), picture(TestImages.gif, "elsewhere/x.gif")]
        let saved = try desk.pictures.write(pictures).get()
        #expect(desk.names == ["image-1.png", "image-2.png", "image-3.jpg", "image-4.gif"])
        let addresses = saved.map { $0.address ?? "" }
        #expect(addresses == ["image-2.png", "image-3.jpg", "image-4.gif"].map { "a%20page.assets/" + $0 })
        let read = desk.pictures.pictures(of: addresses)
        #expect(addresses.map { read[$0]?.contents } == [TestImages.png, TestImages.jpeg, TestImages.gif])
        #expect(try TextFile.read(FilePath(desk.folder + "/in/a page.assets/image-1.png")).text == "mine")
        // A picture that has a file already is not written again.
        #expect(try desk.pictures.write(saved).get() == saved)
        #expect(try desk.pictures.write([picture()]).get() == [saved[0]])
        #expect(desk.names.count == 4)
    }

    @Test func picturesFromFilesKeepTheirNames() throws {
        let desk = try Desk()
        mkdir(desk.folder + "/in/a page.assets", 0o755)
        try desk.put(Array("mine".utf8), "a page.assets/my cat.png")
        let (png, jpeg, gif) = try (picture(), picture(TestImages.jpeg), picture(TestImages.gif))
        func write(_ pictures: [PlacedPicture], _ names: [PlacedPicture: FilePath]) throws -> [String] {
            let names = Dictionary(uniqueKeysWithValues: names.map { ($0.key.contents, $0.value) })
            return try desk.pictures.write(pictures, names: names).get().map { $0.address ?? "" }
        }
        let folder = "a%20page.assets/"
        // Another file of that name stays, and the picture gets a number; without a name it has only a number.
        #expect(
            try write([png, jpeg, gif], [png: "my cat.png", jpeg: "my cat.JPG"])
                == ["my%20cat-2.png", "my%20cat.JPG", "image-1.gif"].map { folder + $0 })
        #expect(desk.names == ["image-1.gif", "my cat-2.png", "my cat.JPG", "my cat.png"])
        // A file that has the picture is used again.
        #expect(try write([png], [png: "my cat.png"]) == [folder + "my%20cat-2.png"])
        let long = FilePath(String(repeating: "a", count: 300) + ".png")
        for name in [".png", "notes.txt", long, FilePath([0xff] + Array(".png".utf8)), "a\nb.png"] {
            #expect(try write([png], [png: name]) == [folder + "image-1.png"])
        }
    }

    @Test func anUnwritableFolderIsReported() throws {
        let desk = try Desk()
        try desk.put([], "a page.assets")
        guard case .failure(let error) = desk.pictures.write([try picture()]) else {
            Issue.record("written to a file")
            return
        }
        #expect(error.description.contains("a page.md"))
        unlink(desk.folder + "/in/a page.assets")
        // The folder for pictures is a link to a folder outside, from which nothing is read; so nothing may be
        // written there.
        mkdir(desk.folder + "/other", 0o755)
        symlink("../other", desk.folder + "/in/a page.assets")
        guard case .failure = desk.pictures.write([try picture()]) else {
            Issue.record("written through a link")
            return
        }
        #expect(Desk.names(of: desk.folder + "/other").isEmpty)
    }

    // MARK: In a document

    /// A document with its source, which is shown.
    private func document(_ source: String, in desk: Desk) throws -> (RichDocument, TextStore, TextStore) {
        let (view, text) = (TextStore(), TextStore(Rope(source)))
        let rich = RichDocument(view: view, source: text)
        rich.pictures.folder = desk.pictures
        rich.show(try rich.reading().get())
        return (rich, view, text)
    }

    private func write(_ rich: RichDocument) { rich.writing(newline: .lf).map { rich.take($0.run()) } }

    private func paste(_ bytes: [UInt8], at offset: UTF16Offset, in view: TextStore) throws {
        let attachment = try #require(TextAttachment(image: bytes))
        view.replace(offset..<offset, with: "\u{fffc}", origin: .paste)
        view.restyle { $0.set(attachment, of: AttachmentAttribute.self, in: offset..<(offset + 1)) }
    }

    @Test func aPastedPictureIsNoLossAndGetsTheAddressOfItsFile() throws {
        let desk = try Desk()
        let (rich, view, text) = try document("a\n", in: desk)
        try paste(TestImages.png, at: 1, in: view)
        write(rich)
        #expect(text.text == "a![]()\n" && rich.newLoss == nil)
        let pictures = rich.pictures.unplaced(in: view.styledText)
        #expect(try pictures == [picture()])
        rich.place(pictures, as: try desk.pictures.write(pictures).get())
        #expect(rich.isPending)
        write(rich)
        #expect(text.text == "a![](a%20page.assets/image-1.png)\n" && rich.newLoss == nil)
        #expect(rich.pictures.unplaced(in: view.styledText).isEmpty)
        // Undo removes the picture, and redo brings it back; the file stays.
        view.undo()
        view.undo()
        write(rich)
        #expect(text.text == "a\n")
        view.redo()
        view.redo()
        let again = rich.pictures.unplaced(in: view.styledText)
        rich.place(again, as: try desk.pictures.write(again).get())
        write(rich)
        #expect(text.text == "a![](a%20page.assets/image-1.png)\n" && desk.names.count == 1)
        // A document that opens the saved source shows the picture.
        let (_, other, _) = try document(text.text.description, in: desk)
        #expect(other.styledText.attributes(at: 1)[AttachmentAttribute.self]?.contents == TestImages.png)
    }

    @Test func anExportHasItsPicturesBesideIt() throws {
        let desk = try Desk()
        var text = StyledText("a\u{fffc}")
        let attachment = try #require(TextAttachment(image: TestImages.png, alternateDescription: "what it shows"))
        text.restyle { $0.set(attachment, of: AttachmentAttribute.self, in: 1..<2) }
        let page = StyledExport.markdown.page(of: text)
        #expect(page.loss.isNothing)
        let path = FilePath(desk.folder + "/in/a page.md")
        #expect(try page.content(beside: path).get() == "a![what it shows](a%20page.assets/image-1.png)\n")
        #expect(desk.names == ["image-1.png"])
    }

    @Test func textWithoutItsPicturesCountsAsWritten() throws {
        let desk = try Desk()
        let (rich, view, text) = try document("a\n", in: desk)
        try paste(TestImages.png, at: 1, in: view)
        write(rich)
        let answer = PictureAnswer(
            document: desk.pictures.document, leftOut: Set(rich.pictures.unplaced(in: view.styledText)))
        rich.prepare(rich.pictures.moved(to: desk.pictures, answer))
        #expect(rich.isPending)
        write(rich)
        #expect(text.text == "a\n" && rich.loss.attributes == [AttachmentAttribute.name] && rich.newLoss == nil)
        #expect(!rich.isPending && rich.pictures.unplaced(in: view.styledText).isEmpty)
        // The picture is in no file as long as it stands in the text.
        #expect(rich.leavesOutPictures)
        view.replace(UTF16Offset(1)..<2, with: Rope())
        #expect(!rich.leavesOutPictures)
        view.undo()
        #expect(rich.leavesOutPictures)
        // The user's consent does not cover a picture added later, nor another document.
        try paste(TestImages.gif, at: 2, in: view)
        write(rich)
        #expect(try rich.pictures.unplaced(in: view.styledText) == [picture(TestImages.gif)])
        #expect(text.text == "a![]()\n")
        let other = PictureFolder(document: FilePath(desk.folder + "/in/other.md"))
        #expect(rich.pictures.moved(to: other, answer).unplaced(in: view.styledText).count == 2)
    }

    @Test func theAgreementIsAboutOneDocument() throws {
        let desk = try Desk()
        let (rich, _, _) = try document("a\n", in: desk)
        let answer = PictureAnswer(document: desk.pictures.document)
        rich.prepare(rich.pictures.moved(to: desk.pictures, answer))
        #expect(rich.pictures.moved(to: desk.pictures, nil).isAgreedTo)
        let other = PictureFolder(document: FilePath(desk.folder + "/in/other.md"))
        #expect(!rich.pictures.moved(to: other, answer).isAgreedTo)
        #expect(rich.pictures.moved(to: other, PictureAnswer(document: other.document)).isAgreedTo)
    }

    /// In the new folder, two files with the same picture become one. When the save is abandoned, the addresses are
    /// two again.
    @Test(arguments: [false, true]) func aSaveAsThatIsGivenUpChangesNothing(typing: Bool) throws {
        let desk = try Desk()
        for name in ["x.png", "y.png", "z.gif"] {
            try desk.put(name == "z.gif" ? TestImages.gif : TestImages.png, name)
        }
        let source = "![](x.png)![](y.png \"title\") and ![what](z.gif)\n"
        let (rich, view, text) = try document(source, in: desk)
        mkdir(desk.folder + "/new", 0o755)
        let elsewhere = PictureFolder(document: FilePath(desk.folder + "/new/b.md"))
        let places = rich.pictures.moved(to: elsewhere, PictureAnswer(document: elsewhere.document))
        let all = places.unplaced(in: view.styledText)
        // Listing the pictures changes nothing.
        #expect(all.count == 3 && rich.pictures.unplaced(in: view.styledText).isEmpty)
        // A file in the new folder with the same contents serves for two pictures.
        _ = try elsewhere.write([all[0]]).get()
        rich.prepare(places, all, as: try elsewhere.write(all).get())
        write(rich)
        let names = Desk.names(of: desk.folder + "/new/b.assets")
        #expect(names == ["image-1.gif", "image-1.png"])
        #expect(text.text.description.contains("b.assets/image-1.gif") && !text.text.description.contains("z.gif"))
        if typing { view.replace(UTF16Offset(3)..<UTF16Offset(6), with: "or", origin: .typing) }
        rich.takeBackPlaces()
        write(rich)
        if typing {
            // Two files have the same contents, so either name is right.
            #expect(text.text.description.contains("or ![what](z.gif)") && !text.text.description.contains("assets"))
        } else {
            #expect(text.text.description == source && !view.canUndo)
        }
        #expect(rich.pictures.folder?.document == desk.pictures.document && !rich.isPending)
        #expect(rich.pictures.unplaced(in: view.styledText).isEmpty && !rich.pictures.isAgreedTo)
        // After a successful save, the new addresses stay.
        rich.prepare(places, all, as: try elsewhere.write(all.map { rich.written[$0] ?? $0 }).get())
        rich.keepPlaces(of: elsewhere.document)
        rich.takeBackPlaces()
        write(rich)
        #expect(text.text.description.contains("b.assets/image-1.png"))
        #expect(rich.pictures.unplaced(in: view.styledText).isEmpty)
        #expect(Desk.names(of: desk.folder + "/new/b.assets") == names)
    }

    @Test func aPictureThatAnotherProgramChangesIsShownAnewAndNeverReplaced() throws {
        let desk = try Desk()
        try desk.put(TestImages.png, "x.png")
        let (rich, view, text) = try document("a ![x](x.png)\n", in: desk)
        func contents() -> [UInt8]? { view.styledText.attributes(at: 2)[AttachmentAttribute.self]?.contents }
        #expect(contents() == TestImages.png)
        try desk.put(TestImages.gif, "x.png")
        // Change the text as a reload would.
        text.replace(UTF16Offset(0)..<UTF16Offset(1), with: "b")
        #expect(rich.show(rich.readingSource()) == nil)
        rich.show(desk.pictures.pictures(of: ["x.png"]))
        #expect(contents() == TestImages.gif && !rich.isPending)
        #expect(rich.pictures.unplaced(in: view.styledText).isEmpty)
        // Undo may bring back the old picture, but the picture is no new file to be written.
        view.undo()
        #expect(rich.pictures.unplaced(in: view.styledText).isEmpty)
        write(rich)
        #expect(text.text == "a ![x](x.png)\n")
        // A document that is read from the start again loads the new picture.
        rich.forget()
        #expect(rich.show(rich.reading()) == nil && contents() == TestImages.gif)
    }

    /// A picture of another document has an address that is relative to that document, and so has no meaning in
    /// this one.
    @Test func aPictureOfAnotherFolderIsNoFileOfThisOne() throws {
        let desk = try Desk()
        try desk.put(TestImages.gif, "x.gif")
        let (rich, view, text) = try document("![one](x.gif)\n", in: desk)
        #expect(view.text == "\u{fffc}" && rich.pictures.unplaced(in: view.styledText).isEmpty)
        try paste(TestImages.png, at: 1, in: view)
        view.restyle { $0.set(.init(source: "x.gif"), of: MarkdownImageAttribute.self, in: 1..<2) }
        let foreign = rich.pictures.unplaced(in: view.styledText)
        #expect(try foreign == [picture(TestImages.png, "x.gif")])
        rich.place(foreign, as: try desk.pictures.write(foreign).get())
        write(rich)
        #expect(text.text == "![one](x.gif)![](a%20page.assets/image-1.png)\n")
        // When the document is saved in another folder, all its pictures are to be copied there.
        mkdir(desk.folder + "/new", 0o755)
        let elsewhere = PictureFolder(document: FilePath(desk.folder + "/new/b.markdown"))
        rich.pictures.folder = elsewhere
        let all = rich.pictures.unplaced(in: view.styledText)
        #expect(all.count == 2)
        rich.place(all, as: try elsewhere.write(all).get())
        write(rich)
        #expect(text.text == "![one](b.assets/image-1.gif)![](b.assets/image-2.png)\n")
    }

    @Test func picturesThatAreReadLaterAreNoEdit() throws {
        let desk = try Desk()
        let (rich, view, text) = try document("a ![x](late.png) b\n", in: desk)
        #expect(view.text == "a x b")
        try desk.put(TestImages.png, "late.png")
        rich.show(desk.pictures.pictures(of: ["late.png"]))
        #expect(view.text == "a \u{fffc} b" && !view.canUndo && !rich.isPending)
        view.replace(UTF16Offset(0)..<UTF16Offset(1), with: "c", origin: .typing)
        write(rich)
        #expect(text.text == "c ![x](late.png) b\n")
    }
}
