import Glibc
import InkstoneTesting
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy

/// An editor of one paragraph, of characters that never join: a model of what a view does with batches.
final class FakeEditor {
    let bus: Bus
    var text: [Character]
    /// Character offsets.
    var selection: Range<Int>
    var marked: (range: Range<Int>, text: ProxyMarkedText)?
    var revision: UInt64 = 1
    var focus: ProxyFocus
    var access = ProxyAccess.allowed
    /// The status of the batches to come, which are not applied unless it is `applied`.
    var status = TextEditStatus.applied
    /// An answer to Apply in place of the right one.
    var nonsense: [BusValue]?
    /// Called before a batch is handled.
    var onApply: () -> Void = {}
    private(set) var requests: [ProxyRequest] = []
    private(set) var peer: String?

    var batches: [ProxyBatch] { requests.compactMap { if case .apply(_, let batch) = $0 { batch } else { nil } } }

    init(_ address: String, number: Int32, _ text: String, view: UInt64? = 1) throws {
        self.text = Array(text)
        selection = self.text.count..<self.text.count
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
        case .hello: bus.reply(to: call, ProxyWelcome(access: access).body)
        case .focus: bus.reply(to: call, focus.body)
        case .context:
            var context = context
            (context.identifier, context.language) = ("id", "de")
            bus.reply(to: call, context.body)
        case .apply(let view, let batch):
            onApply()
            if let nonsense { return bus.reply(to: call, nonsense) }
            var status = status
            if view != focus.view || batch.epoch != focus.epoch { status = .gone }
            if status == .applied {
                for operation in batch.operations { apply(operation, after: nil) }
                revision += 1
            }
            bus.reply(to: call, ProxyAnswer(status: status, context: context(bytes: ProxyProtocol.answerContext)).body)
            if status == .applied { notify(causes: .proxy, lastBatch: batch.serial) }
        case .watch, .resign, .next: bus.reply(to: call)
        }
    }

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

    private var passed: Int?

    func replace(_ range: Range<Int>, with new: String) {
        text.replaceSubrange(range, with: Array(new))
        let end = range.lowerBound + new.count
        selection = end..<end
        marked = nil
    }

    private func apply(_ operation: ProxyOperation, after: Void?) {
        let passed = passed
        self.passed = nil
        let chosen = marked?.range ?? (selection.isEmpty ? nil : selection)
        if case .adjust = operation { unmark() }
        if case .select = operation { unmark() }
        switch operation {
        case .insert(let new):
            if let marked, !marked.text.selected.isEmpty {
                let start = marked.range.lowerBound + marked.text.before.count
                replace(start..<start + marked.text.selected.count, with: new)
            } else {
                replace(chosen ?? selection, with: new)
            }
        case .deleteBackward(let count):
            let start = max(0, selection.lowerBound - min(Int(count), passed ?? .max))
            replace(chosen ?? start..<selection.lowerBound, with: "")
        case .deleteForward(let count):
            replace(chosen ?? selection.upperBound..<min(text.count, selection.upperBound + Int(count)), with: "")
        case .adjust(let count):
            var caret = count < 0 ? selection.lowerBound : selection.upperBound
            if selection.isEmpty || count == 0 {
                caret = count == 0 ? selection.lowerBound : min(max(0, caret + Int(count)), text.count)
                if count > 0 { self.passed = caret - selection.upperBound }
            }
            selection = caret..<caret
        case .setMarked(let new):
            replace(chosen ?? selection, with: new.text)
            if !new.text.isEmpty { marked = (selection.lowerBound - new.text.count..<selection.lowerBound, new) }
        case .unmark: unmark()
        case .replaceBefore(let expected, let new):
            replace(selection.lowerBound - expected.count..<selection.lowerBound, with: new)
        case .replaceSelection(_, let new): replace(selection, with: new)
        case .replaceAfter(let expected, let new):
            let caret = selection
            replace(selection.upperBound..<selection.upperBound + expected.count, with: new)
            selection = caret
        case .select(let count):
            let caret = selection.upperBound
            let end = min(max(0, caret + Int(count)), text.count)
            selection = min(caret, end)..<max(caret, end)
        }
    }

    private func unmark() {
        guard let old = marked else { return }
        marked = nil
        let caret = old.range.lowerBound + old.text.before.count + old.text.selected.count
        selection = caret..<caret
    }
}
