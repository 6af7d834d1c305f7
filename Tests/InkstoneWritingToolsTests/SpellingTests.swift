import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import Synchronization
import Testing

@testable import InkstoneWritingTools

/// Words, dictionaries and marks. Personal words go to a directory of the test's own.
@Suite(.timeLimit(.minutes(5)), .serialized) struct SpellingTests {
    /// The tags of the dictionaries that these tests need; empty, with a word about it, on a machine without them.
    private static let tags: [String] = {
        var name = Array("/tmp/inkstone-enchant-XXXXXX".utf8CString)
        if mkdtemp(&name) != nil { setenv("ENCHANT_CONFIG_DIR", name, 1) }
        let found = wait { SpellingEngine.shared.resolve(["en_US", "de_DE.UTF-8"], then: $0) }
        if found.count == 2 { return found }
        if getenv("CI") != nil { Issue.record("no dictionaries: scripts/setup --tests installs them") }
        print("SPELLING NOT TESTED: hunspell-en-us or hunspell-de-de is missing; scripts/setup --tests installs them")
        return []
    }()

    private static func wait<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
        let (answer, signal) = (Answer<Value>(), Signal())
        ask {
            answer.set($0)
            signal.signal()
        }
        signal.wait()
        return answer.value
    }

    private final class Answer<Value: Sendable>: Sendable {
        private let stored = Mutex<Value?>(nil)

        func set(_ value: Value) { stored.withLock { $0 = value } }

        var value: Value { stored.withLock { $0 }! }
    }

    private final class Signal: @unchecked Sendable {
        // A semaphore may be used on any thread.
        private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() { sem_init(semaphore, 0, 0) }

        func signal() { sem_post(semaphore) }

        func wait() { while sem_wait(semaphore) != 0 {} }
    }

    private func wrong(_ text: String, in tags: [String] = Self.tags) -> [String] {
        let words = SpellingWords.words(in: Array(text.utf16)).map(\.word)
        let verdicts = Self.wait { SpellingEngine.shared.check(words, in: tags, then: $0) }
        return zip(words, verdicts).filter { !$1 }.map(\.0.text)
    }

    /// RT 63: an attachment is left out.
    @Test func wordsAreFoundAndWhatIsNoneIsLeftOut() {
        func words(_ text: String) -> [String] { SpellingWords.words(in: Array(text.utf16)).map(\.word.text) }
        #expect(words("I don't, she doesn’t") == ["don't", "she", "doesn’t"])
        #expect(words("x86 HTML5 NATO UNICODE foo_bar e.g. a") == ["UNICODE"])
        #expect(
            words("see http://teh.example/ab and me@teh.org or /usr/teh ~/teh and/or") == [
                "see", "and", "or", "and", "or",
            ])
        #expect(words("日本語 かな \u{fffc}word") == ["word"])
        #expect(words("co\u{ad}operate") == ["cooperate"])
        let compound = SpellingWords.words(in: Array("a well-known one".utf16)).map(\.word.compound)
        #expect(compound == ["well-known", "well-known", nil])
    }

    @Test func aChainOfWordsIsGoneThroughOnce() {
        let words = SpellingWords.words(in: Array(String(repeating: "ab-", count: 50_000).utf16))
        #expect(words.count == 50_000 && words.allSatisfy { $0.word.compound == nil })
        let seven = SpellingWords.words(in: Array((0..<8).map { _ in "ab" }.joined(separator: "-").utf16))
        #expect(seven.allSatisfy { $0.word.compound?.count == 23 })
    }

    @Test func tagsComeFromLocales() {
        let tags = ["en_GB", "en_US", "de_DE", "de_AT", "fr"]
        #expect(SpellingEngine.tag(for: "en_US.UTF-8", in: tags) == "en_US")
        #expect(SpellingEngine.tag(for: "de-CH", in: tags) == "de_DE")
        #expect(SpellingEngine.tag(for: "fr_FR@euro", in: tags) == "fr")
        #expect(SpellingEngine.tag(for: "en", in: tags) == "en_US")
        for none in ["C", "C.UTF-8", "POSIX", "", "ja_JP"] { #expect(SpellingEngine.tag(for: none, in: tags) == nil) }
    }

    @Test func anyDictionaryThatFitsDecides() throws {
        guard !Self.tags.isEmpty else { return }
        #expect(wrong("The catt does not know die Straße und das Haus, teh").sorted() == ["catt", "teh"])
        #expect(wrong("Straße", in: ["en_US"]) == ["Straße"])
        #expect(wrong("naïve café don’t well-known Ph.D. etc. Привет ελληνικά", in: ["en_US"]) == [])
        #expect(wrong("schön schon", in: ["de_DE"]) == [])
    }

    @Test func suggestionsAreFew() throws {
        guard !Self.tags.isEmpty else { return }
        let found = Self.wait { SpellingEngine.shared.suggestions(for: "mispelled", in: Self.tags, then: $0) }
        #expect(try #require(found).contains("misspelled") && (found?.count ?? 0) <= 5)
        let long = String(repeating: "a", count: 65)
        #expect(Self.wait { SpellingEngine.shared.suggestions(for: long, in: Self.tags, then: $0) } == [])
        #expect(Self.wait { SpellingEngine.shared.suggestions(for: "", in: Self.tags, then: $0) } == [])
    }

    /// A loop without a display: work is run in order.
    private final class Loop: @unchecked Sendable {
        // Posted work is the only thing that other threads touch.
        private let posted = Mutex<[@Sendable () -> Void]>([])
        private let signal = Signal()
        var scheduled: [() -> Void] = []

        func post(_ work: @escaping @Sendable () -> Void) {
            posted.withLock { $0.append(work) }
            signal.signal()
        }

        /// Waits for what is posted until a condition holds.
        func runOnce(until isDone: () -> Bool) {
            while !isDone() {
                signal.wait()
                for work in posted.withLock({
                    let all = $0; $0 = []; return all
                }) { work() }
            }
        }

        func run(_ checker: SpellingChecker) {
            while true {
                let work = scheduled
                scheduled = []
                for work in work { work() }
                guard scheduled.isEmpty else { continue }
                guard !checker.isIdle else { return }
                signal.wait()
                for work in posted.withLock({
                    let all = $0; $0 = []; return all
                }) { work() }
            }
        }
    }

    /// The ranges of which the host was notified.
    private final class Changes {
        var ranges: [Range<UTF16Offset>] = []
    }

    private struct Scene {
        let session: EditingSession
        let checker: SpellingChecker
        let loop = Loop()
        let changes = Changes()

        init(_ text: String, _ style: (inout Restyling) -> Void = { _ in }) {
            session = EditingSession(TextStore(Rope(text)))
            session.store.restyle { style(&$0) }
            session.select(Selection(caret: session.textRange.upperBound))
            let (session, loop, changes) = (session, loop, changes)
            checker = SpellingChecker(
                session, tags: SpellingTests.tags,
                host: .init(
                    schedule: { loop.scheduled.append($1) }, post: { loop.post($0) },
                    visibleRange: { session.store.text.utf16Range },
                    onChange: { range, _ in changes.ranges.append(range) }))
            loop.run(checker)
        }

        var marked: [String] {
            checker.marks(in: session.store.text.utf16Range).map { session.store.text.string(in: $0) }
        }

        func type(_ text: String) {
            for letter in text { session.insert(String(letter)) }
            loop.run(checker)
        }
    }

    /// Long texts are checked in parts, of which the ends may be within surrogate pairs.
    @Test(arguments: ["", "a", "ab"]) func noReportedRangeIsOutsideTheText(_ start: String) throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene(start + "xyzzyqa" + String(repeating: "\u{1f600}", count: 2100) + "wrold")
        let text = scene.session.store.text
        #expect(
            !scene.changes.ranges.isEmpty
                && scene.changes.ranges.allSatisfy { $0.upperBound <= text.utf16Range.upperBound })
    }

    @Test func marksComeWhenTheCaretLeavesTheWord() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("A catt here.\n")
        #expect(scene.marked == ["catt"])
        scene.session.select(Selection(caret: 13))
        scene.type("Teh teh")
        #expect(scene.marked == ["catt", "Teh"])
        scene.type(" ")
        #expect(scene.marked == ["catt", "Teh", "teh"])
        scene.session.select(Selection(caret: 0))
        scene.session.store.replace(UTF16Offset(2)..<6, with: "cat")
        scene.loop.run(scene.checker)
        #expect(scene.marked == ["Teh", "teh"])
        scene.session.undo()
        scene.loop.run(scene.checker)
        #expect(scene.marked == ["catt", "Teh", "teh"])
    }

    /// A word under the caret has no mark, but a query about it still reports the misspelling.
    @Test func aWordWithoutAMarkBecauseOfTheCaretIsAMisspelling() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("A catt here.\n")
        scene.type("rwong")
        #expect(scene.marked == ["catt"])
        #expect(
            (12...18).map { scene.checker.misspelling(at: $0) } == [nil] + [
                13..<18, 13..<18, 13..<18, 13..<18, 13..<18, 13..<18,
            ])
        #expect(scene.checker.misspelling(at: 3) == 2..<6 && scene.checker.misspelling(at: 9) == nil)
        scene.session.select(Selection(caret: 0))
        scene.loop.run(scene.checker)
        #expect(scene.marked == ["catt", "rwong"] && scene.checker.misspelling(at: 15) == 13..<18)
    }

    /// Suggestions that come late are there for who asks again.
    @Test func suggestionsAreKeptUntilAWordIsAccepted() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("A catt here.\n")
        #expect(scene.checker.knownSuggestions(for: "catt") == nil)
        let answer = Mutex<[String]??>(nil)
        scene.checker.suggestions(for: "catt") { found in answer.withLock { $0 = .some(found) } }
        scene.loop.runOnce { answer.withLock { $0 != nil } }
        let found = try #require(answer.withLock { $0 } ?? nil)
        #expect(found.contains("cat") && scene.checker.knownSuggestions(for: "catt") == found)
        #expect(scene.checker.knownSuggestions(for: "cat") == nil)
        scene.checker.ignore("heer")
        #expect(scene.checker.knownSuggestions(for: "catt") == nil, "words that are accepted now are suggested too")
    }

    /// With two languages, the first suggestions are not all of one.
    @Test func suggestionsAreOfAllDictionariesInTurn() throws {
        guard !Self.tags.isEmpty else { return }
        func found(_ tags: [String], _ limit: Int) throws -> [String] {
            try #require(
                Self.wait { SpellingEngine.shared.suggestions(for: "hautse", in: tags, limit: limit, then: $0) })
        }
        let firsts = try Self.tags.map { try #require(found([$0], 1).first) }
        #expect(Set(firsts).count == 2, "the dictionaries differ in this word")
        #expect(try found(Self.tags, 2) == firsts)
    }

    @Test func marksAreNoPartOfTheText() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("teh word\n")
        #expect(scene.marked == ["teh"] && !scene.session.store.canUndo && !scene.session.store.isModified)
        #expect(scene.session.store.styledText.runs == nil)
        scene.checker.end()
        #expect(scene.marked == [])
    }

    @Test func wordsOfLinksAreMarkedButNotThoseOfAddresses() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("teh lnik https://exampel.orgg\n") {
            $0.set("https://example.org", of: LinkAttribute.self, in: 4..<8)
            $0.set("https://exampel.orgg", of: LinkAttribute.self, in: 9..<29)
        }
        scene.loop.run(scene.checker)
        #expect(scene.marked == ["teh", "lnik"])
    }

    @Test func wordsOfCodeAreNotMarked() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("teh strncpyy <abbrr> clazz\nbetaa\nteh\n") {
            $0.set(.code, of: InlinePresentationIntentAttribute.self, in: 4..<12)
            $0.set(.inlineHTML, of: InlinePresentationIntentAttribute.self, in: 13..<20)
            let block = PresentationIntent(.codeBlock(languageHint: nil), identity: 1)
            $0.set(block, of: PresentationIntentAttribute.self, in: 27..<32)
        }
        #expect(scene.marked == ["teh", "clazz", "teh"])
    }

    @Test func addedAndIgnoredWordsCountAsRight() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene("Inkstoneword and Inkstonetext\n")
        #expect(scene.marked == ["Inkstoneword", "Inkstonetext"])
        scene.checker.ignore("Inkstoneword")
        scene.loop.run(scene.checker)
        #expect(scene.marked == ["Inkstonetext"])
        scene.checker.add("Inkstonetext")
        scene.loop.run(scene.checker)
        #expect(scene.marked == [])
    }

    @Test func aLongTextIsCheckedInSlices() throws {
        guard !Self.tags.isEmpty else { return }
        let scene = Scene(String(repeating: "some words and teh one. ", count: 2000))
        #expect(scene.checker.marks(in: scene.session.store.text.utf16Range).count == 2000)
    }
}
