/// The preedit as it is after the server's messages so far: its text in scalars, the feedback of each scalar, and
/// the caret.
///
/// A plain value. The input-method thread keeps one to answer caret queries at once. The input context keeps one to
/// turn messages into marked text. A replayed trace is checked against one. All numbers from the server are
/// clamped, because no message may cause a trap.
package struct PreeditBuffer: Hashable, Sendable {
    /// The text of the preedit, in scalars.
    package private(set) var scalars: [Unicode.Scalar] = []
    /// The feedback of each scalar.
    package private(set) var feedback: [PreeditFeedback] = []
    /// The position of the caret, in scalars, `0...scalars.count`.
    package private(set) var caret = 0
    /// Whether the server wants the preedit's caret shown.
    package private(set) var isCaretVisible = true
    /// Whether the server has started a preedit and not ended it yet.
    package private(set) var isStarted = false

    /// The maximum number of scalars of a preedit. A limit is needed because each change costs O(length of the
    /// preedit). A single XIM message cannot carry more scalars than this.
    package static let limit = 65_536

    /// Creates an empty preedit.
    package init() {}

    package var isEmpty: Bool { scalars.isEmpty }

    package var text: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    /// Returns the number of UTF-16 code units before a scalar position, which is clamped to the text.
    package func utf16Offset(ofScalar position: Int) -> Int {
        scalars[..<min(max(0, position), scalars.count)].reduce(0) { $0 + UTF16.width($1) }
    }

    /// The clauses of the preedit: runs of equal feedback, as ranges of scalars. They are in order and without
    /// gaps. Empty without text.
    package var clauses: [(range: Range<Int>, feedback: PreeditFeedback)] {
        var result: [(range: Range<Int>, feedback: PreeditFeedback)] = []
        for (index, feedback) in feedback.enumerated() {
            let value = feedback.subtracting(.placeholder)
            if let last = result.last, last.feedback == value {
                result[result.count - 1].range = last.range.lowerBound..<(index + 1)
            } else {
                result.append((index..<(index + 1), value))
            }
        }
        return result
    }

    /// The range of the clause being converted, in scalars: the first run that the server shows reversed or
    /// highlighted. Nil if there is none.
    package var targetClause: Range<Int>? {
        guard let start = feedback.firstIndex(where: \.isTarget) else { return nil }
        let end = feedback[start...].firstIndex { !$0.isTarget } ?? feedback.count
        return start..<end
    }

    /// Removes the placeholder scalars. These stand for keys that type nothing. Returns whether there were any.
    package mutating func removePlaceholders() -> Bool {
        guard feedback.contains(where: { $0.contains(.placeholder) }) else { return false }
        let kept = scalars.indices.filter { !feedback[$0].contains(.placeholder) }
        caret = kept.prefix { $0 < caret }.count
        scalars = kept.map { scalars[$0] }
        feedback = kept.map { feedback[$0] }
        return true
    }

    /// Begins a preedit. If an earlier preedit was not ended, its text is discarded.
    package mutating func start() {
        self = PreeditBuffer()
        isStarted = true
    }

    /// Ends the preedit and discards its text.
    package mutating func finish() {
        self = PreeditBuffer()
    }

    /// Applies a change of the preedit. Scalars beyond ``limit`` are dropped. O(n) in the length of the preedit.
    package mutating func apply(_ draw: PreeditDraw) {
        let first = min(max(0, draw.changeFirst), scalars.count)
        let last = min(first + min(max(0, draw.changeLength), scalars.count), scalars.count)
        let room = Self.limit - (scalars.count - (last - first))
        let new = Array((draw.text ?? "").unicodeScalars.prefix(room))
        var marks = Array(draw.feedback.prefix(new.count))
        marks.append(contentsOf: repeatElement([], count: new.count - marks.count))
        scalars.replaceSubrange(first..<last, with: new)
        feedback.replaceSubrange(first..<last, with: marks)
        caret = min(max(0, draw.caret), scalars.count)
    }

    /// Moves the caret. Returns its new position in scalars, which is the reply that the server waits for.
    @discardableResult
    package mutating func apply(_ move: PreeditCaret) -> Int {
        switch move.direction {
        case .forwardCharacter: caret += 1
        case .backwardCharacter: caret -= 1
        case .forwardWord: caret = nextWordStart(after: caret)
        case .backwardWord: caret = wordStart(before: caret)
        case .lineStart: caret = 0
        case .lineEnd: caret = scalars.count
        case .absolute: caret = move.position
        case .up, .down, .nextLine, .previousLine, .unchanged: break
        }
        caret = min(max(0, caret), scalars.count)
        isCaretVisible = move.style != .invisible
        return caret
    }

    private func nextWordStart(after position: Int) -> Int {
        var index = position
        while index < scalars.count, !scalars[index].properties.isWhitespace { index += 1 }
        while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
        return index
    }

    private func wordStart(before position: Int) -> Int {
        var index = position
        while index > 0, scalars[index - 1].properties.isWhitespace { index -= 1 }
        while index > 0, !scalars[index - 1].properties.isWhitespace { index -= 1 }
        return index
    }
}
