import InkstoneBase
import InkstoneBus

/// The client of the text proxy protocol, for a keyboard: finds editors on the session bus, and has a proxy for the
/// text of the focused view.
///
/// Needs no display. Call ``processEvents()`` whenever ``descriptor`` is readable. Callbacks are called from
/// ``processEvents()``, and also from ``start()`` and ``close()``. Bound to one thread.
public final class InputController {
    /// The text of the focused view; nil if no editor has the focus, if the editor that has it does not let this
    /// keyboard edit, or if the focused view is secure. Replaced after each change of the focus.
    public private(set) var textDocumentProxy: TextDocumentProxy?
    /// Called after ``textDocumentProxy`` has changed.
    public var onFocusChange: (() -> Void)?
    /// Called after the traits of ``textDocumentProxy`` have changed.
    public var onTraitsChange: (() -> Void)?
    /// Called when an editor reports whether it lets this keyboard edit. `editor` is the editor's unique name on
    /// the bus.
    public var onAccessChange: ((_ editor: String, ProxyAccess) -> Void)?
    /// Called with nil when the connection to the bus is made. Called with the reason when the connection is lost,
    /// or when an attempt to connect has failed.
    public var onConnectionChange: ((_ failure: String?) -> Void)?
    /// The language of the text that the keyboard types, as a language tag; nil if unknown.
    public var primaryLanguage: String?
    /// Whether at least one editor lets this keyboard edit.
    public var hasFullAccess: Bool { editors.values.contains { $0.access == .allowed } }
    /// Whether the keyboard has to offer a key that switches to the next input mode. Always false on a desktop.
    public let needsInputModeSwitchKey = false
    /// Whether the system offers a dictation key. Always false.
    public let hasDictationKey = false

    let name: String
    let bus: Bus
    /// The time that an editor has to answer a batch of edits, in milliseconds. After it, the status of the edits is
    /// ``TextEditStatus/unknown``.
    let expiry: Int64
    private let timing: BusTiming
    private var editors: [String: ProxyEditor] = [:]
    private var focused: ProxyEditor?

    /// Creates the controller of a keyboard.
    ///
    /// - Parameters:
    ///   - name: the keyboard's name for the user, one line of at most 255 bytes.
    ///   - busAddress: the address of a bus; nil for the session bus.
    public convenience init(name: String, busAddress: String? = nil) {
        self.init(name: name, setup: BusSetup(address: busAddress))
    }

    init(name: String, setup: BusSetup) {
        self.name = name
        bus = Bus(setup)
        expiry = setup.timing.expiry
        timing = setup.timing
    }

    /// Closes the connection. Edits that were not sent end with ``TextEditStatus/gone``. To send them, call
    /// ``close()`` first.
    deinit {
        bus.close()
        textDocumentProxy?.invalidate()
    }

    /// Starts to look for editors. Does not block.
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

    /// A descriptor that is readable while ``processEvents()`` has something to do. For polling only.
    public var descriptor: Int32 { bus.descriptor }

    /// Handles received messages, and sends the edits made since the last call. Does not block.
    public func processEvents() {
        bus.receive()
        greetAgain()
        textDocumentProxy?.flush()
    }

    /// Sends Hello, a keyboard's first call, again to the editors whose pause is over.
    private func greetAgain() {
        let now = MonotonicClock.milliseconds
        var next: Int64?
        for editor in editors.values {
            guard let time = editor.nextGreeting else { continue }
            if time <= now { editor.greet() } else { next = min(next ?? time, time) }
        }
        if let next { bus.wake(afterMilliseconds: next - now) }
    }

    /// Returns the pause that follows a pause of `last` milliseconds: twice as long, but neither shorter than the
    /// first pause nor longer than the longest one of `timing`.
    func pause(after last: Int64) -> Int64 { min(max(timing.retry, last * 2), timing.longestRetry) }

    /// Sends the edits made so far, unless earlier ones have no answer yet, and closes the connection. Edits without
    /// an answer end with ``TextEditStatus/gone``. Does not block.
    public func close() {
        textDocumentProxy?.flush()
        bus.close()
        setFocus(nil, nil)
    }

    /// Asks the focused view to give up the focus.
    public func dismissKeyboard() {
        if let proxy = textDocumentProxy { focused?.call(.resign(view: proxy.view)) { _ in } }
    }

    /// Asks the editor for the next input mode.
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

    /// Handles an editor's report that one of its views has got the focus, or that none of them has it. A report of no
    /// focus counts only if it comes from the focused editor: another editor may have got the focus already.
    func setFocus(_ focus: ProxyFocus?, _ editor: ProxyEditor?) {
        guard let focus, let editor, let view = focus.view else {
            if editor == nil || editor === focused { replaceProxy(nil, nil) }
            return
        }
        if editor === focused, let proxy = textDocumentProxy, (proxy.view, proxy.epoch) == (view, focus.epoch) {
            if proxy.take(focus.traits) { onTraitsChange?() }
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

/// An editor on the bus: a program that owns a name with the protocol's prefix.
final class ProxyEditor {
    /// The controller; nil while the controller is being deallocated. Completions of proxies are still called then.
    private weak var controller: InputController?
    var watch: Bus.Registration?
    private(set) var access: ProxyAccess?
    private var owner: String?
    private var matches: [Bus.Registration] = []
    private var serial: UInt64 = 0
    /// The number and the operations of the last batch if no answer to it has come in time; nil otherwise.
    var unanswered: (serial: UInt64, operations: [ProxyOperation])?
    /// The time of the next Hello (the first call to an editor) if the editor was busy or has not answered; nil for
    /// none.
    private(set) var nextGreeting: Int64?
    /// The pause before the next Hello (the first call to an editor), in milliseconds.
    private var pause: Int64 = 0
    /// Whether the editor respects the deadlines of batches and has the same clock as this program.
    private var respectsDeadlines = false

    init(_ controller: InputController) { self.controller = controller }

    func nextSerial() -> UInt64 {
        serial += 1
        unanswered = nil
        return serial
    }

    /// The deadline of a batch that is sent now; nil if the editor does not respect deadlines.
    var deadline: Int64? {
        guard respectsDeadlines, let controller else { return nil }
        return MonotonicClock.milliseconds + controller.expiry
    }

    func wake() { controller?.bus.wake() }

    /// Calls a method of the editor. The handler is called exactly once, also if the call fails.
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

    /// Asks the editor for permission to edit. An editor with too many keyboards refuses the call with an error, but
    /// may accept it a few messages later. So the call is repeated at once, up to `attempts` times in all. After the
    /// last attempt, or if the editor does not answer, the call is repeated after a pause.
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
            // Another time namespace has another clock. If the editor's clock is not between our times before and
            // after the call, the editor cannot respect our deadlines.
            respectsDeadlines = welcome.clock.map { (before...MonotonicClock.milliseconds).contains($0) } ?? false
            setAccess(welcome.access)
        }
    }

    func end() {
        for match in matches { controller?.bus.remove(match) }
        (matches, owner, access, respectsDeadlines) = ([], nil, nil, false)
        unanswered = nil
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
