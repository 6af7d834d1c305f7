import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView

/// The displayed text of a view as assistive technology reads it: text, units, screen rectangles, attributes and
/// selection.
///
/// Offsets and ranges count Unicode scalars from the start of the text, marked text included. Callers may pass any
/// number as an offset. A negative offset, or one beyond the end, usually means the end. Only the requested text is
/// copied, and only its lines are laid out: O(log n) plus the cost of that text. A secure view's text reads as bullets.
/// Bound to the view's thread. The value describes one state of the text, so make a new one for each use.
package struct AccessibleText {
    let view: EditorView
    let text: Rope
    /// The cache of the text's links; nil to search for the links at each call.
    let known: AccessibleLinks?

    /// The character that replaces each scalar of a secure text.
    static let bullet: Unicode.Scalar = "\u{2022}"

    /// Creates the text of a view in its current state.
    package init(of view: EditorView) { self.init(of: view, known: nil) }

    init(of view: EditorView, known: AccessibleLinks?) {
        (self.view, self.known) = (view, known)
        text = view.state.text
    }

    var isSecure: Bool { view.isSecureTextEntry }

    // MARK: Offsets

    /// The number of scalars in the text.
    package var count: Int { text.metrics.scalars }

    /// Returns a client's offset, moved into the text; a negative one stands for the end.
    func clamped(_ offset: Int) -> Int { offset < 0 ? count : min(offset, count) }

    func utf16(_ offset: Int) -> UTF16Offset { text.utf16Offset(at: ScalarOffset(offset)) }

    func scalar(_ offset: UTF16Offset) -> Int { text.scalarOffset(at: offset).value }

    func scalars(_ range: Range<UTF16Offset>) -> Range<Int> {
        let low = scalar(range.lowerBound)
        return low..<max(low, scalar(range.upperBound))
    }

    func utf16(_ range: Range<Int>) -> Range<UTF16Offset> { utf16(range.lowerBound)..<utf16(range.upperBound) }

    /// Returns the range between two offsets of a client. Nil if `start` is negative or after `end`. An `end`
    /// outside the text means the end of the text.
    func range(_ start: Int, _ end: Int) -> Range<Int>? {
        let end = clamped(end)
        return start >= 0 && start <= end ? start..<end : nil
    }

    // MARK: Characters

    /// Returns the text of a range of scalars, or as many bullets if the text is secure. The range must lie in the
    /// text.
    func string(_ range: Range<Int>) -> String {
        if isSecure { return String(repeating: String(Self.bullet), count: range.count) }
        return text.string(
            in: text.byteOffset(
                at: ScalarOffset(range.lowerBound))..<text.byteOffset(
                    at: ScalarOffset(range.upperBound)))
    }

    /// Returns the text between two offsets; empty if the range between them is not valid.
    package func text(from start: Int, to end: Int) -> String { range(start, end).map(string) ?? "" }

    /// Returns the number of UTF-8 bytes of the text between two offsets; 0 if the range between them is not valid.
    /// O(log n).
    package func byteCount(from start: Int, to end: Int) -> Int {
        guard let range = range(start, end) else { return 0 }
        if isSecure { return 3 * range.count }
        return text.byteOffset(at: ScalarOffset(range.upperBound)) - text.byteOffset(at: ScalarOffset(range.lowerBound))
    }

    /// Returns the scalar at an offset; nil for an offset outside the text.
    package func character(at offset: Int) -> Unicode.Scalar? {
        guard offset >= 0, offset < count else { return nil }
        return string(offset..<offset + 1).unicodeScalars.first
    }

    // MARK: Caret and selection

    /// The offset of the caret: the moving end of the primary selected range. 0 if there is no selection.
    package var caret: Int { scalar(view.state.primary.head) }

    /// The selected ranges that are not empty, in text order. Ranges within marked text are left out.
    package var selections: [Range<Int>] {
        Self.selectedRanges(of: view.selection, marked: view.markedText).map { scalars($0) }
    }

    /// Returns the ranges that the user has selected. Empty ranges are left out, and so are ranges within marked
    /// text: an input method selects the clause that it converts, and screen readers would announce it as selected
    /// by the user.
    static func selectedRanges(of selection: Selection?, marked: MarkedText?) -> [Range<UTF16Offset>] {
        (selection?.ranges ?? []).filter { !$0.isCaret }.map(\.range).filter { range in
            !(marked.map { $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound } ?? false)
        }
    }
}

/// Requests of assistive technology that select or edit. Like the user's own edits, they pass the session's filters
/// and its delegate.
extension AccessibleText {
    /// The origin recorded in transactions that assistive technology requests.
    static let origin: Origin = "input.accessibility"

    /// Moves the caret to an offset, or to the start of the grapheme cluster around it, and scrolls it into view.
    /// An offset outside the text is ignored.
    package func setCaret(_ offset: Int) {
        guard offset >= 0, offset <= count else { return }
        select(Selection(caret: text.roundedDown(toGrapheme: utf16(offset))))
    }

    /// Selects as a click does: a composition ends first, and keeps its text.
    private func select(_ selection: Selection) {
        view.pointerWillSelect()
        view.select(selection)
    }

    /// Selects a range in place of the caret. Returns false, and changes nothing, if a range is selected already.
    package func addSelection(from start: Int, to end: Int) -> Bool {
        guard selections.isEmpty else { return false }
        return select(from: start, to: end)
    }

    /// Replaces the whole selection by a range. Returns false, and changes nothing, if no selected range has the
    /// index `number`.
    package func setSelection(_ number: Int, from start: Int, to end: Int) -> Bool {
        guard selections.indices.contains(number) else { return false }
        return select(from: start, to: end)
    }

    private func select(from start: Int, to end: Int) -> Bool {
        let (start, end) = (utf16(clamped(start)), utf16(clamped(end)))
        select(Selection(anchor: text.roundedDown(toGrapheme: start), head: text.roundedUp(toGrapheme: end)))
        return true
    }

    /// Replaces the whole selection by a caret at the moving end of the primary range. Returns false, and changes
    /// nothing, if no selected range has the index `number`.
    package func removeSelection(_ number: Int) -> Bool {
        guard selections.indices.contains(number) else { return false }
        select(Selection(caret: view.state.primary.head))
        return true
    }

    /// Whether the view accepts edits.
    package var isEditable: Bool { view.isEditable }

    /// Replaces a range as an undo step of its own. The selection moves with the text. Control characters are
    /// removed from `new`, as from text of an input method. Returns false if the view accepts no edits, or if the
    /// session has refused this one. Returns true also if there is nothing to change.
    private func replace(_ range: Range<Int>, with new: String) -> Bool {
        let range = utf16(range)
        let content = view.state.admitted(TextInputContext.withoutControls(new), replacing: range).content
        guard isEditable, var transaction = view.state.replacing(range, with: content, origin: Self.origin) else {
            return isEditable
        }
        transaction.selection = .mapped
        return view.session.dispatch(transaction) != nil
    }

    /// Inserts text at an offset. Returns false if the view accepts no edits, or if the session has refused this
    /// one.
    ///
    /// - Parameter length: the number of UTF-8 bytes of `new` to insert, rounded down to whole scalars. All of
    ///   `new` is inserted if `length` is negative or at least the number of scalars of `new`, which some callers
    ///   pass instead.
    package func insert(_ new: String, at offset: Int, length: Int) -> Bool {
        let at = clamped(offset)
        return replace(at..<at, with: Self.prefix(of: new, length: length))
    }

    /// Returns the first `length` bytes of a text, rounded down to whole scalars; the whole text if `length` is
    /// negative or at least the number of its scalars.
    static func prefix(of text: String, length: Int) -> String {
        guard length >= 0, length < text.unicodeScalars.count else { return text }
        var bytes = 0
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix {
                    bytes += UTF8.width($0)
                    return bytes <= length
                }))
    }

    /// Deletes the text between two offsets. Returns false if the range between them is not valid, or if the
    /// deletion was refused.
    package func delete(from start: Int, to end: Int) -> Bool {
        range(start, end).map { replace($0, with: "") } ?? false
    }

    /// Replaces the whole text. Returns false if the view accepts no edits, or if the session has refused this one.
    package func setContents(_ new: String) -> Bool { replace(0..<count, with: new) }

    /// Copies the text between two offsets to the clipboard. Returns false, and copies nothing, if the view is
    /// secure or the range is empty or not valid.
    @discardableResult
    package func copy(from start: Int, to end: Int) -> Bool {
        guard !isSecure, let range = range(start, end), !range.isEmpty else { return false }
        view.copy(view.state.copy(view.state.styledText.slice(utf16(range))))
        return true
    }

    /// Copies the text between two offsets to the clipboard, and then deletes it. Returns false if it was not
    /// copied, or not deleted.
    package func cut(from start: Int, to end: Int) -> Bool {
        isEditable && copy(from: start, to: end) && delete(from: start, to: end)
    }

    /// Moves the caret to an offset and requests a paste there. Returns false if the view accepts no edits, or if
    /// the paste was refused.
    package func paste(at offset: Int) -> Bool {
        guard isEditable else { return false }
        setCaret(clamped(offset))
        return view.perform(.paste)
    }
}
