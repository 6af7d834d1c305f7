import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Progress of a printing.
public struct PrintProgress: Hashable, Sendable {
    /// Pages that are done.
    public var pages: Int
    /// The part of the text that is on them, 0…1.
    public var fraction: Double
}

/// Prints a text on pages, as PDF, from the layout that shows it on the screen.
///
/// A value that may be handed to another thread: each printing has fonts and layout of its own, and keeps about one page of lines at a
/// time, however long the text is. It blocks until all is done; who waits calls it on a thread of its own.
///
/// Text that is taken out of the PDF is the text of the document, with a line break where a line ends. For NUL and bytes that are no text
/// it has U+FFFD.
public struct PagePrinter: Sendable {
    /// The text, with its attributes.
    public var text: StyledText
    /// The font of text that says nothing else. Its size is in pixels of 96 to the inch, as on a display at scale 1: 12 points are 16.
    public var font: FontDescriptor
    /// The style of paragraphs that say nothing else; lengths in pixels of 96 to the inch.
    public var paragraphStyle = ParagraphStyle()
    /// Paper, margins, and what stands beside the text.
    public var setup: PageSetup

    /// Prints a text in a font whose size is in pixels of 96 to the inch. O(1).
    public init(_ text: StyledText, font: FontDescriptor, setup: PageSetup = PageSetup()) {
        self.text = text
        self.font = font
        self.setup = setup
    }

    /// Prints a part of a text, whose paragraphs keep their numbers. O(log n).
    ///
    /// - Parameter range: UTF-16 units of the text; clamped to it.
    public init(
        _ text: StyledText, in range: Range<UTF16Offset>, font: FontDescriptor, setup: PageSetup = PageSetup()
    ) {
        self.init(text.slice(range), font: font, setup: setup)
        self.setup.firstLineNumber +=
            text.rope.paragraphIndex(at: max(0, min(range.lowerBound, text.rope.utf16Range.upperBound))).value
    }

    /// Makes the pages, and gives `sink` the PDF in pieces, in order. Returns how many pages there are. O(n).
    ///
    /// - Parameters:
    ///   - progress: called after each page; false ends it with ``PrintError/cancelled``.
    ///   - sink: what it throws ends the printing, and is thrown on.
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
                // Behind the last newline stands nothing that needs a page.
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
