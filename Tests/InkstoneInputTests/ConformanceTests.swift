import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The suite passes on views that satisfy the contracts, and reports each planted defect by its law, in plain
/// words.
@Suite(.timeLimit(.minutes(5))) struct ConformanceTests {
    static func subject(
        _ make: @escaping (String) -> ReferenceTextView
    ) -> TextInputConformance.Subject {
        TextInputConformance.Subject(
            make: { make($0) },
            edit: { ($0 as? ReferenceTextView)?.applyExternalEdit($1, with: $2) },
            bind: { input, listener in
                guard let view = input as? ReferenceTextView else { return }
                view.onTextChange = { [unowned view] _ in listener(view.string) }
            },
            echo: { ($0 as? ReferenceTextView)?.setTextFromBinding($1) },
            select: { ($0 as? ReferenceTextView)?.select($1) },
            style: { input, _ in (input as? any StyledText)?.style ?? "" },
            makeSecure: {
                let view = make($0)
                view.isSecureTextEntry = true
                return view
            }, waitUntilIdle: { ($0 as? AsyncView)?.simulation?.waitUntilIdle() })
    }

    @Test(arguments: TextInputConformance.Law.allCases)
    func theReferenceViewKeepsTheLaw(_ law: TextInputConformance.Law) {
        let suite = TextInputConformance(seed: 7, rounds: 40, laws: [law])
        for (columns, scroll) in [(8, 0.0), (20, 35), (200, -10)] {
            let failures = suite.check(
                Self.subject { text in
                    let view = ReferenceTextView(text, columns: columns)
                    view.scroll = Vector(dx: 0, dy: scroll)
                    return view
                })
            #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
        }
    }

    /// A view that answers at once, and another that handles keys on its own and passes some to the system.
    @Test(arguments: TextInputConformance.Law.allCases)
    func anAsynchronousViewKeepsTheLaw(_ law: TextInputConformance.Law) {
        let suite = TextInputConformance(seed: 9, rounds: Self.rounds / 20 + 8, laws: [law])
        for plan in [AsyncView.Plan.handled(after: 0), .declined(after: 0), .deferred(after: 0)] {
            let report = suite.report(
                Self.subject { text in
                    let view = AsyncView(text, columns: 8)
                    view.plan = plan
                    return view
                })
            #expect(report.failures.isEmpty, "\(report.failures.map(\.description).joined(separator: "\n"))")
            #expect(report.checks[law] ?? 0 > 0)
        }
    }

    @Test func thePinExampleKeepsItsLaw() {
        let failures = TextInputConformance(rounds: 20).check(.init(make: { _ in PinField() }))
        #expect(failures.isEmpty, "\(failures)")
    }

    @Test func theFieldExampleKeepsAllLaws() {
        let failures = TextInputConformance(rounds: 25).check(
            .init(
                make: { text in
                    let field = NameField()
                    field.content.replace(0..<0, with: text)
                    return field
                }, edit: { ($0 as? NameField)?.setByProgram($1, $2) }))
        #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
    }

    struct Defect: Sendable, CustomTestStringConvertible {
        var name: String
        var law: TextInputConformance.Law
        /// A part of the message that describes the defect.
        var mentions: String
        var make: @Sendable (String) -> ReferenceTextView
        var testDescription: String { name }
    }

    @Test(arguments: Defects.all)
    func thePlantedMistakeIsFound(_ defect: Defect) {
        let failures = TextInputConformance(seed: 3, rounds: 40, laws: [defect.law]).check(Self.subject(defect.make))
        let found = failures.filter { $0.law == defect.law && $0.mistake.contains(defect.mentions) }
        #expect(!found.isEmpty, "found only: \(failures.map(\.description).joined(separator: "\n"))")
        #expect(found.allSatisfy { !$0.symptom.isEmpty && !$0.finding.isEmpty })
    }

    @Test func everyLawHasAPlantedMistake() {
        #expect(Set(Defects.all.map(\.law)) == Set(TextInputConformance.Law.allCases))
    }

    /// The number of checks per law and view: as many as the contracts require in a release build, few in a debug
    /// build.
    static let rounds = isOptimized ? 10_000 : 60
    static var isOptimized: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    @Test(arguments: TextInputConformance.Law.allCases)
    func aHundredThousandRandomCallsBreakNoLaw(_ law: TextInputConformance.Law) {
        let suite = TextInputConformance(seed: 11, rounds: Self.rounds, laws: [law])
        let report = suite.report(Self.subject { ReferenceTextView($0, columns: 8) })
        #expect(report.failures.isEmpty, "\(report.failures.map(\.description).joined(separator: "\n"))")
        if law != .focus, law != .keyEntries {
            #expect(report.checks[law] ?? 0 >= 10 * Self.rounds, "\(report.checks)")
        }
    }
}

/// A view that describes the style of its text.
protocol StyledText {
    var style: String { get }
}
