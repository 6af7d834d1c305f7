public import InkstoneBase
public import InkstoneInput
import InkstoneText

/// A suite that checks any view against the laws of the input contracts, and describes each mistake and its effect
/// on users in plain words.
///
/// ```swift
/// let suite = TextInputConformance(seed: 1, rounds: 1000)
/// let failures = suite.check(TextInputConformance.Subject { text in MyField(text) })
/// #expect(failures.isEmpty, "\(failures)")
/// ```
/// Each law creates views, fills them with texts that have revealed mistakes before (emoji, flags, combining marks,
/// Hangul, CR LF, empty), and calls them with random and invalid arguments from a generator with a printed seed.
public struct TextInputConformance {
    /// The views that a suite checks, as closures that create them and act on them.
    public struct Subject {
        /// Creates a view with a text, laid out, with the caret anywhere. A view that accepts no newlines may omit
        /// them.
        public var make: (String) -> any KeyInput
        /// Replaces a range as the program itself does (after a network message, undo or a button), bypassing the
        /// input system. If nil, laws about this are skipped.
        public var edit: ((any TextInput, Range<UTF16Offset>, String) -> Void)?
        /// Calls the given closure with the text whenever the view notifies the program of a change. If nil, laws
        /// about this are skipped.
        public var bind: ((any TextInput, @escaping (String) -> Void) -> Void)?
        /// Sets the text, as a data binding does when it writes back a text that it was notified of. If nil, laws
        /// about this are skipped.
        public var echo: ((any TextInput, String) -> Void)?
        /// Describes the style of a range, such as fonts and colours, without its direction. If nil, styles are not
        /// compared.
        public var style: ((any TextInput, Range<UTF16Offset>) -> String)?
        /// Creates a secure view with a text, otherwise like the views of ``make``. If nil, laws about this are
        /// skipped.
        public var makeSecure: ((String) -> any TextInput)?
        /// Selects a range between grapheme clusters, as a click or drag by the user does. If nil, laws about this
        /// are skipped.
        public var select: ((any TextInput, Range<UTF16Offset>) -> Void)?

        /// Waits until the view has answered all requests. Nil for a view that answers within each call.
        public var waitUntilIdle: ((any TextInput) -> Void)?

        /// Creates a subject from its closures.
        public init(
            make: @escaping (String) -> any KeyInput,
            edit: ((any TextInput, Range<UTF16Offset>, String) -> Void)? = nil,
            bind: ((any TextInput, @escaping (String) -> Void) -> Void)? = nil,
            echo: ((any TextInput, String) -> Void)? = nil,
            select: ((any TextInput, Range<UTF16Offset>) -> Void)? = nil,
            style: ((any TextInput, Range<UTF16Offset>) -> String)? = nil,
            makeSecure: ((String) -> any TextInput)? = nil,
            waitUntilIdle: ((any TextInput) -> Void)? = nil
        ) {
            self.make = make
            self.edit = edit
            self.bind = bind
            self.echo = echo
            self.select = select
            self.style = style
            self.makeSecure = makeSecure
            self.waitUntilIdle = waitUntilIdle
        }
    }

    /// A law of the contracts.
    public enum Law: String, Hashable, Sendable, CaseIterable {
        /// Inserted text replaces the selection. Deleting backward removes the selection; at a caret it removes as
        /// much as the BackSpace key does.
        case keyInput
        /// All offsets are in UTF-16 units, and arithmetic with positions can be reversed.
        case oneUnit
        /// Positions beyond the ends of the text do not exist.
        case ends
        /// Two positions compare as their offsets do, and a range begins with the earlier of its positions.
        case order
        /// The selection is the requested range, extended to whole grapheme clusters.
        case selection
        /// A replacement changes only its range, and moves the caret accordingly.
        case replacement
        /// The selected range of marked text is relative to the marked text's start.
        case relativeSelection
        /// Marking the same text twice changes nothing, and no text is duplicated.
        case idempotentMarking
        /// Ending a composition keeps its text, and cancelling it removes the text.
        case endOfMarking
        /// Committed text replaces the marked text, or the requested range.
        case commit
        /// Hit testing at the point of a caret finds the caret's position.
        case hitTest
        /// Each visual line of a selection has at least one rectangle of its own, `containsStart` and `containsEnd`
        /// are each set once, and the rectangles do not overlap.
        case selectionRects
        /// The first rectangle of a range covers its part of the first line.
        case firstRect
        /// The coordinates for input methods are those of the root window.
        case rootSpace
        /// Invalid ranges are clamped or refused.
        case hostileRanges
        /// `TextInput` and `TextInputClient` report the same selection and marked text.
        case agreement
        /// The `will` and `did` notifications come in pairs, and not for changes that the input system itself
        /// makes.
        case notifications
        /// A data binding is not notified while text is marked, and writing back the former text meanwhile changes
        /// nothing.
        case silentBindings
        /// Words, sentences, lines and paragraphs contain their positions, and moving to their boundaries makes
        /// progress.
        case tokenizer
        /// Moving left, right, up and down leads to boundaries of grapheme clusters, and left and right lead back.
        case directions
        /// Setting the writing direction changes nothing else.
        case writingDirection
        /// A composition is one undo step.
        case compositionUndo
        /// A view that accepts text can become first responder.
        case focus
        /// A secure view does not reveal its text to any caller.
        case secrecy
        /// Distances in insertion points count grapheme clusters, and the selected text of a caret is nil.
        case insertionPoints
        /// A deletion removes the selection, or the text from the caret to the boundary of a text unit.
        case deletion
        /// A correction is applied only if its original text is still selected. The context that is given for
        /// corrections is the selected text and the text around it.
        case corrections
        /// An asynchronous view answers each key once, and the answer agrees with its action. Other views are not
        /// checked.
        case keyEntries
    }

    /// The failure of a view to obey a law.
    public struct Failure: Hashable, Sendable, CustomStringConvertible {
        /// The law that the view breaks.
        public var law: Law
        /// The calls that were made, and their wrong result.
        public var finding: String
        /// The mistake in the view's code that commonly leads to this finding.
        public var mistake: String
        /// The effect of the mistake on users.
        public var symptom: String

        /// The whole failure as one paragraph.
        public var description: String {
            "\(law.rawValue): \(finding). Mistake: \(mistake). Symptom: \(symptom)."
        }
    }

    /// The seed of the random arguments. Print it with a failure.
    public var seed: UInt64
    /// The scale of the number of random checks. On each text, most laws repeat their checks a fixed fraction or
    /// multiple of this number, from 1/20 to 4, but some at least 5 to 12 times.
    public var rounds: Int
    /// The laws to check.
    public var laws: Set<Law>

    /// Creates a suite. With the twelve texts, 10,000 rounds make more than 10⁵ checks of each law, each with at
    /// least one random call; only ``Law/focus`` is not random. ``report(_:)`` counts the checks.
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

    /// Checks a view. Returns the failures, at most one for each law and ``Failure/mistake``: the first that was
    /// found.
    public func check(_ subject: Subject) -> [Failure] {
        report(subject).failures
    }

    /// The failures of a view, and the number of checks made.
    public struct Report {
        /// The failures, at most one for each law and ``Failure/mistake``: the first that was found.
        public var failures: [Failure]
        /// The number of checks of each law.
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

/// A run of one law with all texts.
final class Checker {
    let law: TextInputConformance.Law
    let rounds: Int
    var random: SeededGenerator
    private(set) var failures: [TextInputConformance.Failure] = []
    private(set) var checks = 0
    /// The last view that was created, the text that it was created with, and the number of rounds in which it was
    /// used again.
    fileprivate var used: (probe: Probe, text: String, rounds: Int)?

    init(law: TextInputConformance.Law, rounds: Int, seed: UInt64) {
        self.law = law
        self.rounds = rounds
        random = SeededGenerator(seed: seed)
    }

    /// Counts a check, and returns whether it passed. Of the checks that fail by the same mistake in the view's
    /// code, only the first one's finding is stored.
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
                // A view that conforms to `KeyInput`, but not to `TextInput`, is checked only against the law
                // `keyInput`.
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
    /// Returns a view with the text, and without marked text; nil if the view does not conform to `TextInput`. A
    /// view is reused for some rounds, with its text restored, because creating a view may take longer than all
    /// checks of it.
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

/// A view under test, with its text, and helper functions for the laws.
struct Probe {
    let input: any TextInput
    /// The text as the view returns it.
    let text: String
    let units: [UInt16]
    /// The boundaries of grapheme clusters in the text, by Unicode's rules.
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

    /// The selection as UTF-16 offsets; nil if there is none.
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
