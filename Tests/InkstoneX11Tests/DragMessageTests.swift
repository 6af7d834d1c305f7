import InkstoneBase
import Testing

@testable import InkstoneX11

/// The words of XDND messages, and lists of files.
@Suite(.timeLimit(.minutes(5))) struct DragMessageTests {
    private let actions = DragActionAtoms(copy: 70, move: 71)

    private func readBack(_ message: DragMessage) -> DragMessage? {
        DragMessage(name: message.name, words: message.words(actions), actions)
    }

    @Test func messagesAreReadAsTheyAreWritten() {
        let messages: [DragMessage] = [
            .enter(version: 5, types: [11, 12, 13], isListElsewhere: true),
            .enter(version: 3, types: [11], isListElsewhere: false),
            .position(DragPosition(x: 1200, y: -3, time: 4_000_000_000, action: .move)),
            .status(.copy), .status(.move), .status(nil), .leave, .drop(time: 7), .finished(.move), .finished(nil),
        ]
        for message in messages { #expect(readBack(message) == message) }
        #expect(Set(messages.map(\.name)) == Set(DragMessage.names))
    }

    /// INT 59. Qt takes the second bit alone as acceptance; a rectangle silences the source.
    @Test func aRefusalHasNoBitAndAnAcceptanceNoRectangle() {
        #expect(DragMessage.status(nil).words(actions) == [0, 0, 0, 0])
        #expect(DragMessage.status(.copy).words(actions) == [3, 0, 0, 70])
    }

    /// Covers INT 56 of the checklist for interaction.
    @Test func messagesWithAnyWordsAreHandled() {
        #expect(DragMessage(name: "XdndEnter", words: [-1, 0, -5, 0], actions) != nil)
        #expect(DragMessage(name: "XdndPosition", words: [.max, .min, .max, 99], actions) != nil)
        #expect(
            DragMessage(name: "XdndStatus", words: [1, -1, -1, 12345], actions) == .status(.copy),
            "another action is copying")
        #expect(DragMessage(name: "XdndLeave", words: [1], actions) == nil)
        #expect(DragMessage(name: "XdndOther", words: [0, 0, 0, 0], actions) == nil)
    }

    @Test(
        arguments: [
            ("file:///tmp/a%20b", "/tmp/a b"), ("file:/tmp/x", "/tmp/x"), ("FILE://localhost/x", "/x"),
            ("file://Here/gr%C3%BCn", "/grün"), ("file://elsewhere/x", nil), ("http://here/x", nil), ("file:x", nil),
            ("file:///a%2", nil), ("file:///a%zz", nil), ("file:///a%00b", nil), ("file:///100%25", "/100%"),
        ] as [(String, String?)])
    func onlyFilesOfThisMachineHavePaths(address: String, path: String?) {
        #expect(URIList.localPath(Array(address.utf8), host: Array("here".utf8)) == path.map { FilePath($0) })
    }

    @Test func pathsAreTheBytesOfTheirAddresses() {
        let list = URIList(
            Array("file:///gr%FCn\r\nfile:///a%0Ab\nfile:///%CC%81x\nFILE:///e%cc%81\nfile:///%C3%A9".utf8))
        #expect(
            list.localPaths == [
                FilePath([0x2f, 0x67, 0x72, 0xfc, 0x6e]), FilePath("/a\nb"), FilePath("/\u{301}x"),
                FilePath("/e\u{301}"),
                FilePath("/é"),
            ])
        #expect(URIList(Array("file:///".utf8) + [0xe9]).localPaths == [FilePath([0x2f, 0xe9])])
    }

    @Test func aListHasALineForEachAddress() {
        let list = URIList(Array("# from a file manager\r\nfile:///a\r\nhttp://x/\r\n\r\nfile:///b\n".utf8))
        #expect(list.addresses == ["file:///a", "http://x/", "file:///b"])
        #expect(list.localPaths == ["/a", "/b"] && list.text == "file:///a\nhttp://x/\nfile:///b")
        #expect(URIList([]).addresses.isEmpty)
    }
}
