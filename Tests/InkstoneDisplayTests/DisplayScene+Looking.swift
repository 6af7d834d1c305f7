import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayScene {
    /// Has all heights known, so that the scroll bar tells the same whatever was looked at before.
    func settleHeights() { view.presenter.refineHeights { false } }

    /// What the first window shows, as painted by what was asked of its view.
    func picture() throws -> Screenshot {
        settle()
        let info = try #require(probe.info(window.window.id.rawValue))
        return try #require(probe.screenshot(of: info))
    }

    /// What the first window shows when all of it is painted anew.
    func freshPicture() throws -> Screenshot {
        window.window.setNeedsDisplay()
        return try picture()
    }
}

extension TextView {
    /// What is selected, in UTF-16 offsets.
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

    /// How far the text is scrolled, in pixels: how far its start lies above the view.
    var scrolled: Double { -caretRect(for: beginningOfDocument).minY }
}

extension Screenshot {
    /// How two pictures of one extent differ: how many pixels, and in which rectangle; nil if they do not.
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

    /// Writes the picture where a failing test's reader finds it, and says where.
    func kept(_ name: String) -> String { KeptFile.write(ppm, as: "\(name).ppm") }
}
