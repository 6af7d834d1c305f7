import Inkstone
import InkstoneMarkdown

/// The styled text of a Markdown file, which a view shows in place of its source.
///
/// File, journal and saves use only the source, in a store of its own. Edits in the view are written to the source a moment later, or at
/// once when needed; other changes of the source — reading, reloading, recovery, other line ends — are read into the view.
final class RichDocument {
    /// The largest file that is shown as styled text, in bytes.
    static let limit = 16 << 20

    let view: TextStore
    private let source: TextStore
    /// The source that the view's text was read from; nil before it was.
    private(set) var document: MarkdownDocument?
    /// The version of the view's text that the source represents.
    private var said: TextVersion
    /// The losses of the present source, and those that the user has accepted.
    private(set) var loss = Loss()
    private(set) var accepted = Loss()
    /// Whether a deferred write of the view's text is scheduled.
    private var isDue = false
    /// The pictures of the text, and their files.
    var pictures = PicturePlaces()
    /// The pictures before a save to another file that has not succeeded yet.
    var former: FormerPlaces?
    /// The files that pictures were written to for that save: if it begins anew, they serve again.
    var written: [PlacedPicture: PlacedPicture] = [:]
    /// The pictures that the source represents the text without.
    private var saidWithout: Set<PlacedPicture> = []

    /// A document in a view's store, with its source in another store.
    init(view: TextStore, source: TextStore) {
        (self.view, self.source, said) = (view, source, view.version)
    }

    /// Returns the reason why a file of this size in bytes is shown as plain text, for the user; nil if there is none.
    static func obstacle(size: Int = 0, hasParser: Bool = RichDocument.hasParser) -> String? {
        if !hasParser { return Words.openedAsPlainText(MarkdownError.noParser.description) }
        return size > limit ? Words.tooLargeForStyles(limit >> 20) : nil
    }

    /// Whether a Markdown parser is available.
    static var hasParser: Bool { (try? MarkdownDocument("")) != nil }

    /// Whether the view shows the source.
    var isReady: Bool { document != nil }

    /// Whether an edit in the view is not in the source yet.
    var isPending: Bool { isReady && (said != view.version || saidWithout != pictures.leftOut) }

    // MARK: From the source

    /// A function that reads the present source and the files of its pictures, for another thread.
    var reading: @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        let (read, pictures) = (readingSource(knowing: [:]), pictures)
        return { read().map { pictures.shown(in: $0) } }
    }

    /// A function that reads the present source, with the pictures that the text had before.
    var readingSource: @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        readingSource(knowing: pictures.known)
    }

    private func readingSource(
        knowing known: [String: TextAttachment]
    ) -> @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        var text = source.text
        // No Markdown writer makes the line ends of old Macs.
        if Newline(commonestIn: text) == .cr, let changes = Newline.lf.conversion(of: text) {
            text = StyledText(text).applying(changes)
        }
        return { [text] in
            Result { () throws(MarkdownError) in
                try MarkdownDocument(text.string(in: text.utf16Range)).showing { known[$0] }
            }
        }
    }

    /// Invalidates the view's text, because the source is being replaced.
    func forget() { document = nil }

    /// Puts the source that was read into the view: the first time as the initial text, later as one undo step.
    func show(_ new: MarkdownDocument) { show(new, isFirst: document == nil) }

    /// Shows pictures that were read later, if the text is still that of the source: those that another program has changed too.
    func show(_ found: [String: TextAttachment]) {
        guard let document, !isPending else { return }
        let (loss, accepted) = (loss, accepted)
        let changed = found.filter { address, picture in
            pictures.known[address].map { $0 != PlacedPicture(picture).contents } ?? false
        }
        var new = document
        if !changed.isEmpty {
            pictures.note(changed.map { PlacedPicture($1, address: $0) })
            // The present document has the former pictures already.
            guard case .success(let read) = readingSource() else { return }
            new = read
        }
        new = new.showing { found[$0] }
        if new.text.rope != document.text.rope || new.text.runs != document.text.runs { show(new, isRecorded: false) }
        (self.loss, self.accepted) = (loss, accepted)
    }

    private func show(_ new: MarkdownDocument, isFirst: Bool = false, isRecorded: Bool = true) {
        var restyling = Restyling()
        let whole = new.text.rope.utf16Range
        if let runs = new.text.runs {
            restyling.set(runs, in: whole)
        } else {
            restyling.set(TextAttributes(), in: whole)
        }
        view.apply(
            Transaction(
                on: view, TextChangeSet(from: view.text, to: new.text.rope), origin: isFirst ? .load : .program,
                undo: isFirst || !isRecorded ? .notRecorded : .step, restyling: restyling))
        if isFirst { view.removeAllUndo() }
        (document, said, loss) = (new, view.version, Loss())
        if isFirst { accepted = Loss() }
        saidWithout = pictures.leftOut
        pictures.note(PicturePlaces.pictures(of: new.text).filter { $0.address != nil })
    }

    /// Puts the source that was read into the view, or returns the reason why it cannot be shown. Then the view has an earlier source's text,
    /// which is never written over the present source.
    func show(_ result: Result<MarkdownDocument, MarkdownError>) -> MarkdownError? {
        switch result {
        case .success(let document):
            show(document)
            return nil
        case .failure(let error):
            forget()
            return error
        }
    }

    // MARK: To the source

    /// A write of the view's text to the source.
    struct Writing: Sendable {
        fileprivate let document: MarkdownDocument
        fileprivate let text: StyledText
        fileprivate let version: TextVersion
        fileprivate let old: (text: Rope, version: TextVersion)
        fileprivate let newline: Newline
        fileprivate let leftOut: Set<PlacedPicture>

        /// Writes the text as Markdown. O(n).
        func run() -> Written {
            let written = document.write(PicturePlaces.withAddresses(text, except: leftOut))
            var new = Rope(written.source)
            // A source without line ends does not define their kind.
            let hasOthers = document.source.utf8.contains(newline == .cr ? 0xd : 0xa)
            if newline != .lf, !hasOthers, let changes = newline.conversion(of: new) {
                new = StyledText(new).applying(changes)
            }
            return Written(
                version: version, sourceVersion: old.version, changes: TextChangeSet(from: old.text, to: new),
                loss: Loss(attributes: Set(written.lostAttributes), isInexact: !written.isExact),
                leftOut: leftOut)
        }
    }

    /// The result of a write, as changes of the source.
    struct Written: Sendable {
        fileprivate let version: TextVersion
        fileprivate let sourceVersion: TextVersion
        fileprivate let changes: TextChangeSet
        fileprivate let loss: Loss
        fileprivate let leftOut: Set<PlacedPicture>
    }

    /// Whether a deferred write is to be scheduled. Pass its result to ``take(_:)`` before the next one.
    func becomesDue() -> Bool {
        guard isPending, !isDue else { return false }
        isDue = true
        return true
    }

    /// Returns a write of the view's text; nil if the source is up to date.
    func writing(newline: Newline) -> Writing? {
        guard isPending, let document else {
            isDue = false
            return nil
        }
        return Writing(
            document: document, text: view.styledText, version: view.version, old: (source.text, source.version),
            newline: newline, leftOut: pictures.leftOut)
    }

    /// Applies a write to the source, unless a later one was applied or the source has changed meanwhile.
    func take(_ written: Written) {
        isDue = false
        guard isReady, written.version > said || written.leftOut != saidWithout,
            written.sourceVersion == source.version
        else { return }
        if !written.changes.isEmpty { source.apply(Transaction(on: source, written.changes)) }
        (said, loss, saidWithout) = (written.version, written.loss, written.leftOut)
    }

    // MARK: Losses

    /// The styles of a text that are lost by writing and reading its source.
    struct Loss: Hashable, Sendable {
        /// The names of lost attributes.
        var attributes: Set<String> = []
        /// Whether text would be read differently.
        var isInexact = false

        /// A sentence about the loss, for the user.
        func description(of name: String) -> String {
            attributes.isEmpty
                ? Words.willLookDifferent(name) : Words.savedWithout(words, name, looksDifferent: isInexact)
        }

        /// The lost attributes as a list in a sentence, for the user.
        var words: String {
            let words = attributes.map { Words.style($0.split(separator: ".").last.map(String.init) ?? $0) }.sorted()
            guard let last = words.last else { return "" }
            let others = words.dropLast()
            return others.first.map { Words.and(others.dropFirst().reduce($0, Words.list), last) } ?? last
        }
    }

    /// The loss by a save that the user has not accepted; nil if there is none.
    var newLoss: Loss? {
        loss.attributes.isSubset(of: accepted.attributes) && (!loss.isInexact || accepted.isInexact) ? nil : loss
    }

    /// Records that the user accepts a loss, for all later saves.
    func accept(_ loss: Loss) {
        accepted.attributes.formUnion(loss.attributes)
        accepted.isInexact = accepted.isInexact || loss.isInexact
    }

    /// Takes back what was accepted since.
    func setAccepted(_ loss: Loss) { accepted = loss }
}

extension StyledText {
    fileprivate func applying(_ changes: TextChangeSet) -> Rope {
        var text = self
        text.apply(changes)
        return text.rope
    }
}
