import Glibc
import Inkstone

/// The file behind the text: where it is, how it is written, and whether the text differs from it.
///
/// While it is being read it has no path yet for saving: what could not be read whole is never written.
final class EditedFile {
    /// What reading leads to, in order: `.started`, any number of `.progressed`, `.finished`; or one of the others instead.
    enum Event {
        /// The start of the text is there, and what the file is.
        case started
        /// More of the text is there.
        case progressed
        /// All of it is there. A sentence for the user, if there is something to say.
        case finished(notice: String?)
        /// It looks like no text: nothing was taken of it.
        case looksBinary
        /// It cannot be read, or not further. There is no file behind the text; what was typed ahead of it is usable.
        case failed(TextFileError)
    }

    let store: TextStore
    /// The file to save to; nil if there is none, or none yet.
    private(set) var path: FilePath?
    /// The newlines that are typed into it.
    var newline: Newline { form.value.newline }
    /// Whether its first lines ended in several ways when it was read.
    var hasMixedNewlines: Bool { form.value.isMixed }
    /// Whether encoding the text gives the bytes of the file again; if not, a save keeps those of the lines that were not changed.
    private var isLossless: Bool { form.value.isLossless }
    /// Whether a save can keep the bytes of the file where the text was not changed.
    var keepsBytes: Bool { isLossless || format == saved.format }

    /// What is shown in place of a file.
    private(set) var page: Page?
    /// The format that the text is saved in.
    var format: TextFileFormat { form.value.format }
    private let form: UndoableValue<Form>
    /// The file as it was read or saved last.
    private var saved = SavedContent()
    /// Identity that the file is to have when the text is saved; nil while it is new.
    private var identity: FileIdentity? { saved.expected }
    /// The file that the text is of which is shown apart from it, as long as it has no file of its own.
    var origin: FilePath? {
        get { saved.origin }
        set { saved.origin = newValue }
    }
    /// The text as it was read or saved last, which shares its leaves with the present one.
    var savedText: Rope { saved.text }
    /// The edits since the file began to be read again; nil if it is not.
    private var rereading: Rereading?
    /// Whether the text that was here before came back after a failure that had taken it out of sight.
    private(set) var hasRestored = false
    private var loader: TextFileLoader?
    private let saves = FileSaves()
    /// The file that the disk is being asked about, whose answer may never come: what another program has made of it.
    private var lookedAt: FilePath?
    /// The state of the file: each event goes through ``handle(_:)``.
    private(set) var state = FileState.untitled
    private var ahead = Ahead()
    /// What was here before the file that is being read, to come back if that cannot be read.
    private var standing: Standing?
    /// For the encoding of the file, where nothing tells it.
    private var guess: EncodingGuess?
    /// The bytes of standard input, until the text has a file.
    private var input: InputCopy?
    private var reading: (path: FilePath, read: Int, size: Int, isInput: Bool)?
    /// Called when a save begins, with the path and the format; what it returns is called on another thread with the content that
    /// is about to replace the file.
    var willSave: ((FilePath, TextFileFormat) -> @Sendable (FileContents) -> Void)?
    /// Who hears of what reading leads to; on the owner's thread, and not before its loop turns.
    var report: (Event) -> Void = { _ in }

    /// A text of the editor's own, which is nobody's file.
    struct Page: Hashable {
        var title: String
        var text: String
    }

    /// What is typed before the start of the file is there.
    private struct Ahead {
        /// Whether one does, at present.
        var isGoingOn = false
        /// The text that this took out of sight.
        var hidden = Rope()
    }

    /// Form in which the text is written.
    private struct Form: Equatable {
        var format = TextFileFormat.utf8
        /// Whether its byte order mark has come with the choice of its encoding.
        var isMarkChosen = false
        /// See ``EditedFile/isEncodingGuessed``.
        var isGuess = false
        /// See ``EditedFile/isLossless``.
        var isLossless = true
        /// See ``EditedFile/newline``.
        var newline = Newline.lf
        /// See ``EditedFile/hasMixedNewlines``.
        var isMixed = false
        /// The text before the edits that were made since the bytes were read or saved; nil for a text of no bytes.
        var source: SourceText?

        init() {}

        /// Takes an encoding. A mark stays where both have one; an encoding in units of two or four bytes gets one, because without it
        /// the next one who opens the file has to guess.
        mutating func use(_ encoding: TextEncoding) {
            let encoding = encoding.withByteOrder(of: UnsafeRawBufferPointer(start: nil, count: 0))
            isGuess = false
            guard encoding != format.encoding else { return }
            let isKept = format.hasByteOrderMark && !isMarkChosen && !encoding.byteOrderMark.isEmpty
            isMarkChosen = !isKept && encoding.codeUnit != nil
            format = TextFileFormat(encoding: encoding, hasByteOrderMark: isKept || isMarkChosen)
        }

        /// The form of a file that was read.
        init(_ file: TextFile) {
            (format, isGuess, isLossless) = (file.format, file.isEncodingGuessed, file.isLossless)
            (newline, isMixed) = (file.newline, file.hasMixedNewlines)
            source = SourceText(file.text, file.format, of: file.identity)
        }
    }

    /// The text that bytes are in a format; undo leads back to another one after they were read again. Equal to itself alone.
    private final class SourceText: Equatable {
        var text: Rope
        let format: TextFileFormat
        /// Identity of the file when it had these bytes.
        var identity: FileIdentity

        init(_ text: Rope, _ format: TextFileFormat, of identity: FileIdentity) {
            (self.text, self.format, self.identity) = (text, format, identity)
        }

        static func == (a: SourceText, b: SourceText) -> Bool { a === b }
    }

    private struct SavedContent {
        /// The file's name from the root, with the links followed when it was read or saved.
        var path: FilePath?
        /// Identity of the file when this was its content.
        var identity: FileIdentity?
        /// Identity that a save may replace: the same, or that of another program's version, in spite of which the text is kept.
        var expected: FileIdentity?
        var text = Rope()
        var format = TextFileFormat.utf8
        /// The file that the text is of although it is shown apart from it and has no file of its own.
        var origin: FilePath?

        init(
            at path: FilePath? = nil, identity: FileIdentity? = nil, text: Rope = Rope(), format: TextFileFormat = .utf8
        ) {
            (self.path, self.identity, expected, self.text, self.format) = (path, identity, identity, text, format)
        }
    }

    /// The state of reading the file again.
    private struct Rereading {
        /// The bytes that are read, by their name, and what they were.
        let path: FilePath
        var identity: FileIdentity?
        /// The edits since then, as one.
        var typed: TextChangeSet
        var observation: TextObservation?
    }

    private struct Standing {
        var path: FilePath?
        var text: Rope
        var isModified: Bool
        var form: Form
        var saved: SavedContent
    }

    init(store: TextStore) {
        self.store = store
        form = UndoableValue(Form(), of: store)
    }

    /// Undo or redo has led to a text that is written in another way: in another encoding, or with other ``newline``s.
    var onFormatChange: (() -> Void)? {
        get { form.onChange }
        set { form.onChange = newValue }
    }

    /// Shows a page in place of a file.
    func show(_ page: Page) {
        self.page = page
        add(Rope(page.text), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// The file that there is or is going to be; nil if there is none.
    var shownPath: FilePath? { path ?? (isReadingInput ? nil : reading?.path) }

    /// Whether standard input is being read: a text that has no file.
    var isReadingInput: Bool { reading?.isInput ?? false }

    /// The paths of the file that there is, is being read or is being saved to.
    var paths: [FilePath] { [shownPath, saves.path].compactMap(\.self) }

    /// The name from the root of the file that there is or is going to be, with its links followed when the disk was asked last: nobody
    /// waits for it here. Nil if there is none.
    var absolutePath: FilePath? {
        guard let shown = shownPath else { return nil }
        if let known = saved.path { return known }
        return shown.isAbsolute ? shown : FilePath.workingDirectory?.appending(shown) ?? shown
    }

    /// The number of a text that has no file yet among those that are open, from 1.
    var untitledNumber = 1

    var isModified: Bool { store.isModified }

    /// Whether there is no file yet: the first save makes it.
    var isNew: Bool { identity == nil }

    /// Whether nothing is there: no file, nor one that a save is about to make, and no text.
    var isUntouched: Bool { state == .untitled && store.text.isEmpty && !isModified }

    /// Whether the text is a file's, or one that has none yet: not what is left after a failure.
    var isUsable: Bool { state.hasText || isAwaited }

    /// Takes an event. Returns whether the state takes it; if not, nothing is to be done.
    @discardableResult
    private func handle(_ event: FileState.Event) -> Bool {
        guard let next = state.after(event) else { return false }
        state = next
        return true
    }

    /// Whether one types although the start of the file is not there yet.
    var isAwaited: Bool { ahead.isGoingOn && isReading }

    /// Whether it is still being read.
    var isReading: Bool { loader != nil }

    /// How much of it has been read, in percent; nil if all.
    var progress: Int? {
        guard isReading, let reading else { return nil }
        return reading.size > 0 ? min(99, reading.read * 100 / reading.size) : 0
    }

    /// The encoding, whether the file begins with its mark, and whether that is a guess.
    var encodingDescription: String { isEncodingGuessed ? Words.guessed(format.description) : format.description }

    /// Whether nothing tells the encoding that the text was read in.
    var isEncodingGuessed: Bool { form.value.isGuess }

    /// The user agrees to the encoding, or has named another one: what was guessed is asked about no more, wherever undo leads.
    func confirmEncoding() { form.revise { $0.isGuess = false } }

    /// Asks the disk, in the background, whether the file is still what was read or saved last; `report` hears of it on the owner's
    /// thread if it is not. Its content decides: one that was only touched, or copied over itself, is the same.
    func look(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange) -> Void) {
        // One question at a time about a file: each may wait for ever.
        guard let path, let identity, !isReading, !isSaving, lookedAt != path else { return }
        lookedAt = path
        compare(path, identity, post: post) { [weak self] change in
            if self?.lookedAt == path { self?.lookedAt = nil }
            // Without a thread nobody was asked.
            if let change, change.to != change.from { report(change) }
        }
    }

    /// Compares the file with what was read or saved last, in the background. Calls `report` on the owner's thread with the change; with nil
    /// if there is none, or none of the content, and then the file as it is now counts as the one that was read.
    func confirmChange(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange?) -> Void) {
        guard let path, let identity else { return report(nil) }
        compare(path, identity, post: post, report: report)
    }

    private func compare(
        _ path: FilePath, _ identity: FileIdentity, post: @escaping TextFileLoader.Post,
        report: @escaping (OutsideChange?) -> Void
    ) {
        let (text, format, isLossless) = (savedText, saved.format, isLossless)
        // Used on the owner's thread alone, where what is posted runs.
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

    /// The file is what was read or saved last, with another identity.
    private func setIdentity(_ new: FileIdentity) {
        let old = saved.identity
        (saved.identity, saved.expected) = (new, new)
        if let identity = rereading?.identity, identity == old { rereading?.identity = new }
        form.revise { if $0.source?.identity == old { $0.source?.identity = new } }
    }

    /// What another program has made of the file.
    struct OutsideChange: Hashable, Sendable {
        var path: FilePath
        /// What was read or saved last.
        var from: FileIdentity
        /// What is there now; nil if the file is gone.
        var to: FileIdentity?
    }

    /// Whether a change that was seen is still one: the file may have been saved or left meanwhile.
    func isCurrent(_ change: OutsideChange) -> Bool { change.path == path && change.from == identity && !isSaving }

    /// The text here is to be kept, whatever another program wrote: a save takes its place without asking again.
    func keep(inSpiteOf change: OutsideChange) {
        guard isCurrent(change) else { return }
        saved.expected = change.to
        store.markUnsaved()
    }

    /// The format that the file was read in or saved in last.
    var savedFormat: TextFileFormat { saved.format }

    /// The encoding that the file was read in or saved in last.
    var savedEncoding: TextEncoding { saved.format.encoding }

    /// Has the text written as another file was, with the line ends that it has: for one that was put together from a journal.
    func adopt(_ format: TextFileFormat) {
        var new = form.value
        (new.format, new.newline) = (format, Newline(commonestIn: store.text))
        new.isMixed = Newline.areMixed(in: store.text)
        form.reset(to: new)
        store.markUnsaved()
    }

    /// The encoding that it is written in.
    var encoding: TextEncoding { format.encoding }

    /// The name of ``encoding``.
    var encodingName: String { encoding.description }

    /// Has it written in another encoding from the next save on, as one step of undo.
    ///
    /// - Parameter selection: what is selected, and is again when the step is made again.
    func setEncoding(_ encoding: TextEncoding, selection: Selection? = nil) {
        confirmEncoding()
        var new = form.value
        new.use(encoding)
        guard new.format != form.value.format else {
            form.value = new
            return
        }
        let before = store.historyState
        // What goes into the history is an edit: the first character takes its own place.
        let text = store.text
        let first = 0..<text.byteOffset(at: text.graphemeBoundary(after: 0))
        store.apply(
            Transaction(
                on: store, TextChangeSet(replacing: first, with: text.slice(first), in: text),
                selection: .set(selection)))
        form.set(new, from: before)
        // In an empty text there is none.
        if text.isEmpty { store.markUnsaved() }
    }

    /// Makes all its line ends those of a kind, as one step of undo.
    func setNewline(_ newline: Newline) {
        let before = store.historyState
        var new = form.value
        (new.newline, new.isMixed) = (newline, false)
        if let changes = newline.conversion(of: store.text) { store.apply(Transaction(on: store, changes)) }
        form.set(new, from: before)
    }

    /// Identity of the file when it was read or saved last; nil if it was not there.
    var savedIdentity: FileIdentity? { saved.identity }

    /// Whether the disk holds what was read or saved last, as far as is known.
    private var isSavedContentThere: Bool { saved.identity == saved.expected }

    /// Counts as saved again if an edit has led back to what is on the disk.
    func noteReturn() {
        if isModified, identity != nil, isSavedContentThere, format == saved.format, store.text == savedText {
            store.markSaved()
        }
    }
    var size: Int { reading?.size ?? 0 }

    /// What a journal of the text's edits starts from. While the file's start is awaited that is an empty text: what
    /// the file is, is not known, and to ask its disk for the path could take as long as reading it. It is one as well if another program's
    /// file is there, in spite of which the text is kept: the edits are none of that.
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

    /// Reads a file in the background, in place of the text. One that does not exist becomes the file to save to.
    ///
    /// The text may be edited meanwhile: what is read comes in at its end, and belongs to no step of undo. Before the start
    /// is there, ``typeAhead()`` is asked for that. With `pausingAfterStart` no more than the start is read before ``readOn()``.
    /// With `isReturning` what is here now comes back if the file cannot be read. A `guess` is made where nothing tells the encoding.
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

    /// Reads a descriptor, such as standard input, in place of the text, which is one without a file then and not saved. As ``open`` does,
    /// with a pause after the start; it may never end.
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

    /// Takes what is typed although nothing of the file is there: as if its start were there and the caret before it. So
    /// the text is empty until then, and the file's comes in behind what was typed.
    func typeAhead() {
        guard isReading, state == .opening, !ahead.isGoingOn else { return }
        ahead.isGoingOn = true
        ahead.hidden = store.text
        add(Rope(), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// Puts the start of a text behind what was typed ahead, or in place of what there was.
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

    /// Makes what was typed ahead of a file that does not come, behind it what stood there before, a text without a name; or that of
    /// the file that was here, if that is to come back.
    func giveUp() {
        cancel()
        reading = nil
        let standing = standing
        self.standing = nil
        let isStarted = state == .reading
        handle(standing?.path == nil ? .abandon : .restore)
        guard let standing else {
            // What is left of it belongs to no file.
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

    /// Reads on, if it pauses after the start.
    func readOn() { loader?.resume() }

    /// Takes what the disk gives, on the owner's thread.
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
            report(.finished(notice: notice))
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
            // What has come of it since, or was typed into that, is not taken away for what was here before.
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

    /// A sentence about bytes of the file that are none of its encoding; nil if all are.
    var notice: String? {
        guard isLossless else {
            return Words.invalidBytesKept("\(format.encoding)")
        }
        return InvalidBytes(in: store.text).map { Words.chooseEncodingFromMenu("\($0)") }
    }

    // MARK: Reading again

    /// The bytes that the text was read from, by a name with which they can be read again; nil if there are none.
    var bytesPath: FilePath? { path ?? input.flatMap { $0.isWhole ? $0.path : nil } }

    /// Whether all of the text was read, and its bytes can be read again.
    var canReread: Bool { bytesPath != nil && (path == nil ? state == .untitled : state == .ready) }

    /// Whether a text that is read again may take the place of the present one: no save has begun since then that was not given up.
    var canAdoptReread: Bool {
        canReread && (rereading.map { $0.path == bytesPath && $0.identity == saved.identity } ?? false)
    }

    /// The text that the bytes were, before the edits that count as made since then, and its format.
    private var source: (text: Rope, format: TextFileFormat) {
        // Undo may have led to a text that was read before another program wrote the file: its offsets are none of these bytes. Those of
        // standard input are always the same.
        guard let source = form.value.source, path == nil || source.identity == saved.identity else {
            return (savedText, saved.format)
        }
        return (source.text, source.format)
    }

    /// The number of texts that ``source`` may be, wherever undo leads.
    var keptSourceCount: Int { Set(form.all.compactMap { $0.source.map(ObjectIdentifier.init) }).count }

    /// Reads the file again in the background and compares it with the text. Calls `report` on the owner's thread; nothing is changed
    /// before ``adopt(_:whenEqual:)``.
    /// With `keepingEdits` the edits since the file was read or saved last are to be made to its text again.
    func reread(
        caret: UTF16Offset, encoding: TextEncoding?, keepingEdits: Bool = false,
        post: @escaping TextFileLoader.Post,
        report: @escaping (Result<RereadFile, TextFileError>) -> Void
    ) {
        guard let path = bytesPath, canReread else { return }
        let source = source
        // What was guessed of the file before may be another guess by now.
        let encoding = encoding ?? (isEncodingGuessed ? nil : source.format.encoding)
        let (text, version, saved, guess) = (store.text, store.version, source.text, guess)
        let identity = self.path == nil ? FileIdentity(path: path) : self.saved.identity
        let origin = keepingEdits ? identity.map { ($0, source.format) } : nil
        // Used on the owner's thread alone, where what is posted runs.
        nonisolated(unsafe) let report = report
        rereading = Rereading(path: path, identity: self.saved.identity, typed: TextChangeSet(none: text))
        rereading?.observation = store.observeTransactions { [weak self] applied in
            guard let self, let typed = rereading?.typed else { return }
            rereading?.typed = typed.composed(with: applied.changes)
        }
        do throws(BackgroundThread.Failure) {
            // The name of the copy is that of its descriptor, which a save closes.
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

    /// Makes the text that of the file, as one step of undo, and takes up what was typed since it was read.
    ///
    /// - Parameter whenEqual: called while text and file are the same.
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
        // Taken back with the change, and made again: between these the text is exactly the file's.
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

    /// The text is that of a file now, by the edit that was made since the text was in a state.
    private func take(_ file: TextFile, from before: UInt64) {
        if !file.isEncodingGuessed { confirmEncoding() }
        // Of other bytes no text is asked for again, and each may be as large as the file. Those of standard input stay.
        if path != nil { form.revise { if $0.source?.identity != file.identity { $0.source = nil } } }
        form.set(Form(file), from: before)
        // What came of standard input is in no file still.
        guard path != nil else { return store.markUnsaved() }
        saved = SavedContent(at: saved.path, identity: file.identity, text: file.text, format: file.format)
        store.markSaved()
    }

    /// Gives up what ``reread(caret:encoding:keepingEdits:post:report:)`` has begun to note.
    func stopReread() { rereading = nil }

    // MARK: Writing

    /// Whether it is being written.
    var isSaving: Bool { state == .saving }

    /// Begins to write the text as it is now, in the background and whole or not at all; what is typed meanwhile is not in
    /// it. Not while it is being saved already.
    ///
    /// - Parameters:
    ///   - other: a file to save to from now on, in place of the present one.
    ///   - overwriting: also if there is another file than the one that was read or saved last.
    ///   - acceptingLoss: also if bytes that the text's encoding would not give again are not kept.
    ///   - method: whether to write it in place; nil for what was said of this file before.
    ///   - promptness: milliseconds that are waited for what stands against it, which is reported at once then: a disk that does not hang
    ///     tells within one.
    ///   - willBegin: called when the disk has been asked, and nothing is known to stand against it.
    ///   - report: what to tell the user, or why the file is as it was.
    func save(
        to other: FilePath? = nil, overwriting: Bool = false, acceptingLoss: Bool = false, method: SaveMethod? = nil,
        promptness: Int = 0, post: @escaping TextFileLoader.Post, willBegin: @escaping () -> Void = {},
        report: @escaping (Result<String, TextFileError>) -> Void
    ) {
        precondition(!isSaving, "a save begins during another one")
        guard let path = other ?? path else { return }
        let isFirst = state == .untitled
        // What is overwritten may be another file.
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
                    // An encoding that was chosen for an empty text meanwhile is not in it.
                    if format != self.format, !store.isModified { store.markUnsaved() }
                    return [Words.saved(displayName), written.notice].compactMap(\.self).joined(separator: ". ")
                })
        }
    }

    /// Waits until a save is done, but no longer than that many milliseconds: for a loop that is not run any more. If the
    /// disk takes longer, the text stays modified.
    func waitForSave(atMost milliseconds: Int) { saves.wait(atMost: milliseconds) }
}
