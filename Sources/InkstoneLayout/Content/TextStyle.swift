import InkstoneBase
import InkstoneText

/// The style of a stretch of text, which ``StyleAttributeKey``s change. All lengths are pixels at scale 1: see
/// ``TextLayoutManager/attributeScale``.
public struct TextStyle: Hashable, Sendable {
    /// Font of the text.
    public var font: FontDescriptor
    /// Distance of the text's baseline above the line's baseline. Clamped to ±1,000.
    public var baselineOffset = 0.0 { didSet { baselineOffset = baselineOffset.checked(in: -1000...1000) } }
    /// Style of the text's paragraph. Only the value of the paragraph's first character counts.
    public var paragraph: ParagraphStyle
    /// The lists that the text's paragraph is in; nil for none. Only the value of the paragraph's first character counts.
    public var listItem: ListItem?
    /// Colours and lines, which do not affect layout.
    public var rendering = RenderingAttributes()
    /// The attachment shown for each U+FFFC; nil for the characters themselves.
    public var attachment: TextAttachment?
}

/// An attribute that changes the style of its text.
///
/// The key is all that an attribute needs to be shown. Layout resolves each set of attributes once. Where a value changes, lines
/// are laid out anew if the resolved font or paragraph differs, and only painted if just ``TextStyle/rendering`` differs.
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
    /// Rank of the key: the keys of a text change its style in ascending order of rank, keys of one rank in the order of their names.
    /// The default is 0, for keys that set a trait; keys that depend on traits set by others have a higher rank.
    static var order: Int { get }
    /// Changes a style according to a value.
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
    /// Applies all attributes that concern the style.
    mutating func apply(_ attributes: TextAttributes) {
        let changes = attributes.values.compactMap { key, value in
            (key as? any StyleAttributeKey.Type).map { ($0, value) }
        }
        for (key, value) in changes.sorted(by: { ($0.0.order, $0.0.name) < ($1.0.order, $1.0.name) }) {
            key.apply(any: value, to: &self)
        }
    }
}

/// A style as layout and painting use it: lengths in device pixels, and nil for the layout's own value.
struct ResolvedStyle {
    var font: FontDescriptor?
    /// Whole pixels above the line's baseline.
    var baselineOffset = 0.0
    var paragraph: ParagraphStyle?
    var listItem: ListItem?
    var rendering: RenderingAttributes?
    var attachment: TextAttachment?

    /// Whether the style equals the layout's own.
    var isPlain: Bool {
        font == nil && baselineOffset == 0 && paragraph == nil && listItem == nil && rendering == nil
            && attachment == nil
    }

    /// Whether text has the same layout in both styles.
    func isLaidOut(like other: Self) -> Bool {
        font == other.font && baselineOffset == other.baselineOffset && paragraph == other.paragraph
            && listItem == other.listItem && attachment == other.attachment
    }
}

/// Resolves sets of attributes to styles, each set once while text has it. Text without attributes does not use it.
final class StyleResolver {
    private struct Entry {
        var id: AttributeID
        /// Nil for the style of text without attributes: most attributes of a program's own do not concern the style.
        var style: Style?
    }

    /// A class, so that the table, which is copied when it grows, holds small entries.
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
    /// Number of entries at which entries of unused sets are released next.
    private var releaseLimit = spareEntries

    /// Entries that may be added before unused ones are released.
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

    /// Returns the style of a set of attributes. A hash lookup by the set's identity; O(k log k) for k attributes the first time.
    func style(of id: AttributeID) -> ResolvedStyle {
        guard let identity = id.identity else { return ResolvedStyle() }
        if let known = entries[identity] { return known.style?.resolved ?? ResolvedStyle() }
        if entries.count >= releaseLimit {
            for key in Array(entries.keys) where entries[key]?.id.isOnlyReference() == true { entries[key] = nil }
            // Double the limit, so that a table of sets that are all in use is not scanned after every few additions.
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
            // A value that no attribute changed stays exactly the layout's own, even if that is not in whole pixels.
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
        // A background is as high as its own font, even if other text makes its line higher.
        if rendering.background != nil { rendering.font = result.font ?? font }
        if rendering != RenderingAttributes() { result.rendering = rendering }
        return result
    }

    /// Returns the colours and lines that a text's own attributes set in a range, in order; runs without any are left out.
    func renderingRuns(of text: StyledText, in range: Range<UTF16Offset>) -> [RenderingRun] {
        var result: [RenderingRun] = []
        text.runs?.forEachID(in: range) { id, range in
            guard let rendering = style(of: id).rendering else { return }
            result.append(RenderingRun(range: range, attributes: rendering))
        }
        return result
    }
}
