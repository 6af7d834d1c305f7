import CX11
import InkstoneBase

/// Dead keys and compose sequences without an input method. Keysyms are converted to text according to the locale's
/// compose file.
///
/// The compose file is read at the first key that can begin a sequence, which waits for it for a limited time. If the
/// file does not arrive in time, keys are plain until it has arrived.
package final class ComposeState {
    /// The effect of a key on the compose sequence.
    package enum Result: Hashable, Sendable {
        /// The key is not part of a sequence.
        case plain
        /// A sequence has begun or continues; `pending` shows its keys so far.
        case composing(pending: String)
        /// A sequence is complete: the text to insert, and its keysym (0 if none).
        case composed(String, Keysym)
        /// The key does not continue the sequence, which has ended. Whether its characters and the key are used is up
        /// to the caller; X drops them.
        case cancelled
    }

    /// The text that is shown for one key of a compose sequence.
    package struct Symbol: Hashable, Sendable {
        /// The text to show for the key; never empty.
        package var text: String
        /// Whether the key stands for this text. False for the dot that is shown for a key without a character,
        /// such as the compose key.
        package var isTyped: Bool
    }

    /// The symbols of the current sequence, one for each key; empty without a sequence. They are shown as marked
    /// text.
    package private(set) var pending: [Symbol] = []
    /// The text of all symbols in ``pending``.
    package var pendingText: String { pending.map(\.text).joined() }
    /// The text of the symbols in ``pending`` that stand for characters.
    package var typedText: String { pending.filter(\.isTyped).map(\.text).joined() }
    /// Whether a compose sequence has begun and is not complete.
    package var isComposing: Bool { !pending.isEmpty }

    private let table: ComposeTable
    private var state: OpaquePointer?

    /// Creates a state for the compose file of a locale such as `en_US.UTF-8`.
    package init(locale: String, files: ComposeFiles = .shared) { table = ComposeTable(locale: locale, files: files) }

    deinit { xkb_compose_state_unref(state) }

    /// Handles the keysym of a key press, and returns its effect.
    package func feed(_ keysym: Keysym) -> Result {
        if state == nil, let table = table.table(forDeadKey: Self.isDead(keysym)) {
            state = xkb_compose_state_new(table, XKB_COMPOSE_STATE_NO_FLAGS)
        }
        guard let state, xkb_compose_state_feed(state, keysym.rawValue) == XKB_COMPOSE_FEED_ACCEPTED else {
            return isComposing ? .composing(pending: pendingText) : .plain
        }
        switch xkb_compose_state_get_status(state) {
        case XKB_COMPOSE_COMPOSING:
            pending.append(Self.symbol(for: keysym))
            return .composing(pending: pendingText)
        case XKB_COMPOSE_COMPOSED:
            let text = composedText(state)
            let symbol = Keysym(rawValue: xkb_compose_state_get_one_sym(state))
            reset()
            return .composed(text, symbol)
        case XKB_COMPOSE_CANCELLED:
            reset()
            return .cancelled
        default:
            return .plain
        }
    }

    /// Drops an unfinished compose sequence.
    package func reset() {
        pending = []
        if let state { xkb_compose_state_reset(state) }
    }

    private func composedText(_ state: OpaquePointer) -> String {
        let length = Int(xkb_compose_state_get_utf8(state, nil, 0))
        guard length > 0 else { return "" }
        var buffer = [CChar](repeating: 0, count: length + 1)
        xkb_compose_state_get_utf8(state, &buffer, buffer.count)
        return String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a key is a dead key or the compose key.
    private static func isDead(_ keysym: Keysym) -> Bool {
        (0xfe50...0xfe93).contains(keysym.rawValue) || keysym.rawValue == 0xff20
    }

    private static func symbol(for keysym: Keysym) -> Symbol {
        let text = accents[keysym.rawValue] ?? Keyboard.characters(for: keysym)
        return text.isEmpty ? Symbol(text: "·", isTyped: false) : Symbol(text: text, isTyped: true)
    }

    /// The characters that show dead keys in an incomplete sequence, by keysym.
    private static let accents: [UInt32: String] = [
        0xfe50: "`", 0xfe51: "´", 0xfe52: "^", 0xfe53: "~", 0xfe54: "¯", 0xfe55: "˘", 0xfe56: "˙", 0xfe57: "¨",
        0xfe58: "˚", 0xfe59: "˝", 0xfe5a: "ˇ", 0xfe5b: "¸", 0xfe5c: "˛", 0xfe5d: "ͺ", 0xfe5e: "゛", 0xfe5f: "゜",
        0xfe60: ".", 0xfe61: "\u{309}", 0xfe62: "\u{31b}", 0xfe63: "/", 0xfe64: "᾿", 0xfe65: "῾", 0xfe66: "ᴝ",
        0xfe67: "˷", 0xfe68: "ˍ", 0xfe69: "ˬ", 0xfe6a: "\u{32d}", 0xfe6b: "\u{32e}", 0xfe6c: "\u{330}",
        0xfe6d: "\u{324}", 0xfe6e: ",", 0xfe6f: "¤", 0xfe8c: "µ",
    ]
}
