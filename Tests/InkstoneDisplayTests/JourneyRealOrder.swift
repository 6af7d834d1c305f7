import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Keys and pastes keep one order with real input methods, at the speed of a program that types.
    @Suite struct JourneyRealOrder {
        /// Returns random keys of the Korean keyboard (unshifted), and the syllables that they produce. Each
        /// syllable is a consonant and a vowel, and the next consonant ends it, so any key out of order changes the
        /// text.
        private static func syllables(_ count: Int, seed: UInt64) -> (keys: String, text: String) {
            let consonants = Array("rsefaqtdwczxvg")
            let first = Array("가나다라마바사아자차카타파하")
            // The vowels in Unicode order that an unshifted key types.
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
                // In Unicode, each vowel has 28 syllables of one initial consonant.
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
            // The space ends the last syllable.
            session.probe.type(typed.keys + " ")
            try waitUntil("all of it to be typed", within: 20_000, instead: { editor.report() }) {
                editor.calls("insertText").last?["text"]?.text?.hasSuffix(" ") == true
            }
            guard !hasLeft(editor) else { return false }
            try editor.save(expecting: typed.text + " ")

            // A paste requested between keys is inserted between them, however late its text arrives: the owner
            // sends it after the later keys were answered.
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
            // The save waits for the paste.
            try editor.save(expecting: typed.text + " 한[pasted]글 ", serving: owner)
            return true
        }

        /// The save keeps its position among the keys, although these are answered long after it.
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

        /// Runs a typing test again if the input method left or hung meanwhile: on a busy machine, ibus sometimes
        /// loses its bus connection under a thousand keys, and fcitx5 does not answer for seconds. Lost servers are
        /// tested elsewhere.
        private func whileItStays(_ method: RealInputMethod, _ type: () throws -> Bool) throws {
            for _ in 0..<3 where try type() { return }
            Issue.record("\(method) went away under a thousand keys, three times")
        }

        /// Whether the editor has lost its input method.
        private func hasLeft(_ editor: EditorProcess) -> Bool {
            let phases = editor.records("state").compactMap { $0["phase"]?.text }
            return phases.drop { $0 != "ready" }.contains { $0 != "ready" }
        }
    }
}
