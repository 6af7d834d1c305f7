import InkstoneBase
import InkstoneText

/// The style of a range of text, built up by the ``StyleAttributeKey``s of the text. All lengths are pixels at
/// scale 1; see ``TextLayoutManager/attributeScale``.
public struct TextStyle: Hashable, Sendable {
    /// The font of the text.
    public var font: FontDescriptor
    /// Distance of the text's baseline above the line's baseline; clamped to ±1,000.
    public var baselineOffset = 0.0 { didSet { baselineOffset = baselineOffset.checked(in: -1000...1000) } }
    /// The style of the paragraph. Only the value of the paragraph's first character counts.
    public var paragraph: ParagraphStyle
    /// The lists that the paragraph is in; nil for none. Only the value of the paragraph's first character counts.
    public var listItem: ListItem?
    /// Colours and lines (underline, strikethrough), which do not affect layout.
    public var rendering = RenderingAttributes()
    /// The attachment shown for each U+FFFC; nil to show the character.
    public var attachment: TextAttachment?
}

/// An attribute that changes the style of its text.
///
/// Defining the key is enough for its attributes to be shown. Layout resolves each set of attributes once. After a
/// change of a value, lines are laid out anew if the resolved font or paragraph style differs. If only
/// ``TextStyle/rendering`` differs, they are only painted anew.
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
    /// The order in which keys change the style: ascending, and by name among keys of equal order. The default is
    /// 0, for keys that set a property. Keys that depend on properties set by other keys have a higher order.
    static var order: Int { get }
    /// Changes the style according to an attribute's value.
    static func apply(_ value: Value, to style: inout TextStyle)
}

extension StyleAttributeKey {
    /// The default order, 0.
    public static var order: Int { 0 }

    fileprivate static func apply(any value: any Hashable & Sendable, to style: inout TextStyle) {
        if let value = value as? Value { apply(value, to: &style) }
    }
}

extension TextStyle {
    /// Applies all attributes whose keys conform to ``StyleAttributeKey``.
    mutating func apply(_ attributes: TextAttributes) {
        let changes = attributes.values.compactMap { key, value in
            (key as? any StyleAttributeKey.Type).map { ($0, value) }
        }
        for (key, value) in changes.sorted(by: { ($0.0.order, $0.0.name) < ($1.0.order, $1.0.name) }) {
            key.apply(any: value, to: &self)
        }
    }
}

/// A style in the form that layout and painting use: with lengths in device pixels. A property is nil if it has the
/// layout's own value.
struct ResolvedStyle {
    var font: FontDescriptor?
    /// Distance of the text's baseline above the line's baseline, in whole pixels.
    var baselineOffset = 0.0
    var paragraph: ParagraphStyle?
    var listItem: ListItem?
    var rendering: RenderingAttributes?
    var attachment: TextAttachment?

    /// Whether the style equals the layout's own style.
    var isPlain: Bool {
        font == nil && baselineOffset == 0 && paragraph == nil && listItem == nil && rendering == nil
            && attachment == nil
    }

    /// Whether text in either style has the same layout.
    func isLaidOut(like other: Self) -> Bool {
        font == other.font && baselineOffset == other.baselineOffset && paragraph == other.paragraph
            && listItem == other.listItem && attachment == other.attachment
    }
}

/// Resolves sets of attributes to styles. The style of a set is kept at least as long as some text has that set. Text
/// without attributes does not use the resolver.
final class StyleResolver {
    private struct Entry {
        var id: AttributeID
        /// The style; nil if it is the layout's own. Nil is usual, because most attributes that a program defines
        /// do not affect the style.
        var style: Style?
    }

    /// A resolved style. A class, so that entries stay small in the table, which is copied when it grows.
    private final class Style {
        let resolved: ResolvedStyle

        init(_ resolved: ResolvedStyle) { self.resolved = resolved }
    }

    private let font: FontDescriptor
    private let scale: Double
    private let sheet: PresentationStyleSheet
    private let definition: FormattingDefinition?
    /// The layout's own style, with lengths in pixels at scale 1.
    private let base: TextStyle
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// When the table has this many entries, the unused ones are released.
    private var releaseLimit = spareEntries

    /// The number of entries that may be added before unused ones are released.
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

    /// Number of attribute sets whose styles are kept.
    var count: Int { entries.count }

    /// Returns the style of a set of attributes. A hash lookup; the first time O(k log k) for k attributes.
    func style(of id: AttributeID) -> ResolvedStyle {
        guard let identity = id.identity else { return ResolvedStyle() }
        if let known = entries[identity] { return known.style?.resolved ?? ResolvedStyle() }
        if entries.count >= releaseLimit {
            for key in Array(entries.keys) where entries[key]?.id.isOnlyReference() == true { entries[key] = nil }
            // Raise the limit with the number of sets that are still in use, so that the table is rarely scanned.
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
            // If no attribute changed the size or the letter spacing, use that of the layout's own font, which need
            // not be in whole pixels.
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
        // A background is as high as the text's own font, even if other text makes the line higher; so painting
        // needs this font.
        if rendering.background != nil { rendering.font = result.font ?? font }
        if rendering != RenderingAttributes() { result.rendering = rendering }
        return result
    }

    /// Returns the colours and lines that the text's own attributes set in a range, in order; parts without any are
    /// left out.
    func renderingRuns(of text: StyledText, in range: Range<UTF16Offset>) -> [RenderingRun] {
        var result: [RenderingRun] = []
        text.runs?.forEachID(in: range) { id, range in
            guard let rendering = style(of: id).rendering else { return }
            result.append(RenderingRun(range: range, attributes: rendering))
        }
        return result
    }
}
