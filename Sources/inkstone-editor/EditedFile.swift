import Glibc
import Inkstone

/// The file of the text: its path, its format, and whether the text differs from it.
///
/// During reading it has no path for saving yet: a file that could not be read completely is never written.
final class EditedFile {
    /// An event of reading: `.started`, any number of `.progressed`, `.finished`, in this order; or one of the others instead.
    enum Event {
        /// The first part of the text, and the file's format, are known.
        case started
        /// More of the text was added.
        case progressed
        /// Reading has ended with the whole text. The notice is a sentence for the user, or nil.
        case finished(notice: String?)
        /// The file is probably not text: nothing of it was added.
        case looksBinary
        /// The file cannot be read, or not completely. The text has no file; what was typed ahead of it is usable.
        case failed(TextFileError)
    }

    let store: TextStore
    /// The file to save to; nil if there is none, or none yet.
    private(set) var path: FilePath?
    /// The newline for typed text.
    var newline: Newline { form.value.newline }
    /// Whether the first lines of the file had more than one kind of line end when it was read.
    var hasMixedNewlines: Bool { form.value.isMixed }
    /// Whether encoding the text gives the bytes of the file again; if not, a save keeps the bytes of unchanged lines.
    private var isLossless: Bool { form.value.isLossless }
    /// Whether a save can keep the file's bytes in unchanged lines.
    var keepsBytes: Bool { isLossless || format == saved.format }

    /// The page that is shown instead of a file.
    private(set) var page: Page?
    /// The format for saving the text.
    var format: TextFileFormat { form.value.format }
    private let form: UndoableValue<Form>
    /// The content of the file when it was last read or saved.
    private var saved = SavedContent()
    /// The identity that the file must have when the text is saved; nil while the file is new.
    private var identity: FileIdentity? { saved.expected }
    /// The file that a text in a window of its own came from, as long as the text has no file of its own.
    var origin: FilePath? {
        get { saved.origin }
        set { saved.origin = newValue }
    }
    /// The text when it was last read or saved, which shares its leaves with the present one.
    var savedText: Rope { saved.text }
    /// The edits since reading the file again began; nil if it is not being read again.
    private var rereading: Rereading?
    /// Whether the previous text was restored after a failure to read the file that had replaced it.
    private(set) var hasRestored = false
    private var loader: TextFileLoader?
    private let saves = FileSaves()
    /// The file of a pending check for outside changes, which may never be answered.
    private var lookedAt: FilePath?
    /// The state of the file: each event goes through ``handle(_:)``.
    private(set) var state = FileState.untitled
    private var ahead = Ahead()
    /// The document before the file that is being read, to be restored if that cannot be read.
    private var standing: Standing?
    /// The guess at the encoding of a file without evidence.
    private var guess: EncodingGuess?
    /// The bytes of standard input, until the text has a file.
    private var input: InputCopy?
    private var reading: (path: FilePath, read: Int, size: Int, isInput: Bool)?
    /// Called when a save begins, with the path and the format; the returned function is called on another thread with the content that
    /// is about to replace the file.
    var willSave: ((FilePath, TextFileFormat) -> @Sendable (FileContents) -> Void)?
    /// Called with the events of reading, on the owner's thread, not before its loop turns.
    var report: (Event) -> Void = { _ in }

    /// A text of the editor's own, which has no file.
    struct Page: Hashable {
        var title: String
        var text: String
    }

    init(store: TextStore) {
        self.store = store
        form = UndoableValue(Form(), of: store)
    }

    /// Called when undo or redo changes the format in which the text is written, or its ``newline``.
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

    /// The path of the present or coming file; nil if there is none.
    var shownPath: FilePath? { path ?? (isReadingInput ? nil : reading?.path) }

    /// Whether standard input is being read: a text without a file.
    var isReadingInput: Bool { reading?.isInput ?? false }

    /// The path of the file, or of the one being read while there is none yet; and the path of the save under way.
    var paths: [FilePath] { [shownPath, saves.path].compactMap(\.self) }

    /// The absolute path of the present or coming file, with links as resolved at the last access: does not access the disk.
    /// Nil if there is none.
    var absolutePath: FilePath? {
        guard let shown = shownPath else { return nil }
        if let known = saved.path { return known }
        return shown.isAbsolute ? shown : FilePath.workingDirectory?.appending(shown) ?? shown
    }

    /// The number of a text without a file among the open ones, from 1.
    var untitledNumber = 1

    var isModified: Bool { store.isModified }

    /// Whether the file does not exist yet: the first save creates it.
    var isNew: Bool { identity == nil }

    /// Whether the document is empty: no file, none being saved, and no text.
    var isUntouched: Bool { state == .untitled && store.text.isEmpty && !isModified }

    /// Whether the text belongs to a file, or has none yet: false for the rest after a failure.
    var isUsable: Bool { state.hasText || isAwaited }

    /// Handles an event. Returns whether the state accepts it; if not, do nothing.
    @discardableResult
    private func handle(_ event: FileState.Event) -> Bool {
        guard let next = state.after(event) else { return false }
        state = next
        return true
    }

    /// Whether the user is typing before the first part of the file has arrived.
    var isAwaited: Bool { ahead.isGoingOn && isReading }

    /// Whether the file is still being read.
    var isReading: Bool { loader != nil }

    /// The progress of reading in percent; nil if reading has ended.
    var progress: Int? {
        guard isReading, let reading else { return nil }
        return reading.size > 0 ? min(99, reading.read * 100 / reading.size) : 0
    }

    /// The encoding, with its byte order mark, and whether it is a guess, for the user.
    var encodingDescription: String { isEncodingGuessed ? Words.guessed(format.description) : format.description }

    /// Whether the encoding of the text was guessed, without evidence.
    var isEncodingGuessed: Bool { form.value.isGuess }

    /// Confirms the encoding, because the user agrees or has named another one: neither a guess nor invalid bytes are reported again, even
    /// after undo.
    func confirmEncoding() { form.revise { ($0.isGuess, $0.isAccepted) = (false, true) } }

    /// Checks the file for changes by another program, in the background; calls `report` on the owner's thread if there is
    /// one. Compares the content: a file that was only touched, or copied over itself, is unchanged.
    func look(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange) -> Void) {
        // At most one check of a file at a time: each may hang.
        guard let path, let identity, !isReading, !isSaving, lookedAt != path else { return }
        lookedAt = path
        compare(path, identity, post: post) { [weak self] change in
            if self?.lookedAt == path { self?.lookedAt = nil }
            // Without a thread the file was not checked.
            if let change, change.to != change.from { report(change) }
        }
    }

    /// Compares the file with the content last read or saved, in the background. Calls `report` on the owner's thread with the change; with
    /// nil if the content is unchanged, and then the file's present identity counts as the one that was read.
    func confirmChange(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange?) -> Void) {
        guard let path, let identity else { return report(nil) }
        compare(path, identity, post: post, report: report)
    }

    private func compare(
        _ path: FilePath, _ identity: FileIdentity, post: @escaping TextFileLoader.Post,
        report: @escaping (OutsideChange?) -> Void
    ) {
        let (text, format, isLossless) = (savedText, saved.format, isLossless)
        // Used on the owner's thread alone, where posted closures run.
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

    /// Sets a new identity for unchanged content.
    private func setIdentity(_ new: FileIdentity) {
        let old = saved.identity
        (saved.identity, saved.expected) = (new, new)
        if let identity = rereading?.identity, identity == old { rereading?.identity = new }
        form.revise { if $0.source?.identity == old { $0.source?.identity = new } }
    }

    /// A change of the file by another program.
    struct OutsideChange: Hashable, Sendable {
        var path: FilePath
        /// The identity when the file was last read or saved.
        var from: FileIdentity
        /// The present identity; nil if the file is gone.
        var to: FileIdentity?
    }

    /// Whether a detected change is still current: the file may have been saved or left meanwhile.
    func isCurrent(_ change: OutsideChange) -> Bool { change.path == path && change.from == identity && !isSaving }

    /// Keeps the present text in spite of a change by another program: a save overwrites the file without asking again.
    func keep(inSpiteOf change: OutsideChange) {
        guard isCurrent(change) else { return }
        saved.expected = change.to
        store.markUnsaved()
    }

    /// The format in which the file was last read or saved.
    var savedFormat: TextFileFormat { saved.format }

    /// The encoding in which the file was last read or saved.
    var savedEncoding: TextEncoding { saved.format.encoding }

    /// Sets the format, and the text's own line ends: for a text that was reconstructed from a journal.
    func adopt(_ format: TextFileFormat) {
        var new = form.value
        (new.format, new.newline) = (format, Newline(commonestIn: store.text))
        new.isMixed = Newline.areMixed(in: store.text)
        form.reset(to: new)
        store.markUnsaved()
    }

    /// The encoding for saving the text.
    var encoding: TextEncoding { format.encoding }

    /// The name of ``encoding``.
    var encodingName: String { encoding.description }

    /// Sets the encoding for the next saves, as one undo step.
    ///
    /// - Parameter selection: the selection, which redo restores.
    func setEncoding(_ encoding: TextEncoding, selection: Selection? = nil) {
        confirmEncoding()
        var new = form.value
        new.use(encoding)
        guard new.format != form.value.format else {
            form.value = new
            return
        }
        let before = store.historyState
        // Only an edit enters the history: replace the first character by itself.
        let text = store.text
        let first = 0..<text.byteOffset(at: text.graphemeBoundary(after: 0))
        store.apply(
            Transaction(
                on: store, TextChangeSet(replacing: first, with: text.slice(first), in: text),
                selection: .set(selection)))
        form.set(new, from: before)
        // An empty text has no character to replace.
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

    /// The identity of the file when it was last read or saved; nil if it did not exist.
    var savedIdentity: FileIdentity? { saved.identity }

    /// Whether the disk has the content that was last read or saved, as far as is known.
    private var isSavedContentThere: Bool { saved.identity == saved.expected }

    /// Marks the text as saved if an edit has restored the content on the disk.
    func noteReturn() {
        if isModified, identity != nil, isSavedContentThere, format == saved.format, store.text == savedText {
            store.markSaved()
        }
    }
    var size: Int { reading?.size ?? 0 }

    /// The base for a journal of the text's edits. While the first part of the file is awaited, the base is an empty text: the file's identity
    /// is unknown, and asking its disk for the path could take as long as reading it. The base is also empty if another program's
    /// version is on the disk while the text is kept: the edits do not apply to that version.
    var journalBase: JournalBase {
        guard !ahead.isGoingOn, let path = absolutePath else {
            let following = absolutePath
            return JournalBase(
                path: nil, identity: nil, format: following == nil ? format : .utf8, following: following,
                origin: following == nil ? origin : nil)
        }
        let identity = isSavedContentThere ? saved.identity : nil
        return JournalBase(
            path: path, identity: identity, format: identity == nil ? format : saved.format)
    }

    /// The text of ``journalBase``.
    var journalBaseText: Rope { ahead.isGoingOn || shownPath == nil || !isSavedContentThere ? Rope() : savedText }

    // MARK: Reading

    /// Reads a file in the background, in place of the text. A file that does not exist becomes the file to save to.
    ///
    /// The text may be edited meanwhile: the file's text is added at its end, outside of all undo steps. Call ``typeAhead()`` for edits before
    /// the first part arrives. With `pausingAfterStart` only the first part is read before ``readOn()``.
    /// With `isReturning` the present document is restored if the file cannot be read. `guess` is used without evidence for the encoding.
    func open(
        _ path: FilePath, encoding: TextEncoding?, guess: EncodingGuess? = nil, acceptingBinary: Bool = false,
        willSave: Bool = true,
        pausingAfterStart: Bool = false, isReturning: Bool = false, post: @escaping TextFileLoader.Post,
        report: @escaping (Event) -> Void = { _ in }
    ) {
        if state != .saving, isReturning, standing == nil, isUsable, !isReading {
            standing = Standing(
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
            self?.take(event, acceptingBinary, encoding)
        }
    }

    /// Reads a descriptor, such as standard input, in place of the text, which then has no file and counts as unsaved. Works like ``open``,
    /// with a pause after the first part; the input may never end.
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

    /// Accepts typing before the first part of the file arrives: hides the text, so that typing goes to an empty one,
    /// and the file's text is added after what was typed.
    func typeAhead() {
        guard isReading, state == .opening, !ahead.isGoingOn else { return }
        ahead.isGoingOn = true
        ahead.hidden = store.text
        add(Rope(), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// Adds the first part of a text after what was typed ahead, or in place of the present text.
    private func begin(with text: Rope) {
        if ahead.isGoingOn {
            let end = store.text.byteRange.upperBound
            add(text, replacing: end..<end)
        } else {
            add(text, replacing: store.text.byteRange)
            store.removeAllUndo()
            store.markSaved()
        }
        ahead.isGoingOn = false
        ahead.hidden = Rope()
    }

    /// Ends waiting for a file that cannot be read. What was typed ahead becomes a text without a name, followed by the previous text; or
    /// the previous file is restored, if it is to be.
    func giveUp() {
        cancel()
        reading = nil
        let standing = standing
        self.standing = nil
        let isStarted = state == .reading
        handle(standing?.path == nil ? .abandon : .restore)
        guard let standing else {
            // The rest of the text has no file.
            saved = SavedContent(format: format)
            return putBack()
        }
        path = standing.path
        saved.path = standing.saved.path
        if isStarted {
            hasRestored = true
            add(standing.text, replacing: store.text.byteRange)
            store.removeAllUndo()
            if standing.isModified { store.markUnsaved() } else { store.markSaved() }
            saved = standing.saved
            form.reset(to: standing.form)
        }
        putBack()
    }

    private func putBack() {
        guard ahead.isGoingOn else { return }
        if !ahead.hidden.isEmpty { store.markUnsaved() }
        begin(with: ahead.hidden)
    }

    /// Stops reading.
    func cancel() {
        loader?.cancel()
        loader = nil
    }

    /// Continues reading, if it pauses after the first part.
    func readOn() { loader?.resume() }

    /// Handles an event of the loader, on the owner's thread.
    func take(
        _ event: TextFileLoader.Event, _ acceptingBinary: Bool, _ encoding: TextEncoding?
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
            form.reset(to: Form(file))
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
            standing = nil
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
            form.reset(to: new)
            saved = SavedContent(at: loader?.absolutePath, format: format)
            loader = nil
            standing = nil
            putBack()
            handle(.absent)
            report(.started)
            report(.finished(notice: Words.newFile))
        case .failed(let error):
            // Do not discard the text that was read, or edits of it, to restore the previous document.
            if state == .reading, standing?.path == nil || store.isModified { standing = nil }
            let isTyped = ahead.isGoingOn ? !store.text.isEmpty : store.isModified
            if standing == nil, !isTyped { handle(.fail) }
            giveUp()
            report(.failed(error))
        }
    }

    private func add(_ text: Rope, replacing range: Range<ByteOffset>) {
        store.replace(range, with: text, origin: .load)
    }

    /// A sentence about the file's encoding, until the user has answered it: that it is a guess, or that some bytes are invalid in it. Nil if
    /// there is nothing to say.
    var encodingDoubt: String? {
        if isEncodingGuessed { return Words.readAsGuess(displayName, encodingName) }
        guard !form.value.isAccepted else { return nil }
        return isLossless ? InvalidBytes(in: store.text).map { "\($0)" } : Words.invalidBytesKept("\(format.encoding)")
    }

    // MARK: Reading again

    /// The path from which the text's bytes can be read again; nil if there is none.
    var bytesPath: FilePath? { path ?? input.flatMap { $0.isWhole ? $0.path : nil } }

    /// Whether the whole text was read, and its bytes can be read again.
    var canReread: Bool { bytesPath != nil && (path == nil ? state == .untitled : state == .ready) }

    /// Whether a text that was read again may replace the present one: no save has begun since that was not cancelled.
    var canAdoptReread: Bool {
        canReread && (rereading.map { $0.path == bytesPath && $0.identity == saved.identity } ?? false)
    }

    /// The text that the bytes decode to, before the edits made since, and its format.
    private var source: (text: Rope, format: TextFileFormat) {
        // Undo may have led to a text that was read before another program wrote the file: its offsets do not apply to the present bytes.
        // The bytes of standard input never change.
        guard let source = form.value.source, path == nil || source.identity == saved.identity else {
            return (savedText, saved.format)
        }
        return (source.text, source.format)
    }

    /// The number of different ``source`` texts in the undo history.
    var keptSourceCount: Int { Set(form.all.compactMap { $0.source.map(ObjectIdentifier.init) }).count }

    /// Reads the file again in the background and compares it with the text. Calls `report` on the owner's thread; nothing changes
    /// before ``adopt(_:whenEqual:)``.
    /// With `keepingEdits` the edits since the file was last read or saved are applied to its new text.
    func reread(
        caret: UTF16Offset, encoding: TextEncoding?, keepingEdits: Bool = false,
        post: @escaping TextFileLoader.Post,
        report: @escaping (Result<RereadFile, TextFileError>) -> Void
    ) {
        guard let path = bytesPath, canReread else { return }
        let source = source
        // A guessed encoding may be guessed differently by now.
        let encoding = encoding ?? (isEncodingGuessed ? nil : source.format.encoding)
        let (text, version, saved, guess) = (store.text, store.version, source.text, guess)
        let identity = self.path == nil ? FileIdentity(path: path) : self.saved.identity
        let origin = keepingEdits ? identity.map { ($0, source.format) } : nil
        // Used on the owner's thread alone, where posted closures run.
        nonisolated(unsafe) let report = report
        rereading = Rereading(path: path, identity: self.saved.identity, typed: TextChangeSet(none: text))
        rereading?.observation = store.observeTransactions { [weak self] applied in
            guard let self, let typed = rereading?.typed else { return }
            rereading?.typed = typed.composed(with: applied.changes)
        }
        do throws(BackgroundThread.Failure) {
            // The copy's path is that of its descriptor, which a save closes.
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

    /// Replaces the text by the file's, as one undo step, and keeps what was typed since reading began.
    ///
    /// - Parameter whenEqual: called while text and file are equal.
    /// - Returns: whether anything was typed since.
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
        // The typed edits are inverted, and applied again after the change: in between the text equals the file.
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

    /// Records that the text equals a file now, by the edit since a history state.
    private func take(_ file: TextFile, from before: UInt64) {
        var new = Form(file)
        new.isAccepted = form.value.isAccepted && new.format.encoding == form.value.format.encoding
        if !file.isEncodingGuessed { confirmEncoding() }
        // The text of older bytes is not needed again, and may be as large as the file. That of standard input stays.
        if path != nil { form.revise { if $0.source?.identity != file.identity { $0.source = nil } } }
        form.set(new, from: before)
        // Text from standard input is still in no file.
        guard path != nil else { return store.markUnsaved() }
        saved = SavedContent(at: saved.path, identity: file.identity, text: file.text, format: file.format)
        store.markSaved()
    }

    /// Discards the edits recorded by ``reread(caret:encoding:keepingEdits:post:report:)``.
    func stopReread() { rereading = nil }

    // MARK: Writing

    /// Whether the file is being written.
    var isSaving: Bool { state == .saving }

    /// Starts saving the present text, atomically and in the background; what is typed meanwhile is not
    /// saved. Does nothing during another save.
    ///
    /// - Parameters:
    ///   - other: the file to save to from now on, in place of the present one.
    ///   - overwriting: whether to replace a file that differs from the one last read or saved.
    ///   - acceptingLoss: whether to lose bytes that the text's encoding would not give again.
    ///   - method: whether to write in place; nil for the earlier choice for this file.
    ///   - promptness: the maximum wait for an obstacle in milliseconds, which is reported at once then: a disk that does not hang
    ///     answers within one.
    ///   - willBegin: called after the checks, when no obstacle is known.
    ///   - report: called with a message for the user, or the reason why the file is unchanged.
    func save(
        to other: FilePath? = nil, overwriting: Bool = false, acceptingLoss: Bool = false, method: SaveMethod? = nil,
        promptness: Int = 0, post: @escaping TextFileLoader.Post, willBegin: @escaping () -> Void = {},
        report: @escaping (Result<String, TextFileError>) -> Void
    ) {
        precondition(!isSaving, "a save begins during another one")
        guard let path = other ?? path else { return }
        let isFirst = state == .untitled
        // The file to be overwritten may be another one.
        let method = method ?? (!overwriting && saves.isWrittenInPlace(path, identity) ? .inPlace : .automatic)
        guard handle(.save) else { return }
        let (point, format) = (store.makeSavePoint(), format)
        let original =
            isLossless || acceptingLoss
            ? nil : self.path.map { OriginalFile(path: $0, text: savedText, format: saved.format) }
        let note = willSave?(path, format)
        saves.begin(to: path, promptness: promptness) { receive in
            TextFileSaver(
                point.text, to: path, format: format, expecting: identity, of: self.path ?? path,
                overwriting: overwriting, method: method, keeping: original, willReplace: { note?($0) }, post: post,
                willBegin: willBegin, receive: receive)
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
                    form.revise { $0.source = source }
                    if method == .inPlace { saves.noteInPlace(path, written.identity) }
                    reading?.path = path
                    form.value.isLossless = original == nil
                    store.markSaved(point)
                    // An encoding chosen meanwhile for an empty text is not saved.
                    if format != self.format, !store.isModified { store.markUnsaved() }
                    return [Words.saved(displayName), written.notice].compactMap(\.self).joined(separator: ". ")
                })
        }
    }

    /// Waits until a save is done, but at most `milliseconds`: for a loop that no longer runs. If the
    /// disk takes longer, the text stays modified.
    func waitForSave(atMost milliseconds: Int) { saves.wait(atMost: milliseconds) }
}
