import InkstoneBase
import InkstoneInput

/// A rectangle of the view with a colour. Carets, highlights and handles consist of such rectangles.
public struct ColoredRect: Hashable, Sendable {
    /// The rectangle, in view pixels.
    public var rect: ViewRect
    /// The colour; it may be translucent.
    public var color: Color

    /// Creates a rectangle in a colour.
    public init(_ rect: ViewRect, _ color: Color) {
        self.rect = rect
        self.color = color
    }
}

/// The state in which a caret is painted. Rectangles are in view pixels.
public struct TextCursor: Hashable, Sendable {
    /// The caret's rectangle. It is as high as its line or, in styled text, as the font of text typed there, and as
    /// wide as the theme's caret.
    public var rect: ViewRect
    /// Whether text typed at the caret is italic.
    public var leans = false
    /// The rectangle of the second caret, between text of different directions; nil at other positions.
    public var secondary: ViewRect?
    /// Whether the keyboard types right-to-left letters. A split caret shows this.
    public var typesRightToLeft = false
    /// Whether keys go to this view.
    public var isActive = true
    /// Whether the caret marks the position of a drop instead of the position of typing.
    public var isDropTarget = false

    /// Creates a caret with a rectangle.
    public init(_ rect: ViewRect) { self.rect = rect }
}

/// The drawing of a caret: the counterpart of Apple's cursor view. Set another implementation in a view or an
/// interaction to change the style of the caret.
public protocol TextCursorView: AnyObject {
    /// Returns the rectangles that draw a caret. The result must depend on the arguments only: it is computed once
    /// for each position of the caret, and used both to paint and to erase.
    func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect]
}

/// The drawing of selected text. The counterpart of Apple's highlight view.
public protocol TextSelectionHighlightView: AnyObject {
    /// Returns the rectangles of a highlight, which are painted behind the text. `pieces` contains only the visible
    /// ones.
    ///
    /// - Parameter isActive: whether keys go to this view.
    func shape(of pieces: [TextSelectionRect], isActive: Bool, in theme: Theme) -> [ColoredRect]
}

/// A handle at an end of a selection, or at a caret, which a finger can move.
public struct TextSelectionHandle: Hashable, Sendable {
    /// The positions that a handle can move.
    public enum Role: Hashable, Sendable {
        /// The start of the selection.
        case start
        /// The end of the selection.
        case end
        /// The caret.
        case caret
    }

    /// The edge of the selected text, or the position of the caret: one pixel wide and as high as its line, in view
    /// pixels.
    public var edge: ViewRect
    /// The position that the handle moves.
    public var role: Role
    /// Whether the knob is left of the edge. The knob lies outside of the selected text: on which side depends on
    /// the text's direction. The knob of a caret lies below the caret.
    public var isLeft: Bool
    /// Whether a finger holds the handle.
    public var isHeld = false

    /// Creates a handle from its parts.
    public init(edge: ViewRect, role: Role, isLeft: Bool) {
        self.edge = edge
        self.role = role
        self.isLeft = isLeft
    }

    /// The text position that moves with the handle, as a point of the view.
    var place: ViewPoint { ViewPoint(x: edge.minX, y: edge.minY + edge.height / 2) }

    /// Returns the approximate centre of the handle's knob.
    ///
    /// - Parameter reach: the distance at which a finger still hits the knob, in pixels.
    func knob(reach: Double) -> ViewPoint {
        let aside = role == .caret ? 0 : reach / 3
        return ViewPoint(x: edge.minX + (isLeft ? -aside : aside), y: edge.maxY + reach / 3)
    }
}

/// The drawing of the handles of a selection. The counterpart of Apple's handle views.
public protocol TextSelectionHandleView: AnyObject {
    /// Returns the rectangles that draw a handle, which are painted over the text.
    func shape(of handle: TextSelectionHandle, in theme: Theme) -> [ColoredRect]
}

// MARK: Standard views

/// The standard caret: a bar, which leans if the text typed there is italic. Between text of different directions,
/// a second bar of half the height marks the second caret, and a flag points in the keyboard's direction. At the
/// position of a drop, the bar has a short crossbar at each end.
public final class StandardTextCursorView: TextCursorView {
    /// The style of a caret in a view without the focus.
    public enum InactiveStyle: Hashable, Sendable {
        /// An outline of a box in place of the bar.
        case hollow
        /// The bars of the active caret in a paler colour.
        case pale
    }

    private let inactiveStyle: InactiveStyle

    /// Creates the standard caret.
    public init(whenInactive inactiveStyle: InactiveStyle = .hollow) { self.inactiveStyle = inactiveStyle }

    /// Returns the bars of the caret, and its flag or crossbars.
    public func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        let bar = cursor.rect
        if cursor.isDropTarget { return Self.colored(Self.feet(of: bar) + [bar], theme.caret) }
        if cursor.leans, cursor.isActive, cursor.secondary == nil {
            return Self.colored(Self.leaning(bar), theme.caret)
        }
        // Fast path: this is called for each key.
        if cursor.isActive, cursor.secondary == nil { return [ColoredRect(bar, theme.caret)] }
        let isHollow = !cursor.isActive && inactiveStyle == .hollow
        let color = cursor.isActive || isHollow ? theme.caret : theme.caret.withAlpha(90)
        var parts = isHollow ? Self.outline(of: bar) : [bar]
        guard let other = cursor.secondary else { return Self.colored(parts, color) }
        let box = isHollow ? Self.box(around: bar) : bar
        var second = other
        second.size.height = (second.height / 2).rounded()
        second.origin.y = bar.maxY - second.height
        // The flag is a triangle as high as wide, made of bars that get shorter downwards.
        parts.append(second)
        let length = max(3, (bar.height / 5).rounded())
        let step = max(1, (length / 4).rounded())
        var y = 0.0
        while y < length {
            let reach = length - y
            parts.append(
                ViewRect(
                    x: cursor.typesRightToLeft ? box.minX - reach : box.maxX, y: bar.minY + y, width: reach,
                    height: step))
            y += step
        }
        return Self.colored(parts, color)
    }

    /// Returns a caret slanted like italic letters, as pieces of a bar that are five pixels high, each one pixel
    /// further right than the piece below. The piece at the baseline, which is taken to be a fifth of the height
    /// above the bar's lower end, keeps its x.
    private static func leaning(_ bar: ViewRect) -> [ViewRect] {
        let (step, baseline) = (5.0, (bar.height / 5).rounded())
        return stride(from: 0, to: bar.height, by: step).map { y in
            let shift = ((bar.height - baseline - y) / step).rounded(.down)
            return ViewRect(
                x: bar.minX + shift, y: bar.minY + y, width: bar.width, height: min(step, bar.height - y))
        }
    }

    private static func colored(_ rects: [ViewRect], _ color: Color) -> [ColoredRect] {
        rects.map { ColoredRect($0, color) }
    }

    /// Returns the outer rectangle of a hollow caret. It is wide enough to have an interior.
    private static func box(around bar: ViewRect) -> ViewRect {
        let line = line(of: bar)
        // If the box is at the view's edge, move it inwards so that it is wholly visible. A caret that is scrolled
        // out of view stays out of view.
        let left = bar.minX < 0 ? bar.minX - line : max(0, bar.minX - line)
        return ViewRect(x: left, y: bar.minY, width: bar.width + 2 * line, height: bar.height)
    }

    private static func line(of bar: ViewRect) -> Double { max(1, (bar.width / 2).rounded(.down)) }

    /// Returns the four edges of the outer rectangle of a hollow caret.
    private static func outline(of bar: ViewRect) -> [ViewRect] {
        let (box, line) = (box(around: bar), line(of: bar))
        let inner = box.height - 2 * line
        return [
            ViewRect(x: box.minX, y: box.minY, width: box.width, height: line),
            ViewRect(x: box.minX, y: box.maxY - line, width: box.width, height: line),
            ViewRect(x: box.minX, y: box.minY + line, width: line, height: inner),
            ViewRect(x: box.maxX - line, y: box.minY + line, width: line, height: inner),
        ]
    }

    private static func feet(of bar: ViewRect) -> [ViewRect] {
        let wide = bar.width * 3
        let foot = ViewRect(x: bar.minX - bar.width, y: bar.minY, width: wide, height: bar.width)
        return [foot, ViewRect(x: foot.minX, y: bar.maxY - bar.width, width: wide, height: bar.width)]
    }
}

/// A highlight in the theme's colour for selected text, paler without the focus.
public final class StandardTextSelectionHighlightView: TextSelectionHighlightView {
    /// Creates the standard highlight.
    public init() {}

    /// Returns the pieces in the theme's colour for selected text or, if not `isActive`, in the paler one.
    public func shape(of pieces: [TextSelectionRect], isActive: Bool, in theme: Theme) -> [ColoredRect] {
        pieces.map { ColoredRect($0.rect, isActive ? theme.selection : theme.inactiveSelection) }
    }
}

/// The standard handle: a stem along the edge of the selected text and, below the stem, a round knob outside of the
/// text. At a caret, a drop-shaped knob below the caret.
public final class StandardTextSelectionHandleView: TextSelectionHandleView {
    /// Creates the standard handle.
    public init() {}

    /// Returns the stem and the rows of pixels of the knob.
    public func shape(of handle: TextSelectionHandle, in theme: Theme) -> [ColoredRect] {
        let width = theme.caretWidth
        let edge = handle.edge
        let radius = max(5, 3.5 * width).rounded()
        guard handle.role != .caret else {
            // With this length, the tip of the drop-shaped knob is a right angle.
            return knob(radius, center: edge.minX.rounded(), top: edge.maxY, tip: (radius * 0.4).rounded(), theme)
        }
        let left = edge.minX.rounded()
        let stem = ViewRect(
            x: handle.isLeft ? left - width : left, y: edge.minY, width: width, height: edge.height)
        let center = handle.isLeft ? stem.maxX - radius : stem.minX + radius
        return [ColoredRect(stem, theme.caret)] + knob(radius, center: center, top: edge.maxY, tip: 0, theme)
    }

    /// Returns the rows of a disc with a tip at `top`; the disc begins below the tip.
    private func knob(
        _ radius: Double, center: Double, top: Double, tip: Double, _ theme: Theme
    ) -> [ColoredRect] {
        (0..<Int(checking: 2 * radius + tip, in: 0...1 << 12)).map { row in
            let y = Double(row) + 0.5
            let dy = y - tip - radius
            var half = max(0, radius * radius - dy * dy).squareRoot()
            if dy < -radius * 0.7 { half = max(half, min(y, tip + radius * 0.3)) }
            half = max(1, half.rounded())
            return ColoredRect(
                ViewRect(x: center - half, y: top + Double(row), width: 2 * half, height: 1), theme.caret)
        }
    }
}
