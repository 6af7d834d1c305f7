/// The input features that a view supports, and the reason for each missing one. Without this report, a partial
/// implementation of the protocols would fail silently.
public struct TextInputCapabilities: Hashable, Sendable {
    /// A feature that a text view may support.
    public enum Feature: String, Hashable, Sendable, CaseIterable {
        /// Keys type text.
        case keyInput
        /// Chinese, Japanese, Korean and other text is composed inline.
        case inputMethod
        /// Late answers of an input method are applied at the position where their keys were typed.
        case lateAnswers
        /// Text has positions, which gestures, selection display and keyboards in other processes need.
        case positions
        /// The view can have the focus.
        case focus
        /// Key commands and menu items are validated.
        case commands
    }

    /// The missing features, each with the reason and the remedy.
    public let missing: [Feature: String]

    /// Returns whether the view supports a feature. If not, ``missing`` has the reason.
    public func supports(_ feature: Feature) -> Bool { missing[feature] == nil }

    /// Creates the report of a view's features, from the protocols that the view adopts and from its present state.
    public init(of view: AnyObject) {
        var missing: [Feature: String] = [:]
        if !(view is any KeyInput) { missing[.keyInput] = "It does not adopt KeyInput: no key can type into it." }
        if !(view is any TextInput) {
            missing[.positions] =
                "It does not adopt TextInput: selections, gestures and on-screen keyboards cannot see its text."
        }
        if !(view is any TextInputClient) {
            missing[.inputMethod] = "It does not adopt TextInputClient: input methods stay off in it."
        } else if let input = view as? any TextInput, input.isSecureTextEntry {
            missing[.inputMethod] = "It is secure: input methods stay off so that they do not learn its text."
        } else if let input = view as? any TextInput, !input.isEditable {
            missing[.inputMethod] = "It is read-only: input methods stay off."
        }
        if !(view is any AnchoredTextInput) {
            missing[.lateAnswers] =
                "It does not adopt AnchoredTextInput: what an input method answers after a click goes to the caret."
        }
        if let responder = view as? any Responder {
            if !responder.canBecomeFirstResponder {
                missing[.focus] = "canBecomeFirstResponder is false, its default: it never gets the focus, so no keys."
            }
        } else {
            missing[.focus] = "It does not adopt Responder: a focus system cannot give it the focus."
            missing[.commands] = "It does not adopt Responder: commands cannot be refused or passed on."
        }
        self.missing = missing
    }
}
