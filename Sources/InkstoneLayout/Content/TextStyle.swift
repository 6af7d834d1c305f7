import InkstoneBase
import InkstoneText

/// The style of a stretch of text: what ``StyleAttributeKey``s change. All lengths are pixels at scale 1: see
/// ``TextLayoutManager/attributeScale``.
public struct TextStyle: Hashable, Sendable {
    /// Font of the text.
    public var font: FontDescriptor
    /// Distance of the text's baseline above that of its line. Clamped to ±1,000.
    public var baselineOffset = 0.0 { didSet { baselineOffset = baselineOffset.checked(in: -1000...1000) } }
    /// Style of the text's paragraph. That of the paragraph's first character counts.
    public var paragraph: ParagraphStyle
    /// The lists that the text's paragraph is in; nil for none. That of the paragraph's first character counts.
    public var listItem: ListItem?
    /// Colours and lines, which move nothing.
    public var rendering = RenderingAttributes()
    /// The attachment in place of each character that is U+FFFC; nil for the characters.
    public var attachment: TextAttachment?
}

/// An attribute that changes the style of its text.
///
/// The key is all that an attribute needs to be shown. Layout resolves each set of attributes once, so where a value changes, lines
/// are laid out anew if the font or the paragraph comes out different, and only painted if ``TextStyle/rendering`` does.
///
/// ```swift
/// enum Code: StyleAttributeKey, CodedAttributeKey {
///     typealias Value = Bool
///     static let name = "com.example.code"
///     static func apply(_ value: Bool, to style: inout TextStyle) {
///         if value { style.font.setFamily("monospace") }
///     }
/// }
/// ```
public protocol StyleAttributeKey: AttributeKey {
    /// Rank among the keys that text has, which change its style in ascending order; those of one rank in the order of their names.
    /// 0 unless said otherwise, as for keys that set a trait; above it for keys that depend on what others set.
    static var order: Int { get }
    /// Changes a style as a value says.
    static func apply(_ value: Value, to style: inout TextStyle)
}

extension StyleAttributeKey {
    /// 0.
    public static var order: Int { 0 }

    fileprivate static func apply(any value: any Hashable & Sendable, to style: inout TextStyle) {
        if let value = value as? Value { apply(value, to: &style) }
    }
}

extension TextStyle {
    /// Changes the style as all attributes that are about it say.
    mutating func apply(_ attributes: TextAttributes) {
        let changes = attributes.values.compactMap { key, value in
            (key as? any StyleAttributeKey.Type).map { ($0, value) }
        }
        for (key, value) in changes.sorted(by: { ($0.0.order, $0.0.name) < ($1.0.order, $1.0.name) }) {
            key.apply(any: value, to: &self)
        }
    }
}

/// A style as text is laid out and painted with it: lengths in device pixels, and nil for what is the layout's own.
struct ResolvedStyle {
    var font: FontDescriptor?
    /// Whole pixels above the line's baseline.
    var baselineOffset = 0.0
    var paragraph: ParagraphStyle?
    var listItem: ListItem?
    var rendering: RenderingAttributes?
    var attachment: TextAttachment?

    /// Whether all is the layout's own.
    var isPlain: Bool {
        font == nil && baselineOffset == 0 && paragraph == nil && listItem == nil && rendering == nil
            && attachment == nil
    }

    /// Whether lines come out the same in both.
    func isLaidOut(like other: Self) -> Bool {
        font == other.font && baselineOffset == other.baselineOffset && paragraph == other.paragraph
            && listItem == other.listItem && attachment == other.attachment
    }
}

/// Resolves sets of attributes to styles, each set once while text has it. Text without attributes never gets here.
final class StyleResolver {
    private struct Entry {
        var id: AttributeID
        /// Nil for that of text without attributes: most attributes of a program's own are no style.
        var style: Style?
    }

    /// Apart from the table, which grows by copying.
    private final class Style {
        let resolved: ResolvedStyle

        init(_ resolved: ResolvedStyle) { self.resolved = resolved }
    }

    private let font: FontDescriptor
    private let scale: Double
    private let sheet: PresentationStyleSheet
    private let definition: FormattingDefinition?
    /// The layout's own style, in pixels at scale 1.
    private let base: TextStyle
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Number of entries at which those of sets that no text has are released next.
    private var releaseLimit = spareEntries

    /// Entries that are added before unused ones are released.
    private static let spareEntries = 64

    init(_ options: LayoutOptions) {
        font = options.font
        scale = options.attributeScale
        sheet = options.presentationStyleSheet
        definition = options.formattingDefinition
        base = TextStyle(
            font: scale == 1 ? font : font.scaled(by: 1 / scale),
            paragraph: scale == 1 ? options.paragraphStyle : options.paragraphStyle.scaled(by: 1 / scale))
    }

    /// Number of sets whose styles are kept.
    var count: Int { entries.count }

    /// The style of a set of attributes. A look-up by the identity of the set; O(k log k) for k attributes the first time.
    func style(of id: AttributeID) -> ResolvedStyle {
        guard let identity = id.identity else { return ResolvedStyle() }
        if let known = entries[identity] { return known.style?.resolved ?? ResolvedStyle() }
        if entries.count >= releaseLimit {
            for key in Array(entries.keys) where entries[key]?.id.isOnlyReference() == true { entries[key] = nil }
            // Twice as many, so that sets that are all in use are not gone through for every few that come.
            releaseLimit = max(entries.count + Self.spareEntries, 2 * entries.count)
        }
        var style = base
        let attributes = definition?.constrained(id.attributes) ?? id.attributes
        sheet.apply(attributes, to: &style, size: base.font.size)
        style.apply(attributes)
        let resolved = onScreen(style)
        entries[identity] = Entry(id: id, style: resolved.isPlain ? nil : Style(resolved))
        return resolved
    }

    private func onScreen(_ style: TextStyle) -> ResolvedStyle {
        var style = style
        var result = ResolvedStyle(attachment: style.attachment)
        if style.font != base.font {
            var own = scale == 1 ? style.font : style.font.scaled(by: scale).inWholePixels
            // What no attribute has changed is exactly the layout's own, whole pixels or not.
            if style.font.size == base.font.size { own.size = font.size }
            if style.font.letterSpacing == base.font.letterSpacing { own.letterSpacing = font.letterSpacing }
            result.font = own
        }
        result.listItem = style.listItem
        if let item = style.listItem {
            let indent = 2 * base.font.size * Double(item.level)
            style.paragraph.firstLineIndent += indent
            style.paragraph.indent += indent
        }
        if style.paragraph != base.paragraph {
            result.paragraph = scale == 1 ? style.paragraph : style.paragraph.scaled(by: scale)
        }
        result.baselineOffset = (style.baselineOffset * scale).rounded()
        var rendering = style.rendering
        rendering.baselineOffset = result.baselineOffset
        if rendering.underline != nil || rendering.strikethrough != nil { rendering.font = result.font }
        // A colour behind text is as high as its own font, also where others make its line higher.
        if rendering.background != nil { rendering.font = result.font ?? font }
        if rendering != RenderingAttributes() { result.rendering = rendering }
        return result
    }

    /// The colours and lines that a text's own attributes ask for in a range, in order; runs without any are left out.
    func renderingRuns(of text: StyledText, in range: Range<UTF16Offset>) -> [RenderingRun] {
        var result: [RenderingRun] = []
        text.runs?.forEachID(in: range) { id, range in
            guard let rendering = style(of: id).rendering else { return }
            result.append(RenderingRun(range: range, attributes: rendering))
        }
        return result
    }
}
