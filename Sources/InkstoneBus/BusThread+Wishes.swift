import Glibc

/// The owner's registrations, and the calls of the bus about names, match rules and processes.
extension BusThread {
    func perform(_ control: BusControl) {
        switch control {
        case .wake(let time): wakeAt = time
        case .register(let id, let object):
            wishes.objects[id] = object
            wishes.paths[object.path] = id
        case .unregister(let id):
            guard let object = wishes.objects.removeValue(forKey: id) else { return }
            if wishes.paths[object.path] == id { wishes.paths[object.path] = nil }
        case .match(let id, let match, let isState):
            guard let rule = match.rule else { return }
            wishes.matches[id] = (match, isState)
            add(rule)
            if let name = match.sender, isOwned(name) { watch(name) }
        case .unmatch(let id):
            guard let match = wishes.matches.removeValue(forKey: id)?.match, let rule = match.rule else { return }
            remove(rule)
            if let name = match.sender, isOwned(name) { unwatch(name) }
        case .watch(let name):
            if let watch = wishes.watched[name], watch.isKnown { reportOwner(of: name, watch.owner) }
            watch(name)
        case .unwatch(let name): unwatch(name)
        case .own(let name, let flags):
            wishes.names[name] = (flags, nil)
            if isReady { ask("RequestName", name, flags, .ownName(name)) }
        case .release(let name):
            guard wishes.names.removeValue(forKey: name) != nil, isReady else { return }
            ask("ReleaseName", name)
        case .credentials(let id, let name):
            ask("GetConnectionCredentials", name, nil, .credentials(id, name, first: nil))
        }
    }

    /// Whether a name can change its owner: well-known names can, unique names and the name of the bus cannot.
    private func isOwned(_ name: String) -> Bool { !BusName.isUnique(name) && name != BusName.bus }

    private func add(_ rule: String) {
        wishes.rules[rule, default: 0] += 1
        if wishes.rules[rule] == 1, isReady { ask("AddMatch", rule, nil, .rule(rule)) }
    }

    private func remove(_ rule: String) {
        guard giveUp(rule), isReady else { return }
        ask("RemoveMatch", rule)
        // The bus now has room for one more rule: add a rule again that the bus has refused before.
        guard let next = wishes.refusedRules.min() else { return }
        wishes.refusedRules.remove(next)
        ask("AddMatch", next, nil, .rule(next))
        for name in wishes.watched.keys where Self.ownerRule(name) == next { askOwner(of: name) }
    }

    /// Ends one use of a match rule. Returns whether `RemoveMatch` must be called: after the last use, if the bus
    /// has accepted the rule, or if it may still accept the rule because an `AddMatch` is pending. A refused rule
    /// has such a request if it was removed and added again before the refusal arrived.
    func giveUp(_ rule: String) -> Bool {
        guard let count = wishes.rules[rule] else { return false }
        wishes.rules[rule] = count == 1 ? nil : count - 1
        guard count == 1 else { return false }
        guard wishes.refusedRules.remove(rule) != nil else { return true }
        return (own.map(\.purpose) + pending.values.map(\.purpose)).contains {
            if case .rule(rule) = $0 { true } else { false }
        }
    }

    /// Handles a match rule that the bus has refused for lack of room. Changes of the names watched by this rule
    /// would not arrive, so these names are reported as having no owner.
    private func ruleWasRefused(_ rule: String) {
        guard wishes.rules[rule] != nil else { return }
        wishes.refusedRules.insert(rule)
        for name in wishes.watched.keys where Self.ownerRule(name) == rule {
            // Drop the pending query for the owner: without the rule its answer may soon be wrong. When the rule is
            // accepted, the owner is queried again.
            forgetQuestion(for: name)
            reportOwner(of: name, nil)
        }
    }

    private func forgetQuestion(for name: String) {
        for (cookie, call) in pending {
            guard case .nameOwner(name) = call.purpose else { continue }
            pending[cookie] = Pending(purpose: .housekeeping, destination: call.destination, deadline: call.deadline)
        }
        own.removeAll { if case .nameOwner(name) = $0.purpose { true } else { false } }
    }

    /// Handles a match rule that the bus has accepted. It may have been refused before: a rule that was removed and
    /// added again is requested twice before the first answer arrives.
    private func ruleWasAdded(_ rule: String) {
        guard wishes.refusedRules.remove(rule) != nil else { return }
        for name in wishes.watched.keys where Self.ownerRule(name) == rule { askOwner(of: name) }
    }

    private func watch(_ name: String) {
        if let watch = wishes.watched[name] {
            wishes.watched[name]?.count = watch.count + 1
            return
        }
        wishes.watched[name] = (1, nil, false)
        add(Self.ownerRule(name))
        if isReady { askOwner(of: name) }
    }

    private func unwatch(_ name: String) {
        guard let watch = wishes.watched[name] else { return }
        guard watch.count == 1 else {
            wishes.watched[name]?.count = watch.count - 1
            return
        }
        wishes.watched[name] = nil
        remove(Self.ownerRule(name))
    }

    func askOwner(of name: String) { ask("GetNameOwner", name, nil, .nameOwner(name)) }

    private static func ownerRule(_ name: String) -> String {
        "type='signal',sender='\(BusName.bus)',path='\(BusName.busPath)',interface='\(BusName.bus)',"
            + "member='NameOwnerChanged',arg0='\(name)'"
    }

    func setOwner(of name: String, _ owner: String?) {
        guard let watch = wishes.watched[name], !watch.isKnown || watch.owner != owner else { return }
        wishes.watched[name] = (watch.count, owner, true)
        reportOwner(of: name, owner)
    }

    // MARK: Answers

    /// Passes the answer to a call on to whatever the call was made for.
    func finish(_ purpose: Pending.Purpose, _ result: Result<[BusValue], BusFailure>, weight: Int = 0) {
        switch purpose {
        case .housekeeping: break
        case .rule(let rule):
            switch result {
            case .success: ruleWasAdded(rule)
            case .failure(.error): ruleWasRefused(rule)
            case .failure: break
            }
        case .owner(let id): reply(id, result, weight: weight)
        case .nameOwner(let name):
            guard !wishes.refusedRules.contains(Self.ownerRule(name)) else { return }
            switch result {
            case .success(let body):
                if case .string(let owner)? = body.first { setOwner(of: name, owner) }
            case .failure(.error): setOwner(of: name, nil)
            case .failure: break
            }
        case .ownName(let name):
            // Ignore a lost connection: the name is requested again on the next one.
            if result == .failure(.disconnected) { return }
            guard case .uint32(let code)? = (try? result.get())?.first else { return reportName(name, .failed) }
            switch code {
            case 1, 4: reportName(name, .owned)
            case 2: reportName(name, .queued)
            case 3: reportName(name, .taken)
            default: reportName(name, .failed)
            }
        case .credentials(let id, let name, let first): finishCredentials(id, name, first, result)
        }
    }

    private func finishCredentials(
        _ id: Int, _ name: String, _ first: BusPeer?, _ result: Result<[BusValue], BusFailure>
    ) {
        var peer = BusPeer(name: name)
        switch result {
        case .failure(let failure): return report(id, .failure(failure))
        case .success(let body):
            guard let facts = body.first?.options else { return report(id, .failure(.invalid("no credentials"))) }
            if case .uint32(let number)? = facts["UnixUserID"] { peer.userID = number }
            if case .uint32(let number)? = facts["ProcessID"] { peer.processID = Int32(exactly: number) }
        }
        if let first {
            // Unique names are never reused. If the same process ID belongs to the name before and after the
            // executable was read, the executable is not that of another process to which the ID has passed.
            let isSame = first.processID == peer.processID && first.userID == peer.userID
            report(id, isSame ? .success(first) : .failure(.invalid("the process has changed")))
        } else if let process = peer.processID, let executable = Self.executable(of: process) {
            peer.executable = executable
            ask("GetConnectionCredentials", name, nil, .credentials(id, name, first: peer))
        } else {
            report(id, .success(peer))
        }
    }

    private func report(_ id: Int, _ result: Result<BusPeer, BusFailure>) {
        outbox.post(.peer(id, result), weight: 256, isForced: true)
    }

    private static func executable(of process: Int32) -> BusPeer.Executable? {
        // Use one descriptor for both, so that the path and the file's status belong together. `O_PATH` (0x200000),
        // which Swift's Glibc does not declare, needs no permission to read the file.
        let descriptor = open("/proc/\(process)/exe", 0x20_0000 | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            readlink(
                "/proc/self/fd/\(descriptor)", buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        var status = stat()
        guard count > 0, fstat(descriptor, &status) == 0 else { return nil }
        let isDeleted = status.st_nlink == 0
        let suffix = Array(" (deleted)".utf8)
        var path = bytes.prefix(count)
        if isDeleted, path.suffix(suffix.count).elementsEqual(suffix) { path.removeLast(suffix.count) }
        let text = String(decoding: path, as: UTF8.self)
        var place = stat()
        let isInPlace =
            !isDeleted && stat(text, &place) == 0 && place.st_dev == status.st_dev && place.st_ino == status.st_ino
        return BusPeer.Executable(
            path: text, device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            owner: status.st_uid, mode: status.st_mode, isDeleted: isDeleted,
            isInPlace: isInPlace)
    }
}
