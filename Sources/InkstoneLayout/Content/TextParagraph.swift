import InkstoneBase
import InkstoneText

/// A part of a document that is laid out by itself. Immutable: an edit creates a new one.
public protocol TextElement: Sendable {
    /// UTF-16 units of the document, with the newline.
    var elementRange: Range<UTF16Offset> { get }
}

/// A paragraph, which newlines delimit, with its style.
public struct TextParagraph: TextElement, Hashable {
    /// Text set in a font of its own.
    public struct FontRun: Hashable, Sendable {
        /// UTF-16 units of the document.
        public var range: Range<UTF16Offset>
        /// The font of the run.
        public var font: FontDescriptor
        /// Distance of the run's baseline above the line's baseline, in device pixels; rounded to whole ones and clamped to ±16,384.
        public var baselineOffset: Double

        /// Creates a run of text in a font.
        public init(range: Range<UTF16Offset>, font: FontDescriptor, baselineOffset: Double = 0) {
            self.range = range
            self.font = font
            self.baselineOffset = baselineOffset
        }
    }

    /// Characters that are shown as attachments, each U+FFFC.
    public struct AttachmentRun: Hashable, Sendable {
        /// UTF-16 units of the document.
        public var range: Range<UTF16Offset>
        /// The attachment in place of each character.
        public var attachment: TextAttachment

        /// Creates a run of characters that are shown as attachments.
        public init(range: Range<UTF16Offset>, attachment: TextAttachment) {
            (self.range, self.attachment) = (range, attachment)
        }
    }

    /// Number of paragraphs before this one.
    public let index: ParagraphIndex
    /// UTF-16 units of the document, with the newline.
    public let elementRange: Range<UTF16Offset>
    /// UTF-16 units of the document, without the newline. Of a long paragraph, those of one fragment.
    public let paragraphContentRange: Range<UTF16Offset>
    /// Text to show instead of the content: bullets for a password, visible spaces. It should have as many UTF-16 units as the content,
    /// so that positions keep their meaning: longer text is cut, shorter text is filled with spaces. Nil for the content itself.
    public var displayText: String?
    /// Style of the paragraph; nil for the layout's own.
    public var paragraphStyle: ParagraphStyle?
    /// The lists that the paragraph is in; nil for none. Their indents are in ``paragraphStyle``.
    public var listItem: ListItem?
    /// Font of the marker of ``listItem``; nil for the layout's own.
    public var markerFont: FontDescriptor?
    /// Font of the text outside ``fontRuns`` and of the line height; nil for the layout's own.
    public var font: FontDescriptor?
    /// Parts in fonts of their own, in order and without overlap; parts outside the content are ignored.
    public var fontRuns: [FontRun] = []
    /// Parts that are shown as attachments, in order and without overlap; parts outside the content are ignored.
    public var attachmentRuns: [AttachmentRun] = []
    /// Whether lines of natural, multiple and minimum heights grow to fit all of ``fontRuns``.
    var growsWithFonts = false

    /// UTF-16 units of the newline; empty at the end of the document.
    public var paragraphSeparatorRange: Range<UTF16Offset> {
        min(paragraphContentRange.upperBound, elementRange.upperBound)..<elementRange.upperBound
    }

    init(_ paragraph: Paragraph, length: Int, content: Range<Int>? = nil) {
        index = ParagraphIndex(paragraph.index)
        elementRange = UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, length))
        let content = content ?? paragraph.start..<paragraph.contentEnd
        paragraphContentRange = UTF16Offset(content.lowerBound)..<UTF16Offset(content.upperBound)
    }

    /// Returns the units to show for units of the content.
    func display(_ units: [UInt16]) -> [UInt16] {
        guard let displayText else { return units }
        // A newline in the display text would end a line where the document has no paragraph end.
        var shown = displayText.utf16.prefix(units.count).map { $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }
        while shown.count < units.count { shown.append(0x20) }
        return shown
    }

    /// Returns the fonts of the content from its start on, in order and without gap.
    ///
    /// - Parameters:
    /// - stack: the fonts of text outside ``fontRuns``.
    /// - spacing: the space after each cluster of that text, 26.6 pixels.
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

    /// Returns the spans of the content with a span of its own for each attachment.
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
                // The run may continue in the next span.
                if run.range.upperBound.value - start > span.range.upperBound { break }
                rest = rest.dropFirst()
            }
            append(to: span.range.upperBound)
        }
        return result
    }
}
