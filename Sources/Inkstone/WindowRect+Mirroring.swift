import InkstoneBase
import InkstoneView
import InkstoneWords

/// Mirroring of the bars and lines of a window. They are laid out from the left, and mirrored as a whole if the
/// user's language is written from right to left.
extension WindowRect {
    /// Returns the rectangle mirrored in a strip of the window if the user's language is written from right to
    /// left: its distance from the strip's right edge is then the distance that it had from the left edge.
    package func mirrored(in strip: WindowRect, if isRightToLeft: Bool = LibraryWords.language.isRightToLeft)
        -> WindowRect
    {
        guard isRightToLeft else { return self }
        return WindowRect(x: strip.minX + strip.maxX - maxX, y: minY, width: width, height: height)
    }
}

extension LineLabel {
    /// Returns the point, in window pixels, at which to paint the label so that it is at a distance from the
    /// leading edge of a strip.
    package func origin(_ distance: Double, y: Double, in strip: WindowRect) -> WindowPoint {
        WindowRect(x: strip.minX + distance, y: y, width: size.width, height: size.height).mirrored(in: strip).origin
    }
}
