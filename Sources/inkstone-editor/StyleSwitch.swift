import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// The state that is carried over when a file is shown as styled text instead of its source, or vice versa: undo
/// history, selection and first visible line.
struct StyleSwitch: Sendable {
    /// The undo history, converted to the text of the new view.
    let history: PreparedHistory
    /// The text of the new view: the source or the styled text.
    let text: Rope
    /// The anchor of the selection; `place` contains the caret and the start of the first visible line. All are offsets
    /// in ``text``.
    var anchor: UTF16Offset
    var place: RecentFiles.Place

    /// The maximum total size, in bytes, of the texts that are converted for the undo history. Older steps are
    /// dropped.
    private static let budget = 8 << 20
    /// The maximum number of undo steps that are carried over. Older steps are dropped.
    private static let mostSteps = 200

    /// Returns the number of undo steps that are carried over for a text.
    static func steps(of text: Rope) -> Int { min(mostSteps, budget / max(1, text.metrics.bytes)) }

    /// Creates the state to carry over to a window that will show the source of a styled text.
    init(
        styled text: StyledText, _ history: TextHistory, source: Rope, _ document: MarkdownDocument,
        anchor: UTF16Offset, _ place: RecentFiles.Place
    ) {
        let places = SourcePlaces(text: text.rope, source: source)
        self.text = source
        var left = Self.budget
        let present = StyledText(source)
        let texts = history.mapped(present: present) {
            left -= $0.rope.metrics.bytes
            guard left >= 0 else { return nil }
            var text = present
            text.apply(TextChangeSet(from: source, toDecoded: Rope(document.write($0).source)))
            return text
        }
        self.history = texts.prepared(for: present)
        self.anchor = places.source(of: anchor)
        let caret = place.caret == anchor ? self.anchor : places.source(of: place.caret)
        let top = source.paragraphIndex(at: places.source(of: place.top))
        self.place = RecentFiles.Place(caret: caret, top: place.top == 0 ? 0 : source.utf16Range(of: top).lowerBound)
    }

    /// Creates the state to carry over to a window that will show a source as styled text; nil if the source cannot be
    /// read.
    ///
    /// - Parameter pictures: the pictures of the document.
    init?(
        source: Rope, _ history: TextHistory, anchor: UTF16Offset, _ place: RecentFiles.Place,
        pictures: PicturePlaces = PicturePlaces()
    ) {
        func read(_ source: Rope) -> MarkdownDocument? { try? MarkdownDocument(source.string(in: source.utf16Range)) }
        guard let document = read(source) else { return nil }
        // Read the pictures' files only once: there may be many undo steps, and large pictures.
        let found = pictures.folder?.pictures(of: document.pictureAddresses) ?? [:]
        let text = document.showing { found[$0] }.text
        let places = SourcePlaces(text: text.rope, source: source)
        self.text = text.rope
        var left = Self.budget
        let texts = history.mapped(present: text) {
            left -= $0.rope.metrics.bytes
            return left < 0 ? nil : read($0.rope)?.showing { found[$0] }.text
        }
        self.history = texts.prepared(for: text)
        self.anchor = places.text(of: anchor)
        let caret = place.caret == anchor ? self.anchor : places.text(of: place.caret)
        self.place = RecentFiles.Place(caret: caret, top: place.top == 0 ? 0 : places.text(of: place.top))
    }
}

extension EditorWindow {
    /// Computes in the background the state to carry over to the window that will show the file as source instead of
    /// styled text, or vice versa. Calls `work` with the state, or with nil if nothing can be carried over. If no thread
    /// can be started, reports that to the user and does not call `work`.
    func prepareStyleSwitch(then work: @escaping (EditorWindow, StyleSwitch?) -> Void) {
        // Carry over nothing if the source could not be shown: the view then has the styled text of an earlier
        // source.
        guard let selection = view.selection, file.path != nil, file.newline != .cr,
            rich == nil || rich?.document != nil
        else { return work(self, nil) }
        let place = RecentFiles.Place(caret: selection.primary.head, top: view.presenter.topOffset)
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
            var pictures = PicturePlaces()
            pictures.folder = file.absolutePath.map(PictureFolder.init)
            perform(
                inBackground: { [pictures] in
                    StyleSwitch(source: source, history, anchor: anchor, place, pictures: pictures)
                }, holdingKeys: true
            ) { work($0, $1) }
        }
    }

    /// Applies the state carried over from the previous window, after the file has been read.
    func takeStyleSwitch() {
        guard let carried else { return }
        self.carried = nil
        // Another program may have written the file since: apply nothing then.
        guard view.store.text == carried.text else { return }
        view.store.adopt(carried.history)
        guard let caret = view.selection, caret == Selection(caret: carried.place.caret),
            carried.anchor != carried.place.caret
        else { return }
        view.select(Selection(anchor: carried.anchor, head: carried.place.caret), scrolling: false)
    }
}
