import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText

/// Views that each violate one rule: the mistakes of sketches and of well-known views.
enum Defects {
    static let all: [ConformanceTests.Defect] = [
        .init(name: "offsets are Characters", law: .oneUnit, mentions: "UTF-16") { CharacterOffsets($0) },
        .init(name: "positions clamp", law: .ends, mentions: "clamps") { ClampingPositions($0) },
        .init(name: "compare is reversed", law: .order, mentions: "compare") { ReversedCompare($0) },
        .init(name: "ranges are not ordered", law: .order, mentions: "in order") { UnorderedRanges($0) },
        .init(name: "selections split clusters", law: .selection, mentions: "inside a grapheme") { SplitSelection($0) },
        .init(name: "deletes one scalar", law: .keyInput, mentions: "deleteBackward") { ScalarDelete($0) },
        .init(name: "insertText keeps the selection", law: .keyInput, mentions: "replace the selection") {
            KeepsSelection($0)
        },
        .init(name: "caret stays on replace", law: .replacement, mentions: "moved along") { CaretStays($0) },
        .init(name: "marked range of the document", law: .relativeSelection, mentions: "document") {
            DocumentRelative($0)
        },
        .init(name: "caret forced to the end", law: .relativeSelection, mentions: "ignored") { CaretForcedToEnd($0) },
        .init(name: "marking piles up", law: .idempotentMarking, mentions: "adds") { PilesUp($0) },
        .init(name: "unmark deletes", law: .endOfMarking, mentions: "deletes the marked text") { UnmarkDeletes($0) },
        .init(name: "nil does not cancel", law: .endOfMarking, mentions: "nil") { NilKeeps($0) },
        .init(name: "insert drops marked text", law: .endOfMarking, mentions: "around the selection") {
            DropsMarked($0)
        },
        .init(name: "commit beside marked text", law: .commit, mentions: "replace the marked") { CommitBeside($0) },
        .init(name: "replacement range ignored", law: .commit, mentions: "replacementRange") { IgnoresReplacement($0) },
        .init(name: "hit test without scroll", law: .hitTest, mentions: "coordinates") { UnscrolledHits($0) },
        .init(name: "one bounding box", law: .selectionRects, mentions: "bounding box") { BoundingBox($0) },
        .init(name: "start, middle and end rectangles", law: .selectionRects, mentions: "per visual line") {
            StartMiddleEnd($0)
        },
        .init(name: "flags on every line", law: .selectionRects, mentions: "exactly one") { FlagsEverywhere($0) },
        .init(name: "natural direction", law: .selectionRects, mentions: "direction") { NaturalDirection($0) },
        .init(name: "firstRect of all lines", law: .firstRect, mentions: "first visual line") { WholeFirstRect($0) },
        .init(name: "firstRect in view space", law: .rootSpace, mentions: "root-window") { ViewSpaceRect($0) },
        .init(name: "characterIndex in view space", law: .rootSpace, mentions: "characterIndex") { ViewSpaceIndex($0) },
        .init(name: "fraction in view space", law: .rootSpace, mentions: "fractionOf") { ViewSpaceFraction($0) },
        .init(name: "fraction from the wrong edge", law: .rootSpace, mentions: "leading edge") { BackwardFraction($0) },
        .init(name: "baseline from the view's top", law: .rootSpace, mentions: "line's top") { BaselineFromTop($0) },
        .init(name: "substring not cut", law: .hostileRanges, mentions: "attributedSubstring") { UncutSubstring($0) },
        .init(name: "surrogates cut", law: .hostileRanges, mentions: "surrogate") { CutSurrogates($0) },
        .init(name: "contracts disagree", law: .agreement, mentions: "different selections") { Disagrees($0) },
        .init(name: "marked range of nothing", law: .agreement, mentions: "sentinel") { EmptyMarkedRange($0) },
        .init(name: "stale selection", law: .agreement, mentions: "outside deletion") { StaleSelection($0) },
        .init(name: "did without will", law: .notifications, mentions: "pairs") { DidWithoutWill($0) },
        .init(name: "program's edits not reported", law: .notifications, mentions: "not notified") {
            UnreportedEdits($0)
        },
        .init(name: "input system's edits reported", law: .notifications, mentions: "input system") {
            ReportsOwnEdits($0)
        },
        .init(name: "binding in composition", law: .silentBindings, mentions: "half-composed") { LoudBinding($0) },
        .init(name: "echo in composition", law: .silentBindings, mentions: "echo") { AcceptsEcho($0) },
        .init(name: "tokenizer gets stuck", law: .tokenizer, mentions: "move on") { StuckTokenizer($0) },
        .init(
            name: "deletion beside the selection", law: .keyInput,
            mentions: "deleteBackward does not delete the selection"
        ) {
            DeletesBeside($0)
        },
        .init(name: "document's range in the first mark", law: .relativeSelection, mentions: "document") {
            DocumentRelativeAtFirst($0)
        },
        .init(name: "marks the same text anew", law: .idempotentMarking, mentions: "edits the text again") {
            MarksAnew($0)
        },
        .init(name: "an empty mark deletes the selection", law: .endOfMarking, mentions: "nothing to mark") {
            EmptyMarkDeletes($0)
        },
        .init(name: "deleting ends the composition", law: .endOfMarking, mentions: "deleteBackward in marked") {
            DeleteEndsMarking($0)
        },
        .init(name: "marked range from its own start", law: .agreement, mentions: "different marked") {
            MarkedFromZero($0)
        },
        .init(name: "will without did", law: .notifications, mentions: "pairs") { WillWithoutDid($0) },
        .init(name: "pairs in pairs", law: .notifications, mentions: "nested") { NestedPairs($0) },
        .init(name: "clicks not reported", law: .notifications, mentions: "selections by the user") {
            UnreportedClicks($0)
        },
        .init(name: "unbalanced undo", law: .notifications, mentions: "pairs") { UnbalancedUndo($0) },
        .init(name: "binding never notified", law: .silentBindings, mentions: "do not report once") { NeverSpeaks($0) },
        .init(name: "boundaries that are none", law: .tokenizer, mentions: "contradicts") { Contradicts($0) },
        .init(name: "steps of units", law: .directions, mentions: "units") { UnitSteps($0) },
        .init(name: "left is not the opposite of right", law: .directions, mentions: "opposites") { OneWay($0) },
        .init(name: "direction ends the composition", law: .writingDirection, mentions: "marked text") {
            DirectionUnmarks($0)
        },
        .init(name: "direction drops attributes", law: .writingDirection, mentions: "other attributes") {
            DirectionDropsStyle($0)
        },
        .init(name: "undo letter by letter", law: .compositionUndo, mentions: "one step of undo") { UndoByLetter($0) },
        .init(name: "ranges trusted", law: .hostileRanges, mentions: "replacementRange") { AcceptsWrongRanges($0) },
        .init(name: "text of a secret", law: .secrecy, mentions: "text(in:)") { RevealsRanges($0) },
        .init(name: "substring of a secret", law: .secrecy, mentions: "attributedSubstring") { RevealsSubstrings($0) },
        .init(name: "all of a secret", law: .secrecy, mentions: "attributedString of") { RevealsAll($0) },
        .init(name: "a secret is copied", law: .secrecy, mentions: "selection be copied") { CopiesSecrets($0) },
        .init(name: "words of a secret", law: .secrecy, mentions: "words of a secret") { RevealsWords($0) },
        .init(name: "empty selected text", law: .insertionPoints, mentions: "nil for a caret") {
            EmptySelectedText($0)
        },
        .init(name: "only carets are at the start", law: .insertionPoints, mentions: "selection's start") {
            CaretsAtStart($0)
        },
        .init(name: "deletes beside the selection", law: .deletion, mentions: "selection alone") {
            DeletesBesideSelection($0)
        },
        .init(name: "words are characters", law: .deletion, mentions: "border of the unit") { DeletesCharacters($0) },
        .init(name: "stale corrections", law: .corrections, mentions: "another by now") { AcceptsStaleCorrections($0) },
        .init(name: "no context", law: .corrections, mentions: "not answered") { NoContext($0) },
        .init(name: "empty contexts", law: .corrections, mentions: "an empty text for none") { EmptyContexts($0) },
        .init(name: "context of a word", law: .corrections, mentions: "hold the sentence") { ShortContext($0) },
        .init(name: "entries answered with false", law: .keyEntries, mentions: "answered with false") {
            AnswersFalse($0)
        },
        .init(name: "entries answered with true", law: .keyEntries, mentions: "answered with true") { AnswersTrue($0) },
        .init(name: "releases not answered", law: .keyEntries, mentions: "never answered") { ForgetsReleases($0) },
        .init(name: "no focus", law: .focus, mentions: "default") { NoFocus($0) },
    ]
}

private class Narrow: ReferenceTextView {
    init(_ text: String) {
        super.init(text, columns: 8)
        scroll = Vector(dx: 0, dy: 30)
    }
}

private final class EmptySelectedText: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    var selectedText: String? { selectedTextRange.flatMap { text(in: $0) } }
}
private final class CaretsAtStart: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    var isSelectionAtDocumentStart: Bool { content.selection?.isEmpty == true && content.selection?.lowerBound == 0 }
}
private final class DeletesBesideSelection: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func delete(in direction: TextStorageDirection, to granularity: TextGranularity) {
        if let range = content.selection, !range.isEmpty { content.selection = range.lowerBound..<range.lowerBound }
        _ = StandardCommands.perform(.deleteBackward, on: self)
    }
}
private final class DeletesCharacters: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func delete(in direction: TextStorageDirection, to granularity: TextGranularity) {
        _ = StandardCommands.perform(direction == .forward ? .deleteForward : .deleteBackward, on: self)
    }
}
private final class AcceptsStaleCorrections: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func replaceSelectedText(_ original: String, withText replacement: String) -> Bool {
        content.session.insert(replacement)
        return true
    }
}
private final class NoContext: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void) {}
}
private final class EmptyContexts: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void) {
        var context = textContextForAutocorrection()
        if context?.contextBefore == nil { context?.contextBefore = "" }
        completion(context)
    }
}
private final class ShortContext: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void) {
        var context = textContextForAutocorrection()
        let before = context?.contextBefore?.suffix(2)
        context?.contextBefore = before.map { String($0) }
        completion(context)
    }
}
private final class AnswersFalse: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
        if entry.state == .down { insertText(entry.key.characters) }
        completion(false)
    }
}
private final class AnswersTrue: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) { completion(true) }
}
private final class ForgetsReleases: Narrow, AsyncTextInput {
    weak var asyncInputDelegate: (any AsyncTextInputDelegate)?
    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion) {
        if entry.state == .down { completion(false) }
    }
}

private final class RevealsRanges: Narrow {
    override func text(in range: TextRange) -> String? { content.string(in: content.range(of: range)) }
}
private final class RevealsSubstrings: Narrow {
    override func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        range.clamped(to: 0..<UTF16Offset(content.length)).map {
            (InputText(content.string(in: $0)), UTF16Range($0))
        }
    }
}
private final class RevealsAll: Narrow {
    override func attributedString() -> InputText { InputText(string) }
}
private final class CopiesSecrets: Narrow {
    override func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { true }
}
private final class RevealsWords: Narrow {
    private final class Words: TextInputStringTokenizer {
        override func rangeEnclosingPosition(
            _ position: TextPosition, with granularity: TextGranularity, inDirection direction: TextDirection
        ) -> TextRange? {
            let view = textInput as? ReferenceTextView
            let isSecure = view?.isSecureTextEntry ?? false
            view?.isSecureTextEntry = false
            defer { view?.isSecureTextEntry = isSecure }
            return super.rangeEnclosingPosition(position, with: granularity, inDirection: direction)
        }
    }
    private lazy var words = Words(textInput: self)
    override var tokenizer: any TextInputTokenizer { words }
}
private final class CharacterOffsets: Narrow {
    override func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        let a = content.offset(of: from)
        let b = content.offset(of: toPosition)
        return a <= b ? content.string(in: a..<b).count : -content.string(in: b..<a).count
    }
}
private final class ClampingPositions: Narrow {
    override func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let at = content.offset(of: position).value.addingReportingOverflow(offset).partialValue
        return content.store.position(at: UTF16Offset(min(max(0, at), content.length)))
    }
}
private final class ReversedCompare: Narrow {
    override func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison {
        super.compare(other, to: position)
    }
}
private final class UnorderedRanges: Narrow {
    override func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange? {
        var range = TextRange(start: fromPosition, end: toPosition)
        range.start = fromPosition
        range.end = toPosition
        return range
    }
}
private final class SplitSelection: Narrow {
    var raw: Range<UTF16Offset>?
    override var selectedTextRange: TextRange? {
        get { raw.map(content.textRange) ?? super.selectedTextRange }
        set { raw = newValue.map(content.range) }
    }
}
private final class ScalarDelete: Narrow {
    override func deleteBackward() {
        guard let caret = content.selection?.lowerBound, caret > 0 else { return }
        content.replace((caret - 1)..<caret, with: "")
    }
}
private final class KeepsSelection: Narrow {
    override func insertText(_ text: String) {
        if let end = content.selection?.upperBound { content.selection = end..<end }
        super.insertText(text)
    }
}
private final class CaretStays: Narrow {
    override func replace(_ range: TextRange, withText text: String) {
        let old = content.selection
        super.replace(range, withText: text)
        content.selection = old
    }
}
private final class DocumentRelative: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
        if let cut = selectedRange.clamped(to: 0..<UTF16Offset(content.length)) { content.selection = cut }
    }
}
private final class CaretForcedToEnd: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
        if let end = content.marked?.upperBound { content.selection = end..<end }
    }
}
private final class PilesUp: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        content.session.unmark()
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
    }
}
private final class UnmarkDeletes: Narrow {
    override func unmarkText() {
        if let marked = content.marked { content.replace(marked, with: "") }
        super.unmarkText()
    }
}
private final class NilKeeps: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        if string.string.isEmpty { return unmarkText() }
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
    }
}
private final class DropsMarked: Narrow {
    override func insertText(_ text: String) {
        content.session.insert(text, over: .composed)
    }
}
private final class CommitBeside: Narrow {
    override func insertText(_ string: String, replacementRange: UTF16Range) {
        content.session.unmark()
        super.insertText(string, replacementRange: replacementRange)
    }
}
private final class IgnoresReplacement: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: .notFound)
    }
}
private final class UnscrolledHits: Narrow {
    override func closestPosition(to point: ViewPoint) -> TextPosition? {
        super.closestPosition(to: point - scroll)
    }
}
private final class BoundingBox: Narrow {
    override func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let rects = super.selectionRects(for: range).map(\.rect)
        guard let first = rects.first else { return [] }
        return [TextSelectionRect(rect: rects.reduce(first) { $0.union($1) }, containsStart: true, containsEnd: true)]
    }
}
private final class StartMiddleEnd: Narrow {
    override func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        var rects = super.selectionRects(for: range)
        guard rects.count > 3 else { return rects }
        let middle = rects[1..<(rects.count - 1)].map(\.rect)
        rects.replaceSubrange(
            1..<(rects.count - 1), with: [TextSelectionRect(rect: middle.reduce(middle[0]) { $0.union($1) })])
        return rects
    }
}
private final class FlagsEverywhere: Narrow {
    override func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        super.selectionRects(for: range).map {
            TextSelectionRect(rect: $0.rect, containsStart: true, containsEnd: true)
        }
    }
}
private final class NaturalDirection: Narrow {
    override func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        super.selectionRects(for: range).map {
            TextSelectionRect(
                rect: $0.rect, writingDirection: .natural, containsStart: $0.containsStart, containsEnd: $0.containsEnd)
        }
    }
}
private final class WholeFirstRect: Narrow {
    override func firstRect(for range: TextRange) -> ViewRect {
        let rects = selectionRects(for: range).map(\.rect)
        return rects.reduce(rects.first ?? caretRect(for: range.start)) { $0.union($1) }
    }
}
private final class ViewSpaceRect: Narrow {
    override func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        let (rect, actual) = super.firstRect(forCharacterRange: range)
        return (rect.offset(by: RootPoint(x: 0, y: 0) - textInputViewOrigin), actual)
    }
}
private final class ViewSpaceIndex: Narrow {
    override func characterIndex(for point: RootPoint) -> Int {
        super.characterIndex(for: point + (textInputViewOrigin - RootPoint(x: 0, y: 0)))
    }
}
private final class ViewSpaceFraction: Narrow {
    override func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double {
        super.fractionOfDistanceThroughGlyph(for: point + (textInputViewOrigin - RootPoint(x: 0, y: 0)))
    }
}
private final class BackwardFraction: Narrow {
    override func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double {
        1 - super.fractionOfDistanceThroughGlyph(for: point)
    }
}
private final class BaselineFromTop: Narrow {
    override func baselineDeltaForCharacter(at index: Int) -> Double {
        let line = firstRect(forCharacterRange: UTF16Range(location: index, length: 1)).rect.minY
        return line - textInputViewOrigin.y + super.baselineDeltaForCharacter(at: index)
    }
}
private final class UncutSubstring: Narrow {
    override func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        super.attributedSubstring(forProposedRange: range).map { ($0.string, range) }
    }
}
private final class CutSurrogates: Narrow {
    override func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        guard let cut = range.clamped(to: 0..<UTF16Offset(content.length)), !cut.isEmpty else { return nil }
        let units = Array(string.utf16)[cut.lowerBound.value..<cut.upperBound.value]
        return (InputText(String(decoding: units, as: UTF16.self)), UTF16Range(cut))
    }
}
private final class Disagrees: Narrow {
    override func selectedRange() -> UTF16Range { UTF16Range(location: 0, length: 0) }
}
private final class EmptyMarkedRange: Narrow {
    override func markedRange() -> UTF16Range {
        let range = super.markedRange()
        return range.isNotFound ? UTF16Range(location: 0, length: 0) : range
    }
}
private final class StaleSelection: Narrow {
    var last: UTF16Range?
    override func selectedRange() -> UTF16Range { last ?? super.selectedRange() }
    override func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        last = super.selectedRange()
        super.applyExternalEdit(range, with: text)
    }
}
private final class DidWithoutWill: Narrow {
    override func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        content.replace(range, with: text)
        inputDelegate?.textDidChange(self)
    }
}
private final class UnreportedEdits: Narrow {
    override func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        content.replace(range, with: text)
    }
}
private final class ReportsOwnEdits: Narrow {
    override func insertText(_ text: String) {
        inputDelegate?.textWillChange(self)
        super.insertText(text)
        inputDelegate?.textDidChange(self)
    }
}
private final class LoudBinding: Narrow {
    override func textDidUpdate(_ update: ViewUpdate) {
        super.textDidUpdate(update)
        if let applied = update.applied { onTextChange?(TextChange(applied.changes, to: applied.text)) }
    }
}
private final class AcceptsEcho: Narrow {
    override func setTextFromBinding(_ text: String) {
        applyExternalEdit(0..<UTF16Offset(content.length), with: text)
    }
}
private final class StuckTokenizer: Narrow {
    private final class Stuck: TextInputStringTokenizer {
        override func position(
            from position: TextPosition, toBoundary granularity: TextGranularity, inDirection direction: TextDirection
        ) -> TextPosition? { position }
    }
    private lazy var stuck = Stuck(textInput: self)
    override var tokenizer: any TextInputTokenizer { stuck }
}
private final class NoFocus: Narrow {
    override var canBecomeFirstResponder: Bool { false }
}
private final class DeletesBeside: Narrow {
    override func deleteBackward() {
        if let start = content.selection?.lowerBound { content.selection = start..<start }
        super.deleteBackward()
    }
}
private final class DocumentRelativeAtFirst: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        let isFirst = content.marked == nil
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
        if isFirst, let cut = selectedRange.clamped(to: 0..<UTF16Offset(content.length)) { content.selection = cut }
    }
}
private final class MarksAnew: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        if let marked = content.marked { content.store.replace(marked, with: content.string(in: marked)) }
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
    }
}
private final class EmptyMarkDeletes: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        if string.string.isEmpty, content.marked == nil, let selection = content.selection {
            content.replace(selection, with: "")
        }
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
    }
}
private final class DeleteEndsMarking: Narrow {
    override func deleteBackward() {
        content.session.unmark()
        super.deleteBackward()
    }
}
private final class MarkedFromZero: Narrow {
    override func markedRange() -> UTF16Range {
        let range = super.markedRange()
        return range.isNotFound ? range : UTF16Range(location: 0, length: range.length)
    }
}
private final class WillWithoutDid: Narrow {
    override func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        inputDelegate?.textWillChange(self)
        content.replace(range, with: text)
    }
}
private final class NestedPairs: Narrow {
    override func applyExternalEdit(_ range: Range<UTF16Offset>, with text: String) {
        inputDelegate?.textWillChange(self)
        inputDelegate?.selectionWillChange(self)
        content.replace(range, with: text)
        inputDelegate?.selectionDidChange(self)
        inputDelegate?.textDidChange(self)
    }
}
private final class UnreportedClicks: Narrow {
    override func select(_ range: Range<UTF16Offset>) { content.selection = range }
}
private final class UnbalancedUndo: Narrow {
    override func doCommand(by command: EditCommand) -> Bool {
        defer { if command == .undo { inputDelegate?.textDidChange(self) } }
        return super.doCommand(by: command)
    }
}
private final class NeverSpeaks: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
        onTextChange = nil
    }
}
private final class Contradicts: Narrow {
    private final class Contrary: TextInputStringTokenizer {
        override func isPosition(
            _ position: TextPosition, atBoundary granularity: TextGranularity, inDirection direction: TextDirection
        ) -> Bool { !super.isPosition(position, atBoundary: granularity, inDirection: direction) }
    }
    private lazy var contrary = Contrary(textInput: self)
    override var tokenizer: any TextInputTokenizer { contrary }
}
private final class UnitSteps: Narrow {
    override func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition?
    {
        self.position(from: position, offset: direction == .left ? 0 &- offset : offset)
    }
}
private final class OneWay: Narrow {
    override func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition?
    {
        super.position(from: position, in: direction == .left ? .right : direction, offset: offset)
            .map { offset == -1 ? beginningOfDocument : $0 }
    }
}
private final class DirectionUnmarks: Narrow {
    override func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) { unmarkText() }
}
private final class DirectionDropsStyle: Narrow, StyledText {
    private var attributes = ["font": "serif"]
    var style: String { attributes.map { "\($0)=\($1)" }.sorted().joined(separator: " ") }
    override func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {
        attributes = [:]
    }
}
private final class UndoByLetter: Narrow {
    override func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        let marked = content.marked.map { UTF16Range($0) }
        content.session.unmark()
        content.session.compositionDidEnd()
        super.setMarkedText(string, selectedRange: selectedRange, replacementRange: marked ?? replacementRange)
    }
}
private final class AcceptsWrongRanges: Narrow {
    override func insertText(_ string: String, replacementRange: UTF16Range) {
        guard !replacementRange.isNotFound else {
            return super.insertText(string, replacementRange: replacementRange)
        }
        // An invalid range is ignored completely, so the typed text is lost.
        let end = replacementRange.location.addingReportingOverflow(replacementRange.length)
        guard replacementRange.location >= 0, !end.overflow, end.partialValue <= content.length else { return }
        super.insertText(string, replacementRange: replacementRange)
    }
}
