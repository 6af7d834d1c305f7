import CX11
import InkstoneBase

/// A request for a selection. Its targets are requested in turn until one is available. A large answer comes in
/// pieces (ICCCM §2.7.2).
final class IncomingSelection {
    typealias Answer = Result<(bytes: ReceivedBytes, type: Atom), Clipboard.Failure>

    let selection: Atom
    /// The property for the answer, by its slot number and as an atom.
    let slotIndex: Int
    let slot: Atom
    /// The time with which the selection is requested, in the server's milliseconds.
    let time: UInt
    /// The longest wait for the owner without progress, in milliseconds.
    let timeout: Int
    /// The targets to request next if the owner cannot provide the present one.
    var targets: ArraySlice<Atom>
    /// The bytes received so far.
    var bytes = ReceivedBytes()
    /// The type of the pieces received so far.
    var type: Atom = 0
    /// Whether the owner sends the answer in pieces.
    var isInPieces = false
    /// The progress in the property being read; nil if none is partly read.
    var reading: PropertyReading?
    /// Whether the owner has begun to answer: pieces were announced, or a property is partly read.
    var isAnswered: Bool { isInPieces || reading != nil }
    /// The timer for reading the next slice, or for the time-out; nil if none is set.
    var timer: TimerID?
    let completion: (Answer) -> Void

    init(
        selection: Atom, slot: (index: Int, atom: Atom), targets: ArraySlice<Atom>, time: UInt, timeout: Int,
        completion: @escaping (Answer) -> Void
    ) {
        self.selection = selection
        slotIndex = slot.index
        self.slot = slot.atom
        self.targets = targets
        self.time = time
        self.timeout = timeout
        self.completion = completion
    }
}

/// The bytes received from an owner, in several arrays: a single array would be copied each time it grows.
struct ReceivedBytes: Sendable {
    /// The size of an array, in bytes, up to which received bytes are appended to it. Bytes that would exceed the size
    /// get an array of their own.
    private static let partLimit = 1 << 20

    private var parts: [[UInt8]] = []
    private(set) var count = 0

    mutating func append(_ new: UnsafeBufferPointer<UInt8>) {
        count += new.count
        if let last = parts.indices.last, parts[last].count + new.count <= Self.partLimit {
            parts[last].append(contentsOf: new)
        } else {
            parts.append(Array(new))
        }
    }

    /// Whether the bytes are a picture instead of text, which has no zeros.
    var arePicture: Bool {
        guard let start = parts.first, start.prefix(4096).contains(0) else { return false }
        return ImageHeader(start) != nil
    }

    /// All bytes in one array. O(n).
    var all: [UInt8] { parts.count == 1 ? parts[0] : Array(parts.joined()) }
}

/// The progress of reading a large property in slices.
struct PropertyReading {
    /// The number of bytes received before this property was read.
    let start: Int
    /// The offset of the next slice, in units of 32 bits.
    var position = 0
}

extension SelectionTransfers {
    /// The maximum number of bytes of a property that are read at a time. Reading them takes 2 to 4 ms, during
    /// which the window does not respond.
    static let sliceLimit = 1 << 20

    /// Requests a selection in the first of `targets` that its owner can provide.
    ///
    /// - Parameter parameters: atoms to send with the request; nil for none.
    @discardableResult
    func receive(
        _ selection: Atom, _ targets: ArraySlice<Atom>, time: UInt32, timeout: Int, parameters: [Atom]? = nil,
        completion: @escaping (IncomingSelection.Answer) -> Void
    ) -> IncomingSelection {
        let index = slots.take(at: now)
        let request = IncomingSelection(
            selection: selection, slot: (index, display.intern("_INKSTONE_SELECTION_\(index)")), targets: targets,
            time: UInt(time), timeout: timeout, completion: completion)
        incoming.append(request)
        if let parameters { write(parameters, type: PredefinedAtom.atom, to: window, request.slot) }
        ask(request)
        return request
    }

    /// Abandons a request whose answer is no longer needed. Its completion is not called.
    func abandon(_ request: IncomingSelection) {
        guard incoming.contains(where: { $0 === request }) else { return }
        // Delete a property that was read only in part. Otherwise the rest would remain in the server.
        if request.reading != nil {
            display.tolerating { _ = XDeleteProperty(display.connection, window, request.slot) }
        }
        end(request, isQuiet: false)
    }

    /// Fails the requests for a selection that were made with this timestamp, as if they had timed out.
    func giveUp(_ selection: Atom, askedAt time: UInt32) {
        for request in incoming where request.selection == selection && request.time == UInt(time) {
            finish(request, .failure(.timedOut))
        }
    }

    /// Handles the owner's answer to a request: the name of the property with the contents, or a refusal.
    func answerCame(_ event: XSelectionEvent) {
        func isFor(_ request: IncomingSelection, _ target: Atom?) -> Bool {
            request.selection == event.selection && !request.isInPieces && request.reading == nil
                && (event.property == 0 || event.property == request.slot)
                && (target == nil || request.targets.first == target)
        }
        // Match a refusal that names no target, as Qt sends, to the first pending request for the selection.
        let match =
            incoming.first { isFor($0, event.target) }
            ?? (event.target == 0 && event.property == 0 ? incoming.first { isFor($0, nil) } : nil)
        guard let request = match else { return discard(event.property) }
        if event.property == 0 { return askForNext(request) }
        read(request)
    }

    /// Handles a new value of a property of our window: the next piece of a large answer. An empty piece is the
    /// last.
    func pieceCame(_ slot: Atom) {
        // If a piece is being read already, ignore the notice: a piece that the owner writes meanwhile is read
        // together with it.
        guard let request = incoming.first(where: { $0.slot == slot && $0.isInPieces && $0.reading == nil }) else {
            return
        }
        read(request)
    }

    /// Reads the next slice of a property, and schedules the rest for later turns of the loop. The owner decides
    /// how large the property is, so it must not be read at once.
    private func read(_ request: IncomingSelection) {
        var reading = request.reading ?? PropertyReading(start: request.bytes.count)
        request.reading = nil
        let room = ledger.room(in: request.slot)
        let before = request.bytes.count
        let slice = readSlice(
            request.slot, of: window, from: reading.position, delete: true,
            limit: min(Self.sliceLimit, room - (before - reading.start))
        ) { request.bytes.append($0) }
        guard let slice else {
            // The owner has deleted the property after a part of it was read. It may still write into the property, so
            // do not reuse the slot at once.
            if reading.position > 0 {
                end(request, isQuiet: false)
                return request.completion(.failure(.unavailable))
            }
            if !request.isInPieces { askForNext(request) }
            return
        }
        longestSlice = max(longestSlice, request.bytes.count - before)
        let count = request.bytes.count - reading.start
        guard slice.isLast || count > room else {
            reading.position = slice.end
            request.reading = reading
            display.cancel(request.timer)
            request.timer = display.schedule(afterMilliseconds: 0) { [weak self, weak request] in
                guard let self, let request, request.reading != nil else { return }
                read(request)
            }
            return
        }
        if request.isInPieces {
            take(count, of: slice.type, for: request)
        } else if slice.type == display.atoms["INCR"] {
            // The property was deleted when it was read, which requests the first piece from the owner.
            request.isInPieces = true
            request.bytes = ReceivedBytes()
            expect(request, until: ledger.continues(request.slot, at: now))
        } else if count > room {
            finish(request, .failure(.tooLarge))
        } else {
            finish(request, .success((request.bytes, slice.type)))
        }
    }

    /// Handles a piece of `count` bytes that was read completely.
    private func take(_ count: Int, of type: Atom, for request: IncomingSelection) {
        switch ledger.receive(count, in: request.slot, at: now) {
        // Ignore the type of the last piece, which is empty: some owners set a wrong one.
        case .last: finish(request, .success((request.bytes, request.type)))
        case .tooLarge: finish(request, .failure(.tooLarge))
        case .tooLong: finish(request, .failure(.timedOut))
        case .more(let due):
            request.type = type
            expect(request, until: due)
        }
    }

    /// Requests the next target, because the one before is not available. Fails the request if no target is left.
    private func askForNext(_ request: IncomingSelection) {
        request.targets = request.targets.dropFirst()
        request.targets.isEmpty ? finish(request, .failure(.unavailable)) : ask(request)
    }

    /// Deletes an answer that came after its time-out. An answer that announces pieces is not deleted, because that
    /// would request the first piece.
    private func discard(_ slot: Atom) {
        let isRead = incoming.contains { $0.slot == slot && $0.reading != nil }
        guard slot != 0, !isRead, let found = property(slot, of: window, delete: false, limit: 0),
            found.type != display.atoms["INCR"]
        else { return }
        display.tolerating { _ = XDeleteProperty(display.connection, window, slot) }
    }

    private func ask(_ request: IncomingSelection) {
        guard let target = request.targets.first else { return }
        XConvertSelection(display.connection, request.selection, target, request.slot, window, request.time)
        expect(request, until: ledger.ask(request.slot, idle: Int64(request.timeout), at: now))
    }

    private func expect(_ request: IncomingSelection, until due: Int64) {
        display.cancel(request.timer)
        request.timer = display.schedule(afterMilliseconds: Int(max(0, due - now))) { [weak self, weak request] in
            guard let self, let request else { return }
            finish(request, .failure(.timedOut))
        }
    }

    func finish(_ request: IncomingSelection, _ result: IncomingSelection.Answer) {
        switch result {
        case .success, .failure(.unavailable): end(request, isQuiet: true)
        case .failure:
            // Delete the contents. If a piece arrives later, it remains in the property until the slot is used
            // again.
            display.tolerating { _ = XDeleteProperty(display.connection, window, request.slot) }
            end(request, isQuiet: false)
        }
        request.completion(result)
    }

    private func end(_ request: IncomingSelection, isQuiet: Bool) {
        display.cancel(request.timer)
        request.reading = nil
        incoming.removeAll { $0 === request }
        ledger.forget(request.slot)
        slots.giveBack(request.slotIndex, isQuiet: isQuiet, at: now)
    }
}
