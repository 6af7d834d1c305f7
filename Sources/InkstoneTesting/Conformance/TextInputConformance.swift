public import InkstoneBase
public import InkstoneInput
import InkstoneText

/// Checks any view against the laws of the input contracts, and describes in plain words each mistake and its
/// effect on users.
///
/// ```swift
/// let suite = TextInputConformance(seed: 1, rounds: 1000)
/// let failures = suite.check(TextInputConformance.Subject { text in MyField(text) })
/// #expect(failures.isEmpty, "\(failures)")
/// ```
/// Each law creates views, fills them with texts that have revealed mistakes before (emoji, flags, combining marks,
/// Hangul, CR LF, empty), and calls them with random and hostile arguments from a generator with a printed seed.
public struct TextInputConformance {
    /// The views that a suite checks, and the actions of a program or a user on them.
    public struct Subject {
        /// Creates a view of a text, laid out, with the caret anywhere. A view that accepts no newlines may leave them out.
        public var make: (String) -> any KeyInput
        /// Replaces a range as the program does (network, undo, a button), bypassing the input system. Nil: such laws are skipped.
        public var edit: ((any TextInput, Range<UTF16Offset>, String) -> Void)?
        /// Calls the closure with the text whenever the view notifies the program of a change. Nil: such laws are skipped.
        public var bind: ((any TextInput, @escaping (String) -> Void) -> Void)?
        /// Sets the text as a binding does that writes back the text it was notified of. Nil: such laws are skipped.
        public var echo: ((any TextInput, String) -> Void)?
        /// Describes the style of a range except its direction: fonts, colours, whatever the view has. Nil: not compared.
        public var style: ((any TextInput, Range<UTF16Offset>) -> String)?
        /// Creates a secure view of a text, otherwise like those of ``make``. Nil: such laws are skipped.
        public var makeSecure: ((String) -> any TextInput)?
        /// Selects a range, between whole characters, as a click or drag of the user does. Nil: such laws are skipped.
        public var select: ((any TextInput, Range<UTF16Offset>) -> Void)?

        /// Lets time pass until the view has answered all requests. Nil: the view answers within the call.
        public var settle: ((any TextInput) -> Void)?

        /// Creates a subject from its closures.
        public init(
            make: @escaping (String) -> any KeyInput,
            edit: ((any TextInput, Range<UTF16Offset>, String) -> Void)? = nil,
            bind: ((any TextInput, @escaping (String) -> Void) -> Void)? = nil,
            echo: ((any TextInput, String) -> Void)? = nil,
            select: ((any TextInput, Range<UTF16Offset>) -> Void)? = nil,
            style: ((any TextInput, Range<UTF16Offset>) -> String)? = nil,
            makeSecure: ((String) -> any TextInput)? = nil,
            settle: ((any TextInput) -> Void)? = nil
        ) {
            self.make = make
            self.edit = edit
            self.bind = bind
            self.echo = echo
            self.select = select
            self.style = style
            self.makeSecure = makeSecure
            self.settle = settle
        }
    }

    /// A law of the contracts.
    public enum Law: String, Hashable, Sendable, CaseIterable {
        /// Keys insert and delete whole characters.
        case keyInput
        /// Every offset is in UTF-16 units, and arithmetic with positions can be undone.
        case oneUnit
        /// Positions beyond the ends do not exist.
        case ends
        /// Positions and ranges are ordered.
        case order
        /// The selection is the requested range, at whole characters.
        case selection
        /// A replacement changes only its range and moves the caret along.
        case replacement
        /// The selected range of marked text is relative to the marked text's start.
        case relativeSelection
        /// Marking the same text twice changes nothing; no text is duplicated.
        case idempotentMarking
        /// The end of a composition keeps the text, a cancelled one removes it.
        case endOfMarking
        /// Finished text replaces the marked text, or the requested range.
        case commit
        /// A point at a caret finds its position.
        case hitTest
        /// Each visual line has a single rectangle, each flag is set once, and no rectangles overlap.
        case selectionRects
        /// The first rectangle covers the first line.
        case firstRect
        /// Coordinates for input methods are those of the root window.
        case rootSpace
        /// Invalid ranges are clamped or refused.
        case hostileRanges
        /// Both contracts report the same selection and marked text.
        case agreement
        /// Will and did notifications come in pairs, and only around changes by the program.
        case notifications
        /// A binding is not notified while text is marked, and an echo changes nothing.
        case silentBindings
        /// Words, sentences, lines and paragraphs contain their positions, and moves to boundaries make progress.
        case tokenizer
        /// Steps to the left, right, up and down lead to whole characters of the text and back again.
        case directions
        /// Setting the writing direction changes nothing else.
        case writingDirection
        /// A composition is one step of undo.
        case compositionUndo
        /// A view that accepts text can have the focus.
        case focus
        /// A secure view reveals its text to no caller.
        case secrecy
        /// Distances in insertion points count whole characters, and the selected text of a caret is empty.
        case insertionPoints
        /// A deletion removes the selection, or the text from the caret to the boundary of a unit.
        case deletion
        /// A correction is made only where its original is still present, and its context is the text around the selection.
        case corrections
        /// An asynchronous view answers each key once, and its answer agrees with its action. Other views are not checked.
        case keyEntries
    }

    /// A law that a view breaks.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// The law.
        public var law: Law
        /// The calls that were made, and their result.
        public var finding: String
        /// The mistake that commonly leads to the finding.
        public var mistake: String
        /// The effect on users.
        public var symptom: String

        /// The failure in one paragraph.
        public var description: String {
            "\(law.rawValue): \(finding). Mistake: \(mistake). Symptom: \(symptom)."
        }
    }

    /// The seed of the random calls; print it with a failure.
    public var seed: UInt64
    /// Random calls of each law on each text.
    public var rounds: Int
    /// The laws to check.
    public var laws: Set<Law>

    /// Creates a suite. With its twelve texts, 10,000 rounds make more than 10⁵ checks for each law, with at least one random call
    /// for each; only ``Law/focus`` is not random. ``report(_:)`` counts the checks.
    public init(seed: UInt64 = 1, rounds: Int = 200, laws: Set<Law> = Set(Law.allCases)) {
        self.seed = seed
        self.rounds = rounds
        self.laws = laws
    }

    /// The texts that views are filled with.
    public static let texts = [
        "",
        "a",
        "Hello, world. It is 3 o'clock!", "e\u{301}a\u{308}o", "a😀b👩‍👩‍👧c", "🇩🇪🇫🇷🇯🇵", "한국어 각\u{1112}\u{1161}\u{11ab}",
        "日本語の文章です。次の文。", "one\ntwo\r\n\nthree\n", "The quick brown fox jumps over the lazy dog. 0123456789 and on.",
        "𠮷野家😀", "tab\tand  blanks  ",
    ]

    /// Checks a view and returns the laws that it breaks: the first finding of each kind.
    public func check(_ subject: Subject) -> [Failure] {
        report(subject).failures
    }

    /// The failures found, and the number of checks made.
    public struct Report {
        /// The laws that the view breaks: the first finding of each kind.
        public var failures: [Failure]
        /// Checks made, each after one or more calls with random arguments.
        public var checks: [Law: Int]
    }

    /// Checks a view as ``check(_:)`` does, and counts the checks.
    public func report(_ subject: Subject) -> Report {
        var report = Report(failures: [], checks: [:])
        for law in Law.allCases where laws.contains(law) {
            let checker = Checker(
                law: law, rounds: rounds, seed: seed ^ UInt64(truncatingIfNeeded: law.rawValue.utf8.count))
            checker.run(subject)
            report.failures += checker.failures
            report.checks[law] = checker.checks
        }
        return report
    }
}

/// A run of one law over all texts.
final class Checker {
    let law: TextInputConformance.Law
    let rounds: Int
    var random: SeededGenerator
    private(set) var failures: [TextInputConformance.Failure] = []
    private(set) var checks = 0
    /// The view of the last round, its text when it was created, and the number of rounds it was reused.
    fileprivate var used: (probe: Probe, text: String, rounds: Int)?

    init(law: TextInputConformance.Law, rounds: Int, seed: UInt64) {
        self.law = law
        self.rounds = rounds
        random = SeededGenerator(seed: seed)
    }

    /// Counts a check and returns whether it passed; keeps the first finding of each mistake.
    @discardableResult
    func expect(
        _ isRight: Bool, _ finding: @autoclosure () -> String, mistake: String, symptom: String
    ) -> Bool {
        checks += 1
        if !isRight, !failures.contains(where: { $0.mistake == mistake }) {
            failures.append(.init(law: law, finding: finding(), mistake: mistake, symptom: symptom))
        }
        return isRight
    }

    func run(_ subject: TextInputConformance.Subject) {
        for text in TextInputConformance.texts {
            used = nil
            guard let input = subject.make(text) as? any TextInput else {
                // Only one law applies to a view that is only KeyInput.
                if law == .keyInput { checkPlainKeyInput(subject.make(text)) }
                continue
            }
            let view = Probe(input)
            switch law {
            case .keyInput: checkKeyInput(subject, text)
            case .oneUnit: checkOneUnit(view)
            case .ends: checkEnds(view)
            case .order: checkOrder(view)
            case .selection: checkSelection(view)
            case .replacement: checkReplacement(subject, text)
            case .relativeSelection: checkRelativeSelection(subject, text)
            case .idempotentMarking: checkIdempotence(subject, text)
            case .endOfMarking: checkEndOfMarking(subject, text)
            case .commit: checkCommit(subject, text)
            case .hitTest: checkHitTest(view)
            case .selectionRects: checkSelectionRects(view)
            case .firstRect: checkFirstRect(view)
            case .rootSpace: checkRootSpace(view)
            case .hostileRanges: checkHostileRanges(subject, text)
            case .agreement: checkAgreement(subject, text)
            case .notifications: checkNotifications(subject, text)
            case .silentBindings: checkBindings(subject, text)
            case .tokenizer: checkTokenizer(view)
            case .directions: checkDirections(view)
            case .writingDirection: checkWritingDirection(subject, text)
            case .compositionUndo: checkCompositionUndo(subject, text)
            case .focus: checkFocus(input)
            case .secrecy: checkSecrecy(subject, text)
            case .insertionPoints: checkInsertionPoints(view)
            case .deletion: checkDeletion(subject, text)
            case .corrections: checkCorrections(subject, text)
            case .keyEntries: checkKeyEntries(subject, text)
            }
        }
    }
}

extension Checker {
    /// Returns a view of the text with nothing marked. A view is reused for some rounds, with its text
    /// restored, since creating one may take longer than all checks of it.
    func fresh(_ subject: TextInputConformance.Subject, _ text: String) -> Probe? {
        if let last = used, last.rounds < 48, last.text == text {
            let input = last.probe.input
            input.unmarkText()
            if let all = input.textRange(from: input.beginningOfDocument, to: input.endOfDocument) {
                input.replace(all, withText: last.probe.text)
            }
            if input.markedTextRange == nil, Probe.wholeText(of: input).utf8.elementsEqual(last.probe.text.utf8) {
                used?.rounds += 1
                return last.probe
            }
        }
        guard let probe = (subject.make(text) as? any TextInput).map(Probe.init) else { return nil }
        used = (probe, text, 0)
        return probe
    }
}

/// A view under test, with values and helpers that the laws need repeatedly.
struct Probe {
    let input: any TextInput
    /// The text as the view returns it.
    let text: String
    let units: [UInt16]
    /// Offsets between whole characters, by Unicode's rules.
    let stops: [Int]

    init(_ input: any TextInput) {
        self.input = input
        text = Self.wholeText(of: input)
        units = Array(text.utf16)
        stops = TextUnitsStops.of(units)
    }

    static func wholeText(of input: any TextInput) -> String {
        guard let all = input.textRange(from: input.beginningOfDocument, to: input.endOfDocument) else { return "" }
        return input.text(in: all) ?? ""
    }

    func position(_ offset: Int) -> TextPosition? { input.position(from: input.beginningOfDocument, offset: offset) }

    func range(_ start: Int, _ end: Int) -> TextRange? {
        guard let a = position(start), let b = position(end) else { return nil }
        return input.textRange(from: a, to: b)
    }

    func offset(_ position: TextPosition) -> Int { input.offset(from: input.beginningOfDocument, to: position) }

    /// The selection as UTF-16 offsets.
    var selection: Range<Int>? {
        guard let range = input.selectedTextRange else { return nil }
        let start = offset(range.start)
        return start..<max(start, offset(range.end))
    }

    var marked: Range<Int>? {
        guard let range = input.markedTextRange else { return nil }
        let start = offset(range.start)
        return start..<max(start, offset(range.end))
    }

    func string(_ range: Range<Int>) -> String {
        String(decoding: units[range.clamped(to: 0..<units.count)], as: UTF16.self)
    }

    func select(_ start: Int, _ end: Int) { input.selectedTextRange = range(start, end) }
}
