import CX11

/// A selection asked for: its targets are tried in turn, and large contents come in pieces (ICCCM §2.7.2).
final class IncomingSelection {
    let selection: Atom
    let slot: Atom
    let time: UInt
    let timeout: Int
    var targets: ArraySlice<Atom>
    var pieces: (bytes: [UInt8], type: Atom)?
    var timer: TimerID?
    let completion: (Result<(bytes: [UInt8], type: Atom), Clipboard.Failure>) -> Void

    init(
        selection: Atom, slot: Atom, targets: ArraySlice<Atom>, time: UInt, timeout: Int,
        completion: @escaping (Result<(bytes: [UInt8], type: Atom), Clipboard.Failure>) -> Void
    ) {
        self.selection = selection
        self.slot = slot
        self.targets = targets
        self.time = time
        self.timeout = timeout
        self.completion = completion
    }
}

extension SelectionTransfers {
    /// Asks for a selection as the first of `targets` that its owner has.
    func receive(
        _ selection: Atom, _ targets: ArraySlice<Atom>, time: UInt32, timeout: Int,
        completion: @escaping (Result<(bytes: [UInt8], type: Atom), Clipboard.Failure>) -> Void
    ) {
        // Answers that come after their time-out must not be taken for another's: the slots go round.
        let slots = display.atoms.slots
        let free = (0..<slots.count).map { slots[(nextSlot + $0) % slots.count] }
            .first { slot in !incoming.contains { $0.slot == slot } }
        guard let free else { return completion(.failure(.unavailable)) }
        nextSlot += 1
        let request = IncomingSelection(
            selection: selection, slot: free, targets: targets, time: UInt(time), timeout: timeout,
            completion: completion)
        incoming.append(request)
        ask(request)
    }

    /// The owner has answered, by a property or by refusing.
    func answerCame(_ event: XSelectionEvent) {
        let match = incoming.first {
            $0.selection == event.selection && $0.targets.first == event.target && $0.pieces == nil
                && (event.property == 0 || event.property == $0.slot)
        }
        guard let request = match else {
            if event.property != 0 { XDeleteProperty(display.connection, window, event.property) }
            return
        }
        let room = ledger.room(in: request.slot)
        guard event.property != 0, let answer = property(event.property, of: window, delete: true, limit: room) else {
            request.targets = request.targets.dropFirst()
            return request.targets.isEmpty ? finish(request, .failure(.unavailable)) : ask(request)
        }
        if answer.type == display.atoms["INCR"] {
            // Deleting the property, which reading it did, asks for the first piece.
            request.pieces = ([], 0)
            expect(request, until: ledger.continues(request.slot, at: now))
        } else if answer.bytes.count > room {
            finish(request, .failure(.tooLarge))
        } else {
            finish(request, .success((answer.bytes, answer.type)))
        }
    }

    /// A property of our window was written: the next piece of a large answer, an empty one being the last.
    func pieceCame(_ slot: Atom) {
        guard let request = incoming.first(where: { $0.slot == slot && $0.pieces != nil }), var pieces = request.pieces
        else { return }
        guard let piece = property(slot, of: window, delete: true, limit: ledger.room(in: slot)) else { return }
        let until: Int64
        switch ledger.receive(piece.bytes.count, in: slot, at: now) {
        case .last: return finish(request, .success(pieces))
        case .tooLarge: return finish(request, .failure(.tooLarge))
        case .tooLong: return finish(request, .failure(.timedOut))
        case .more(let due): until = due
        }
        // Taken out for the change, so that the pieces are not copied each time.
        request.pieces = ([], 0)
        pieces.bytes += piece.bytes
        pieces.type = piece.type
        request.pieces = pieces
        expect(request, until: until)
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

    private func finish(
        _ request: IncomingSelection, _ result: Result<(bytes: [UInt8], type: Atom), Clipboard.Failure>
    ) {
        display.cancel(request.timer)
        incoming.removeAll { $0 === request }
        ledger.forget(request.slot)
        if case .failure = result {
            // What it holds is nobody's; a piece that comes later waits in it until the slot is used again.
            display.tolerating { _ = XDeleteProperty(display.connection, window, request.slot) }
        }
        request.completion(result)
    }
}
