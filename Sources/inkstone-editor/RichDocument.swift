import Inkstone
import InkstoneMarkdown

/// The styled text of a Markdown file, which stands in a view in place of its source.
///
/// File, journal and saves know the source alone, in a store of its own. What is done in the view is written there a moment later, or at once
/// when somebody waits for it; what else changes the source — reading, reloading, recovery, other line ends — is read into the view.
final class RichDocument {
    /// The largest file that is shown as styled text, in bytes.
    static let limit = 16 << 20

    private let view: TextStore
    private let source: TextStore
    /// The source that the view's text has come of; nil before there is one.
    private(set) var document: MarkdownDocument?
    /// Version of the view's text that the source says.
    private var said: TextVersion
    /// The losses of the source as it is, and those that the user has agreed to lose.
    private(set) var loss = Loss()
    private var accepted = Loss()
    /// Whether the view's text is going to be written by itself.
    private var isDue = false

    /// A document in a view's store, of which another store is to have the source.
    init(view: TextStore, source: TextStore) {
        (self.view, self.source, said) = (view, source, view.version)
    }

    /// The reason why a file of so many bytes is shown as plain text, for the user; nil if there is none.
    static func obstacle(size: Int = 0, hasParser: Bool = RichDocument.hasParser) -> String? {
        if !hasParser { return Words.openedAsPlainText(MarkdownError.noParser.description) }
        return size > limit ? Words.tooLargeForStyles(limit >> 20) : nil
    }

    /// Whether Markdown can be read on this computer.
    static var hasParser: Bool { (try? MarkdownDocument("")) != nil }

    /// Whether the view shows the source.
    var isReady: Bool { document != nil }

    /// Whether something in the view is not in the source yet.
    var isPending: Bool { isReady && said != view.version }

    // MARK: From the source

    /// The present source, to be read on another thread.
    var reading: @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        var text = source.text
        // No writer of Markdown makes the line ends of old Macs.
        if Newline(commonestIn: text) == .cr, let changes = Newline.lf.conversion(of: text) {
            text = StyledText(text).applying(changes)
        }
        return { [text] in
            Result { () throws(MarkdownError) in try MarkdownDocument(text.string(in: text.utf16Range)) }
        }
    }

    /// Forgets what is shown: the source is becoming another one.
    func forget() { document = nil }

    /// Puts what was read into the view: the first time as what was there, later as one step of undo.
    func show(_ new: MarkdownDocument) {
        let isFirst = document == nil
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
                undo: isFirst ? .notRecorded : .step, restyling: restyling))
        if isFirst { view.removeAllUndo() }
        (document, said, loss) = (new, view.version, Loss())
        if isFirst { accepted = Loss() }
    }

    /// Puts what was read into the view, or returns why there is nothing. Then what the view has is of an earlier source, and in the place of
    /// the present one it is never written.
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

    /// The view's text, on its way to the source.
    struct Writing: Sendable {
        fileprivate let document: MarkdownDocument
        fileprivate let text: StyledText
        fileprivate let version: TextVersion
        fileprivate let old: (text: Rope, version: TextVersion)
        fileprivate let newline: Newline

        /// Writes it. O(n).
        func run() -> Written {
            let written = document.write(text)
            var new = Rope(written.source)
            // A source without line ends does not say which ones it has.
            let hasOthers = document.source.utf8.contains(newline == .cr ? 0xd : 0xa)
            if newline != .lf, !hasOthers, let changes = newline.conversion(of: new) {
                new = StyledText(new).applying(changes)
            }
            return Written(
                version: version, sourceVersion: old.version, changes: TextChangeSet(from: old.text, to: new),
                loss: Loss(attributes: Set(written.lostAttributes), isInexact: !written.isExact))
        }
    }

    /// A text as the changes that it makes of the source.
    struct Written: Sendable {
        fileprivate let version: TextVersion
        fileprivate let sourceVersion: TextVersion
        fileprivate let changes: TextChangeSet
        fileprivate let loss: Loss
    }

    /// Whether a write that comes by itself is to be begun after a while. Such a write is told to ``take(_:)`` before there is another.
    func becomesDue() -> Bool {
        guard isPending, !isDue else { return false }
        isDue = true
        return true
    }

    /// The text to be written; nil if the source says it all.
    func writing(newline: Newline) -> Writing? {
        guard isPending, let document else {
            isDue = false
            return nil
        }
        return Writing(
            document: document, text: view.styledText, version: view.version, old: (source.text, source.version),
            newline: newline)
    }

    /// Makes a text that was written the source, unless a later one is or the source is another one by now.
    func take(_ written: Written) {
        isDue = false
        guard isReady, written.version > said, written.sourceVersion == source.version else { return }
        if !written.changes.isEmpty { source.apply(Transaction(on: source, written.changes)) }
        (said, loss) = (written.version, written.loss)
    }

    // MARK: Losses

    /// The styles of a text that reading its source again does not give.
    struct Loss: Hashable, Sendable {
        /// Names of attributes.
        var attributes: Set<String> = []
        /// Whether text is read as something else.
        var isInexact = false

        /// A sentence about the loss, for the user.
        func description(of name: String) -> String {
            attributes.isEmpty
                ? Words.willLookDifferent(name) : Words.savedWithout(words, name, looksDifferent: isInexact)
        }

        /// Words for the attributes, as a list in a sentence.
        var words: String {
            let words = attributes.map { Words.style($0.split(separator: ".").last.map(String.init) ?? $0) }.sorted()
            guard let last = words.last else { return "" }
            let others = words.dropLast()
            return others.first.map { Words.and(others.dropFirst().reduce($0, Words.list), last) } ?? last
        }
    }

    /// The loss by a save that the user has not agreed to; nil if none.
    var newLoss: Loss? {
        loss.attributes.isSubset(of: accepted.attributes) && (!loss.isInexact || accepted.isInexact) ? nil : loss
    }

    /// The user agrees to lose something, with every save from now on.
    func accept(_ loss: Loss) {
        accepted.attributes.formUnion(loss.attributes)
        accepted.isInexact = accepted.isInexact || loss.isInexact
    }
}

extension StyledText {
    fileprivate func applying(_ changes: TextChangeSet) -> Rope {
        var text = self
        text.apply(changes)
        return text.rope
    }
}
