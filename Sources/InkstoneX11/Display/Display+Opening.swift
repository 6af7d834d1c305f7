/// The order of an opening: what a server is asked, and when.
///
/// An answer takes a round trip, a tenth of a second where the server is far away. So before a window is seen only that is asked without which
/// it could not be made, as much as possible at a time:
///
/// 1. `XOpenDisplay`: the connection, sizes of requests, the resource database, XKB. Six round trips that are Xlib's own.
/// 2. `cx11_open_display`: libXrender's extension, and all atoms.
/// 3. ``Display/askForFirstWindow()``: libXrender's formats, who has the desktop's settings, and how held keys repeat.
/// 4. These settings, where somebody has them: they say how large all is.
///
/// A top-level window is made, painted and shown with no question at all. Where a manager puts it, which group of the keyboard is in force, and a
/// theme's pointer shapes are asked for behind the painting of the turn in which that comes up (``Display/performAfterPainting(_:)``). The rest
/// waits until a window is seen.
enum LateQuestion: Hashable, CaseIterable {
    /// XInput 2: until then wheels turn by whole clicks, and fingers are the pointer.
    case pointerDevices
    /// Counters of the SYNC extension: until then managers do not wait with a new size for the one before to be painted.
    case counters
}

/// What a server is still to be asked once a window is seen.
struct LateQuestions {
    private var rest = LateQuestion.allCases[...]
    /// Whether a window has been seen.
    private var areDue = false

    /// Whether something is still to be asked.
    func contains(_ question: LateQuestion) -> Bool { rest.contains(question) }

    /// Takes note of a window that is seen. Returns whether it is the first.
    mutating func begin() -> Bool {
        defer { areDue = true }
        return !areDue
    }

    /// The next one, which is taken out.
    mutating func next() -> LateQuestion? { rest.popFirst() }
}

extension Display {
    /// A window is seen: what has waited for that is asked.
    func windowWasSeen() {
        if lateQuestions.begin() { askLate() }
    }

    /// Asks one question behind each painting, so that what the user does meanwhile waits for one at most.
    private func askLate() {
        performAfterPainting { [weak self] in
            guard let self, !isLost, !loop.isClosed, let question = lateQuestions.next() else { return }
            switch question {
            case .pointerDevices: _ = findPointerDevices()
            case .counters: for window in windows.values { window.offerResizeSync() }
            }
            askLate()
        }
    }
}
