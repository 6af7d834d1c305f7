import Inkstone

/// What the editor offers or asks while the user goes on typing: a strip with a sentence and answers for the pointer, or for Alt and a letter
/// where that does nothing else.
/// One offer at a time; the next comes when that is answered.
final class OfferBar: WindowContent {
    private(set) var frame = WindowRect.zero
    private var offers: [Question] = []
    private var text: LineLabel
    private var answers: AnswerRow
    private var padding: Double
    private let display: Display
    private unowned let view: TextView
    /// Whether keys are typed elsewhere than into the text, where Alt and a letter may be a command.
    var isElsewhere: () -> Bool = { false }
    /// Whether a question has to be answered first: until then nothing is offered.
    var isWaiting: () -> Bool = { false }
    /// What is offered now.
    var offer: Question? { isWaiting() ? nil : offers.first }
    /// The offer that is seen, by its text, and when it came up, in milliseconds of ``MonotonicClock``.
    private var seen: (text: String, time: Int64)?
    /// The offer that can be answered now.
    private var ripeOffer: Question? {
        offer.flatMap { MonotonicClock.milliseconds - (seen?.time ?? 0) < $0.ripening ? nil : $0 }
    }
    /// It has come or gone, or says something else.
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

    /// Offers something, after or before what is offered already; in place of what asks the same.
    func show(_ offer: Question, isFirst: Bool = false) {
        offers.removeAll { $0.text == offer.text }
        offers.insert(offer, at: isFirst ? 0 : offers.count)
        onLayoutChange?()
    }

    /// Has offers say what their answers do now that the text is another one.
    func renew() {
        let before = offer?.answers.map(\.label)
        for index in offers.indices { offers[index] = offers[index].renewed?() ?? offers[index] }
        if offer?.answers.map(\.label) != before { onLayoutChange?() }
    }

    /// Whether something is offered about this.
    func isOffering(_ topic: Question.Topic) -> Bool { offers.contains { $0.topic == topic } }

    /// Whether one of the offers is what a save has met.
    var isAboutSave: Bool { offers.contains(where: \.isAboutSave) }

    /// Takes back what is offered about this. Returns whether anything was.
    @discardableResult
    func withdraw(_ topic: Question.Topic) -> Bool { withdraw { $0.topic == topic } }

    /// Takes back all offers: they have no ground any more. Returns whether there were any.
    @discardableResult
    func withdrawAll() -> Bool { withdraw { _ in true } }

    private func withdraw(where isWithdrawn: (Question) -> Bool) -> Bool {
        let count = offers.count
        offers.removeAll(where: isWithdrawn)
        guard offers.count < count else { return false }
        onLayoutChange?()
        return true
    }

    /// Takes Alt and a letter, if that is an answer and no command: to be asked after all others who may want the key. Calls `willAnswer` before
    /// the answer is carried out.
    func intercept(_ key: KeyEvent, willAnswer: () -> Void) -> Bool {
        guard let offer = ripeOffer, key.phase == .down,
            let action = OfferKeys(offer, in: view.keyBindings, isElsewhere: isElsewhere())
                .action(for: key, of: offer, in: view.keyBindings)
        else { return false }
        willAnswer()
        take(action)
        return true
    }

    private func take(_ action: () -> Void) {
        offers.removeFirst()
        onLayoutChange?()
        action()
    }

    /// How high it is going to be in a window of a width, in pixels; 0 if nothing is offered.
    func height(for width: Double) -> Double {
        if offer?.text != seen?.text { seen = offer.map { ($0.text, MonotonicClock.milliseconds) } }
        guard let offer else { return 0 }
        let keys = OfferKeys(offer, in: view.keyBindings, isElsewhere: isElsewhere())
        text.text = [offer.text, keys.instruction].compactMap(\.self).joined(separator: " ")
        text.width = nil
        let room = max(1, width - 2 * padding)
        if text.size.width > room { text.width = room }
        answers.show(offer.answers.map(\.label), width: room, sharing: view)
        return text.size.height + answers.height + 3 * padding
    }

    func setFrame(_ frame: WindowRect) { self.frame = offer == nil ? .zero : frame }

    private var answersOrigin: WindowPoint {
        WindowPoint(x: frame.minX + padding, y: frame.minY + 2 * padding + text.size.height)
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard offer != nil else { return }
        let theme = view.theme
        canvas.setClip([damage.intersection(frame)])
        canvas.fill(frame, theme.panel.background)
        canvas.fill(
            WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: max(1, theme.underlineWidth)),
            theme.panel.border)
        text.paint(
            on: canvas, at: text.origin(padding, y: frame.minY + padding, in: frame), color: theme.panel.text)
        answers.paint(on: canvas, at: answersOrigin, theme: theme)
        canvas.setClip(nil)
    }

    /// The place of an answer, in window pixels.
    func answerFrame(_ index: Int) -> WindowRect { answers.frame(of: index, origin: answersOrigin) }

    /// Gives an answer to what is offered.
    func press(_ index: Int) {
        if let offer = ripeOffer, offer.answers.indices.contains(index) { take(offer.answers[index].action) }
    }

    func cursor(at point: WindowPoint) -> Window.Cursor {
        answers.answer(at: point, origin: answersOrigin) == nil ? .arrow : .hand
    }

    func handlePointer(_ event: PointerEvent) {
        guard case .press(.primary) = event.kind,
            let index = answers.answer(at: event.location, origin: answersOrigin)
        else { return }
        press(index)
    }
}
