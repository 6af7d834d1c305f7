import Inkstone
import InkstoneMarkdown

/// What goes along when a file is shown as styled text in place of its source, or the other way round: what undo and redo lead to, what is
/// selected, and the first line in sight.
struct StyleSwitch: Sendable {
    /// The history of the other text.
    var history: TextHistory
    /// The other text, whose history it is.
    let text: Rope
    /// The selection's ends and the start of the first line in sight, as offsets in the other text.
    var anchor: UTF16Offset
    var place: RecentFiles.Place

    /// Bytes of the texts that are read or written for the history, altogether: further steps are forgotten.
    private static let budget = 8 << 20
    /// The most steps that go along.
    private static let mostSteps = 200

    /// The steps that go along with a text.
    static func steps(of text: Rope) -> Int { min(mostSteps, budget / max(1, text.metrics.bytes)) }

    /// From styled text to its source.
    init(
        styled text: StyledText, _ history: TextHistory, source: Rope, _ document: MarkdownDocument,
        anchor: UTF16Offset, _ place: RecentFiles.Place
    ) {
        let places = SourcePlaces(text: text.rope, source: source)
        self.text = source
        var left = Self.budget
        self.history = history.mapped(present: StyledText(source)) {
            left -= $0.rope.metrics.bytes
            return left < 0 ? nil : StyledText(Rope(document.write($0).source))
        }
        self.anchor = places.source(of: anchor)
        let caret = place.caret == anchor ? self.anchor : places.source(of: place.caret)
        let top = source.paragraphIndex(at: places.source(of: place.top))
        self.place = RecentFiles.Place(caret: caret, top: place.top == 0 ? 0 : source.utf16Range(of: top).lowerBound)
    }

    /// From a source to its styled text; nil if it cannot be read.
    init?(source: Rope, _ history: TextHistory, anchor: UTF16Offset, _ place: RecentFiles.Place) {
        func read(_ source: Rope) -> StyledText? { try? MarkdownDocument(source.string(in: source.utf16Range)).text }
        guard let text = read(source) else { return nil }
        let places = SourcePlaces(text: text.rope, source: source)
        self.text = text.rope
        var left = Self.budget
        self.history = history.mapped(present: text) {
            left -= $0.rope.metrics.bytes
            return left < 0 ? nil : read($0.rope)
        }
        self.anchor = places.text(of: anchor)
        let caret = place.caret == anchor ? self.anchor : places.text(of: place.caret)
        self.place = RecentFiles.Place(caret: caret, top: place.top == 0 ? 0 : places.text(of: place.top))
    }
}

extension EditorWindow {
    /// Works out what goes along to the window that shows the file otherwise, in the background, and goes on with it; nil if nothing does.
    func prepareStyleSwitch(then work: @escaping (EditorWindow, StyleSwitch?) -> Void) {
        guard let selection = view.selection, file.path != nil, file.newline != .cr else { return work(self, nil) }
        let place = RecentFiles.Place(caret: selection.primary.head, top: view.topOffset)
        let anchor = selection.primary.anchor
        let source = file.store.text
        let history = view.store.history(atMost: StyleSwitch.steps(of: source))
        if let document = rich?.document {
            let text = view.store.styledText
            perform(
                inBackground: {
                    StyleSwitch(styled: text, history, source: source, document, anchor: anchor, place)
                }, holdingKeys: true
            ) { work($0, $1) }
        } else {
            perform(inBackground: { StyleSwitch(source: source, history, anchor: anchor, place) }, holdingKeys: true) {
                work($0, $1)
            }
        }
    }

    /// Takes over what goes along from the window that was here, now that the file is shown.
    func takeStyleSwitch() {
        guard let carried else { return }
        self.carried = nil
        // Another program may have written the file meanwhile.
        guard view.store.text == carried.text else { return }
        view.store.adopt(carried.history)
        guard let caret = view.selection, caret == Selection(caret: carried.place.caret),
            carried.anchor != carried.place.caret
        else { return }
        view.select(Selection(anchor: carried.anchor, head: carried.place.caret), scrolling: false)
    }
}
