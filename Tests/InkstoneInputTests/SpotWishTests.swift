import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

/// The position of a composition is computed only for a method that wants it.
@Suite(.timeLimit(.minutes(5))) struct SpotWishTests {
    private final class Link: InputMethodLink {
        var isEngaged: Bool { wantsSpot }
        var wantsSpot = false
        var spots: [RootRect?] = []
        func forward(_ key: KeyEvent, raw: (any Sendable)?, ticket: KeyTicket) {}
        func reset() {}
        func focusIn() {}
        func focusOut() {}
        func setSpot(_ rect: RootRect?) { spots.append(rect) }
    }

    @Test func aLinkWithoutAMethodIsNotifiedWhenThereIsOne() {
        let (link, session) = (Link(), InputSession(clock: { 0 }))
        let view = ReferenceTextView("abc", columns: 40)
        let context = TextInputContext(client: view)
        session.link = link
        session.activate(context)
        session.windowFocusChanged(true)
        view.select(2..<2)
        context.invalidateCharacterCoordinates()
        #expect(link.spots.isEmpty)
        link.wantsSpot = true
        session.linkDidChange()
        #expect(link.spots.count == 1)
        view.select(1..<1)
        context.invalidateCharacterCoordinates()
        #expect(link.spots.count == 2 && link.spots[0] != link.spots[1], "\(link.spots)")
        link.wantsSpot = false
        session.linkDidChange()
        view.select(0..<0)
        context.invalidateCharacterCoordinates()
        #expect(link.spots.count == 2)
    }
}
