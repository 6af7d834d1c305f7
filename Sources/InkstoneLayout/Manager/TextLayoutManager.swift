import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Lays out a document's text on demand and provides its lines, carets and selections.
///
/// All positions are whole device pixels of ``DocumentSpace``: origin at the container's top left, not
/// scrolled. Heights of text that was not laid out are estimates; a query makes them exact and may move the text
/// below, so keep a ``ScrollAnchor``, never a y. ``geometry`` answers questions about positions.
/// Not `Sendable`.
public final class TextLayoutManager {
    /// The document; for a structured document, a copy of the texts of its elements.
    public let store: TextStore
    /// Decorations beyond the text's own style; they follow edits.
    public var decorations = DecorationLayers()
    private let lines: DocumentLayout
    /// Changes made during a delegate call about a fragment, in order, to be applied later.
    private var waiting: [(DocumentLayout) -> Void] = []
    /// The version of the text that the lines were last updated for.
    private var followed = TextVersion(0)

    /// Creates a layout of a store's text in a container. O(1): text is laid out on demand.
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

    /// Creates a layout of a custom content manager's document in a container. O(n): the texts of its elements are
    /// copied. For a ``TextContentStorage``, the store itself is used.
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

    /// Creates a layout of another store with this one's fonts, words and settings: for measuring, and for views of one style.
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

    /// The lines of the text. During a delegate call about a fragment, the lines before the call; otherwise pending changes are applied
    /// first.
    var document: DocumentLayout {
        guard !lines.isAsking else { return lines.current }
        while !waiting.isEmpty { waiting.removeFirst()(lines) }
        return lines
    }

    /// Changes the lines; during a delegate call about a fragment, the change is deferred until the lines are needed next.
    private func change(_ body: @escaping (DocumentLayout) -> Void) {
        if lines.isAsking { waiting.append(body) } else { body(document) }
    }

    // MARK: Content and options

    /// The source of the document's elements and of their styles.
    public var textContentManager: any TextContentManager { document.setting.elements.contentManager }

    /// The delegate that can provide custom fragments; set it before layout, or invalidate. Held weakly.
    public var delegate: (any TextLayoutManagerDelegate)? {
        get { lines.setting.elements.delegate }
        set { lines.setDelegate(newValue, of: self) }
    }

    /// Returns the room of an attachment that is shown by a view, on a line of a width in pixels; nil for any other attachment. Called if
    /// ``delegate`` returns nil. Setting it lays nothing out anew.
    package var attachmentRoom: ((TextAttachment, UTF16Offset, Double) -> AttachmentBounds?)? {
        get { lines.setting.elements.attachmentRoom }
        set { lines.setting.elements.attachmentRoom = newValue }
    }

    /// The default font of text. Setting it lays everything out anew.
    public var font: FontDescriptor {
        get { document.setting.options.font }
        set { setOption(\.font, newValue) }
    }

    /// The region to fill. Setting it lays everything out anew.
    public var container: TextContainer {
        get { document.setting.options.container }
        set { setOption(\.container, newValue) }
    }

    /// The default style of paragraphs. Setting it lays everything out anew.
    public var paragraphStyle: ParagraphStyle {
        get { document.setting.options.paragraphStyle }
        set { setOption(\.paragraphStyle, newValue) }
    }

    /// Whether a bullet is shown for each character, for secret text. Setting it lays everything out anew.
    public var masksCharacters: Bool {
        get { document.setting.options.masksCharacters }
        set { setOption(\.masksCharacters, newValue) }
    }

    /// Device pixels for one pixel of the sizes and lengths in the text's attributes: documents state
    /// these as if the display's scale were 1. Setting it lays everything out anew.
    public var attributeScale: Double {
        get { document.setting.options.attributeScale }
        set { setOption(\.attributeScale, newValue) }
    }

    /// The styles of presentation intents, which state the role of text. Setting it lays everything out anew.
    public var presentationStyleSheet: PresentationStyleSheet {
        get { document.setting.options.presentationStyleSheet }
        set { setOption(\.presentationStyleSheet, newValue) }
    }

    /// Filter for the formatting in the text's attributes; nil to show all of it. The text keeps its attributes. Setting it lays
    /// everything out anew.
    public var formattingDefinition: FormattingDefinition? {
        get { document.setting.options.formattingDefinition }
        set { setOption(\.formattingDefinition, newValue) }
    }

    /// The rendering settings of glyphs, which affect advances. Setting it opens fonts and lays everything out anew.
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

    /// Discards all layout, as after a change of fonts. O(1); visible text is laid out when next requested.
    public func invalidateLayout() {
        let text = store.styledText
        change { $0.invalidate(text) }
    }

    /// Discards the layout of a range: its paragraphs are laid out anew when next requested. O(log n) plus the fragments.
    public func invalidateLayout(for range: Range<UTF16Offset>) { change { $0.invalidate(range) } }

    // MARK: Following the text

    /// Updates the layout for a transaction of the store. Call it for each, in order.
    ///
    /// Of up to 64 sections only the affected paragraphs are laid out anew; of more, everything from the first to the last section, or it is
    /// deferred until it is requested if it is long. During a delegate call about a fragment, the update is deferred, and the returned change
    /// is all of the document.
    @discardableResult
    public func apply(_ applied: AppliedTransaction) -> LayoutChange {
        decorations.apply(applied.changes.changeMap)
        followed = applied.after
        guard lines.isAsking else { return document.follow(applied) }
        change { _ = $0.follow(applied) }
        return .everything(length: applied.text.metrics.utf16)
    }

    /// Updates the layout for a change of a custom content manager: elements that made up the range `old` now make up the range
    /// `new`. Both are ranges of whole elements. For a store, call ``apply(_:)`` for each transaction instead.
    ///
    /// A view of the layout updates itself as for all edits. In that case nil is returned, because the view knows what to repaint.
    @discardableResult
    public func textContentDidChange(in old: Range<UTF16Offset>, to new: Range<UTF16Offset>) -> LayoutChange? {
        let text = new.isEmpty ? "" : textContentManager.texts(in: new).text
        // The document is not the store's, so the change must not be undoable here.
        let changes = TextChangeSet(replacing: store.text.byteRange(of: old), with: Rope(text), in: store.text)
        guard let applied = store.apply(Transaction(on: store, changes, undo: .notRecorded)) else { return nil }
        if applied.after == applied.before { return LayoutChange.none }
        return applied.after <= followed ? nil : apply(applied)
    }

    /// Whether ``store`` is a copy of a custom content manager's document.
    package var showsCopy: Bool { !(textContentManager is TextContentStorage) }

    // MARK: Measures

    /// The positions of text on the screen, and moves among them. O(1) to create.
    public var geometry: TextGeometry { TextGeometry(self) }

    /// Generation, increased by every change that may move or alter a line. As long as it is equal, geometry read before is valid.
    package var generation: Int {
        if !lines.isAsking { _ = document }
        return lines.generation
    }

    /// Height of a line of the primary font in whole pixels.
    public var lineHeight: Double { document.setting.lineHeight }

    /// Advance of the primary font's space in whole pixels, at least 1: for columns and caret widths.
    public var columnWidth: Double { document.setting.columnWidth }

    /// Family of the font that determines the height of lines: that of ``font``, or of its substitute.
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

    /// Length of the laid-out text in UTF-16 units.
    public var length: UTF16Offset { UTF16Offset(document.text.metrics.utf16) }

    /// Height of the whole text in device pixels; an estimate as long as parts of it were not laid out.
    public var usageHeight: Double { document.height }

    /// Width of the widest line laid out so far, in device pixels: for horizontal scrolling where lines do not wrap.
    public var maximumLineWidth: Double { Double(document.widest) + 2 * container.lineFragmentPadding }

    /// Whether every part of the text was laid out, so that ``usageHeight`` is exact.
    public var isExact: Bool { document.tree.total.gapUnits == 0 }

    /// Lays out text with estimated heights, from the start of the document on, until `deadline` returns
    /// true; keeps the heights and not the lines. Returns whether all heights are exact.
    ///
    /// Heights above the viewport may change: keep a ``ScrollAnchor``. Texts above `limit` UTF-16 units stay
    /// estimated. `deadline` is called after each paragraph, or fragment of a long one.
    @discardableResult
    public func refineHeights(limit: Int = 1 << 25, until deadline: () -> Bool) -> Bool {
        document.refineHeights(limit: limit, until: deadline)
    }

    /// Shapes one paragraph in the layout's own font only, for measuring. Returns the number of glyphs.
    package func shape(_ text: [UInt16]) -> Int {
        let setting = document.setting
        let spans = [StyleSpan(range: 0..<text.count, stack: setting.stack, spacing: setting.options.font.spacing)]
        return document.tools.shaper.shape(text, styles: spans, direction: .leftToRight).glyphs.count
    }

    /// Removes the cached shapes of words, so that the next layout calls HarfBuzz for all.
    package func forgetWords() { document.tools.shaper.forgetWords() }
}
