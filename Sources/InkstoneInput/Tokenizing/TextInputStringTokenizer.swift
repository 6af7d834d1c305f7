import InkstoneBase
public import InkstoneText
public import InkstoneUnicode

/// A tokenizer for any `TextInput`. It applies Unicode's rules to the text around a position. The counterpart of
/// Apple's `UITextInputStringTokenizer`.
///
/// The text is read through the protocol, some paragraphs at a time. The view is not retained. Visual lines are
/// found by the view's geometry; a view that knows its lines overrides that. The directions left and right mean
/// backward or forward, depending on the direction of the text at the position.
open class TextInputStringTokenizer: TextInputTokenizer {
    /// The view whose text is tokenized; nil if it no longer exists. Not retained.
    public private(set) weak var textInput: (any TextInput)?
    /// The rule by which words are found: that of prose or that of programs.
    public var wordStyle: WordStyle
    /// The locale of the rules, as an ICU name; empty for the root locale.
    public let locale: String
    private var cache: TextUnits?

    /// The distance from a position, in UTF-16 units, up to which the text is read, except to find paragraphs. In a
    /// longer paragraph, words and sentences are cut at this distance.
    private static let reach = 8192

    /// Creates a tokenizer for a view.
    public init(textInput: any TextInput, wordStyle: WordStyle = .natural, locale: String = "") {
        self.textInput = textInput
        self.wordStyle = wordStyle
        self.locale = locale
    }

    /// Returns the unit around a position; nil if there is none.
    open func rangeEnclosingPosition(
        _ position: TextPosition, with granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextRange? {
        guard let input = textInput else { return nil }
        if granularity == .document { return input.textRange(from: input.beginningOfDocument, to: input.endOfDocument) }
        if granularity == .line { return line(at: position) }
        let (offset, window) = window(around: position, granularity)
        let units = units(of: window)
        let at = UTF16Offset(offset - window.lowerBound)
        guard let found = units.range(enclosing: at, with: granularity, inDirection: storage(direction, at: position))
        else { return nil }
        return range(found, in: window)
    }

    /// Returns whether a unit ends at a position in a direction.
    open func isPosition(
        _ position: TextPosition, atBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool {
        guard let input = textInput else { return false }
        let side = storage(direction, at: position)
        switch granularity {
        case .document:
            let end = side == .forward ? input.endOfDocument : input.beginningOfDocument
            return input.compare(position, to: end) == .orderedSame
        case .line:
            guard let line = line(at: position) else { return false }
            return input.compare(position, to: side == .forward ? line.end : line.start) == .orderedSame
        default:
            let (offset, window) = window(around: position, granularity)
            return units(of: window)
                .isBoundary(UTF16Offset(offset - window.lowerBound), of: granularity, inDirection: side)
        }
    }

    /// Returns the next position in a direction at which a unit ends; nil if there is none.
    open func position(
        from position: TextPosition, toBoundary granularity: TextGranularity, inDirection direction: TextDirection
    ) -> TextPosition? {
        guard let input = textInput else { return nil }
        let side = storage(direction, at: position)
        switch granularity {
        case .document:
            let end = side == .forward ? input.endOfDocument : input.beginningOfDocument
            return input.compare(position, to: end) == .orderedSame ? nil : end
        case .line:
            return lineBoundary(from: position, side)
        default:
            var here = position
            while true {
                let (offset, window) = window(around: here, granularity)
                let at = UTF16Offset(offset - window.lowerBound)
                if let found = units(of: window).boundary(from: at, of: granularity, inDirection: side) {
                    return input.position(from: input.beginningOfDocument, offset: window.lowerBound + found.value)
                }
                // No unit ends within the window: continue at its end.
                let end = side == .forward ? window.upperBound : window.lowerBound
                guard end != offset, let next = input.position(from: input.beginningOfDocument, offset: end)
                else { return nil }
                here = next
            }
        }
    }

    /// Returns whether the text on one side of a position belongs to a unit.
    open func isPosition(
        _ position: TextPosition, withinTextUnit granularity: TextGranularity, inDirection direction: TextDirection
    ) -> Bool {
        guard let range = rangeEnclosingPosition(position, with: granularity, inDirection: direction) else {
            return false
        }
        return !range.isEmpty
    }

    // MARK: Lines

    /// Returns the visual line on which a position is shown, without a newline; nil only if the view no longer exists.
    /// The affinity of the position counts.
    ///
    /// Uses the view's geometry: finds the ends of the line on the screen, and extends the range while carets are
    /// at the same height. In text of mixed directions, the outermost positions on the screen need not be the first
    /// and last in the text. O(length of the line).
    open func line(at position: TextPosition) -> TextRange? {
        guard let input = textInput else { return nil }
        let caret = input.caretRect(for: position)
        let y = caret.minY + caret.height / 2
        // An x beyond the end of any line, even of an unwrapped one of some hundred megabytes.
        let far = 1e12
        var start = position
        var end = position
        for x in [-far, far] {
            guard let found = input.closestPosition(to: ViewPoint(x: x, y: y)) else { continue }
            if input.compare(found, to: start) == .orderedAscending { start = found }
            if input.compare(found, to: end) == .orderedDescending { end = found }
        }
        while let next = neighbour(of: start, .backward, at: y) { start = next }
        while let next = neighbour(of: end, .forward, at: y) { end = next }
        return input.textRange(from: start, to: end)
    }

    private func neighbour(of position: TextPosition, _ side: TextDirection, at y: Double) -> TextPosition? {
        guard let input = textInput,
            let cluster = rangeEnclosingPosition(position, with: .character, inDirection: side),
            !(input.text(in: cluster) ?? "").utf16.contains(where: TextUnits.isNewline)
        else { return nil }
        // The end of a wrapped line is also the start of the next one. The affinity selects the line.
        var next = side == .forward ? cluster.end : cluster.start
        next.affinity = side == .forward ? .upstream : .downstream
        let caret = input.caretRect(for: next)
        return caret.minY <= y && y < caret.maxY ? next : nil
    }

    private func lineBoundary(from position: TextPosition, _ side: TextStorageDirection) -> TextPosition? {
        guard let input = textInput, let line = line(at: position) else { return nil }
        let end = side == .forward ? line.end : line.start
        if input.compare(position, to: end) != .orderedSame { return end }
        guard
            let step = rangeEnclosingPosition(position, with: .character, inDirection: .storage(side)),
            let next = self.line(at: side == .forward ? step.end : step.start)
        else { return nil }
        let there = side == .forward ? next.end : next.start
        return input.compare(position, to: there) == .orderedSame ? nil : there
    }

    // MARK: The text around a position

    private func storage(_ direction: TextDirection, at position: TextPosition) -> TextStorageDirection {
        switch direction {
        case .storage(let side): return side
        case .layout(.up): return .backward
        case .layout(.down): return .forward
        case .layout(let side):
            guard let input = textInput, let next = input.position(from: position, in: side, offset: 1) else {
                return side == .right ? .forward : .backward
            }
            return input.compare(position, to: next) == .orderedDescending ? .backward : .forward
        }
    }

    /// Returns the part of the text to tokenize: the paragraph around a position, with its newline, and the paragraph
    /// before it if the position is at a paragraph's start. The result is in UTF-16 offsets of the document.
    private func window(
        around position: TextPosition, _ granularity: TextGranularity
    ) -> (offset: Int, window: Range<Int>) {
        guard let input = textInput else { return (0, 0..<0) }
        let offset = input.offset(from: input.beginningOfDocument, to: position)
        let length = offset + input.offset(from: position, to: input.endOfDocument)
        let limit = granularity == .paragraph ? Int.max : Self.reach
        // Skip a newline just before the position. The unit on that side belongs to the paragraph before.
        var low = offset
        var toPass = 1
        search: while low > 0, offset - low < limit {
            // The chunk may be longer than requested: a view moves an offset within a surrogate pair to the pair's
            // start.
            let chunk = Array(text(in: max(0, low - 512)..<low).utf16)
            for index in chunk.indices.reversed() {
                let at = low - chunk.count + index
                let isNewline = TextUnits.isNewline(chunk[index])
                let isPassed = toPass > 0 && isNewline && (at == offset - 1 || at == offset - 2 && chunk[index] == 0x0d)
                if isPassed { continue }
                toPass = 0
                if isNewline {
                    low = at + 1
                    break search
                }
            }
            guard !chunk.isEmpty else { break }
            low -= chunk.count
        }
        var high = offset
        while high < length, high - offset < limit {
            let chunk = Array(text(in: high..<min(length, high + 512)).utf16)
            guard !chunk.isEmpty else { break }
            let next = high + chunk.count
            let skip = high == offset ? 1 : 0
            if let newline = chunk.dropFirst(skip).firstIndex(where: TextUnits.isNewline) {
                high += newline + 1
                if chunk[newline] == 0x0d, newline + 1 < chunk.count, chunk[newline + 1] == 0x0a { high += 1 }
                break
            }
            high = next
        }
        return (offset, low..<high)
    }

    private func units(of window: Range<Int>) -> TextUnits {
        let text = Array(text(in: window).utf16)
        // The text is read again each time. That is cheap, and needs no notifications of changes. ICU's results are
        // cached.
        if let cache, cache.wordStyle == wordStyle, cache.text == text { return cache }
        let units = TextUnits(utf16: text, wordStyle: wordStyle, locale: locale)
        cache = units
        return units
    }

    private func text(in range: Range<Int>) -> String {
        guard let input = textInput,
            let start = input.position(from: input.beginningOfDocument, offset: range.lowerBound),
            let end = input.position(from: start, offset: range.count),
            let whole = input.textRange(from: start, to: end)
        else { return "" }
        return input.text(in: whole) ?? ""
    }

    private func range(_ found: Range<UTF16Offset>, in window: Range<Int>) -> TextRange? {
        guard let input = textInput,
            let start = input.position(
                from: input.beginningOfDocument, offset: window.lowerBound + found.lowerBound.value),
            let end = input.position(from: start, offset: found.length())
        else { return nil }
        return input.textRange(from: start, to: end)
    }
}
