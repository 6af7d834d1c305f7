import InkstoneBase
import Testing

/// Names of files are bytes.
@Suite(.timeLimit(.minutes(5))) struct FilePathTests {
    @Test func namesAreEqualByBytesAlone() {
        #expect(FilePath("é.txt") != FilePath("e\u{301}.txt"))
        #expect(Set([FilePath("é.txt"), FilePath("e\u{301}.txt")]).count == 2)
        #expect(FilePath([0x61, 0xe9]) != FilePath([0x61, 0xe8]))
        #expect(FilePath("a\0b") == "a")
    }

    struct Parts: CustomTestStringConvertible {
        var path: FilePath
        var directory: FilePath
        var last: FilePath
        var testDescription: String { path.description }
    }

    @Test(arguments: [
        Parts(path: "a", directory: ".", last: "a"), Parts(path: "/a", directory: "/", last: "a"),
        Parts(path: "/a/b", directory: "/a", last: "b"), Parts(path: "a/b/", directory: "a/b", last: "b"),
        Parts(path: "/", directory: "/", last: ""), Parts(path: "", directory: ".", last: ""),
        Parts(path: FilePath("x/\u{301}y"), directory: "x", last: FilePath("\u{301}y")),
    ])
    func partsAreBetweenSlashesWhateverFollowsThem(_ example: Parts) {
        #expect(example.path.directory == example.directory)
        #expect(example.path.lastComponent == example.last)
    }

    @Test func aDirectoryIsTheStartOfNamesInIt() {
        #expect(FilePath("/srv/a/b").remainder(in: "/srv/a") == "/b")
        #expect(FilePath("/srv/a").remainder(in: "/srv/a") == "")
        #expect(FilePath("/srv/ab").remainder(in: "/srv/a") == nil)
        #expect(FilePath("a").appending("b") == "a/b" && FilePath("a/").appending("b") == "a/b")
        #expect(FilePath("").appending("b") == "b")
    }

    @Test func invalidBytesOfANameAreShownAsBytes() {
        #expect(FilePath([0x67, 0x72, 0xfc, 0x6e]).description == "gr\\xFCn")
        #expect(FilePath("a\nb\r\u{7f}\u{85}\u{202e}").description == "a\\x0Ab\\x0D\\x7F\\xC2\\x85\\xE2\\x80\\xAE")
        #expect(FilePath("naïve 日本 ‘x’ 👍").description == "naïve 日本 ‘x’ 👍")
        #expect(FilePath("C:\\new").description == "C:\\new" && FilePath("\\x41").description == "\\\\x41")
    }

    @Test func aShownNameIsReadBackAsTheSameBytes() {
        var random: UInt64 = 42
        func next(_ limit: UInt64) -> UInt64 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return random >> 33 % limit
        }
        let pieces: [[UInt8]] = [
            [0x5c], [0x5c, 0x5c], Array("x41".utf8), [0x5c, 0x78], [0x0a], [0xff], [0xe3, 0x81], Array("é".utf8),
            Array("e\u{301}".utf8), Array("\u{301}".utf8), Array("\"'".utf8), Array("~".utf8), [0x20], Array("👍".utf8),
            Array("\u{fffd}".utf8), [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], Array("4".utf8), Array("x".utf8),
        ]
        for _ in 0..<5_000 {
            let bytes = (0..<next(8)).flatMap { _ in pieces[Int(next(UInt64(pieces.count)))] }
            let path = FilePath(bytes)
            #expect(FilePath(typed: path.description) == path, "\(bytes)")
        }
        for first in UInt8(1)...255 {
            for second in UInt8(1)...255 {
                let path = FilePath([first, second])
                if FilePath(typed: path.description) != path { Issue.record("\(path.bytes)") }
            }
        }
    }
}
