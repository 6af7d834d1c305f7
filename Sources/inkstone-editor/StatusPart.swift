import Inkstone

/// A part of the status line, which may handle clicks.
enum StatusPart: Hashable, CaseIterable, Sendable {
    /// The name of the file, and whether its text was changed.
    case file
    /// The line and column, or the progress of reading the file.
    case position
    /// The extent of the selection and the number of carets.
    case selection
    /// The failure of crash recovery.
    case recovery
    /// The mode of overwriting instead of inserting.
    case overwriting
    /// The size of the text.
    case zoom
    /// The encoding of the file.
    case encoding
    /// The text of the Tab key, and the width of a tab.
    case indentation
    /// The line ends of the file.
    case lineEnds
    /// The input method, or that the text is read-only.
    case inputMethod
    /// The words about the part under the pointer, behind the others.
    case hint

    /// Whether the part handles clicks.
    var isButton: Bool { self != .file && self != .hint }

    /// The words about a click on the part; nil where they would say no more than it does.
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

/// The parts of the status line in order, laid out in a row of some width. A value.
struct StatusRow<Label> {
    /// A part, its label, and its left edge in pixels from that of the row.
    struct Place {
        var part: StatusPart
        var label: Label
        var x: Double
        var width: Double

        /// The horizontal extent in pixels from the left edge of the row.
        var span: Range<Double> { x..<x + width }
    }

    private(set) var places: [Place] = []

    /// Lays out parts from the left and from the right. Parts at the right without room are omitted, starting with the first.
    ///
    /// - Parameters:
    ///   - span: the available room in pixels.
    ///   - gap: the distance between parts in pixels.
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

    /// Lays out the parts of a strip: all of them, or beside a message those at the right that have room. The position is then the
    /// first of these: it is needed more often than the name of the file.
    init(
        _ content: StatusLine.Content, messageWidth: Double, in span: Range<Double>, gap: Double,
        label: (StatusLine.Item) -> Label, width: (Label) -> Double
    ) {
        guard content.message != nil else {
            if let hint = content.hint {
                var shown = content
                (shown.hint, shown.left) = (nil, content.left + [.init(part: .hint, text: hint.text)])
                self.init(shown, messageWidth: messageWidth, in: span, gap: gap, label: label, width: width)
                // Without room for both, what the pointer is over stays.
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

    /// Returns the part at a distance from the left edge of the row, in pixels; `slack` extends each part on either side.
    func part(at x: Double, slack: Double = 0) -> Place? {
        places.first { ($0.x - slack..<$0.x + $0.width + slack).contains(x) }
    }

    subscript(part: StatusPart) -> Place? { places.first { $0.part == part } }
}
