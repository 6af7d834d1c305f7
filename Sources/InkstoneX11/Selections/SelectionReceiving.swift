import CX11

/// A selection asked for: its targets are tried in turn, and large contents come in pieces (ICCCM §2.7.2).
final class IncomingSelection {
    typealias Answer = Result<(bytes: [UInt8], type: Atom), Clipboard.Failure>

    let selection: Atom
    /// The property that the answer comes in, by number and by name.
    let slotIndex: Int
    let slot: Atom
    let time: UInt
    let timeout: Int
    var targets: ArraySlice<Atom>
    var pieces: (bytes: [UInt8], type: Atom)?
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

extension SelectionTransfers {
    /// Asks for a selection as the first of `targets` that its owner has.
    ///
    /// - Parameter parameters: atoms that the request comes with; nil for none.
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

    /// Gives a request up whose answer nobody needs any more; its completion is not called.
    func abandon(_ request: IncomingSelection) {
        guard incoming.contains(where: { $0 === request }) else { return }
        end(request, isQuiet: false)
    }

    /// The owner has answered, by a property or by refusing.
    func answerCame(_ event: XSelectionEvent) {
        func isFor(_ request: IncomingSelection, _ target: Atom?) -> Bool {
            request.selection == event.selection && request.pieces == nil
                && (event.property == 0 || event.property == request.slot)
                && (target == nil || request.targets.first == target)
        }
        // Qt refuses without naming the target.
        let match =
            incoming.first { isFor($0, event.target) }
            ?? (event.target == 0 && event.property == 0 ? incoming.first { isFor($0, nil) } : nil)
        guard let request = match else { return discard(event.property) }
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

    /// An answer came after its time-out. The announcement of pieces is left alone: deleting it would ask for the first.
    private func discard(_ slot: Atom) {
        guard slot != 0, let found = property(slot, of: window, delete: false, limit: 0),
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

    private func finish(_ request: IncomingSelection, _ result: IncomingSelection.Answer) {
        switch result {
        case .success, .failure(.unavailable): end(request, isQuiet: true)
        case .failure:
            // What it holds is nobody's; a piece that comes later waits in it until the slot has rested.
            display.tolerating { _ = XDeleteProperty(display.connection, window, request.slot) }
            end(request, isQuiet: false)
        }
        request.completion(result)
    }

    private func end(_ request: IncomingSelection, isQuiet: Bool) {
        display.cancel(request.timer)
        incoming.removeAll { $0 === request }
        ledger.forget(request.slot)
        slots.giveBack(request.slotIndex, isQuiet: isQuiet, at: now)
    }
}
