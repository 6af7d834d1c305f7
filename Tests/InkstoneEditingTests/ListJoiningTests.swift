import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

/// Lists that become neighbours. Covers RT 40 of the checklist for rich text.
@Suite(.timeLimit(.minutes(5))) struct ListJoiningTests {
    private static let lists: [Character: TextList] = [
        "A": TextList(.decimal, id: .init(1), startingNumber: 4), "B": TextList(.decimal, id: .init(2)),
        "C": TextList(.decimal, id: .init(3)), "K": TextList(.disc, id: .init(4)), "L": TextList(.disc, id: .init(5)),
        "T": TextList(.checkbox, id: .init(6)), "P": TextList(.decimal, id: .init(7), suffix: ")"),
    ]

    /// Creates a text of paragraphs, each with the letters of its lists before its text.
    private func scene(_ notation: String, makesBlocks: Bool = true) -> EditingScene {
        let paragraphs = notation.split(separator: "/", omittingEmptySubsequences: false)
        func isList(_ letter: Character) -> Bool { Self.lists[letter] != nil }
        let scene = EditingScene(paragraphs.map { $0.drop(while: isList) }.joined(separator: "\n"))
        scene.options.acceptsStyles = true
        (scene.options.makesLists, scene.options.makesBlocks) = (makesBlocks, makesBlocks)
        scene.store.restyle {
            for (index, paragraph) in paragraphs.enumerated() {
                let lists = paragraph.prefix(while: isList).compactMap { Self.lists[$0] }
                guard !lists.isEmpty else { continue }
                $0.set(
                    ListItem(lists), of: ListAttribute.self, in: scene.store.text.utf16Range(of: ParagraphIndex(index)))
            }
        }
        return scene
    }

    private func shown(_ scene: EditingScene) -> String {
        scene.notation.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, paragraph in
            let start = scene.store.text.utf16Range(of: ParagraphIndex(index)).lowerBound
            let item = start < scene.store.text.utf16Range.upperBound ? scene.state.listItem(at: start) : nil
            let letters = (item?.lists ?? []).map { list in
                Self.lists.first { $0.value.id == list.id }.map { String($0.key) } ?? "?"
            }
            return letters.joined() + paragraph
        }.joined(separator: "/")
    }

    @Test(
        "Equal lists join when what stood between them is deleted",
        arguments: [
            ("Aa/[mid/B|]b/Bc/d", "Aa/A|b/Ac/d"), ("Aa/[mid/x/y/B|]b/+/Bc/d", "Aa/A|b/+/Ac/d"),
            ("Aa/m[id/Ck/Bb|]/Bc/d", "Aa/m|/Bc/d"), ("A[a/mid/Bb|]/Bc/d", "B|/Bc/d"), ("Aa[/mid|]/Bb/d", "Aa|/Ab/d"),
            ("Ka/[mid/L|]b/Lc/d", "Ka/K|b/Kc/d"), ("Ka/[mid/T|]b/d", "Ka/K|b/d"), ("Aa/[Kx/B|]b/d", "Aa/A|b/d"),
            ("Aa/AKx/[mid/B|]b/BLy/d", "Aa/AKx/A|b/ALy/d"), ("Aa/AKx/[mid/BL|]b/By/d", "Aa/AKx/AK|b/Ay/d"),
            ("Aa/[mid/K|]b/d", "Aa/K|b/d"), ("Aa/[mid/P|]b/d", "Aa/P|b/d"), ("Aa/B[b/B|]c/Bd/e", "Aa/B|c/Bd/e"),
            ("[mid/B|]b/c", "B|b/c"), ("Aa/[mid|]/Bb/c", "Aa/|/Bb/c"),
            ("Aa/AKx/A[b/AL|]y/ALz/c", "Aa/AKx/AK|y/AKz/c"), ("Aa/AKx/B[b/AL|]y/c", "Aa/AKx/AK|y/c"),
            ("Aa/AKx/AL[w/AL|]y/c", "Aa/AKx/AL|y/c"), ("Aa/AKx/A[b/AP|]y/c", "Aa/AKx/AP|y/c"),
        ])
    func deleting(notation: String, result: String) {
        let scene = scene(notation)
        let before = shown(scene)
        scene.perform(.deleteBackward)
        #expect(shown(scene) == result)
        scene.perform(.undo)
        #expect(shown(scene) == before)
    }

    /// Replace All makes one transaction, which deletes the paragraphs between many lists.
    @Test func aTransactionOfManySectionsJoinsAllLists() throws {
        let count = 1500
        let scene = scene(Array(repeating: "Aa/mid/Bb/mid", count: count).joined(separator: "/") + "/c")
        let search = try TextSearch("mid\n")
        let found = try #require(try search.replacingAll(in: scene.store.text, with: ""))
        #expect(found.count == 2 * count)
        var transaction = Transaction(on: scene.store, found.changes)
        transaction.origin = .paste
        transaction.view = scene.state.view
        scene.make(transaction)
        let lists = Set(
            (0..<2 * count).map { index in
                scene.state.listItem(at: UTF16Offset(index * 2))?.lists.first?.id
            })
        #expect(lists.count == 1 && scene.store.text.paragraphCount == 2 * count + 1)
    }

    @Test("Lists join where a paragraph between them is joined with an item, or is cut, and not where it is moved")
    func otherEdits() {
        let joined = scene("Aa/|mid/Bb/c")
        joined.perform(.deleteBackward)
        #expect(shown(joined) == "Aa|mid/Ab/c")
        let cut = scene("Aa/[mid/B|]b/c")
        cut.perform(.cut)
        #expect(shown(cut) == "Aa/A|b/c")
        let moved = scene("Aa/|mid/Bb/c")
        moved.perform(.moveLinesDown)
        #expect(shown(moved) == "Aa/Bb/|mid/c")
        let typed = scene("Aa/[mid|]/Bb/c")
        typed.make(typed.state.inserting("x"))
        #expect(shown(typed) == "Aa/x|/Bb/c")
        let several = scene("Aa/[mid/B|]b/[mid/C|]c/Cd/By/e")
        several.perform(.deleteBackward)
        #expect(shown(several) == "Aa/A|b/A|c/Ad/Ay/e")
        let bullets = scene("Ka/[mid/T|]b/c", makesBlocks: false)
        bullets.perform(.deleteBackward)
        #expect(shown(bullets) == "Ka/T|b/c")
    }

    @Test("The items of a joined list keep their boxes, and numbers go on")
    func items() {
        let scene = scene("Ka/[mid/T|]b/c")
        scene.perform(.deleteBackward)
        #expect(scene.state.listItem(at: 2)?.list?.marker == .checkbox)
        let numbers = self.scene("Aa/[mid/B|]b/c")
        numbers.perform(.deleteBackward)
        #expect(numbers.state.listItem(at: 2)?.list == Self.lists["A"])
        #expect(numbers.layout.textLayoutFragment(for: 2).itemNumber == 5)
    }
}
