import Inkstone

/// The bar with an offer: a question that does not interrupt typing. The bar shows a sentence and buttons with
/// answers. An answer is given by the pointer, or by a letter with Alt or, if that may be a command, with Alt and
/// Shift. Only one offer is shown at a time; the next one is shown when the present one is answered. An answer is
/// accepted half a second after the offer has appeared, or after the last click or key that came too soon: the
/// buttons get frames then.
final class OfferBar: WindowContent {
    private(set) var frame = WindowRect.zero
    private var offers: [Question] = []
    private var text: LineLabel
    private var answers: AnswerRow
    private var padding: Double
    private let display: Display
    private unowned let view: TextView
    /// Whether the find bar or a prompt is open, where Alt and a letter may be a command.
    var isElsewhere: () -> Bool = { false }
    /// Whether a question has to be answered first. Until then no offer is shown.
    var isWaiting: () -> Bool = { false }
    /// The offer that is shown; nil if there is none.
    var offer: Question? { isWaiting() ? nil : offers.first }
    private var appearance = OfferAppearance()
    /// The offer that is shown, if it has been visible long enough to be answered.
    private var ripeOffer: Question? {
        offer.flatMap { appearance.isRipe($0, at: MonotonicClock.milliseconds) ? $0 : nil }
    }
    /// Called when an offer is added, withdrawn or answered, when the shown offer changes, and when it can be
    /// answered.
    var onLayoutChange: (() -> Void)?

    init(_ display: Display, sharing view: TextView) {
        (self.display, self.view) = (display, view)
        padding = (5 * display.scale).rounded()
        let font = StatusLine.font(scale: display.scale)
        text = LineLabel(font: font, sharing: view)
        answers = AnswerRow(font: font, padding: padding)
    }

    func displaySettingsDidChange() {
        padding = (5 * display.scale).rounded()
        let font = StatusLine.font(scale: display.scale)
        text = LineLabel(font: font, sharing: view)
        answers = AnswerRow(font: font, padding: padding)
    }

    /// Adds an offer, after the present ones or before them. It replaces an offer with the same text. An offer to
    /// choose another encoding stays last, because recovered changes and other offers for the file are more
    /// important.
    func show(_ offer: Question, isFirst: Bool = false) {
        offers.removeAll { $0.text == offer.text }
        let end = offer.topic == .encoding ? nil : offers.firstIndex { $0.topic == .encoding }
        offers.insert(offer, at: isFirst ? 0 : end ?? offers.count)
        onLayoutChange?()
    }

    /// Updates the labels of the answers after an edit of the document.
    func renew() {
        let before = offer?.answers.map(\.label)
        for index in offers.indices { offers[index] = offers[index].renewed?() ?? offers[index] }
        if offer?.answers.map(\.label) != before { onLayoutChange?() }
    }

    /// Whether one of the offers is about a topic.
    func isOffering(_ topic: Question.Topic) -> Bool { offers.contains { $0.topic == topic } }

    /// Whether one of the offers is about an obstacle to a save, or about a change of the file by another program.
    var isAboutSave: Bool { offers.contains(where: \.isAboutSave) }

    /// Withdraws the offers with this topic. Returns whether there were any.
    @discardableResult
    func withdraw(_ topic: Question.Topic) -> Bool { withdraw { $0.topic == topic } }

    /// Withdraws all offers, because they have become invalid. Returns whether there were any.
    @discardableResult
    func withdrawAll() -> Bool { withdraw { _ in true } }

    private func withdraw(where isWithdrawn: (Question) -> Bool) -> Bool {
        let count = offers.count
        offers.removeAll(where: isWithdrawn)
        guard offers.count < count else { return false }
        onLayoutChange?()
        return true
    }

    /// Handles a letter with Alt or Alt+Shift if it answers the shown offer and is no command. An offer that was
    /// shown only a moment ago cannot be answered yet. Call this after all other handlers of the key. Returns whether
    /// the key was an answer.
    func intercept(_ key: KeyEvent) -> Bool {
        guard let offer, key.phase == .down,
            let action = OfferKeys(offer, in: view.keyBindings, isElsewhere: isElsewhere())
                .action(for: key, of: offer, in: view.keyBindings)
        else { return false }
        guard ripeOffer != nil else {
            ripenAnew()
            return false
        }
        take(action)
        return true
    }

    private func take(_ action: () -> Void) {
        offers.removeFirst()
        onLayoutChange?()
        action()
    }

    /// Lays out the bar for a window's width, and returns its height, both in pixels; 0 without an offer.
    func height(for width: Double) -> Double {
        if appearance.follow(offer, at: MonotonicClock.milliseconds) { paintWhenRipe() }
        guard let offer else { return 0 }
        let keys = OfferKeys(offer, in: view.keyBindings, isElsewhere: isElsewhere())
        text.text = [offer.text, keys.instruction].compactMap(\.self).joined(separator: " ")
        text.width = nil
        let room = max(1, width - 2 * padding)
        if text.size.width > room { text.width = room }
        answers.show(offer.answers.map(\.label), width: room, sharing: view)
        return text.size.height + answers.height + 3 * padding
    }

    /// Repaints the bar when its offer becomes answerable: the buttons get frames then.
    private func paintWhenRipe() {
        display.schedule(afterMilliseconds: Int(Question.ripening)) { [weak self] in
            guard let self, let offer else { return }
            if appearance.isRipe(offer, at: MonotonicClock.milliseconds) { onLayoutChange?() }
        }
    }

    /// Restarts the delay before the offer can be answered, unless it can be answered already.
    private func ripenAnew() {
        guard let offer, ripeOffer == nil else { return }
        appearance.note(inputFor: offer, at: MonotonicClock.milliseconds)
        paintWhenRipe()
    }

    func setFrame(_ frame: WindowRect) { self.frame = offer == nil ? .zero : frame }

    private var answersOrigin: WindowPoint {
        WindowPoint(x: frame.minX + padding, y: frame.minY + 2 * padding + text.size.height)
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard offer != nil else { return }
        let (theme, isRipe) = (view.theme, ripeOffer != nil)
        canvas.setClip([damage.intersection(frame)])
        canvas.fill(frame, theme.panel.background)
        if isRipe {
            canvas.fill(
                WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: max(1, theme.underlineWidth)),
                theme.panel.border)
        }
        text.paint(
            on: canvas, at: text.origin(padding, y: frame.minY + padding, in: frame), color: theme.panel.text)
        answers.paint(on: canvas, at: answersOrigin, areFramed: isRipe, theme: theme)
        canvas.setClip(nil)
    }

    /// Returns the frame of the answer at an index, in window pixels.
    func answerFrame(_ index: Int) -> WindowRect { answers.frame(of: index, origin: answersOrigin) }

    /// Performs the answer at an index of the offer that is shown, if that can be answered already.
    func press(_ index: Int) {
        if let offer = ripeOffer, offer.answers.indices.contains(index) { take(offer.answers[index].action) }
    }

    func cursor(at point: WindowPoint) -> Window.Cursor {
        ripeOffer == nil || answers.answer(at: point, origin: answersOrigin) == nil ? .arrow : .hand
    }

    func handlePointer(_ event: PointerEvent) {
        guard case .press(.primary) = event.kind else { return }
        // Restart the waiting time: the user may have aimed at the text that the bar now covers.
        ripenAnew()
        if let index = answers.answer(at: event.location, origin: answersOrigin) { press(index) }
    }
}
