import Inkstone

/// The words of the status line, and the actions of its parts.
extension EditorWindow {
    /// A word to the user.
    struct Message {
        var text: String
        var isProblem: Bool
        /// Timer that takes it back; nil for a problem, which stays until the next key.
        var timer: TimerID?
    }

    /// Age of the status line's numbers, in milliseconds of `MonotonicClock`.
    struct StatusAge {
        /// Shortest time between two updates while keys come.
        static let interval: Int64 = 100
        /// Time for which a message that is no problem stays.
        static let messageInterval = 5000
        /// Whether the line is out of date.
        var isStale = false
        /// Whether a timer is set that brings it up to date.
        var isScheduled = false
        /// Time of the last update.
        var time: Int64 = 0
        /// Time until the next update.
        var pause: Int64 { time + Self.interval - MonotonicClock.milliseconds }
    }

    /// Says something in the status line until the next key, or for some seconds if it is no problem; what makes the file unusable stays. The
    /// middle of a text that leaves no room for anything else, such as a name that was pasted, is left out.
    func tell(_ text: String, isProblem: Bool = false) {
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

    /// Shows words for the button under the pointer; nil takes them back.
    func show(hint: String?) {
        self.hint = hint
        setNeedsStatus()
    }

    /// Something waits for the user, who may be elsewhere.
    func callUser() {
        if window.window.isShown { window.window.isUrgent = true }
    }

    /// Takes back what was said.
    func clearMessage() {
        display.cancel(message?.timer)
        message = nil
        setNeedsStatus()
    }

    /// Brings the strip up to date with the frame that shows the change, but no more often than ten times a second: an update costs a
    /// quarter of a key.
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

    /// Brings numbers that are out of date into the frame that is about to be painted. What has another height waits for its own turn.
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
            // What happened stands above what to do about it.
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

    /// Words about an input method that was asked for and does not answer; nil for those who have none, and on a file that is only read.
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
            item(.file, file.displayName + (file.isModified && !file.isReading ? " •" : "")), item(.position, position),
            item(.selection, selectionDescription),
            item(.recovery, protection.isOff ? Words.recoveryIsOff : nil),
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

    /// Number of carets and extent of the selection in words; nil for a single caret, and while the selection is a clause of a composition.
    private var selectionDescription: String? {
        guard view.markedTextRange == nil, let selection = view.selection, !selection.isEmpty || selection.count > 1
        else { return nil }
        return SelectionExtent(of: selection, in: view.store.text).description
    }

    // MARK: Clicks

    /// A part of the status line was pressed, at a point; its frame is in window pixels.
    func press(_ part: StatusPart, frame: WindowRect, at point: WindowPoint) {
        guard !isAsking, !isClosed else { return }
        switch part {
        case .file: break
        case .position: perform(.goToLine)
        case .selection: countWords()
        case .recovery: tell(Words.nothingIsRecovered)
        case .overwriting: performUnlessAsking { _ = $0.view.inputContext.perform(.toggleOverwriteMode) }
        case .zoom: showZooms(beside: frame, at: point)
        case .encoding: if view.isEditable { performUnlessAsking { $0.askForEncoding() } }
        case .indentation: showIndentations(beside: frame, at: point)
        case .lineEnds: showLineEnds(beside: frame, at: point)
        case .inputMethod:
            tell(
                options.readOnly
                    ? Words.openedReadOnly
                    : window.inputMethodState.diagnosis ?? Words.inputMethod(window.inputMethodState.summary))
        }
    }
}

/// Extent of a selection, and number of its carets.
struct SelectionExtent: Hashable, CustomStringConvertible {
    /// Number of selected characters: grapheme clusters in short selections, code points in long ones.
    var characters: Int
    var carets: Int

    /// Selections of fewer UTF-16 units are counted exactly.
    static let readable = 2000

    /// O(log n) for n units of text.
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
    /// The name in the status line.
    var label: String {
        switch self {
        case .lf: "LF"
        case .crlf: "CRLF"
        case .cr: "CR"
        }
    }
}
