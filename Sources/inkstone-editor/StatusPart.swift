import Inkstone

/// A part of the status line, which may handle clicks.
enum StatusPart: Hashable, CaseIterable, Sendable {
    /// The name of the file, and whether the document has unsaved changes.
    case file
    /// The line and column, or the progress of reading the file.
    case position
    /// The extent of the selection and the number of carets.
    case selection
    /// A warning that crash recovery fails.
    case recovery
    /// Overwrite mode, in which typed text replaces the text after the caret.
    case overwriting
    /// The size of the text in percent.
    case zoom
    /// The encoding of the file.
    case encoding
    /// The text that the Tab key inserts, and the width of a tab.
    case indentation
    /// The line ends of the file.
    case lineEnds
    /// The input method, or that the document is read-only.
    case inputMethod
    /// The hint about the part under the pointer, after the other parts.
    case hint

    /// Whether the part handles clicks.
    var isButton: Bool { self != .file && self != .hint }

    /// The hint about a click on the part; nil if it would say no more than the part itself.
    var hint: String? {
        switch self {
        case .file, .recovery, .hint: nil
        case .position: Words.goToLine
        case .selection: Words.countWords
        case .overwriting: Words.title(.toggleOverwriteMode)
        case .zoom: Words.textSize
        case .encoding: Words.encoding
        case .indentation: Words.indentation
        case .lineEnds: Words.lineEnds
        case .inputMethod: Words.inputMethodHint
        }
    }
}

/// The layout of the status line's parts in a row, in their order.
struct StatusRow<Label> {
    /// A part with its label. `x` is its left edge, in pixels from the left edge of the row.
    struct Place {
        var part: StatusPart
        var label: Label
        var x: Double
        var width: Double

        /// The horizontal extent of the part, in pixels from the left edge of the row.
        var span: Range<Double> { x..<x + width }
    }

    private(set) var places: [Place] = []

    /// Creates a row with parts laid out from the left and from the right. If there is not enough room, the leftmost of
    /// the parts at the right are omitted.
    ///
    /// - Parameters:
    ///   - span: the available horizontal extent, in pixels.
    ///   - gap: the distance between parts, in pixels.
    init(
        left: [(StatusPart, Label)], right: [(StatusPart, Label)], in span: Range<Double>, gap: Double,
        width: (Label) -> Double
    ) {
        var x = span.lowerBound
        for (part, label) in left {
            places.append(Place(part: part, label: label, x: x, width: width(label)))
            x += width(label) + gap
        }
        var end = span.upperBound
        var trailing: [Place] = []
        for (part, label) in right.reversed() {
            let start = (end - width(label)).rounded(.down)
            guard start >= x else { break }
            trailing.append(Place(part: part, label: label, x: start, width: width(label)))
            end = start - gap
        }
        places += trailing.reversed()
    }

    /// Creates the row of a status line: without a message with the parts at the left, the hint, and the parts at the
    /// right that have room; beside a message with the parts at the right that have room, or with none if the message
    /// keeps no parts. Beside a message, the position is the first of the parts at the right, because it is needed
    /// more often than the file's name.
    init(
        _ content: StatusLine.Content, messageWidth: Double, in span: Range<Double>, gap: Double,
        label: (StatusLine.Item) -> Label, width: (Label) -> Double
    ) {
        guard content.message != nil else {
            if let hint = content.hint {
                var shown = content
                (shown.hint, shown.left) = (nil, content.left + [.init(part: .hint, text: hint.text)])
                self.init(shown, messageWidth: messageWidth, in: span, gap: gap, label: label, width: width)
                // Use this layout if there is room for both the hint and the part that it is about.
                let isThere = hint.part.map { self[$0] != nil } ?? true
                if isThere, let place = self[.hint], place.span.upperBound <= span.upperBound { return }
            }
            self.init(
                left: content.left.map { ($0.part, label($0)) }, right: content.right.map { ($0.part, label($0)) },
                in: span, gap: gap, width: width)
            return
        }
        guard content.keepsParts else {
            self.init()
            return
        }
        let start = span.lowerBound + messageWidth + gap
        let parts = content.left.filter { $0.part == .position } + content.right
        self.init(
            left: [], right: parts.map { ($0.part, label($0)) }, in: start..<max(start, span.upperBound), gap: gap,
            width: width)
    }

    init() {}

    /// Returns the part at a distance from the left edge of the row, in pixels; nil if there is none. `slack`
    /// extends each part on both sides.
    func part(at x: Double, slack: Double = 0) -> Place? {
        places.first { ($0.x - slack..<$0.x + $0.width + slack).contains(x) }
    }

    subscript(part: StatusPart) -> Place? { places.first { $0.part == part } }
}
