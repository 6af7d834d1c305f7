import CX11
import DisplayTestSupport
import Foundation
import InkstoneTesting
import Synchronization

/// A client that owns a selection without any help, and has it in the targets given and no other.
final class RawOwner {
    private let client: RawRequestor
    private let answers: [UInt: (type: UInt, bytes: [UInt8])]
    /// What it was asked for, in order.
    private(set) var asked: [String] = []
    /// Targets that it never answers for.
    var ignored: Set<String> = []
    /// Whether it refuses without naming the target, as Qt does.
    var refusesNamelessly = false

    /// Takes `selection`.
    ///
    /// - Parameter answers: a target, the type of what it gives, and its bytes.
    init(_ display: String, _ selection: String, answers: [(target: String, type: String, bytes: [UInt8])]) throws {
        let client = try RawRequestor(display)
        self.client = client
        self.answers = Dictionary(
            uniqueKeysWithValues: answers.map { (client.atom($0.target), (client.atom($0.type), $0.bytes)) })
        XSetSelectionOwner(client.connection, client.atom(selection), client.window, 0)
        XSync(client.connection, 0)
    }

    func close() { client.close() }

    /// Answers what has been asked so far.
    func serve() {
        var event = XEvent()
        while XCheckTypedEvent(client.connection, SelectionRequest, &event) != 0 {
            let request = event.xselectionrequest
            asked.append(client.name(of: request.target))
            if ignored.contains(asked[asked.count - 1]) { continue }
            var refused = request
            if refusesNamelessly, answers[request.target] == nil { refused.target = 0 }
            client.answer(refused, answers[request.target])
        }
    }
}

/// A clipboard manager (freedesktop.org's clipboard manager specification): asked to save, it takes the text and the selection.
///
/// It has a thread of its own, because who asks it waits.
final class RawClipboardManager: @unchecked Sendable {
    // Sendable because only its thread uses the connection once that runs; what others ask for lies behind a lock.
    private let client: RawRequestor
    private let state = Mutex((saved: [UInt8]?.none, taken: 0, isOver: false, hasEnded: false))
    /// How often it takes the text before it answers.
    private let times: Int

    /// Becomes the manager of a display, and waits to be asked; then it takes the text so often, and only the last time all else.
    init(_ display: String, taking times: Int = 1) throws {
        self.times = times
        client = try RawRequestor(display)
        XSetSelectionOwner(client.connection, client.atom("CLIPBOARD_MANAGER"), client.window, 0)
        XSync(client.connection, 0)
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) {
                var polled = pollfd(fd: XConnectionNumber(client.connection), events: Int16(POLLIN), revents: 0)
                poll(&polled, 1, 10)
                serve()
            }
            state.withLock { $0.hasEnded = true }
        }
    }

    /// The bytes that it has saved as UTF-8; nil if it was not asked to, or got none.
    var saved: [UInt8]? { state.withLock { $0.saved } }

    /// How often it has taken the text.
    var taken: Int { state.withLock { $0.taken } }

    /// Ends its thread and its connection.
    func end() {
        state.withLock { $0.isOver = true }
        try? waitUntil("the manager's thread to end") { state.withLock { $0.hasEnded } }
        client.close()
    }

    private func serve() {
        var event = XEvent()
        while XCheckTypedEvent(client.connection, SelectionRequest, &event) != 0 {
            let request = event.xselectionrequest
            guard request.target == client.atom("SAVE_TARGETS") else {
                client.answer(request, saved.map { (request.target, $0) })
                continue
            }
            var bytes: [UInt8]?
            for _ in 0..<times {
                client.ask(client.atom("CLIPBOARD"), client.atom("UTF8_STRING"))
                // Nobody answers any more who has stopped waiting.
                guard let notice = try? client.waitForAnswer(until: { state.withLock { $0.isOver } }) else { break }
                bytes = notice.property == 0 ? nil : client.property(notice.property)?.bytes
                state.withLock { $0.taken += 1 }
            }
            state.withLock { $0.saved = bytes }
            XSetSelectionOwner(client.connection, client.atom("CLIPBOARD"), client.window, 0)
            client.answer(request, (client.atom("NULL"), []))
        }
    }
}

extension RawRequestor {
    /// Gives what was asked for, or tells that there is none.
    func answer(_ request: XSelectionRequestEvent, _ value: (type: UInt, bytes: [UInt8])?) {
        if let value {
            XChangeProperty(
                connection, request.requestor, request.property, value.type, 8, PropModeReplace, value.bytes,
                Int32(value.bytes.count))
        }
        var event = XEvent()
        event.xselection.type = SelectionNotify
        event.xselection.requestor = request.requestor
        event.xselection.selection = request.selection
        event.xselection.target = request.target
        event.xselection.property = value == nil ? 0 : request.property
        event.xselection.time = request.time
        XSendEvent(connection, request.requestor, 0, 0, &event)
        XFlush(connection)
    }

    /// An atom's name.
    func name(of atom: UInt) -> String {
        guard let name = XGetAtomName(connection, atom) else { return "" }
        defer { XFree(name) }
        return String(cString: name)
    }
}
