public import InkstoneBase

/// A key command of a responder: a shortcut that belongs to an object rather than to the text. Apple's `UIKeyCommand`.
public struct KeyCommand: Hashable, Sendable {
    /// The key with its modifiers.
    public var stroke: KeyStroke
    /// The command, sent to the responder that declared it, then up the chain.
    public var action: EditCommand
    /// The title in menus.
    public var title: String
    /// Whether the key command precedes the input method and the view's own bindings. Without it, both precede the key command.
    public var wantsPriorityOverSystemBehavior: Bool
    /// Whether the key command also works during a composition; otherwise the input method gets the key then.
    public var isAllowedDuringComposition: Bool

    /// Creates a key command. `input` is a key's symbol or character, like UIKit's string.
    public init(
        input: Keysym, modifierFlags: KeyModifiers = [], action: EditCommand, title: String = "",
        wantsPriorityOverSystemBehavior: Bool = false, isAllowedDuringComposition: Bool = false
    ) {
        self.init(
            KeyStroke(input, modifierFlags), action: action, title: title,
            wantsPriorityOverSystemBehavior: wantsPriorityOverSystemBehavior,
            isAllowedDuringComposition: isAllowedDuringComposition)
    }

    /// Creates a key command from a stroke, for example of ``KeyBindingTable/strokes(for:)``.
    public init(
        _ stroke: KeyStroke, action: EditCommand, title: String = "", wantsPriorityOverSystemBehavior: Bool = false,
        isAllowedDuringComposition: Bool = false
    ) {
        self.stroke = stroke
        self.action = action
        self.title = title
        self.wantsPriorityOverSystemBehavior = wantsPriorityOverSystemBehavior
        self.isAllowedDuringComposition = isAllowedDuringComposition
    }
}
