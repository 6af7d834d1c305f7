import CX11

/// Contents that are too large for one request. They are sent in pieces, as the requestor reads them (ICCCM
/// §2.7.2).
final class OutgoingSelection {
    let requestor: UInt
    let property: Atom
    let type: Atom
    let bytes: PasteboardItem.Bytes
    /// The number of bytes of these contents sent so far.
    var sent = 0
    var timer: TimerID?

    init(requestor: UInt, property: Atom, type: Atom, bytes: PasteboardItem.Bytes) {
        self.requestor = requestor
        self.property = property
        self.type = type
        self.bytes = bytes
    }
}

extension OutgoingSelection {
    var address: SelectionLedger.Address { .init(requestor: requestor, property: property) }
}

extension SelectionTransfers {
    /// Answers or refuses another client's request for a selection that we own.
    func answer(_ request: XSelectionRequestEvent) {
        // A client older than the ICCCM names no property. Answer in the property that has the target's name.
        let property = request.property != 0 ? request.property : request.target
        var served: Atom = 0
        if let clipboard = owned[request.selection], let contents = clipboard.contents,
            isCurrent(request.time, contents.time)
        {
            contents.onRequest?()
            if request.target == display.atoms["MULTIPLE"] {
                if request.property != 0, answerMultiple(request, clipboard) { served = property }
            } else {
                var room = pieceSize
                if convert(clipboard, to: request.target, for: request.requestor, as: property, &room) {
                    served = property
                }
            }
        }
        var event = XEvent()
        event.xselection.type = SelectionNotify
        event.xselection.requestor = request.requestor
        event.xselection.selection = request.selection
        event.xselection.target = request.target
        event.xselection.property = served
        event.xselection.time = request.time
        display.tolerating { _ = XSendEvent(display.connection, request.requestor, 0, 0, &event) }
    }

    /// Sends the next piece of a transfer after the requestor has read the previous one.
    func sendMore(_ requestor: UInt, _ property: Atom) {
        guard let transfer = outgoing.first(where: { $0.requestor == requestor && $0.property == property })
        else { return }
        guard let next = ledger.next(transfer.address, limit: pieceSize, at: now) else { return end(transfer) }
        write(
            transfer.bytes[transfer.sent..<(transfer.sent + next.count)], type: transfer.type, to: requestor, property)
        transfer.sent += next.count
        if next.count == 0 { end(transfer) } else { expect(transfer, until: next.until) }
    }

    /// Ends the transfers to a requestor whose window is gone.
    func giveUp(requestor: UInt) {
        for transfer in outgoing where transfer.requestor == requestor { end(transfer) }
    }

    private func isCurrent(_ time: Time, _ owned: UInt32) -> Bool {
        time == 0 || Int32(bitPattern: UInt32(truncatingIfNeeded: time) &- owned) >= 0
    }

    private func answerMultiple(_ request: XSelectionRequestEvent, _ clipboard: Clipboard) -> Bool {
        guard let list = property(request.property, of: request.requestor, delete: false), list.format == 32
        else { return false }
        var atoms = list.bytes.withUnsafeBytes { Array($0.bindMemory(to: Atom.self)) }
        guard ledger.admits(pairsIn: atoms.count) else { return false }
        var room = pieceSize
        for index in stride(from: 0, to: atoms.count - 1, by: 2) {
            let isServed =
                atoms[index + 1] != 0 && atoms[index] != display.atoms["MULTIPLE"]
                && convert(clipboard, to: atoms[index], for: request.requestor, as: atoms[index + 1], &room)
            if !isServed { atoms[index + 1] = 0 }
        }
        write(atoms, type: list.type, to: request.requestor, request.property)
        return true
    }

    /// Answers a request for one target. Returns false if the request is refused.
    ///
    /// - Parameter room: the number of bytes that may still be sent whole in this answer. Larger contents are sent
    ///   in pieces.
    private func convert(
        _ clipboard: Clipboard, to target: Atom, for requestor: UInt, as property: Atom, _ room: inout Int
    ) -> Bool {
        guard let contents = clipboard.contents else { return false }
        let atoms = display.atoms
        switch target {
        case atoms["TARGETS"]:
            write(targets(of: contents), type: PredefinedAtom.atom, to: requestor, property)
            return true
        case atoms["TIMESTAMP"]:
            write([UInt(contents.time)], type: PredefinedAtom.integer, to: requestor, property)
            return true
        case atoms["SAVE_TARGETS"]:
            // Answer `SAVE_TARGETS` with an empty property: a clipboard manager requests it when it takes over the
            // contents.
            write([UInt](), type: atoms["NULL"], to: requestor, property)
            return true
        case atoms["DELETE"]:
            guard let delete = contents.delete, delete() else { return false }
            write([UInt](), type: atoms["NULL"], to: requestor, property)
            return true
        case atoms["x-kde-passwordManagerHint"] where contents.item.isSecret:
            write(Array("secret".utf8), type: target, to: requestor, property)
            return true
        default: break
        }
        let encodings = contents.encodings
        let (idle, address) = (
            2 * Int64(clipboard.timeout), SelectionLedger.Address(requestor: requestor, property: property)
        )
        for (index, representation) in contents.item.representations.enumerated() {
            switch representation.kind {
            case .data(let name) where display.intern(name) == target:
                guard let bytes = encodings.bytes(at: index) else { return false }
                return send(bytes, type: target, to: address, idle: idle, &room)
            case .text where SelectionText.offeredTargets(atoms).contains(target):
                guard let text = encodings.bytes(at: index) else { return false }
                // Encode the text only if the result could be sent. No encoding is shorter than a quarter of the
                // UTF-8.
                let isAdmitted =
                    encodings.isEncoded(target, atoms) || text.count / 4 <= pieceSize
                    || ledger.admits(text.count / 4, to: address)
                guard isAdmitted, let encoded = encodings.encode(text, as: target, display) else { return false }
                return send(encoded.bytes, type: encoded.type, to: address, idle: idle, &room)
            default: break
            }
        }
        return false
    }

    /// Returns all targets offered for the contents. The targets of its types are in order, best first.
    private func targets(of contents: Clipboard.Contents) -> [Atom] {
        let atoms = display.atoms
        var targets = [atoms["TARGETS"], atoms["MULTIPLE"], atoms["TIMESTAMP"], atoms["SAVE_TARGETS"]]
        if contents.delete != nil { targets.append(atoms["DELETE"]) }
        targets += types(of: contents.item)
        if contents.item.isSecret { targets.append(atoms["x-kde-passwordManagerHint"]) }
        return targets
    }

    /// Returns the targets as which an item's types are offered, best first.
    func types(of item: PasteboardItem) -> [Atom] {
        item.representations.flatMap { representation in
            switch representation.kind {
            case .data(let name): [display.intern(name)]
            case .text: SelectionText.offeredTargets(display.atoms)
            }
        }
    }

    /// Sends contents whole or in pieces. Returns false if the limits are exceeded.
    private func send(
        _ bytes: PasteboardItem.Bytes, type: Atom, to address: SelectionLedger.Address, idle: Int64, _ room: inout Int
    ) -> Bool {
        let (requestor, property) = (address.requestor, address.property)
        guard bytes.count > room else {
            room -= bytes.count
            write(bytes.all, type: type, to: requestor, property)
            return true
        }
        // Drop an earlier transfer into the same property, which the new one replaces.
        for transfer in outgoing where transfer.requestor == requestor && transfer.property == property {
            end(transfer)
        }
        let transfer = OutgoingSelection(requestor: requestor, property: property, type: type, bytes: bytes)
        // `idle` is twice the usual time-out. Users accept a longer wait for a transfer in progress than for a
        // program that does not answer.
        guard let due = ledger.send(bytes.count, to: address, idle: idle, at: now) else { return false }
        watch(requestor)
        outgoing.append(transfer)
        expect(transfer, until: due)
        write([UInt(bytes.count)], type: display.atoms["INCR"], to: requestor, property)
        return true
    }

    private func expect(_ transfer: OutgoingSelection, until due: Int64) {
        display.cancel(transfer.timer)
        transfer.timer = display.schedule(afterMilliseconds: Int(max(0, due - now))) { [weak self, weak transfer] in
            guard let self, let transfer else { return }
            end(transfer)
        }
    }

    private func end(_ transfer: OutgoingSelection) {
        display.cancel(transfer.timer)
        outgoing.removeAll { $0 === transfer }
        ledger.forget(transfer.address)
        if !outgoing.contains(where: { $0.requestor == transfer.requestor }) {
            display.unregister(self, for: transfer.requestor)
        }
    }

    /// The size of the pieces, in bytes. Each piece must fit in one request.
    private var pieceSize: Int {
        min(1 << 18, display.largestRequest - 64)
    }

    /// Watches a requestor's window for deleted properties and for its destruction.
    private func watch(_ requestor: UInt) {
        guard requestor != window, !outgoing.contains(where: { $0.requestor == requestor }) else { return }
        display.register(self, for: requestor, selecting: PropertyChangeMask | StructureNotifyMask)
    }

    private func write(_ bytes: [UInt8], type: Atom, to requestor: UInt, _ property: Atom) {
        bytesSent += bytes.count
        display.tolerating {
            _ = XChangeProperty(
                display.connection, requestor, property, type, 8, PropModeReplace, bytes, Int32(bytes.count))
        }
    }

    func write(_ values: [UInt], type: Atom, to requestor: UInt, _ property: Atom) {
        display.tolerating {
            values.withUnsafeBytes {
                _ = XChangeProperty(
                    display.connection, requestor, property, type, 32, PropModeReplace,
                    $0.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(values.count))
            }
        }
    }
}
