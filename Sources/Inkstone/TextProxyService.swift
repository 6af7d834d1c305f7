import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneProxy
import InkstoneProxyServer
import InkstoneView
import InkstoneX11

/// A service through which keyboards in other processes, those of the `InkstoneProxy` library, type into the focused text view of this program,
/// once the user has allowed them.
///
/// Nothing is loaded and no program can ask before ``start()``. See <doc:Keyboards>. Belongs to the display's thread.
public final class TextProxyService {
    /// The programs that may type, and those that are refused without a question. A change takes effect at once.
    public var permissions: ProxyPermissions {
        get { server.permissions }
        set { server.permissions = newValue }
    }
    /// Called when a program asks to type: ask the user, and call ``answer(_:isAllowed:lasts:)``. Without a callback, all programs not in
    /// ``permissions`` are refused.
    public var onQuestion: ((ProxyProgram) -> Void)? {
        get { server.onQuestion }
        set { server.onQuestion = newValue }
    }
    /// Called when a question no longer needs an answer.
    public var onQuestionEnd: ((ProxyProgram) -> Void)? {
        get { server.onQuestionEnd }
        set { server.onQuestionEnd = newValue }
    }
    /// Called when an answer has changed ``permissions``, which the program should keep for its next start.
    public var onPermissionsChange: ((ProxyPermissions) -> Void)? {
        get { server.onPermissionsChange }
        set { server.onPermissionsChange = newValue }
    }

    private let display: Display
    private let server: ProxyServer
    private var descriptor: Int32 = -1

    /// Creates the service for the windows of a display; there is at most one for each display.
    ///
    /// - Parameters:
    ///   - display: the display whose first responder the keyboards type into.
    ///   - busAddress: the address of a bus; nil for the session's.
    public init(on display: Display, busAddress: String? = nil) {
        self.display = display
        server = ProxyServer(BusSetup(address: busAddress))
    }

    deinit { end() }

    /// Connects to the bus, on a thread of its own. Call it once. Returns the reason why there is no bus, for people; nil if there seems to be one.
    @discardableResult
    public func start() -> String? {
        if let problem = server.start() { return problem }
        server.onPause = { [weak display] in display?.schedule(afterMilliseconds: Int($0), $1) }
        descriptor = server.descriptor
        display.addDescriptor(descriptor) { [weak self] in self?.server.processEvents() }
        display.focusWatch.onChange = { [weak self] in self?.followFocus() }
        followFocus()
        return nil
    }

    /// Ends the service: text that keyboards have marked stays as text.
    public func end() {
        if descriptor >= 0 {
            display.removeDescriptor(descriptor)
            display.focusWatch.onChange = nil
        }
        descriptor = -1
        server.close()
    }

    /// Answers a question.
    ///
    /// - Parameters:
    ///   - program: the program that the question was about.
    ///   - isAllowed: whether it may type.
    ///   - lasts: whether to remember the answer, if ``ProxyProgram/isLasting`` says that this is possible.
    public func answer(_ program: ProxyProgram, isAllowed: Bool, lasts: Bool) {
        server.answer(program, isAllowed: isAllowed, lasts: lasts)
    }

    private func followFocus() { server.setFocus((display.firstResponder as? TextView).map(FocusedText.init)) }
}

/// The focused view in the form that the server uses.
private final class FocusedText: ProxyHost {
    private weak var view: TextView?
    let session: EditingSession

    init(_ view: TextView) { (self.view, session) = (view, view.session) }

    var takesInput: Bool { view.flatMap { $0.window?.takes($0) } ?? false }

    var caret: ProxyContext.Caret? {
        guard let view, view.selection != nil else { return nil }
        let caret = UTF16Range(location: session.state.primary.head.value, length: 0)
        return ProxyContext.Caret(
            view.firstRect(forCharacterRange: caret).rect,
            in: RootRect(origin: view.textInputViewOrigin, size: view.bounds.size))
    }

    func performInOrder(_ work: @escaping () -> Void) { view?.window?.performAsKey(work) }

    var traits: TextInputTraits { view?.inputTraits ?? TextInputTraits() }

    func performReturn() -> Bool { view.flatMap { $0.window?.performReturn(in: $0) } ?? false }

    func resign() { view?.window?.makeFirstResponder(nil) }
}

/// A callback for moves of the focus within or among the windows of a display, and for changes of a view's traits.
final class FocusWatch {
    var onChange: (() -> Void)?
}

extension Display {
    var focusWatch: FocusWatch { companion { FocusWatch() } }
}
