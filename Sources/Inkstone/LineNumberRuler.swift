import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneWords
import InkstoneX11

/// A strip beside a text view with line numbers: the numbers of the text's paragraphs, counted from 1. A press on a
/// number selects the paragraph, and a drag extends the selection by paragraphs.
///
/// The program places the strip left of the view, ``width`` pixels wide and as high as the view, and lays out the
/// window again when ``width`` changes. The strip follows the view without further calls.
public final class LineNumberRuler: WindowContent {
    /// A paragraph whose start is visible.
    private struct Row: Hashable {
        var paragraph: ParagraphIndex
        /// The baseline of the paragraph's first line, in view pixels; may lie outside the view.
        var baseline: Double
        /// Whether the head of the primary selected range is in the paragraph.
        var isCurrent: Bool
    }

    /// The frame of the strip, in window pixels.
    public private(set) var frame = WindowRect.zero
    /// The width that the strip needs, in pixels: enough for the number of the last paragraph, and at least for
    /// three digits.
    public private(set) var width = 0.0
    /// Called when ``width`` has changed.
    public var onWidthChange: (() -> Void)?

    private weak var view: TextView?
    /// The rows that are shown: those of the last layout pass.
    private var shown: [Row] = []
    /// The rows that the present layout pass has collected.
    private var next: [Row] = []
    /// The paragraph of the primary caret, set during a layout pass; nil without a caret.
    private var current: ParagraphIndex?
    /// The laid-out labels of the visible numbers.
    private var labels: [ParagraphIndex: LineLabel] = [:]
    /// The font of the numbers.
    private var font: FontDescriptor
    /// The number of digits for which the strip has room.
    private var digits = 0

    /// Creates a strip for a view. Add the strip to the view's window.
    public init(for view: TextView) {
        self.view = view
        font = Self.font(beside: view)
        _ = measure()
        view.presenter.viewportLayout.addDelegate(self)
    }

    /// Returns a font smaller than the view's, with digits of equal width if the font has them.
    private static func font(beside view: TextView) -> FontDescriptor {
        var font = view.font
        font.size = max(1, (font.size * 0.85).rounded())
        font.features["tnum"] = 1
        return font
    }

    /// Returns the number of a paragraph, counted from 1, in the digits of a language. The editor's status line
    /// uses the same digits.
    package static func text(
        of paragraph: ParagraphIndex, in language: Language = LibraryWords.language
    ) -> String { language.number(paragraph.value + 1) }

    /// Updates the font, the number of digits and the width. Returns true if the font or the number of digits has
    /// changed: the whole strip must then be repainted.
    private func measure() -> Bool {
        guard let view else { return false }
        let font = Self.font(beside: view)
        let digits = max(3, "\(view.store.text.paragraphCount)".count)
        guard font != self.font || digits != self.digits else { return false }
        (self.font, self.digits) = (font, digits)
        labels = [:]
        var widest = LineLabel(font: font, sharing: view)
        widest.text = String(repeating: LibraryWords.language.number(0), count: digits)
        width = (widest.size.width + 2 * view.theme.margin).rounded(.up)
        return true
    }

    /// Sets the strip's frame, in window pixels.
    public func setFrame(_ frame: WindowRect) { self.frame = frame }

    /// Measures the strip again, because the display's scale or fonts have changed. Called before the window is laid
    /// out.
    public func displaySettingsDidChange() { _ = measure() }

    // MARK: Painting

    /// Returns the area that a row's number may cover.
    private func area(of row: Row, in view: TextView) -> WindowRect {
        let height = view.presenter.lineStep
        return WindowRect(
            x: frame.minX, y: frame.minY + row.baseline - height, width: frame.width, height: 1.5 * height
        ).intersection(frame)
    }

    /// Paints the background of `damage`, which is in window pixels, and the numbers that intersect it.
    public func paint(on canvas: any Canvas, damage: WindowRect) {
        guard let view else { return }
        canvas.setClip([damage])
        canvas.fill(damage, view.theme.background)
        for row in shown where area(of: row, in: view).intersects(damage) {
            let label = label(of: row.paragraph, in: view)
            let origin = WindowPoint(
                x: frame.maxX - view.theme.margin - label.size.width,
                y: frame.minY + row.baseline - label.baseline)
            label.paint(
                on: canvas, at: origin, color: row.isCurrent ? view.theme.panel.text : view.theme.placeholder)
        }
        canvas.setClip(nil)
    }

    private func label(of paragraph: ParagraphIndex, in view: TextView) -> LineLabel {
        if let known = labels[paragraph] { return known }
        var label = LineLabel(font: font, sharing: view)
        label.text = Self.text(of: paragraph)
        labels[paragraph] = label
        return label
    }

    // MARK: Pointer

    /// Returns `byContent`: the view ends the composition itself, because the press selects text in the view,
    /// unless the view's delegate forbids that.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd { .byContent }

    /// Selects paragraphs at a press and a drag, and passes scrolling to the view.
    public func handlePointer(_ event: PointerEvent) {
        guard let view else { return }
        switch event.kind {
        case .scroll: return view.handlePointer(event)
        case .press(.primary), .release, .motion: break
        case .press, .enter, .leave: return
        }
        // Use a point in the middle of the view's width: the view must not scroll sideways.
        let point = ViewPoint(x: view.bounds.width / 2, y: event.location.y - view.frame.minY)
        view.interaction.handle(event, at: point, by: .paragraph)
    }
}

/// The callbacks by which the ruler follows the layout of the viewport.
extension LineNumberRuler: TextViewportLayoutDelegate {
    /// Starts a layout pass, and measures the strip again.
    public func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {
        guard let view else { return }
        let old = width
        if measure() { view.window?.window.setNeedsDisplay(frame) }
        if width != old { onWidthChange?() }
        next = []
        current = view.selection.map { view.store.text.paragraphIndex(at: $0.primary.head) }
    }

    /// Adds a row for each paragraph whose start is visible.
    public func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configure fragment: TextLayoutFragment
    ) {
        guard !fragment.continuesParagraph, let line = fragment.textLineFragments.first else { return }
        let baseline = controller.viewPoint(DocumentPoint(x: 0, y: line.baseline)).y
        next.append(
            Row(paragraph: fragment.paragraph, baseline: baseline, isCurrent: fragment.paragraph == current))
    }

    /// Repaints the numbers that have changed or moved.
    public func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) {
        guard let view, let window = view.window?.window, next != shown else { return }
        for row in Set(shown).symmetricDifference(next) { window.setNeedsDisplay(area(of: row, in: view)) }
        shown = next
        let kept = Set(next.map(\.paragraph))
        labels = labels.filter { kept.contains($0.key) }
    }
}
