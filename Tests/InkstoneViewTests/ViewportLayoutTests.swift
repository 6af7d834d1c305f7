import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A viewport delegate is notified of the visible fragments: will, each fragment once from top to bottom, did.
@Suite(.timeLimit(.minutes(5))) struct ViewportLayoutTests {
    private final class Listener: TextViewportLayoutDelegate {
        var log: [String] = []
        var onWill: (() -> Void)?

        func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {
            log.append("will")
            onWill?()
        }
        func textViewportLayoutController(
            _ controller: TextViewportLayoutController, configure fragment: TextLayoutFragment
        ) {
            let y = controller.viewPoint(DocumentPoint(x: 0, y: fragment.layoutFragmentFrame.minY)).y
            log.append("\(fragment.paragraph.value) at \(Int(y))")
        }
        func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) { log.append("did") }

        func take() -> [String] {
            defer { log = [] }
            return log
        }
    }

    @Test func eachVisibleFragmentIsReportedOnce() {
        let scene = ViewScene(store: TextStore(Rope(String(repeating: "line\n", count: 5000))))
        let view = scene.view
        let (line, margin) = (Int(view.presenter.lineStep), Int(view.theme.margin))
        view.setFrame(WindowRect(x: 7, y: 9, width: 400, height: Double(3 * line + 2 * margin)))
        let listener = Listener()
        view.presenter.viewportLayout.addDelegate(listener)
        view.presenter.viewportLayout.layoutViewport()
        #expect(
            listener.take().prefix(4) == [
                "will", "0 at \(margin)", "1 at \(margin + line)", "2 at \(margin + 2 * line)",
            ])
        view.scroll(by: Double(1000 * line))
        view.presenter.viewportLayout.layoutViewport()
        let log = listener.take()
        #expect(
            log.first == "will" && log.last == "did" && log.filter { $0.hasPrefix("1000 ") } == ["1000 at \(margin)"])
        #expect(Set(log).count == log.count && log.count <= 3 + 2 + 2)
        // A delegate that changes the view's frame is notified of the fragments visible in the new frame.
        listener.onWill = { view.setFrame(WindowRect(x: 7, y: 9, width: 400, height: Double(line + 2 * margin))) }
        view.presenter.viewportLayout.layoutViewport()
        #expect(listener.take().count < log.count)
    }

    @Test func delegatesAreHeldWeakly() {
        let scene = ViewScene("a|")
        weak var gone: Listener?
        do {
            let listener = Listener()
            gone = listener
            scene.view.presenter.viewportLayout.addDelegate(listener)
        }
        #expect(gone == nil)
        let other = Listener()
        scene.view.presenter.viewportLayout.addDelegate(other)
        scene.view.presenter.viewportLayout.layoutViewport()
        #expect(other.log.count == 3)
    }
}
