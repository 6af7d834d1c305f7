import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The editor's view keeps the input contracts, as the suite for any view checks them.
@Suite struct ContractTests {
    private func subject(width: Double, law: TextInputConformance.Law) -> TextInputConformance.Subject {
        TextInputConformance.Subject(
            make: { text in
                let view = EditorView(
                    store: TextStore(), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14), clock: { 0 })
                view.setFrame(WindowRect(x: 30, y: 20, width: width, height: 60))
                view.windowOrigin = RootPoint(x: 200, y: 100)
                view.text = text
                return view
            },
            // Edits of the store itself are heard of only afterwards, so the view cannot tell of them before.
            edit: law == .notifications
                ? nil : { input, range, text in (input as? EditorView)?.store.replace(range, with: text) })
    }

    @Test(arguments: TextInputConformance.Law.allCases)
    func theEditorViewKeepsTheLaw(_ law: TextInputConformance.Law) {
        for width in [100.0, 400] {
            let failures = TextInputConformance(seed: 5, rounds: 40, laws: [law]).check(subject(width: width, law: law))
            #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
        }
    }
}
