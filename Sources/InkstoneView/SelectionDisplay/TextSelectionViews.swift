import InkstoneBase
import InkstoneInput

/// A rectangle of the view in a colour: what carets, highlights and handles are painted of.
public struct ColoredRect: Hashable, Sendable {
    /// Where, in view pixels.
    public var rect: ViewRect
    /// In which colour; it may let what is below shine through.
    public var color: Color

    /// A rectangle in a colour.
    public init(_ rect: ViewRect, _ color: Color) {
        self.rect = rect
        self.color = color
    }
}

/// A caret as it is to be shown. Rectangles are view pixels.
public struct TextCursor: Hashable, Sendable {
    /// The caret's place: as high as its line or, in styled text, as what is typed there, and as wide as the theme says.
    public var rect: ViewRect
    /// Whether what is typed there leans to the right.
    public var leans = false
    /// Where directions meet, the place for text of the other direction; nil elsewhere.
    public var secondary: ViewRect?
    /// Whether the keyboard types letters that are written from right to left: shown where directions meet.
    public var typesRightToLeft = false
    /// Whether keys go here.
    public var isActive = true
    /// Whether it stands where something would be dropped, not where keys go.
    public var isDropTarget = false

    /// A caret at a place.
    public init(_ rect: ViewRect) { self.rect = rect }
}

/// How a caret looks. Apple's cursor view: give a view or an interaction another to have it look otherwise.
public protocol TextCursorView: AnyObject {
    /// What a caret is painted of. A function of its arguments: asked once for each place, and painted and taken away by what it said.
    func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect]
}

/// How selected text looks. Apple's highlight view.
public protocol TextSelectionHighlightView: AnyObject {
    /// What a highlight is painted of, behind the text. Only pieces in sight are given.
    ///
    /// - Parameter isActive: whether keys go here.
    func shape(of pieces: [TextSelectionRect], isActive: Bool, in theme: Theme) -> [ColoredRect]
}

/// An end of a selection, or a caret, that can be taken hold of.
public struct TextSelectionHandle: Hashable, Sendable {
    /// What a handle moves.
    public enum Role: Hashable, Sendable {
        /// Where the selection starts.
        case start
        /// Where it ends.
        case end
        /// The caret.
        case caret
    }

    /// The edge of the selected text, or the caret's place: one pixel wide and as high as its line, in view pixels.
    public var edge: ViewRect
    /// What it moves.
    public var role: Role
    /// Whether the knob lies to the left of the edge: outside of the selected text, by its direction. A caret's lies below it.
    public var isLeft: Bool
    /// Whether it is held.
    public var isHeld = false

    /// A handle by its parts.
    public init(edge: ViewRect, role: Role, isLeft: Bool) {
        self.edge = edge
        self.role = role
        self.isLeft = isLeft
    }

    /// The place in the text that moves with it.
    var place: ViewPoint { ViewPoint(x: edge.minX, y: edge.minY + edge.height / 2) }

    /// About the middle of its knob.
    ///
    /// - Parameter reach: how far from there a finger still means it, in pixels.
    func knob(reach: Double) -> ViewPoint {
        let aside = role == .caret ? 0 : reach / 3
        return ViewPoint(x: edge.minX + (isLeft ? -aside : aside), y: edge.maxY + reach / 3)
    }
}

/// How the handles of a selection look. Apple's handle views.
public protocol TextSelectionHandleView: AnyObject {
    /// What a handle is painted of, over the text.
    func shape(of handle: TextSelectionHandle, in theme: Theme) -> [ColoredRect]
}

// MARK: The standard ones

/// A bar. Where directions meet, a half-height one at the other place and a flag that points to where the keyboard's letters go; with
/// feet where something would be dropped.
public final class StandardTextCursorView: TextCursorView {
    /// How a caret looks where keys do not go.
    public enum InactiveStyle: Hashable, Sendable {
        /// The edges of a box.
        case hollow
        /// Its bars in a paler colour.
        case pale
    }

    private let inactiveStyle: InactiveStyle

    /// The usual caret.
    public init(whenInactive inactiveStyle: InactiveStyle = .hollow) { self.inactiveStyle = inactiveStyle }

    /// The caret's bars.
    public func shape(of cursor: TextCursor, in theme: Theme) -> [ColoredRect] {
        let bar = cursor.rect
        if cursor.isDropTarget { return Self.colored(Self.feet(of: bar) + [bar], theme.caret) }
        if cursor.leans, cursor.isActive, cursor.secondary == nil {
            return Self.colored(Self.leaning(bar), theme.caret)
        }
        // Asked with each key.
        if cursor.isActive, cursor.secondary == nil { return [ColoredRect(bar, theme.caret)] }
        let isHollow = !cursor.isActive && inactiveStyle == .hollow
        let color = cursor.isActive || isHollow ? theme.caret : theme.caret.withAlpha(90)
        var parts = isHollow ? Self.outline(of: bar) : [bar]
        guard let other = cursor.secondary else { return Self.colored(parts, color) }
        let box = isHollow ? Self.box(around: bar) : bar
        var second = other
        second.size.height = (second.height / 2).rounded()
        second.origin.y = bar.maxY - second.height
        // A triangle as high as wide, of bars that get shorter downwards.
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

    /// A bar that leans as slanted letters do, a pixel to the right for each five upwards; its place is that of its foot on the baseline.
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

    /// A caret that is hollow has room inside, whatever its width.
    private static func box(around bar: ViewRect) -> ViewRect {
        let line = line(of: bar)
        // At the view's edge all of it shows, but nothing of what is scrolled out of sight there.
        let left = bar.minX < 0 ? bar.minX - line : max(0, bar.minX - line)
        return ViewRect(x: left, y: bar.minY, width: bar.width + 2 * line, height: bar.height)
    }

    private static func line(of bar: ViewRect) -> Double { max(1, (bar.width / 2).rounded(.down)) }

    /// The edges of the box.
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

/// Each piece in the theme's colour for selected text: a paler one without the focus.
public final class StandardTextSelectionHighlightView: TextSelectionHighlightView {
    /// The usual highlight.
    public init() {}

    /// The pieces as they are.
    public func shape(of pieces: [TextSelectionRect], isActive: Bool, in theme: Theme) -> [ColoredRect] {
        pieces.map { ColoredRect($0.rect, isActive ? theme.selection : theme.inactiveSelection) }
    }
}

/// A stem along the text's edge and a round knob below it, outside of the selected text; a drop that hangs on a caret.
public final class StandardTextSelectionHandleView: TextSelectionHandleView {
    /// The usual handle.
    public init() {}

    /// The stem and the rows of the knob.
    public func shape(of handle: TextSelectionHandle, in theme: Theme) -> [ColoredRect] {
        let width = theme.caretWidth
        let edge = handle.edge
        let radius = max(5, 3.5 * width).rounded()
        guard handle.role != .caret else {
            // Its tip is a right angle.
            return knob(radius, center: edge.minX.rounded(), top: edge.maxY, tip: (radius * 0.4).rounded(), theme)
        }
        let left = edge.minX.rounded()
        let stem = ViewRect(
            x: handle.isLeft ? left - width : left, y: edge.minY, width: width, height: edge.height)
        let center = handle.isLeft ? stem.maxX - radius : stem.minX + radius
        return [ColoredRect(stem, theme.caret)] + knob(radius, center: center, top: edge.maxY, tip: 0, theme)
    }

    /// The rows of a disc whose top lies below `top` by the height of its tip.
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
