import CShaping
import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Lays out a document's text on demand, and provides its lines, carets and selections.
///
/// All positions are whole device pixels of ``DocumentSpace``: relative to the container's top left, not scrolled.
/// The height of text that was not laid out is estimated. A query makes the height exact, which may move the text
/// below; so keep a ``ScrollAnchor`` and never a y. ``geometry`` computes positions. Not `Sendable`.
public final class TextLayoutManager {
    /// The store of the text; for a structured document, of a copy of its elements' texts.
    public let store: TextStore
    /// Decorations in addition to the text's own style. They move with the text when it is edited.
    package var decorations = DecorationLayers()
    private let lines: DocumentLayout
    /// Changes requested during a delegate call about a fragment, in order, to be made after the call.
    private var waiting: [(DocumentLayout) -> Void] = []
    /// The text version for which the layout was last updated.
    private var followed = TextVersion(0)

    /// Creates a layout of a store's text in a container. O(1): text is laid out on demand. If the system has no
    /// font, text takes up room but shows no glyphs.
    public convenience init(
        store: TextStore, container: TextContainer, font: FontDescriptor, settings: FontSettings = FontSettings(),
        paragraphStyle: ParagraphStyle = ParagraphStyle()
    ) {
        self.init(
            textContentManager: TextContentStorage(store), container: container, font: font, settings: settings,
            paragraphStyle: paragraphStyle)
    }

    /// Creates a layout of a custom content manager's document in a container. O(n), since the texts of the
    /// elements are copied; a ``TextContentStorage`` is used without copying. If the system has no font, text takes
    /// up room but shows no glyphs.
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

    /// Creates a layout of another store that shares the fonts, cached words and settings of `other`, but does not
    /// mask characters: for measuring text, and for views of the same style.
    package convenience init(sharing other: TextLayoutManager, store: TextStore) {
        var options = other.options
        options.masksCharacters = false
        self.init(TextContentStorage(store), store, options, other.lines.tools)
    }

    private init(
        _ contentManager: any TextContentManager, _ store: TextStore, _ options: LayoutOptions, _ tools: LayoutTools
    ) {
        TextStyle.registerKeys()
        self.store = store
        lines = DocumentLayout(
            store.styledText, DocumentSetting(options, tools, DocumentElements(contentManager)))
    }

    /// The document's layout. During a delegate call about a fragment, this is a copy of the layout as it was
    /// before that call. At other times, changes that were deferred during such a call are made first.
    var document: DocumentLayout {
        guard !lines.isAsking else { return lines.current }
        while !waiting.isEmpty { waiting.removeFirst()(lines) }
        return lines
    }

    /// The options. They do not change during a delegate call about a fragment, so they are then read from the layout
    /// itself rather than from the copy in ``document``.
    private var options: LayoutOptions { lines.isAsking ? lines.setting.options : document.setting.options }

    /// Changes the document's layout. During a delegate call about a fragment, the change is deferred until the
    /// layout is next used.
    private func change(_ body: @escaping (DocumentLayout) -> Void) {
        if lines.isAsking { waiting.append(body) } else { body(document) }
    }

    // MARK: Content and options

    /// The source of the document's elements and their styles.
    public var textContentManager: any TextContentManager { document.setting.elements.contentManager }

    /// The delegate that can provide custom fragments. Set it before layout, or invalidate the layout afterwards.
    /// Held weakly.
    public var delegate: (any TextLayoutManagerDelegate)? {
        get { lines.setting.elements.delegate }
        set { lines.setDelegate(newValue, of: self) }
    }

    /// Returns the bounds of an attachment that is shown as a view, on a line of the given width in pixels; nil for
    /// other attachments. Called if ``delegate`` returns nil. After setting this closure, invalidate layout that
    /// exists already.
    package var attachmentRoom: ((TextAttachment, UTF16Offset, Double) -> AttachmentBounds?)? {
        get { lines.setting.elements.attachmentRoom }
        set { lines.setting.elements.attachmentRoom = newValue }
    }

    /// The default font of text. Setting it lays everything out anew.
    public var font: FontDescriptor {
        get { options.font }
        set { setOption(\.font, newValue) }
    }

    /// The region in which text is laid out. Setting it lays everything out anew.
    public var container: TextContainer {
        get { options.container }
        set { setOption(\.container, newValue) }
    }

    /// The default style of paragraphs. Setting it lays everything out anew.
    public var paragraphStyle: ParagraphStyle {
        get { options.paragraphStyle }
        set { setOption(\.paragraphStyle, newValue) }
    }

    /// Whether each character is shown as a bullet, for secret text. Setting it lays everything out anew.
    public var masksCharacters: Bool {
        get { options.masksCharacters }
        set { setOption(\.masksCharacters, newValue) }
    }

    /// Device pixels for each pixel of the sizes and lengths in the text's attributes. Documents state these as if
    /// the display's scale were 1. Setting it lays everything out anew.
    public var attributeScale: Double {
        get { options.attributeScale }
        set { setOption(\.attributeScale, newValue) }
    }

    /// The styles of presentation intents, such as headings and code. Setting it lays everything out anew.
    public var presentationStyleSheet: PresentationStyleSheet {
        get { options.presentationStyleSheet }
        set { setOption(\.presentationStyleSheet, newValue) }
    }

    /// The attributes of text that are shown; nil to show all. The text keeps its other attributes. Setting it lays
    /// everything out anew.
    public var formattingDefinition: FormattingDefinition? {
        get { options.formattingDefinition }
        set { setOption(\.formattingDefinition, newValue) }
    }

    /// The object that holds the opened fonts. It is another one after each change of ``fontSettings``. Unlike these,
    /// it can be read during a delegate call without a copy of the layout.
    package var fontTools: AnyObject { lines.setting.tools }

    /// The settings for rendering glyphs, which affect advances. Setting them opens fonts and lays everything out
    /// anew.
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

    /// Discards all layout, for example after a change of fonts. O(1); text is laid out again when it is next
    /// requested.
    public func invalidateLayout() {
        let text = store.styledText
        change { $0.invalidate(text) }
    }

    /// Discards the layout of the paragraphs in a range; they are laid out anew when next requested. O(log n) plus
    /// the fragments in the range.
    public func invalidateLayout(for range: Range<UTF16Offset>) { change { $0.invalidate(range) } }

    // MARK: Updating after changes of the text

    /// Updates the layout for a transaction of the store. Call it for each transaction, in order.
    ///
    /// Usually only the affected paragraphs are laid out anew. In some cases all text from the first to the last
    /// section of the transaction is laid out anew: if there are more than 64 sections, if the style of kept text
    /// changes, or if a delegate may be called for a text beside exclusion paths. If that text is long, it is laid
    /// out only when requested. During a delegate call about a fragment, the update is deferred, and the returned
    /// change is that of the whole document.
    @discardableResult
    public func apply(_ applied: AppliedTransaction) -> LayoutChange {
        decorations.apply(applied.changes.changeMap)
        followed = applied.after
        guard lines.isAsking else { return document.follow(applied) }
        change { _ = $0.follow(applied) }
        return .everything(length: applied.text.metrics.utf16)
    }

    /// Updates the layout after a change of a custom content manager: the elements in the range `old` were replaced
    /// by those in the range `new`. Both ranges consist of whole elements. For a text store, call ``apply(_:)`` for
    /// each transaction instead.
    ///
    /// If a view shows the layout, the view is updated as for any edit, and repaints what has changed; the method
    /// then returns nil.
    @discardableResult
    public func textContentDidChange(in old: Range<UTF16Offset>, to new: Range<UTF16Offset>) -> LayoutChange? {
        let text = new.isEmpty ? "" : textContentManager.texts(in: new).text
        // Record no undo step in the store. The content manager owns the document and its undo; a step of the store
        // would change only the store's copy.
        let changes = TextChangeSet(replacing: store.text.byteRange(of: old), with: Rope(text), in: store.text)
        guard let applied = store.apply(Transaction(on: store, changes, undo: .notRecorded)) else { return nil }
        if applied.after == applied.before { return LayoutChange.none }
        return applied.after <= followed ? nil : apply(applied)
    }

    /// Whether ``store`` is a copy of a custom content manager's document.
    package var showsCopy: Bool { !(textContentManager is TextContentStorage) }

    // MARK: Geometry and measurements

    /// The positions of text on the screen, and caret moves. O(1) to create.
    public var geometry: TextGeometry { TextGeometry(self) }

    /// A counter, increased by each change that may move or alter a line. Geometry read before is valid as long as
    /// the counter is unchanged.
    package var generation: Int {
        if !lines.isAsking { _ = document }
        return lines.generation
    }

    /// Height of a line of the primary font in whole pixels.
    public var lineHeight: Double { document.setting.lineHeight }

    /// Advance of the primary font's space in whole pixels, at least 1; used for columns and caret widths.
    public var columnWidth: Double { document.setting.columnWidth }

    /// Family of the font that determines the line height: the family of ``font`` or, if that is not installed, of
    /// its substitute.
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

    /// Height of the whole text in device pixels; an estimate until all of the text has been laid out.
    public var usageHeight: Double { document.height }

    /// Width of the widest line laid out since all lines were last discarded or replaced, with padding, in device
    /// pixels; for horizontal scrolling if lines do not wrap.
    public var maximumLineWidth: Double { Double(document.widest) + 2 * container.lineFragmentPadding }

    /// Whether all text has been laid out. ``usageHeight`` is then exact.
    public var isExact: Bool { document.tree.total.gapUnits == 0 }

    /// Replaces estimated heights by exact ones: lays out text from the start of the document until `deadline`
    /// returns true, and keeps only the heights. Returns whether all heights are exact.
    ///
    /// Heights above the viewport may change, so keep a ``ScrollAnchor``. Texts longer than `limit` UTF-16 units
    /// are not laid out. `deadline` is called after each paragraph, or after each fragment of a long paragraph.
    @discardableResult
    public func refineHeights(limit: Int = 1 << 25, until deadline: () -> Bool) -> Bool {
        document.refineHeights(limit: limit, until: deadline)
    }

    /// Shapes one paragraph in the layout's own font, for measuring shaping alone. Returns the number of glyphs.
    package func shape(_ text: [UInt16]) -> Int {
        let setting = document.setting
        let spans = [StyleSpan(range: 0..<text.count, stack: setting.stack, spacing: setting.options.font.spacing)]
        return document.tools.shaper.shape(text, styles: spans, direction: .leftToRight).glyphs.count
    }

    /// Empties the cache of shaped words. The next layout shapes all words anew.
    package func forgetWords() { document.tools.shaper.forgetWords() }
}
