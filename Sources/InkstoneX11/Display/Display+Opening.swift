/// A question to the server that is deferred until a window is seen.
///
/// An answer takes a round trip, a tenth of a second if the server is far away. So before a window is seen, only questions are asked without
/// which it could not be made, as many as possible at a time:
///
/// 1. `XOpenDisplay`: the connection, BIG-REQUESTS, its switching on, the resource database. Four round trips that are Xlib's own.
/// 2. `cx11_open_display`: libXrender's extension, XKB's, and all atoms.
/// 3. ``Display/askForFirstWindow()``: libXrender's formats, the owner of the desktop's settings, and how held keys repeat.
/// 4. These settings, if they have an owner: they determine sizes.
///
/// A top-level window is made, painted and shown without any question. Its position, the keyboard's layout (``Keyboard/prepare()``) and a
/// theme's pointer shapes are asked for after the painting of the turn that first needs them
/// (``Display/performAfterPainting(_:)``). The questions below wait until a window is seen.
enum LateQuestion: Hashable, CaseIterable {
    /// XKB: until then changes of the keyboard's layout are not heard of. The first key asks, if it comes earlier.
    case keyboard
    /// XInput 2 devices: until then wheels scroll by whole clicks, and touches arrive as the pointer.
    case pointerDevices
    /// Counters of the SYNC extension: until then managers send a new size without waiting for the previous one to be painted.
    case counters
}

/// The questions that are still to be asked once a window is seen.
struct LateQuestions {
    private var rest = LateQuestion.allCases[...]
    /// Whether a window has been seen.
    private var areDue = false

    /// Whether a question is still to be asked.
    func contains(_ question: LateQuestion) -> Bool { rest.contains(question) }

    /// Records that a window was seen. Returns whether it is the first.
    mutating func begin() -> Bool {
        defer { areDue = true }
        return !areDue
    }

    /// Removes and returns the next question.
    mutating func next() -> LateQuestion? { rest.popFirst() }
}

extension Display {
    /// Asks the deferred questions, after the first window was seen.
    func windowWasSeen() {
        if lateQuestions.begin() { askLate() }
    }

    /// Asks one question after each painting, so that user input waits for one at most.
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
