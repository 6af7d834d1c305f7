import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// A refused command is never performed by its view, whatever sends it, but is passed up the responder chain.
@Suite(.timeLimit(.minutes(5))) struct CommandValidationTests {
    /// A view that refuses some commands, and records an error if one of them is performed.
    private final class Choosy: ReferenceTextView {
        var refused: Set<EditCommand> = []
        var above: (any Responder)? { didSet { next = above } }
        override func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
            !refused.contains(action)
        }
        override func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
            #expect(!refused.contains(action))
            return false
        }
    }

    private final class Parent: Responder {
        var isWilling = true
        var performed: [EditCommand] = []
        func canPerformAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool { isWilling }
        func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
            performed.append(action)
            return true
        }
    }

    private func scene() -> (Choosy, Parent, TextInputContext) {
        let view = Choosy("abc")
        let parent = Parent()
        view.above = parent
        view.refused = [.deleteBackward, .insertNewline, .insertTab]
        return (view, parent, TextInputContext(client: view))
    }

    @Test(arguments: [
        (KeyEvent(keysym: .backSpace, characters: "\u{8}"), EditCommand.deleteBackward),
        (KeyEvent(keysym: .return, characters: "\r"), .insertNewline),
        (KeyEvent(keysym: .tab, characters: "\t"), .insertTab),
    ])
    func aRefusedCommandOfAKeyGoesUpTheChain(_ key: KeyEvent, _ command: EditCommand) {
        let (view, parent, context) = scene()
        #expect(context.type(key))
        #expect(parent.performed == [command])
        #expect(view.performedCommands.isEmpty && view.string == "abc")
        // If no responder performs the command, the key inserts nothing.
        parent.isWilling = false
        #expect(!context.type(key))
        #expect(parent.performed == [command] && view.string == "abc")
    }

    @Test func aRefusedCommandOfAMenuIsNotCalled() {
        let (view, parent, context) = scene()
        parent.isWilling = false
        #expect(!context.perform(.deleteBackward))
        #expect(view.performedCommands.isEmpty && parent.performed.isEmpty)
        #expect(context.perform(.deleteForward) == view.doCommand(by: .deleteForward))
    }

    @Test func aRefusedCommandEndsNoComposition() {
        let (view, parent, context) = scene()
        parent.isWilling = false
        view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        #expect(!context.perform(.deleteBackward))
        #expect(view.markedTextRange != nil)
    }

    @Test func anEscapeThatEndsACompositionIsUsedUp() {
        let (view, parent, context) = scene()
        view.setMarkedText("に", selectedRange: UTF16Range(location: 1, length: 0))
        #expect(context.type(KeyEvent(keysym: .escape, characters: "\u{1b}")))
        #expect(view.markedTextRange == nil && view.string == "abcに")
        #expect(parent.performed.isEmpty && view.performedCommands.isEmpty)
    }

    @Test func aKeyCommandOfAViewThatRefusesItIsNotCalled() {
        let (view, parent, context) = scene()
        view.keyCommands = [
            KeyCommand(input: .backSpace, action: .deleteBackward, wantsPriorityOverSystemBehavior: true)
        ]
        #expect(context.type(KeyEvent(keysym: .backSpace, characters: "\u{8}")))
        #expect(parent.performed == [.deleteBackward] && view.performedCommands.isEmpty)
    }
}
