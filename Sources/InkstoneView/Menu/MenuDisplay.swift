public import InkstoneBase
public import InkstoneLayout

/// How a menu looks: where its lines lie, and their painting. In pixels of its own window.
public struct MenuDisplay {
    private struct Row {
        var title: LineLabel
        var shortcut: LineLabel
        var top: Double
        var height: Double
    }

    private var rows: [Row] = []
    private let check: LineLabel
    private let theme: Theme
    private let unit: Double
    /// Width of the column with check marks.
    private let gutter: Double
    /// The menu's extent in device pixels.
    public private(set) var size = Size.zero

    /// Lays out a menu.
    ///
    /// - Parameters:
    ///   - font: its size in device pixels.
    ///   - view: whose theme's colours it has, and whose fonts are open.
    ///   - scale: device pixels for one pixel at scale 1.
    public init(_ items: [MenuItem], font: FontDescriptor, sharing view: EditorView, scale: Double) {
        func label(_ text: String) -> LineLabel {
            var label = LineLabel(font: font, sharing: view)
            label.text = text
            return label
        }
        theme = view.theme
        unit = max(1, scale.rounded())
        check = label("✓")
        let line = label("X").size.height
        let inset = (4 * scale).rounded()
        gutter = check.size.width.rounded() + 3 * inset
        var y = inset + unit
        var (titles, shortcuts) = (0.0, 0.0)
        for item in items {
            let height = item.kind == .separator ? 2 * inset + unit : (line + 2 * inset).rounded()
            let row = Row(title: label(item.title), shortcut: label(item.shortcut), top: y, height: height)
            titles = max(titles, row.title.size.width)
            shortcuts = max(shortcuts, row.shortcut.size.width)
            rows.append(row)
            y += height
        }
        let between = shortcuts > 0 ? 6 * inset : 0
        size = Size(
            width: (gutter + titles + between + shortcuts + 4 * inset).rounded(.up), height: y + inset + unit)
    }

    /// The line at a point; nil beside all.
    public func index(at point: WindowPoint) -> Int? {
        guard point.x >= 0, point.x < size.width else { return nil }
        return rows.firstIndex { point.y >= $0.top && point.y < $0.top + $0.height }
    }

    /// Where a line lies.
    public func frame(of index: Int) -> WindowRect {
        WindowRect(x: unit, y: rows[index].top, width: size.width - 2 * unit, height: rows[index].height)
    }

    /// Paints what `damage` covers.
    public func paint(_ state: MenuState, on canvas: any Canvas, damage: WindowRect) {
        canvas.setClip([damage])
        canvas.fill(WindowRect(x: 0, y: 0, width: size.width, height: size.height), theme.panel.border)
        canvas.fill(
            WindowRect(x: unit, y: unit, width: size.width - 2 * unit, height: size.height - 2 * unit), theme.background
        )
        for (index, item) in state.items.enumerated() where frame(of: index).intersects(damage) {
            paint(item, index, isCurrent: state.current == index, on: canvas)
        }
        canvas.setClip(nil)
    }

    private func paint(_ item: MenuItem, _ index: Int, isCurrent: Bool, on canvas: any Canvas) {
        let frame = frame(of: index)
        if item.kind == .separator {
            let y = (frame.minY + (frame.height - unit) / 2).rounded()
            let line = WindowRect(x: frame.minX, y: y, width: frame.width, height: unit)
            return canvas.fill(line, theme.panel.border)
        }
        if isCurrent { canvas.fill(frame.insetBy(0), theme.panel.accent) }
        let (title, shortcut) = (rows[index].title, rows[index].shortcut)
        let strong = isCurrent ? theme.background : item.isChoosable ? theme.text : theme.placeholder
        let weak = isCurrent ? theme.background : theme.placeholder
        let y = (frame.minY + (frame.height - title.size.height) / 2).rounded()
        if case .choice(isOn: true) = item.kind {
            let x = ((gutter - check.size.width) / 2 + unit).rounded()
            check.paint(on: canvas, at: WindowPoint(x: x, y: y), color: strong)
        }
        title.paint(on: canvas, at: WindowPoint(x: gutter, y: y), color: strong)
        let right = (frame.maxX - gutter / 2 - shortcut.size.width).rounded()
        shortcut.paint(on: canvas, at: WindowPoint(x: right, y: y), color: weak)
    }

    /// Where a menu of an extent goes that is opened at a point: right and below of it, on the other side where there is no room, and
    /// inside of the screen, or of the monitor that is taken for it, at any rate. All in root pixels.
    ///
    /// - Parameter height: of what the menu stands beside, from the point upwards, such as the caret's line: it stays free.
    public static func origin(
        of size: Size, openedAt point: RootPoint, beside height: Double = 0, on screen: RootRect
    ) -> RootPoint {
        func fit(_ at: Double, _ length: Double, _ low: Double, _ high: Double, gap: Double) -> Double {
            if at + length <= high { return max(low, at) }
            return min(max(low, at - gap - length), max(low, high - length))
        }
        return RootPoint(
            x: fit(point.x, size.width, screen.minX, screen.maxX, gap: 0).rounded(),
            y: fit(point.y, size.height, screen.minY, screen.maxY, gap: height).rounded())
    }
}
