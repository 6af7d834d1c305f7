public import InkstoneBase

/// A key command of a responder: a shortcut that belongs to an object, not to the text. The counterpart of Apple's
/// `UIKeyCommand`.
public struct KeyCommand: Hashable, Sendable {
    /// The key with its modifiers.
    public var stroke: KeyStroke
    /// The command. It is sent to the responder that has declared the shortcut, and then up the responder chain.
    public var action: EditCommand
    /// The title in menus.
    public var title: String
    /// Whether the key command takes precedence over the input method and the view's own bindings. If not, they
    /// take precedence over the key command.
    public var wantsPriorityOverSystemBehavior: Bool
    /// Whether the key command also works during a composition. If not, the input method gets the key during a
    /// composition.
    public var isAllowedDuringComposition: Bool

    /// Creates a key command. `input` is the keysym of a key or character, in place of the string in UIKit.
    public init(
        input: Keysym, modifierFlags: KeyModifiers = [], action: EditCommand, title: String = "",
        wantsPriorityOverSystemBehavior: Bool = false, isAllowedDuringComposition: Bool = false
    ) {
        self.init(
            KeyStroke(input, modifierFlags), action: action, title: title,
            wantsPriorityOverSystemBehavior: wantsPriorityOverSystemBehavior,
            isAllowedDuringComposition: isAllowedDuringComposition)
    }

    /// Creates a key command from a stroke, such as one of ``KeyBindingTable/strokes(for:)``.
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
