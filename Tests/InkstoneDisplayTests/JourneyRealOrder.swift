import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// One order for keys and pastes with real input methods, at the speed of a program that types.
    @Suite struct JourneyRealOrder {
        /// Keys of the plain Korean keyboard and the syllables that they come to, in random order: each syllable is a consonant and
        /// a vowel, and the next one's consonant ends it, so that a key out of its place changes the text.
        private static func syllables(_ count: Int, seed: UInt64) -> (keys: String, text: String) {
            let consonants = Array("rsefaqtdwczxvg")
            let first = Array("가나다라마바사아자차카타파하")
            // The vowels in the order of Unicode, as far as one plain key types them.
            let vowels: [(key: Character, index: UInt32)] = [
                ("k", 0), ("o", 1), ("i", 2), ("j", 4), ("p", 5), ("u", 6), ("h", 8), ("y", 12), ("n", 13), ("b", 17),
                ("m", 18), ("l", 20),
            ]
            var random = SeededGenerator(seed: seed)
            var keys = ""
            var text = ""
            for _ in 0..<count {
                let consonant = Int.random(in: 0..<consonants.count, using: &random)
                let vowel = vowels[Int.random(in: 0..<vowels.count, using: &random)]
                keys += [consonants[consonant], vowel.key]
                // Syllables of one consonant follow each other, 28 for each vowel.
                let scalar = first[consonant].unicodeScalars.first.flatMap {
                    Unicode.Scalar($0.value + vowel.index * 28)
                }
                if let scalar { text.unicodeScalars.append(scalar) }
            }
            return (keys, text)
        }

        @Test(arguments: [RealInputMethod(.ibus, .hangul), RealInputMethod(.fcitx5, .hangul)])
        func aThousandFastKeysAndAPasteKeepTheirOrder(_ method: RealInputMethod) throws {
            try whileItStays(method) { try typeAndPaste(method) }
        }

        private func typeAndPaste(_ method: RealInputMethod) throws -> Bool {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(method)
            _ = try editor.waitForCaret()
            let typed = Self.syllables(500, seed: 7)
            #expect(typed.keys.count == 1000 && typed.text.count == 500)
            // The space ends the last one.
            session.probe.type(typed.keys + " ")
            try waitUntil("all of it to be typed", within: 20_000, instead: { editor.report() }) {
                editor.calls("insertText").last?["text"]?.text?.hasSuffix(" ") == true
            }
            guard !hasLeft(editor) else { return false }
            try editor.save(expecting: typed.text + " ")

            // A paste that is asked for between keys lands between them, however late its text comes: its owner hands it out
            // when the keys behind it have come back.
            let owner = try XProbe(display: session.server.display)
            defer { owner.close() }
            owner.ownClipboard("[pasted]")
            let known = editor.records("im").count
            session.probe.type("gks")
            session.probe.control("v")
            session.probe.type("rmf ")
            try waitUntil("the last key to come back", instead: { editor.report() }) {
                editor.records("im").dropFirst(known).contains {
                    $0["event"]?.text == "key" && $0["characters"]?.text == " " && $0["phase"]?.text == "down"
                }
            }
            // A save waits for it.
            try editor.save(expecting: typed.text + " 한[pasted]글 ", serving: owner)
            return true
        }

        /// The command stands between its keys although they are answered long after it.
        @Test(arguments: [RealInputMethod(.ibus, .hangul), RealInputMethod(.fcitx5, .hangul)])
        func savingAmongAThousandFastKeysKeepsTheirOrder(_ method: RealInputMethod) throws {
            try whileItStays(method) { try typeAndSave(method) }
        }

        private func typeAndSave(_ method: RealInputMethod) throws -> Bool {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod(method)
            _ = try editor.waitForCaret()
            let typed = Self.syllables(500, seed: 9)
            session.probe.type(String(typed.keys.prefix(500)))
            session.probe.control("s")
            session.probe.type(typed.keys.dropFirst(500) + " ")
            try waitUntil("all of it to be typed", within: 20_000, instead: { editor.report() }) {
                editor.calls("insertText").last?["text"]?.text?.hasSuffix(" ") == true
            }
            guard !hasLeft(editor) else { return false }
            try editor.save(expecting: typed.text + " ")
            return true
        }

        // MARK: Methods that leave

        /// Does what types with a method, again if that left or hung in the middle: on a busy machine ibus at times leaves its bus under a
        /// thousand keys, and fcitx5 answers nothing for seconds. What becomes of the keys then is another matter than their order.
        private func whileItStays(_ method: RealInputMethod, _ type: () throws -> Bool) throws {
            for _ in 0..<3 where try type() { return }
            Issue.record("\(method) went away under a thousand keys, three times")
        }

        /// Whether the editor has lost the method that it had.
        private func hasLeft(_ editor: EditorProcess) -> Bool {
            let phases = editor.records("state").compactMap { $0["phase"]?.text }
            return phases.drop { $0 != "ready" }.contains { $0 != "ready" }
        }
    }
}
