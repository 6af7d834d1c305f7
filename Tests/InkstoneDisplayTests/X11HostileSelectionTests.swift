import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// Selection peers that claim too much, flood, send slowly and never read.
    @Suite struct X11HostileSelectionTests {
        /// An owner of PRIMARY that announces 2 GB and sends pieces.
        private final class IncrementalOwner {
            let connection: OpaquePointer
            private let window: UInt
            private var request: XSelectionRequestEvent?
            private(set) var piecesSent = 0
            /// Whether the answer is announced as INCR; otherwise the first piece is the whole answer.
            var announcesPieces = true

            init(_ display: String) throws {
                connection = try #require(XOpenDisplay(display))
                window = XCreateSimpleWindow(connection, XDefaultRootWindow(connection), 0, 0, 1, 1, 0, 0, 0)
                XSetSelectionOwner(connection, PredefinedAtom.primary, window, 0)
                XSync(connection, 0)
            }

            /// Answers a request, and each deleted property with the next piece; nil sends none.
            func turn(_ piece: (Int) -> [UInt8]?) {
                var event = XEvent()
                while XPending(connection) > 0 {
                    XNextEvent(connection, &event)
                    if event.type == SelectionRequest {
                        request = event.xselectionrequest
                        if announcesPieces { announce(event.xselectionrequest) } else { write(piece(0) ?? []) }
                        answer(event.xselectionrequest)
                    } else if event.type == PropertyNotify, event.xproperty.state == PropertyDelete,
                        event.xproperty.atom == request?.property, let bytes = piece(piecesSent)
                    {
                        piecesSent += 1
                        write(bytes)
                    }
                }
                XFlush(connection)
            }

            /// Deletes the property that was written for the request.
            func takeAway() {
                guard let request else { return }
                XDeleteProperty(connection, request.requestor, request.property)
                XSync(connection, 0)
            }

            private func write(_ bytes: [UInt8]) {
                guard let request else { return }
                XChangeProperty(
                    connection, request.requestor, request.property, request.target, 8, PropModeReplace, bytes,
                    Int32(bytes.count))
            }

            private func announce(_ request: XSelectionRequestEvent) {
                var size: UInt = 0x7fff_ffff
                XSelectInput(connection, request.requestor, PropertyChangeMask)
                withUnsafeBytes(of: &size) {
                    _ = XChangeProperty(
                        connection, request.requestor, request.property, XInternAtom(connection, "INCR", 0), 32,
                        PropModeReplace, $0.bindMemory(to: UInt8.self).baseAddress, 1)
                }
            }

            private func answer(_ request: XSelectionRequestEvent) {
                var answer = XEvent()
                answer.xselection.type = SelectionNotify
                answer.xselection.requestor = request.requestor
                answer.xselection.selection = request.selection
                answer.xselection.target = request.target
                answer.xselection.property = request.property
                XSendEvent(connection, request.requestor, 0, 0, &answer)
            }
        }

        /// A display that requests PRIMARY from an owner.
        private final class Asking {
            let display: InkstoneX11.Display
            let owner: IncrementalOwner
            private let scene: DisplayScene
            private(set) var result: Result<String, Clipboard.Failure>?

            init() throws {
                scene = try DisplayScene()
                owner = try IncrementalOwner(scene.server.display)
                display = scene.display
            }

            func ask() { display.primary.request(timestamp: 0) { [unowned self] in result = $0 } }

            func end() {
                XCloseDisplay(owner.connection)
                scene.end()
            }

            /// Sends a piece for each deleted property, and handles the display's events, until a condition holds.
            func pump(_ what: String, _ piece: (Int) -> [UInt8]?, until condition: () -> Bool) throws {
                try waitUntil(what, watching: [display.fileDescriptor]) {
                    owner.turn(piece)
                    display.processEvents()
                    return condition()
                }
            }
        }

        /// Requests PRIMARY from an owner that sends pieces.
        ///
        /// - Parameter megabytes: the maximum growth of memory.
        private func receive(
            _ name: String, limits: SelectionLedger.Limits = .init(), timeout: Int = 2000, megabytes: Int = 8,
            _ piece: (Int) -> [UInt8]?
        ) throws -> (result: Result<String, Clipboard.Failure>, pieces: Int) {
            let asking = try Asking()
            defer { asking.end() }
            let (display, owner) = (asking.display, asking.owner)
            display.transfers.ledger = SelectionLedger(limits: limits)
            display.primary.timeout = timeout
            asking.ask()
            var toll = PeerToll()
            try waitUntil("the end of it", within: 10_000, watching: [display.fileDescriptor]) {
                owner.turn(piece)
                toll.turn(display)
                return asking.result != nil
            }
            toll.report("an owner that \(name), \(owner.piecesSent) pieces", megabytes: megabytes)
            #expect(display.transfers.incoming.isEmpty && display.transfers.ledger.incomingCount == 0)
            #expect(
                display.transfers.longestSlice <= SelectionTransfers.sliceLimit + 4, "\(name): of a piece in one turn")
            return (try #require(asking.result), owner.piecesSent)
        }

        /// Any client can destroy any window, even the one that owns and requests selections.
        @Test func destroyedSelectionWindowIsReplaced() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            let stranger = try RawRequestor(scene.server.display)
            defer {
                stranger.close()
                scene.end()
            }
            let display = scene.display
            var losses = 0
            display.clipboard.own(timestamp: 0, onLost: { losses += 1 }) { "mine" }
            display.primary.own(timestamp: 0, onLost: { losses += 1 }) { "theirs since" }
            try scene.pump("ownership") { scene.probe.selectionOwner("PRIMARY") != 0 }
            let window = scene.probe.selectionOwner("CLIPBOARD")
            let silent = XInternAtom(stranger.connection, "SECONDARY", 0)
            XSetSelectionOwner(stranger.connection, silent, stranger.window, 0)
            XSync(stranger.connection, 0)
            var answer: IncomingSelection.Answer?
            display.transfers.receive(silent, [PredefinedAtom.string], time: 0, timeout: 60_000) { answer = $0 }
            scene.waitUntilIdle()
            XDestroyWindow(stranger.connection, UInt(window))
            XSetSelectionOwner(stranger.connection, PredefinedAtom.primary, stranger.window, 0)
            XSync(stranger.connection, 0)
            try scene.pump("another window") { ![0, window].contains(scene.probe.selectionOwner("CLIPBOARD")) }
            #expect(losses == 1 && display.clipboard.isOwner && !display.primary.isOwner)
            #expect(answer.map { if case .failure(.timedOut) = $0 { true } else { false } } == true)
            #expect(scene.probe.selectionOwner("PRIMARY") == UInt32(stranger.window))
            var pasted: Result<String, Clipboard.Failure>?
            other.clipboard.request(timestamp: 0) { pasted = $0 }
            try scene.pump("the copy", and: [other]) { pasted != nil }
            #expect(pasted == .success("mine"))
            other.primary.own(timestamp: 0) { "another's" }
            pasted = nil
            display.primary.request(timestamp: 0) { pasted = $0 }
            try scene.pump("the paste", and: [other]) { pasted != nil }
            #expect(pasted == .success("another's"))
        }

        /// Covers INT 44 of the checklist for interaction.
        @Test func anOwnerThatClaimsTwoGigabytesAndSendsFiveBytesGivesFiveBytes() throws {
            let (result, _) = try receive("claims 2 GB and sends 5 bytes") { $0 == 0 ? Array("12345".utf8) : [] }
            #expect(result == .success("12345"))
        }

        @Test func anOwnerThatNeverEndsIsStoppedAtTheLimit() throws {
            var limits = SelectionLedger.Limits()
            limits.incomingBytes = 4 << 20
            let piece = [UInt8](repeating: 0x61, count: 100_000)
            let (result, pieces) = try receive("never ends", limits: limits, megabytes: 16) { _ in piece }
            #expect(result == .failure(.tooLarge))
            #expect(pieces <= 44)
        }

        @Test func aPieceLargerThanTheLimitIsNotReadWhole() throws {
            var limits = SelectionLedger.Limits()
            limits.incomingBytes = 50_000
            let (result, _) = try receive("sends a large piece", limits: limits) {
                _ in [UInt8](repeating: 0x61, count: 1_000_000)
            }
            #expect(result == .failure(.tooLarge))
        }

        @Test func anOwnerThatDiesBetweenPiecesTimesOut() throws {
            let (result, _) = try receive("dies between pieces", timeout: 150) { $0 == 0 ? Array("12345".utf8) : nil }
            #expect(result == .failure(.timedOut))
        }

        @Test func anOwnerThatTricklesIsLeftInTheEnd() throws {
            var limits = SelectionLedger.Limits()
            limits.wholeTime = 400
            let (result, pieces) = try receive("trickles", limits: limits) { _ in [0x61] }
            #expect(result == .failure(.timedOut))
            #expect(pieces > 1)
        }

        /// INT 45. GTK 4 and Qt send pieces of the first size, Tk and xsel of the second.
        @Test(arguments: [16_777_184, 4000]) func piecesOfAnySizeAreTaken(size: Int) throws {
            let whole = [UInt8](repeating: 0x61, count: size)
            let count = max(2, 400_000 / size)
            let (result, _) = try receive("sends \(size) bytes a piece", megabytes: 160) { $0 < count ? whole : [] }
            let length = try result.get().utf8.count
            #expect(length == count * size)
        }

        /// An answer in a single property of the maximum size that a server accepts, without INCR.
        @Test func aLargeAnswerInOnePropertyIsTakenInSlices() throws {
            let asking = try Asking()
            defer { asking.end() }
            asking.owner.announcesPieces = false
            asking.ask()
            let whole = (0..<5_000_001).map { UInt8(0x61 + $0 % 26) }
            try asking.pump("the text", { _ in whole }, until: { asking.result != nil })
            let text = try #require(asking.result).get()
            #expect(text.utf8.elementsEqual(whole))
            #expect(asking.display.transfers.longestSlice == SelectionTransfers.sliceLimit + 4)
        }

        /// If the owner deletes the data while it is being read, the request fails at once.
        @Test(arguments: [true, false]) func selectionDeletedDuringReadingFails(inPieces: Bool) throws {
            let asking = try Asking()
            defer { asking.end() }
            asking.owner.announcesPieces = inPieces
            asking.ask()
            let transfers = asking.display.transfers
            let whole = [UInt8](repeating: 0x61, count: 3 << 20)
            try asking.pump("the first slice", { $0 == 0 ? whole : nil }) {
                transfers.incoming.contains { $0.reading != nil }
            }
            asking.owner.takeAway()
            try asking.pump("the end of it", { _ in nil }, until: { asking.result != nil })
            #expect(asking.result == .failure(.unavailable))
            #expect(transfers.incoming.isEmpty)
        }

        /// Covers INT 48 of the checklist for interaction.
        @Test func listsOfTargetsWithoutEndAreRefused() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            scene.display.clipboard.own(timestamp: 0) { "text" }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            for count in [1, 3, 20_000] {
                let words = (0..<count).map { $0.isMultiple(of: 2) ? raw.atom("UTF8_STRING") : raw.atom("ANSWER") }
                raw.set(raw.atom("LIST"), words)
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("MULTIPLE"), property: raw.atom("LIST"))
                #expect(try raw.waitForAnswer { scene.display.processEvents() }.property == 0)
            }
        }

        /// At most 64 requestors that never read their pieces are served at once, and the memory for each is
        /// counted.
        @Test func requestorsThatNeverReadAreBoundedInNumberAndForgotten() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let large = String(repeating: "x", count: 1_000_000)
            scene.display.clipboard.timeout = 1500
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            for number in 0..<100 {
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("UTF8_STRING"), property: raw.atom("ANSWER\(number)"))
            }
            var refused = 0
            var served = 0
            var toll = PeerToll()
            while refused + served < 100 {
                let notice = try raw.waitForAnswer { toll.turn(scene.display) }
                if notice.property == 0 { refused += 1 } else { served += 1 }
            }
            let ledger = scene.display.transfers.ledger
            toll.report("100 requestors that never read, \(ledger.outgoingBytes) bytes owed", megabytes: 16)
            #expect(served == 64 && refused == 36 && ledger.outgoingCount == 64)
            try scene.pump("all of them given up", within: 10_000) { scene.display.transfers.ledger.outgoingCount == 0 }
            #expect(scene.display.transfers.outgoing.isEmpty && !scene.display.isWatched(raw.window))
        }

        /// INT 42. Requestors disappear: one with its connection after some pieces, one with its window only, and
        /// one before its first piece.
        @Test func requestorsThatDieInTheMiddleAreForgotten() throws {
            let scene = try DisplayScene()
            let raws = try (0..<3).map { _ in try RawRequestor(scene.server.display) }
            defer {
                for raw in raws { raw.close() }
                scene.end()
            }
            let large = String(repeating: "x", count: 30_000_000)
            // Raise the time-out, so that no transfer expires during the test.
            scene.display.clipboard.timeout = 600_000
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var toll = PeerToll()
            for (index, raw) in raws.enumerated() {
                XSelectInput(raw.connection, raw.window, PropertyChangeMask)
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("UTF8_STRING"))
                let property = try raw.waitForAnswer { toll.turn(scene.display) }.property
                #expect(raw.property(property)?.type == raw.atom("INCR"))
                for _ in 0..<(2 - index) * 2 {
                    XDeleteProperty(raw.connection, raw.window, property)
                    try waitUntil("a piece", watching: [scene.display.fileDescriptor]) {
                        toll.turn(scene.display)
                        return raw.property(property).map { !$0.bytes.isEmpty } ?? false
                    }
                }
            }
            let transfers = scene.display.transfers
            #expect(transfers.outgoing.count == 3 && transfers.ledger.outgoingCount == 3)
            // This requestor asks for one more piece and closes its connection.
            XDeleteProperty(raws[0].connection, raws[0].window, raws[0].atom("ANSWER"))
            raws[0].close()
            XDestroyWindow(raws[1].connection, raws[1].window)
            XSync(raws[1].connection, 0)
            raws[2].close()
            try waitUntil("all of them forgotten", within: 10_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                return transfers.outgoing.isEmpty
            }
            #expect(raws.allSatisfy { !scene.display.isWatched($0.window) })
            #expect(transfers.ledger.outgoingCount == 0 && transfers.ledger.outgoingBytes == 0)
            toll.report("three requestors that die in the middle", megabytes: 16)
            #expect(!scene.display.isLost)
        }

        /// INT 41, INT 43.
        /// A requestor that reads slowly is served slowly, beside others; one that reads nothing for too long is
        /// dropped.
        @Test func aRequestorThatReadsAPieceNowAndThenHoldsUpNobody() throws {
            let scene = try DisplayScene()
            let slow = try RawRequestor(scene.server.display)
            let good = try scene.connectOther()
            defer {
                slow.close()
                scene.end()
            }
            let large = String(repeating: "x", count: 30_000_000)
            // The time that other requestors need on the slowest machine.
            scene.display.clipboard.timeout = 60_000
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            XSelectInput(slow.connection, slow.window, PropertyChangeMask)
            var toll = PeerToll()
            slow.ask(slow.atom("CLIPBOARD"), slow.atom("UTF8_STRING"))
            let property = try slow.waitForAnswer { toll.turn(scene.display) }.property
            #expect(slow.property(property)?.type == slow.atom("INCR"))
            for _ in 0..<3 {
                XDeleteProperty(slow.connection, slow.window, property)
                try waitUntil("a piece", watching: [scene.display.fileDescriptor]) {
                    toll.turn(scene.display)
                    return slow.property(property).map { !$0.bytes.isEmpty } ?? false
                }
                // Another requestor receives the whole text meanwhile.
                var answer: Result<String, Clipboard.Failure>?
                good.clipboard.request(timestamp: 0) { answer = $0 }
                try waitUntil("the other's", within: 20_000, watching: [scene.display.fileDescriptor]) {
                    toll.turn(scene.display)
                    good.processEvents()
                    return answer != nil
                }
                let length = try answer?.get().utf8.count
                #expect(length == large.utf8.count)
            }
            // Start another transfer to the same requestor.
            scene.display.clipboard.timeout = 100
            slow.ask(slow.atom("CLIPBOARD"), slow.atom("UTF8_STRING"))
            _ = try slow.waitForAnswer { toll.turn(scene.display) }
            try waitUntil("the end of patience", within: 10_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                return scene.display.transfers.ledger.outgoingCount == 0
            }
            // The measured memory includes the other requestor's text, which is in this process too and is joined
            // from pieces.
            toll.report("a requestor that reads a piece now and then", megabytes: 200)
            #expect(scene.display.transfers.outgoing.isEmpty && !scene.display.isWatched(slow.window))
        }

        /// INT 47. A connection has one event mask per window, and the requestor's window may belong to the same
        /// program.
        @Test func aRequestorOnTheSameConnectionKeepsWhatItListensTo() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let connection = scene.display.connection
            let window = XCreateSimpleWindow(connection, XDefaultRootWindow(connection), 0, 0, 1, 1, 0, 0, 0)
            XSelectInput(connection, window, ButtonPressMask)
            let large = String(repeating: "x", count: 1_000_000)
            scene.display.clipboard.own(timestamp: 0) { large }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            func mask() -> Int {
                var attributes = XWindowAttributes()
                XGetWindowAttributes(connection, window, &attributes)
                return attributes.your_event_mask
            }
            scene.display.clipboard.timeout = 100
            XConvertSelection(
                connection, XInternAtom(connection, "CLIPBOARD", 0), XInternAtom(connection, "UTF8_STRING", 0),
                XInternAtom(connection, "PART", 0), window, 0)
            try scene.pump("the transfer") { scene.display.transfers.ledger.outgoingCount == 1 }
            #expect(mask() == ButtonPressMask | PropertyChangeMask | StructureNotifyMask)
            // Events selected during the transfer stay selected too.
            XSelectInput(connection, window, mask() & ~ButtonPressMask | KeyPressMask)
            try scene.pump("its end") { scene.display.transfers.ledger.outgoingCount == 0 }
            #expect(mask() == KeyPressMask)
        }

        /// INT 46. An answer after the time-out is ignored, and its property is deleted.
        @Test func answerAfterTheTimeoutIsIgnored() throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("UTF8_STRING", "UTF8_STRING", Array("late".utf8))])
            defer {
                owner.close()
                scene.end()
            }
            scene.display.clipboard.timeout = 50
            var answers: [Result<String, Clipboard.Failure>] = []
            scene.display.clipboard.request(timestamp: 0) { answers.append($0) }
            try scene.pump("the time-out") { answers == [.failure(.timedOut)] }
            owner.serve()
            scene.display.clipboard.timeout = 20_000
            scene.display.clipboard.request(timestamp: 0) { answers.append($0) }
            try scene.pump("the next answer") {
                owner.serve()
                return answers.count == 2
            }
            #expect(answers.last == .success("late") && scene.display.transfers.incoming.isEmpty)
            let left = scene.probe.property("_INKSTONE_SELECTION_0", of: UInt32(scene.display.transfers.window))
            #expect(left == nil)
        }

        /// INT 51. Another client sends requests as fast as possible: keys are handled and windows painted in
        /// between.
        @Test func aFloodOfRequestsLeavesTheWindowAnswering() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let (window, record) = try scene.makePlainWindow()
            scene.display.clipboard.own(timestamp: 0) { "text" }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let (selection, targets, answer) = (raw.atom("CLIPBOARD"), raw.atom("TARGETS"), raw.atom("ANSWER"))
            for _ in 0..<20_000 { XConvertSelection(raw.connection, selection, targets, answer, raw.window, 0) }
            XSync(raw.connection, 0)
            let before = record.paintings
            window.setNeedsDisplay(WindowRect(x: 0, y: 0, width: 10, height: 10))
            var turns = 0
            var toll = PeerToll()
            try waitUntil("a painting amid the flood", watching: [scene.display.fileDescriptor]) {
                turns += 1
                toll.turn(scene.display)
                return record.paintings > before
            }
            #expect(turns <= 2)
            // Each request is answered eventually.
            var answered = 0
            try waitUntil("the end of the flood", within: 30_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                var event = XEvent()
                while XCheckTypedEvent(raw.connection, SelectionNotify, &event) != 0 { answered += 1 }
                return answered == 20_000
            }
            toll.report("20,000 requests at once", megabytes: 16)
        }

        /// A text of many pieces that no single-byte encoding can represent; counts how often it is created and
        /// read as a whole.
        private final class CountedText {
            private(set) var made = 0
            private(set) var wholeReads = 0
            let bytes: PasteboardItem.Bytes

            init(lines: Int) { bytes = .init(utf8: String(repeating: "Größe 日本\n", count: lines)) }

            var item: PasteboardItem {
                var item = PasteboardItem()
                item.addText { [self] in
                    made += 1
                    return .init(count: bytes.count) { [self] range in
                        if range.count == bytes.count { wholeReads += 1 }
                        return bytes[range]
                    }
                }
                return item
            }
        }

        /// Sends requests for a text; `ask` returns the number of expected answers. Returns how often the text was
        /// created and encoded.
        private func countedWork(
            limits: SelectionLedger.Limits = .init(), lines: Int = 30_000, claims: Int = 1, _ ask: (RawRequestor) -> Int
        ) throws -> (made: Int, wholeReads: Int, served: Int) {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            scene.display.transfers.ledger = SelectionLedger(limits: limits)
            let text = CountedText(lines: lines)
            var served = 0
            for _ in 0..<claims {
                scene.display.clipboard.own(text.item, timestamp: 0)
                try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
                for _ in 0..<ask(raw) {
                    let notice = try raw.waitForAnswer { scene.display.processEvents() }
                    if notice.property != 0 { served += 1 }
                }
            }
            return (text.made, text.wholeReads, served)
        }

        private static let encodedTargets = ["STRING", "COMPOUND_TEXT", "TEXT"]

        @Test func aListOfTargetsHasEachTypeMadeOnce() throws {
            let work = try countedWork { raw in
                let pairs = (0..<64).flatMap { index in
                    [raw.atom(Self.encodedTargets[index % 3]), raw.atom("PART_\(index)")]
                }
                raw.set(raw.atom("LIST"), pairs)
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("MULTIPLE"), property: raw.atom("LIST"))
                return 1
            }
            #expect(work.served == 1 && work.made == 1 && work.wholeReads == 3)
        }

        @Test func aFloodOfRequestsHasEachTypeMadeOnceForEachClaim() throws {
            let work = try countedWork(claims: 2) { raw in
                for index in 0..<300 {
                    raw.ask(
                        raw.atom("CLIPBOARD"), raw.atom(Self.encodedTargets[index % 3]),
                        property: raw.atom("PART_\(index % 30)"))
                }
                return 300
            }
            #expect(work.served == 600 && work.made == 2 && work.wholeReads == 6)
        }

        @Test func onlyTextThatCanBeSentIsEncoded() throws {
            var limits = SelectionLedger.Limits()
            limits.outgoingTransfers = 0
            let work = try countedWork(limits: limits, lines: 80_000) { raw in
                for target in Self.encodedTargets { raw.ask(raw.atom("CLIPBOARD"), raw.atom(target)) }
                return 3
            }
            #expect(work.served == 0 && work.wholeReads == 0)
        }

        @Test func aTextTooLongForXlibsEncodingIsRefusedInIt() throws {
            let lines = SelectionText.longestCompound / 15 + 1
            let work = try countedWork(lines: lines) { raw in
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("COMPOUND_TEXT"))
                raw.ask(raw.atom("CLIPBOARD"), raw.atom("STRING"))
                return 2
            }
            #expect(work.served == 1 && work.wholeReads == 1)
        }

        /// Encodings without Xlib have a limit of their own in either target, beyond which the text is not read.
        /// For TEXT, the text contains characters beyond Latin-1, and is too long for Xlib's encoding.
        @Test(arguments: ["STRING", "TEXT"], [true, false])
        func aTextTooLongForLatin1IsNotRead(target: String, fits: Bool) throws {
            let lines = SelectionText.longestLatin1 / 15 + (fits ? 0 : 1)
            let work = try countedWork(lines: lines) { raw in
                raw.ask(raw.atom("CLIPBOARD"), raw.atom(target))
                return 1
            }
            #expect(work.wholeReads == (fits ? 1 : 0), "\(work)")
            #expect(work.served == (fits && target == "STRING" ? 1 : 0), "\(work)")
        }

        /// Xlib needs 45 to 90 ms per megabyte; text in Latin-1 does not need Xlib.
        @Test func aCompoundTextThatIsTooLongIsNotRead() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            func read(_ bytes: [UInt8]) -> Result<String, Clipboard.Failure> {
                let (type, atoms) = (scene.display.atoms["COMPOUND_TEXT"], scene.display.atoms)
                guard let kind = SelectionText.kind(of: type, count: bytes.count, atoms) else {
                    return .success(SelectionText.fromCompound(bytes, scene.display).text)
                }
                return SelectionText.decode(bytes, as: kind).map(\.text)
            }
            // ESC - F designates Greek as the right half.
            let greek: [UInt8] = [0x1b, 0x2d, 0x46, 0xe1, 0xe2]
            let limit = SelectionText.longestCompound
            #expect(read(greek) == .success("αβ"))
            #expect(read(greek + [UInt8](repeating: 0xe1, count: limit)) == .failure(.tooLongForEncoding))
            for count in [1000, 2 * limit] {
                let latin = try read([UInt8](repeating: 0xe9, count: count)).get()
                #expect(latin.unicodeScalars.count == count && latin.first == "é")
            }
        }

        /// The parts of COMPOUND_TEXT are separated by NULs.
        @Test(arguments: ["a\0b", "é\0α", "\0\0日", "a\0"]) func aCompoundTextWithNULsIsWhole(_ text: String) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let type = scene.display.atoms["COMPOUND_TEXT"]
            let coded = try #require(SelectionText.encode(.init(Array(text.utf8)), as: type, scene.display))
            #expect(coded.bytes.all.count { $0 == 0 } == text.utf8.count { $0 == 0 })
            let parts = text.split(separator: "\0", omittingEmptySubsequences: false)
            let read = coded.bytes.all.split(separator: 0, omittingEmptySubsequences: false).map {
                SelectionText.fromCompound(Array($0), scene.display).text
            }
            #expect(read == parts.map(String.init))
        }

        /// In a MULTIPLE request, small texts are sent whole only up to the size of a piece in total; further ones
        /// are sent by INCR.
        @Test func aListOfTargetsIsGivenOnlyAPieceWhole() throws {
            let scene = try DisplayScene()
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            let text = String(repeating: "x", count: 100_000)
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let parts = (0..<64).map { raw.atom("PART_\($0)") }
            raw.set(raw.atom("LIST"), parts.flatMap { [raw.atom("UTF8_STRING"), $0] })
            raw.ask(raw.atom("CLIPBOARD"), raw.atom("MULTIPLE"), property: raw.atom("LIST"))
            #expect(try raw.waitForAnswer { scene.display.processEvents() }.property != 0)
            #expect(scene.display.transfers.bytesSent == 200_000)
            let types = parts.map { raw.property($0)?.type }
            #expect(types.count { $0 == raw.atom("UTF8_STRING") } == 2)
            #expect(types.count { $0 == raw.atom("INCR") } == 62)
            XSelectInput(raw.connection, raw.window, PropertyChangeMask)
            let bytes = try raw.takePieces(parts[63]) { scene.display.processEvents() }
            #expect(bytes.elementsEqual(text.utf8))
        }
    }
}
