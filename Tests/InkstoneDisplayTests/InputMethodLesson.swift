import DisplayTestSupport
import Glibc

/// What a person types with one engine, and what comes of it. Keys are written as the characters that they type, with `⏎`, `←`,
/// `⌫`, `⎋` and `⑨` (F9).
struct InputMethodLesson: Sendable {
    /// Keys that compose something.
    let composing: String
    /// What of it is finished text before anything ends it.
    var finished = ""
    /// What is composed then; the first is what the engine shows if it is let alone.
    let composed: [String]
    /// Ends it as it stands.
    let ending: String
    /// What stands then, in place of all.
    let texts: [String]
    /// Asks for other candidates, and takes one; nil for an engine that has none.
    var converting: (asking: String, taking: String)?
    /// Changes what `composing` made, inside it, and ends it.
    let editing: String
    /// What stands after that.
    let edited: [String]
    /// A short composition with its end, for a second place.
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
    /// Strikes keys in the notation of ``InputMethodLesson``, with this much time from one to the next.
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
