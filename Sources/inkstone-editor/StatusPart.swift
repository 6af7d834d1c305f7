/// A part of the status line that says one thing, and that a click may change.
enum StatusPart: Hashable, CaseIterable, Sendable {
    /// Name of the file, and whether its text was changed.
    case file
    /// Line and column, or how much of the file was read.
    case position
    /// Extent of the selection and number of carets.
    case selection
    /// Whether nothing is kept against a crash.
    case recovery
    /// Overwriting in place of inserting.
    case overwriting
    /// Size of the text.
    case zoom
    /// Encoding of the file.
    case encoding
    /// Text that the Tab key types, and width of a tab.
    case indentation
    /// Line ends of the file.
    case lineEnds
    /// Input method, or that nothing can be changed.
    case inputMethod

    /// Whether a click does something.
    var isButton: Bool { self != .file }
}

/// Parts of the status line in their order, placed in a row of some width. A value.
struct StatusRow<Label> {
    /// A part, its label, and its left edge in pixels from that of the row.
    struct Place {
        var part: StatusPart
        var label: Label
        var x: Double
        var width: Double

        /// Horizontal extent in pixels from the left edge of the row.
        var span: Range<Double> { x..<x + width }
    }

    private(set) var places: [Place] = []

    /// Places parts from the left and from the right. Those at the right for which there is no room are left out, the first of them first.
    ///
    /// - Parameters:
    ///   - span: room in pixels.
    ///   - gap: distance between parts in pixels.
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

    /// Places the parts of a strip: all of them, or beside a message those at the right for which it leaves room. The position is then the
    /// first of these: where one is is looked for more often than what the file is called.
    init(
        _ content: StatusLine.Content, messageWidth: Double, in span: Range<Double>, gap: Double,
        label: (StatusLine.Item) -> Label, width: (Label) -> Double
    ) {
        guard content.message != nil else {
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

    /// The part at a distance from the left edge of the row, in pixels; `slack` is what counts as it on either side.
    func part(at x: Double, slack: Double = 0) -> Place? {
        places.first { ($0.x - slack..<$0.x + $0.width + slack).contains(x) }
    }

    subscript(part: StatusPart) -> Place? { places.first { $0.part == part } }
}
