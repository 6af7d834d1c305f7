import InkstoneBase
import InkstoneBus

/// The keyboard's side of the protocol: finds editors on the session's bus, and has a proxy for the text of the view with the focus.
///
/// Needs no display. Call ``processEvents()`` whenever ``descriptor`` is readable; all callbacks come from there. Belongs to one thread.
public final class InputController {
    /// The text with the focus; nil if no editor has it, or none that lets this keyboard edit. Another one after each change of the focus.
    public private(set) var textDocumentProxy: TextDocumentProxy?
    /// Called after ``textDocumentProxy`` has changed.
    public var onFocusChange: (() -> Void)?
    /// Called when an editor says whether it lets this keyboard edit, with its process's name on the bus.
    public var onAccessChange: ((_ editor: String, ProxyAccess) -> Void)?
    /// Called when the connection to the bus is made or lost, with the reason.
    public var onConnectionChange: ((_ failure: String?) -> Void)?
    /// The language that the keyboard types in, as a tag.
    public var primaryLanguage: String?
    /// Whether some editor lets this keyboard edit.
    public var hasFullAccess: Bool { editors.values.contains { $0.access == .allowed } }
    /// Whether the keyboard has to offer a key for the next input mode: never, on a desktop.
    public let needsInputModeSwitchKey = false
    /// Whether dictation has a key of the system's: never.
    public let hasDictationKey = false

    let name: String
    let bus: Bus
    /// The milliseconds in which an editor has to handle a batch.
    let patience: Int64
    private let timing: BusTiming
    private var editors: [String: ProxyEditor] = [:]
    private var focused: ProxyEditor?

    /// A keyboard.
    ///
    /// - Parameters:
    ///   - name: a name to show to the person, one line of at most 255 bytes.
    ///   - busAddress: the address of a bus; nil for the session's.
    public convenience init(name: String, busAddress: String? = nil) {
        self.init(name: name, setup: BusSetup(address: busAddress))
    }

    init(name: String, setup: BusSetup) {
        self.name = name
        bus = Bus(setup)
        patience = setup.timing.expiry
        timing = setup.timing
    }

    /// Ends the connection and what waits, as gone: without ``close()`` edits that were not sent are lost.
    deinit {
        bus.close()
        textDocumentProxy?.invalidate()
    }

    /// Begins to look for editors. Does not wait.
    public func start() {
        bus.onStateChange = { [weak self] in self?.follow($0) }
        let match = BusMatch(
            sender: BusName.bus, path: BusName.busPath, interface: BusName.bus, member: "NameOwnerChanged",
            argumentNamespace: ProxyProtocol.namePrefix)
        _ = try? bus.match(match) { [weak self] message in
            if case .string(let name)? = message.body.first { self?.add(name) }
        }
        bus.start()
        if case .failed = bus.state { follow(bus.state) }
    }

    /// Readable while there is something to do.
    public var descriptor: Int32 { bus.descriptor }

    /// Handles what has come, and sends edits. Does not wait.
    public func processEvents() {
        bus.receive()
        greetAgain()
        textDocumentProxy?.flush()
    }

    /// Greets the editors whose pause is over.
    private func greetAgain() {
        let now = MonotonicClock.milliseconds
        var next: Int64?
        for editor in editors.values {
            guard let time = editor.nextGreeting else { continue }
            if time <= now { editor.greet() } else { next = min(next ?? time, time) }
        }
        if let next { bus.wake(afterMilliseconds: next - now) }
    }

    /// The pause after one of so many milliseconds.
    func pause(after last: Int64) -> Int64 { min(max(timing.retry, last * 2), timing.longestRetry) }

    /// Ends the connection; edits that were made are still sent. Does not wait.
    public func close() {
        textDocumentProxy?.flush()
        bus.close()
        setFocus(nil, nil)
    }

    /// Has the view give up the focus.
    public func dismissKeyboard() {
        if let proxy = textDocumentProxy { focused?.call(.resign(view: proxy.view)) { _ in } }
    }

    /// Asks for the next input mode.
    public func advanceToNextInputMode() {
        if let proxy = textDocumentProxy { focused?.call(.next(view: proxy.view)) { _ in } }
    }

    private func follow(_ state: BusState) {
        switch state {
        case .connected:
            onConnectionChange?(nil)
            try? bus.call(BusName.bus, path: BusName.busPath, interface: BusName.bus, member: "ListNames") {
                [weak self] result in
                guard case .array(_, let names)? = (try? result.get())?.first else { return }
                for case .string(let name) in names where BusName.isName(name, within: ProxyProtocol.namePrefix) {
                    self?.add(name)
                }
            }
        case .failed(let failure): onConnectionChange?(failure.description)
        default: break
        }
    }

    private func add(_ name: String) {
        guard editors[name] == nil, editors.count < 64 else { return }
        let editor = ProxyEditor(self)
        editors[name] = editor
        editor.watch = try? bus.watch(name) { [weak self, weak editor] owner in
            guard let self, let editor else { return }
            editor.end()
            if let owner {
                editor.begin(owner)
            } else {
                editors[name] = nil
                if let watch = editor.watch { bus.remove(watch) }
            }
        }
    }

    /// Takes in a change of the focus that an editor reports. One that loses the focus says nothing of who gets it.
    func setFocus(_ focus: ProxyFocus?, _ editor: ProxyEditor?) {
        guard let focus, let editor, let view = focus.view else {
            if editor == nil || editor === focused { replaceProxy(nil, nil) }
            return
        }
        guard editor !== focused || focus.epoch > textDocumentProxy?.epoch ?? 0 else { return }
        replaceProxy(TextDocumentProxy(focus, view: view, editor: editor), editor)
    }

    private func replaceProxy(_ proxy: TextDocumentProxy?, _ editor: ProxyEditor?) {
        guard proxy != nil || textDocumentProxy != nil else { return }
        textDocumentProxy?.invalidate()
        textDocumentProxy = proxy
        focused = editor
        if let proxy {
            editor?.call(.watch(view: proxy.view, .all)) { _ in }
            proxy.fetch()
        }
        onFocusChange?()
    }

    func receive(_ notice: ProxyNotice, of view: UInt64, in editor: ProxyEditor) {
        if editor === focused, textDocumentProxy?.view == view { textDocumentProxy?.receive(notice) }
    }
}

/// An editor that has a name of the protocol's.
final class ProxyEditor {
    /// Nil while it goes, when the proxies' completions are still called.
    private weak var controller: InputController?
    var watch: Bus.Registration?
    private(set) var access: ProxyAccess?
    private var owner: String?
    private var matches: [Bus.Registration] = []
    private var serial: UInt64 = 0
    /// The time of the next Hello to an editor that had no room, or no answer; nil for none.
    private(set) var nextGreeting: Int64?
    /// The pause before it, in milliseconds.
    private var pause: Int64 = 0
    /// Whether the editor respects deadlines, and by the same clock.
    private var respectsDeadlines = false

    init(_ controller: InputController) { self.controller = controller }

    func nextSerial() -> UInt64 {
        serial += 1
        return serial
    }

    /// The deadline of a batch that is sent now; nil if the editor would not know what that is.
    var deadline: Int64? {
        guard respectsDeadlines, let controller else { return nil }
        return MonotonicClock.milliseconds + controller.patience
    }

    func wake() { controller?.bus.wake() }

    /// Calls a method; the handler is called once, in any case.
    func call(_ request: ProxyRequest, then handler: @escaping (Result<[BusValue], BusFailure>) -> Void) {
        guard let owner, let controller else { return handler(.failure(.disconnected)) }
        let wire = request.wire
        do throws(BusFailure) {
            try controller.bus.call(
                owner, path: wire.path, interface: wire.interface, member: wire.member, wire.body, then: handler)
        } catch {
            handler(.failure(error))
        }
    }

    func begin(_ owner: String) {
        guard let controller else { return }
        self.owner = owner
        let root = BusMatch(sender: owner, path: ProxyProtocol.path, interface: ProxyProtocol.interface)
        let views = BusMatch(
            sender: owner, pathNamespace: ProxyProtocol.path, interface: ProxyProtocol.viewInterface, member: "Changed")
        matches = [
            try? controller.bus.match(root) { [weak self] in self?.receive($0) },
            try? controller.bus.match(views, isState: true) { [weak self] message in
                guard let self, let controller = self.controller, let view = ProxyProtocol.view(at: message.path),
                    let notice = try? ProxyNotice(message.body)
                else { return }
                controller.receive(notice, of: view, in: self)
            },
        ].compactMap { $0 }
        greet()
    }

    /// Asks for access. An editor that has to do with many keyboards at once has room again after a few messages, or later; one that does not answer
    /// may do so later as well.
    func greet(attempts: Int = 50) {
        nextGreeting = nil
        guard let controller, let greeted = owner else { return }
        let before = MonotonicClock.milliseconds
        call(.hello(version: ProxyProtocol.version, name: controller.name)) { [weak self] result in
            guard let self, let controller = self.controller, owner == greeted else { return }
            if case .failure(.error(let error)) = result, error.name == BusError.limitsExceeded.name, attempts > 1 {
                return greet(attempts: attempts - 1)
            }
            switch result {
            case .failure(.error(let error)) where error.name != BusError.limitsExceeded.name: pause = 0
            case .failure:
                pause = controller.pause(after: pause)
                nextGreeting = MonotonicClock.milliseconds + pause
                return controller.bus.wake(afterMilliseconds: pause)
            default: pause = 0
            }
            guard let body = try? result.get(), let welcome = try? ProxyWelcome(body) else { return }
            // In another time namespace the clock is another.
            respectsDeadlines = welcome.clock.map { (before...MonotonicClock.milliseconds).contains($0) } ?? false
            setAccess(welcome.access)
        }
    }

    func end() {
        for match in matches { controller?.bus.remove(match) }
        (matches, owner, access, respectsDeadlines) = ([], nil, nil, false)
        (nextGreeting, pause) = (nil, 0)
        controller?.setFocus(nil, self)
    }

    private func receive(_ message: BusMessage) {
        switch message.member {
        case "Access":
            if case .string(let text)? = message.body.first, let access = ProxyAccess(rawValue: text) {
                setAccess(access)
            }
        case "FocusChanged":
            if access == .allowed, let focus = try? ProxyFocus(message.body) { controller?.setFocus(focus, self) }
        default: break
        }
    }

    private func setAccess(_ new: ProxyAccess) {
        guard let owner, let controller, new != access else { return }
        access = new
        controller.onAccessChange?(owner, new)
        guard new == .allowed else { return controller.setFocus(nil, self) }
        call(.focus) { [weak self] result in
            guard let self, let body = try? result.get(), let focus = try? ProxyFocus(body) else { return }
            self.controller?.setFocus(focus, self)
        }
    }
}
