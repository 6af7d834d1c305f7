import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// The editor's view satisfies the input contracts, as tested by the suite for all views.
@Suite(.timeLimit(.minutes(30))) struct ContractTests {
    static func subject(width: Double) -> TextInputConformance.Subject {
        func make(_ text: String) -> EditorView {
            let view = ViewScene(
                store: TextStore(editLogLimit: 64), frame: WindowRect(x: 30, y: 20, width: width, height: 60)
            ).view
            view.windowOrigin = RootPoint(x: 200, y: 100)
            view.text = text
            return view
        }
        var observations: [TextObservation] = []
        return TextInputConformance.Subject(
            make: make,
            edit: { input, range, text in (input as? EditorView)?.session.replaceText(in: range, with: text) },
            bind: { input, listener in
                guard let view = input as? EditorView else { return }
                observations.append(view.observe { [unowned view] in if $0.textChange != nil { listener(view.text) } })
            },
            echo: { input, text in (input as? EditorView)?.text = text },
            select: { input, range in
                (input as? EditorView)?.select(Selection(anchor: range.lowerBound, head: range.upperBound))
            },
            makeSecure: {
                let view = make($0)
                view.options.isSecureTextEntry = true
                return view
            })
    }

    /// The laws that only query, or change little, are checked in every run as often as the contracts require. The
    /// others would edit and lay out text a hundred thousand times, which takes minutes; each run does a tenth of
    /// that, and the long tests all.
    static let cheap: Set<TextInputConformance.Law> = [
        .oneUnit, .ends, .order, .selection, .agreement, .notifications, .hitTest, .selectionRects, .firstRect,
        .rootSpace, .tokenizer, .directions, .insertionPoints,
    ]
    private static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    @Test(arguments: TextInputConformance.Law.allCases)
    func manyRandomChecksBreakNoLaw(_ law: TextInputConformance.Law) {
        let isLong = getenv("INKSTONE_LONG_TESTS") != nil
        let wanted = !Self.isOptimized ? 1000 : isLong || Self.cheap.contains(law) ? 100_000 : 10_000
        // Check each view many times where possible, because creating a view takes longer than the checks.
        let rounds = !Self.isOptimized ? 20 : Self.cheap.contains(law) ? 1000 : 100
        var checks = 0
        var seed: UInt64 = 20
        repeat {
            seed += 1
            let suite = TextInputConformance(seed: seed, rounds: rounds, laws: [law])
            let report = suite.report(Self.subject(width: seed % 2 == 0 ? 100 : 400))
            #expect(
                report.failures.isEmpty,
                "seed \(seed): \(report.failures.map(\.description).joined(separator: "\n"))")
            checks += report.checks[law] ?? 0
            // Use both widths. Whether a view accepts the focus is checked once per view.
        } while seed < 22 || (checks < wanted && law != .focus && law != .keyEntries && seed < 1000)
        #expect(checks >= wanted || law == .focus || law == .keyEntries, "\(checks)")
    }
}
