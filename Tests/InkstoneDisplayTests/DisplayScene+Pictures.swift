import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayScene {
    /// Computes all line heights, so that the scroll bar does not depend on which parts were shown before.
    func refineAllHeights() { view.presenter.refineHeights { false } }

    /// A picture of the first window, as painted by the updates that its view has requested.
    func picture() throws -> Screenshot {
        waitUntilIdle()
        let info = try #require(probe.info(window.window.id.rawValue))
        return try #require(probe.screenshot(of: info))
    }

    /// A picture of the first window after all of it was painted again.
    func freshPicture() throws -> Screenshot {
        window.window.setNeedsDisplay()
        return try picture()
    }
}

extension TextView {
    /// The selected range in UTF-16 offsets.
    var selected: Range<Int> {
        let range = selection?.range ?? 0..<0
        return range.lowerBound.value..<range.upperBound.value
    }

    /// The range of positions for UTF-16 offsets.
    func range(_ offsets: Range<Int>) -> TextRange {
        let start = position(from: beginningOfDocument, offset: offsets.lowerBound) ?? beginningOfDocument
        let end = position(from: beginningOfDocument, offset: offsets.upperBound) ?? endOfDocument
        return TextRange(start: start, end: end)
    }

    /// The distance in pixels from the top of the view up to the start of the text.
    var scrolled: Double { -caretRect(for: beginningOfDocument).minY }
}

extension Screenshot {
    /// Describes the difference from a picture of the same size: the number of pixels and their bounds; nil if
    /// there is no difference.
    func difference(from other: Screenshot) -> String? {
        guard width == other.width, height == other.height else {
            return "\(width) × \(height) instead of \(other.width) × \(other.height) pixels"
        }
        let wrong = pixels.indices.filter { pixels[$0] != other.pixels[$0] }
        guard !wrong.isEmpty else { return nil }
        let columns = wrong.map { $0 % width }
        let rows = wrong.map { $0 / width }
        let rect = PixelRect(
            left: columns.min() ?? 0, top: rows.min() ?? 0, right: (columns.max() ?? 0) + 1,
            bottom: (rows.max() ?? 0) + 1)
        return "\(wrong.count) pixels differ in \(rect)"
    }

    /// Writes the picture to the folder for the output of failed tests, and returns its path.
    func kept(_ name: String) -> String { KeptFile.write(ppm, as: "\(name).ppm") }
}
