import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView

/// An ``EditorView`` without a display, in a fixed font, with what it requests and a clock that stands still.
///
/// The view holds its scene weakly: a scene is kept as long as its view is asked.
package final class ViewScene {
    /// The font of all scenes: one in which each column is as wide as the others.
    package static let font = FontDescriptor(family: "DejaVu Sans Mono", size: 14)

    /// What is tested. It has the focus.
    package let view: EditorView
    /// What the view has said is out of date, in its own pixels, since this was emptied last.
    package var damage: [ViewRect] = []
    /// What the view has had moved, and how far down in pixels, since this was emptied last.
    package var moves: [(ViewRect, Double)] = []
    /// What was put on the clipboard last.
    package var copiedText: CopiedText?
    /// The same without attributes.
    package var copied: String? { copiedText?.text }
    /// How often the view has said that keys have selected.
    package var keySelections = 0
    /// What was asked for to be pasted: "clipboard" or "selection".
    package var pasteRequests: [String] = []
    /// Where each of these is to go.
    package var pastes: [DeferredEdit.ID] = []
    /// What the view's clock shows, in milliseconds.
    package var time: Int64 = 0
    /// Called for each edit that the view's observers hear of.
    package var onEdit: ((AppliedTransaction) -> Void)?
    /// Called whenever observers hear that the selection has changed.
    package var onSelection: (() -> Void)?
    /// Called whenever observers hear that places in the text may lie elsewhere on the screen.
    package var onCoordinates: (() -> Void)?
    /// Called for each change of finished text.
    package var onTextChange: ((TextChange) -> Void)?
    private var observation: TextObservation?
    /// Called whenever the view's deadline has changed.
    package var onDeadline: (() -> Void)?

    /// A view of `store`, in a frame of its window in pixels; what it has damaged so far is forgotten.
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

    /// A view of 400 × 200 pixels, or of another extent, that shows this.
    package convenience init(_ notation: CaretNotation, width: Double = 400, height: Double = 200) {
        self.init(frame: WindowRect(x: 0, y: 0, width: width, height: height))
        view.set(notation)
        damage = []
    }

    /// What the view shows.
    package var state: CaretNotation { CaretNotation(view) }

    /// Performs commands one after the other and gives what the view shows then.
    @discardableResult
    package func perform(_ commands: EditCommand...) -> CaretNotation {
        for command in commands { view.perform(command) }
        return state
    }

    /// What the view paints when these parts of the window, or all of the view, are out of date.
    package func paint(_ parts: [WindowRect]? = nil) -> RecordingCanvas {
        let canvas = RecordingCanvas(size: view.frame.size)
        for part in parts ?? [view.frame] { view.paint(on: canvas, damage: part) }
        return canvas
    }

    // MARK: Pointer

    /// The server's time of the pointer's next event, in milliseconds. Presses far enough from each other count alone.
    package var pointerTime: UInt32 = 10_000

    /// Does something with the pointer at a point of the view.
    package func point(_ kind: PointerEvent.Kind, at point: ViewPoint, _ modifiers: KeyModifiers = []) {
        view.point(kind, at: point, modifiers, time: pointerTime)
    }

    /// Presses a button so often in quick succession; it stays down the last time.
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

    /// Moves the pointer with the first button down.
    package func drag(to point: ViewPoint, _ modifiers: KeyModifiers = []) {
        self.point(.motion, at: point, modifiers)
        pointerTime += 50
    }

    /// Lets go of a button.
    package func release(at point: ViewPoint, _ modifiers: KeyModifiers = [], button: PointerButton = .primary) {
        self.point(.release(button), at: point, modifiers)
        pointerTime += 50
    }

    /// Clicks so often in quick succession.
    package func click(
        at point: ViewPoint, count: Int = 1, _ modifiers: KeyModifiers = [], button: PointerButton = .primary
    ) {
        press(at: point, count: count, modifiers, button: button)
        release(at: point, modifiers, button: button)
    }

    // MARK: Fingers

    /// Does something with a finger at a point of the view, ten milliseconds after what was done before.
    package func touch(_ phase: TouchEvent.Phase, at point: ViewPoint, id: UInt32 = 1) {
        pointerTime += 10
        view.interaction.handle(
            TouchEvent(
                phase, id: id, isPointer: id == 1, location: point.converted(from: view.frame.origin),
                timestamp: pointerTime), at: point)
    }

    /// Taps; far enough in time from what was done before that it counts alone.
    package func tap(at point: ViewPoint) {
        pointerTime += 5_000
        touch(.began, at: point)
        touch(.ended, at: point)
    }

    /// Lets time pass, and has the view do what is due.
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

/// A view whose requests a scene notes.
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
    /// Does something with the pointer at a point of the view; the first button counts as held but for the event itself.
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
