import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

/// Keys typed with one input method, and the text expected in the saved file.
struct TypedText: CustomStringConvertible, Sendable {
    let method: RealInputMethod
    let keys: String
    /// The text that results from the keys.
    let result: String
    /// The pause between keys, in milliseconds.
    let pause: Int

    var description: String { "\(method), \(pause) ms, \(keys.debugDescription)" }

    static func all(pauses: [Int]) -> [TypedText] {
        RealInputMethod.all.flatMap { method in
            pauses.flatMap { pause in
                switch method.engine {
                case .anthy:
                    [
                        TypedText(method: method, keys: "nihongo\n", result: "にほんご", pause: pause),
                        TypedText(method: method, keys: "nihongo \n", result: "日本語", pause: pause),
                    ]
                case .pinyin:
                    [TypedText(method: method, keys: "nihao ", result: "你好", pause: pause)]
                case .hangul:
                    // A vowel takes the last consonant of the syllable before: 한 + ㅏ becomes 하나.
                    [TypedText(method: method, keys: "gksk gksrmf ", result: "하나 한글 ", pause: pause)]
                case .mozc, .latex, .telex:
                    // The matrix of JourneyInputMethods tests these engines.
                    [] as [TypedText]
                }
            }
        }
    }
}

extension DisplayTests {
    /// Real input methods used through the keyboard; the saved file is checked.
    @Suite struct JourneyTyping {
        @Test(arguments: TypedText.all(pauses: [0, 10, 60]))
        func typedTextIsInTheFile(_ typed: TypedText) throws {
            let (session, _) = try typed.method.borrow()
            defer { session.giveBack() }
            let editor = try EditorProcess(in: session, text: "first\nsecond\n", options: ["--goto", "2:4"])
            try editor.waitForInputMethod(typed.method)
            session.probe.type(String(typed.keys.dropLast()), pause: typed.pause)
            if typed.keys.hasSuffix(" \n"), typed.method.onTheSpot {
                // A Return that arrives together with the conversion overtakes it in ibus 1.5.27, which then
                // commits nothing.
                try waitUntil("the conversion", instead: { editor.report() }) { editor.markedTarget != nil }
            } else if typed.pause == 60, typed.method.onTheSpot {
                try waitUntil("a composition in place", instead: { editor.report() }) { editor.markedText != nil }
            }
            session.probe.type(String(typed.keys.suffix(1)))
            try editor.waitForInsertedText([typed.result])
            try editor.save(expecting: "first\nsec\(typed.result)ond\n")
            #expect(editor.calls("insertText").count >= 1)
        }

        @Test(arguments: [RealInputMethod(.ibus, .anthy), RealInputMethod(.fcitx5, .anthy)])
        func theChosenCandidateIsInserted(_ method: RealInputMethod) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(method)
            session.probe.type("nihongo", pause: 10)
            try editor.waitForMarkedText("にほんご")
            // Space steps through the candidates, whose order depends on the engine.
            var tries = 0
            while editor.markedText != "日本語" {
                let known = editor.calls("setMarkedText").count
                tries += 1
                try #require(tries < 12, "日本語 is among the candidates")
                session.probe.strike(.space)
                try editor.waitForCall("setMarkedText", after: known)
            }
            session.probe.strike(.enter)
            // Wait for the commit first: saving does not require it, and would write the marked text too.
            try editor.waitForInsertedText(["日本語"])
            try editor.save(expecting: "日本語")
            #expect(editor.markedText == nil)
        }

        @Test func aCompositionIsUndoneInOneStep() throws {
            let method = RealInputMethod(.ibus, .anthy)
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let editor = try EditorProcess(in: session, text: "ab")
            try editor.waitForInputMethod(method)
            session.probe.type("nihongo\n", pause: 10)
            try editor.waitForInsertedText(["にほんご"])
            try editor.save(expecting: "にほんごab")
            session.probe.control("z")
            try editor.save(expecting: "ab")
            session.probe.control("z", shift: true)
            try editor.save(expecting: "にほんごab")
        }
    }
}
