import InkstoneBase
import InkstoneInput
import InkstoneText

/// A change of a part of an ``EditorState`` other than text, selection and composition. Like all changes of a state, it
/// is made by a transaction.
package enum StateEffect: TransactionEffect {
    /// Sets the options of the view: the edits that the user may make, and the meaning of keys.
    case options(TextInputOptions)
    /// Replaces the rules for transactions of the view.
    case filters([TransactionFilter])
    /// Sets the line end that Return types, and to which the line ends of pasted text are converted.
    case newline(String)
    /// Sets the identity of the decoding that the text came from.
    case decoding(DocumentID)
    /// Sets whether typing replaces the text after the caret.
    case overwriting(Bool)
    /// Sets the mark, up to which commands such as Delete to Mark act, to an offset.
    case mark(UTF16Offset)
    /// Adds a deferred edit.
    case deferring(DeferredEdit)
    /// Removes a deferred edit, which is made now or cancelled.
    case releasing(DeferredEdit.ID)
    /// Records that a command has just killed text, with the identifier of the kill buffer's contents; nil for no
    /// kill.
    case killing(KillBuffer.Entry?)
    /// Records that a bare address has just been edited.
    case addressing(AddressEdit)
    /// Discards the x positions that moves up and down keep, after the layout has changed.
    case relayout

    /// Returns the effect mapped through other changes of the text.
    package func mapped(through move: TransactionMove) -> StateEffect {
        switch self {
        case .mark(let offset): return .mark(move.map(offset, bias: .downstream))
        case .deferring(var edit):
            edit.map(through: move)
            return .deferring(edit)
        case .addressing(var edit):
            edit.range = move.map(edit.range)
            return .addressing(edit)
        case .options, .filters, .newline, .decoding, .overwriting, .releasing, .killing, .relayout: return self
        }
    }
}

extension EditorState {
    /// Returns a transaction that has only these effects.
    package func changing(_ effects: StateEffect...) -> Transaction {
        var result = Transaction(on: document, version, TextChangeSet(none: text), view: view)
        result.effects = effects
        return result
    }

    /// Applies the effects of a transaction of this view. Their offsets refer to the present text.
    mutating func take(_ effects: [any TransactionEffect]) {
        for case let effect as StateEffect in effects {
            switch effect {
            case .options(let new): set(new)
            case .filters(let new): filters = new
            case .newline(let new): newline = new
            case .decoding(let new): decoding = new
            case .overwriting(let new): isOverwriting = new
            case .mark(let offset): mark = min(offset, textRange.upperBound)
            case .deferring(let edit): deferred.append(edit)
            case .releasing(let id): deferred.removeAll { $0.id == id }
            case .killing(let entry): lastKill = entry.map { Kill(entry: $0, version: version, selection: selection) }
            case .addressing(let edit): addressEdit = edit
            case .relayout:
                selection = selection?.map { range in
                    var range = range
                    range.goalX = nil
                    return range
                }
            }
        }
    }

    private mutating func set(_ new: TextInputOptions) {
        let limit = options.maximumLength
        options = new
        if isCopy { options.isEditable = false }
        if options.maximumLength != limit { measureLength() }
    }
}
