import Inkstone
import InkstoneFiles
import InkstoneMarkdown

/// The styled text of a Markdown file, which a view shows in place of the Markdown source.
///
/// The source is in a store of its own: file, journal and saves only use this store. Edits in the view are written
/// to the source a moment later, or immediately when the source is needed. Other changes of the source, such as
/// reading, reloading, recovery or other line ends, are read into the view.
final class RichDocument {
    /// The maximum size, in bytes, of a file that is shown as styled text. A larger one is shown as plain text.
    static let limit = 16 << 20

    let view: TextStore
    private let source: TextStore
    /// The document that was read from the source and to which edits are compared; nil before the source has been read.
    /// After much new text was written, the source is read again in the background.
    private(set) var document: MarkdownDocument?
    /// The version of the styled text that was last written to the source or read from it.
    private var writtenVersion: TextVersion
    /// The styled text that was last written to the source or read from it.
    private(set) var writtenText: Rope
    /// The age of the oldest edit that is not in the source yet.
    private(set) var delay = WritingDelay()
    /// The styles that the present source does not express.
    private(set) var loss = Loss()
    /// The losses that the user has accepted.
    private(set) var accepted = Loss()
    /// Whether writing the styled text to the source is scheduled.
    private var isDue = false
    /// The pictures of the styled text, and their files.
    var pictures = PicturePlaces()
    /// The pictures before a save to another file, until that save has succeeded; nil for none.
    var former: FormerPlaces?
    /// The pictures that were written to files for the save to another file, with their addresses. If that save
    /// begins again, these files are used.
    var written: [PlacedPicture: PlacedPicture] = [:]
    /// The names of the files from which pictures were inserted.
    var pictureNames: [TextAttachment: FilePath] = [:]
    /// Whether the styled text has pictures that were left out, with the text and the pictures for which that was found.
    private var leavingOut: (version: TextVersion, leftOut: Set<PlacedPicture>, result: Bool)?
    /// The pictures that were left out when the styled text was last written to the source.
    private var writtenWithout: Set<PlacedPicture> = []

    /// Creates a document whose styled text is in a view's store, and whose source is in another store.
    init(view: TextStore, source: TextStore) {
        (self.view, self.source, writtenVersion, writtenText) = (view, source, view.version, view.text)
    }

    /// Returns the reason why a file is shown as plain text instead, as a message for the user; nil if there is
    /// none. The size is in bytes.
    static func obstacle(size: Int = 0, hasParser: Bool = RichDocument.hasParser) -> String? {
        if !hasParser { return Words.openedAsPlainText(MarkdownError.noParser.description) }
        return size > limit ? Words.tooLargeForStyles(limit >> 20) : nil
    }

    /// Whether a Markdown parser is available.
    static var hasParser: Bool { (try? MarkdownDocument("")) != nil }

    /// Whether the view shows the styled text of the source.
    var isReady: Bool { document != nil }

    /// Whether the source is out of date: the styled text has edits that are not in the source yet, or the set of
    /// pictures to leave out has changed.
    var isPending: Bool { isReady && (writtenVersion != view.version || writtenWithout != pictures.leftOut) }

    /// Whether the styled text has pictures that are in no file, because the user has left them out of the saved
    /// document.
    var leavesOutPictures: Bool {
        guard isReady, !pictures.leftOut.isEmpty else { return false }
        if let known = leavingOut, known.version == view.version, known.leftOut == pictures.leftOut {
            return known.result
        }
        let result = pictures.leavesOut(of: view.styledText)
        leavingOut = (view.version, pictures.leftOut, result)
        return result
    }

    // MARK: Reading the source

    /// The longest wait for the pictures of a document that is opened, in milliseconds. After it, the document is shown
    /// without them.
    private static let maximumPictureWait = 2000

    /// A function that reads the present source, and the files of its pictures. If their disk does not answer in
    /// time, it returns the document without the pictures. It may be called on any thread.
    var reading: @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        let (read, pictures) = (readingSource(knowing: [:]), pictures)
        return {
            read().map { document in
                guard !document.pictureAddresses.isEmpty else { return document }
                let shown = DiskAnswer { pictures.shown(in: document) }
                return shown.value(within: Self.maximumPictureWait) { _ in } ?? document
            }
        }
    }

    /// Whether the shown document has pictures that were not read, because they are in no files or their disk did not
    /// answer.
    var lacksPictures: Bool { document?.pictureAddresses.contains { pictures.known[ScalarText($0)] == nil } ?? false }

    /// A function that reads the present source with the pictures that are already known. It may be called on any
    /// thread.
    var readingSource: @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        readingSource(knowing: pictures.known)
    }

    private func readingSource(
        knowing known: [ScalarText: TextAttachment]
    ) -> @Sendable () -> Result<MarkdownDocument, MarkdownError> {
        var text = source.text
        // Markdown cannot be written with CR line ends, so convert them to LF.
        if Newline(commonestIn: text) == .cr, let changes = Newline.lf.conversion(of: text) {
            text = StyledText(text).applying(changes)
        }
        return { [text] in
            Result { () throws(MarkdownError) in
                try MarkdownDocument(text.string(in: text.utf16Range)).showing { known[$0] }
            }
        }
    }

    /// Marks the styled text as invalid, because the source is being replaced.
    func forget() { document = nil }

    /// Shows a document that was read from the source: as the initial text if it is the first one, or the first one
    /// after ``forget()``; otherwise as one undo step.
    func show(_ new: MarkdownDocument) { show(new, isFirst: document == nil) }

    /// Shows pictures that were read later, and those that another program has changed, if the styled text has no
    /// edits since.
    func show(_ found: [ScalarText: TextAttachment]) {
        guard let document, !isPending else { return }
        let (loss, accepted) = (loss, accepted)
        let changed = found.filter { address, picture in
            pictures.known[address].map { $0 != PlacedPicture(picture).contents } ?? false
        }
        var new = document
        if !changed.isEmpty {
            pictures.note(changed.map { PlacedPicture($1, address: $0.string) })
            // The present document contains the former versions of changed pictures: read the source again.
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
        (document, writtenVersion, writtenText, loss) = (new, view.version, view.text, Loss())
        delay = WritingDelay()
        if isFirst { accepted = Loss() }
        writtenWithout = pictures.leftOut
        pictures.note(PicturePlaces.pictures(of: new.text).filter { $0.address != nil })
    }

    /// Shows a document that was read from the source, and returns nil. If reading has failed, returns the reason;
    /// the view then keeps the text of an earlier source, which is never written over the present one.
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

    // MARK: Writing the source

    /// The work of writing the styled text to the source, which may run on any thread.
    struct Writing: Sendable {
        fileprivate let document: MarkdownDocument
        fileprivate let text: StyledText
        fileprivate let version: TextVersion
        fileprivate let old: (text: Rope, version: TextVersion)
        fileprivate let newline: Newline
        fileprivate let leftOut: Set<PlacedPicture>
        fileprivate let time = MonotonicClock.milliseconds

        /// Converts the styled text to Markdown. O(n) for n bytes of text.
        func run() -> Written {
            let addressed = PicturePlaces.withAddresses(text, except: leftOut)
            let written = document.write(addressed)
            var new = Rope(written.source)
            // If the old source has no line ends, the file's kind of line end is used.
            let hasOthers = document.source.utf8.contains(newline == .cr ? 0xd : 0xa)
            if newline != .lf, !hasOthers, let changes = newline.conversion(of: new) {
                new = StyledText(new).applying(changes)
            }
            let changes = TextChangeSet(from: old.text, toDecoded: new)
            // Invalid bytes are lost if their paragraph was moved: its text has U+FFFD in their place.
            let losesBytes =
                old.text.metrics.invalidParts > 0
                && changes.changeMap.contains {
                    let range = UTF16Offset($0.newStart.utf16)..<UTF16Offset($0.newEnd.utf16)
                    return new.string(in: range).unicodeScalars.contains("\u{fffd}")
                }
            let source = newline == .cr ? written.source : new.string(in: new.utf16Range)
            let renewed =
                leftOut.isEmpty && !losesBytes
                ? document.renewed(by: written, source: source, showing: addressed) : nil
            return Written(
                document: renewed, version: version, text: text.rope, time: time, sourceVersion: old.version,
                changes: changes,
                loss: Loss(of: written, in: text, losesBytes: losesBytes),
                leftOut: leftOut)
        }
    }

    /// The result of writing the styled text, as changes of the source.
    struct Written: Sendable {
        /// The document that was read from the new source; nil to keep the former one.
        fileprivate let document: MarkdownDocument?
        fileprivate let version: TextVersion
        fileprivate let text: Rope
        /// The time, in milliseconds, at which the text was taken for writing.
        fileprivate let time: Int64
        fileprivate let sourceVersion: TextVersion
        fileprivate let changes: TextChangeSet
        fileprivate let loss: Loss
        fileprivate let leftOut: Set<PlacedPicture>
    }

    /// Returns whether to schedule writing the styled text: if there are unwritten edits, and it is not scheduled
    /// yet. Pass the result of that writing to ``take(_:)``. Call this after each edit, with the time in
    /// milliseconds.
    func becomesDue(at now: Int64 = MonotonicClock.milliseconds) -> Bool {
        guard isPending else { return false }
        delay.noteEdit(at: now)
        guard !isDue else { return false }
        isDue = true
        return true
    }

    /// Returns the work of writing the styled text; nil if the source is up to date, or no document is shown.
    func writing(newline: Newline) -> Writing? {
        guard isPending, let document else {
            isDue = false
            return nil
        }
        return Writing(
            document: document, text: view.styledText, version: view.version, old: (source.text, source.version),
            newline: newline, leftOut: pictures.leftOut)
    }

    /// Applies the result of writing to the source, unless a later result was applied or the source has changed
    /// meanwhile.
    func take(_ written: Written) {
        isDue = false
        guard isReady, written.version > writtenVersion || written.leftOut != writtenWithout,
            written.sourceVersion == source.version
        else { return }
        if !written.changes.isEmpty { source.apply(Transaction(on: source, written.changes)) }
        if let renewed = written.document { document = renewed }
        (writtenVersion, writtenText, loss, writtenWithout) = (
            written.version, written.text, written.loss, written.leftOut
        )
        delay.noteWriting(of: written.time, isWhole: writtenVersion == view.version)
    }

    // MARK: Losses

    /// The styles of a text that are lost when its Markdown source is written and read again.
    struct Loss: Hashable, Sendable {
        /// The names of the attributes that are lost.
        var attributes: Set<String> = []
        /// Whether something besides attributes is lost, such as a comment in the source, or invalid bytes.
        var isInexact = false

        init(attributes: Set<String> = [], isInexact: Bool = false) {
            (self.attributes, self.isInexact) = (attributes, isInexact)
        }

        /// Creates the loss of a text that was written as Markdown. A lost paragraph style is replaced by the names of
        /// those of its parts that the text uses.
        init(of written: MarkdownDocument.Written, in text: StyledText, losesBytes: Bool = false) {
            attributes = Set(written.lostAttributes)
            if attributes.remove(ParagraphStyleAttribute.name) != nil {
                attributes.formUnion(text.visibleStyleParts.map(Self.name))
            }
            isInexact = !written.isExact || losesBytes
        }

        /// Returns the name of a part of the paragraph style, in the form of an attribute's name.
        static func name(_ part: ParagraphStyle.Part) -> String { ParagraphStyleAttribute.name + "." + part.rawValue }

        /// Returns a sentence about the loss for the user; `name` is the file's.
        func description(of name: String) -> String {
            attributes.isEmpty
                ? Words.willLookDifferent(name) : Words.savedWithout(words, name, looksDifferent: isInexact)
        }

        /// The lost attributes as an enumeration in a sentence; empty if none are lost.
        var words: String {
            let words = attributes.map { Words.style($0.split(separator: ".").last.map(String.init) ?? $0) }.sorted()
            guard let last = words.last else { return "" }
            let others = words.dropLast()
            return others.first.map { Words.and(others.dropFirst().reduce($0, Words.list), last) } ?? last
        }
    }

    /// The loss that the next save would cause, if the user has not accepted all of it; nil otherwise.
    var newLoss: Loss? {
        loss.attributes.isSubset(of: accepted.attributes) && (!loss.isInexact || accepted.isInexact) ? nil : loss
    }

    /// Records that the user accepts a loss, for this and all later saves.
    func accept(_ loss: Loss) {
        accepted.attributes.formUnion(loss.attributes)
        accepted.isInexact = accepted.isInexact || loss.isInexact
    }

    /// Replaces the accepted loss by an earlier one, to withdraw an acceptance.
    func setAccepted(_ loss: Loss) { accepted = loss }
}

extension StyledText {
    fileprivate func applying(_ changes: TextChangeSet) -> Rope {
        var text = self
        text.apply(changes)
        return text.rope
    }
}
