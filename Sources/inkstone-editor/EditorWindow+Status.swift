import Inkstone
import InkstoneFiles

/// The content of the status line, and the actions of its parts.
extension EditorWindow {
    /// A message in the status line.
    struct Message {
        var text: String
        var isProblem: Bool
        /// The timer that removes the message; nil for a problem, which stays until the next key.
        var timer: TimerID?
    }

    /// The time of the last update of the status line, and the schedule of the next. Times are milliseconds of
    /// `MonotonicClock`.
    struct StatusAge {
        /// The minimum time between two updates of the status line while the user types.
        static let interval: Int64 = 100
        /// The time, in milliseconds, after which a message that is not a problem is removed.
        static let messageInterval = 5000
        /// Whether the status line is out of date.
        var isStale = false
        /// Whether a timer for the next update of the status line is running.
        var isScheduled = false
        /// The time of the last update of the status line.
        var time: Int64 = 0
        /// The time left until the next update of the status line is allowed; negative if it is allowed already.
        var pause: Int64 { time + Self.interval - MonotonicClock.milliseconds }
    }

    /// Shows a message in the status line until the next key, and announces it to assistive technology; a message that
    /// is not a problem also disappears after some seconds. In a window that could not show its file, keys do not
    /// remove the message. The middle of a very long message, such as one with a pasted name, is omitted.
    func notify(_ text: String, isProblem: Bool = false) {
        let limit = 600
        display.cancel(message?.timer)
        let timer: TimerID? =
            isProblem
            ? nil
            : display.schedule(afterMilliseconds: StatusAge.messageInterval) { [weak self] in
                if let self, !isClosed { clearMessage() }
            }
        message = Message(
            text: text.unicodeScalars.count > limit ? FilePath.label(text, limit: limit) : text, isProblem: isProblem,
            timer: timer)
        if isProblem { callUser() }
        window.announce(text)
        setNeedsStatus()
    }

    /// Shows a hint about the button under the pointer; nil removes the hint.
    func show(hint: String?) {
        self.hint = hint
        setNeedsStatus()
    }

    /// Marks the window as urgent, because it waits for an answer of the user, who may be in another window.
    func callUser() {
        if window.window.isShown { window.window.isUrgent = true }
    }

    /// Removes the message from the status line.
    func clearMessage() {
        display.cancel(message?.timer)
        message = nil
        setNeedsStatus()
    }

    /// Schedules an update of the status line together with the frame that shows the change; at most ten times a
    /// second, because an update takes a quarter of the time of handling a key.
    func setNeedsStatus() {
        guard !statusAge.isStale else { return }
        statusAge.isStale = true
        if !statusAge.isScheduled { scheduleStatus() }
    }

    private func scheduleStatus() {
        statusAge.isScheduled = true
        display.schedule(afterMilliseconds: Int(max(20, statusAge.pause))) { [weak self] in
            guard let self else { return }
            statusAge.isScheduled = false
            guard statusAge.isStale else { return }
            if statusAge.pause > 0 { scheduleStatus() } else { updateStatus() }
        }
    }

    /// Updates an outdated status line before the window is painted. Does nothing while the line shows a message, a
    /// question or anything else by which an update could change its height.
    func updateStatusBeforePainting() {
        guard statusAge.isStale, statusAge.pause <= 0, status.content.message == nil, status.content.detail == nil,
            message == nil, hint == nil, questions.isEmpty, !prompt.isOpen, view.inputContext.pendingStrokes.isEmpty
        else { return }
        updateStatus()
    }

    func updateStatus() {
        guard !isClosed else { return }
        statusAge.isStale = false
        updateTitle()
        statusAge.time = MonotonicClock.milliseconds
        var content = StatusLine.Content()
        if let question = questions.first {
            content.message = question.text
            content.answers = question.answers.map(\.label)
            content.chosen = question.chosen
            content.hasMenu = false
        } else if !view.inputContext.pendingStrokes.isEmpty {
            content.message = view.inputContext.pendingStrokes.map(\.keyboardText).joined(separator: " ") + " …"
        } else if prompt.isOpen {
            content.message = prompt.label
            content.hasField = true
            content.detail = prompt.hint
            content.detailKind = prompt.isProblem ? .problem : .hint
            content.answers = prompt.buttons
            content.hasMenu = false
        } else if let message {
            // The first sentence says what happened; the others, shown below it, advise the user.
            let sentences = message.text.firstRange(of: ". ")
            content.message = sentences.map { String(message.text[...$0.lowerBound]) } ?? message.text
            if let sentences { content.detail = String(message.text[sentences.upperBound...]) }
            content.isProblem = message.isProblem
            content.keepsParts = true
        } else if let hint {
            content.message = hint
            content.keepsParts = true
        } else {
            content.detail = advice
        }
        (content.left, content.right) = statusParts
        status.content = content
    }

    /// The message that the requested input method cannot be used; nil if there is no such problem, or the document is
    /// read-only.
    private var advice: String? {
        let state = window.inputMethodState
        return options.readOnly || [.none, .ready].contains(state.phase) ? nil : state.diagnosis
    }

    private var statusParts: (left: [StatusLine.Item], right: [StatusLine.Item]) {
        func item(_ part: StatusPart, _ text: String?) -> StatusLine.Item? {
            text.map { StatusLine.Item(part: part, text: $0) }
        }
        let method = options.readOnly ? Words.readOnly : window.inputMethodState.shortSummary
        if file.page != nil {
            return ([item(.file, file.displayName), item(.position, position)].compactMap(\.self), [])
        }
        let percent = program.settings.shown.size
        let right = [
            item(.overwriting, view.session.isOverwriting ? Words.overwriting : nil),
            item(.zoom, percent == 100 ? nil : Words.percent(percent)),
            item(.indentation, indentation), item(.lineEnds, lineEnds),
            item(.encoding, file.encodingDescription), item(.inputMethod, method),
        ]
        let left = [
            item(.file, file.displayName + (isChanged && !file.isReading ? " •" : "")), item(.position, position),
            item(.selection, selectionDescription),
            item(.recovery, journalStatus.isOff ? Words.recoveryIsOff : nil),
        ]
        return (left.compactMap(\.self), right.compactMap(\.self))
    }

    private var position: String {
        if file.isReadingInput { return Words.readingInput }
        if let progress = file.progress { return Words.loading(Words.percent(progress)) }
        let place = LineAndColumn(of: view.selection?.head ?? 0, in: view)
        return Words.position(line: place.line, column: place.column)
    }

    private var lineEnds: String {
        file.hasMixedNewlines ? Words.mixedLineEnds(file.newline.label) : file.newline.label
    }

    private var indentation: String {
        if case .insertsSpaces(let columns) = view.options.tabBehavior { return Words.tabsOfSpaces(columns) }
        return Words.tab(view.paragraphStyle.tabInterval)
    }

    /// The number of carets and the extent of the selection; nil for a single caret, and during a composition.
    private var selectionDescription: String? {
        guard view.markedTextRange == nil, let selection = view.selection, !selection.isEmpty || selection.count > 1
        else { return nil }
        return SelectionExtent(of: selection, in: view.store.text).description
    }

    // MARK: Clicks

    /// Handles a press of the pointer on a part of the status line. The part's frame and the pointer's location are
    /// in window pixels.
    func press(_ part: StatusPart, frame: WindowRect, at point: WindowPoint) {
        guard !isAsking, !isClosed else { return }
        switch part {
        case .file, .hint: break
        case .position: perform(.goToLine)
        case .selection: countWords()
        case .recovery: notify(Words.nothingIsRecovered)
        case .overwriting: performUnlessAsking { _ = $0.view.inputContext.perform(.toggleOverwriteMode) }
        case .zoom: showZooms(beside: frame, at: point)
        case .encoding: if view.isEditable { performUnlessAsking { $0.askForEncoding() } }
        case .indentation: showIndentations(beside: frame, at: point)
        case .lineEnds: showLineEnds(beside: frame, at: point)
        case .inputMethod:
            notify(
                options.readOnly
                    ? Words.openedReadOnly
                    : window.inputMethodState.diagnosis ?? Words.inputMethod(window.inputMethodState.summary))
        }
    }
}

/// The extent of a selection, and the number of its carets.
struct SelectionExtent: Hashable, CustomStringConvertible {
    /// The number of selected characters: grapheme clusters in short selections, code points in long ones.
    var characters: Int
    var carets: Int

    /// The length in UTF-16 units from which the code points of a selection are counted, and not its grapheme clusters.
    static let readable = 2000

    /// Creates the extent of a selection. O(k log n) for k ranges in n units of text.
    init(of selection: Selection, in text: Rope) {
        let ranges = selection.ranges.map(\.range)
        let units = ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
        characters = ranges.reduce(0) {
            $0
                + (units < Self.readable
                    ? text.string(in: $1).count
                    : text.scalarOffset(at: $1.upperBound) - text.scalarOffset(at: $1.lowerBound))
        }
        carets = selection.count
    }

    var description: String {
        let selected = Words.selectedCharacters(characters, Words.grouped(characters))
        let several = Words.carets(carets, Words.grouped(carets))
        return carets == 1 ? selected : characters == 0 ? several : Words.list(several, selected)
    }
}

extension Newline {
    /// The name of the line end in the status line.
    var label: String {
        switch self {
        case .lf: "LF"
        case .crlf: "CRLF"
        case .cr: "CR"
        }
    }
}
