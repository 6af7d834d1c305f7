import InkstoneBase
import InkstoneText

/// A part of a document that is laid out separately. Immutable: after an edit there is a new element.
public protocol TextElement: Sendable {
    /// Range in UTF-16 units of the document, newline included.
    var elementRange: Range<UTF16Offset> { get }
}

/// A paragraph between newlines, with its style.
public struct TextParagraph: TextElement, Hashable {
    /// A range of text with its own font or baseline.
    public struct FontRun: Hashable, Sendable {
        /// Range in UTF-16 units of the document.
        public var range: Range<UTF16Offset>
        /// The font of the run.
        public var font: FontDescriptor
        /// Distance of the text's baseline above the line's baseline, in device pixels. Layout rounds it to a whole
        /// number and clamps it to ±16,384.
        public var baselineOffset: Double

        /// Creates a run of text in a font.
        public init(range: Range<UTF16Offset>, font: FontDescriptor, baselineOffset: Double = 0) {
            self.range = range
            self.font = font
            self.baselineOffset = baselineOffset
        }
    }

    /// A range of U+FFFC characters, each of which is shown as an attachment.
    public struct AttachmentRun: Hashable, Sendable {
        /// Range in UTF-16 units of the document.
        public var range: Range<UTF16Offset>
        /// The attachment shown for each of the characters.
        public var attachment: TextAttachment

        /// Creates a run of characters that are shown as attachments.
        public init(range: Range<UTF16Offset>, attachment: TextAttachment) {
            (self.range, self.attachment) = (range, attachment)
        }
    }

    /// Index of the paragraph in the document.
    public let index: ParagraphIndex
    /// Range in UTF-16 units of the document, newline included.
    public let elementRange: Range<UTF16Offset>
    /// Range in UTF-16 units of the document, without the newline; in a long paragraph, the range of one fragment.
    public let paragraphContentRange: Range<UTF16Offset>
    /// Text shown instead of the content, such as bullets for a password or symbols for spaces; nil for the content
    /// itself. It should have as many UTF-16 units as the content, because offsets in the content are also used for
    /// it. Longer text is cut, and shorter text is filled up with spaces.
    public var displayText: String?
    /// The style of the paragraph; nil for the layout's default.
    public var paragraphStyle: ParagraphStyle?
    /// The lists that the paragraph is in; nil for none. The lists' indents are included in ``paragraphStyle``.
    public var listItem: ListItem?
    /// The font of the marker of ``listItem``; nil for the layout's font.
    public var markerFont: FontDescriptor?
    /// The font of text outside ``fontRuns``, which also determines the line height; nil for the layout's font.
    public var font: FontDescriptor?
    /// Ranges with their own fonts, in order and without overlap. Parts outside the content are ignored.
    public var fontRuns: [FontRun] = []
    /// Ranges shown as attachments, in order and without overlap. Parts outside the content are ignored.
    public var attachmentRuns: [AttachmentRun] = []
    /// Whether a line grows to fit each font in it that ``fontRuns`` sets, unless the line height is exact.
    var growsWithFonts = false

    /// Range of the newline in UTF-16 units; empty at the end of the document.
    public var paragraphSeparatorRange: Range<UTF16Offset> {
        min(paragraphContentRange.upperBound, elementRange.upperBound)..<elementRange.upperBound
    }

    init(_ paragraph: Paragraph, length: Int, content: Range<Int>? = nil) {
        index = ParagraphIndex(paragraph.index)
        elementRange = UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, length))
        let content = content ?? paragraph.start..<paragraph.contentEnd
        paragraphContentRange = UTF16Offset(content.lowerBound)..<UTF16Offset(content.upperBound)
    }

    /// Returns the UTF-16 units to show in place of the content's units.
    func display(_ units: [UInt16]) -> [UInt16] {
        guard let displayText else { return units }
        // Replace newlines in the display text: they would force a line break within the paragraph.
        var shown = displayText.utf16.prefix(units.count).map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
        while shown.count < units.count { shown.append(0x20) }
        return shown
    }

    /// Returns the fonts of the content as spans, in order and without gaps.
    ///
    /// - Parameters:
    ///   - stack: the fonts of text outside ``fontRuns``.
    ///   - spacing: the space after each cluster of that text, in 26.6 pixels.
    func spans(_ stack: FontStack, spacing: Int32, _ context: FontContext) -> [StyleSpan] {
        let start = paragraphContentRange.lowerBound.value
        let count = paragraphContentRange.count
        var spans: [StyleSpan] = []
        var at = 0
        for run in fontRuns {
            let low = max(at, run.range.lowerBound.value - start)
            let high = min(count, run.range.upperBound.value - start)
            guard low < high else { continue }
            if at < low { spans.append(StyleSpan(range: at..<low, stack: stack, spacing: spacing)) }
            let raise = Int16(Int(checking: run.baselineOffset.rounded(), in: -1 << 14...1 << 14))
            spans.append(
                StyleSpan(
                    range: low..<high, stack: context.stack(for: run.font), spacing: run.font.spacing, raise: raise))
            at = high
        }
        if at < count || spans.isEmpty { spans.append(StyleSpan(range: at..<count, stack: stack, spacing: spacing)) }
        return spans
    }

    /// Returns the spans divided so that each attachment has a span of its own.
    func spans(_ spans: [StyleSpan], bounds: (TextAttachment, UTF16Offset) -> AttachmentBounds) -> [StyleSpan] {
        let start = paragraphContentRange.lowerBound.value
        var result: [StyleSpan] = []
        var rest = attachmentRuns[...]
        for span in spans {
            var at = span.range.lowerBound
            func append(to end: Int, _ attachment: TextAttachment? = nil) {
                guard at < end else { return }
                var part = span
                part.range = at..<end
                if let attachment {
                    let bounds = bounds(attachment, UTF16Offset(start + at))
                    part.attachment = AttachmentBox(attachment, bounds, raise: span.raise)
                }
                result.append(part)
                at = end
            }
            while let run = rest.first, run.range.lowerBound.value - start < span.range.upperBound {
                let end = min(run.range.upperBound.value - start, span.range.upperBound)
                append(to: run.range.lowerBound.value - start)
                while at < end { append(to: at + 1, run.attachment) }
                // The attachments of this run continue in the next span: use the run for that span too.
                if run.range.upperBound.value - start > span.range.upperBound { break }
                rest = rest.dropFirst()
            }
            append(to: span.range.upperBound)
        }
        return result
    }
}
