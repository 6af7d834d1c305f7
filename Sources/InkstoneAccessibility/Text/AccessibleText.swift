import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView

/// The displayed text of a view as assistive technology reads it: text, units, places on the screen, attributes and selection.
///
/// Offsets and ranges are Unicode scalars from the start of the text, marked text included. Offsets from outside may be anything: a
/// negative one, and one beyond the end, is the end. Nothing is copied but what is asked for, and nothing is laid out but the lines that
/// are asked for: O(log n) and those. A secure view gives bullets. Bound to the view's thread and to the text as it is: made anew for each
/// use.
package struct AccessibleText {
    let view: EditorView
    let text: Rope
    /// The links that are known of the text; nil looks for them whenever they are asked for.
    let known: AccessibleLinks?

    /// The character that stands for each scalar of a secure text.
    static let bullet: Unicode.Scalar = "\u{2022}"

    /// The text of a view as it is now.
    package init(of view: EditorView) { self.init(of: view, known: nil) }

    init(of view: EditorView, known: AccessibleLinks?) {
        (self.view, self.known) = (view, known)
        text = view.state.text
    }

    var isSecure: Bool { view.isSecureTextEntry }

    // MARK: Offsets

    /// The number of scalars.
    package var count: Int { text.metrics.scalars }

    func clamped(_ offset: Int) -> Int { offset < 0 ? count : min(offset, count) }

    func utf16(_ offset: Int) -> UTF16Offset { text.utf16Offset(at: ScalarOffset(offset)) }

    func scalar(_ offset: UTF16Offset) -> Int { text.scalarOffset(at: offset).value }

    func scalars(_ range: Range<UTF16Offset>) -> Range<Int> {
        let low = scalar(range.lowerBound)
        return low..<max(low, scalar(range.upperBound))
    }

    func utf16(_ range: Range<Int>) -> Range<UTF16Offset> { utf16(range.lowerBound)..<utf16(range.upperBound) }

    /// The range between two offsets from outside; nil for one that starts before the text or behind its own end.
    func range(_ start: Int, _ end: Int) -> Range<Int>? {
        let end = clamped(end)
        return start >= 0 && start <= end ? start..<end : nil
    }

    // MARK: Characters

    /// The text of a range of scalars that lies in the text.
    func string(_ range: Range<Int>) -> String {
        if isSecure { return String(repeating: String(Self.bullet), count: range.count) }
        return text.string(
            in: text.byteOffset(
                at: ScalarOffset(range.lowerBound))..<text.byteOffset(
                    at: ScalarOffset(range.upperBound)))
    }

    /// The text between two offsets; empty where they are in the wrong order.
    package func text(from start: Int, to end: Int) -> String { range(start, end).map(string) ?? "" }

    /// The number of bytes of the text between two offsets. O(log n).
    package func byteCount(from start: Int, to end: Int) -> Int {
        guard let range = range(start, end) else { return 0 }
        if isSecure { return 3 * range.count }
        return text.byteOffset(at: ScalarOffset(range.upperBound)) - text.byteOffset(at: ScalarOffset(range.lowerBound))
    }

    /// The scalar at an offset; nil beyond the ends.
    package func character(at offset: Int) -> Unicode.Scalar? {
        guard offset >= 0, offset < count else { return nil }
        return string(offset..<offset + 1).unicodeScalars.first
    }

    // MARK: Caret and selection

    /// The moving end of the primary range; the start of the text if there is no selection.
    package var caret: Int { scalar(view.state.primary.head) }

    /// The selected ranges that hold text, in order; not the clause of a composition, which an attribute shows.
    package var selections: [Range<Int>] {
        Self.selectedRanges(of: view.selection, marked: view.markedText).map { scalars($0) }
    }

    /// The ranges that a person has selected. Readers announce the end of a selection, and an input method selects the clause that it converts.
    static func selectedRanges(of selection: Selection?, marked: MarkedText?) -> [Range<UTF16Offset>] {
        (selection?.ranges ?? []).filter { !$0.isCaret }.map(\.range).filter { range in
            !(marked.map { $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound } ?? false)
        }
    }
}

/// Requests of assistive technology that select or edit. They end as the user's own do: in the session, through its filters and delegate.
extension AccessibleText {
    /// The source of edits by assistive technology.
    static let origin: Origin = "input.accessibility"

    /// Puts the caret at an offset and scrolls to it; an offset outside the text is ignored.
    package func setCaret(_ offset: Int) {
        guard offset >= 0, offset <= count else { return }
        select(Selection(caret: text.roundedDown(toGrapheme: utf16(offset))))
    }

    /// Selects as the pointer does: a composition ends first, with its text kept.
    private func select(_ selection: Selection) {
        view.pointerWillSelect()
        view.select(selection)
    }

    /// Selects a range in place of the caret. False if a range is selected already.
    package func addSelection(from start: Int, to end: Int) -> Bool {
        guard selections.isEmpty else { return false }
        return select(from: start, to: end)
    }

    /// Selects another range in place of the one with a number. False if there is none with it.
    package func setSelection(_ number: Int, from start: Int, to end: Int) -> Bool {
        guard selections.indices.contains(number) else { return false }
        return select(from: start, to: end)
    }

    private func select(from start: Int, to end: Int) -> Bool {
        let (start, end) = (utf16(clamped(start)), utf16(clamped(end)))
        select(Selection(anchor: text.roundedDown(toGrapheme: start), head: text.roundedUp(toGrapheme: end)))
        return true
    }

    /// Leaves a caret at the end of the selected range with a number. False if there is none with it.
    package func removeSelection(_ number: Int) -> Bool {
        guard selections.indices.contains(number) else { return false }
        select(Selection(caret: view.state.primary.head))
        return true
    }

    /// Whether edits are taken.
    package var isEditable: Bool { view.isEditable }

    /// Replaces a range as a step of undo of its own; the selection keeps its text. Control characters are left out, as of what input methods give.
    /// Returns whether the text is the new one.
    private func replace(_ range: Range<Int>, with new: String) -> Bool {
        let range = utf16(range)
        let content = AdmittedText(
            TextInputContext.withoutControls(new), replacing: range, of: text, newline: view.state.newline
        ).content
        guard isEditable, var transaction = view.state.replacing(range, with: content, origin: Self.origin) else {
            return isEditable
        }
        transaction.selection = .mapped
        return view.session.dispatch(transaction) != nil
    }

    /// Inserts text at an offset.
    ///
    /// - Parameter length: a number of UTF-8 bytes of it, down to a whole scalar; negative, or as large as the number of scalars, for all.
    package func insert(_ new: String, at offset: Int, length: Int) -> Bool {
        let at = clamped(offset)
        return replace(at..<at, with: Self.prefix(of: new, length: length))
    }

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

    /// Deletes the text between two offsets. False where they are in the wrong order.
    package func delete(from start: Int, to end: Int) -> Bool {
        range(start, end).map { replace($0, with: "") } ?? false
    }

    /// Replaces all text.
    package func setContents(_ new: String) -> Bool { replace(0..<count, with: new) }

    /// Puts the text between two offsets on the clipboard; nothing of a secure view.
    @discardableResult
    package func copy(from start: Int, to end: Int) -> Bool {
        guard !isSecure, let range = range(start, end), !range.isEmpty else { return false }
        view.copy(CopiedText(view.state.styledText.slice(utf16(range))))
        return true
    }

    /// Puts the text between two offsets on the clipboard and deletes it.
    package func cut(from start: Int, to end: Int) -> Bool {
        isEditable && copy(from: start, to: end) && delete(from: start, to: end)
    }

    /// Has the clipboard pasted at an offset, where the caret goes.
    package func paste(at offset: Int) -> Bool {
        guard isEditable else { return false }
        setCaret(clamped(offset))
        return view.perform(.paste)
    }
}
