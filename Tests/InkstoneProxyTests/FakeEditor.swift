import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy

/// A simulated editor of one paragraph, whose characters never combine.
final class FakeEditor {
    let bus: Bus
    var model: ModelText
    var text: [Character] {
        get { model.text }
        set { model.text = newValue }
    }
    /// Character offsets.
    var selection: Range<Int> {
        get { model.selection }
        set { model.selection = newValue }
    }
    var marked: (range: Range<Int>, text: ProxyMarkedText)? { model.marked }
    var revision: UInt64 = 1
    var focus: ProxyFocus
    var access = ProxyAccess.allowed
    /// The status of the batches to come, which are not applied unless it is `applied`.
    var status = TextEditStatus.applied
    /// Whether batches get no answer.
    var isSilent = false
    /// A wrong answer to Apply, sent instead of the right one.
    var nonsense: [BusValue]?
    /// The number of context queries that are refused, as above a rate limit.
    var refusals = 0
    /// The number of greetings that are refused because there are too many clients.
    var fullHouses = 0
    /// The offset of the editor's clock from the machine's; nil for an editor without deadlines.
    var clock: Int64?
    /// Called before a batch is handled.
    var onApply: () -> Void = {}
    private(set) var requests: [ProxyRequest] = []
    private(set) var peer: String?

    var batches: [ProxyBatch] { requests.compactMap { if case .apply(_, let batch) = $0 { batch } else { nil } } }

    init(_ address: String, number: Int32, _ text: String, view: UInt64? = 1) throws {
        model = ModelText(text)
        focus = ProxyFocus(view: view, epoch: 1)
        bus = Bus(BusSetup(address: address))
        bus.start()
        _ = try bus.register(ProxyProtocol.path, isTree: true) { [unowned self] in receive($0) }
        var isOwned = false
        try bus.own(ProxyProtocol.name(process: number)) { isOwned = $0 == .owned }
        try waitUntil("the editor's name", watching: [bus.descriptor]) {
            bus.receive()
            return isOwned
        }
    }

    var context: ProxyContext { context(bytes: ProxyProtocol.maximumText) }

    private func context(bytes: Int) -> ProxyContext {
        var context = ProxyContext(revision: revision)
        let range = marked?.range ?? selection
        func fitting(_ characters: some Sequence<Character>) -> Int {
            var left = bytes
            return characters.prefix {
                left -= $0.utf8.count
                return left >= 0
            }.count
        }
        let (before, after) = (text[..<range.lowerBound], text[range.upperBound...])
        context.before = before.isEmpty ? nil : String(before.suffix(fitting(before.reversed())))
        context.after = after.isEmpty ? nil : String(after.prefix(fitting(after)))
        context.selected = marked == nil && !selection.isEmpty ? String(text[selection]) : nil
        context.marked = marked?.text
        return context
    }

    private func receive(_ call: BusCall) {
        peer = call.message.sender
        let request: ProxyRequest
        do throws(ProxyError) {
            let message = call.message
            request = try ProxyRequest(
                ProxyWire(path: message.path, interface: message.interface, member: message.member, body: message.body))
        } catch {
            return bus.reply(to: call, error: error.busError)
        }
        requests.append(request)
        switch request {
        case .hello:
            guard fullHouses == 0 else {
                fullHouses -= 1
                return bus.reply(to: call, error: .limitsExceeded)
            }
            bus.reply(
                to: call, ProxyWelcome(access: access, clock: clock.map { MonotonicClock.milliseconds + $0 }).body)
        case .focus: bus.reply(to: call, focus.body)
        case .context:
            guard refusals == 0 else {
                refusals -= 1
                return bus.reply(to: call, error: .limitsExceeded)
            }
            var context = context
            (context.identifier, context.language) = ("id", "de")
            bus.reply(to: call, context.body)
        case .apply(let view, let batch):
            onApply()
            if isSilent { return }
            if let nonsense { return bus.reply(to: call, nonsense) }
            var status = status
            if view != focus.view || batch.epoch != focus.epoch { status = .gone }
            if status == .applied {
                for operation in batch.operations { _ = model.apply(operation) }
                revision += 1
            }
            bus.reply(to: call, ProxyAnswer(status: status, context: context(bytes: ProxyProtocol.answerContext)).body)
            if status == .applied { notify(causes: .proxy, lastBatch: batch.serial) }
        case .watch, .resign, .next: bus.reply(to: call)
        }
    }

    func replace(_ range: Range<Int>, with new: String) { model.replace(range, with: new) }

    func notify(causes: ProxyCauses, lastBatch: UInt64 = 0, revision: UInt64? = nil) {
        let notice = ProxyNotice(
            epoch: focus.epoch, revision: revision ?? self.revision, changes: .text, causes: causes,
            lastBatch: lastBatch)
        try? bus.emit(
            path: ProxyProtocol.path(of: focus.view ?? 0), interface: ProxyProtocol.viewInterface, member: "Changed",
            notice.body, to: peer, state: "changed")
    }

    func move(to view: UInt64?) {
        focus = ProxyFocus(view: view, epoch: focus.epoch + 1)
        try? bus.emit(
            path: ProxyProtocol.path, interface: ProxyProtocol.interface, member: "FocusChanged", focus.body, to: peer)
    }

    func set(_ access: ProxyAccess) {
        try? bus.emit(
            path: ProxyProtocol.path, interface: ProxyProtocol.interface, member: "Access", [.string(access.rawValue)],
            to: peer)
    }
}
