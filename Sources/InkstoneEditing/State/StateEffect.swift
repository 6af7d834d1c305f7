import InkstoneBase
import InkstoneInput
import InkstoneText

/// A change of an ``EditorState`` beside its text, selection and composition. Made by a transaction, as all changes of a state.
package enum StateEffect: TransactionEffect {
    /// Options of the view: the edits that the user may make, and the meaning of keys.
    case options(TextInputOptions)
    /// The rules for transactions of the view, in place of the old ones.
    case filters([TransactionFilter])
    /// The line end that Return types, and to which those of pasted text are converted.
    case newline(String)
    /// Whether typing replaces the text behind the caret.
    case overwriting(Bool)
    /// The mark at an offset.
    case mark(UTF16Offset)
    /// A new deferred edit.
    case deferring(DeferredEdit)
    /// A deferred edit that is made now, or cancelled.
    case releasing(DeferredEdit.ID)
    /// The text just killed by a command, by its identifier in the kill buffer; nil for none.
    case killing(KillBuffer.Entry?)
    /// A changed layout: discards the columns that moves up and down keep.
    case relayout

    /// Returns the effect after changes of the text by others.
    package func mapped(through move: TransactionMove) -> StateEffect {
        switch self {
        case .mark(let offset): return .mark(move.map(offset, bias: .downstream))
        case .deferring(var edit):
            edit.map(through: move)
            return .deferring(edit)
        case .options, .filters, .newline, .overwriting, .releasing, .killing, .relayout: return self
        }
    }
}

extension EditorState {
    /// Returns a transaction with effects alone.
    package func changing(_ effects: StateEffect...) -> Transaction {
        var result = Transaction(on: document, version, TextChangeSet(none: text), view: view)
        result.effects = effects
        return result
    }

    /// Applies the effects of a transaction of this view, with offsets in the present text.
    mutating func take(_ effects: [any TransactionEffect]) {
        for case let effect as StateEffect in effects {
            switch effect {
            case .options(let new): set(new)
            case .filters(let new): filters = new
            case .newline(let new): newline = new
            case .overwriting(let new): isOverwriting = new
            case .mark(let offset): mark = min(offset, textRange.upperBound)
            case .deferring(let edit): deferred.append(edit)
            case .releasing(let id): deferred.removeAll { $0.id == id }
            case .killing(let entry): lastKill = entry.map { Kill(entry: $0, version: version, selection: selection) }
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
