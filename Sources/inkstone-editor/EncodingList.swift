import Glibc
import Inkstone

/// The encodings to choose from, each with the first lines of the file in it: a strip above the line in which one of their labels is typed.
final class EncodingList: EditorBar {
    /// Most encodings that are shown at once.
    private static let mostRows = 8

    /// An encoding and the file's first lines in it.
    private struct Row {
        let encoding: TextEncoding
        var name: LineLabel
        var text: LineLabel
    }

    private(set) var frame = WindowRect.zero
    private var choices: EncodingChoices?
    /// The file whose first lines are shown.
    private var path: FilePath?
    private var preview: EncodingPreview?
    /// The rows that are shown.
    private var rows: [Row] = []
    /// Rows that were shown since the file's first lines came, by what they are of: to decode and lay these out takes milliseconds.
    private var made: [TextEncoding: Row] = [:]
    private let display: Display
    private unowned let view: TextView
    /// Called when the list looks different or has another height.
    var onLayoutChange: (() -> Void)?
    /// Called when an encoding was chosen with the pointer, which is the answer.
    var onAnswer: (() -> Void)?

    init(_ display: Display, sharing view: TextView) { (self.display, self.view) = (display, view) }

    /// Begins with all encodings. The first bytes of the file are read in the background; nil for a text without a file.
    func begin(current: TextEncoding, of path: FilePath?) {
        choices = EncodingChoices(current: current)
        (preview, self.path, made) = (nil, path, [:])
        show()
        guard let path else { return }
        let poster = display.poster
        // Used on the display's thread alone, where the poster runs what it is given.
        nonisolated(unsafe) weak let list = self
        let thread = try? BackgroundThread.start {
            guard let preview = try? EncodingPreview(of: path) else { return }
            poster.post {
                guard let list, list.choices != nil, list.path == path else { return }
                (list.preview, list.made) = (preview, [:])
                list.show()
            }
        }
        if let thread { pthread_detach(thread) }
    }

    // MARK: Prompt

    /// Another text stands in the prompt.
    func textDidChange(_ text: String) { change { $0.filter(text) } }

    /// Chooses what stands so many places further down.
    func move(by count: Int) { change { $0.move(by: count) } }

    /// The name of what is chosen; what was typed if that is the name of none.
    func answer(to typed: String) -> String { choices?.encoding?.description ?? typed }

    /// The prompt is closed.
    func end() {
        (choices, preview, made) = (nil, nil, [:])
        show()
    }

    private func change(_ change: (inout EncodingChoices) -> Void) {
        guard var new = choices else { return }
        change(&new)
        choices = new
        show()
    }

    // MARK: Painting

    private var padding: Double { (5 * display.scale).rounded() }
    private var rowHeight: Double { (rows.first?.name.size.height ?? 0) + padding }

    private func show() {
        rows = choices.map { choices in choices.encodings[choices.visible(Self.mostRows)].map(row) } ?? []
        onLayoutChange?()
    }

    private func row(of encoding: TextEncoding) -> Row {
        if let row = made[encoding] { return row }
        let label = LineLabel(font: StatusLine.font(scale: display.scale), sharing: view)
        var row = Row(encoding: encoding, name: label, text: label)
        row.name.text = encoding.description
        row.text.text = preview?.lines(in: encoding) ?? ""
        made[encoding] = row
        return row
    }

    func displaySettingsDidChange() {
        made = [:]
        if choices != nil { show() }
    }

    /// Height that the list takes in a given room, in pixels; 0 while nothing is to be chosen.
    func height(in room: Double) -> Double {
        rows.isEmpty ? 0 : min(room, Double(rows.count) * rowHeight + padding)
    }

    func setFrame(_ frame: WindowRect) { self.frame = frame }

    private func rowFrame(_ index: Int) -> WindowRect {
        WindowRect(
            x: frame.minX, y: frame.minY + padding / 2 + Double(index) * rowHeight, width: frame.width,
            height: rowHeight)
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard frame.height > 0 else { return }
        let theme = view.theme
        canvas.setClip([damage.intersection(frame)])
        canvas.fill(frame, theme.panel.background)
        canvas.fill(
            WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: max(1, theme.underlineWidth)),
            theme.panel.border)
        let column = rows.reduce(0) { max($0, $1.name.size.width) } + 3 * padding
        for (index, row) in rows.enumerated() {
            let area = rowFrame(index)
            if row.encoding == choices?.encoding { canvas.fill(area, theme.panel.highlight) }
            let y = area.minY + (padding / 2).rounded()
            row.name.paint(
                on: canvas, at: WindowPoint(x: frame.minX + padding, y: y), color: theme.panel.text,
                within: 0..<max(0, frame.width - padding))
            row.text.paint(
                on: canvas, at: WindowPoint(x: frame.minX + column, y: y), color: theme.panel.text,
                within: 0..<max(0, frame.width - column))
        }
        canvas.setClip(nil)
    }

    // MARK: Pointer

    private func row(at point: WindowPoint) -> Int? {
        frame.contains(point) ? rows.indices.first { rowFrame($0).contains(point) } : nil
    }

    func cursor(at point: WindowPoint) -> Window.Cursor { row(at: point) == nil ? .arrow : .hand }

    func handlePointer(_ event: PointerEvent) {
        switch event.kind {
        case .press(.primary):
            guard let row = row(at: event.location), let choices else { return }
            move(by: choices.visible(Self.mostRows).lowerBound + row - choices.chosen)
            onAnswer?()
        case .scroll(let clicks) where clicks.dy != 0: move(by: clicks.dy > 0 ? 1 : -1)
        default: break
        }
    }
}
