import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Edits by the user inside links whose text is their address.
@Suite(.timeLimit(.minutes(5))) struct AddressEditingTests {
    /// Creates a text in which some words are a link.
    private func scene(_ notation: String, _ words: String, _ destination: String) -> EditingScene {
        let scene = EditingScene(notation)
        scene.options.acceptsStyles = true
        let whole = scene.store.text.string(in: scene.store.text.utf16Range)
        if let found = whole.ranges(of: words).first {
            let start = UTF16Offset(whole[..<found.lowerBound].utf16.count)
            scene.store.restyle {
                $0.set(destination, of: LinkAttribute.self, in: start..<start + words.utf16.count)
            }
        }
        return scene
    }

    /// Returns the links of the text in order, each as its text and its destination.
    private func links(_ scene: EditingScene) -> [[String]] {
        let text = scene.store.styledText
        var result: [[String]] = []
        for run in text.attributes(in: text.rope.utf16Range) {
            guard let link = run.attributes[LinkAttribute.self] else { continue }
            result.append([text.rope.string(in: run.range), link])
        }
        return result
    }

    struct Edit: Sendable {
        var before: String
        var words: String
        /// The beginning of the destination, which the words continue.
        var prefix = ""
        var typed: String?
        var after: String
        var follows = true
    }

    @Test(
        "The destination follows the text",
        arguments: [
            Edit(before: "See http://a.orgg| now", words: "http://a.orgg", after: "http://a.org"),
            Edit(before: "See http://a.ogg[g|] now", words: "http://a.oggg", after: "http://a.ogg"),
            Edit(before: "http://exmp|le.org", words: "http://exmple.org", typed: "x", after: "http://exmpxle.org"),
            Edit(before: "h[tt|]p://a.org", words: "http://a.org", typed: "ttttt", after: "htttttp://a.org"),
            Edit(before: "me@exmpl|e.org", words: "me@exmple.org", prefix: "mailto:", after: "me@exmpe.org"),
            Edit(before: "www.xx|.org", words: "www.xx.org", prefix: "http://", after: "www.x.org"),
            Edit(before: "a.org/olld|", words: "a.org/olld", prefix: "https://", after: "a.org/oll"),
            Edit(before: "http://a.|b.|c.|org", words: "http://a.b.c.org", after: "http://abcorg"),
            Edit(before: "http://a.o[rg and|] more", words: "http://a.org", after: "http://a.o"),
            Edit(
                before: "http://a.b|c", words: "http://a.bc", typed: " ", after: "http://a.b c", follows: false),
            Edit(before: "me@|a.org", words: "me@a.org", prefix: "mailto:", after: "mea.org"),
        ])
    func following(_ edit: Edit) {
        let scene = scene(edit.before, edit.words, edit.prefix + edit.words)
        if let typed = edit.typed {
            scene.make(scene.state.inserting(typed))
        } else {
            scene.perform(.deleteBackward)
        }
        #expect(links(scene) == [[edit.after, edit.prefix + (edit.follows ? edit.after : edit.words)]])
        scene.store.undo(in: scene.state.view)
        #expect(links(scene) == [[edit.words, edit.prefix + edit.words]])
        scene.store.redo(in: scene.state.view)
        #expect(links(scene) == [[edit.after, edit.prefix + (edit.follows ? edit.after : edit.words)]])
    }

    @Test("A link with words of its own keeps its destination")
    func otherWords() {
        let scene = scene("see the pa|ge", "the page", "http://a.org")
        scene.perform(.deleteBackward)
        #expect(links(scene) == [["the pge", "http://a.org"]])
    }

    @Test("An address that is cut in two by a line end keeps its destination")
    func cut() {
        let scene = scene("http://a.b|c", "http://a.bc", "http://a.bc")
        scene.make(scene.state.inserting("\n", origin: .newline))
        #expect(links(scene).allSatisfy { $0[1] == "http://a.bc" } && !links(scene).isEmpty)
        scene.perform(.deleteBackward)
        #expect(links(scene) == [["http://a.bc", "http://a.bc"]])
    }

    struct Correction: Sendable, CustomTestStringConvertible {
        var before: String
        /// The number of times that Backspace is pressed first.
        var deleted = 0
        var typed: String
        var links: [[String]]
        var testDescription: String { "\(before) \(deleted) \(typed)" }
    }

    @Test(
        "A part of an address that is typed anew belongs to the link",
        arguments: [
            Correction(
                before: "See [https://|]example.org now", typed: "http://", links: [["http://example.org"]]),
            Correction(
                before: "See https://|example.org now", deleted: 8, typed: "http://", links: [["http://example.org"]]),
            Correction(
                before: "See https|://example.org now", deleted: 5, typed: "ftp", links: [["ftp://example.org"]]),
            Correction(
                before: "See https://example.og| now", deleted: 1, typed: "rg", links: [["https://example.org"]]),
            Correction(
                before: "See https://example.og| now", deleted: 1, typed: "rg. And", links: [["https://example.org"]]),
            Correction(before: "https://[example.org|] now", typed: "other.net", links: [["https://other.net"]]),
            Correction(before: "https://example.org| now", deleted: 11, typed: "b.c", links: [["https://b.c"]]),
            Correction(before: "https|://example.org now", deleted: 5, typed: "", links: []),
            Correction(before: "https://[example.org|] now", typed: " x", links: []),
            Correction(before: "https://example.[org|] now", typed: "a b", links: [["https://example.a"]]),
        ])
    func retypingAPart(_ test: Correction) {
        let words = test.before.filter { !"[|]".contains($0) }.split(separator: " ").first { $0.contains("://") }
        let address = String(words ?? "")
        let scene = scene(test.before, address, address)
        for _ in 0..<test.deleted { scene.perform(.deleteBackward) }
        for letter in test.typed { scene.make(scene.state.inserting(String(letter))) }
        #expect(links(scene) == test.links.map { [$0[0], $0[0]] }, "\(scene.notation)")
    }

    @Test("A link that is pasted at the end of an address keeps its destination")
    func pastingALink() {
        let scene = scene("http://example.[org|] now", "http://example.org", "http://example.org")
        var pasted = StyledText(Rope("docs"))
        pasted.restyle { $0.set("http://x", of: LinkAttribute.self, in: 0..<4) }
        scene.make(scene.state.pasting(CopiedText(pasted)))
        #expect(links(scene).map { $0.last } == ["http://example.org", "http://x"], "\(scene.notation)")
    }

    @Test("Text at the end of an address is no part of it once the caret has moved")
    func typingAfterAMove() {
        let scene = scene("See http://a.orgg| now", "http://a.orgg", "http://a.orgg")
        scene.perform(.deleteBackward, .moveLeft, .moveRight)
        scene.make(scene.state.inserting("x"))
        #expect(links(scene) == [["http://a.org", "http://a.org"]])
    }

    @Test("Composed text in place of the end of an address belongs to the link")
    func composingTheEnd() {
        let scene = scene("http://例.題|", "http://例.題", "http://例.題")
        scene.perform(.deleteBackward)
        scene.make(scene.state.beginningComposition())
        for text in ["b", "び"] {
            scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
        }
        scene.make(scene.state.inserting("美", over: .composed))
        #expect(links(scene) == [["http://例.美", "http://例.美"]])
    }

    @Test("Text typed in place of a deleted address is no link to it")
    func retypingTheWhole() {
        let scene = scene("See [http://a.org|] now", "http://a.org", "http://a.org")
        scene.perform(.deleteBackward)
        scene.make(scene.state.inserting("x"))
        #expect(scene.notation == "See x| now" && links(scene).isEmpty)
    }

    @Test("Composed text in an address changes the destination")
    func composing() {
        let scene = scene("http://例|.org", "http://例.org", "http://例.org")
        for text in ["t", "て", "てst"] {
            scene.make(scene.state.marking(InputText(text), over: .composed, selected: .notFound))
        }
        scene.make(scene.state.inserting("題", over: .composed))
        #expect(links(scene) == [["http://例題.org", "http://例題.org"]])
    }

    @Test("An address that typing has made a link can be corrected")
    func typedLink() {
        let session = EditingSession(TextStore())
        session.options.makesLinks = true
        session.options.acceptsStyles = true
        for letter in "https://exmple.org ok" { session.insert(String(letter)) }
        session.select(Selection(caret: 10))
        session.insert("a")
        let run = session.store.styledText.run(of: LinkAttribute.self, at: 3)
        #expect(run?.value == "https://example.org" && run?.range == 0..<19)
    }
}
