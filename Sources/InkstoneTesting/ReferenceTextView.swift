public import InkstoneBase
public import InkstoneEditing
public import InkstoneInput
public import InkstoneText
import InkstoneUnicode

/// A text view without a display that obeys all rules of the input contracts. It is the reference for the
/// conformance suite, and a client for tests of input contexts.
///
/// Each grapheme cluster is one cell wide. Lines wrap after ``columns`` cells and at newlines. All text runs from
/// left to right. Every member is implemented here, so that a subclass can break a single rule.
open class ReferenceTextView: EditableTextInput, Responder {
    /// The text with its selection and marked range.
    public let content: EditableText
    /// The changes of committed text so far.
    public var changes: TextChanges { content.session.changes }
    /// Called with each change of committed text.
    public var onTextChange: ((TextChange) -> Void)?
    /// The number of cells in a visual line.
    public var columns: Int
    /// The size of a cell in pixels.
    public static let cell = Size(width: 10, height: 20)
    /// The position of the view's origin in the root window, in pixels.
    open var textInputViewOrigin: RootPoint
    /// The scroll offset of the text, in pixels.
    public var scroll: Vector = Vector(dx: 0, dy: 0)
    /// Whether the user may edit the text.
    open var isEditable = true
    /// Whether the text is hidden.
    open var isSecureTextEntry = false
    /// The key commands of the view.
    open var keyCommands: [KeyCommand] = []
    /// The commands that the view received, in order.
    public private(set) var performedCommands: [EditCommand] = []

    /// Creates a view of a text, with the caret at its end.
    public init(_ text: String = "", columns: Int = 20, isSingleLine: Bool = false) {
        content = EditableText(text, isSingleLine: isSingleLine)
        self.columns = columns
        textInputViewOrigin = RootPoint(x: 300, y: 200)
        observation = content.session.observe { [unowned self] in textDidUpdate($0) }
    }

    private var observation: TextObservation?

    /// Called after a change of the text, the selection or the marked range.
    open func textDidUpdate(_ update: ViewUpdate) {
        if let change = update.textChange { onTextChange?(change) }
    }

    /// Sets the text as a data binding does.
    open func setTextFromBinding(_ text: String) {
        guard changes.shouldAccept(text) else { return }
        applyExternalEdit(0..<UTF16Offset(content.length), with: text)
    }

    /// The whole text.
    public var string: String { content.string }

    // MARK: Lines

    /// A visual line.
    private struct Line {
        var range: Range<UTF16Offset>
        /// The boundaries of grapheme clusters, from the line's start to its end.
        var stops: [UTF16Offset]
        /// Whether the next line continues the same paragraph.
        var isWrapped: Bool
    }
    private var laidOut: (version: TextVersion, columns: Int, lines: [Line])?

    private var lines: [Line] {
        if let laidOut, laidOut.version == content.store.version, laidOut.columns == columns { return laidOut.lines }
        var result: [Line] = []
        let text = Array(content.string.utf16)
        let boundaries = TextBreaker.withShared(.grapheme) { breaker in
            breaker.setText(text)
            return breaker.boundaries()
        }
        var stops: [UTF16Offset] = [0]
        func finish(isWrapped: Bool) {
            result.append(Line(range: stops[0]..<stops[stops.count - 1], stops: stops, isWrapped: isWrapped))
        }
        for (start, end) in zip(boundaries, boundaries.dropFirst()) {
            if text[start..<end].contains(where: Self.newlines.contains) {
                finish(isWrapped: false)
                stops = [UTF16Offset(end)]
                continue
            }
            if stops.count > columns {
                finish(isWrapped: true)
                stops = [UTF16Offset(start)]
            }
            stops.append(UTF16Offset(end))
        }
        finish(isWrapped: false)
        laidOut = (content.store.version, columns, result)
        return result
    }
    private static let newlines = Set<UInt16>("\n\r\u{2028}\u{2029}".utf16)

    /// Returns the row and column of an offset. At a wrapped line's end, the affinity decides which line it belongs
    /// to.
    private func place(_ offset: UTF16Offset, _ affinity: TextAffinity) -> (row: Int, column: Int) {
        let lines = lines
        var row = lines.lastIndex { $0.range.lowerBound <= offset } ?? 0
        if affinity == .upstream, row > 0, lines[row - 1].isWrapped, lines[row].range.lowerBound == offset { row -= 1 }
        let column = lines[row].stops.lastIndex { $0 <= offset } ?? 0
        return (row, column)
    }

    private func rect(row: Int, columns: Range<Int>) -> ViewRect {
        ViewRect(
            x: Double(columns.lowerBound) * Self.cell.width - scroll.dx,
            y: Double(row) * Self.cell.height - scroll.dy,
            width: Double(columns.count) * Self.cell.width, height: Self.cell.height)
    }

    private func position(row: Int, column: Int) -> TextPosition {
        let line = lines[min(max(0, row), lines.count - 1)]
        let column = min(max(0, column), line.stops.count - 1)
        let isWrapEnd = line.isWrapped && column == line.stops.count - 1
        return content.store.position(at: line.stops[column], affinity: isWrapEnd ? .upstream : .downstream)
    }

    // MARK: KeyInput

    open var hasText: Bool { content.length > 0 }
    open func insertText(_ text: String) {
        if content.selection != nil { content.session.insert(text) }
    }
    open func deleteBackward() { content.session.deleteBackward() }

    // MARK: TextInput

    open func text(in range: TextRange) -> String? {
        isSecureTextEntry ? nil : content.string(in: content.range(of: range))
    }
    open func replace(_ range: TextRange, withText text: String) {
        content.replace(content.range(of: range), with: text)
    }
    open var selectedTextRange: TextRange? {
        get { content.selection.map(content.textRange) }
        set { content.selection = newValue.map(content.range) }
    }
    open var markedTextRange: TextRange? { content.marked.map(content.textRange) }
    open func setMarkedText(_ markedText: String?, selectedRange: UTF16Range) {
        setAttributedMarkedText(markedText.map { InputText($0) }, selectedRange: selectedRange)
    }
    open func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        setMarkedText(markedText ?? "", selectedRange: selectedRange, replacementRange: .notFound)
    }
    open func unmarkText() { content.session.unmark() }
    open var beginningOfDocument: TextPosition { content.store.position(at: 0) }
    open var endOfDocument: TextPosition { content.store.position(at: UTF16Offset(content.length)) }
    open func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange? {
        compare(fromPosition, to: toPosition) == .orderedDescending
            ? TextRange(start: toPosition, end: fromPosition) : TextRange(start: fromPosition, end: toPosition)
    }
    open func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let (at, overflow) = content.offset(of: position).value.addingReportingOverflow(offset)
        guard !overflow, at >= 0, at <= content.length else { return nil }
        return content.store.position(at: UTF16Offset(at))
    }
    open func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition? {
        let (row, column) = place(content.offset(of: position), position.affinity)
        switch direction {
        case .up, .down:
            let (target, overflow) = row.addingReportingOverflow(direction == .down ? offset : 0 &- offset)
            guard !overflow, lines.indices.contains(target) else { return nil }
            return self.position(row: target, column: column)
        case .left, .right:
            let rope = content.store.text
            var at = content.offset(of: position)
            let isForward = (direction == .right) == (offset >= 0)
            for _ in 0..<min(offset.magnitude, UInt(content.length) + 1) {
                let next = isForward ? rope.graphemeBoundary(after: at) : rope.graphemeBoundary(before: at)
                guard next != at else { return nil }
                at = next
            }
            return content.store.position(at: at)
        }
    }
    open func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison {
        let distance = offset(from: position, to: other)
        return distance > 0 ? .orderedAscending : distance < 0 ? .orderedDescending : .orderedSame
    }
    open func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        content.offset(of: toPosition) - content.offset(of: from)
    }
    open func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection { .leftToRight }
    open func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {}
    open func firstRect(for range: TextRange) -> ViewRect {
        selectionRects(for: range).first?.rect ?? caretRect(for: range.start)
    }
    open func caretRect(for position: TextPosition) -> ViewRect {
        let (row, column) = place(content.offset(of: position), position.affinity)
        var caret = rect(row: row, columns: column..<column)
        caret.size.width = 1
        return caret
    }
    open func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let wanted = content.range(of: range)
        guard !wanted.isEmpty else { return [] }
        var result: [TextSelectionRect] = []
        for (row, line) in lines.enumerated() {
            let part = wanted.clamped(into: line.range)
            let touches = wanted.lowerBound < line.range.upperBound && wanted.upperBound > line.range.lowerBound
            // A selected newline, also of an empty line, is shown half a cell wide.
            let next = row + 1 < lines.count ? lines[row + 1].range.lowerBound : line.range.upperBound
            let takesNewline =
                wanted.lowerBound <= line.range.upperBound && wanted.upperBound >= next && next > line.range.upperBound
            guard touches || takesNewline else { continue }
            let start = line.stops.lastIndex { $0 <= part.lowerBound } ?? 0
            let end = line.stops.firstIndex { $0 >= part.upperBound } ?? line.stops.count - 1
            var piece = rect(row: row, columns: start..<max(start, end))
            if takesNewline { piece.size.width += Self.cell.width / 2 }
            result.append(TextSelectionRect(rect: piece))
        }
        if !result.isEmpty {
            result[0].containsStart = true
            result[result.count - 1].containsEnd = true
        }
        return result
    }
    open func closestPosition(to point: ViewPoint) -> TextPosition? {
        let row = min(max(0, (point.y + scroll.dy) / Self.cell.height), Double(lines.count - 1))
        let x = (point.x + scroll.dx) / Self.cell.width
        return position(row: Int(row), column: Int(min(max(0, x.rounded()), Double(columns))))
    }
    open func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition? {
        guard let position = closestPosition(to: point) else { return nil }
        if compare(position, to: range.start) == .orderedAscending { return range.start }
        return compare(position, to: range.end) == .orderedDescending ? range.end : position
    }
    open func characterRange(at point: ViewPoint) -> TextRange? {
        let row = ((point.y + scroll.dy) / Self.cell.height).rounded(.down)
        let column = ((point.x + scroll.dx) / Self.cell.width).rounded(.down)
        guard row >= 0, row < Double(lines.count), column >= 0 else { return nil }
        let stops = lines[Int(row)].stops
        guard column < Double(stops.count - 1) else { return nil }
        return content.textRange(stops[Int(column)]..<stops[Int(column) + 1])
    }
    open var inputDelegate: (any TextInputDelegate)? {
        get { content.session.inputDelegate }
        set { content.session.inputDelegate = newValue }
    }

    // MARK: TextInputClient

    open func insertText(_ string: String, replacementRange: UTF16Range) {
        content.session.insert(string, over: content.state.insertionTarget(replacementRange))
    }
    open func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        content.session.mark(
            string, over: content.state.insertionTarget(replacementRange), selected: selectedRange)
    }
    open func attributedString() -> InputText { InputText(isSecureTextEntry ? "" : string) }
    open func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        TextInputClientDefaults.attributedSubstring(of: self, forProposedRange: range)
    }
    open func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        TextInputClientDefaults.firstRect(of: self, forCharacterRange: range)
    }
    open func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double {
        let here = point.converted(to: ViewSpace.self, originAt: textInputViewOrigin)
        guard let range = characterRange(at: here), let rect = selectionRects(for: range).first?.rect else { return 0 }
        return min(max(0, (here.x - rect.minX) / max(1, rect.width)), 1)
    }
    open func baselineDeltaForCharacter(at index: Int) -> Double { Self.cell.height * 0.8 }
    open func characterIndex(for point: RootPoint) -> Int {
        TextInputClientDefaults.characterIndex(of: self, for: point)
    }
    private lazy var ownTokenizer = TextInputStringTokenizer(textInput: self)
    open var tokenizer: any TextInputTokenizer { ownTokenizer }
    open func selectedRange() -> UTF16Range { utf16Range(for: selectedTextRange) }
    open func markedRange() -> UTF16Range { utf16Range(for: markedTextRange) }
    open func hasMarkedText() -> Bool { markedTextRange != nil }
    @discardableResult
    open func doCommand(by command: EditCommand) -> Bool {
        performedCommands.append(command)
        return content.perform(command, on: self)
    }
    open func compositionDidBegin() { content.session.compositionDidBegin() }
    open func compositionDidEnd() { content.session.compositionDidEnd() }

    // MARK: Changes by the program

    /// Replaces a range as the program itself does, and notifies the delegate.
    open func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        inputDelegate?.textWillChange(self)
        content.replace(range, with: text)
        inputDelegate?.textDidChange(self)
    }

    /// Selects a range as a click does, and notifies the delegate.
    open func select(_ range: Range<UTF16Offset>) {
        inputDelegate?.selectionWillChange(self)
        content.selection = range
        inputDelegate?.selectionDidChange(self)
    }

    // MARK: Responder

    open var canBecomeFirstResponder: Bool { true }
    open var next: (any Responder)?
    open func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        !(isSecureTextEntry && [.copy, .cut].contains(action))
    }
    open func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { false }
}
