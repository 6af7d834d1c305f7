import Inkstone
import InkstoneWords

/// The direction of the window's strips: they are laid out from the left, and turned over as a whole where the user's language runs from
/// right to left.
extension WindowRect {
    /// The rectangle where it lies in a strip of the user's language: as far from the right edge as it is from the left one, if that runs from
    /// right to left.
    func mirrored(in strip: WindowRect, if isRightToLeft: Bool = say.language.isRightToLeft) -> WindowRect {
        guard isRightToLeft else { return self }
        return WindowRect(x: strip.minX + strip.maxX - maxX, y: minY, width: width, height: height)
    }
}

extension LineLabel {
    /// The point at which the label is painted that lies at a distance from the leading edge of a strip, in window pixels.
    func origin(_ distance: Double, y: Double, in strip: WindowRect) -> WindowPoint {
        WindowRect(x: strip.minX + distance, y: y, width: size.width, height: size.height).mirrored(in: strip).origin
    }
}
