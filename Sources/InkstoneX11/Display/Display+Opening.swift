/// A query to the server that is postponed until a window is visible.
///
/// A query takes at least one round trip, a tenth of a second if the server is far away. Before a window is
/// visible, only the queries needed to create it are made, as many as possible in one round trip:
///
/// 1. `XOpenDisplay`: the connection, BIG-REQUESTS and its activation, the resource database. Four round trips that
/// Xlib makes.
/// 2. `cx11_open_display`: the RENDER and XKB extensions, and all atoms.
/// 3. ``Display/askForFirstWindow()``: libXrender's formats, the owner of the desktop's settings, and the
/// repetition of held keys.
/// 4. The desktop's settings, if they have an owner, because sizes depend on them.
///
/// A top-level window is then created, painted and mapped without any query. Its position, the keyboard's layout
/// (``Keyboard/prepare()``) and a theme's pointer shapes are queried after the painting of the turn that first
/// needs them (``Display/performAfterPainting(_:)``). The queries listed below wait until a window is visible. They
/// take up to five round trips each.
enum LateQuestion: Hashable, CaseIterable {
    /// The XKB extension. Until it is queried, changes of the keyboard's layout are not reported. The first key
    /// press makes this query if it comes earlier.
    case keyboard
    /// XInput 2 devices. Until they are queried, wheels scroll by whole clicks, and touches arrive as pointer
    /// events.
    case pointerDevices
    /// The counters of the SYNC extension. Until they are queried, window managers send a new size even while the
    /// previous one is not painted yet.
    case counters
}

/// The queries that are still postponed, and whether they may be made now.
struct LateQuestions {
    private var rest = LateQuestion.allCases[...]
    /// Whether a window has become visible, so that the postponed queries may be made.
    private var areDue = false

    /// Whether a query has not been made yet.
    func contains(_ question: LateQuestion) -> Bool { rest.contains(question) }

    /// Records that a window became visible. Returns whether it is the first.
    mutating func begin() -> Bool {
        defer { areDue = true }
        return !areDue
    }

    /// Removes and returns the next query; nil if none is left.
    mutating func next() -> LateQuestion? { rest.popFirst() }
}

extension Display {
    /// Starts the postponed queries when the first window has become visible.
    func windowWasSeen() {
        if lateQuestions.begin() { askLate() }
    }

    /// Makes one postponed query after each painting, so that user input waits for one query at most.
    private func askLate() {
        performAfterPainting { [weak self] in
            guard let self, !isLost, !loop.isClosed, let question = lateQuestions.next() else { return }
            switch question {
            case .keyboard: keyboard.takeUpExtension()
            case .pointerDevices: _ = findPointerDevices()
            case .counters: for window in windows.values { window.offerResizeSync() }
            }
            askLate()
        }
    }
}
