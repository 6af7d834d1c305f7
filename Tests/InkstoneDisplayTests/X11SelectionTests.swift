import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    @Suite struct X11SelectionTests {
        @Test(arguments: [
            ("plain", 1), ("Grüße – 日本語 😀 \u{301}e", 1), ("", 1), ("line\r\nline\n", 1), ("αβγ 0123456789 ", 90_000),
        ])
        func textGoesFromOneClientToAnother(piece: String, repeated: Int) throws {
            let text = String(repeating: piece, count: repeated)
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            #expect(try ask(other.clipboard, of: [scene.display, other])?.isSuccess(text) == true)
            // A request to the display's own selection is answered at once.
            var own: Result<String, Clipboard.Failure>?
            scene.display.clipboard.request(timestamp: 0) { own = $0 }
            #expect(own?.isSuccess(text) == true)
        }

        /// Covers INT 40 of the checklist for interaction.
        @Test func manyRequestsAtOnceAreAllServed() throws {
            let scene = try DisplayScene()
            let others = try (0..<3).map { _ in try InkstoneX11.Display(name: scene.server.display) }
            defer {
                for other in others { other.close() }
                scene.end()
            }
            let small = "small"
            let large = String(repeating: "0123456789abcdef", count: 100_000)
            scene.display.primary.own(timestamp: 0) { small }
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var answers: [Result<String, Clipboard.Failure>] = []
            for other in others {
                for _ in 0..<3 { other.clipboard.request(timestamp: 0) { answers.append($0) } }
                for _ in 0..<3 { other.primary.request(timestamp: 0) { answers.append($0) } }
            }
            try scene.pump("18 answers", within: 20_000, and: others) { answers.count == 18 }
            #expect(answers.count { $0.isSuccess(large) } == 9)
            #expect(answers.count { $0.isSuccess(small) } == 9)
        }

        @Test func lossOfTheSelectionIsReported() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            var losses = 0
            scene.display.primary.own(timestamp: 0, onLost: { losses += 1 }) { "mine" }
            try scene.pump("ownership") { scene.probe.selectionOwner("PRIMARY") != 0 }
            let mine = scene.probe.selectionOwner("PRIMARY")
            other.primary.own(timestamp: 0) { "theirs" }
            try scene.pump("the loss", and: [other]) { losses == 1 }
            // Owners within the process are notified too, unless the selection stays with them.
            let owner = Holder()
            scene.display.clipboard.own(timestamp: 0, by: owner, onLost: { losses += 10 }) { "a" }
            scene.display.clipboard.own(timestamp: 0, by: owner, onLost: { losses += 100 }) { "ab" }
            #expect(losses == 1)
            scene.display.clipboard.own(timestamp: 0, by: Holder()) { "b" }
            #expect(losses == 101)
            #expect(!scene.display.primary.isOwner)
            #expect(scene.probe.selectionOwner("PRIMARY") != mine)
            #expect(try ask(scene.display.primary, of: [scene.display, other]) == .success("theirs"))
            other.primary.disown()
            other.processEvents()
            #expect(try ask(scene.display.primary, of: [scene.display, other]) == .failure(.unavailable))
        }

        @Test func aSilentOwnerTimesOut() throws {
            let scene = try DisplayScene()
            let silent = try #require(XOpenDisplay(scene.server.display))
            defer {
                XCloseDisplay(silent)
                scene.end()
            }
            let window = XCreateSimpleWindow(silent, XDefaultRootWindow(silent), 0, 0, 1, 1, 0, 0, 0)
            XSetSelectionOwner(silent, 1, window, 0)
            XSync(silent, 0)
            scene.display.primary.timeout = 60
            #expect(try ask(scene.display.primary, of: [scene.display]) == .failure(.timedOut))
        }

        /// Covers INT 41, INT 42 of the checklist for interaction.
        @Test func aRequestorThatStopsTakingHoldsUpNobody() throws {
            let scene = try DisplayScene()
            let bad = try RawRequestor(scene.server.display)
            let good = try scene.connectOther()
            defer {
                bad.close()
                scene.end()
            }
            let large = String(repeating: "x", count: 3_000_000)
            scene.display.clipboard.timeout = 200
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            bad.ask(bad.atom("CLIPBOARD"), bad.atom("UTF8_STRING"))
            let notice = try bad.waitForAnswer { scene.display.processEvents() }
            #expect(bad.property(notice.property)?.type == bad.atom("INCR"))
            // The requestor takes no piece, or disappears midway; others are still served.
            #expect(try ask(good.clipboard, of: [scene.display, good])?.isSuccess(large) == true)
            let dying = try RawRequestor(scene.server.display)
            dying.ask(dying.atom("CLIPBOARD"), dying.atom("UTF8_STRING"))
            _ = try dying.waitForAnswer { scene.display.processEvents() }
            dying.close()
            #expect(try ask(good.clipboard, of: [scene.display, good])?.isSuccess(large) == true)
        }

        /// Covers INT 48 of the checklist for interaction.
        @Test func allUsualTargetsAreServed() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let text = "Größe 日"
            var item = PasteboardItem(text: { text })
            item.add("text/html") { .init(Array("<b>x</b>".utf8)) }
            scene.display.clipboard.own(item, timestamp: 0)
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            func convert(_ target: String) throws -> RawRequestor.Value? {
                raw.ask(raw.atom("CLIPBOARD"), raw.atom(target))
                let notice = try raw.waitForAnswer { scene.display.processEvents() }
                return notice.property == 0 ? nil : raw.property(notice.property)
            }
            let targets = try #require(try convert("TARGETS"))
            let names = [
                "TARGETS", "MULTIPLE", "TIMESTAMP", "UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING",
                "TEXT", "COMPOUND_TEXT", "text/html",
            ]
            #expect(Set(names.map { raw.atom($0) }).isSubset(of: Set(targets.words)))
            #expect(targets.type == raw.atom("ATOM"))
            #expect(try convert("UTF8_STRING")?.bytes == Array(text.utf8))
            #expect(try convert("text/plain;charset=utf-8")?.bytes == Array(text.utf8))
            #expect(try convert("text/plain")?.bytes == Array(text.utf8))
            #expect(try convert("STRING")?.bytes == [0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x3f])
            let compound = try #require(try convert("COMPOUND_TEXT"))
            #expect(compound.type == raw.atom("COMPOUND_TEXT"))
            #expect(compound.bytes.contains(0x1b), "it switches character sets")
            #expect(try convert("TEXT")?.type == raw.atom("COMPOUND_TEXT"))
            #expect(try convert("text/html")?.bytes == Array("<b>x</b>".utf8))
            #expect(try convert("image/png") == nil)
            let time = try #require(try convert("TIMESTAMP"))
            #expect(time.type == raw.atom("INTEGER"))
            #expect(time.words.first.map { $0 != 0 } == true, "a real time")

            // A MULTIPLE request for several targets, one of which cannot be converted.
            let pairs = ["UTF8_STRING", "image/png", "TIMESTAMP"].enumerated().flatMap {
                [raw.atom($0.element), raw.atom("PART_\($0.offset)")]
            }
            raw.set(raw.atom("LIST"), pairs)
            raw.ask(raw.atom("CLIPBOARD"), raw.atom("MULTIPLE"), property: raw.atom("LIST"))
            let notice = try raw.waitForAnswer { scene.display.processEvents() }
            #expect(notice.property == raw.atom("LIST"))
            let list = try #require(raw.property(raw.atom("LIST")))
            #expect(list.words == [pairs[0], pairs[1], pairs[2], 0, pairs[4], pairs[5]])
            #expect(raw.property(raw.atom("PART_0"))?.bytes == Array(text.utf8))
        }

        /// Covers INT 50 of the checklist for interaction.
        @Test func aManagerTakesTheClipboardOverAtTheEnd() throws {
            let scene = try DisplayScene()
            let later = try scene.connectOther()
            let manager = try RawClipboardManager(scene.server.display)
            defer {
                manager.end()
                scene.end()
            }
            // Without content, the clipboard manager saves nothing.
            scene.display.saveClipboard()
            #expect(manager.saved == nil)
            var losses = 0
            scene.display.clipboard.own(timestamp: 0, onLost: { losses += 1 }) { "kept, 日本" }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let limit = 30_000
            let start = Deadline.now
            scene.display.saveClipboard(withinMilliseconds: limit)
            #expect(Deadline.now - start < Double(limit), "it waits for the answer and no longer")
            #expect(manager.saved == Array("kept, 日本".utf8))
            try scene.pump("the loss") { losses == 1 }
            scene.display.close()
            #expect(try ask(later.clipboard, of: [later]) == .success("kept, 日本"))
        }

        /// Covers INT 50 of the checklist for interaction.
        @Test func absentOrSilentClipboardManagerDelaysNothing() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            scene.display.clipboard.own(timestamp: 0) { "kept" }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            // Without a manager, the call returns at once.
            let start = Deadline.now
            scene.display.saveClipboard(withinMilliseconds: 10_000)
            #expect(Deadline.now - start < 10_000)
            // A manager that does not answer is waited for until the time-out only.
            XSetSelectionOwner(raw.connection, raw.atom("CLIPBOARD_MANAGER"), raw.window, 0)
            XSync(raw.connection, 0)
            let second = Deadline.now
            scene.display.saveClipboard(withinMilliseconds: 50)
            #expect(Deadline.now - second < 5000)
            #expect(try raw.next(SelectionRequest).xselectionrequest.target == raw.atom("SAVE_TARGETS"))
        }

        /// INT 50. A manager that fetches the text again and again is dropped after ten times the time-out of a
        /// silent one.
        @Test func aManagerThatTakesForEverIsLeftInTheEnd() throws {
            let scene = try DisplayScene()
            let times = 50_000
            let manager = try RawClipboardManager(scene.server.display, taking: times)
            defer {
                manager.end()
                scene.end()
            }
            scene.display.clipboard.own(timestamp: 0) { "kept" }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            scene.display.saveClipboard(withinMilliseconds: 30)
            #expect(manager.taken < times)
        }

        /// Old programs that own a text in one legacy encoding, and the text.
        static let oldOwners: [(target: String, type: String, bytes: [UInt8], text: String)] = [
            ("STRING", "STRING", [0x47, 0x72, 0xf6, 0xdf, 0x65], "Größe"),
            ("STRING", "STRING", [0x66, 0xfc, 0x72, 0], "für"),
            ("TEXT", "STRING", [0xe9, 0x74, 0xe9], "été"),
            // JIS X 0208 in G0, then ASCII again (Compound Text Encoding, “Approved Standard Encodings”).
            (
                "COMPOUND_TEXT", "COMPOUND_TEXT",
                [0x61, 0x1b, 0x24, 0x28, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42, 0x62], "a日本b"
            ),
            ("TEXT", "COMPOUND_TEXT", [0x1b, 0x2d, 0x46, 0xe1, 0xe2, 0xe3], "αβγ"),
            ("text/plain", "text/plain", Array("– 日".utf8), "– 日"),
        ]

        @Test(arguments: oldOwners.indices) func oldEncodingsAreRead(index: Int) throws {
            let scene = try DisplayScene()
            let old = Self.oldOwners[index]
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [(old.target, old.type, old.bytes)])
            defer {
                owner.close()
                scene.end()
            }
            var answer: Result<String, Clipboard.Failure>?
            scene.display.clipboard.request(timestamp: 0) { answer = $0 }
            try scene.pump("an answer") {
                owner.serve()
                return answer != nil
            }
            #expect(answer == .success(old.text))
            #expect(owner.asked.first == "UTF8_STRING" && owner.asked.last == old.target, "\(owner.asked)")
        }

        /// Some programs label Latin-1 as UTF8_STRING. Some of them offer a valid encoding too; others do not.
        @Test(
            arguments: [([0x67, 0xfc], "gü", 0), ([0x67, 0x3f], "g\u{fffd}", 1), (nil, "g\u{fffd}", 1)]
                as [([UInt8]?, String, Int)])
        func damagedUTF8IsAskedForInAnotherEncoding(_ latin: [UInt8]?, _ text: String, _ count: Int) throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD",
                answers: [("UTF8_STRING", "UTF8_STRING", [0x67, 0xfc])]
                    + (latin.map { [("STRING", "STRING", $0)] } ?? []))
            defer {
                owner.close()
                scene.end()
            }
            var answer: Result<String, Clipboard.Failure>?
            var replaced: [Int] = []
            scene.display.clipboard.request(timestamp: 0, onReplacement: { replaced.append($0) }, as: { $0 }) {
                answer = $0
            }
            try scene.pump("an answer") {
                owner.serve()
                return answer != nil
            }
            #expect(answer == .success(text) && replaced == (count == 0 ? [] : [count]))
            #expect(owner.asked == ["UTF8_STRING", "COMPOUND_TEXT", "STRING"])
        }

        @Test func aPictureIsNoTextAndIsReadAsWhatItIs() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            var item = PasteboardItem()
            item.add("image/png") { .init([1, 2, 3]) }
            scene.display.clipboard.own(item, timestamp: 0)
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            #expect(try ask(other.clipboard, of: [scene.display, other]) == .failure(.unavailable))
            var bytes: Result<[UInt8], Clipboard.Failure>?
            other.clipboard.request(format: "image/png", timestamp: 0) { bytes = $0 }
            try scene.pump("the picture", and: [other]) { bytes != nil }
            #expect(bytes == .success([1, 2, 3]))
        }

        /// `xclip -t image/png` sends the picture for any target, even for targets that it does not offer.
        @Test(arguments: [(TestImages.png, nil), (TestImages.gif, nil), (Array("GIF89a is old".utf8), "GIF89a is old")])
        func aPictureThatComesAsTextIsNone(_ bytes: [UInt8], _ text: String?) throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("UTF8_STRING", "UTF8_STRING", bytes)])
            defer {
                owner.close()
                scene.end()
            }
            var answer: Result<String, Clipboard.Failure>?
            scene.display.clipboard.request(timestamp: 0) { answer = $0 }
            try scene.pump("an answer") {
                owner.serve()
                return answer != nil
            }
            #expect(answer == text.map { .success($0) } ?? .failure(.unavailable))
        }

        /// Qt refuses a request without naming the target; the next target is still requested.
        @Test func aRefusalNeedsNoTarget() throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("STRING", "STRING", Array("from Qt".utf8))])
            defer {
                owner.close()
                scene.end()
            }
            owner.refusesNamelessly = true
            scene.display.clipboard.timeout = 60_000
            var answer: Result<String, Clipboard.Failure>?
            scene.display.clipboard.request(timestamp: 0) { answer = $0 }
            try scene.pump("an answer", within: 20_000) {
                owner.serve()
                return answer != nil
            }
            #expect(answer == .success("from Qt"))
        }

        @Test func secretsAreMarkedForClipboardManagers() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            func hint(_ item: PasteboardItem) throws -> (offered: Bool, bytes: [UInt8]?) {
                scene.display.clipboard.own(item, timestamp: 0)
                try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
                func convert(_ target: String) throws -> RawRequestor.Value? {
                    raw.ask(raw.atom("CLIPBOARD"), raw.atom(target))
                    let notice = try raw.waitForAnswer { scene.display.processEvents() }
                    return notice.property == 0 ? nil : raw.property(notice.property)
                }
                let name = "x-kde-passwordManagerHint"
                let words = try convert("TARGETS")?.words ?? []
                return (words.contains(raw.atom(name)), try convert(name)?.bytes)
            }
            var item = PasteboardItem(text: { "hunter2" })
            let plain = try hint(item)
            #expect(!plain.offered && plain.bytes == nil)
            item.isSecret = true
            let secret = try hint(item)
            #expect(secret.offered && secret.bytes == Array("secret".utf8))
        }

        /// INT 49. The server silently ignores a claim with a time older than the current owner's; the display
        /// notices that it is not the owner.
        @Test func anOwnershipRefusedForItsTimeIsNoticed() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            other.clipboard.own(timestamp: 0) { "newer" }
            try scene.pump("their ownership", and: [other]) { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var losses = 0
            scene.display.clipboard.own(timestamp: 1, onLost: { losses += 1 }) { "older" }
            #expect(losses == 1 && !scene.display.clipboard.isOwner)
            #expect(try ask(scene.display.clipboard, of: [scene.display, other]) == .success("newer"))
        }

        /// When a clipboard manager takes over the selection during transfers, these continue.
        @Test func aTransferOutlivesTheLossOfTheSelection() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let text = String(repeating: "0123456789", count: 100_000)
            var losses = 0
            scene.display.clipboard.own(timestamp: 0, onLost: { losses += 1 }) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            XSelectInput(raw.connection, raw.window, PropertyChangeMask)
            raw.ask(raw.atom("CLIPBOARD"), raw.atom("UTF8_STRING"))
            let notice = try raw.waitForAnswer { scene.display.processEvents() }
            #expect(raw.property(notice.property)?.type == raw.atom("INCR"))
            other.clipboard.own(timestamp: 0) { "theirs" }
            try scene.pump("the loss", and: [other]) { losses == 1 }
            let bytes = try raw.takePieces(notice.property) { scene.display.processEvents() }
            #expect(bytes.count == 1_000_000 && bytes.elementsEqual(text.utf8))
        }

        /// INT 39. 100 MB from one client to another: no copies are made besides the sent and the received text.
        @Test func aHundredMegabytesGoThroughInPieces() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            let text = String(repeating: "0123456789 abcdefghijklmnopqrstuvwxyz, äöü 日本\n", count: 2_000_000)
            var largest = 0
            var item = PasteboardItem()
            let whole = PasteboardItem.Bytes(utf8: text)
            item.addText {
                .init(count: whole.count) { range in
                    largest = max(largest, range.count)
                    return whole[range]
                }
            }
            scene.display.clipboard.own(item, timestamp: 0)
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let start = Deadline.now
            var answer: Result<String, Clipboard.Failure>?
            other.clipboard.request(timestamp: 0) { answer = $0 }
            try scene.pump("100 MB", within: 60_000, and: [other]) { answer != nil }
            print("100 MB: \(text.utf8.count) bytes in \(Int(Deadline.now - start)) ms, pieces of \(largest)")
            #expect(answer?.isSuccess(text) == true)
            #expect(largest <= 262_144, "what all known programs take")
        }

        /// Long texts are read on another thread, so that the window stays responsive.
        @Test(arguments: [(100_000, true), (3_000_000, false)])
        func onlyMuchTextIsReadOnAThreadOfItsOwn(size: Int, isHere: Bool) throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            let text = String(repeating: "日本x", count: size / 7)
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var answers: [Result<Reading, Clipboard.Failure>] = []
            other.clipboard.request(timestamp: 0, as: { Reading(text: $0, thread: WaitingTime.thisThread) }) {
                answers.append($0)
            }
            other.clipboard.request(
                preferring: "application/x-none", timestamp: 0, as: { Reading($0, thread: WaitingTime.thisThread) }
            ) {
                answers.append($0)
            }
            try scene.pump("both answers", and: [other]) { answers.count == 2 }
            for answer in answers {
                let reading = try answer.get()
                #expect(reading.text == text && (reading.thread == WaitingTime.thisThread) == isHere)
            }
        }

        /// The preferred format is delivered even if its owner takes longer to send it than the plain text, which
        /// is requested at the same time.
        @Test(arguments: [1000, 400_000, 3_000_000]) func thePreferredFormatArrivesHoweverLargeItIs(size: Int) throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            let (format, bytes) = ("application/x-preferred", (0..<size).map { UInt8(truncatingIfNeeded: $0) })
            var item = PasteboardItem()
            item.add(format) { .init(bytes) }
            item.addText { .init(utf8: "plain") }
            scene.display.clipboard.own(item, timestamp: 0)
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var answer: Result<[UInt8]?, Clipboard.Failure>?
            other.clipboard.request(
                preferring: format, timestamp: 0, as: { if case .bytes(let bytes) = $0 { bytes } else { nil } }
            ) {
                answer = $0
            }
            try scene.pump("an answer", and: [other]) { answer != nil }
            #expect(try answer?.get() == bytes)
        }

        /// A text, and the thread on which it was created.
        private struct Reading: Sendable {
            var text: String
            var thread: pid_t

            init(text: String, thread: pid_t) { (self.text, self.thread) = (text, thread) }

            init(_ contribution: Clipboard.Contribution, thread: pid_t) {
                if case .text(let text) = contribution {
                    self.init(text: text, thread: thread)
                } else {
                    self.init(text: "", thread: thread)
                }
            }
        }

        private func ask(_ clipboard: Clipboard, of displays: [InkstoneX11.Display]) throws -> Result<
            String, Clipboard.Failure
        >? {
            var answer: Result<String, Clipboard.Failure>?
            clipboard.request(timestamp: 0) { answer = $0 }
            try waitUntil("an answer", within: 10_000, watching: displays.map(\.fileDescriptor)) {
                for display in displays { display.processEvents() }
                return answer != nil
            }
            return answer
        }
    }
}

private final class Holder {}

extension Result<String, Clipboard.Failure> {
    /// Whether the result is this text; a failed comparison of the texts themselves would print megabytes.
    fileprivate func isSuccess(_ text: String) -> Bool { self == .success(text) }
}

/// A client that implements the selection protocol by hand, with optional omissions.
final class RawRequestor {
    struct Value: Equatable {
        var type: UInt
        var bytes: [UInt8]
        var words: [UInt]
    }

    let connection: OpaquePointer
    let window: UInt
    private var isClosed = false

    init(_ name: String) throws {
        connection = try #require(XOpenDisplay(name))
        window = XCreateSimpleWindow(connection, XDefaultRootWindow(connection), 0, 0, 1, 1, 0, 0, 0)
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        XCloseDisplay(connection)
    }

    func atom(_ name: String) -> UInt { XInternAtom(connection, name, 0) }

    func ask(_ selection: UInt, _ target: UInt, property: UInt? = nil) {
        XConvertSelection(connection, selection, target, property ?? atom("ANSWER"), window, 0)
        XFlush(connection)
    }

    func set(_ property: UInt, _ words: [UInt]) {
        words.withUnsafeBytes {
            _ = XChangeProperty(
                connection, window, property, atom("ATOM_PAIR"), 32, PropModeReplace,
                $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(words.count))
        }
    }

    func waitForAnswer(_ turn: () -> Void) throws -> XSelectionEvent {
        let answer = try waitForAnswer(until: {
            turn()
            return false
        })
        return try #require(answer)
    }

    /// Returns the answer's notification; nil once `isGivenUp` returns true.
    func waitForAnswer(until isGivenUp: () -> Bool) throws -> XSelectionEvent? {
        try waitFor("a selection notice", watching: [XConnectionNumber(connection)]) {
            if isGivenUp() { return .some(nil) }
            var event = XEvent()
            guard XCheckTypedEvent(connection, SelectionNotify, &event) != 0 else { return nil }
            return event.xselection
        }
    }

    /// Receives an INCR transfer that a property announces.
    func takePieces(_ property: UInt, _ turn: () -> Void) throws -> [UInt8] {
        var bytes: [UInt8] = []
        XDeleteProperty(connection, window, property)
        while true {
            let piece: [UInt8] = try waitFor("a piece", watching: [XConnectionNumber(connection)]) {
                turn()
                var event = XEvent()
                while XCheckTypedEvent(connection, PropertyNotify, &event) != 0 {
                    guard event.xproperty.atom == property, event.xproperty.state == PropertyNewValue else { continue }
                    // The deletion of the announcement causes a property notification too, without a piece.
                    guard let piece = self.property(property) else { continue }
                    return piece.bytes
                }
                return nil
            }
            XDeleteProperty(connection, window, property)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// Waits for the next event of a type.
    func next(_ type: Int32) throws -> XEvent {
        try waitFor("event \(type)", watching: [XConnectionNumber(connection)]) {
            var event = XEvent()
            return XCheckTypedEvent(connection, type, &event) != 0 ? event : nil
        }
    }

    func property(_ property: UInt) -> Value? {
        var type: UInt = 0
        var format: Int32 = 0
        var count: UInt = 0
        var left: UInt = 0
        var data: UnsafeMutablePointer<UInt8>?
        XGetWindowProperty(connection, window, property, 0, 1 << 20, 0, 0, &type, &format, &count, &left, &data)
        guard type != 0, let data else { return nil }
        defer { XFree(data) }
        if format == 32 {
            let words = UnsafeRawPointer(data).bindMemory(to: UInt.self, capacity: Int(count))
            return Value(type: type, bytes: [], words: (0..<Int(count)).map { words[$0] })
        }
        return Value(type: type, bytes: (0..<Int(count)).map { data[$0] }, words: [])
    }
}
