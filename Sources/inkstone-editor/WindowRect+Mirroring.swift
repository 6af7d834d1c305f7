import Inkstone
import InkstoneWords

/// Mirroring of the window's strips: they are laid out from the left, and mirrored as a whole if the user's language is
/// right-to-left.
extension WindowRect {
    /// Returns the rectangle in a strip of the user's language: in a right-to-left language it is as far from the right edge as it was from
    /// the left one.
    func mirrored(in strip: WindowRect, if isRightToLeft: Bool = say.language.isRightToLeft) -> WindowRect {
        guard isRightToLeft else { return self }
        return WindowRect(x: strip.minX + strip.maxX - maxX, y: minY, width: width, height: height)
    }
}

extension LineLabel {
    /// Returns the point for painting the label at a distance from the leading edge of a strip, in window pixels.
    func origin(_ distance: Double, y: Double, in strip: WindowRect) -> WindowPoint {
        WindowRect(x: strip.minX + distance, y: y, width: size.width, height: size.height).mirrored(in: strip).origin
    }
}
