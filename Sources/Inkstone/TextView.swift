import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// A text view in an X window: typing with any input method, selecting, scrolling, copy and paste, undo.
///
/// It joins an ``EditorView``, which is the view without a display, with a part of a ``WidgetWindow``. All on the
/// display's thread.
public final class TextView {
    /// The view without a display: text, selection, commands and geometry.
    public let editor: EditorView
    /// The window that it lies in.
    public private(set) weak var window: WidgetWindow?

    /// The text has changed, whoever changed it. Not called while a composition is going on, but once when it ends.
    /// ``EditorView/changes`` tells more: what has changed, as a sequence or for Observation.
    public var onTextChange: (() -> Void)?
    /// The selection or the scroll position has changed.
    public var onSelectionChange: (() -> Void)?

    private var clicks = ClickCounter()
    private var timer: TimerID?
    /// Whether PRIMARY is what is selected here, whatever that is when someone asks.
    private var ownsPrimary = false

    /// A text view in a window, above what is there; the first one fills it and gets the focus.
    ///
    /// - Parameters:
    ///   - store: the text; a new one by default.
    ///   - font: the font of all text, its size in device pixels; by default a monospaced one of 13 px times the scale.
    ///   - theme: colours and distances at scale 1.
    public init(
        in window: WidgetWindow, store: TextStore = TextStore(), font: FontDescriptor? = nil, theme: Theme = Theme()
    ) {
        self.window = window
        let settings = window.display.layoutFontSettings
        let scale = window.display.scale
        editor = EditorView(
            store: store, font: font ?? .standard(scale: scale), theme: theme.scaled(by: scale), settings: settings)
        editor.host = self
        editor.changes.onTextChange = { [weak self] _ in self?.onTextChange?() }
        window.add(self)
        window.layOut()
    }

    /// A text view in a child window of its own, inside a window of any client of the same server.
    ///
    /// For embedding: the host keeps its window, its loop and its handlers. `frame` is in pixels of `parent`.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try WidgetWindow(display, parent: parent, frame: frame)
        self.init(in: window)
        ownWindow = window
        window.show()
    }

    /// The window that was made for this view alone; the view keeps it.
    private var ownWindow: WidgetWindow?

    /// The whole text. Setting it is one undo step and puts the caret at the start.
    public var text: String {
        get { editor.text }
        set { editor.text = newValue }
    }

    /// Whether the user may change the text.
    public var isEditable: Bool {
        get { editor.isEditable }
        set { editor.isEditable = newValue }
    }

    /// Places the view in its window, in window pixels; a view that has a child window of its own is placed with it, in
    /// pixels of the host's window.
    public func setFrame(_ frame: WindowRect) {
        if let ownWindow { ownWindow.window.setFrame(frame) } else { editor.setFrame(frame) }
    }

    /// Sends the window's keys here from now on.
    public func focus() { window?.focus(self) }

    /// Ends the view and the window that was made for it alone.
    public func close() { ownWindow?.close() }

    /// Whether keys come here now.
    var hasFocus: Bool { window?.focusedView === self && window?.window.isFocused == true }

    func focusDidChange() { editor.setFocused(hasFocus) }
}

extension TextView: WindowContent {
    /// Where the view lies, in window pixels.
    public var frame: WindowRect { editor.frame }

    /// Paints the part of the view inside `damage`, in window pixels.
    public func paint(on canvas: any Canvas, damage: WindowRect) { editor.paint(on: canvas, damage: damage) }

    /// Keeps the view’s place on the screen.
    public func windowDidMove(to origin: RootPoint) { editor.windowOrigin = origin }

    /// Everywhere but on the scroll bar.
    public func pressEndsComposition(_ event: PointerEvent) -> Bool {
        !editor.isOnScrollBar(event.location.converted(to: ViewSpace.self, originAt: frame.origin))
    }

    /// Clicks, drags and scrolls.
    public func handlePointer(_ event: PointerEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        switch event.kind {
        case .press(.primary) where editor.isOnScrollBar(point):
            editor.scrollBarPressed(at: point)
        case .press(.primary):
            window?.focus(self)
            editor.pointerDown(
                at: point, clickCount: clicks.press(at: event.location, time: event.timestamp),
                extending: event.modifiers.contains(.shift))
        case .press(.middle):
            window?.focus(self)
            pastePrimary(at: editor.offset(at: point), timestamp: event.timestamp)
        case .release(.primary):
            if editor.scrollBarReleased() { return }
            if editor.pointerUp(at: point) { ownPrimary(timestamp: event.timestamp) }
        case .motion:
            if editor.scrollBarDragged(to: point) { return }
            editor.pointerDragged(to: point)
        case .scroll(let distance):
            editor.scroll(by: 3 * distance.dy * editor.lineStep, dx: 3 * distance.dx * editor.lineStep)
        case .enter:
            window?.window.setCursor(.text)
        case .press, .release, .leave:
            break
        }
    }
}

// MARK: Selections

extension TextView {
    private func ownPrimary(timestamp: UInt32) {
        window?.display.primary.own(timestamp: timestamp, by: self) { [weak self] in
            self?.ownsPrimary = false
        } text: { [weak self] in
            self?.editor.selectedText
        }
        ownsPrimary = true
    }

    private func pastePrimary(at offset: UTF16Offset, timestamp: UInt32) {
        guard let display = window?.display, isEditable else { return }
        let anchor = editor.makeInputAnchor(for: UTF16Range(offset..<offset))
        editor.select(EditorSelection(caret: offset), scrolling: false)
        display.primary.request(timestamp: timestamp) { [weak self] result in
            if case .success(let text) = result { self?.editor.paste(text, at: anchor) }
        }
    }
}

// MARK: What the view without a display asks for

extension TextView: EditorViewHost {
    /// Damages the window.
    public func editorView(_ view: EditorView, needsDisplay rect: ViewRect) {
        window?.window.setNeedsDisplay(rect.converted(from: frame.origin))
    }

    /// Moves what the window shows, unless something lies above it that stays.
    public func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double) {
        guard let window else { return }
        let rect: WindowRect = rect.converted(from: frame.origin)
        if window.contents.contains(where: { $0 !== self && $0.frame.intersects(rect) }) {
            window.window.setNeedsDisplay(rect)
        } else {
            window.window.scroll(rect, by: dy)
        }
    }

    /// Has the input method told where the caret is, once all is laid out.
    public func editorViewCoordinatesDidChange(_ view: EditorView) {
        window?.setNeedsSpots()
    }

    /// Tells ``onSelectionChange``.
    public func editorViewSelectionDidChange(_ view: EditorView) {
        let isShareable = !view.selection.isCaret && view.markedText == nil && !view.isSecureTextEntry
        if !ownsPrimary, !view.isDragging, isShareable, hasFocus {
            ownPrimary(timestamp: window?.display.latestTimestamp ?? 0)
        }
        onSelectionChange?()
    }

    /// Owns the clipboard.
    public func editorView(_ view: EditorView, copy text: String) {
        guard let display = window?.display else { return }
        display.clipboard.own(timestamp: display.latestTimestamp) { text }
    }

    /// Asks the clipboard’s owner; what was typed until it answers stays behind what is pasted.
    public func editorViewRequestsPaste(_ view: EditorView) {
        guard let display = window?.display else { return }
        let anchor = editor.makeInputAnchor(for: .notFound)
        display.clipboard.request(timestamp: display.latestTimestamp) { [weak self] result in
            guard let self, case .success(let text) = result else { return }
            editor.paste(text, at: anchor)
            editor.scrollToCaret()
        }
    }

    /// Sets the timer for the caret’s blinking and for scrolling on.
    public func editorViewDeadlineDidChange(_ view: EditorView) {
        guard let display = window?.display else { return }
        display.cancel(timer)
        timer = nil
        guard let deadline = view.nextDeadline else { return }
        let delay = max(0, deadline - EditorView.monotonicMilliseconds())
        timer = display.schedule(afterMilliseconds: Int(delay)) { [weak self] in
            self?.timer = nil
            self?.editor.handleDeadline()
        }
    }
}
