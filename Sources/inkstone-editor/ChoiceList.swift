import Glibc
import Inkstone

/// A list above a prompt's line, with rows to choose from by keys, pointer and wheel. The text in the prompt's line
/// filters the rows.
final class ChoiceList: EditorBar {
    /// The texts of a row: a name, and a remark beside it (`text`).
    struct Row: Hashable, Sendable {
        var name: String
        var text = ""
        /// The font family of `text` as a fontconfig pattern; nil for the font of all rows.
        var family: String?
    }

    /// The maximum number of concurrent disk reads, because each may hang. While so many run, a change of the text
    /// starts no further read.
    private static let mostReads = 4

    private(set) var frame = WindowRect.zero
    private var choices: (any PromptChoices)?
    /// The text in the prompt's line.
    private var typed = ""
    /// Whether the user has chosen a row since the list was opened or the user last edited the prompt's line.
    private var hasChosen = false
    /// The number of times that the list was opened or closed. If it has changed since a disk read began, the
    /// result of that read is dropped.
    private var opening = 0
    /// The number of running disk reads, including those begun for earlier openings of the list.
    private var reads = 0
    private var rows = VisibleRows()
    /// The labels of the rows shown since the list was opened, kept because laying out a label takes milliseconds.
    private var labels: [Row: (name: LineLabel, text: LineLabel)] = [:]
    private var wheel = ScrollRemainder()
    private let display: Display
    private unowned let view: TextView
    /// Called when the height of the list changes.
    var onLayoutChange: (() -> Void)?
    /// Called when a part of the list, in window pixels, has to be repainted.
    var onChange: ((WindowRect) -> Void)?
    /// Called when the user presses a row with the pointer, or by assistive technology. The prompt is answered then.
    var onAnswer: (() -> Void)?
    /// Called when a row is chosen, with the text that replaces the prompt's line.
    var onLine: ((String) -> Void)?

    init(_ display: Display, sharing view: TextView) { (self.display, self.view) = (display, view) }

    // MARK: Calls of the prompt

    /// Whether the list is open without rows: no choice matches the text in the prompt's line, and no more choices
    /// are being read.
    var hasNoRows: Bool { choices?.count == 0 && reads == 0 }

    /// Whether the list belongs to an open prompt. Its rows may still be read, or be filtered out.
    var isOpen: Bool { choices != nil }

    /// Opens the list with the choices of a prompt, filtered by the text in the prompt's line.
    func begin(_ choices: any PromptChoices, typed: String) {
        opening += 1
        (self.choices, self.typed, labels, hasChosen) = (choices, typed, [:], false)
        change { $0.filter(typed) }
    }

    /// Filters the rows by the text in the prompt's line. Does nothing if the line has the text of the chosen row,
    /// because the choice itself has put it there.
    func textDidChange(_ text: String) {
        typed = text
        if choices?.chosen != nil, choices?.line == text { return }
        hasChosen = false
        change { $0.filter(text) }
    }

    /// Chooses the row `count` rows further down; further up if negative.
    func move(by count: Int) {
        hasChosen = true
        change { $0.move(by: count) }
        if let line = choices?.line { onLine?(line) }
    }

    /// Moves the choice by a page: down with 1, up with -1.
    func movePage(_ direction: Int) { move(by: direction * max(2, rows.range.count - 1)) }

    /// Returns the answer to the prompt for the text typed in its line.
    func answer(to typed: String) -> String { choices?.answer(to: typed) ?? typed }

    /// Closes the list. Called when its prompt closes.
    func end() {
        guard isOpen else { return }
        opening += 1
        (choices, labels) = (nil, [:])
        show()
    }

    private func change(_ change: (inout any PromptChoices) -> Void) {
        guard var new = choices else { return }
        change(&new)
        let reading = reads < Self.mostReads ? new.beginReading() : nil
        choices = new
        show()
        if let reading { read(reading) }
    }

    private func read(_ reading: ChoiceReading) {
        let (poster, opening) = (display.poster, opening)
        // `list` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let list = self
        let thread = try? BackgroundThread.start {
            let update = reading.read()
            poster.post { list?.take(update, opening) }
        }
        guard let thread else { return }
        reads += 1
        pthread_detach(thread)
    }

    private func take(_ update: (inout any PromptChoices) -> Void, _ opening: Int) {
        reads -= 1
        // Drop the result if the list was closed or opened anew since the read began. Call `change` even then: the
        // present choices may be waiting for a read to end before they can start their own.
        change {
            if opening == self.opening { ChoiceReading.take(update, into: &$0, typed: typed, keepsChosen: hasChosen) }
        }
    }

    // MARK: Painting

    private var padding: Double { (5 * display.scale).rounded() }
    private var rowHeight: Double { label(Row(name: "X")).name.size.height + padding }

    private func show() {
        let height = rows.range.count
        rows.count = choices?.count ?? 0
        if let choices { rows.reveal(choices.chosen ?? choices.home) }
        if rows.range.count != height { onLayoutChange?() } else { onChange?(frame) }
    }

    private func label(_ row: Row) -> (name: LineLabel, text: LineLabel) {
        if let known = labels[row] { return known }
        var font = StatusLine.font(scale: display.scale)
        var made = (name: LineLabel(font: font, sharing: view), text: LineLabel(font: font, sharing: view))
        if let family = row.family.flatMap({ FontDescriptor(pattern: $0, size: font.size) }) {
            font = family
            made.text = LineLabel(font: font, sharing: view)
        }
        (made.name.text, made.text.text) = (row.name, row.text)
        labels[row] = made
        return made
    }

    func displaySettingsDidChange() {
        labels = [:]
        if isOpen { show() }
    }

    /// Returns the height of the list, in pixels: at most half of `room`, the available height; 0 without rows.
    func height(in room: Double) -> Double {
        guard !rows.range.isEmpty else { return 0 }
        return min((room / 2).rounded(), Double(rows.range.count) * rowHeight + padding)
    }

    func setFrame(_ frame: WindowRect) { self.frame = frame }

    private func rowFrame(_ index: Int) -> WindowRect {
        WindowRect(
            x: frame.minX, y: frame.minY + (padding / 2).rounded() + Double(index - rows.range.lowerBound) * rowHeight,
            width: frame.width, height: rowHeight)
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard frame.height > 0, let choices else { return }
        let panel = view.theme.panel
        let line = max(1, view.theme.underlineWidth)
        canvas.setClip([damage.intersection(frame)])
        canvas.fill(frame, panel.background)
        canvas.fill(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: line), panel.border)
        let shown = rows.range.map { ($0, label(choices.row($0))) }
        let names = shown.reduce(0) { max($0, $1.1.name.size.width) }
        let column = min(names, (frame.width / 2).rounded()) + 3 * padding
        for (index, label) in shown {
            let area = rowFrame(index)
            let isChosen = index == choices.chosen
            if isChosen { canvas.fill(area, panel.highlight) }
            let y = area.minY + (padding / 2).rounded()
            func paint(_ label: LineLabel, x: Double, y: Double, to end: Double) {
                let room = WindowRect(x: x, y: area.minY, width: max(0, end - x), height: area.height)
                    .mirrored(in: frame)
                canvas.setClip([room.intersection(damage).intersection(frame)])
                let origin = label.origin(0, y: y, in: room)
                label.paint(
                    on: canvas, at: origin, color: panel.text, within: room.minX - origin.x..<room.maxX - origin.x)
            }
            let end = label.text.text.isEmpty ? frame.width : column - padding
            paint(label.name, x: frame.minX + padding, y: y, to: frame.minX + end)
            paint(
                label.text, x: frame.minX + column, y: (y + label.name.baseline - label.text.baseline).rounded(),
                to: frame.maxX - padding)
            canvas.setClip([damage.intersection(frame)])
        }
        if rows.count > rows.range.count {
            let (height, count) = (frame.height - line, Double(rows.count))
            let knob = max(4 * line, (height * Double(rows.range.count) / count).rounded())
            let top = (height - knob) * Double(rows.range.lowerBound) / (count - Double(rows.range.count))
            let width = (padding / 2).rounded()
            canvas.fill(
                WindowRect(
                    x: frame.maxX - width - line, y: frame.minY + line + top.rounded(), width: width, height: knob
                ).mirrored(in: frame), panel.border)
        }
        canvas.setClip(nil)
    }

    /// The list and its visible rows, for assistive technology; empty while the list is hidden.
    var accessibleParts: [AccessiblePart] {
        guard frame.height > 0, let choices else { return [] }
        let items = rows.range.map { index in
            let row = choices.row(index)
            let name = row.text.isEmpty ? row.name : "\(row.name) \(row.text)"
            return AccessiblePart(.listItem(isCurrent: index == choices.chosen), name: name, frame: rowFrame(index)) {
                [weak self] in
                guard let self, let choices = self.choices, index < choices.count else { return }
                if choices.row(index) == row { choose(index) }
            }
        }
        return [AccessiblePart(.list, name: "", frame: frame, parts: items)]
    }

    // MARK: Pointer

    private func row(at point: WindowPoint) -> Int? {
        frame.contains(point) ? rows.range.first { rowFrame($0).contains(point) } : nil
    }

    func cursor(at point: WindowPoint) -> Window.Cursor { row(at: point) == nil ? .arrow : .hand }

    func handlePointer(_ event: PointerEvent) {
        switch event.kind {
        case .press(.primary):
            if let row = row(at: event.location) { choose(row) }
        case .scroll(let clicks):
            rows.scroll(by: Int(checking: wheel.take(Vector(dx: 0, dy: 3 * clicks.dy)).dy, in: -1000...1000))
            onChange?(frame)
        default: break
        }
    }

    /// Answers the prompt with the row at an index.
    private func choose(_ row: Int) {
        hasChosen = true
        change { $0.choose(row) }
        if let line = choices?.line { onLine?(line) }
        onAnswer?()
    }
}

/// The range of visible rows of a list.
struct VisibleRows: Hashable {
    /// The number of all rows. Setting a lower number scrolls the list up if rows below the last one would be visible.
    var count = 0 {
        didSet { first = max(0, min(first, count - most)) }
    }
    /// The maximum number of visible rows. The others are reached by scrolling.
    var most = 8
    private var first = 0

    /// The indices of the visible rows.
    var range: Range<Int> { first..<min(count, first + most) }

    /// Scrolls as little as needed to make a row visible.
    mutating func reveal(_ index: Int) {
        first = max(min(first, index), index - most + 1)
        scroll(by: 0)
    }

    /// Scrolls down by `rows`, within the list.
    mutating func scroll(by rows: Int) { first = max(0, min(first + rows, count - most)) }
}
