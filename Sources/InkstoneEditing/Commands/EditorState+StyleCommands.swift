import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that add and remove styles.
extension EditorState {
    static let styling: [EditCommand: Command] = {
        func style(_ make: @escaping @Sendable (EditorState) -> Transaction?) -> Command {
            var command = editing(.styling) { state, _ in make(state) }
            command.isPossible = { $0.options.takesStyles && $0.permits(make($0)) }
            return command
        }
        func align(_ alignment: ParagraphStyle.Alignment) -> Command {
            var command = style { $0.aligning(alignment) }
            command.outcome = editing(.styling) { $0.aligning(alignment, base: $1.ownParagraphStyle) }.outcome
            return command
        }
        return [
            .toggleBoldface: style { $0.togglingBold() },
            .toggleItalics: style { $0.togglingItalic() },
            .toggleUnderline: style { $0.togglingUnderline() },
            .toggleStrikethrough: style { $0.togglingStrikethrough() },
            .superscript: style { $0.togglingSuperscript(1) },
            .subscript: style { $0.togglingSuperscript(-1) },
            .clearFormatting: style { $0.clearingStyles() },
            .alignLeft: align(.left), .alignRight: align(.right), .alignCenter: align(.center),
            .alignJustified: align(.justified),
            .toggleBulletedList: style { $0.togglingList(.disc) },
            .toggleNumberedList: style { $0.togglingList(.decimal) },
            .toggleChecklist: style { $0.togglingList(.checkbox) },
            .toggleCheckbox: style { $0.togglingCheckboxes() },
            .restartList: style { $0.restartingList() },
            .continueList: style { $0.continuingList() },
        ]
    }()
}
