public import InkstoneBase

/// A key command of a responder: a shortcut that belongs to an object rather than to the text. Apple's `UIKeyCommand`.
public struct KeyCommand: Hashable, Sendable {
    /// The key with its modifiers.
    public var stroke: KeyStroke
    /// What it does; goes to the responder that declared it, then up the chain.
    public var action: EditCommand
    /// What a menu calls it.
    public var title: String
    /// Whether it comes before the input method and the view's own bindings. Without it both win over the command.
    public var wantsPriorityOverSystemBehavior: Bool
    /// Whether it also works while text is being composed; otherwise the input method gets the key then.
    public var isAllowedDuringComposition: Bool

    /// A command. `input` is a key's symbol or character, as UIKit's string is.
    public init(
        input: Keysym, modifierFlags: KeyModifiers = [], action: EditCommand, title: String = "",
        wantsPriorityOverSystemBehavior: Bool = false, isAllowedDuringComposition: Bool = false
    ) {
        self.init(
            KeyStroke(input, modifierFlags), action: action, title: title,
            wantsPriorityOverSystemBehavior: wantsPriorityOverSystemBehavior,
            isAllowedDuringComposition: isAllowedDuringComposition)
    }

    /// A command of a key that has been named otherwise, for example by ``KeyBindingTable/strokes(for:)``.
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
