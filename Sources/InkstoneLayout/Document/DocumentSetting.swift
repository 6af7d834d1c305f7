import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The layout options that the host sets.
struct LayoutOptions: Hashable, Sendable {
    /// The default font of text.
    var font: FontDescriptor
    var container: TextContainer
    /// The default style of paragraphs.
    var paragraphStyle = ParagraphStyle()
    /// Whether each character is shown as a bullet.
    var masksCharacters = false
    /// Device pixels for each pixel in the text's attributes (font sizes and paragraph styles).
    var attributeScale = 1.0
    /// The styles of presentation intents, such as headings.
    var presentationStyleSheet = PresentationStyleSheet.standard
    /// The attributes that may be shown; nil to show all.
    var formattingDefinition: FormattingDefinition?
}

/// All inputs of layout except the text: the options, values derived from them, and the document's elements.
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
    /// The fonts for ``LayoutOptions/font`` and its fallbacks.
    private(set) var stack: FontStack
    private(set) var room: LineRoom
    /// Resolves the text's attributes to fonts and paragraph styles.
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

    /// Advance of the primary font's space in whole pixels, at least 1.
    var columnWidth: Double { Double(max(1, stack.primary.spaceAdvance)) }

    /// Approximate number of UTF-16 units on a full line; nil if lines do not wrap.
    var unitsPerLine: Double? {
        guard let width = room.width else { return nil }
        // About a twelfth of a line stays empty at word breaks.
        let advance = max(1, columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.6))
        return max(1, Double(width) * 0.92 / advance)
    }

    /// Returns an estimate of the size of a text before anything is laid out.
    func firstEstimate(of text: Rope) -> HeightEstimate {
        let line = lineHeight
        guard let perLine = unitsPerLine else {
            return HeightEstimate(
                perParagraph: line, perUnit: 0, advance: columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.7))
        }
        // On average half of a paragraph's last line is empty.
        let mean = Double(text.metrics.utf16) / Double(max(1, text.paragraphCount))
        // Short paragraphs fill one line each, whatever their length.
        let isShort = mean < perLine / 2
        return HeightEstimate(perParagraph: isShort ? line : line * 0.5, perUnit: isShort ? 0 : line / perLine)
    }

    // MARK: Paragraphs

    /// Returns the layout input for some UTF-16 units of a paragraph; nil if a content manager hides them. `content` is
    /// the units' text. `length` is the length of the whole document. The input has the container's room, without
    /// regard to exclusion paths. `direction` is called if the units alone do not decide the paragraph's direction.
    ///
    /// The style is the layout's default, changed by the text's attributes (`runs`) and then by the content
    /// manager.
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
            // Leave out the attributes of masked text: fonts could reveal something about its characters.
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
            (input.style.indent, input.style.firstLineIndent, input.style.columnIndents) = (0, 0, nil)
            input.marker = nil
        }
        return input
    }

    /// Returns the room for an attachment, in pixels: the width of the paragraph's first line or of its other
    /// lines, whichever is narrower, and the line height if that is fixed.
    private func attachmentRoom(_ input: ParagraphInput) -> (width: Double, height: Double?) {
        let (leading, trailing) = input.padding
        let indent = max(Int32(pixels: input.style.firstLineIndent), Int32(pixels: input.style.indent))
        let width = (input.room.width ?? input.room.alignmentWidth) - leading - trailing - indent
        guard case .exactly(let height) = input.style.lineHeight else { return (Double(max(1, width)), nil) }
        return (Double(max(1, width)), max(1, height))
    }

    /// Returns masked text: a bullet for each grapheme cluster, with the same number of UTF-16 units and the same
    /// cluster boundaries. The result depends only on the clusters' lengths. Tabs become bullets too.
    private func masked(_ units: [UInt16]) -> [UInt16] {
        tools.graphemes.setText(units)
        // Fill each cluster with combining grapheme joiners after the bullet: they are invisible and extend the
        // cluster.
        var result = [UInt16](repeating: 0x034f, count: units.count)
        var at: Int? = 0
        while let start = at, start < units.count {
            result[start] = 0x2022
            at = tools.graphemes.following(start)
        }
        return result
    }
}

/// The elements of a document, and the delegates that can hide or restyle these.
final class DocumentElements {
    let contentManager: any TextContentManager
    private let storage: TextContentStorage?
    /// Whether the content manager and the delegates are never called. Paragraphs are then laid out unchanged.
    private let isSilent: Bool
    /// The delegate that can provide custom fragments.
    weak var delegate: (any TextLayoutManagerDelegate)?
    /// The layout manager that the delegate belongs to.
    weak var owner: TextLayoutManager?
    /// Returns the size of an attachment that a view shows, on a line of the given width in pixels; nil for other
    /// attachments.
    var attachmentRoom: ((TextAttachment, UTF16Offset, Double) -> AttachmentBounds?)?

    init(_ contentManager: any TextContentManager) {
        self.contentManager = contentManager
        storage = contentManager as? TextContentStorage
        isSilent = false
    }

    /// Creates elements that use the content manager without calling it or any delegate.
    init(silent contentManager: any TextContentManager) {
        self.contentManager = contentManager
        storage = contentManager as? TextContentStorage
        isSilent = true
    }

    /// Whether the content manager, a delegate or an attachment's view is called when a fragment is laid out.
    var mayAsk: Bool { !isSilent && (mayDiffer || delegate != nil || attachmentRoom != nil) }

    /// Whether code outside of the layout is called with positions in the text when fragments are laid out. `isStyled`
    /// is whether the text has attributes, and so may have attachments.
    func mayAskAboutPositions(isStyled: Bool) -> Bool {
        !isSilent && (mayDiffer || delegate != nil || isStyled && attachmentRoom != nil)
    }

    /// Whether a content manager or delegate may hide or restyle elements.
    var mayDiffer: Bool {
        guard let storage else { return true }
        return storage.delegate != nil
    }

    /// Returns the paragraph as the content manager wants it shown; nil if the content manager hides it.
    func shown(_ element: TextParagraph) -> TextParagraph? {
        isSilent ? element : contentManager.textParagraph(element)
    }

    /// Returns the bounds of an attachment on a line; `room` is the line's width, and its height if that is fixed.
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

    /// Returns the delegate's custom fragment for an element; nil for the standard fragment.
    func custom(at offset: UTF16Offset, in element: TextParagraph) -> (any CustomTextLayoutFragment)? {
        guard let delegate, let owner else { return nil }
        return delegate.textLayoutManager(owner, textLayoutFragmentFor: offset, in: element)
    }
}
