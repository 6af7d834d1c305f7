import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// Selections' peers that claim, flood, trickle and never read.
    @Suite struct X11HostileSelectionTests {
        /// Owns PRIMARY, claims 2 GB and answers with pieces.
        private final class IncrementalOwner {
            let connection: OpaquePointer
            private let window: UInt
            private var request: XSelectionRequestEvent?
            private(set) var piecesSent = 0

            init(_ display: String) throws {
                connection = try #require(XOpenDisplay(display))
                window = XCreateSimpleWindow(connection, XDefaultRootWindow(connection), 0, 0, 1, 1, 0, 0, 0)
                XSetSelectionOwner(connection, 1, window, 0)
                XSync(connection, 0)
            }

            /// Answers a request, and each piece taken with the next one; nil sends none.
            func turn(_ piece: (Int) -> [UInt8]?) {
                var event = XEvent()
                while XPending(connection) > 0 {
                    XNextEvent(connection, &event)
                    if event.type == SelectionRequest {
                        begin(event.xselectionrequest)
                    } else if event.type == PropertyNotify, event.xproperty.state == PropertyDelete, let request,
                        event.xproperty.atom == request.property, let bytes = piece(piecesSent)
                    {
                        piecesSent += 1
                        XChangeProperty(
                            connection, request.requestor, request.property, request.target, 8, PropModeReplace, bytes,
                            Int32(bytes.count))
                    }
                }
                XFlush(connection)
            }

            private func begin(_ request: XSelectionRequestEvent) {
                self.request = request
                var size: UInt = 0x7fff_ffff
                XSelectInput(connection, request.requestor, PropertyChangeMask)
                withUnsafeBytes(of: &size) {
                    _ = XChangeProperty(
                        connection, request.requestor, request.property, XInternAtom(connection, "INCR", 0), 32,
                        PropModeReplace, $0.bindMemory(to: UInt8.self).baseAddress, 1)
                }
                var answer = XEvent()
                answer.xselection.type = SelectionNotify
                answer.xselection.requestor = request.requestor
                answer.xselection.selection = request.selection
                answer.xselection.target = request.target
                answer.xselection.property = request.property
                XSendEvent(connection, request.requestor, 0, 0, &answer)
            }
        }

        private func receive(
            limits: SelectionLedger.Limits = .init(), timeout: Int = 2000, _ piece: (Int) -> [UInt8]?
        ) throws -> (result: Result<String, Clipboard.Failure>, pieces: Int) {
            let scene = try DisplayScene()
            let owner = try IncrementalOwner(scene.server.display)
            defer {
                XCloseDisplay(owner.connection)
                scene.end()
            }
            scene.display.transfers.ledger = SelectionLedger(limits: limits)
            scene.display.primary.timeout = timeout
            var result: Result<String, Clipboard.Failure>?
            scene.display.primary.request(timestamp: 0) { result = $0 }
            let before = Self.residentKilobytes
            try scene.pump("the end of it", within: 10_000) {
                owner.turn(piece)
                return result != nil
            }
            print(
                "hostile owner: \(owner.piecesSent) pieces, \(Self.residentKilobytes - before) KB more, \(scene.display.transfers.ledger.incomingCount) left"
            )
            #expect(scene.display.transfers.incoming.isEmpty && scene.display.transfers.ledger.incomingCount == 0)
            return (try #require(result), owner.piecesSent)
        }

        /// What the process holds in memory.
        private static var residentKilobytes: Int {
            let fields = (try? TextFiles.read("/proc/self/statm"))?.split(separator: " ") ?? []
            return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * 4
        }

        @Test func anOwnerThatClaimsTwoGigabytesAndSendsFiveBytesGivesFiveBytes() throws {
            let (result, _) = try receive { $0 == 0 ? Array("12345".utf8) : [] }
            #expect(result == .success("12345"))
        }

        @Test func anOwnerThatNeverEndsIsStoppedAtTheLimit() throws {
            var limits = SelectionLedger.Limits()
            limits.incomingBytes = 4 << 20
            let piece = [UInt8](repeating: 0x61, count: 100_000)
            let (result, pieces) = try receive(limits: limits) { _ in piece }
            #expect(result == .failure(.tooLarge))
            #expect(pieces <= 44)
        }

        @Test func aPieceLargerThanTheLimitIsNotReadWhole() throws {
            var limits = SelectionLedger.Limits()
            limits.incomingBytes = 50_000
            let (result, _) = try receive(limits: limits) { _ in [UInt8](repeating: 0x61, count: 1_000_000) }
            #expect(result == .failure(.tooLarge))
        }

        @Test func anOwnerThatDiesBetweenPiecesTimesOut() throws {
            let (result, _) = try receive(timeout: 150) { $0 == 0 ? Array("12345".utf8) : nil }
            #expect(result == .failure(.timedOut))
        }

        @Test func anOwnerThatTricklesIsLeftInTheEnd() throws {
            var limits = SelectionLedger.Limits()
            limits.wholeTime = 400
            let (result, pieces) = try receive(limits: limits) { _ in [0x61] }
            #expect(result == .failure(.timedOut))
            #expect(pieces > 1)
        }

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

        /// Requestors that never take their pieces: no more than 64 at once, and what each holds is counted.
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
            var longest = 0.0
            while refused + served < 100 {
                let notice = try raw.waitForAnswer {
                    let start = Deadline.now
                    scene.display.processEvents()
                    longest = max(longest, Deadline.now - start)
                }
                if notice.property == 0 { refused += 1 } else { served += 1 }
            }
            let ledger = scene.display.transfers.ledger
            print(
                "hostile requestors: \(served) served, \(ledger.outgoingBytes) bytes to send, turn \(Int(longest)) ms")
            #expect(served == 64 && refused == 36 && ledger.outgoingCount == 64)
            try scene.pump("all of them given up", within: 10_000) { scene.display.transfers.ledger.outgoingCount == 0 }
            #expect(scene.display.transfers.outgoing.isEmpty && scene.display.transfers.watchedMasks.isEmpty)
        }

        /// Someone asks as fast as can be: keys and painting come in between.
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
            try scene.pump("a painting amid the flood") {
                turns += 1
                return record.paintings > before
            }
            print("flood: painted after \(turns) turns")
            #expect(turns <= 2)
        }
    }
}
