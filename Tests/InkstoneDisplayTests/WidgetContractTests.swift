import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The text view satisfies the input contracts when shown in a window anywhere on the screen.
    @Suite struct WidgetContractTests {
        @Test func theTextViewKeepsEveryLaw() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, _) = try scene.makeWindow([], width: 300, height: 200, at: (120, 60))
            #expect(window.window.rootOrigin == RootPoint(x: 120, y: 60))
            var observations: [TextObservation] = []
            func subject(_ width: Double, _ law: TextInputConformance.Law) -> TextInputConformance.Subject {
                TextInputConformance.Subject(
                    make: { text in
                        for view in window.contents { window.remove(view) }
                        let view = TextView(in: window, font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
                        view.setFrame(WindowRect(x: 15, y: 25, width: width, height: 60))
                        view.text = text
                        return view
                    },
                    edit: { ($0 as? TextView)?.session.replaceText(in: $1, with: $2) },
                    bind: { input, listener in
                        guard let view = input as? TextView else { return }
                        observations.append(
                            view.observe { [unowned view] in if $0.textChange != nil { listener(view.text) } })
                    },
                    echo: { ($0 as? TextView)?.text = $1 })
            }
            for law in TextInputConformance.Law.allCases {
                for width in [100.0, 400] {
                    let failures = TextInputConformance(seed: 11, rounds: 6, laws: [law]).check(subject(width, law))
                    #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
                }
            }
            let view = TextView(in: window)
            #expect(TextInputCapabilities(of: view).missing.isEmpty)
            // The contracts compare both coordinate spaces with each other; the server gives the root window's
            // origin.
            view.setFrame(WindowRect(x: 15, y: 25, width: 200, height: 60))
            let info = try #require(scene.probe.info(window.window.id.rawValue))
            let inView = view.firstRect(for: view.range(0..<0))
            let onRoot = view.firstRect(forCharacterRange: UTF16Range(location: 0, length: 0)).rect
            #expect(onRoot.minX == Double(info.x) + 15 + inView.minX)
            #expect(onRoot.minY == Double(info.y) + 25 + inView.minY)
        }
    }
}
