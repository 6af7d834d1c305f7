import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Lays out a document's text: where its lines, carets and selections are, for as much of it as is asked about.
///
/// All positions are whole device pixels of ``DocumentSpace``: origin at the container's top left, not
/// scrolled. What lies outside the part that was laid out has estimated heights; asking for a place makes that place
/// exact and may move what is below it, so hold on to a ``ScrollAnchor``, never to a y. Not `Sendable`.
public final class TextLayoutManager {
    /// The document; of a structured one, a copy of the texts of its elements.
    public let store: TextStore
    /// What the elements of the document are, and how they look.
    public let textContentManager: any TextContentManager
    private let storage: TextContentStorage?
    /// The text as it was laid out: the store's, up to the last edit that was applied.
    var text: Rope
    private(set) var tools: LayoutTools
    var tree: PieceTree { didSet { tree.changes = oldValue.changes + 1 } }
    var estimate = HeightEstimate(perParagraph: 16, perUnit: 0) { didSet { tree.changes += 1 } }
    /// Grows with everything that may move or change a line: as long as it stays, geometry that was asked for stands.
    package var generation: Int { tree.changes }
    var stack: FontStack
    /// Pieces laid out and kept, oldest use first as far as known.
    var live: [LaidPiece] = []
    /// Their units, with something for each piece's own size.
    var liveUnits = 0
    var clock = 0
    /// The piece asked for last, of use as long as the generation stays and its lines are kept.
    var lastPlaced: (generation: Int, piece: PlacedPiece)?
    /// Painting beyond the text's own style; follows edits.
    public var decorations = DecorationLayers()
    /// Direction of the long paragraph laid out last: where it starts, and a unit before which what decides it stands.
    var lastDirection: (start: Int, direction: BidiBaseDirection, knownAt: Int)?
    /// Widest line laid out so far, whole pixels.
    var widest: Int32 = 0
    /// Whether the estimate of widths comes from text that was laid out.
    var isAdvanceMeasured = false

    /// Who may have elements laid out in fragments of another kind; set it before layout, or invalidate.
    public weak var delegate: (any TextLayoutManagerDelegate)?

    /// Where lines find room beside the container's exclusion paths; nil if there are none.
    var exclusions: ExclusionBands?
    /// Top edge in pixels of the document of the piece that is laid out next: exact wherever paths may be met.
    var pieceTop = 0.0
    var isLayingOutBesideExclusions = false

    /// Units above which a paragraph is laid out in segments.
    static let longParagraph = 3072
    /// About how long these are, in UTF-16 units: a line, because a key lays out its whole segment. Where lines do not
    /// wrap, see ``sidewaysSegment``.
    private(set) var segment = 512
    /// About how long segments that stand side by side are, in UTF-16 units.
    static let sidewaysSegment = 512
    /// What lies further behind known lines than this, in UTF-16 units, is not reached by laying out all between.
    static let jump = 2048

    /// The font of text that says nothing else. Setting it lays everything out anew.
    public var font: FontDescriptor {
        didSet {
            guard font != oldValue else { return }
            stack = tools.context.stack(for: font)
            invalidateLayout()
        }
    }

    /// How glyphs are rendered, which advances depend on. Setting it opens fonts and lays everything out anew.
    public var fontSettings: FontSettings {
        get { tools.context.settings }
        set {
            guard newValue != fontSettings else { return }
            tools = LayoutTools(settings: newValue)
            stack = tools.context.stack(for: font)
            invalidateLayout()
        }
    }

    /// The region to fill. Setting it lays everything out anew.
    public var container: TextContainer {
        didSet { if container != oldValue { invalidateLayout() } }
    }

    /// The style of all paragraphs. Setting it lays everything out anew.
    public var paragraphStyle: ParagraphStyle {
        didSet { if paragraphStyle != oldValue { invalidateLayout() } }
    }

    /// Whether a bullet is shown for each character: for text that nobody may read. Setting it lays everything out anew.
    public var masksCharacters = false {
        didSet { if masksCharacters != oldValue { invalidateLayout() } }
    }

    /// Lays out a store's text in a container. O(1): nothing is laid out before it is asked for.
    ///
    /// Traps if the system has no font.
    public convenience init(
        store: TextStore, container: TextContainer, font: FontDescriptor, settings: FontSettings = FontSettings(),
        paragraphStyle: ParagraphStyle = ParagraphStyle()
    ) {
        self.init(
            TextContentStorage(store), store, container: container, font: font,
            tools: LayoutTools(settings: settings), paragraphStyle: paragraphStyle)
    }

    /// Lays out a document of one's own kind of content manager in a container. O(n): the texts of its elements are
    /// copied. Of a ``TextContentStorage`` the store itself is used.
    ///
    /// Traps if the system has no font.
    public convenience init(
        textContentManager: any TextContentManager, container: TextContainer, font: FontDescriptor,
        settings: FontSettings = FontSettings(), paragraphStyle: ParagraphStyle = ParagraphStyle()
    ) {
        let store =
            (textContentManager as? TextContentStorage)?.store
            ?? TextStore(Rope(textContentManager.texts(in: textContentManager.documentRange).text))
        self.init(
            textContentManager, store, container: container, font: font, tools: LayoutTools(settings: settings),
            paragraphStyle: paragraphStyle)
    }

    init(
        _ contentManager: any TextContentManager, _ store: TextStore, container: TextContainer, font: FontDescriptor,
        tools: LayoutTools, paragraphStyle: ParagraphStyle
    ) {
        self.tools = tools
        self.store = store
        textContentManager = contentManager
        storage = contentManager as? TextContentStorage
        self.container = container
        self.font = font
        self.paragraphStyle = paragraphStyle
        text = store.text
        stack = tools.context.stack(for: font)
        tree = PieceTree(units: 1, paragraphs: 1)
        invalidateLayout()
    }

    /// Forgets all layout, as after a change of fonts. O(1); what is visible is laid out when next asked for.
    public func invalidateLayout() {
        text = store.text
        live.removeAll()
        liveUnits = 0
        lastDirection = nil
        exclusions = container.exclusionBands
        widest = 0
        isAdvanceMeasured = false
        tree = PieceTree(units: text.metrics.utf16 + 1, paragraphs: text.paragraphCount)
        estimate = firstEstimate()
        segment = Int(min(1024, max(128, 1.2 * (unitsPerLine ?? 0))))
    }

    /// Height of a line of the primary font in whole pixels.
    public var lineHeight: Double { Double(LineHeights(paragraphStyle, stack.primary, tools.context).natural) }

    /// Family of the font that lines get their height from: what ``font`` asks for, or what stands in for it.
    public var fontFamily: String {
        var name = ""
        var isEscaped = false
        for character in FontTable.pattern(for: stack.primary.id) {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, character == ":" || character == "," { break }
            isEscaped = false
            name.append(character)
        }
        return name
    }

    /// Advance of a digit zero or a space of the primary font in whole pixels: for columns and caret widths.
    public var columnWidth: Double {
        Double(max(1, stack.primary.spaceAdvance))
    }

    /// About how many UTF-16 units a full line has; nil where lines are never full.
    private var unitsPerLine: Double? {
        guard let width = container.room.width else { return nil }
        // Words leave a tenth of a line empty.
        let advance = max(1, columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.6))
        return max(1, Double(width) * 0.92 / advance)
    }

    private func firstEstimate() -> HeightEstimate {
        let line = lineHeight
        guard let perLine = unitsPerLine else {
            return HeightEstimate(
                perParagraph: line, perUnit: 0, advance: columnWidth * (stack.primary.metrics.fixed_pitch ? 1 : 1.7))
        }
        // Half of a paragraph's last line is empty on average.
        let metrics = text.metrics
        let mean = Double(metrics.utf16) / Double(max(1, text.paragraphCount))
        // Short paragraphs fill one line each, whatever their length.
        let perUnit = mean < perLine / 2 ? 0 : line / perLine
        let perParagraph = mean < perLine / 2 ? line : line * 0.5
        return HeightEstimate(perParagraph: perParagraph, perUnit: perUnit)
    }

    /// Whether elements may be hidden or look different from the store's paragraphs.
    var mayDiffer: Bool { storage?.delegate != nil || storage == nil }

    /// Follows a change of a content manager of one's own: elements that made up a range of the document before it make
    /// up another now. Both are ranges of whole elements. Of a store, ``apply(_:)`` follows each edit instead.
    @discardableResult
    public func textContentDidChange(in old: Range<UTF16Offset>, to new: Range<UTF16Offset>) -> LayoutChange {
        let text = new.isEmpty ? "" : textContentManager.texts(in: new).text
        return apply(store.replace(old, with: text))
    }

    /// Length of the text in UTF-16 units, as laid out.
    public var length: UTF16Offset { UTF16Offset(text.metrics.utf16) }

    /// Height of the whole text in device pixels; an estimate as long as parts of it were not laid out.
    public var usageHeight: Double { estimate.height(of: tree.total).rounded(.up) }

    /// Width of the widest line laid out so far, in device pixels: for horizontal scrolling where lines do not wrap.
    public var maximumLineWidth: Double {
        Double(widest) + 2 * container.lineFragmentPadding
    }

    /// Whether every part of the text was laid out, so that ``usageHeight`` is exact.
    public var isExact: Bool { tree.total.gapUnits == 0 }

    func clampedUnit(_ offset: UTF16Offset) -> Int { min(max(0, offset.value), text.metrics.utf16) }

    /// Top of what comes after `sum`, in pixels.
    func top(of sum: PieceSum) -> Double { estimate.height(of: sum).rounded(.down) }
}

/// A piece in its place.
struct PlacedPiece {
    var piece: LaidPiece
    /// Unit that it starts at, and paragraphs before it.
    var start: Int
    var paragraph: Int
    /// Units including the terminator.
    var units: Int
    /// Top edge in pixels of the document.
    var y: Double
    /// Left edge in pixels of the document: 0 but for segments side by side.
    var x: Double = 0

    /// Whether it holds a unit, the terminator included.
    func holds(_ unit: Int) -> Bool { unit >= start && unit < start + units }
}

extension TextLayoutManager {
    /// Lays out another store with this one's fonts, words and settings: for measuring and for views of one style.
    package convenience init(sharing other: TextLayoutManager, store: TextStore) {
        self.init(
            TextContentStorage(store), store, container: other.container, font: other.font, tools: other.tools,
            paragraphStyle: other.paragraphStyle)
    }

    /// Shapes one paragraph in the layout's own font and nothing else, for measuring. Returns the number of glyphs.
    package func shape(_ text: [UInt16]) -> Int {
        tools.shaper.shape(
            text, styles: [StyleSpan(range: 0..<text.count, stack: stack)], direction: .leftToRight
        ).glyphs.count
    }

    /// Forgets the shapes of words, so that the next layout calls HarfBuzz for all.
    package func forgetWords() { tools.shaper.cache.removeAll() }
}
