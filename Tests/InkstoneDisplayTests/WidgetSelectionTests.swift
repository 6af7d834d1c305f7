import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneX11
import Testing

extension DisplayTests {
    /// A view that owns PRIMARY and the clipboard.
    @Suite struct WidgetSelectionTests {
        private func primary(of other: InkstoneX11.Display, _ scene: DisplayScene) throws -> String? {
            var answer: Result<String, Clipboard.Failure>?
            other.primary.request(timestamp: 0) { answer = $0 }
            try scene.pump("PRIMARY", and: [other]) { answer != nil }
            return try? answer?.get()
        }

        @Test func keysThatSelectTakePrimaryAfterAPause() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            view.select(Selection(caret: 0))
            var losses = 0
            other.primary.own(timestamp: 0, onLost: { losses += 1 }) { "theirs" }
            try scene.pump("their ownership", and: [other]) { scene.probe.selectionOwner("PRIMARY") != 0 }
            // Ranges selected by a search, by the program or by undo do not become PRIMARY.
            view.select(Selection(anchor: 0, head: 3))
            view.session.replaceText(in: 0..<1, with: "O")
            view.session.undo()
            #expect(view.selection?.isEmpty == false)
            view.perform(.moveToBeginningOfDocument)
            scene.probe.strike(.right, holding: [.leftControl, .leftShift])
            try scene.pump("PRIMARY to be taken", and: [other]) { losses == 1 }
            #expect(try primary(of: other, scene) == "one")
            // PRIMARY is a snapshot: it survives changes of the selection and of the text.
            view.perform(.moveToEndOfDocument)
            view.text = ""
            #expect(view.session.selectedText == nil)
            #expect(try primary(of: other, scene) == "one")
            #expect(losses == 1)
        }

        @Test func aSelectionByTheProgramIsNotPrimary() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            view.select(Selection(anchor: 0, head: 3))
            view.session.replaceText(in: 4..<7, with: "2")
            view.session.undo()
            view.select(Selection(anchor: 4, head: 7))
            // Losing the focus would publish a selection by keys at once; this one must not be published.
            try scene.makeWindow(["other"], at: (500, 40))
            try scene.pump("the focus to go", and: [other]) { !view.hasFocus || !scene.window.window.isFocused }
            #expect(try primary(of: other, scene) == nil)
        }

        @Test func aDragTakesPrimaryAtItsEndAndLosingItLeavesTheSelection() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            try scene.makeWindow(["one two three"])
            let view = scene.view
            scene.click(view, x: 10, y: 10, count: 2)
            try scene.pump("a word") { view.session.selectedText == "one" }
            #expect(try primary(of: other, scene) == "one")
            var losses = 0
            other.primary.own(timestamp: 0, onLost: { losses += 1 }) { "theirs" }
            try scene.pump("the loss", and: [other]) { !scene.display.primary.isOwner }
            #expect(view.session.selectedText == "one" && losses == 0)
            // The middle button pastes PRIMARY at the pointer; the caret is then after the text.
            view.select(Selection(caret: 0))
            scene.click(view, x: 300, y: 10, button: 2)
            try scene.pump("the paste", and: [other]) { view.text == "one two threetheirs" }
            #expect(view.selected == 19..<19)
        }

        /// A program's own format is offered with the usual targets, and is written only when it is requested.
        @Test func aCopyIsOfferedInTheProgramsOwnFormat() throws {
            let scene = try DisplayScene()
            let other = try scene.connectOther()
            defer { scene.end() }
            try scene.makeWindow(["one two"])
            let view = scene.view
            view.options.acceptsStyles = true
            view.copiedFormats = [CopiedFormat("text/markdown") { text in Array("*\(text.rope)*".utf8) }]
            view.store.restyle { $0.set(200, of: FontWeightAttribute.self, in: 0..<3) }
            view.select(Selection(anchor: 0, head: 3))
            view.perform(.copy)
            var answer: Result<[UInt8], Clipboard.Failure>?
            other.clipboard.request(format: "text/markdown", timestamp: 0) { answer = $0 }
            try scene.pump("the copy", and: [other]) { answer != nil }
            #expect(answer == .success(Array("*one*".utf8)))
        }

        @Test func anOwnerThatAnswersForNoFormatButTextCostsNoWait() throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("UTF8_STRING", "UTF8_STRING", Array("slow".utf8))])
            defer {
                owner.close()
                scene.end()
            }
            owner.ignored = ["application/x-inkstone-styled-text"]
            try scene.makeWindow([""])
            scene.display.clipboard.timeout = 60_000
            scene.view.perform(.paste)
            try scene.pump("the paste", within: 20_000) {
                owner.serve()
                return scene.view.text == "slow"
            }
            #expect(owner.asked == ["application/x-inkstone-styled-text", "UTF8_STRING", "TARGETS"])
        }

        /// The clipboard's owner needs minutes for the styled text, or never sends it: the paste continues with
        /// plain text after Escape or a time-out.
        @Test(arguments: [true, false]) func stylesThatDoNotComeAreGivenUp(byKey: Bool) throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("UTF8_STRING", "UTF8_STRING", Array("slow".utf8))])
            defer {
                owner.close()
                scene.end()
            }
            owner.ignored = ["TARGETS"]
            try scene.makeWindow([""])
            scene.display.clipboard.timeout = 60_000
            if !byKey { scene.view.maximumStylesWait = 1 }
            scene.view.perform(.paste)
            try scene.pump("the request for styles", within: 20_000) {
                owner.serve()
                return owner.asked.contains("TARGETS")
            }
            if byKey {
                #expect(scene.view.text == "" && scene.view.session.awaitsText)
                #expect(scene.view.perform(.cancelOperation))
                #expect(scene.view.text == "slow")
            }
            try scene.pump("the text", within: 20_000) { scene.view.text == "slow" }
            #expect(!scene.view.session.awaitsText && scene.view.store.canUndo)
            scene.view.perform(.cancelOperation)
            #expect(scene.view.text == "slow")
        }

        @Test func invalidBytesOfAPasteAreReported() throws {
            let scene = try DisplayScene()
            let owner = try RawOwner(
                scene.server.display, "CLIPBOARD", answers: [("UTF8_STRING", "UTF8_STRING", [0x61, 0xff, 0x62, 0xfe])])
            defer {
                owner.close()
                scene.end()
            }
            try scene.makeWindow([""])
            var output: [String] = []
            scene.view.onPasteReplacement = { output.append("\($0) before \u{201c}\(scene.view.text)\u{201d}") }
            scene.view.perform(.paste)
            try scene.pump("the paste") {
                owner.serve()
                return scene.view.text == "a\u{fffd}b\u{fffd}"
            }
            #expect(output == ["2 before \u{201c}\u{201d}"])
        }

        @Test func stylesGoFromOneProgramToAnother() throws {
            let scene = try DisplayScene()
            let other = try DisplayScene(in: scene.session)
            defer {
                other.disconnect()
                scene.end()
            }
            try scene.makeWindow(["plain red"])
            try other.makeWindow([""], at: (500, 40))
            let red = Color(rgb: 0xff0000)
            scene.view.store.restyle { $0.set(red, of: ForegroundAttribute.self, in: 6..<9) }
            scene.view.perform(.selectAll)
            scene.view.perform(.copy)
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            other.view.perform(.paste)
            try scene.pump("the paste", and: [other.display]) { other.view.text == "plain red" }
            let styled = other.view.store.styledText
            #expect(styled.attributes(at: 7)[ForegroundAttribute.self] == red)
            #expect(styled.attributes(at: 1)[ForegroundAttribute.self] == nil)
        }
    }
}
