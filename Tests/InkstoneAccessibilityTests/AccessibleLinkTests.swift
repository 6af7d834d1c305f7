import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import Testing

@testable import InkstoneAccessibility

extension AccessibleServerTests {
    /// Links, attachments and the roles of rich text.
    @Suite(.timeLimit(.minutes(5))) struct RichText {
        private static let properties = "org.freedesktop.DBus.Properties"

        /// Creates a text with a link that is partly bold, and a picture.
        private func makeReader() throws -> Reader {
            let reader = Reader("😀 see here \u{fffc} end")
            let picture = try #require(
                TextAttachment(contents: [1], type: "image/x-test", alternateDescription: "A cat"))
            reader.scene.view.store.restyle {
                $0.set("https://example.org/", of: LinkAttribute.self, in: 7..<11)
                $0.set(200, of: FontWeightAttribute.self, in: 9..<11)
                $0.set(picture, of: AttachmentAttribute.self, in: 12..<13)
            }
            return reader
        }

        private func path(_ answer: [BusValue]) -> String {
            guard case .structure(let fields)? = answer.first, case .objectPath(let path)? = fields.last else {
                return ""
            }
            return path
        }

        @Test func linksAndPicturesAreObjectsOfTheText() throws {
            let reader = try makeReader()
            let node = reader.scene.node
            func ask(_ path: String, _ interface: String, _ member: String, _ body: BusValue...) -> [BusValue] {
                let family = interface == Self.properties ? "" : "org.a11y.atspi."
                return reader.ask(path, family + interface, member, body)
            }
            func property(_ path: String, _ interface: String, _ name: String) -> [BusValue] {
                ask(path, Self.properties, "Get", .string("org.a11y.atspi." + interface), .string(name))
            }
            #expect(reader.ask(node, "Hypertext", "GetNLinks") == [.int32(2)])
            for (offset, index) in [(0, -1), (6, 0), (9, 0), (10, -1), (11, 1), (12, -1), (99, -1)] {
                #expect(
                    reader.ask(node, "Hypertext", "GetLinkIndex", .int32(Int32(offset))) == [.int32(Int32(index))],
                    "offset \(offset)")
            }
            let link = path(reader.ask(node, "Hypertext", "GetLink", .int32(0)))
            #expect(ask(link, "Accessible", "GetRole") == [.uint32(88)])
            #expect(property(link, "Accessible", "Name") == [.variant(.string("here"))])
            #expect(property(link, "Hyperlink", "StartIndex") == [.variant(.int32(6))])
            #expect(property(link, "Hyperlink", "EndIndex") == [.variant(.int32(10))])
            #expect(ask(link, "Hyperlink", "GetURI", .int32(0)) == [.string("https://example.org/")])
            #expect(property(link, "Accessible", "Parent") == [.variant(reader.server.reference(node))])
            let picture = path(reader.ask(node, "Hypertext", "GetLink", .int32(1)))
            #expect(ask(picture, "Accessible", "GetRoleName") == [.string("image")])
            #expect(property(picture, "Accessible", "Name") == [.variant(.string("A cat"))])
            #expect(path(ask(picture, "Hyperlink", "GetObject", .int32(0))) == picture)
            // The text has a character there, and both have one place.
            #expect(reader.ask(node, "Text", "GetCharacterAtOffset", .int32(11)) == [.int32(0xfffc)])
            #expect(
                ask(picture, "Component", "GetExtents", .uint32(1)) == [
                    .structure(reader.ask(node, "Text", "GetCharacterExtents", .int32(11), .uint32(1)))
                ])

            // A link moved by an edit is a new object, and the old one is gone.
            reader.scene.view.insertText("x")
            #expect(ask(link, "Accessible", "GetRole") == [.string("org.freedesktop.DBus.Error.UnknownObject")])
            let moved = path(reader.ask(node, "Hypertext", "GetLink", .int32(0)))
            #expect(moved != link && property(moved, "Accessible", "Name") == [.variant(.string("here"))])
            #expect(reader.ask(node, "Hypertext", "GetLink", .int32(2)) == [AccessibleServer.none])
            reader.scene.view.options.isSecureTextEntry = true
            #expect(reader.ask(node, "Hypertext", "GetNLinks") == [.int32(0)])
        }

        /// A reader that walks through links queries each separately, so they are cached per text.
        @Test func linksAreSearchedOnceForEachStateOfTheText() throws {
            let reader = try makeReader()
            let source = try #require(reader.scene.node.text)
            func place() throws -> UnsafePointer<AccessibleLink>? {
                try #require(source.current).links.withUnsafeBufferPointer { $0.baseAddress }
            }
            // Keep the array, so that no other can have the same address.
            let first = try #require(source.current).links
            let known = try place()
            _ = reader.ask(reader.scene.node, "Hypertext", "GetLink", .int32(1))
            #expect(try place() == known && first.count == 2)
            reader.scene.view.store.restyle { $0.set("https://example.org/2", of: LinkAttribute.self, in: 0..<2) }
            let second = try #require(source.current).links
            #expect(second.map(\.destination) == ["https://example.org/2", "https://example.org/", ""])
            reader.scene.view.insertText("x")
            #expect(try #require(source.current).links.map(\.range) == [1..<2, 7..<11, 12..<13])
            reader.scene.view.options.isSecureTextEntry = true
            #expect(try #require(source.current).links.isEmpty)
            reader.scene.view.options.isSecureTextEntry = false
            #expect(try #require(source.current).links.count == 3)
        }

        @Test func theInnermostLinkIsTheOneAtAnOffset() throws {
            let reader = Reader("ab\u{fffc}cd\u{fffc} e")
            let picture = try #require(TextAttachment(contents: [1], type: "image/x-test"))
            reader.scene.view.store.restyle {
                $0.set("https://example.org/", of: LinkAttribute.self, in: 2..<6)
                $0.set(picture, of: AttachmentAttribute.self, in: 2..<3)
                $0.set(picture, of: AttachmentAttribute.self, in: 5..<6)
            }
            let text = AccessibleText(of: reader.scene.view)
            #expect(text.links.map(\.range) == [2..<6, 2..<3, 5..<6])
            #expect((-1...9).map(text.linkIndex) == [nil, nil, nil, 1, 0, 0, 2, nil, nil, nil, nil])
        }

        @Test func headingsAndListsAreAttributes() {
            let scene = TreeScene("Title\none\ntwo\nup\ndone")
            let list = TextList(.decimal, startingNumber: 3)
            scene.view.store.restyle {
                $0.set(
                    PresentationIntent(components: [.init(kind: .header(level: 2), identity: 1)]),
                    of: PresentationIntentAttribute.self, in: 0..<6)
                $0.set(ListItem([list]), of: ListAttribute.self, in: 6..<14)
                $0.set(
                    InlinePresentationIntent.stronglyEmphasized, of: InlinePresentationIntentAttribute.self, in: 14..<15
                )
                $0.set(1, of: SuperscriptAttribute.self, in: 15..<16)
                $0.set(
                    PresentationIntent(components: [
                        .init(kind: .listItem(ordinal: 1, isDone: true), identity: 3),
                        .init(kind: .unorderedList, identity: 2),
                    ]), of: PresentationIntentAttribute.self, in: 17..<21)
            }
            let text = AccessibleText(of: scene.view)
            func check(_ offset: Int, _ names: [String: String], _ range: Range<Int>) {
                let found = text.attributes(at: offset, includingDefaults: false)
                #expect(found.names == names && found.range == range, "\(found) at \(offset)")
            }
            check(2, ["paragraph-style": "Heading 2", "level": "2"], 0..<6)
            check(7, ["paragraph-style": "List 1", "list-item-marker": "3."], 6..<10)
            check(12, ["paragraph-style": "List 1", "list-item-marker": "4."], 10..<14)
            check(14, ["weight": "700"], 14..<15)
            check(15, ["text-position": "super"], 15..<16)
            check(18, ["paragraph-style": "List 1", "list-item-marker": "[x]"], 17..<21)
        }

        @Test func marksOfMisspeltWordsAreReported() {
            let scene = TreeScene("wrogn word")
            scene.view.addDecorations([0..<5], attributes: RenderingAttributes(underline: .wavy), in: .spelling)
            #expect(scene.take() == ["TextAttributesChanged 0"])
            scene.view.updateDecorations(of: 0..<5, in: .spelling) { _ in nil }
            #expect(scene.take() == ["TextAttributesChanged 0"])
            scene.view.addDecorations([0..<5], attributes: RenderingAttributes(background: .white), in: .search)
            #expect(scene.take().isEmpty)
        }
    }
}
