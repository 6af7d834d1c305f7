import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The handling of clicks, drags, touches and wheels in a text view, for any view that adopts `TextInput`. The
/// counterpart of Apple's `UITextInteraction`.
///
/// Pass the view's pointer events to the interaction, call ``handleDeadline()`` when ``nextDeadline`` has passed,
/// and ``cancel()`` when the view loses the focus. A view that also adopts ``PointerTextInput`` gets several carets
/// and rectangular selections. A view that adopts ``ScrollableTextInput`` is scrolled while a drag is held at its
/// edge. An `EditorView` has its own interaction.
///
/// The plain values `PointerGesture` and ``Autoscroll`` decide on the actions; this class performs them.
public final class TextInteraction {
    /// The kinds of access that the user has to the text.
    public enum Mode: Hashable, Sendable {
        /// The text can be selected and edited.
        case editable
        /// The text can be selected, copied and dragged away, and a click opens links. Nothing can be pasted.
        case nonEditable
    }

    /// A gesture that the delegate or an asynchronous view may refuse.
    public typealias Gesture = TextGesture

    /// The user's access to the text. In a view that is not editable, it is always treated as
    /// ``Mode-swift.enum/nonEditable``.
    public var mode: Mode
    /// The view whose events are handled.
    public weak var textInput: (any TextInput)? {
        didSet { asyncInput = textInput as? any AsyncTextInput }
    }
    /// The view if it is asynchronous; such a view selects and scrolls by itself.
    private weak var asyncInput: (any AsyncTextInput)?
    /// The delegate that may refuse gestures, and that may find links in the text and open them.
    public weak var delegate: (any TextInteractionDelegate)?
    /// The object that connects the view with other programs.
    public weak var host: (any TextInteractionHost)?
    /// The times and distances that distinguish gestures, in milliseconds and device pixels.
    public var settings = PointerSettings()
    /// Called when ``nextDeadline`` may have changed.
    public var onDeadlineChange: (() -> Void)?
    /// Called when ``handles`` may have changed without a change of the selection.
    public var onHandlesChange: (() -> Void)?

    /// The links that the view finds in its own text (`LinkAttribute`), in addition to those that the delegate
    /// finds. Nil if the view has no callback that opens links.
    var links: Links? { didSet { if links == nil { oldValue?.point(nil) } } }
    /// Whether Control was held in the last event of the pointer: a click then opens a link of text that can be
    /// edited.
    private var isControlHeld = false
    /// The last position of the pointer over the view, in view pixels; nil while the pointer is outside of the view.
    private var hovering: ViewPoint?

    /// The view's functions for the links of its own text.
    struct Links {
        /// Returns whether the text at a position is a link.
        var has: (TextPosition) -> Bool
        /// Opens the link at a position.
        var open: (TextPosition) -> Void
        /// Shows that a click would open the link at a position; nil if it would open none.
        var point: (TextPosition?) -> Void
    }

    var gesture = PointerGesture()
    var touch = TouchGesture()
    var drag: SelectionDrag?
    private var autoscroll: Autoscroll?
    /// Whether an asynchronous view has been asked to scroll for a drag.
    private var isScrolledByView = false
    /// The kinetic scrolling in progress; nil for none.
    var kinetics: KineticScroll?
    /// The recent turns of a wheel or touchpad.
    var turned = VelocityTracker()
    /// The range selected by touch, as long as handles may be shown for it.
    var touched: Range<UTF16Offset>?
    /// The range selected last by this interaction, for views that do not remember the moving end.
    private var lastRange: SelectionRange?
    /// Returns the time of a monotonic clock, in milliseconds.
    let clock: () -> Int64

    /// Creates an interaction without a view.
    ///
    /// - Parameter clock: milliseconds of a monotonic clock; tests pass their own.
    public init(for mode: Mode, clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.mode = mode
        self.clock = clock
    }

    /// Whether the gesture of a button or a finger is in progress.
    public var isActive: Bool { gesture.isActive || touch.isActive }
    /// Whether the gesture in progress is one of a finger.
    public var isTouched: Bool { touch.isActive }
    /// Whether the selection follows the pointer or a finger.
    public var isSelecting: Bool { gesture.isSelecting || touch.isSelecting }

    var text: PointedText? { textInput.map { PointedText($0, last: lastRange) } }
    var isEditable: Bool { mode == .editable && textInput?.isEditable == true }

    // MARK: Events

    /// Handles a pointer event. For an event of the wheel, scroll the view before this call.
    ///
    /// - Parameters:
    ///   - point: the position of the pointer, in view pixels; it may lie outside of the view.
    ///   - whole: the unit that already the first press of the primary button selects and by which a drag extends;
    ///     nil for the usual units.
    public func handle(_ event: PointerEvent, at point: ViewPoint, by whole: TextGranularity? = nil) {
        guard let text else { return }
        defer { hover(at: event.kind == .leave ? nil : point, event.modifiers) }
        let actions: [PointerGesture.Action]
        switch event.kind {
        case .press(let button):
            stopAutoscroll()
            stopKinetics()
            hideHandles()
            touch.cancel()
            actions = gesture.press(
                button, at: point, modifiers: event.modifiers, time: event.timestamp, at: clock(), by: whole, settings
            ) { target(at: point, in: text) }
        case .motion:
            actions = gesture.move(to: point, isHeld: event.isPrimaryDown, settings)
        case .release(let button): actions = gesture.release(button)
        case .scroll(let clicks):
            turn(clicks, event)
            actions = clicks == Vector(dx: 0, dy: 0) ? [] : gesture.scroll(at: point)
        case .enter, .leave: return
        }
        perform(actions, text, event)
        followPointer()
        onDeadlineChange?()
    }

    private func target(at point: ViewPoint, in text: PointedText) -> PointerGesture.Target {
        PointerGesture.Target(
            isSelected: text.isSelected(at: point),
            isLink: hasLink(at: point, in: text), takesSeveral: text.several != nil, opensLinks: !isEditable,
            isAttachment: text.several?.object(at: point) != nil)
    }

    func hasLink(at point: ViewPoint, in text: PointedText) -> Bool {
        guard delegate != nil || links != nil, let cluster = text.input.characterRange(at: point) else { return false }
        return delegate?.textInteraction(self, hasLinkAt: cluster.start) == true || links?.has(cluster.start) == true
    }

    /// Whether a click at a point of the view would open a link. In text that can be edited, only a click with Ctrl
    /// opens links: false there unless Ctrl was held in the last event of the pointer.
    public func opensLink(at point: ViewPoint) -> Bool {
        guard !isEditable || isControlHeld, let text else { return false }
        return hasLink(at: point, in: text)
    }

    /// Handles a press or release of Control while the pointer rests over the view. Returns the pointer's position, in
    /// view pixels, if the pointer's shape may have changed; nil otherwise.
    package func controlDidChange(to isHeld: Bool) -> ViewPoint? {
        guard let hovering, isHeld != isControlHeld else { return nil }
        hover(at: hovering, isHeld ? .control : [])
        return hovering
    }

    private func hover(at point: ViewPoint?, _ modifiers: KeyModifiers) {
        hovering = point
        isControlHeld = modifiers.contains(.control)
        guard let links else { return }
        // A press on a link does not change what a click would open, so the hover lasts until the link is opened.
        guard let point, !isActive || gesture.opensLink, opensLink(at: point) else { return links.point(nil) }
        links.point(text?.input.characterRange(at: point)?.start)
    }

    /// Cancels the gesture and all scrolling, as Escape or the loss of the focus does. The selection does not
    /// change. Returns whether there was anything to cancel.
    @discardableResult
    public func cancel() -> Bool {
        guard isActive || autoscroll != nil || kinetics != nil || isScrolledByView else { return false }
        gesture.cancel()
        touch.cancel()
        drag = nil
        stopKinetics()
        stopAutoscroll()
        onDeadlineChange?()
        return true
    }

    /// Maps the offsets of the drag in progress, and those of a selection made by touch, through a change of the
    /// text. Call after each change.
    public func textDidChange(through changes: TextChangeMap) {
        drag?.map(through: changes)
        if let old = touched {
            let low = changes.map(old.lowerBound, bias: .downstream)
            touched = low..<max(low, changes.map(old.upperBound, bias: old.isEmpty ? .downstream : .upstream))
        }
    }

    // MARK: Time

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the clock; nil for never.
    public var nextDeadline: Int64? {
        [gesture.deadline, touch.deadline, autoscroll?.deadline, kinetics?.deadline].compactMap { $0 }.min()
    }

    /// Performs the steps that are due: those of scrolling, or a long press.
    public func handleDeadline() {
        guard let text else { return }
        let now = clock()
        perform(gesture.deadlinePassed(at: now), text, nil)
        perform(touch.deadlinePassed(at: now), text, nil)
        stepKinetics(at: now)
        guard let scrollable = textInput as? any ScrollableTextInput,
            let distance = autoscroll?.step(in: scrollable.autoscrollArea, edgeSettings, at: now),
            let location = autoscroll?.location
        else { return }
        scrollable.scroll(by: distance.dy, dx: distance.dx)
        if isSelecting { extend(to: location, in: text) } else { host?.textInteractionDidAutoscroll(self) }
    }

    /// Scrolls as long as a point lies beyond the edge of the view, or near the edge inside it, for drags of other
    /// things over the text. Scrolling continues until ``cancelAutoscroll()`` or a call with another point.
    ///
    /// - Parameter point: the position of the pointer, in view pixels.
    public func autoscroll(to point: ViewPoint) {
        if let asyncInput {
            isScrolledByView = true
            return asyncInput.autoscroll(to: point)
        }
        guard let scrollable = textInput as? any ScrollableTextInput else { return }
        var autoscroll = autoscroll ?? Autoscroll(at: point, isArmed: true)
        autoscroll.move(to: point, in: scrollable.autoscrollArea, settings, at: clock())
        self.autoscroll = autoscroll
        onDeadlineChange?()
    }

    /// Ends the scrolling of ``autoscroll(to:)``. It begins again when the drag moves.
    public func cancelAutoscroll() {
        stopAutoscroll()
        onDeadlineChange?()
    }

    private func stopAutoscroll() {
        autoscroll = nil
        guard isScrolledByView else { return }
        isScrolledByView = false
        asyncInput?.cancelAutoscroll()
    }

    /// The settings for drags at an edge. The zone inside the edge is larger for a finger, because a finger covers
    /// more than a pointer does.
    private var edgeSettings: PointerSettings {
        var result = settings
        if touch.isSelecting { result.autoscrollZone = max(result.autoscrollZone, result.handleReach) }
        return result
    }

    /// Ends the drag and its scrolling if the selection no longer follows the pointer.
    func followPointer() {
        guard !isSelecting else { return }
        let wasHeld = drag?.hold != nil
        drag = nil
        stopAutoscroll()
        if wasHeld { onHandlesChange?() }
    }

    // MARK: Actions

    /// Asks the delegate, an asynchronous view and then the host whether a gesture may begin. Returns false if one
    /// of them refuses. The host prepares for a gesture that it allows.
    func begins(_ kind: Gesture, at point: ViewPoint) -> Bool {
        guard delegate?.textInteractionGesture(kind, shouldBeginAt: point) ?? true,
            asyncInput?.textInteractionGesture(kind, shouldBeginAt: point) ?? true
        else { return false }
        // The host must not prepare for a paste into text that cannot be edited, because no paste follows.
        guard kind != .paste || isEditable else { return true }
        guard host?.textInteraction(self, willBegin: kind) ?? true else {
            // The host has refused, and may have moved the focus elsewhere: count the next press as the first of a
            // series.
            gesture.forgetPresses()
            return false
        }
        return true
    }

    private func perform(_ actions: [PointerGesture.Action], _ text: PointedText, _ event: PointerEvent?) {
        for action in actions where !performUnlessRefused(action, text, event) { return gesture.refuse() }
    }

    /// Performs an action unless the gesture that it begins is refused. Returns false if the gesture was refused.
    func performUnlessRefused(
        _ action: PointerGesture.Action, _ text: PointedText, _ event: PointerEvent?
    ) -> Bool {
        if let (kind, point) = Gesture.begun(by: action), !begins(kind, at: point) { return false }
        perform(action, text, event)
        return true
    }

    private func perform(_ action: PointerGesture.Action, _ text: PointedText, _ event: PointerEvent?) {
        switch action {
        case .select(_, at: let point) where isEditable && text.several?.press(besideTextAt: point) == true: drag = nil
        case .select(let granularity, at: let point): begin(granularity, at: point, beside: nil, text)
        case .add(let granularity, at: let point): begin(granularity, at: point, beside: text.selection, text)
        case .extend(to: let point, by: let granularity): beginExtending(to: point, by: granularity, text)
        case .toggleCaret(at: let point): toggleCaret(at: point, text)
        case .beginRectangle(at: let point):
            begin(.character, at: point, beside: nil, text)
            drag?.corner = text.several?.documentPoint(point)
        case .drag(to: let point):
            guard drag != nil else { return }
            extend(to: point, in: text)
            if let asyncInput {
                isScrolledByView = true
                return asyncInput.autoscroll(to: point)
            }
            guard let scrollable = textInput as? any ScrollableTextInput else { return }
            autoscroll = autoscroll ?? Autoscroll(at: point)
            autoscroll?.move(to: point, in: scrollable.autoscrollArea, edgeSettings, at: clock())
        case .dragSelection(from: let point, to: let now):
            guard let event else { return }
            if host?.textInteraction(self, beginDraggingSelectionFrom: point, event: event) == true { return }
            perform(gesture.selectInstead(from: point, to: now), text, event)
        case .openLink(at: let point):
            guard let link = text.input.characterRange(at: point) else { return }
            delegate?.textInteraction(self, openLinkAt: link.start)
            links?.open(link.start)
        case .openAttachment(at: let point):
            guard let object = text.several?.object(at: point) else { return }
            delegate?.textInteraction(self, openAttachmentAt: text.position(object.lowerBound))
        case .paste(at: let point):
            guard isEditable, let place = text.place(closestTo: point), let event else { return }
            host?.textInteraction(
                self, pastePrimaryAt: text.position(place.offset, place.affinity), time: event.timestamp)
        case .openMenu(at: let point):
            if !text.isInSelection(point) { begin(.character, at: point, beside: nil, text) }
            drag = nil
            guard let event else { return }
            host?.textInteraction(self, openMenuAt: point, event: event)
        case .longPress(at: let point):
            begin(.word, at: point, beside: nil, text)
            host?.textInteraction(self, didPressLongAt: point)
        case .finish: finish(text, event)
        }
    }

    func select(_ selection: Selection, in text: PointedText) {
        lastRange = selection.primary
        text.select(selection)
        if touch.isSelecting { showHandles(for: text) }
    }

    private func begin(
        _ granularity: TextGranularity, at point: ViewPoint, beside kept: Selection?, _ text: PointedText
    ) {
        guard let place = text.place(closestTo: point, by: granularity) else { return }
        text.willSelect()
        let object = granularity == .character ? text.several?.object(at: point) : nil
        let origin = object ?? text.unit(granularity, enclosing: place)
        drag = SelectionDrag(origin: origin, granularity: granularity, kept: kept)
        let range = SelectionRange(
            anchor: origin.lowerBound, head: origin.upperBound,
            affinity: granularity == .character ? place.affinity : .downstream, granularity: granularity)
        if let asyncInput, kept == nil {
            lastRange = range
            if granularity == .character {
                asyncInput.selectPosition(at: point)
            } else {
                asyncInput.selectText(in: granularity, at: point)
            }
            return
        }
        select(kept?.adding(range) ?? Selection(range), in: text)
    }

    /// Extends the selection to a point, as for a press with Shift: by the unit by which the range was selected, or
    /// by `least` if that is larger. Without a selection, begins one.
    private func beginExtending(to point: ViewPoint, by least: TextGranularity, _ text: PointedText) {
        guard let range = text.selection?.primary else { return begin(least, at: point, beside: nil, text) }
        text.willSelect()
        let granularity = range.granularity.isLarger(than: least) ? range.granularity : least
        var origin = range.anchor..<range.anchor
        if granularity != .character {
            // Keep the unit that was selected first. It is at the fixed end of the range: it begins at the anchor
            // or, if the selection extends backward, ends there.
            let isBackward = range.head < range.anchor
            let step: UTF16Offset = isBackward && granularity == .paragraph ? 1 : 0
            origin = text.unit(
                granularity,
                enclosing: CaretPlace(
                    UTF16Offset(range.anchor - step), affinity: isBackward ? .upstream : .downstream))
        }
        drag = SelectionDrag(origin: origin, granularity: granularity)
        extend(to: point, in: text)
    }

    private func extend(to point: ViewPoint, in text: PointedText) {
        guard let drag else { return }
        if let hold = drag.hold { return move(hold, fixed: drag.origin.lowerBound, to: point, in: text) }
        if let corner = drag.corner, let several = text.several {
            return select(several.selection(inRectangleFrom: corner, to: several.documentPoint(point)), in: text)
        }
        guard let place = text.place(closestTo: point, by: drag.granularity) else { return }
        if let asyncInput, drag.kept == nil {
            // An asynchronous view does not report which end of its selection is fixed: select the origin again
            // before extending.
            let origin = drag.origin
            asyncInput.selectedTextRange = TextRange(
                start: text.position(origin.lowerBound), end: text.position(origin.upperBound))
            return asyncInput.updateSelection(extent: point, boundary: drag.granularity) { _ in }
        }
        let unit = text.unit(drag.granularity, enclosing: place)
        let range = SelectionRange(
            extending: drag.origin, to: place.offset, affinity: place.affinity, in: unit, by: drag.granularity)
        select(drag.kept?.adding(range) ?? Selection(range), in: text)
    }

    private func toggleCaret(at point: ViewPoint, _ text: PointedText) {
        guard let place = text.place(closestTo: point) else { return }
        text.willSelect()
        let caret = SelectionRange(caret: place.offset, affinity: place.affinity)
        guard let old = text.selection, let index = PointedText.index(of: place, in: old) else {
            return select(text.selection?.adding(caret) ?? Selection(caret), in: text)
        }
        var ranges = old.ranges
        ranges.remove(at: index)
        if let rest = Selection(
            ranges, primary: old.primaryIndex < index ? old.primaryIndex : max(0, old.primaryIndex - 1))
        {
            select(rest, in: text)
        }
    }

    private func finish(_ text: PointedText, _ event: PointerEvent?) {
        guard let selection = text.selection, !text.input.isSecureTextEntry else { return }
        if selection.isEmpty {
            // Scroll only after the button is released. While it was down, text scrolled under the pointer would
            // have been selected by the next motion.
            text.several?.select(selection, scrolling: selection.count == 1)
        } else {
            host?.textInteraction(self, didSelectAt: event?.timestamp ?? 0)
        }
    }
}

extension TextGesture {
    /// Returns the gesture that an action begins, and its point; nil for an action that continues or ends a
    /// gesture.
    static func begun(by action: PointerGesture.Action) -> (Self, ViewPoint)? {
        switch action {
        case .select(.character, at: let point): (.caret, point)
        case .select(.word, at: let point): (.word, point)
        case .select(_, at: let point): (.paragraph, point)
        case .extend(to: let point, by: _): (.extending, point)
        case .add(_, at: let point), .toggleCaret(at: let point): (.several, point)
        case .beginRectangle(at: let point): (.rectangle, point)
        case .dragSelection(from: let point, to: _): (.drag, point)
        case .openLink(at: let point), .openAttachment(at: let point): (.link, point)
        case .paste(at: let point): (.paste, point)
        case .openMenu(at: let point): (.menu, point)
        case .longPress(at: let point): (.longPress, point)
        case .drag, .finish: nil
        }
    }
}

extension TextGranularity {
    /// Whether this unit is larger than another one: words are larger than characters.
    fileprivate func isLarger(than other: Self) -> Bool {
        func rank(_ granularity: Self) -> Int {
            switch granularity {
            case .character: 0
            case .word: 1
            case .sentence: 2
            case .line: 3
            case .paragraph: 4
            case .document: 5
            }
        }
        return rank(self) > rank(other)
    }
}
