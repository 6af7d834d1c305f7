import Glibc
import InkstoneBase
import InkstoneBus

/// The connection of a tree to the accessibility bus. The link watches on the session bus whether accessibility is on,
/// and is connected to the accessibility bus while it is on.
///
/// While accessibility is off, the link costs a connection to the session bus with a thread, one property read, and
/// watches on that property and on its owner. While it is on, the link answers all calls. It sends events only while a
/// screen reader has registered for any. The owner watches ``descriptors`` and calls ``receive()``; no call blocks.
/// Bound to one thread.
package final class AccessibilityLink {
    /// The progress of the connection to the registry of the accessibility bus.
    package enum State: Hashable, Sendable {
        /// The link was not started, or accessibility is off.
        case off
        case connecting
        /// The registry has accepted the program.
        case registered
    }

    package private(set) var state = State.off
    package let server: AccessibleServer
    /// Called when ``descriptors`` has changed.
    package var onDescriptorsChange: (() -> Void)?
    /// Called before the objects become visible to screen readers. The owner must bring them up to date then; it
    /// need not update them while the link is off.
    package var onConnect: (() -> Void)?
    /// Called when the results of ``reference(of:)`` have changed.
    package var onReferencesChange: (() -> Void)?
    /// The number of events made so far, including those that were lost because the send buffer was full.
    package private(set) var sentCount = 0

    private let session: Bus
    private var bus: Bus?
    /// The address, with the identifier, of the accessibility bus that the link was last connected to; nil before the
    /// first.
    private var lastAddress: String?
    private var listeners = AccessibleListeners()
    /// The watches on the programs that embed windows of this program, by bus name.
    private var hosts: [String: Bus.Registration] = [:]
    /// The watches on the listeners, by bus name.
    private var readers: [String: Bus.Registration] = [:]
    /// The greatest number of ``readers``. The bus limits the watches of a program, and refuses further ones.
    private static let watchedReaders = 32
    private var isEnabled = false
    private var isEmbedding = false
    private var isClosed = false
    /// Whether the screen readers have not answered the last key in time. If so, keys do not wait for an answer.
    var isLate = false
    /// The number of keys that the screen readers have not answered yet.
    var unanswered = 0
    /// The rule for the time that each key waits for the screen readers' answer.
    var readerWait = ReaderWait()
    /// Whether the link has asked whether accessibility is on, and has received an answer. The answer may have been
    /// an error.
    private(set) var hasStatus = false

    static let registry = "org.a11y.atspi.Registry"
    private static let registryPath = "/org/a11y/atspi/registry"
    private static let status = "org.a11y.Status"
    private static let launcher = "org.a11y.Bus"
    private static let launcherPath = "/org/a11y/bus"

    /// Creates the link of a tree.
    ///
    /// - Parameter session: the session bus, which the link starts and closes.
    package init(_ tree: AccessibleTree, session: Bus = Bus()) {
        server = AccessibleServer(tree)
        self.session = session
    }

    deinit { close() }

    /// Whether the environment forbids the program to use accessibility (`NO_AT_BRIDGE=1`).
    package static var isForbidden: Bool {
        getenv("NO_AT_BRIDGE").map { String(cString: $0) }.map { !$0.isEmpty && $0 != "0" } ?? false
    }

    /// Starts to watch on the session bus whether accessibility is on. Does not block.
    package func start() {
        _ = try? session.watch(Self.launcher) { [weak self] owner in
            guard let self else { return }
            if owner != nil { return askStatus() }
            // Disconnect from the accessibility bus now: it ends with its launcher, but its own end may be reported
            // later.
            server.tree.forgetHosts { _ in true }
            setEnabled(false)
        }
        _ = try? session.match(
            BusMatch(
                sender: Self.launcher, path: Self.launcherPath, interface: "org.freedesktop.DBus.Properties",
                member: "PropertiesChanged", argument: Self.status)
        ) { [weak self] message in
            guard message.body.count > 1, let changed = message.body[1].options else { return }
            if case .boolean(let isOn)? = changed["IsEnabled"] { self?.setEnabled(isOn) }
        }
        session.start()
        onDescriptorsChange?()
    }

    /// The descriptors to poll: one of them is readable when ``receive()`` has something to do.
    package var descriptors: [Int32] {
        isClosed ? [] : ([session] + (bus.map { [$0] } ?? [])).map(\.descriptor).filter { $0 >= 0 }
    }

    /// Handles the messages that have arrived. Does not block.
    package func receive() {
        session.receive()
        bus?.receive()
    }

    /// Disconnects from both buses.
    package func close() {
        guard !isClosed else { return }
        disconnect()
        isClosed = true
        onDescriptorsChange?()
        session.close()
    }

    private func askStatus() {
        try? session.call(
            Self.launcher, path: Self.launcherPath, interface: "org.freedesktop.DBus.Properties", member: "Get",
            [.string(Self.status), .string("IsEnabled")]
        ) { [weak self] answer in
            self?.hasStatus = true
            guard case .variant(.boolean(let isOn))? = (try? answer.get())?.first else { return }
            self?.setEnabled(isOn)
        }
    }

    private func setEnabled(_ isOn: Bool) {
        guard isOn != isEnabled else { return }
        isEnabled = isOn
        guard isOn else { return disconnect() }
        if let address = getenv("AT_SPI_BUS_ADDRESS").map({ String(cString: $0) }), !address.isEmpty {
            return connect(address)
        }
        askAddress()
    }

    /// Asks for the address of the accessibility bus. Asks again, up to four times in all, if the answer has no
    /// address: the launcher may be about to start the bus.
    private func askAddress(attempts: Int = 4) {
        guard isEnabled, bus == nil else { return }
        // All attempts have failed. Set `isEnabled` to false, so that the next signal about the status starts new
        // attempts.
        guard attempts > 0 else {
            isEnabled = false
            return
        }
        do throws(BusFailure) {
            try session.call(
                Self.launcher, path: Self.launcherPath, interface: Self.launcher, member: "GetAddress",
                startsService: true
            ) { [weak self] answer in
                guard let self, isEnabled, bus == nil else { return }
                if case .string(let address)? = (try? answer.get())?.first, !address.isEmpty { return connect(address) }
                askAddress(attempts: attempts - 1)
            }
        } catch {
            isEnabled = false
        }
    }

    // MARK: The accessibility bus

    private func connect(_ address: String) {
        disconnect()
        // Bus names of one accessibility bus belong to other programs on another. Forget the hosts if the bus has
        // changed.
        if let lastAddress, lastAddress != address { server.tree.forgetHosts { _ in true } }
        lastAddress = address
        var setup = BusSetup(address: address)
        // Raise the limits. A screen reader makes some forty calls for each key, and test tools query every object.
        setup.limits.message = AccessibleServer.longestAnswer + (1 << 20)
        setup.limits.sending = 2 * setup.limits.message
        (setup.limits.rate, setup.limits.burst) = (50_000, 10_000)
        let bus = Bus(setup)
        self.bus = bus
        (state, isLate, unanswered, readerWait) = (.connecting, false, 0, ReaderWait())
        bus.onStateChange = { [weak self] in self?.busDidChange($0) }
        // Answer calls before the program is registered: the registry already makes calls while it registers the
        // program.
        for (path, isTree) in [("/org/a11y/atspi/accessible", true), (AccessibleServer.cachePath, false)] {
            _ = try? bus.register(path, isTree: isTree) { [weak self] in self?.handle($0) }
        }
        _ = try? bus.watch(Self.registry) { [weak self] in self?.registryDidChange($0) }
        for (member, isNew) in [("EventListenerRegistered", true), ("EventListenerDeregistered", false)] {
            _ = try? bus.match(
                BusMatch(sender: Self.registry, path: Self.registryPath, interface: Self.registry, member: member)
            ) { [weak self] in self?.listenerDidChange($0.body, isNew: isNew) }
        }
        onConnect?()
        server.tree.onHostsChange = { [weak self] in self?.watchHosts() }
        watchHosts()
        bus.start()
        onDescriptorsChange?()
    }

    /// Whether the link is connected, or connecting, to the accessibility bus. Screen readers can make calls only
    /// then.
    package var isConnected: Bool { bus != nil }

    private func disconnect() {
        guard let bus else { return }
        self.bus = nil
        // Report the change of ``descriptors`` before the accessibility bus is closed. The owner must stop watching
        // the descriptor in time.
        onDescriptorsChange?()
        state = .off
        isEmbedding = false
        listeners = AccessibleListeners()
        server.tree.onNotice = nil
        server.tree.onHostsChange = nil
        (hosts, readers) = ([:], [:])
        bus.close()
        setName("")
    }

    // MARK: Programs that embed windows

    /// Returns the reference by which other programs know a window. Nil while this program is not on the
    /// accessibility bus, and for an object that is not a window of this program.
    package func reference(of window: AccessibleNode) -> AccessibleReference? {
        guard !server.busName.isEmpty, window.parent === server.tree.root else { return nil }
        return AccessibleReference(busName: server.busName, path: server.path(of: window))
    }

    private func setName(_ name: String) {
        guard name != server.busName else { return }
        server.busName = name
        // A host may have been set before this program knew its own bus name. Forget it if it is this program
        // itself.
        server.tree.forgetHosts { $0 == name }
        onReferencesChange?()
    }

    /// Updates the watches on the programs that embed windows of this program. When such a program leaves the bus,
    /// these windows become children of this program again.
    private func watchHosts() {
        let wanted = server.tree.hosts
        for (name, watch) in hosts where !wanted.contains(name) {
            bus?.remove(watch)
            hosts[name] = nil
        }
        for name in wanted where hosts[name] == nil {
            hosts[name] = try? bus?.watch(name) { [weak self] owner in
                if owner == nil { self?.server.tree.forgetHosts { $0 == name } }
            }
        }
    }

    /// Updates the watches on the listeners. The registry need not report the end of a screen reader that has crashed:
    /// its registrations are removed when it leaves the bus.
    private func watchReaders() {
        let wanted = listeners.names
        for (name, watch) in readers where !wanted.contains(name) {
            bus?.remove(watch)
            readers[name] = nil
        }
        for name in wanted where readers[name] == nil && readers.count < Self.watchedReaders {
            readers[name] = try? bus?.watch(name) { [weak self] owner in
                guard owner == nil, let self else { return }
                listeners.removeAll(of: name)
                updateReporting()
            }
        }
    }

    private func busDidChange(_ new: BusState) {
        if case .connected(let name) = new {
            setName(name)
            embed()
        } else {
            // The hosts' bus names were valid only on the bus that is lost. Forget the hosts.
            if !server.busName.isEmpty { server.tree.forgetHosts { _ in true } }
            (state, isEmbedding) = (.connecting, false)
            setName("")
            listeners = AccessibleListeners()
            updateReporting()
        }
    }

    /// Handles the start or the end of the registry. If the registry was started by this program's own request,
    /// nothing needs to be done: the answer to that request is still to come.
    private func registryDidChange(_ owner: String?) {
        guard owner == nil else { return embed() }
        if state == .registered { state = .connecting }
        listeners = AccessibleListeners()
        updateReporting()
    }

    private func embed() {
        guard state == .connecting, !isEmbedding, !server.busName.isEmpty else { return }
        let call = BusValue.structure([.string(server.busName), .objectPath(AccessibleServer.rootPath)])
        isEmbedding = ask(
            Self.registry, path: AccessibleServer.rootPath, interface: "org.a11y.atspi.Socket", member: "Embed", [call],
            startsService: true, timeout: 25_000
        ) { [weak self] answer in
            self?.isEmbedding = false
            guard let self, let parent = (try? answer.get())?.first else { return }
            server.desktop = parent.type == AccessibleServer.referenceType ? parent : AccessibleServer.none
            state = .registered
            askListeners()
        }
    }

    /// Calls a method on the accessibility bus. Returns whether the call was sent.
    func ask(
        _ destination: String, path: String, interface: String, member: String, _ body: [BusValue],
        startsService: Bool = false, timeout: Int64, then handler: @escaping (Result<[BusValue], BusFailure>) -> Void
    ) -> Bool {
        guard let bus else { return false }
        do throws(BusFailure) {
            try bus.call(
                destination, path: path, interface: interface, member: member, body, startsService: startsService,
                timeout: timeout, then: handler)
        } catch {
            return false
        }
        return true
    }

    private func handle(_ call: BusCall) {
        server.answer(call.message, isAwaited: { MonotonicClock.milliseconds < call.expiry }) { [weak self] answer in
            switch answer {
            case .success(let body): self?.bus?.reply(to: call, body)
            case .failure(let error): self?.bus?.reply(to: call, error: error)
            }
        }
    }

    // MARK: Events

    private func askListeners() {
        try? bus?.call(Self.registry, path: Self.registryPath, interface: Self.registry, member: "GetRegisteredEvents")
        {
            [weak self] answer in
            guard let self, case .array(_, let events)? = (try? answer.get())?.first else { return }
            for case .structure(let fields) in events { listenerDidChange(fields, isNew: true) }
            updateReporting()
        }
    }

    private func listenerDidChange(_ fields: [BusValue], isNew: Bool) {
        guard fields.count >= 2, case .string(let listener) = fields[0], case .string(let event) = fields[1] else {
            return
        }
        if isNew { listeners.add(event, of: listener) } else { listeners.remove(event, of: listener) }
        updateReporting()
    }

    private func updateReporting() {
        watchReaders()
        let isOn = state == .registered && !listeners.isEmpty
        guard isOn != server.tree.isReporting else { return }
        server.tree.onNotice = isOn ? { [weak self] in self?.send($0) } : nil
    }

    private func send(_ notice: AccessibleTree.Notice) {
        guard notice.isCached || listeners.want(notice) else { return }
        let signal = server.signal(notice)
        // If the send buffer is full, the event is lost. Screen readers query the text when they read on.
        try? bus?.emit(path: signal.path, interface: signal.interface, member: signal.member, signal.body)
        sentCount += 1
    }
}
