import DisplayTestSupport

extension InputMethodLesson {
    /// The keys that may be typed plainly if the server says nothing about them: each suffix of
    /// ``InputMethodLesson/composing``.
    fileprivate var tails: [String] { (0...composing.count).map { String(composing.suffix($0)) } }
}

/// Something that a server cannot do over XIM: the exact behaviour instead, and the evidence for it.
///
/// A cell of the matrix gets a mark only through an entry here, and only if the final text was the one that the
/// entry predicts.
struct InputMethodLimit: Sendable {
    /// The mark shown in the matrix.
    let mark: String
    let behaviour: InputMethodBehaviour
    let evidence: String
    /// Returns the possible texts instead of the composition; nil if there is nothing to try.
    var instead: (@Sendable (InputMethodLesson) -> [String])?
    let applies: @Sendable (RealInputMethod) -> Bool

    static let all: [InputMethodLimit] = [
        InputMethodLimit(
            mark: "a", behaviour: .convert,
            evidence: "The engine has one candidate for what is typed and shows it: there is nothing to choose."
        ) { $0.engine == .telex || $0.engine == .latex },
        InputMethodLimit(
            mark: "b", behaviour: .cancel,
            evidence: "Hangul is finished text at any moment: Escape commits the syllable.",
            instead: { [$0.finished + $0.composed[0]] }
        ) { $0.engine == .hangul },
        InputMethodLimit(
            mark: "c", behaviour: .edit,
            evidence: "fcitx5-anthy 5.0.13 takes Left, draws the same again, caret at 0, and appends what is typed.",
            instead: { _ in ["にほんごか"] }
        ) { $0.framework == .fcitx5 && $0.engine == .anthy },
        InputMethodLimit(
            mark: "e", behaviour: .clickAway,
            evidence: "fcitx5 5.0.21 forgets what it draws itself when reset or unfocused: no client gets a commit.",
            instead: { [$0.finished] }
        ) { !$0.onTheSpot },
        InputMethodLimit(
            mark: "e", behaviour: .switchWindows, evidence: "The same.",
            instead: { lesson in lesson.short.texts.map { lesson.finished + $0 } }
        ) { !$0.onTheSpot },
        InputMethodLimit(
            mark: "d", behaviour: .kill,
            evidence:
                "Without callbacks the server draws the composition itself and does not report it: it goes with the server. Of its "
                + "keys those of the last half second come back as letters.",
            instead: { lesson in lesson.tails.map { lesson.finished + $0 + "xyz" } }
        ) { !$0.onTheSpot },
        InputMethodLimit(
            mark: "d", behaviour: .restart, evidence: "The same.",
            instead: { lesson in lesson.tails.flatMap { tail in lesson.short.texts.map { lesson.finished + tail + $0 } }
            }
        ) { !$0.onTheSpot },
    ]
}
