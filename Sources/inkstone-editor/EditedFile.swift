import Glibc
import Inkstone
import InkstoneFiles

/// The file that a document is read from and saved to: its path, its format, and whether the document differs from
/// it.
///
/// While it is being read, the document has no path for saving yet: a file that could not be read completely is
/// never overwritten.
final class EditedFile {
    /// An event of reading. The order is `.started`, any number of `.progressed`, `.finished`; `.looksBinary` comes
    /// instead of all of them, and `.failed` ends reading at any time.
    enum Event {
        /// The first part of the text was added, and the file's format is known.
        case started
        /// More of the file's text was added.
        case progressed
        /// The whole text was added. The notice is a sentence for the user, or nil.
        case finished(notice: String?)
        /// The file is probably not text: none of it was added to the document.
        case looksBinary
        /// The file cannot be read, or not completely. The document has no file then, unless the previous document
        /// was restored; text that was typed before the file arrived stays usable.
        case failed(TextFileError)
    }

    let store: TextStore
    /// The file to save to; nil if there is none, or while the file is being read.
    private(set) var path: FilePath?
    /// The line end that typed text gets.
    var newline: Newline { form.value.newline }
    /// Whether the first 64 KB of the file contained more than one kind of line end when it was read. False if one
    /// kind was chosen for all lines since.
    var hasMixedNewlines: Bool { form.value.isMixed }
    /// Whether encoding the text as it was read gives the bytes of the file again. If not, a save keeps the bytes
    /// of unchanged lines.
    private var isLossless: Bool { form.value.isLossless }
    /// Whether a save can keep the file's bytes in unchanged lines: either the text encodes to the same bytes
    /// again, or the bytes are available and the format is still that in which they were read.
    var keepsBytes: Bool { isLossless || bytesPath != nil && format == source.format }

    /// Whether the text does not encode to the bytes that it was read from, and no file has these bytes: those of standard
    /// input, and of a recovered text, end with this program.
    var hasLostBytes: Bool { !isLossless && journalBase.identity == nil }

    /// The built-in page that is shown instead of a file; nil for none.
    private(set) var page: Page?
    /// The format in which the next save writes the document.
    var format: TextFileFormat { form.value.format }
    private let form: UndoableValue<Form>
    /// The content and identity of the file when it was last read or saved.
    private var saved = SavedContent()
    /// The identity that the file must have for a save to replace it; nil if the file does not exist yet.
    private var identity: FileIdentity? { saved.expected }
    /// If this document is the recovered text of a file, opened apart from it: the path of that file, as long as
    /// this document has no file of its own.
    var origin: FilePath? {
        get { saved.origin }
        set { saved.origin = newValue }
    }
    /// The text of the file when it was last read or saved. It shares its leaves with the document's present text.
    var savedText: Rope { saved.text }
    /// The state of reading the file again; nil if it is not being read again.
    private var rereading: Rereading?
    /// Whether the previous document was restored after the first part of a file had replaced it, because the rest of
    /// the file could not be read.
    private(set) var hasRestored = false
    private var loader: TextFileLoader?
    private let saves = FileSaves()
    /// The path of the file whose pending check for changes by another program has not ended; nil if no check is
    /// pending. The check may never end, if the disk hangs.
    private var checkedPath: FilePath?
    /// The state of the file. It only changes by ``handle(_:)``.
    private(set) var state = FileState.untitled
    private var earlyInput = EarlyInput()
    /// The previous document, while another file is being read: restored if that file cannot be read. Nil for none.
    private var previousDocument: PreviousDocument?
    /// The rule for the encoding of a file whose bytes do not show it; nil to assume UTF-8.
    private var guess: EncodingGuess?
    /// A copy of the bytes read from standard input; nil for another document, and once the document has a file.
    private var input: InputCopy?
    private var reading: (path: FilePath, read: Int, size: Int, isInput: Bool)?
    /// Called when a save begins, with the path and the format. The returned function is called on another thread
    /// with the content that is about to replace the file.
    var willSave: ((FilePath, TextFileFormat) -> @Sendable (FileContents) -> Void)?
    /// Called with the events of reading the file, on the owner's thread. The first call comes after ``open`` has
    /// returned, when the thread's event loop runs again.
    var report: (Event) -> Void = { _ in }

    /// A built-in page, such as the list of keys, which has no file.
    struct Page: Hashable {
        var title: String
        var text: String
    }

    init(store: TextStore) {
        self.store = store
        form = UndoableValue(Form(), of: store)
    }

    /// Called when undo or redo changes the ``format`` or the ``newline``.
    var onFormatChange: (() -> Void)? {
        get { form.onChange }
        set { form.onChange = newValue }
    }

    /// Shows a page instead of a file.
    func show(_ page: Page) {
        self.page = page
        add(Rope(page.text), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// The path of the file, or of the file that is being read; nil if there is none.
    var shownPath: FilePath? { path ?? (isReadingInput ? nil : reading?.path) }

    /// Whether standard input is being read: a document without a file.
    var isReadingInput: Bool { reading?.isInput ?? false }

    /// The path of the file, or of the file that is being read; and the path of a save in progress.
    var paths: [FilePath] { [shownPath, saves.path].compactMap(\.self) }

    /// The absolute path of the file, or of the file that is being read; nil if there is none. Symbolic links are
    /// resolved as at the last read or save: the disk is not accessed.
    var absolutePath: FilePath? {
        guard let shown = shownPath else { return nil }
        if let known = saved.path { return known }
        return shown.isAbsolute ? shown : FilePath.workingDirectory?.appending(shown) ?? shown
    }

    /// The number of a document without a file among all such documents that are open, from 1.
    var untitledNumber = 1

    var isModified: Bool { store.isModified }

    /// Whether the file does not exist yet: the first save creates it.
    var isNew: Bool { identity == nil }

    /// Whether the document is empty: no text, no unsaved changes, no file, and none being read or saved.
    var isUntouched: Bool { state == .untitled && store.text.isEmpty && !isModified }

    /// Whether the document may be edited. False before the first part of a file has arrived, unless typing is
    /// allowed already. Also false if reading has failed and only a part of the file is in the document.
    var isUsable: Bool { state.hasText || isAwaited }

    /// Handles an event. Returns whether the state accepts the event; otherwise the caller must not continue.
    @discardableResult
    private func handle(_ event: FileState.Event) -> Bool {
        guard let next = state.after(event) else { return false }
        state = next
        return true
    }

    /// Whether a file is being read whose first part has not arrived, and the user may type already.
    var isAwaited: Bool { earlyInput.isGoingOn && isReading }

    /// Whether the file is still being read.
    var isReading: Bool { loader != nil }

    /// The progress of reading in percent; nil if reading has ended, 0 while the size is not known, as for standard
    /// input.
    var progress: Int? {
        guard isReading, let reading else { return nil }
        return reading.size > 0 ? min(99, reading.read * 100 / reading.size) : 0
    }

    /// The encoding as shown to the user, with its byte order mark, and with a remark if it was guessed.
    var encodingDescription: String { isEncodingGuessed ? Words.guessed(format.description) : format.description }

    /// Whether the encoding was guessed, because the bytes of the file do not show it.
    var isEncodingGuessed: Bool { form.value.isGuess }

    /// The encoding in which to read the file's bytes again; nil to detect it, because it was guessed and the file may
    /// have changed. It follows undo, like the ``format``.
    var bytesEncoding: TextEncoding? { isEncodingGuessed ? nil : form.value.bytesEncoding }

    /// The identity of the file's bytes and of the encoding in which they were read.
    var decoding: DocumentID { form.value.decoding }

    /// The invalid bytes of the text, if the ``format`` has another encoding than that in which they were read; nil
    /// otherwise. The text contains them as they are: in the other encoding they would be other characters, or none.
    private var foreignBytes: InvalidBytes? {
        let (old, new) = (form.value.readEncoding, format.encoding)
        // All encodings with wide units can keep an unpaired surrogate, the only invalid bytes of such a text.
        guard old != new, old.codeUnit == nil || new.codeUnit == nil else { return nil }
        return InvalidBytes(in: store.text)
    }

    /// The guessed encoding in which the file's bytes were read or saved; nil if the encoding is no guess.
    var presentGuess: TextEncoding? { isEncodingGuessed ? form.value.bytesEncoding : nil }

    /// Whether the user has agreed to the encoding or has chosen it.
    var isEncodingAccepted: Bool { form.value.isAccepted }

    /// Confirms the encoding, because the user has agreed to it or has chosen another one. Neither a guess nor
    /// invalid bytes are reported again, even after undo.
    func confirmEncoding() { form.revise { ($0.isGuess, $0.isAccepted) = (false, true) } }

    /// Checks in the background whether another program has changed the file. Calls `report` on the owner's thread if
    /// it has. The content is compared: a file whose time alone has changed, or that was replaced by a copy, is
    /// unchanged. Does nothing for a document whose file does not exist yet or that has no file, while the file is
    /// being read or saved, or while an earlier check of the same path runs.
    func checkForChanges(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange) -> Void) {
        // At most one check of the same path at a time: each may hang.
        guard let path, let identity, !isReading, !isSaving, checkedPath != path else { return }
        checkedPath = path
        compare(path, identity, post: post) { [weak self] change in
            if self?.checkedPath == path { self?.checkedPath = nil }
            // Equal identities mean that no thread could be started, so the file was not checked: report no change.
            if let change, change.to != change.from { report(change) }
        }
    }

    /// Compares the file with the content last read or saved, in the background. Calls `report` on the owner's thread:
    /// with the change, or with nil if the content is unchanged or no content has been read or saved. For unchanged
    /// content, the file's present identity is recorded as that of the saved content. If no thread could be started,
    /// the file is not compared: `report` gets a change whose `from` and `to` are equal.
    func confirmChange(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange?) -> Void) {
        guard let path, let identity else { return report(nil) }
        compare(path, identity, post: post, report: report)
    }

    private func compare(
        _ path: FilePath, _ identity: FileIdentity, post: @escaping TextFileLoader.Post,
        report: @escaping (OutsideChange?) -> Void
    ) {
        let (text, format, isLossless) = (savedText, saved.format, isLossless)
        // `report` and `file` are used only in closures passed to `post`, which run on the owner's thread.
        nonisolated(unsafe) let report = report
        nonisolated(unsafe) weak let file = self
        let thread = try? BackgroundThread.start {
            let found = FileIdentity(path: path)
            let isSame = found == identity
            let same =
                isSame
                ? nil : TextFile.identity(of: path, ifHolding: text, format: format, allowingLoss: !isLossless)
            post {
                if let same, let file, file.path == path, file.identity == identity {
                    file.setIdentity(same)
                }
                report(isSame || same != nil ? nil : OutsideChange(path: path, from: identity, to: found))
            }
        }
        guard let thread else { return report(OutsideChange(path: path, from: identity, to: identity)) }
        pthread_detach(thread)
    }

    /// Records a new identity of the file, whose content is unchanged.
    private func setIdentity(_ new: FileIdentity) {
        let old = saved.identity
        (saved.identity, saved.expected) = (new, new)
        if let identity = rereading?.identity, identity == old { rereading?.identity = new }
        form.revise { if $0.source?.identity == old { $0.source?.identity = new } }
    }

    /// A change of the file by another program.
    struct OutsideChange: Hashable, Sendable {
        var path: FilePath
        /// The identity of the file when it was last read or saved.
        var from: FileIdentity
        /// The present identity of the file; nil if the file is gone.
        var to: FileIdentity?
    }

    /// Whether a detected change is still current: false if the document was saved, or got another file, since, and
    /// while it is being saved.
    func isCurrent(_ change: OutsideChange) -> Bool { change.path == path && change.from == identity && !isSaving }

    /// Keeps the document in spite of a change of the file by another program: a save overwrites the file without
    /// asking again. Does nothing if the change is not current any more.
    func keep(inSpiteOf change: OutsideChange) {
        guard isCurrent(change) else { return }
        saved.expected = change.to
        store.markUnsaved()
    }

    /// The format in which the file was last read or saved.
    var savedFormat: TextFileFormat { saved.format }

    /// The encoding in which the file was last read or saved.
    var savedEncoding: TextEncoding { saved.format.encoding }

    /// Sets the format, and the line ends found in the text, and marks the document as unsaved: for a document that
    /// was reconstructed from a journal. If `isLossless` is false, the text does not encode to the bytes of its file
    /// again, and a save must ask first. `readEncoding` is the encoding in which the text before the edits was read;
    /// nil for that of the format.
    func adopt(_ format: TextFileFormat, isLossless: Bool, readIn readEncoding: TextEncoding? = nil) {
        var new = form.value
        (new.readEncoding, new.decoding) = (readEncoding ?? format.encoding, DocumentID())
        new.isLossless = isLossless
        (new.format, new.newline) = (format, Newline(commonestIn: store.text))
        new.bytesEncoding = format.encoding
        new.isMixed = Newline.areMixed(in: store.text)
        form.reset(to: new)
        store.markUnsaved()
    }

    /// The encoding for saving the text.
    var encoding: TextEncoding { format.encoding }

    var encodingName: String { encoding.description }

    /// Sets the encoding for the next saves, as one undo step. If the text is empty, there is no undo step, and the
    /// document only becomes unsaved.
    ///
    /// - Parameter selection: the selection that redo restores.
    func setEncoding(_ encoding: TextEncoding, selection: Selection? = nil) {
        confirmEncoding()
        var new = form.value
        new.use(encoding)
        guard new.format != form.value.format else {
            form.value = new
            return
        }
        let before = store.historyState
        // Replace the first character by itself, because only an edit makes an undo step.
        let text = store.text
        let first = 0..<text.byteOffset(at: text.graphemeBoundary(after: 0))
        store.apply(
            Transaction(
                on: store, TextChangeSet(replacing: first, with: text.slice(first), in: text),
                selection: .set(selection)))
        form.set(new, from: before)
        // An empty text has no character to replace, so mark it as unsaved: otherwise nothing would show that the
        // encoding has changed.
        if text.isEmpty { store.markUnsaved() }
    }

    /// Changes all line ends to one kind, as one undo step.
    func setNewline(_ newline: Newline) {
        let before = store.historyState
        var new = form.value
        (new.newline, new.isMixed) = (newline, false)
        if let changes = newline.conversion(of: store.text) { store.apply(Transaction(on: store, changes)) }
        form.set(new, from: before)
    }

    /// The identity of the file when it was last read or saved; nil if the file did not exist, or the document has
    /// no file.
    var savedIdentity: FileIdentity? { saved.identity }

    /// Whether the file on the disk has the content that was last read or saved, as far as is known. False if the
    /// user chose to overwrite another program's version.
    private var isSavedContentThere: Bool { saved.identity == saved.expected }

    /// Marks the document as saved if an edit has made it equal to the file again.
    func noteReturn() {
        if isModified, identity != nil, isSavedContentThere, format == saved.format, store.text == savedText {
            store.markSaved()
        }
    }
    var size: Int { reading?.size ?? 0 }

    /// The base of a journal of the document's edits. While the first part of a file is awaited, the base is an
    /// empty text: the file's identity is unknown, and resolving its path could take as long as reading it. The
    /// base is also empty if another program has changed the file and the user keeps this text: the edits do not
    /// apply to that program's version.
    var journalBase: JournalBase {
        guard !earlyInput.isGoingOn, let path = absolutePath else {
            let following = absolutePath
            return JournalBase(
                path: nil, identity: nil, format: following == nil ? format : .utf8, following: following,
                origin: following == nil ? origin : nil)
        }
        let identity = isSavedContentThere ? saved.identity : nil
        return JournalBase(
            path: path, identity: identity, format: identity == nil ? format : saved.format)
    }

    /// The text to which the edits in a journal with ``journalBase`` apply.
    var journalBaseText: Rope { earlyInput.isGoingOn || shownPath == nil || !isSavedContentThere ? Rope() : savedText }

    // MARK: Reading

    /// Reads a file in the background, in place of the document. A file that does not exist becomes the file to
    /// save to.
    ///
    /// The document may be edited during reading: the file's text is added at its end, and is not part of any undo
    /// step. Call ``allowEarlyInput()`` to allow edits before the first part arrives. If `pausingAfterStart` is true,
    /// only the first part is read before ``readOn()``. If `isReturning` is true, the present document is restored
    /// if the file cannot be read. `guess` is the encoding to assume if the file's bytes do not show theirs. If
    /// `acceptingEncoding` is true, the user has agreed to the given encoding before, and bytes that are invalid in
    /// it are not reported.
    func open(
        _ path: FilePath, encoding: TextEncoding?, guess: EncodingGuess? = nil, acceptingEncoding: Bool = false,
        acceptingBinary: Bool = false, willSave: Bool = true,
        pausingAfterStart: Bool = false, isReturning: Bool = false, post: @escaping TextFileLoader.Post,
        report: @escaping (Event) -> Void = { _ in }
    ) {
        if state != .saving, isReturning, previousDocument == nil, isUsable, !isReading {
            previousDocument = PreviousDocument(
                path: self.path, text: store.text, isModified: isModified, form: form.value, saved: saved)
        }
        guard handle(.open) else { return }
        cancel()
        hasRestored = false
        self.path = nil
        saved.path = nil
        input = nil
        reading = (path, 0, 0, false)
        self.guess = guess
        self.report = report
        loader = TextFileLoader(
            path: path, encoding: encoding, guess: guess, removingLeftovers: willSave,
            pausingAfterStart: pausingAfterStart,
            post: post
        ) { [weak self] event in
            self?.take(event, acceptingBinary, encoding, acceptingEncoding: acceptingEncoding)
        }
    }

    /// Reads a file descriptor, such as standard input, in place of the document, which then has no file and counts
    /// as unsaved. Works like ``open`` with a pause after the first part. The input may never end.
    func openInput(
        _ descriptor: Int32 = STDIN_FILENO, encoding: TextEncoding?, guess: EncodingGuess? = nil,
        post: @escaping TextFileLoader.Post
    ) {
        guard handle(.open) else { return }
        self.guess = guess
        input = InputCopy()
        let name = FilePath(Words.standardInput)
        reading = (name, 0, 0, true)
        loader = TextFileLoader(
            path: name, descriptor: descriptor, encoding: encoding, guess: guess, copy: input, pausingAfterStart: true,
            post: post
        ) { [weak self] in self?.take($0, true, encoding) }
    }

    /// Allows typing before the first part of the file arrives. Hides the previous text: the user types into an empty
    /// document. The file's text will be added after the typed text.
    func allowEarlyInput() {
        guard isReading, state == .opening, !earlyInput.isGoingOn else { return }
        earlyInput.isGoingOn = true
        earlyInput.hidden = store.text
        add(Rope(), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// Adds the first part of a file: after the text that was typed before it arrived, or else in place of the
    /// document.
    private func begin(with text: Rope) {
        if earlyInput.isGoingOn {
            let end = store.text.byteRange.upperBound
            add(text, replacing: end..<end)
        } else {
            add(text, replacing: store.text.byteRange)
            store.removeAllUndo()
            store.markSaved()
        }
        earlyInput.isGoingOn = false
        earlyInput.hidden = Rope()
    }

    /// Ends the wait for a file that cannot be read. If the previous document was kept, because `open` was called
    /// with `isReturning`, it is restored. Otherwise the text becomes a document without a file: what was typed and
    /// read so far or, if no part of the file has arrived, what was typed, followed by the previous text.
    func giveUp() {
        cancel()
        reading = nil
        let previousDocument = previousDocument
        self.previousDocument = nil
        let isStarted = state == .reading
        handle(previousDocument?.path == nil ? .abandon : .restore)
        guard let previousDocument else {
            // Make the text a document without a file: it may be only a part of a file that could not be read
            // completely.
            saved = SavedContent(format: format)
            return putBack()
        }
        path = previousDocument.path
        saved.path = previousDocument.saved.path
        if isStarted {
            hasRestored = true
            add(previousDocument.text, replacing: store.text.byteRange)
            store.removeAllUndo()
            if previousDocument.isModified { store.markUnsaved() } else { store.markSaved() }
            saved = previousDocument.saved
            form.reset(to: previousDocument.form)
        }
        putBack()
    }

    private func putBack() {
        guard earlyInput.isGoingOn else { return }
        if !earlyInput.hidden.isEmpty { store.markUnsaved() }
        begin(with: earlyInput.hidden)
    }

    /// Ends the reading of standard input, which may have no end. The text received so far becomes the whole document,
    /// and the event ``Event/finished(notice:)`` follows.
    func endInput() {
        if isReadingInput { loader?.endInput() }
    }

    /// Stops reading the file; no further event of reading follows.
    func cancel() {
        loader?.cancel()
        loader = nil
    }

    /// Continues reading that pauses after the first part.
    func readOn() { loader?.resume() }

    /// Handles an event of the loader, on the owner's thread.
    func take(
        _ event: TextFileLoader.Event, _ acceptingBinary: Bool, _ encoding: TextEncoding?,
        acceptingEncoding: Bool = false
    ) {
        guard let reading else { return }
        switch event {
        case .started(let file, let size):
            guard acceptingBinary || !file.looksBinary else {
                cancel()
                return report(.looksBinary)
            }
            saved =
                reading.isInput
                ? SavedContent(format: file.format)
                : SavedContent(
                    at: loader?.absolutePath, identity: file.identity, text: file.text, format: file.format)
            var form = Form(file)
            form.isAccepted = acceptingEncoding
            self.form.reset(to: form)
            begin(with: file.text)
            if reading.isInput { store.markUnsaved() }
            handle(.start)
            self.reading = (reading.path, file.text.metrics.bytes, size, reading.isInput)
            report(.started)
        case .piece(let text, let read):
            let end = store.text.byteRange.upperBound
            add(text, replacing: end..<end)
            form.value.source?.text.append(text)
            if !reading.isInput { saved.text.append(text) }
            self.reading?.read = read
            report(.progressed)
        case .finished(let isLossless):
            form.value.isLossless = isLossless
            loader = nil
            previousDocument = nil
            if reading.isInput {
                self.reading = nil
                handle(.abandon)
            } else {
                path = reading.path
                handle(.finish)
            }
            report(.finished(notice: nil))
        case .failed(.notFound):
            path = reading.path
            var new = Form()
            if let encoding { new.use(encoding) }
            (new.bytesEncoding, new.readEncoding) = (new.format.encoding, new.format.encoding)
            form.reset(to: new)
            saved = SavedContent(at: loader?.absolutePath, format: format)
            loader = nil
            previousDocument = nil
            putBack()
            handle(.absent)
            report(.started)
            report(.finished(notice: Words.newFile(displayName)))
        case .failed(let error):
            if loader?.isLossless == false { form.value.isLossless = false }
            // Do not restore the previous document if that would discard a part of the file that was read, or edits
            // of that part.
            if state == .reading, previousDocument?.path == nil || store.isModified { previousDocument = nil }
            let isTyped = earlyInput.isGoingOn ? !store.text.isEmpty : store.isModified
            if previousDocument == nil, !isTyped { handle(.fail) }
            giveUp()
            report(.failed(error))
        }
    }

    private func add(_ text: Rope, replacing range: Range<ByteOffset>) {
        store.replace(range, with: text, origin: .load)
    }

    /// A sentence for the user about the file's encoding: that it was guessed, or that some bytes are invalid in it.
    /// Nil if neither is the case, if the user has confirmed the encoding, or if the bytes of a recovered text are
    /// not available.
    var encodingNotice: String? {
        if isEncodingGuessed { return Words.readAsGuess(displayName, encodingName) }
        // Report nothing for a recovered text, whose original bytes are not available: a save asks about them.
        guard !form.value.isAccepted, isLossless || bytesPath != nil else { return nil }
        return isLossless ? InvalidBytes(in: store.text).map { "\($0)" } : Words.invalidBytesKept("\(format.encoding)")
    }

    // MARK: Reading again

    /// The path from which the bytes of the document can be read again; nil if there is none.
    var bytesPath: FilePath? { path ?? input.flatMap { $0.isWhole ? $0.path : nil } }

    /// Whether the file can be read again: its whole text was read, its bytes are available, and no save is in
    /// progress.
    var canReread: Bool { bytesPath != nil && (path == nil ? state == .untitled : state == .ready) }

    /// Whether a file that was read again may replace the document: the path and the identity of the file are still
    /// those from when reading began, so that no save has succeeded since.
    var canAdoptReread: Bool {
        canReread && (rereading.map { $0.path == bytesPath && $0.identity == saved.identity } ?? false)
    }

    /// The text that the file's bytes were decoded to, without edits, and its format.
    private var source: (text: Rope, format: TextFileFormat) {
        // Use the saved text instead if undo has led to a source text that was read before another program wrote the
        // file, whose offsets do not apply to the present bytes. The bytes of standard input never change.
        guard let source = form.value.source, path == nil || source.identity == saved.identity else {
            return (savedText, saved.format)
        }
        return (source.text, source.format)
    }

    /// The number of different texts, as once decoded from the file's bytes, that the undo history refers to.
    var keptSourceCount: Int { Set(form.all.compactMap { $0.source.map(ObjectIdentifier.init) }).count }

    /// Reads the file again in the background and compares it with the document. Calls `report` on the owner's
    /// thread. The document does not change before ``adopt(_:whenEqual:)``. If `keepingEdits` is true, the edits
    /// since the file was last read or saved are to be applied to the new text.
    func reread(
        caret: UTF16Offset, encoding: TextEncoding?, keepingEdits: Bool = false,
        post: @escaping TextFileLoader.Post,
        report: @escaping (Result<RereadFile, TextFileError>) -> Void
    ) {
        guard let path = bytesPath, canReread else { return }
        let source = source
        let encoding = encoding ?? bytesEncoding
        // Keep the guessed encoding in which the text is shown, if the new bytes permit it.
        let guess = self.guess?.keeping(presentGuess)
        let (text, version, saved) = (store.text, store.version, source.text)
        let identity = self.path == nil ? FileIdentity(path: path) : self.saved.identity
        let origin = keepingEdits ? identity.map { ($0, source.format) } : nil
        // `report` is used only in closures passed to `post`, which run on the owner's thread.
        nonisolated(unsafe) let report = report
        rereading = Rereading(path: path, identity: self.saved.identity, typed: TextChangeSet(none: text))
        rereading?.observation = store.observeTransactions { [weak self] applied in
            guard let self, let typed = rereading?.typed else { return }
            rereading?.typed = typed.composed(with: applied.changes)
        }
        do throws(BackgroundThread.Failure) {
            // The path of the input copy refers to its descriptor, which a save closes: keep the copy alive.
            let thread = try BackgroundThread.start { [input] in
                let result = withExtendedLifetime(input) {
                    Result { () throws(TextFileError) in
                        try RereadFile(
                            path, encoding: encoding, guess: guess, over: text, version, saved: saved, caret: caret,
                            keepingEditsOf: origin)
                    }
                }
                post { report(result) }
            }
            pthread_detach(thread)
        } catch {
            report(.failure(.readFailed(path: path, code: error.code)))
        }
    }

    /// Replaces the document by the file that was read again, as one undo step. Then applies the unsaved edits, if
    /// they are to be kept, and the edits made since reading began.
    ///
    /// - Parameter whenEqual: called while document and file are equal.
    /// - Returns: whether there were edits since reading began.
    func adopt(_ reread: RereadFile, whenEqual: () -> Void) -> Bool {
        let before = store.historyState
        let typed = rereading?.typed ?? TextChangeSet(none: store.text)
        stopReread()
        let edits = reread.edits?.changes ?? TextChangeSet(none: reread.file.text)
        guard !typed.isEmpty || !edits.isEmpty else {
            store.apply(Transaction(on: store, reread.changes))
            take(reread.file, from: before)
            whenEqual()
            return false
        }
        // Invert the edits made since reading began, and apply them again after the change: in between, document
        // and file are equal.
        let group = UndoJoining.group(UndoGroupID())
        if !typed.isEmpty { store.apply(Transaction(on: store, typed.inverted, undo: group)) }
        store.apply(Transaction(on: store, reread.changes, undo: group))
        take(reread.file, from: before)
        whenEqual()
        if !edits.isEmpty { store.apply(Transaction(on: store, edits)) }
        let changes = reread.changes.composed(with: edits)
        store.apply(Transaction(on: store, typed.mapped(over: changes, in: store.text, isFirst: false)))
        return !typed.isEmpty
    }

    /// Records that the document equals a file now, as part of the undo step that began at the history state `before`.
    private func take(_ file: TextFile, from before: UInt64) {
        var new = Form(file)
        new.isAccepted = form.value.isAccepted && new.format.encoding == form.value.format.encoding
        if new.readEncoding == form.value.readEncoding { new.decoding = form.value.decoding }
        if !file.isEncodingGuessed { confirmEncoding() }
        // Drop the source texts of the file's older bytes, which are not needed again and may each be as large as
        // the file. The source texts of standard input stay.
        if path != nil { form.revise { if $0.source?.identity != file.identity { $0.source = nil } } }
        form.set(new, from: before)
        // A document from standard input has no file, so it stays unsaved.
        guard path != nil else { return store.markUnsaved() }
        saved = SavedContent(at: saved.path, identity: file.identity, text: file.text, format: file.format)
        store.markSaved()
    }

    /// Discards the edits recorded by ``reread(caret:encoding:keepingEdits:post:report:)``.
    func stopReread() { rereading = nil }

    // MARK: Writing

    /// Whether the file is being written.
    var isSaving: Bool { state == .saving }

    /// Starts saving the document, atomically and in the background; edits during the save are not saved. Must not
    /// be called during another save.
    ///
    /// - Parameters:
    ///   - other: the file to save to from now on, instead of the present one.
    ///   - overwriting: whether to replace a file that differs from the one last read or saved.
    ///   - restoring: whether to create a deleted file again. A file that exists there again is an obstacle.
    ///   - acceptingLoss: whether to lose bytes that cannot be encoded again from the text.
    ///   - method: the way to write an existing file; nil for the user's earlier choice for this file, if there was
    ///     one.
    ///   - promptness: the maximum time, in milliseconds, for which this method waits for the checks. An obstacle to
    ///     the save that they find within this time is reported before the method returns. A disk that does not hang
    ///     answers within one millisecond.
    ///   - willBegin: called when the checks before writing have found no obstacle.
    ///   - report: called with a message for the user, or with the error that ended the save.
    func save(
        to other: FilePath? = nil, overwriting: Bool = false, restoring: Bool = false, acceptingLoss: Bool = false,
        method: SaveMethod? = nil, promptness: Int = 0, post: @escaping TextFileLoader.Post,
        willBegin: @escaping () -> Void = {},
        report: @escaping (Result<String, TextFileError>) -> Void
    ) {
        precondition(!isSaving, "a save begins during another one")
        guard let path = other ?? path else { return }
        if let foreign = foreignBytes {
            let line = foreign.firstLine
            return report(.failure(.invalidBytes(path: path, encoding: encoding.name, line: line)))
        }
        let isFirst = state == .untitled
        // Do not apply the earlier choice if a changed file is to be overwritten: it may be another file than the
        // one for which the method was chosen.
        let method = method ?? (!overwriting && saves.isWrittenInPlace(path, identity) ? .inPlace : .automatic)
        guard handle(.save) else { return }
        let (point, format) = (store.makeSavePoint(), format)
        let source = source
        let original =
            isLossless || acceptingLoss
            ? nil : bytesPath.map { OriginalFile(path: $0, text: source.text, format: source.format) }
        let note = willSave?(path, format)
        saves.begin(to: path, promptness: promptness) { receive in
            TextFileSaver(
                point.text, to: path, format: format, expecting: restoring ? nil : identity,
                of: self.path ?? path,
                overwriting: overwriting, method: method, keeping: original,
                willReplace: { [input] contents in
                    note?(contents)
                    // The path of the input copy refers to its descriptor: keep the copy alive until now.
                    withExtendedLifetime(input) {}
                }, post: post, willBegin: willBegin, receive: receive)
        } end: { [weak self] outcome in
            guard let self else { return }
            if case .success = outcome { handle(.saved) } else { handle(isFirst ? .firstSaveFailed : .saveFailed) }
            report(
                outcome.map { written in
                    saved = SavedContent(
                        at: written.path, identity: written.identity, text: point.text, format: format)
                    self.path = path
                    input = nil
                    let source = SourceText(point.text, format, of: written.identity)
                    form.revise { ($0.source, $0.bytesEncoding) = (source, format.encoding) }
                    if method == .inPlace { saves.noteInPlace(path, written.identity) }
                    reading?.path = path
                    form.value.isLossless = original == nil
                    store.markSaved(point)
                    // If the user has changed the encoding of an empty document during the save, no edit shows
                    // that: mark the document as unsaved, because the new encoding is not saved yet.
                    if format != self.format, !store.isModified { store.markUnsaved() }
                    return [Words.saved(displayName), written.notice].compactMap(\.self).joined(separator: ". ")
                })
        }
    }

    /// Waits until a save has ended, but at most `milliseconds`: for the end of the program, when the event loop no
    /// longer runs. If the save takes longer, the document stays modified.
    func waitForSave(atMost milliseconds: Int) { saves.wait(atMost: milliseconds) }
}
