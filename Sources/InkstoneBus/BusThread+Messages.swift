import CBus
import Glibc

/// Handling of received messages. The header decides whether a message is wanted, before any of its body is read.
extension BusThread {
    func receive(_ message: OpaquePointer, from connection: BusConnection) {
        let functions = connection.functions
        var type: UInt8 = 0
        // sd-bus itself makes a message without a sender, to report that the connection has ended. `step()` reports
        // the end too, so ignore the message.
        guard functions.pointee.sd_bus_message_get_type(message, &type) >= 0,
            let sender = functions.pointee.sd_bus_message_get_sender(message).map({ string($0, 256) })
        else { return }
        switch type {
        case 1: receiveCall(message, functions, from: sender)
        case 2, 3: receiveAnswer(message, functions, isError: type == 3, from: sender)
        case 4: receiveSignal(message, functions, from: sender)
        default: break
        }
    }

    /// Handles an answer. Ignores a late answer, a second answer to the same call, and an answer whose sender is
    /// not the connection that was called.
    private func receiveAnswer(
        _ message: OpaquePointer, _ functions: UnsafePointer<cbus_functions>, isError: Bool, from sender: String
    ) {
        var cookie: UInt64 = 0
        guard functions.pointee.sd_bus_message_get_reply_cookie(message, &cookie) >= 0, let call = pending[cookie],
            canAnswer(sender, for: call.destination, isError: isError)
        else { return }
        pending[cookie] = nil
        if isError {
            let error = functions.pointee.sd_bus_message_get_error(message)?.pointee
            let name = error?.name.map { string($0, 256) } ?? "org.freedesktop.DBus.Error.Failed"
            finish(call.purpose, .failure(.error(BusError(name, error?.message.map { string($0, 1024) } ?? ""))))
            return
        }
        var reader = BusReader(functions, message, limit: setup.limits.message)
        do throws(BusFailure) {
            let body = try reader.body()
            finish(call.purpose, .success(body), weight: reader.weight)
        } catch {
            finish(call.purpose, .failure(error))
        }
    }

    private func canAnswer(_ sender: String, for destination: String, isError: Bool) -> Bool {
        // Accept an error from the bus itself too: it sends one if the destination does not exist.
        if sender == destination || isError && sender == BusName.bus { return true }
        guard !BusName.isUnique(destination), destination != BusName.bus else { return false }
        guard let watch = wishes.watched[destination], watch.isKnown else { return true }
        return watch.owner == sender
    }

    private func receiveSignal(
        _ message: OpaquePointer, _ functions: UnsafePointer<cbus_functions>, from sender: String
    ) {
        guard let path = path(of: message, functions),
            let interface = functions.pointee.sd_bus_message_get_interface(message).map({ string($0, 256) }),
            let member = functions.pointee.sd_bus_message_get_member(message).map({ string($0, 256) })
        else { return }
        let isOfBus = sender == BusName.bus && interface == BusName.bus
        let candidates = wishes.matches.filter {
            $0.value.match.accepts(sender: sender, path: path, interface: interface, member: member) {
                wishes.watched[$0]?.owner
            }
        }
        guard isOfBus || !candidates.isEmpty, isOfBus || rates.count(sender, at: now) == .admitted else { return }
        var reader = BusReader(functions, message, limit: setup.limits.message)
        let body = try? reader.body()
        rates.charge(sender, weight: reader.weight)
        guard let body else { return }
        if isOfBus { receiveNotice(member, body) }
        let accepting = candidates.filter { $0.value.match.accepts(body) }
        guard !accepting.isEmpty else { return }
        let ids = accepting.keys.sorted()
        let key: BusEventKey? =
            accepting.values.allSatisfy(\.isState) ? .signal(ids, sender: sender, path: path, member: member) : nil
        let signal = BusMessage(sender: sender, path: path, interface: interface, member: member, body: body)
        outbox.post(.signal(ids, signal), weight: reader.weight + 256, key: key)
    }

    /// Handles the signals of the bus about names.
    private func receiveNotice(_ member: String, _ body: [BusValue]) {
        guard case .string(let name)? = body.first else { return }
        switch member {
        case "NameOwnerChanged":
            if body.count == 3, case .string(let owner) = body[2] { setOwner(of: name, owner.isEmpty ? nil : owner) }
        case "NameAcquired": reportName(name, .owned)
        case "NameLost": reportName(name, .lost)
        default: break
        }
    }

    private func receiveCall(
        _ message: OpaquePointer, _ functions: UnsafePointer<cbus_functions>, from sender: String
    ) {
        var cookie: UInt64 = 0
        _ = functions.pointee.sd_bus_message_get_cookie(message, &cookie)
        let wantsAnswer = functions.pointee.sd_bus_message_get_expect_reply(message) > 0
        let address = wantsAnswer ? BusReplyAddress(connection: attempts, name: sender, cookie: cookie) : nil
        func refuse(_ error: BusError) { if let address { self.refuse(address, error) } }

        switch rates.count(sender, at: now) {
        case .muted: return
        case .refused: return refuse(.limitsExceeded)
        case .admitted: break
        }
        guard let path = path(of: message, functions),
            let member = functions.pointee.sd_bus_message_get_member(message).map({ string($0, 256) })
        else { return refuse(.unknownObject) }
        // First apply the registrations that the owner has just made: the peer may already know the new objects.
        performControls()
        let interface = functions.pointee.sd_bus_message_get_interface(message).map { string($0, 256) } ?? ""
        if interface == BusName.peerInterface {
            guard let address else { return }
            switch member {
            case "Ping": return answer(address, .success([]))
            case "GetMachineId":
                guard let id = Self.machineID() else {
                    return refuse(.standard("Failed", "This machine has no number"))
                }
                return answer(address, .success([.string(id)]))
            default: return refuse(.unknownMethod)
            }
        }
        if interface == "org.freedesktop.DBus.Introspectable", member == "Introspect",
            let text = introspection(of: path)
        {
            if let address { answer(address, .success([.string(text)])) }
            return
        }
        guard let object = object(at: path) else { return refuse(.unknownObject) }
        guard owed.count < setup.limits.owed, owedTo[sender, default: 0] < setup.limits.owedToOne else {
            return refuse(.limitsExceeded)
        }
        var reader = BusReader(functions, message, limit: setup.limits.message)
        let body: [BusValue]
        do throws(BusFailure) {
            body = try reader.body()
            rates.charge(sender, weight: reader.weight)
        } catch {
            rates.charge(sender, weight: setup.limits.message)
            return refuse(error == .tooLarge ? .limitsExceeded : .invalidArguments)
        }
        let call = BusCall(
            message: BusMessage(sender: sender, path: path, interface: interface, member: member, body: body),
            address: address, expiry: now + setup.timing.expiry)
        guard outbox.post(.call(object, call), weight: reader.weight + 256) else { return refuse(.limitsExceeded) }
        if let address {
            owe(address)
            owed[address] = now + setup.timing.answer
        }
    }

    /// Returns the machine ID, 32 hexadecimal digits, from the first of the files that has one; nil if none has.
    static func machineID(in files: [String] = ["/etc/machine-id", "/var/lib/dbus/machine-id"]) -> String? {
        files.lazy.compactMap { file in
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 32)
            guard read(descriptor, &bytes, 32) == 32 else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.count == 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit } ? text : nil
        }.first
    }

    /// Returns the path of a message; nil if it is longer than the paths of this program's objects can be.
    private func path(of message: OpaquePointer, _ functions: UnsafePointer<cbus_functions>) -> String? {
        guard let path = functions.pointee.sd_bus_message_get_path(message),
            strnlen(path, BusName.maximumPathLength + 1) <= BusName.maximumPathLength
        else { return nil }
        return string(path, BusName.maximumPathLength)
    }

    /// Returns the number of the object with this path, or else of the nearest ancestor that is registered as a
    /// tree. Nil if there is neither.
    private func object(at path: String) -> Int? {
        if let id = wishes.paths[path] { return id }
        var ancestor = path[...]
        while let slash = ancestor.lastIndex(of: "/"), ancestor != "/" {
            ancestor = slash == ancestor.startIndex ? "/" : ancestor[..<slash]
            if let id = wishes.paths[String(ancestor)], wishes.objects[id]?.isTree == true { return id }
        }
        return nil
    }

    /// Returns the introspection data of a path: the interfaces of its object, and the names of the child nodes
    /// that lead to registered objects. Nil if the path has neither.
    private func introspection(of path: String) -> String? {
        let prefix = path == "/" ? "/" : path + "/"
        let below = wishes.paths.keys.filter { $0 != path && $0.hasPrefix(prefix) }
        let children = Set(below.map { $0.dropFirst(prefix.count).prefix { $0 != "/" } }).sorted()
        let object = object(at: path).flatMap { wishes.objects[$0] }
        guard object != nil || !children.isEmpty else { return nil }
        return "<node>" + (object?.interfaces ?? "") + children.map { "<node name=\"\($0)\"/>" }.joined() + "</node>"
    }
}
