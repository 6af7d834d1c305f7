import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// What a document is laid out with, as its host says.
struct LayoutOptions: Hashable, Sendable {
    /// The font of text that says nothing else.
    var font: FontDescriptor
    var container: TextContainer
    /// The style of paragraphs that say nothing else.
    var paragraphStyle = ParagraphStyle()
    /// Whether a bullet is shown for each character.
    var masksCharacters = false
    /// Device pixels for one pixel of the fonts and paragraph styles that the text itself asks for.
    var attributeScale = 1.0
    /// The looks of text whose attributes say what it is.
    var presentationStyleSheet = PresentationStyleSheet.standard
    /// The formatting that is shown of what the text has; nil for all of it.
    var formattingDefinition: FormattingDefinition?
}

/// Options with what follows from them, and the elements of the document: all that the lines depend on besides the text.
struct DocumentSetting {
    var options: LayoutOptions {
        didSet {
            if options.container != oldValue.container { room = options.container.room }
            if options.font != oldValue.font { stack = tools.context.stack(for: options.font) }
            lineHeight = Self.lineHeight(options.paragraphStyle, stack, tools)
            if options.font != oldValue.font || options.paragraphStyle != oldValue.paragraphStyle
                || options.attributeScale != oldValue.attributeScale
                || options.presentationStyleSheet != oldValue.presentationStyleSheet
                || options.formattingDefinition != oldValue.formattingDefinition
            {
                styles = StyleResolver(options)
            }
        }
    }
    var tools: LayoutTools {
        didSet {
            stack = tools.context.stack(for: options.font)
            lineHeight = Self.lineHeight(options.paragraphStyle, stack, tools)
        }
    }
    var elements: DocumentElements
    /// The fonts of ``LayoutOptions/font``.
    private(set) var stack: FontStack
    private(set) var room: LineRoom
    /// The styles of the text's own attributes.
    private(set) var styles: StyleResolver
    /// Height of a line of the primary font in whole pixels.
    private(set) var lineHeight: Double

    init(_ options: LayoutOptions, _ tools: LayoutTools, _ elements: DocumentElements) {
        self.options = options
        self.tools = tools
        self.elements = elements
        stack = tools.context.stack(for: options.font)
        room = options.container.room
        styles = StyleResolver(options)
        lineHeight = Self.lineHeight(options.paragraphStyle, stack, tools)
    }

    private static func lineHeight(_ style: ParagraphStyle, _ stack: FontStack, _ tools: LayoutTools) -> Double {
        Double(LineHeights(style, stack.primary, tools.context).natural)
    }

    /// Advance of a digit zero or a space of the primary font in whole pixels.
    var columnWidth: Double { Double(max(1, stack.primary.spaceAdvance)) }

    /// About how many UTF-16 units a full line has; nil where lines are never full.
    var unitsPerLine: Double? {
        guard let width = room.width else { return nil }
        // Words leave a tenth of a line empty.
        let advance = max(1, columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.6))
        return max(1, Double(width) * 0.92 / advance)
    }

    /// What a text of which nothing is laid out may measure.
    func firstEstimate(of text: Rope) -> HeightEstimate {
        let line = lineHeight
        guard let perLine = unitsPerLine else {
            return HeightEstimate(
                perParagraph: line, perUnit: 0, advance: columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.7))
        }
        // Half of a paragraph's last line is empty on average.
        let mean = Double(text.metrics.utf16) / Double(max(1, text.paragraphCount))
        // Short paragraphs fill one line each, whatever their length.
        let isShort = mean < perLine / 2
        return HeightEstimate(perParagraph: isShort ? line : line * 0.5, perUnit: isShort ? 0 : line / perLine)
    }

    // MARK: Paragraphs

    /// What to lay out for units of a paragraph, of which `content` are the units of the text; nil if they are hidden. `room` is
    /// that of the container, before exclusion paths; `direction` is asked for where the units do not decide theirs.
    ///
    /// How it looks is what the layout has for all text, then what the text's own attributes (`runs`) ask for, then what the
    /// content manager makes of that.
    func input(
        _ units: Range<Int>, of paragraph: Paragraph, length: Int, content: [UInt16], runs: AttributeRuns?,
        endsParagraph: Bool, direction: () -> BidiBaseDirection
    ) -> ParagraphInput? {
        var input = ParagraphInput(
            units: options.masksCharacters ? masked(content) : content, spans: [], stack: stack,
            style: options.paragraphStyle, direction: .natural, room: room,
            startsParagraph: units.lowerBound == paragraph.start, endsParagraph: endsParagraph)
        if runs != nil || elements.mayAsk {
            var element = TextParagraph(paragraph, length: length, content: units)
            // Fonts would tell something of a text that nobody may read.
            if let runs, !options.masksCharacters { element.take(runs, self) }
            guard let shown = elements.shown(element) else { return nil }
            input.style = shown.paragraphStyle ?? input.style
            input.stack = shown.font.map { tools.context.stack(for: $0) } ?? stack
            input.growsWithFonts = shown.growsWithFonts
            input.units = shown.display(input.units)
            input.spans = shown.spans(
                input.stack, spacing: (shown.font ?? options.font).spacing, tools.context)
            if let item = shown.listItem, item.hasMarker, input.startsParagraph {
                input.marker = (item, shown.markerFont ?? options.font)
            }
            input.custom = elements.custom(at: UTF16Offset(units.lowerBound), in: shown)
            if !shown.attachmentRuns.isEmpty {
                let room = attachmentRoom(input)
                input.spans = shown.spans(input.spans) { elements.bounds(of: $0, at: $1, room, options.attributeScale) }
            }
        } else {
            input.spans = [StyleSpan(range: 0..<content.count, stack: stack, spacing: options.font.spacing)]
        }
        let isWhole = input.startsParagraph && units.upperBound == paragraph.contentEnd
        input.direction = input.style.baseDirection
        if !isWhole, input.direction == .natural { input.direction = direction() }
        if !input.startsParagraph { input.style.firstLineIndent = input.style.indent }
        if room.width == nil, !(isWhole && endsParagraph) {
            input.room.isSideways = true
            (input.room.x, input.room.alignmentWidth) = (0, 0)
            input.style.alignment = .left
            (input.style.indent, input.style.firstLineIndent) = (0, 0)
            input.marker = nil
        }
        return input
    }

    /// Width of a paragraph's narrower lines, and their height if that is fixed, in pixels.
    private func attachmentRoom(_ input: ParagraphInput) -> (width: Double, height: Double?) {
        let (leading, trailing) = input.padding
        let indent = max(Int32(pixels: input.style.firstLineIndent), Int32(pixels: input.style.indent))
        let width = (input.room.width ?? input.room.alignmentWidth) - leading - trailing - indent
        guard case .exactly(let height) = input.style.lineHeight else { return (Double(max(1, width)), nil) }
        return (Double(max(1, width)), max(1, height))
    }

    /// Text with a bullet for each grapheme cluster: as long in UTF-16 units, with the same clusters, and the same for all
    /// texts of these lengths. Tabs are bullets too.
    private func masked(_ units: [UInt16]) -> [UInt16] {
        tools.graphemes.setText(units)
        // A combining grapheme joiner shows nothing and belongs to the cluster before it.
        var result = [UInt16](repeating: 0x034f, count: units.count)
        var at: Int? = 0
        while let start = at, start < units.count {
            result[start] = 0x2022
            at = tools.graphemes.following(start)
        }
        return result
    }
}

/// The elements of a document, and who may hide them or have them look different.
final class DocumentElements {
    let contentManager: any TextContentManager
    private let storage: TextContentStorage?
    /// Whether nobody is asked: all looks as the text itself says.
    private let isSilent: Bool
    /// Who may have elements laid out in fragments of another kind.
    weak var delegate: (any TextLayoutManagerDelegate)?
    /// Whose delegate that is.
    weak var owner: TextLayoutManager?
    /// The room of an attachment that a view is shown for, on a line of a width in pixels; nil for any other.
    var attachmentRoom: ((TextAttachment, UTF16Offset, Double) -> AttachmentBounds?)?

    init(_ contentManager: any TextContentManager) {
        self.contentManager = contentManager
        storage = contentManager as? TextContentStorage
        isSilent = false
    }

    /// The elements of a content manager who is not asked about them.
    init(silent contentManager: any TextContentManager) {
        self.contentManager = contentManager
        storage = contentManager as? TextContentStorage
        isSilent = true
    }

    /// Whether somebody outside is asked about each fragment.
    var mayAsk: Bool { !isSilent && (mayDiffer || delegate != nil || attachmentRoom != nil) }

    /// Whether elements may be hidden or look different from the text's paragraphs.
    var mayDiffer: Bool {
        guard let storage else { return true }
        return storage.delegate != nil
    }

    /// How an element looks; nil if it is hidden.
    func shown(_ element: TextParagraph) -> TextParagraph? {
        isSilent ? element : contentManager.textParagraph(element)
    }

    /// The room of an attachment on a line that has so much.
    func bounds(
        of attachment: TextAttachment, at offset: UTF16Offset, _ room: (width: Double, height: Double?), _ scale: Double
    ) -> AttachmentBounds {
        if !isSilent, let delegate, let owner,
            let own = delegate.textLayoutManager(
                owner, attachmentBoundsFor: attachment, at: offset, lineWidth: room.width)
        {
            return own
        }
        if !isSilent, let own = attachmentRoom?(attachment, offset, room.width) { return own }
        return AttachmentBounds(of: attachment, scale: scale, width: room.width, height: room.height)
    }

    /// The kind of fragment for an element; nil for the usual one.
    func custom(at offset: UTF16Offset, in element: TextParagraph) -> (any CustomTextLayoutFragment)? {
        guard let delegate, let owner else { return nil }
        return delegate.textLayoutManager(owner, textLayoutFragmentFor: offset, in: element)
    }
}
