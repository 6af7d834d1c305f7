import Inkstone

/// The frames of a keyboard's keys, in pixels of its window: rows of keys below a bar with words.
struct KeyPlaces {
    /// The keys of all rows, from top to bottom.
    let keys: [Key]
    /// The frames of the keys, including the gaps around them. A press in a frame is on its key.
    let frames: [WindowRect]
    /// The frame of the bar with words above the keys.
    let bar: WindowRect
    /// The width of the gap between two keys, in pixels.
    let gap: Double

    init(_ rows: [[Key]], size: Size, scale: Double) {
        keys = rows.flatMap { $0 }
        gap = max(2, (5 * scale).rounded())
        let barHeight = rows.isEmpty ? size.height : Self.barHeight(of: size.height)
        bar = WindowRect(x: 0, y: 0, width: size.width, height: barHeight)
        var frames: [WindowRect] = []
        let height = (size.height - bar.height) / Double(max(1, rows.count))
        for (index, row) in rows.enumerated() {
            let unit = size.width / max(1, row.reduce(0) { $0 + $1.width })
            let top = (bar.maxY + Double(index) * height).rounded()
            var x = 0.0
            for key in row {
                let (left, right) = (x.rounded(), (x + key.width * unit).rounded())
                let bottom = (bar.maxY + Double(index + 1) * height).rounded()
                frames.append(WindowRect(x: left, y: top, width: right - left, height: bottom - top))
                x += key.width * unit
            }
        }
        self.frames = frames
    }

    /// Returns the index of the key at a point; nil if there is none.
    func index(at point: WindowPoint) -> Int? { frames.firstIndex { $0.contains(point) } }

    /// Returns the visible rectangle of a key, which is its frame without the gap.
    func face(of index: Int) -> WindowRect { frames[index].insetBy((gap / 2).rounded(.down)) }

    /// Returns the part of the bar that shows a word.
    ///
    /// - Parameter count: the number of words in the bar.
    func word(_ index: Int, of count: Int) -> WindowRect {
        let width = (bar.width / Double(max(1, count))).rounded(.down)
        return WindowRect(x: Double(index) * width, y: 0, width: width, height: bar.height)
    }

    /// Returns the height of the bar of a keyboard that has a given total height.
    static func barHeight(of height: Double) -> Double { (height * 0.13).rounded() }

    /// Returns the frame of the keyboard's window, in root pixels. The window is at the lower edge of a monitor. It
    /// is not wider than is convenient for two hands.
    static func frame(on monitor: RootRect, scale: Double) -> RootRect {
        let width = min(monitor.width, (900 * scale).rounded())
        let height = min((290 * scale).rounded(), (monitor.height * 0.45).rounded())
        return RootRect(
            x: (monitor.minX + (monitor.width - width) / 2).rounded(), y: monitor.maxY - height, width: width,
            height: height)
    }
}

/// The row of texts that a key offers while it is held. It is shown above the key.
struct AccentStrip {
    let choices: [String]
    var chosen = 1
    let frame: WindowRect
    private let step: Double

    /// Creates a row above a key. The first choice is the key's own text; the second one is chosen at first.
    init(_ choices: [String], above key: WindowRect, in size: Size) {
        self.choices = choices
        // Avoid a step of 0, even if the window is very narrow: the step is a divisor later.
        step = max(1, min(key.width, (size.width / Double(choices.count)).rounded(.down)))
        let width = step * Double(choices.count)
        frame = WindowRect(
            x: min(max(0, key.minX - step), size.width - width), y: max(0, key.minY - key.height), width: width,
            height: key.height)
    }

    /// Returns the index of the choice above or below a point, by the point's x. Left or right of the row, the
    /// first or the last choice.
    func index(at x: Double) -> Int { min(max(0, Int((x - frame.minX) / step)), choices.count - 1) }

    func cell(_ index: Int) -> WindowRect {
        WindowRect(x: frame.minX + Double(index) * step, y: frame.minY, width: step, height: frame.height)
    }
}
