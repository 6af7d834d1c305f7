import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneText

/// Example: a single-line field of one's own drawing, complete with input methods, selection, undo and key bindings.
///
/// ``EditableText`` keeps the text; the field draws and says where characters are. Here each cluster is one cell; a
/// real field asks its font.
final class NameField: EditableTextInput, Responder {
    /// Text, selection, marked text and undo.
    let content = EditableText("", isSingleLine: true)
    /// Where the field is in its window, in window pixels.
    var frame = WindowRect(x: 20, y: 20, width: 200, height: 24)
    /// Where the window's origin is on the root, as the host keeps it.
    var windowOrigin = RootPoint(x: 100, y: 100)
    /// Width of a cell, in pixels.
    private let cell = 12.0

    /// An empty field. `redraw` is called whenever it wants to be drawn again.
    init(redraw: @escaping () -> Void = {}) {
        content.onChange = redraw
    }

    // MARK: What the contracts leave to the field

    var canBecomeFirstResponder: Bool { true }

    var textInputViewOrigin: RootPoint {
        RootPoint(x: windowOrigin.x + frame.minX, y: windowOrigin.y + frame.minY)
    }

    func caretRect(for position: TextPosition) -> ViewRect {
        ViewRect(x: x(of: content.offset(of: position)), y: 0, width: 1, height: frame.height)
    }

    func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let units = content.range(of: range)
        guard !units.isEmpty else { return [] }
        let (start, end) = (x(of: units.lowerBound), x(of: units.upperBound))
        let rect = ViewRect(x: start, y: 0, width: end - start, height: frame.height)
        return [TextSelectionRect(rect: rect, containsStart: true, containsEnd: true)]
    }

    func closestPosition(to point: ViewPoint) -> TextPosition? {
        let stops = stops
        let index = min(max(0, (point.x / cell).rounded()), Double(stops.count - 1))
        return content.store.position(at: stops[Int(index)])
    }

    // MARK: Drawing and the program

    /// Draws background, selection, marked text's underline and caret; text is left to the host's font.
    func paint(on canvas: any Canvas) {
        canvas.fill(frame, .white)
        if let selection = content.selection {
            let colour: Color = selection.isEmpty ? .black : Color(rgb: 0xb0d0ff)
            let width = max(1, x(of: selection.upperBound) - x(of: selection.lowerBound))
            fill(canvas, from: x(of: selection.lowerBound), width: width, top: 0, height: frame.height, colour)
        }
        guard let marked = content.marked else { return }
        for clause in content.markedText?.clauses ?? [] {
            let start = x(of: marked.lowerBound + clause.range.lowerBound.value)
            let end = x(of: marked.lowerBound + clause.range.upperBound.value)
            let height: Double = clause.kind == .target ? 2 : 1
            fill(canvas, from: start, width: end - start, top: frame.height - height, height: height, .black)
        }
    }

    /// Sets text as the program does: notifies the input system.
    func setByProgram(_ range: Range<UTF16Offset>, _ text: String) {
        inputDelegate?.textWillChange(self)
        content.replace(range, with: text)
        inputDelegate?.textDidChange(self)
    }

    private func fill(
        _ canvas: any Canvas, from x: Double, width: Double, top: Double, height: Double, _ colour: Color
    ) {
        canvas.fill(WindowRect(x: frame.minX + x, y: frame.minY + top, width: width, height: height), colour)
    }

    private var stops: [UTF16Offset] {
        var result: [UTF16Offset] = [0]
        let rope = content.store.text
        while let last = result.last, last < UTF16Offset(content.length) {
            result.append(rope.graphemeBoundary(after: last))
        }
        return result
    }

    private func x(of offset: UTF16Offset) -> Double {
        Double(stops.lastIndex { $0 <= offset } ?? 0) * cell
    }
}
