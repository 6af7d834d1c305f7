public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// A change of an ``EditorState`` beside its text, selection and composition: by a transaction, as all changes of it.
public enum StateEffect: TransactionEffect {
    /// Options of the view: the edits that the user may make, and the meaning of keys.
    case options(TextInputOptions)
    /// The rules for transactions of the view, in place of those that there were.
    case filters([TransactionFilter])
    /// The newline that Return types and that line ends of pasted text become.
    case newline(String)
    /// Typing over what stands behind the caret, or no longer.
    case overwriting(Bool)
    /// The mark at an offset.
    case mark(UTF16Offset)
    /// An edit that waits from now on.
    case deferring(DeferredEdit)
    /// An edit that waits no longer: its turn has come, or it is given up.
    case releasing(DeferredEdit.ID)
    /// The text that a command has just cut off, as the kill buffer names it; nil for nothing.
    case killing(KillBuffer.Entry?)
    /// Another layout: the columns that moves up and down keep are forgotten.
    case relayout

    /// The effect where others have changed the text.
    public func mapped(through move: TransactionMove) -> StateEffect {
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
    /// A transaction that does nothing but what effects say.
    public func changing(_ effects: StateEffect...) -> Transaction {
        var result = Transaction(on: document, version, TextChangeSet(none: text), view: view)
        result.effects = effects
        return result
    }

    /// Takes in the effects of a transaction of this view, with places in the present text.
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
