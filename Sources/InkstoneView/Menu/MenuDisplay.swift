import InkstoneBase
import InkstoneLayout
import InkstoneWords

/// The layout and painting of a menu, in pixels of the menu's window. A menu higher than the screen scrolls. Lines
/// begin at the right if the language of `LibraryWords` runs from right to left.
package struct MenuDisplay {
    private struct Row {
        var title: LineLabel
        var shortcut: LineLabel
        var top: Double
        var height: Double
    }

    private var rows: [Row] = []
    private let check: LineLabel
    private let back: LineLabel
    private let theme: Theme
    private let unit: Double
    /// The width of the column of check marks.
    private let gutter: Double
    /// The size of the menu in device pixels.
    package private(set) var size = Size.zero
    /// The scroll position of the lines, in pixels.
    private var scrolled = 0.0
    /// The height of the strips at the ends that scroll the menu; 0 if all lines are visible.
    private var endHeight = 0.0
    private let ends: (up: LineLabel, down: LineLabel)
    private let isRightToLeft = LibraryWords.language.isRightToLeft

    /// Creates the display of a menu and lays it out.
    ///
    /// - Parameters:
    ///   - font: the font, its size in device pixels.
    ///   - view: the view whose theme and open fonts are used.
    ///   - scale: the number of device pixels in one pixel at scale 1.
    package init(_ items: [MenuItem], font: FontDescriptor, sharing view: EditorView, scale: Double) {
        func label(_ text: String) -> LineLabel {
            var label = LineLabel(font: font, sharing: view)
            label.text = text
            return label
        }
        theme = view.theme
        unit = max(1, scale.rounded())
        check = label("✓")
        back = label(isRightToLeft ? "›" : "‹")
        ends = (label("▲"), label("▼"))
        let line = label("X").size.height
        let inset = (4 * scale).rounded()
        gutter = check.size.width.rounded() + 3 * inset
        var y = inset + unit
        var (titles, shortcuts) = (0.0, 0.0)
        for item in items {
            let height = item.kind == .separator ? 2 * inset + unit : (line + 2 * inset).rounded()
            let row = Row(
                title: label(item.title),
                shortcut: label(item.kind == .submenu ? isRightToLeft ? "‹" : "›" : item.shortcut), top: y,
                height: height)
            titles = max(titles, row.title.size.width)
            shortcuts = max(shortcuts, row.shortcut.size.width)
            rows.append(row)
            y += height
        }
        let between = shortcuts > 0 ? 6 * inset : 0
        size = Size(
            width: (gutter + titles + between + shortcuts + 4 * inset).rounded(.up), height: y + inset + unit)
    }

    // MARK: Scrolling

    /// Limits the size of the menu. Titles are clipped to it, and lines scroll within it.
    package mutating func fit(into limit: Size) {
        size.width = min(size.width, limit.width.rounded(.down))
        guard size.height > limit.height else { return }
        size.height = limit.height.rounded(.down)
        endHeight = min(check.size.height.rounded(), (size.height / 4).rounded(.down))
    }

    /// The distance of one scroll step, in pixels: the height of the first line.
    package var step: Double { rows.first?.height ?? 1 }

    /// The rectangle in which lines are visible, between the strips.
    private var area: WindowRect {
        WindowRect(
            x: unit, y: unit + endHeight, width: size.width - 2 * unit,
            height: max(0, size.height - 2 * unit - 2 * endHeight))
    }

    /// Scrolls down by a distance in pixels, up if negative; stops at the first and last lines. Returns whether the
    /// position has changed.
    @discardableResult
    package mutating func scroll(by distance: Double) -> Bool {
        guard endHeight > 0, let last = rows.last else { return false }
        let most = last.top + last.height - unit - area.height
        let old = scrolled
        scrolled = min(max(0, (scrolled + distance).rounded()), max(0, most.rounded(.up)))
        return scrolled != old
    }

    /// Scrolls by the least distance that shows a line. Returns whether the position has changed.
    package mutating func show(_ index: Int) -> Bool {
        let (frame, area) = (frame(of: index), area)
        return scroll(by: frame.minY < area.minY ? frame.minY - area.minY : max(0, frame.maxY - area.maxY))
    }

    /// Returns the direction in which the strip at a point scrolls: -1 up, 1 down; nil outside of the strips.
    package func end(at point: WindowPoint) -> Double? {
        guard endHeight > 0, point.x >= 0, point.x < size.width, point.y >= 0, point.y < size.height else { return nil }
        return point.y < area.minY ? -1 : point.y >= area.maxY ? 1 : nil
    }

    /// Returns the index of the line at a point; nil outside of all lines.
    package func index(at point: WindowPoint) -> Int? {
        guard point.x >= 0, point.x < size.width, end(at: point) == nil else { return nil }
        return rows.indices.first { (frame(of: $0).minY..<frame(of: $0).maxY).contains(point.y) }
    }

    /// Returns the frame of a line. In a menu that scrolls, it may be out of view.
    package func frame(of index: Int) -> WindowRect {
        WindowRect(
            x: unit, y: rows[index].top + endHeight - scrolled, width: size.width - 2 * unit, height: rows[index].height
        )
    }

    /// Paints the part of the menu in `damage`.
    package func paint(_ state: MenuState, on canvas: any Canvas, damage: WindowRect) {
        canvas.setClip([damage])
        canvas.fill(WindowRect(x: 0, y: 0, width: size.width, height: size.height), theme.panel.border)
        canvas.fill(
            WindowRect(x: unit, y: unit, width: size.width - 2 * unit, height: size.height - 2 * unit), theme.background
        )
        paintEnds(on: canvas)
        let area = endHeight > 0 ? area.intersection(damage) : damage
        for (index, item) in state.items.enumerated() where frame(of: index).intersects(area) {
            canvas.setClip([area])
            paint(item, index, isCurrent: state.current == index, on: canvas, within: area)
        }
        canvas.setClip(nil)
    }

    private func paintEnds(on canvas: any Canvas) {
        guard endHeight > 0 else { return }
        var other = self
        for (label, y, direction) in [(ends.up, unit, -1.0), (ends.down, area.maxY, 1)] {
            let color = other.scroll(by: direction) ? theme.text : theme.panel.border
            other.scrolled = scrolled
            let x = ((size.width - label.size.width) / 2).rounded()
            label.paint(
                on: canvas, at: WindowPoint(x: x, y: (y + (endHeight - label.size.height) / 2).rounded()), color: color)
        }
    }

    private func paint(_ item: MenuItem, _ index: Int, isCurrent: Bool, on canvas: any Canvas, within area: WindowRect)
    {
        let frame = frame(of: index)
        if item.kind == .separator {
            let y = (frame.minY + (frame.height - unit) / 2).rounded()
            let line = WindowRect(x: frame.minX, y: y, width: frame.width, height: unit)
            return canvas.fill(line, theme.panel.border)
        }
        if isCurrent { canvas.fill(frame.insetBy(0), theme.panel.highlight) }
        let (title, shortcut) = (rows[index].title, rows[index].shortcut)
        let strong = item.isChoosable ? theme.text : theme.placeholder
        let weak = item.kind == .submenu || isCurrent ? theme.text : theme.placeholder
        let y = (frame.minY + (frame.height - title.size.height) / 2).rounded()
        if let mark = item.kind == .choice(isOn: true) ? check : item.kind == .back ? back : nil {
            let x = ((gutter - mark.size.width) / 2 + unit).rounded()
            mark.paint(on: canvas, at: origin(of: mark, x, y), color: strong)
        }
        let right = (frame.maxX - gutter / 2 - shortcut.size.width).rounded()
        let room = (shortcut.text.isEmpty ? frame.maxX : right) - 2 * unit
        if gutter + title.size.width > room {
            let width = max(0, room - frame.minX)
            let x = isRightToLeft ? size.width - frame.minX - width : frame.minX
            canvas.setClip([
                area.intersection(WindowRect(x: x, y: frame.minY, width: width, height: frame.height))
            ])
        }
        title.paint(on: canvas, at: origin(of: title, gutter, y), color: strong)
        canvas.setClip([area])
        shortcut.paint(on: canvas, at: origin(of: shortcut, right, y), color: weak)
    }

    /// Returns the origin of a label, given its distance from the edge at which lines begin.
    private func origin(of label: LineLabel, _ distance: Double, _ y: Double) -> WindowPoint {
        WindowPoint(x: isRightToLeft ? size.width - distance - label.size.width : distance, y: y)
    }

    /// Returns the origin of a menu opened at a point. The menu is placed below the point and to the right or, if
    /// there is no room, on the other side. It always lies within `screen`, which may be one monitor. All values
    /// are in root pixels.
    ///
    /// - Parameters:
    ///   - height: the height of the rectangle that the menu must not cover, such as the caret's line. The
    ///     rectangle extends upwards from the point.
    ///   - width: the width of that rectangle, to the right of the point.
    ///   - isRightToLeft: whether the menu's right edge is aligned with the right edge of that rectangle. Ignored
    ///     if the menu then has no room on the left.
    package static func origin(
        of size: Size, openedAt point: RootPoint, beside height: Double = 0, across width: Double = 0,
        isRightToLeft: Bool = false, on screen: RootRect
    ) -> RootPoint {
        func fit(_ at: Double, _ length: Double, _ low: Double, _ high: Double, gap: Double) -> Double {
            if at + length <= high { return max(low, at) }
            return min(max(low, at - gap - length), max(low, high - length))
        }
        let (start, left) = (fit(point.x, size.width, screen.minX, screen.maxX, gap: 0), point.x + width - size.width)
        let x = isRightToLeft && left >= screen.minX ? min(left, max(screen.minX, screen.maxX - size.width)) : start
        return RootPoint(
            x: x.rounded(), y: fit(point.y, size.height, screen.minY, screen.maxY, gap: height).rounded())
    }
}
