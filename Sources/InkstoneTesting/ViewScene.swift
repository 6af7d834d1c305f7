import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView

/// An ``EditorView`` without a display, in a fixed font. It records the requests of the view, and its clock
/// advances only when the test advances it.
///
/// The view holds its scene weakly: keep a reference to the scene as long as its view is used.
package final class ViewScene {
    /// The monospaced font of all scenes.
    package static let font = FontDescriptor(family: "DejaVu Sans Mono", size: 14)

    /// The view under test, which has the focus.
    package let view: EditorView
    /// The areas that the view has invalidated since the list was last emptied, in pixels of the view.
    package var damage: [ViewRect] = []
    /// The areas that the view has moved since the list was last emptied, each with the distance down in pixels.
    package var moves: [(ViewRect, Double)] = []
    /// The text last copied to the clipboard; nil for none.
    package var copiedText: CopiedText?
    /// The text last copied to the clipboard, without attributes; nil for none.
    package var copied: String? { copiedText?.text }
    /// The number of times that the view has reported a change of the selection by keys.
    package var keySelections = 0
    /// The sources of requested pastes, as the names of ``PasteSource``'s cases.
    package var pasteRequests: [String] = []
    /// The deferred edits of the requested pastes, in order.
    package var pastes: [DeferredEdit.ID] = []
    /// The time of the view's clock, in milliseconds.
    package var time: Int64 = 0
    /// Called for each edit reported to the view's observers.
    package var onEdit: ((AppliedTransaction) -> Void)?
    /// Called whenever observers are notified that the selection has changed.
    package var onSelection: (() -> Void)?
    /// Called whenever observers are notified that positions in the text may have moved on the screen.
    package var onCoordinates: (() -> Void)?
    /// Called for each change of committed text.
    package var onTextChange: ((TextChange) -> Void)?
    private var observation: TextObservation?
    /// Called whenever the time at which the view has to be called next has changed.
    package var onDeadline: (() -> Void)?

    /// Creates a view of `store` that has the focus. `frame` is in window pixels. The record of damage is empty at
    /// first.
    package init(
        store: TextStore = TextStore(), font: FontDescriptor = ViewScene.font, theme: Theme = Theme(),
        frame: WindowRect = WindowRect(x: 0, y: 0, width: 400, height: 200)
    ) {
        var clock: () -> Int64 = { 0 }
        let shown = ShownView(store: store, font: font, theme: theme, clock: { clock() })
        view = shown
        clock = { [weak self] in self?.time ?? 0 }
        shown.scene = self
        observation = view.observe { [weak self] in self?.viewDidUpdate($0) }
        view.setFrame(frame)
        view.setFocused(true)
        damage = []
    }

    /// Creates a view of 400 × 200 pixels, or another size, in the state that a caret notation describes.
    package convenience init(_ notation: CaretNotation, width: Double = 400, height: Double = 200) {
        self.init(frame: WindowRect(x: 0, y: 0, width: width, height: height))
        view.set(notation)
        damage = []
    }

    /// The state of the view in caret notation.
    package var state: CaretNotation { CaretNotation(view) }

    /// Performs commands one after the other and returns the view's state.
    @discardableResult
    package func perform(_ commands: EditCommand...) -> CaretNotation {
        for command in commands { view.perform(command) }
        return state
    }

    /// Paints the given parts of the window, or the whole view, and returns the canvas with the operations.
    package func paint(_ parts: [WindowRect]? = nil) -> RecordingCanvas {
        let canvas = RecordingCanvas(size: view.frame.size)
        for part in parts ?? [view.frame] { view.paint(on: canvas, damage: part) }
        return canvas
    }

    // MARK: Pointer

    /// The server time of the next pointer event, in milliseconds. Presses that are far apart in time do not form a
    /// multiple click.
    package var pointerTime: UInt32 = 10_000

    /// Sends the view a pointer event at a point.
    package func point(_ kind: PointerEvent.Kind, at point: ViewPoint, _ modifiers: KeyModifiers = []) {
        view.point(kind, at: point, modifiers, time: pointerTime)
    }

    /// Presses a button `count` times in quick succession, and keeps it pressed after the last time.
    package func press(
        at point: ViewPoint, count: Int = 1, _ modifiers: KeyModifiers = [], button: PointerButton = .primary
    ) {
        pointerTime += 5_000
        for index in 0..<count {
            if index > 0 { self.point(.release(button), at: point, modifiers) }
            self.point(.press(button), at: point, modifiers)
            pointerTime += 50
        }
    }

    /// Moves the pointer with the primary button pressed.
    package func drag(to point: ViewPoint, _ modifiers: KeyModifiers = []) {
        self.point(.motion, at: point, modifiers)
        pointerTime += 50
    }

    package func release(at point: ViewPoint, _ modifiers: KeyModifiers = [], button: PointerButton = .primary) {
        self.point(.release(button), at: point, modifiers)
        pointerTime += 50
    }

    /// Clicks `count` times in quick succession.
    package func click(
        at point: ViewPoint, count: Int = 1, _ modifiers: KeyModifiers = [], button: PointerButton = .primary
    ) {
        press(at: point, count: count, modifiers, button: button)
        release(at: point, modifiers, button: button)
    }

    // MARK: Fingers

    /// Sends the view a touch event at a point, ten milliseconds after the last event.
    package func touch(_ phase: TouchEvent.Phase, at point: ViewPoint, id: UInt32 = 1) {
        pointerTime += 10
        view.interaction.handle(
            TouchEvent(
                phase, id: id, isPointer: id == 1, location: point.converted(from: view.frame.origin),
                timestamp: pointerTime), at: point)
    }

    /// Taps at a point, long enough after the last event not to form a double tap.
    package func tap(at point: ViewPoint) {
        pointerTime += 5_000
        touch(.began, at: point)
        touch(.ended, at: point)
    }

    /// Advances the clock, and lets the view handle the deadlines that are due.
    package func pass(milliseconds: Int64) {
        pointerTime += UInt32(milliseconds)
        let end = time + milliseconds
        while let deadline = view.interaction.nextDeadline, deadline <= end {
            time = max(time, deadline)
            view.handleDeadline()
        }
        time = end
    }

    private func viewDidUpdate(_ update: ViewUpdate) {
        if let applied = update.applied { onEdit?(applied) }
        if update.changes.contains(.selection) { onSelection?() }
        if update.movesText { onCoordinates?() }
        if let change = update.textChange { onTextChange?(change) }
    }
}

/// A view that records its requests in a scene.
private final class ShownView: EditorView {
    weak var scene: ViewScene?

    override func setNeedsDisplay(_ rect: ViewRect) { scene?.damage.append(rect) }
    override func movePixels(of rect: ViewRect, by dy: Double) { scene?.moves.append((rect, dy)) }
    override func deadlineDidChange() { scene?.onDeadline?() }
    override func copy(_ text: CopiedText) { scene?.copiedText = text }
    override func didSelectByKeys() { scene?.keySelections += 1 }
    override func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) {
        guard let scene else { return super.requestPaste(from: source, for: paste) }
        scene.pasteRequests.append("\(source)")
        scene.pastes.append(paste)
    }
}

extension EditorView {
    /// Sends the view a pointer event at a point. The primary button counts as pressed, except in its own press
    /// event.
    package func point(
        _ kind: PointerEvent.Kind, at point: ViewPoint, _ modifiers: KeyModifiers = [], time: UInt32 = 0,
        isPrimaryDown: Bool = true
    ) {
        interaction.handle(
            PointerEvent(
                kind: kind, location: point.converted(from: frame.origin), modifiers: modifiers,
                isPrimaryDown: isPrimaryDown, timestamp: time), at: point)
    }
}
