import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The editor's view keeps the input contracts, as the suite for any view checks them.
@Suite struct ContractTests {
    static func subject(width: Double) -> TextInputConformance.Subject {
        TextInputConformance.Subject(
            make: { text in
                let view = EditorView(
                    store: TextStore(editLogLimit: 64), font: FontDescriptor(family: "DejaVu Sans Mono", size: 14),
                    clock: { 0 })
                view.setFrame(WindowRect(x: 30, y: 20, width: width, height: 60))
                view.windowOrigin = RootPoint(x: 200, y: 100)
                view.text = text
                return view
            },
            edit: { input, range, text in (input as? EditorView)?.replaceText(in: range, with: text) },
            bind: { input, listener in
                guard let view = input as? EditorView else { return }
                view.changes.onTextChange = { [unowned view] _ in listener(view.text) }
            },
            echo: { input, text in (input as? EditorView)?.text = text },
            select: { input, range in
                (input as? EditorView)?.select(Selection(anchor: range.lowerBound, head: range.upperBound))
            })
    }

    @Test(arguments: TextInputConformance.Law.allCases)
    func theEditorViewKeepsTheLaw(_ law: TextInputConformance.Law) {
        for width in [100.0, 400] {
            let failures = TextInputConformance(seed: 5, rounds: 40, laws: [law]).check(Self.subject(width: width))
            #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
        }
    }

    /// As many checks of every law as the contracts ask for.
    @Test(.enabled(if: getenv("INKSTONE_LONG_TESTS") != nil), arguments: TextInputConformance.Law.allCases)
    func aHundredThousandRandomChecksBreakNoLaw(_ law: TextInputConformance.Law) {
        var checks = 0
        var seed: UInt64 = 20
        repeat {
            seed += 1
            let suite = TextInputConformance(seed: seed, rounds: 100, laws: [law])
            let report = suite.report(Self.subject(width: seed % 2 == 0 ? 100 : 400))
            #expect(report.failures.isEmpty, "\(report.failures.map(\.description).joined(separator: "\n"))")
            checks += report.checks[law] ?? 0
            // Whether a view takes the focus is asked once.
        } while checks < 100_000 && law != .focus && seed < 1000
        #expect(checks >= 100_000 || law == .focus, "\(checks)")
    }
}
