import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneProxy
import InkstoneProxyServer
import InkstoneView
import InkstoneX11

/// A service for keyboards in other processes, which use the `InkstoneProxy` library. Through it, they type into
/// this program's focused text view after the user has allowed them to.
///
/// Until ``start()`` nothing is loaded, and no program can ask for permission. See <doc:Keyboards>. Bound to the
/// display's thread.
public final class TextProxyService {
    /// The programs that may type, and those that are refused without asking the user. A change takes effect
    /// immediately.
    public var permissions: ProxyPermissions {
        get { server.permissions }
        set { server.permissions = newValue }
    }
    /// Called when a program asks for permission to type. Ask the user, and call ``answer(_:isAllowed:lasts:)``. If
    /// nil, all programs that are not in ``permissions`` are refused.
    public var onQuestion: ((ProxyProgram) -> Void)? {
        get { server.onQuestion }
        set { server.onQuestion = newValue }
    }
    /// Called when a question to the user no longer needs an answer, because it was answered elsewhere or the
    /// program has ended.
    public var onQuestionEnd: ((ProxyProgram) -> Void)? {
        get { server.onQuestionEnd }
        set { server.onQuestionEnd = newValue }
    }
    /// Called when the user's answer to a question has changed ``permissions``. Save them for the program's next
    /// start.
    public var onPermissionsChange: ((ProxyPermissions) -> Void)? {
        get { server.onPermissionsChange }
        set { server.onPermissionsChange = newValue }
    }

    private let display: Display
    private let server: ProxyServer
    private var descriptor: Int32 = -1

    /// Creates the service for the windows of a display. Create at most one for each display.
    ///
    /// - Parameters:
    ///   - display: the display whose first responder receives the keyboards' text.
    ///   - busAddress: the address of a bus; nil for the session bus.
    public init(on display: Display, busAddress: String? = nil) {
        self.display = display
        server = ProxyServer(BusSetup(address: busAddress))
    }

    deinit { end() }

    /// Connects to the bus, on a background thread. Call it once. If there is no bus, returns the reason in words for
    /// the user, otherwise nil; the connection may still fail later.
    @discardableResult
    public func start() -> String? {
        if let problem = server.start() { return problem }
        server.onPause = { [weak display] in display?.schedule(afterMilliseconds: Int($0), $1) }
        descriptor = server.descriptor
        display.addDescriptor(descriptor) { [weak self] in self?.server.processEvents() }
        display.focusWatch.onChange = { [weak self] in self?.followFocus() }
        display.focusWatch.onReplacement = { [weak self] in
            self?.server.prepareReplacement(of: $0.session, by: $1.session)
        }
        followFocus()
        return nil
    }

    /// Ends the service. Text that keyboards have marked becomes ordinary text.
    public func end() {
        if descriptor >= 0 {
            display.removeDescriptor(descriptor)
            (display.focusWatch.onChange, display.focusWatch.onReplacement) = (nil, nil)
        }
        descriptor = -1
        server.close()
    }

    /// Answers a program's question for permission.
    ///
    /// - Parameters:
    ///   - program: the program that has asked.
    ///   - isAllowed: whether the program may type.
    ///   - lasts: whether to remember the answer, if ``ProxyProgram/isLasting`` allows that.
    public func answer(_ program: ProxyProgram, isAllowed: Bool, lasts: Bool) {
        server.answer(program, isAllowed: isAllowed, lasts: lasts)
    }

    private func followFocus() { server.setFocus((display.firstResponder as? TextView).map(FocusedText.init)) }
}

/// The focused text view, as the proxy server uses it.
private final class FocusedText: ProxyHost {
    private weak var view: TextView?
    let session: EditingSession

    init(_ view: TextView) { (self.view, session) = (view, view.session) }

    var takesInput: Bool { view.flatMap { $0.window?.takes($0) } ?? false }

    var keepsEdit: Bool { view?.window?.keepsEdit?() ?? false }

    var caret: ProxyContext.Caret? {
        guard let view, view.selection != nil else { return nil }
        let caret = UTF16Range(location: session.state.primary.head.value, length: 0)
        return ProxyContext.Caret(
            view.firstRect(forCharacterRange: caret).rect,
            in: RootRect(origin: view.textInputViewOrigin, size: view.bounds.size))
    }

    func takeInput() { view?.window?.display.handleReadyEvents() }

    func performInOrder(_ work: @escaping () -> Void) { view?.window?.performAsKey(work) }

    var traits: TextInputTraits { view?.inputTraits ?? TextInputTraits() }

    func performReturn() -> Bool { view.flatMap { $0.window?.performReturn(in: $0) } ?? false }

    func resign() { view?.window?.makeFirstResponder(nil) }
}

/// The callbacks for changes of the focus within or among the windows of a display, and for changes of a view's traits.
final class FocusWatch {
    var onChange: (() -> Void)?
    /// Called before a view takes the place and the focus of another view.
    var onReplacement: ((_ former: TextView, _ successor: TextView) -> Void)?
}

extension Display {
    var focusWatch: FocusWatch { companion { FocusWatch() } }
}
