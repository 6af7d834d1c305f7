import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A line of text to look at, laid out and painted like a text view's: for status lines and the like.
public final class LineLabel {
    private let store = TextStore()
    private let layout: TextLayoutManager
    /// The text; newlines show as spaces.
    public var text: String {
        get { store.text.string(in: store.text.byteRange) }
        set {
            let isPlain = newValue.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x80 }
            let line = isPlain ? newValue : String(newValue.map { $0.isNewline ? " " : $0 })
            guard line != text else { return }
            _ = layout.apply(store.replace(store.text.byteRange, with: line))
        }
    }

    /// An empty label in a font whose size is in device pixels.
    public init(font: FontDescriptor, settings: FontSettings = FontSettings()) {
        layout = TextLayoutManager(
            store: store, container: TextContainer(width: 1, lineBreakMode: .byClipping), font: font, settings: settings
        )
    }

    /// An empty label in a font whose size is in device pixels, with the font settings of a view; fonts that are open there
    /// are not opened again.
    public init(font: FontDescriptor, sharing view: EditorView) {
        layout = TextLayoutManager(sharing: view.layout, store: store)
        layout.font = font
        layout.container = TextContainer(width: 1, lineBreakMode: .byClipping)
    }

    /// The width in device pixels that the text is wrapped at; nil for one line, however long.
    public var width: Double? {
        didSet {
            guard width != oldValue else { return }
            layout.container = TextContainer(
                width: max(1, width ?? 1), lineBreakMode: width == nil ? .byClipping : .byWordWrapping)
        }
    }

    /// Extent of the text in device pixels.
    public var size: Size {
        let line = layout.lineFragment(at: 0, affinity: .downstream).typographicBounds
        let last = layout.lineFragment(at: layout.length, affinity: .downstream).typographicBounds
        return Size(width: width ?? line.width, height: last.maxY)
    }

    /// Paints the text with its top left corner at `origin`, in window pixels; clipped by the canvas's clip alone.
    public func paint(on canvas: any Canvas, at origin: WindowPoint, color: Color) {
        let area = DocumentRect(x: 0, y: 0, width: .greatestFiniteMagnitude, height: size.height)
        var batch = GlyphBatch(origin: origin, color: color)
        let limit = Int32(layout.lineHeight)
        for fragment in layout.textLayoutFragments(in: area) { batch.append(fragment, within: area, limit: limit) }
        batch.draw(on: canvas)
    }
}
