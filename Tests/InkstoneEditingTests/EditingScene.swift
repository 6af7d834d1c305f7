import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneUnicode

/// A state without a view, and the geometry that commands query: a text, a store and a layout.
final class EditingScene {
    let store: TextStore
    let layout: TextLayoutManager
    var state: EditorState
    private var follower: Follower?
    /// The requests to a view, in order.
    var requests: [EditRequest] = []
    var killBuffer = KillBuffer()

    private final class Follower: TextStoreFollower {
        unowned let scene: EditingScene
        init(_ scene: EditingScene) { self.scene = scene }
        func storeDidApply(_ applied: AppliedTransaction) {
            _ = scene.layout.apply(applied)
            scene.state.apply(applied)
        }
    }

    /// Creates a text with its selection: `ab[cd|]e`, or several ranges as in `a|b [cd|]`; the last range is
    /// primary.
    init(_ notation: String) {
        let (text, selection) = Self.read(notation)
        store = TextStore(Rope(text))
        layout = TextLayoutManager(
            store: store, container: TextContainer(width: 400), font: ViewScene.font, settings: FontSettings())
        state = EditorState(of: store, view: ViewID())
        follower = Follower(self)
        if let follower { store.addFollower(follower) }
        select(selection)
    }

    var geometry: TextGeometry { TextGeometry(layout, linesPerPage: 10) }

    /// Sets the selection as a view does.
    func select(_ new: Selection?) { make(state.selecting(new)) }

    /// Filters and applies a transaction.
    @discardableResult
    func make(_ transaction: Transaction?) -> AppliedTransaction? {
        guard var transaction, case .accept = state.prepare(&transaction) else { return nil }
        return store.make(transaction) { state.adopt($0) }
    }

    /// Applies an effect to the state.
    func change(_ effect: StateEffect) { make(state.changing(effect)) }

    /// The options of the state.
    var options: TextInputOptions {
        get { state.options }
        set { change(.options(newValue)) }
    }

    /// Performs commands as a view does, as far as no view is needed.
    @discardableResult
    func perform(_ commands: EditCommand...) -> String {
        for command in commands where state.canPerform(command) {
            if command == .yank, killBuffer.isEmpty { continue }
            if !command.keepsComposition { make(state.ending(.keeping)) }
            guard let outcome = state.outcome(of: command, in: geometry) else { continue }
            if state.continuedKill != nil { change(.killing(nil)) }
            if let request = outcome.request { carryOut(request) }
            if let transaction = outcome.transaction, transaction.changes.isEmpty, transaction.selection != .mapped {
                store.breakUndoCoalescing()
            }
            let made = make(outcome.transaction)
            let direction = state.options.baseWritingDirection
            layout.paragraphStyle.baseDirection =
                direction == .natural ? .natural : direction == .leftToRight ? .leftToRight : .rightToLeft
            if made != nil, case .keep(let killed, let side, let kill) = outcome.request {
                change(.killing(killBuffer.keep(killed, from: side, continuing: kill)))
            }
        }
        return notation
    }

    private func carryOut(_ request: EditRequest) {
        requests.append(request)
        switch request {
        case .copy(let copied): killBuffer.keep(copied)
        case .paste(.killBuffer, let edit):
            make(state.paste(state.answering(edit, with: killBuffer.contents)))
        case .paste, .keep, .scroll: break
        case .undo: store.undo(in: state.view)
        case .redo: store.redo(in: state.view)
        }
    }

    /// The text with all its ranges.
    var notation: String { Self.write(state.string(in: state.textRange), state.selection) }

    static func read(_ notation: String) -> (text: String, selection: Selection?) {
        var text = ""
        var ranges: [SelectionRange] = []
        var open: UTF16Offset?
        var isReversed = false
        var caret: UTF16Offset?
        for character in notation {
            let here = UTF16Offset(text.utf16.count)
            switch character {
            case "[": open = here
            case "]":
                if let low = open {
                    ranges.append(isReversed ? .init(anchor: here, head: low) : .init(anchor: low, head: here))
                }
                (open, isReversed, caret) = (nil, false, nil)
            case "|":
                if let low = open { isReversed = low == here } else { caret = here }
                if let only = caret { ranges.append(SelectionRange(caret: only)) }
                caret = nil
            default: text.append(character)
            }
        }
        return (text, Selection(ranges))
    }

    static func write(_ text: String, _ selection: Selection?) -> String {
        var result = ""
        var at = 0
        let units = Array(text.utf16)
        func copy(to end: UTF16Offset) {
            result += String(decoding: units[at..<end.value], as: UTF16.self)
            at = end.value
        }
        for range in selection?.ranges ?? [] {
            copy(to: range.range.lowerBound)
            if range.isCaret {
                result += "|"
            } else {
                result += range.head < range.anchor ? "[|" : "["
                copy(to: range.range.upperBound)
                result += range.head < range.anchor ? "]" : "|]"
            }
        }
        copy(to: UTF16Offset(units.count))
        return result
    }
}

extension EditorState {
    /// Returns the transaction of a paste of plain text.
    func pasting(_ text: String, pieces: [String]? = nil) -> Transaction? {
        pasting(
            CopiedText(StyledText(Rope(text)), isStyled: false, pieces: pieces?.map { StyledText(Rope($0)) }))
    }
}
