import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The progress of printing.
public struct PrintProgress: Hashable, Sendable {
    /// The number of finished pages.
    public var pages: Int
    /// The part of the text that was laid out on pages so far, 0…1.
    public var fraction: Double
}

/// A printer of a text, as pages of a PDF document with the layout that is also used on the screen.
///
/// A value that may be passed to another thread. Each call of a print method uses fonts and a layout of its own,
/// and keeps the lines of about one page in memory, however long the text is. Call it on a background thread: it
/// returns when printing is complete.
///
/// The text that can be extracted from the PDF is that of the document, with a line break at the end of each line,
/// besides the header, numbers and list markers. NULs, noncharacters and invalid bytes become U+FFFD.
public struct PagePrinter: Sendable {
    /// The text to print, with its attributes.
    public var text: StyledText
    /// The default font of the text. Its size is in pixels of 1/96 inch, as on a display at scale 1: 12 points are
    /// 16 pixels.
    public var font: FontDescriptor
    /// The default style of paragraphs; lengths in pixels of 1/96 inch.
    public var paragraphStyle = ParagraphStyle()
    /// The paper, the margins, and the header and numbers that are printed beside the text.
    public var setup: PageSetup

    /// Prepares the layout of the pages, for example with a style sheet and a delegate. Called on the thread that prints.
    /// The result is kept until the last page, because the layout holds its delegate weakly. Of what the delegate's
    /// fragments paint, only filled rectangles are printed.
    package var preparation: (@Sendable (TextLayoutManager) -> AnyObject)?

    /// Creates a printer of a text in a font whose size is in pixels of 1/96 inch. O(1).
    public init(_ text: StyledText, font: FontDescriptor, setup: PageSetup = PageSetup()) {
        self.text = text
        self.font = font
        self.setup = setup
    }

    /// Creates a printer of a part of a text. Its paragraphs keep the numbers that they have in the whole text.
    /// O(log n).
    ///
    /// - Parameter range: the part in UTF-16 units; clamped to the text.
    public init(
        _ text: StyledText, in range: Range<UTF16Offset>, font: FontDescriptor, setup: PageSetup = PageSetup()
    ) {
        self.init(text.slice(range), font: font, setup: setup)
        self.setup.firstLineNumber +=
            text.rope.paragraphIndex(at: max(0, min(range.lowerBound, text.rope.utf16Range.upperBound))).value
    }

    /// Prints all pages, passing the PDF to `sink` in pieces, in order. Returns the number of pages. O(n).
    ///
    /// - Parameters:
    ///   - progress: called about once for each page, and at the end; if it returns false before the end, printing ends
    ///     with ``PrintError/cancelled``.
    ///   - sink: receives the pieces. An error that it throws ends printing and is thrown to the caller.
    @discardableResult
    public func print(
        progress: (PrintProgress) -> Bool = { _ in true },
        to sink: @escaping (UnsafeRawBufferPointer) throws(PrintError) -> Void
    ) throws(PrintError) -> Int {
        try print(with: PageWriter(self, sink: sink), progress: progress)
    }

    func print(with writer: PageWriter, progress: (PrintProgress) -> Bool) throws(PrintError) -> Int {
        let layout = writer.layout
        let end = layout.length
        var next: UTF16Offset? = 0
        while let start = next {
            next = nil
            var failure: PrintError?
            var laid = 0
            layout.enumerateTextLayoutFragments(from: start) { fragment in
                // The empty paragraph after the last newline needs no page.
                if fragment.utf16Range.isEmpty, end > 0 { return false }
                do throws(PrintError) {
                    let endsPage = try writer.append(fragment)
                    laid += fragment.utf16Range.count
                    if fragment.utf16Range.upperBound >= end { return fragment.utf16Range.upperBound == end && end > 0 }
                    if endsPage || laid > 4096 {
                        next = fragment.utf16Range.upperBound
                        return false
                    }
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            guard let next else { break }
            layout.forgetLines(before: next)
            let done = PrintProgress(
                pages: writer.pageCount, fraction: Double(next.value) / Double(max(1, end.value)))
            if !progress(done) { throw .cancelled }
        }
        try writer.finish()
        _ = progress(PrintProgress(pages: writer.pageCount, fraction: 1))
        return writer.pageCount
    }
}
