import CX11
import DisplayTestSupport
import Foundation
import InkstoneTesting
import Synchronization

/// A selection owner that uses Xlib directly, with only the given targets.
final class RawOwner {
    private let client: RawRequestor
    private let answers: [UInt: (type: UInt, bytes: [UInt8])]
    /// The names of the requested targets, in order.
    private(set) var asked: [String] = []
    /// Targets whose requests are never answered.
    var ignored: Set<String> = []
    /// Whether refusals omit the target's name, as Qt's do.
    var refusesNamelessly = false

    /// Becomes the owner of `selection`.
    ///
    /// - Parameter answers: for each target, the type and the bytes of the answer.
    init(_ display: String, _ selection: String, answers: [(target: String, type: String, bytes: [UInt8])]) throws {
        let client = try RawRequestor(display)
        self.client = client
        self.answers = Dictionary(
            uniqueKeysWithValues: answers.map { (client.atom($0.target), (client.atom($0.type), $0.bytes)) })
        XSetSelectionOwner(client.connection, client.atom(selection), client.window, 0)
        XSync(client.connection, 0)
    }

    func close() { client.close() }

    /// Answers the requests received so far.
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

/// A clipboard manager (freedesktop.org's specification). When asked to save, it fetches the text and becomes the
/// selection's owner.
///
/// The manager has its own thread, because the program that asks it waits.
final class RawClipboardManager: @unchecked Sendable {
    // Sendable, because only the manager's thread uses the connection once it runs; a lock protects the state for
    // others.
    private let client: RawRequestor
    private let state = Mutex((saved: [UInt8]?.none, taken: 0, isOver: false, hasEnded: false))
    /// The number of times that the manager fetches the text before it answers.
    private let times: Int

    /// Becomes the clipboard manager of a display. When asked to save, it fetches the text so many times, and the
    /// other targets only the last time.
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

    /// The saved bytes as UTF-8; nil if there was no request to save, or no text.
    var saved: [UInt8]? { state.withLock { $0.saved } }

    /// The number of times that the text has been fetched.
    var taken: Int { state.withLock { $0.taken } }

    /// Ends the manager's thread and closes its connection.
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
                // The owner has stopped waiting, and does not answer any more.
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
    /// Answers a selection request with a value, or refuses it.
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

    /// Returns the name of an atom.
    func name(of atom: UInt) -> String {
        guard let name = XGetAtomName(connection, atom) else { return "" }
        defer { XFree(name) }
        return String(cString: name)
    }
}
