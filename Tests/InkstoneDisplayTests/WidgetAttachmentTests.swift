import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Attachments with an X window, and text fields, within a text. The tests cover RT 57 to RT 60 of a checklist
    /// for rich text.
    @Suite struct WidgetAttachmentTests {
        /// A button with an X window of its own.
        private final class ButtonWindow: AttachmentWindow, WindowDelegate {
            static let color = Color(rgb: 0x3366cc)
            var onPress: (() -> Void)?

            func window(_ window: InkstoneX11.Window, paint canvas: any Canvas, damage: [WindowRect]) {
                canvas.setClip(damage)
                canvas.fill(window.bounds, Self.color)
            }

            func window(_ window: InkstoneX11.Window, didReceivePointer event: PointerEvent) {
                if event.kind == .release(.primary) { onPress?() }
                if case .scroll = event.kind { passToText(event) }
            }
        }

        private final class ButtonProvider: TextAttachmentViewProvider {
            var presses = 0
            var button: ButtonWindow? { view as? ButtonWindow }

            override func loadView() {
                guard let text = textView as? TextView, let button = try? ButtonWindow(in: text) else { return }
                button.window.delegate = button
                button.onPress = { [weak self] in self?.presses += 1 }
                view = button
            }
        }

        private final class FieldProvider: TextAttachmentViewProvider {
            var field: TextView? { view as? TextView }

            override func loadView() {
                guard let text = textView as? TextView else { return }
                let field = TextView(inside: text, font: ViewScene.font)
                field?.options.isSingleLine = true
                field?.options.tabBehavior = .movesFocus
                view = field
            }
        }

        /// An attachment that is a text view in the text, and may contain further fields.
        private final class BoxProvider: TextAttachmentViewProvider {
            var box: TextView? { view as? TextView }

            override func loadView() {
                guard let text = textView as? TextView, let box = TextView(inside: text, font: ViewScene.font) else {
                    return
                }
                WidgetAttachmentTests.fill(box, "in F.")
                view = box
            }
        }

        /// Sets a text in which B stands for a button, F for a field and X for a box.
        private static func fill(_ view: TextView, _ text: String) {
            let kinds: [(Character, String, TextAttachmentViewProvider.Type, Size)] = [
                ("B", "application/x-button", ButtonProvider.self, Size(width: 80, height: 24)),
                ("F", "application/x-field", FieldProvider.self, Size(width: 140, height: 24)),
                ("X", "application/x-box", BoxProvider.self, Size(width: 260, height: 90)),
            ]
            view.text = String(text.map { letter in kinds.contains { $0.0 == letter } ? "\u{fffc}" : letter })
            for (letter, type, provider, size) in kinds {
                view.presenter.viewportLayout.attachmentViews.register(provider, forType: type)
                guard let attachment = TextAttachment(contents: [], type: type, alternateDescription: type, size: size)
                else { continue }
                for (offset, other) in text.enumerated() where other == letter {
                    view.store.restyle {
                        $0.set(
                            attachment, of: AttachmentAttribute.self,
                            in: UTF16Offset(offset)..<UTF16Offset(offset + 1))
                    }
                }
            }
        }

        private static func provider<Provider>(_ type: Provider.Type, in view: TextView?) -> Provider? {
            view?.presenter.viewportLayout.attachmentViews.providers.lazy.compactMap { $0 as? Provider }.first
        }

        private static let lines = "one B two\nname F end\n" + String(repeating: "line\n", count: 60)

        private func makeScene(_ text: String = lines) throws -> DisplayScene {
            let scene = try DisplayScene()
            try scene.makeWindow(preparing: { Self.fill($0[0], text) })
            scene.waitUntilIdle()
            return scene
        }

        private func click(_ field: TextView, _ scene: DisplayScene) {
            let origin = scene.window.window.rootOrigin
            scene.probe.click(x: Int(origin.x + field.frame.minX) + 30, y: Int(origin.y + field.frame.minY) + 12)
        }

        /// RT 58 and RT 59: an attached window is pressed where it is shown, is moved and clipped with the text,
        /// and returns with its state after undo.
        @Test func aWindowInATextIsPressedScrolledDeletedAndUndone() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let view = scene.view
            let provider = try #require(Self.provider(ButtonProvider.self, in: view))
            let button = try #require(provider.button)
            func info() -> WindowInfo? { scene.probe.info(button.window.id.rawValue) }
            try scene.pump("the button") { info()?.isViewable == true }
            let place = try #require(info())
            let picture = try #require(scene.probe.screenshot())
            #expect(picture[place.x + 40, place.y + 12] & 0xff_ffff == 0x3366cc, "\(picture.kept("attachment"))")
            #expect(picture[place.x + 40, place.bottom + 2] & 0xff_ffff != 0x3366cc)
            view.select(Selection(caret: 0))
            scene.probe.click(x: place.x + 40, y: place.y + 12)
            try scene.pump("the press") { provider.presses == 1 }
            #expect(view.hasFocus && view.selected == 0..<0)

            // The wheel over the attached window scrolls the text. Outside of the viewport, the window is unmapped.
            scene.probe.click(x: place.x + 40, y: place.y + 12, button: 5)
            try scene.pump("the text to scroll") { info()?.isViewable == false }
            #expect(view.scrolled > 0 && provider.button === button)
            scene.probe.click(x: place.x + 40, y: place.y + 150, button: 4)
            try scene.pump("the text to scroll back") { info()?.isViewable == true }
            #expect(info()?.y == place.y)
            // Only the visible half lies within the text's clip window.
            view.scroll(by: 10)
            try scene.pump("the button to move") { info()?.y == place.y - 10 }
            view.scroll(by: -10)

            view.select(Selection(caret: 5))
            view.deleteBackward()
            try scene.pump("the button to go") { info()?.isViewable == false }
            view.session.undo()
            try scene.pump("the button to come back") { info()?.isViewable == true }
            #expect(Self.provider(ButtonProvider.self, in: view) === provider && provider.presses == 1)
        }

        /// RT 60: a window has one parent, so each of two views of a text creates its own.
        @Test func twoViewsOfATextHaveAWindowEach() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let other = try WidgetWindow(
                scene.display, size: Size(width: 300, height: 150),
                properties: Window.Properties(title: "mirror"))
            let mirror = TextView(in: other, store: scene.view.store, font: ViewScene.font)
            mirror.presenter.viewportLayout.attachmentViews.register(
                ButtonProvider.self, forType: "application/x-button")
            other.show()
            func number(_ view: TextView) -> UInt32? {
                Self.provider(ButtonProvider.self, in: view)?.button?.window.id.rawValue
            }
            func areSeen() -> [Bool] {
                [scene.view, mirror].map { number($0).flatMap { scene.probe.info($0) }?.isViewable == true }
            }
            try scene.pump("both buttons") { areSeen() == [true, true] }
            #expect(number(scene.view) != number(mirror))
            for (view, window) in [(scene.view, scene.window), (mirror, other)] {
                let id = try #require(number(view))
                #expect(scene.probe.ancestors(of: id).contains(window.window.id.rawValue))
            }
            scene.view.select(Selection(caret: 5))
            scene.view.deleteBackward()
            try scene.pump("both to go") { areSeen() == [false, false] }
            scene.view.session.undo()
            try scene.pump("both to come back") { areSeen() == [true, true] }
            other.close()
        }

        @Test func aWindowGoesWithWhatNothingBringsBackAndFollowsItsText() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let view = scene.view
            let number = try #require(Self.provider(ButtonProvider.self, in: view)?.button?.window.id.rawValue)
            try scene.pump("the button") { scene.probe.info(number)?.isViewable == true }
            // The view moves into another window.
            let other = try scene.makeWindow(at: (500, 300), isFocused: false).window
            let count = scene.window.window.coveringParts
            view.move(to: other)
            view.setFrame(WindowRect(x: 20, y: 50, width: 300, height: 150))
            try scene.pump("the button in the other window") {
                scene.probe.info(number)?.isViewable == true
                    && scene.probe.ancestors(of: number).contains(other.window.id.rawValue)
            }
            #expect(count == 1 && scene.window.window.coveringParts == 0 && other.window.coveringParts == 1)
            view.select(Selection(caret: 5))
            view.deleteBackward()
            view.store.removeAllUndo()
            try scene.pump("its end") { scene.probe.info(number) == nil }
            #expect(other.window.coveringParts == 0)
        }

        /// RT 58: a clicked field gets the keys; Escape, Tab and Shift+Tab leave it.
        @Test func aFieldInATextIsTypedIntoAndLeft() throws {
            let scene = try makeScene()
            defer { scene.end() }
            let view = scene.view
            let field = try #require(Self.provider(FieldProvider.self, in: view)?.field)
            let text = view.text
            click(field, scene)
            try scene.pump("the focus") { field.hasFocus }
            try scene.type("ab", into: field, expecting: "ab")
            scene.probe.strike(.backspace)
            try scene.expect(text: "a", in: field)
            // Backspace at the field's start deletes nothing, and never the text around the field.
            scene.probe.strike(.backspace)
            scene.probe.strike(.backspace)
            try scene.type("c", into: field, expecting: "c")
            #expect(view.text == text)
            let offset = try #require(text.utf16.enumerated().filter { $0.element == 0xfffc }.last?.offset)
            scene.probe.strike(.escape)
            try scene.pump("the focus of the text") { view.hasFocus }
            #expect(view.selected == offset..<offset + 1)
            scene.probe.strike(.tab)
            try scene.pump("the focus of the field") { field.hasFocus }
            scene.probe.strike(.tab)
            try scene.pump("the focus behind it") { view.hasFocus && view.selected == offset + 1..<offset + 1 }
            view.select(Selection(anchor: UTF16Offset(offset), head: UTF16Offset(offset + 1)))
            scene.probe.strike(.tab)
            try scene.pump("the focus of the field") { field.hasFocus }
            scene.probe.strike(.tab, holding: [.leftShift])
            try scene.pump("the focus before it") { view.hasFocus && view.selected == offset..<offset }
            #expect(view.text == text && field.text == "c")
        }

        @Test func aFieldWithinABoxOfTextHasTheFocus() throws {
            let scene = try makeScene("a X b\n")
            defer { scene.end() }
            let box = try #require(Self.provider(BoxProvider.self, in: scene.view)?.box)
            let field = try #require(Self.provider(FieldProvider.self, in: box)?.field)
            click(field, scene)
            try scene.pump("the focus") { field.hasFocus }
            try scene.type("ab", into: field, expecting: "ab")
            let inner = box.text
            scene.probe.strike(.escape)
            try scene.pump("the focus of the box") { box.hasFocus }
            try scene.type("x", into: box, expecting: inner.replacing("\u{fffc}", with: "x"))
            scene.probe.strike(.escape)
            try scene.pump("the focus of the text") { scene.view.hasFocus }
            #expect(scene.view.selected == 2..<3)
            // A field that is removed from the window with its text loses the focus.
            box.session.undo()
            scene.waitUntilIdle()
            #expect(field.focus())
            scene.window.remove(scene.view)
            #expect(scene.window.firstResponder == nil && !field.hasFocus)
        }

        /// RT 58: an input method composes in a field, and its candidates are at the field's caret.
        @Test func anInputMethodComposesInAField() throws {
            let scene = try InputMethodScene(options: ["--mode", "kana-like"])
            defer { scene.end() }
            let view = scene.view
            Self.fill(view, "name F end\n")
            scene.waitUntilIdle()
            let field = try #require(Self.provider(FieldProvider.self, in: view)?.field)
            let text = view.text
            click(field, scene)
            try scene.pump("the focus") { field.hasFocus }
            scene.type("ab")
            try scene.expect("⟨あい|⟩", in: field)
            let rect = field.firstRect(forCharacterRange: field.selectedRange()).rect
            let origin = scene.window.window.rootOrigin
            let spot = [Int(rect.minX - origin.x), Int(rect.maxY - origin.y)]
            try scene.pump("the spot at the field's caret", instead: { "\(scene.spotsSent) without \(spot)" }) {
                scene.spotsSent.last == spot
            }
            scene.type("\n")
            try scene.expect("あい|", in: field)
            #expect(view.text == text)
            // When the field loses the focus, the composition ends and its text stays.
            scene.type("c")
            try scene.expect("あい⟨う|⟩", in: field)
            view.focus()
            try scene.expect("あいう|", in: field)
            #expect(view.text == text)
        }
    }
}
