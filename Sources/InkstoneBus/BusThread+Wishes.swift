import Glibc

/// The owner's registrations, and the calls to the bus about names, match rules and processes.
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
        // The bus now has room for one more rule. Try again to add one of the refused rules.
        guard let next = wishes.refusedRules.min() else { return }
        wishes.refusedRules.remove(next)
        ask("AddMatch", next, nil, .rule(next))
        for name in wishes.watched.keys where Self.ownerRule(name) == next { askOwner(of: name) }
    }

    /// Ends one use of a match rule. Returns whether `RemoveMatch` must be called. This is so after the last use,
    /// unless the bus has refused the rule and no new `AddMatch` is pending. Such an `AddMatch` is pending if the
    /// rule was removed and added again before the refusal arrived.
    func giveUp(_ rule: String) -> Bool {
        guard let count = wishes.rules[rule] else { return false }
        wishes.rules[rule] = count == 1 ? nil : count - 1
        guard count == 1 else { return false }
        guard wishes.refusedRules.remove(rule) != nil else { return true }
        return (own.map(\.purpose) + pending.values.map(\.purpose)).contains {
            if case .rule(rule) = $0 { true } else { false }
        }
    }

    /// Handles a match rule that the bus has refused. Without the rule, the bus does not report changes of the owners
    /// of the names to which it applies. So report to the watches of these names that there is no owner.
    private func ruleWasRefused(_ rule: String) {
        guard wishes.rules[rule] != nil else { return }
        wishes.refusedRules.insert(rule)
        for name in wishes.watched.keys where Self.ownerRule(name) == rule {
            // Ignore the answer to the pending query for the owner: without the rule it may soon be wrong. When the
            // rule is accepted, the owner is queried again.
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

    /// Handles a match rule that the bus has accepted. If an earlier request for the same rule was refused, the
    /// owners of the watched names are not known and must be queried.
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

    /// Handles the result of a call, according to the purpose of the call.
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
            // A lost connection is not a refusal: the name is requested again on the next connection.
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
            // Another process may have got the process ID while the executable was read. Unique names are never reused:
            // if the name has the same process ID before and after, the executable is that of the right process.
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
        // Use one descriptor for the path and the file's status, so that both belong to the same file. `O_PATH`
        // (0x200000) needs no permission to read the file; Swift's Glibc does not declare it.
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
