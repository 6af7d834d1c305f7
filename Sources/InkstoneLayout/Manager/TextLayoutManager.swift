import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Lays out a document's text: where its lines, carets and selections are, for as much of it as is asked about.
///
/// All positions are whole device pixels of ``DocumentSpace``: origin at the container's top left, not
/// scrolled. What lies outside the part that was laid out has estimated heights; asking for a place makes that place
/// exact and may move what is below it, so hold on to a ``ScrollAnchor``, never to a y. Where places lie is in ``geometry``.
/// Not `Sendable`.
public final class TextLayoutManager {
    /// The document; of a structured one, a copy of the texts of its elements.
    public let store: TextStore
    /// Painting beyond the text's own style; follows edits.
    public var decorations = DecorationLayers()
    private let lines: DocumentLayout
    /// Changes that came while somebody was asked about a fragment, in order.
    private var waiting: [(DocumentLayout) -> Void] = []
    /// The version of the text that was followed last.
    private var followed = TextVersion(0)

    /// Lays out a store's text in a container. O(1): nothing is laid out before it is asked for.
    ///
    /// Traps if the system has no font.
    public convenience init(
        store: TextStore, container: TextContainer, font: FontDescriptor, settings: FontSettings = FontSettings(),
        paragraphStyle: ParagraphStyle = ParagraphStyle()
    ) {
        self.init(
            textContentManager: TextContentStorage(store), container: container, font: font, settings: settings,
            paragraphStyle: paragraphStyle)
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
            textContentManager, store,
            LayoutOptions(font: font, container: container, paragraphStyle: paragraphStyle),
            LayoutTools(settings: settings))
    }

    /// Lays out another store with this one's fonts, words and settings: for measuring and for views of one style.
    package convenience init(sharing other: TextLayoutManager, store: TextStore) {
        var options = other.document.setting.options
        options.masksCharacters = false
        self.init(TextContentStorage(store), store, options, other.document.tools)
    }

    private init(
        _ contentManager: any TextContentManager, _ store: TextStore, _ options: LayoutOptions, _ tools: LayoutTools
    ) {
        TextStyle.registerKeys()
        self.store = store
        lines = DocumentLayout(
            store.styledText, DocumentSetting(options, tools, DocumentElements(contentManager)))
    }

    /// The lines of the text. Who asks while being asked about a fragment reads them as they were before; changes that were made by such
    /// are followed first.
    var document: DocumentLayout {
        guard !lines.isAsking else { return lines.current }
        while !waiting.isEmpty { waiting.removeFirst()(lines) }
        return lines
    }

    /// Changes the lines; if somebody is being asked about a fragment, when next somebody needs them.
    private func change(_ body: @escaping (DocumentLayout) -> Void) {
        if lines.isAsking { waiting.append(body) } else { body(document) }
    }

    // MARK: What is laid out, and how

    /// What the elements of the document are, and how they look.
    public var textContentManager: any TextContentManager { document.setting.elements.contentManager }

    /// Who may have elements laid out in fragments of another kind; set it before layout, or invalidate. Held weakly.
    public var delegate: (any TextLayoutManagerDelegate)? {
        get { lines.setting.elements.delegate }
        set { lines.setDelegate(newValue, of: self) }
    }

    /// The room of an attachment at an offset that a view is shown for, on a line of a width in pixels; nil for any other. Asked where
    /// ``delegate`` has nothing to say. Nothing is laid out anew when it is set.
    package var attachmentRoom: ((TextAttachment, UTF16Offset, Double) -> AttachmentBounds?)? {
        get { lines.setting.elements.attachmentRoom }
        set { lines.setting.elements.attachmentRoom = newValue }
    }

    /// The font of text that says nothing else. Setting it lays everything out anew.
    public var font: FontDescriptor {
        get { document.setting.options.font }
        set { setOption(\.font, newValue) }
    }

    /// The region to fill. Setting it lays everything out anew.
    public var container: TextContainer {
        get { document.setting.options.container }
        set { setOption(\.container, newValue) }
    }

    /// The style of all paragraphs. Setting it lays everything out anew.
    public var paragraphStyle: ParagraphStyle {
        get { document.setting.options.paragraphStyle }
        set { setOption(\.paragraphStyle, newValue) }
    }

    /// Whether a bullet is shown for each character: for text that nobody may read. Setting it lays everything out anew.
    public var masksCharacters: Bool {
        get { document.setting.options.masksCharacters }
        set { setOption(\.masksCharacters, newValue) }
    }

    /// Device pixels for one pixel of the sizes and lengths in the text's attributes: documents say
    /// these as if the display's scale were 1. Setting it lays everything out anew.
    public var attributeScale: Double {
        get { document.setting.options.attributeScale }
        set { setOption(\.attributeScale, newValue) }
    }

    /// The looks of text whose attributes say what it is and not how it looks. Setting it lays everything out anew.
    public var presentationStyleSheet: PresentationStyleSheet {
        get { document.setting.options.presentationStyleSheet }
        set { setOption(\.presentationStyleSheet, newValue) }
    }

    /// The formatting that is shown of what the text's attributes say; nil for all of it. The text keeps its attributes. Setting it lays
    /// everything out anew.
    public var formattingDefinition: FormattingDefinition? {
        get { document.setting.options.formattingDefinition }
        set { setOption(\.formattingDefinition, newValue) }
    }

    /// How glyphs are rendered, which advances depend on. Setting it opens fonts and lays everything out anew.
    public var fontSettings: FontSettings {
        get { document.tools.context.settings }
        set {
            guard newValue != fontSettings else { return }
            let text = store.styledText
            change { $0.change(text) { $0.tools = LayoutTools(settings: newValue) } }
        }
    }

    private func setOption<Value: Equatable>(_ option: WritableKeyPath<LayoutOptions, Value>, _ value: Value) {
        guard document.setting.options[keyPath: option] != value else { return }
        let text = store.styledText
        change { $0.change(text) { $0.options[keyPath: option] = value } }
    }

    /// Forgets all layout, as after a change of fonts. O(1); what is visible is laid out when next asked for.
    public func invalidateLayout() {
        let text = store.styledText
        change { $0.invalidate(text) }
    }

    /// Forgets the layout of a range: its paragraphs are laid out anew when next asked for. O(log n) and the fragments.
    public func invalidateLayout(for range: Range<UTF16Offset>) { change { $0.invalidate(range) } }

    // MARK: Following the text

    /// Follows a transaction of the store: call it for each, in order. Of up to 64 sections only the paragraphs touched are laid
    /// out anew; of more, what lies between the first and the last, or it is left until it is asked for if it is much.
    ///
    /// While a content manager or delegate is asked about a fragment, the lines follow later, and the change that is returned is all of
    /// the document.
    @discardableResult
    public func apply(_ applied: AppliedTransaction) -> LayoutChange {
        decorations.apply(applied.changes.changeMap)
        followed = applied.after
        guard lines.isAsking else { return document.follow(applied) }
        change { _ = $0.follow(applied) }
        return .everything(length: applied.text.metrics.utf16)
    }

    /// Follows a change of a content manager of one's own: elements that made up a range of the document before it make
    /// up another now. Both are ranges of whole elements. Of a store, ``apply(_:)`` follows each transaction instead.
    ///
    /// A view of the layout follows as it follows all edits. Then nil is returned: what has to be painted is known to it.
    @discardableResult
    public func textContentDidChange(in old: Range<UTF16Offset>, to new: Range<UTF16Offset>) -> LayoutChange? {
        let text = new.isEmpty ? "" : textContentManager.texts(in: new).text
        // The document is not the store's: there is nothing here to take back.
        let changes = TextChangeSet(replacing: store.text.byteRange(of: old), with: Rope(text), in: store.text)
        guard let applied = store.apply(Transaction(on: store, changes, undo: .notRecorded)) else { return nil }
        if applied.after == applied.before { return LayoutChange.none }
        return applied.after <= followed ? nil : apply(applied)
    }

    /// Whether ``store`` is a copy of a document that a content manager of one's own keeps.
    package var showsCopy: Bool { !(textContentManager is TextContentStorage) }

    // MARK: Measures

    /// Where places lie on the screen, and moves among them. O(1) to make.
    public var geometry: TextGeometry { TextGeometry(self) }

    /// Grows with everything that may move or change a line: as long as it stays, geometry that was asked for stands.
    package var generation: Int {
        if !lines.isAsking { _ = document }
        return lines.generation
    }

    /// Height of a line of the primary font in whole pixels.
    public var lineHeight: Double { document.setting.lineHeight }

    /// Advance of a digit zero or a space of the primary font in whole pixels: for columns and caret widths.
    public var columnWidth: Double { document.setting.columnWidth }

    /// Family of the font that lines get their height from: what ``font`` asks for, or what stands in for it.
    public var fontFamily: String {
        var name = ""
        var isEscaped = false
        for character in FontTable.pattern(for: document.setting.stack.primary.id) {
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

    /// Length of the text in UTF-16 units, as laid out.
    public var length: UTF16Offset { UTF16Offset(document.text.metrics.utf16) }

    /// Height of the whole text in device pixels; an estimate as long as parts of it were not laid out.
    public var usageHeight: Double { document.height }

    /// Width of the widest line laid out so far, in device pixels: for horizontal scrolling where lines do not wrap.
    public var maximumLineWidth: Double { Double(document.widest) + 2 * container.lineFragmentPadding }

    /// Whether every part of the text was laid out, so that ``usageHeight`` is exact.
    public var isExact: Bool { document.tree.total.gapUnits == 0 }

    /// Lays out what has only estimated heights, from the start of the document on, until `deadline` says
    /// stop; keeps their heights and not their lines. Returns whether everything is exact now.
    ///
    /// Heights above what is seen may change: hold on to a ``ScrollAnchor``. Texts above `limit` UTF-16 units stay
    /// estimated. `deadline` is asked after each paragraph, or fragment of a long one.
    @discardableResult
    public func refineHeights(limit: Int = 1 << 25, until deadline: () -> Bool) -> Bool {
        document.refineHeights(limit: limit, until: deadline)
    }

    /// Shapes one paragraph in the layout's own font and nothing else, for measuring. Returns the number of glyphs.
    package func shape(_ text: [UInt16]) -> Int {
        let setting = document.setting
        let spans = [StyleSpan(range: 0..<text.count, stack: setting.stack, spacing: setting.options.font.spacing)]
        return document.tools.shaper.shape(text, styles: spans, direction: .leftToRight).glyphs.count
    }

    /// Forgets the shapes of words, so that the next layout calls HarfBuzz for all.
    package func forgetWords() { document.tools.shaper.forgetWords() }
}
