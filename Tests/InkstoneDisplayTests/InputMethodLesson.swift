import DisplayTestSupport
import Glibc

/// The keys that a user types with one engine, and the expected texts. Keys are written as the characters that they
/// type, with `⏎`, `←`, `⌫`, `⎋` and `⑨` (F9).
struct InputMethodLesson: Sendable {
    /// Keys that begin a composition.
    let composing: String
    /// The text that the engine commits by itself during ``composing``.
    var finished = ""
    /// The possible preedits after ``composing``; the first is what the engine shows without an earlier history.
    let composed: [String]
    /// The keys that commit the preedit unchanged.
    let ending: String
    /// The possible committed texts after ``ending``.
    let texts: [String]
    /// The keys that ask for other candidates, and those that choose one; nil for an engine without candidates.
    var converting: (asking: String, taking: String)?
    /// Keys that edit inside the preedit and then commit it.
    let editing: String
    /// The possible texts after ``editing``.
    let edited: [String]
    /// The keys of a short composition with its end, and its texts, for a second position.
    let short: (keys: String, texts: [String])

    static func of(_ method: RealInputMethod) -> InputMethodLesson {
        switch method.engine {
        case .anthy, .mozc:
            InputMethodLesson(
                composing: "nihongo", composed: ["にほんご"], ending: "⏎", texts: ["にほんご"], converting: (" ", "⏎"),
                editing: "←←ka⏎", edited: ["にほかんご"], short: ("a⏎", ["あ"]))
        case .pinyin:
            InputMethodLesson(
                composing: "nihao", composed: ["ni hao", "nihao", "你好"], ending: " ", texts: ["你好"],
                converting: ("", "2"), editing: "⌫⌫ao ", edited: ["你好"], short: ("ni ", ["你", "尼", "泥"]))
        case .hangul:
            InputMethodLesson(
                composing: "gksrmf", finished: "한", composed: ["글"], ending: " ", texts: ["한글 "],
                converting: ("⑨", "1"), editing: "⌫ ", edited: ["한그 "], short: ("rk ", ["가 "]))
        case .latex:
            InputMethodLesson(
                composing: "\\alpha", composed: ["\\alpha", "α"], ending: " ", texts: ["α"],
                editing: "⌫⌫ha ", edited: ["α"], short: ("\\beta ", ["β"]))
        case .telex:
            InputMethodLesson(
                composing: "tieengs", composed: ["tiếng"], ending: " ", texts: ["tiếng "], editing: "⌫m ",
                edited: ["tiếnm "], short: ("aa ", ["â "]))
        }
    }
}

extension XProbe {
    /// Presses keys in the notation of ``InputMethodLesson``, with a pause between them.
    func strike(_ keys: String, pause milliseconds: Int) {
        for character in keys {
            switch character {
            case "⏎": strike(.enter, after: milliseconds)
            case "←": strike(.left, after: milliseconds)
            case "⌫": strike(.backspace, after: milliseconds)
            case "⎋": strike(.escape, after: milliseconds)
            case "⑨": strike(TestKey(75), after: milliseconds)
            default: type(String(character), pause: milliseconds)
            }
        }
        sync()
    }
}
