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

    private let store: TextStore
    /// The file to save to; nil if there is none, or none yet.
    private(set) var path: String?
    /// The newlines that are typed into it.
    private(set) var newline = Newline.lf
    /// Whether a save gives the same bytes where the text was not changed.
    private(set) var isLossless = true
    /// Whether the store is being changed by what was read, not by the user.
    private(set) var isAddingText = false

    /// What is shown in place of a file.
    private(set) var page: Page?
    private var format = TextFileFormat.utf8
    /// What the file was when it was read or saved last; nil while it is new.
    private var identity: FileIdentity?
    private var loader: TextFileLoader?
    private var saver: TextFileSaver?
    private var saveDidEnd: ((TextFileSaver.Outcome) -> Void)?
    private var isStarted = false
    private var isFailed = false
    /// Whether one types before the start of the file is there, and the text that this took out of sight.
    private var isAhead = false
    private var hidden = Rope()
    /// Bytes that were typed before the start of the file was there, and stand before it.
    private(set) var bytesAhead = 0
    private var reading: (path: String, read: Int, size: Int)?
    /// Who hears of what reading leads to; on the owner's thread, and not before its loop turns.
    var report: (Event) -> Void = { _ in }

    /// A text of the editor's own, which is nobody's file.
    struct Page: Hashable {
        var title: String
        var text: String
    }

    init(store: TextStore) { self.store = store }

    /// Shows a page in place of a file.
    func show(_ page: Page) {
        self.page = page
        add(Rope(page.text), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// The file that there is or is going to be; nil if there is none.
    var shownPath: String? { path ?? reading?.path }

    /// The file's name, for titles and questions.
    var displayName: String {
        guard let path = shownPath else { return page?.title ?? "Untitled" }
        // By bytes: the status line asks after every key, and comparing characters takes long.
        return path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? "Untitled"
    }

    /// The folder that the file lies in as a person reads it, with `~` for the home; nil if there is no file. By the name alone: its disk
    /// may be slow.
    var displayFolder: String? {
        guard var path = shownPath else { return nil }
        if !path.hasPrefix("/") {
            guard let current = getcwd(nil, 0) else { return nil }
            defer { free(current) }
            path = String(cString: current) + "/" + path
        }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        guard let home = getenv("HOME").map({ String(cString: $0) }), home.count > 1,
            folder == home || folder.hasPrefix(home + "/")
        else { return folder }
        return "~" + folder.dropFirst(home.count)
    }

    var isModified: Bool { store.isModified }

    /// Whether nothing is there: no file, no text.
    var isUntouched: Bool { path == nil && reading == nil && store.text.isEmpty && !isModified }

    /// Whether the text is a file's, or one that has none yet: not what is left after a failure.
    var isUsable: Bool { !isFailed && (reading == nil || isStarted || isAwaited) }

    /// Whether one types although the start of the file is not there yet.
    var isAwaited: Bool { isAhead && isReading }

    /// Whether it is still being read.
    var isReading: Bool { loader != nil }

    /// How much of it has been read, in percent; nil if all.
    var progress: Int? {
        guard isReading, let reading else { return nil }
        return reading.size > 0 ? min(99, reading.read * 100 / reading.size) : 0
    }

    /// Encoding and line ends, for the status line.
    var formatDescription: String {
        let mark = format.hasByteOrderMark ? " with mark" : ""
        let ends = newline == .lf ? "" : newline == .crlf ? ", CRLF" : ", CR"
        return "\(format.encoding)\(mark)\(ends)"
    }

    /// Asks the disk, in the background, whether the file is still what was read or saved last; `report` hears of it on the owner's
    /// thread if it is not.
    func look(post: @escaping TextFileLoader.Post, report: @escaping (OutsideChange) -> Void) {
        guard let path, let identity, !isReading, !isSaving else { return }
        // Used on the owner's thread alone, where what is posted runs.
        nonisolated(unsafe) let report = report
        let thread = try? BackgroundThread.start {
            let found = FileIdentity(path: path)
            guard found != identity else { return }
            post { report(OutsideChange(path: path, from: identity, to: found)) }
        }
        if let thread { pthread_detach(thread) }
    }

    /// What another program has made of the file.
    struct OutsideChange: Hashable, Sendable {
        var path: String
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
        identity = change.to
        store.markUnsaved()
    }

    /// The encoding that it is written in.
    var encodingName: String { format.encoding.description }

    /// Has it written in another encoding from the next save on; a mark stays where both have one.
    func setEncoding(_ encoding: TextEncoding) {
        guard encoding != format.encoding else { return }
        format.encoding = encoding
        format.hasByteOrderMark = format.hasByteOrderMark && !encoding.byteOrderMark.isEmpty
        store.markUnsaved()
    }

    /// Makes all its line ends those of a kind, as one step of undo.
    func setNewline(_ newline: Newline) {
        self.newline = newline
        guard let changes = newline.conversion(of: store.text) else { return }
        store.apply(Transaction(on: store, changes))
    }

    /// What a journal of the text's edits starts from. While the file's start is awaited that is an empty text: what
    /// the file is, is not known, and to ask its disk for the path could take as long as reading it.
    var journalBase: JournalBase {
        guard !isAhead else { return JournalBase(path: nil, identity: nil) }
        return JournalBase(path: (path ?? reading?.path).map(Self.absolute), identity: identity, format: format)
    }

    // MARK: Reading

    /// Reads a file in the background, in place of the text. One that does not exist becomes the file to save to.
    ///
    /// The text may be edited meanwhile: what is read comes in at its end, and belongs to no step of undo. Before the start
    /// is there, ``typeAhead()`` is asked for that. With `pausingAfterStart` no more than the start is read before ``readOn()``.
    func open(
        _ path: String, encoding: TextEncoding?, acceptingBinary: Bool = false, willSave: Bool = true,
        pausingAfterStart: Bool = false, post: @escaping TextFileLoader.Post,
        report: @escaping (Event) -> Void = { _ in }
    ) {
        cancel()
        self.path = nil
        isStarted = false
        isFailed = false
        reading = (path, 0, 0)
        self.report = report
        loader = TextFileLoader(
            path: path, encoding: encoding, removingLeftovers: willSave, pausingAfterStart: pausingAfterStart,
            post: post
        ) { [weak self] event in
            self?.take(event, acceptingBinary, encoding)
        }
    }

    /// Takes what is typed although nothing of the file is there: as if its start were there and the caret before it. So
    /// the text is empty until then, and the file's comes in behind what was typed.
    func typeAhead() {
        guard isReading, !isStarted, !isAhead else { return }
        isAhead = true
        hidden = store.text
        add(Rope(), replacing: store.text.byteRange)
        store.removeAllUndo()
        store.markSaved()
    }

    /// Puts the start of a text behind what was typed ahead, or in place of what there was.
    private func begin(with text: Rope) {
        if isAhead {
            bytesAhead = store.text.metrics.bytes
            let end = store.text.byteRange.upperBound
            add(text, replacing: end..<end)
        } else {
            bytesAhead = 0
            add(text, replacing: store.text.byteRange)
            store.removeAllUndo()
            store.markSaved()
        }
        isAhead = false
        hidden = Rope()
        isStarted = true
    }

    /// Makes what was typed ahead of a file that does not come, behind it what stood there before, a text without a name.
    func giveUp() {
        cancel()
        reading = nil
        putBack()
    }

    private func putBack() {
        guard isAhead else { return }
        if !hidden.isEmpty { store.markUnsaved() }
        begin(with: hidden)
    }

    /// Stops reading.
    func cancel() {
        loader?.cancel()
        loader = nil
    }

    /// Reads on, if it pauses after the start.
    func readOn() { loader?.resume() }

    private func take(
        _ event: TextFileLoader.Event, _ acceptingBinary: Bool, _ encoding: TextEncoding?
    ) {
        guard let reading else { return }
        switch event {
        case .started(let file, let size):
            guard acceptingBinary || !file.looksBinary else {
                cancel()
                return report(.looksBinary)
            }
            format = file.format
            identity = file.identity
            newline = file.newline
            begin(with: file.text)
            self.reading = (reading.path, file.text.metrics.bytes, size)
            report(.started)
        case .piece(let text, let read):
            let end = store.text.byteRange.upperBound
            add(text, replacing: end..<end)
            self.reading?.read = read
            report(.progressed)
        case .finished(let isLossless):
            self.isLossless = isLossless
            loader = nil
            path = reading.path
            report(.finished(notice: notice))
        case .failed(.notFound):
            loader = nil
            path = reading.path
            identity = nil
            if let encoding { format.encoding = encoding }
            putBack()
            isStarted = true
            report(.started)
            report(.finished(notice: "New file"))
        case .failed(let error):
            isFailed = !isAhead || store.text.isEmpty
            giveUp()
            report(.failed(error))
        }
    }

    private func add(_ text: Rope, replacing range: Range<ByteOffset>) {
        isAddingText = true
        store.replace(range, with: text, kind: .load)
        isAddingText = false
    }

    private var notice: String? {
        guard isLossless else {
            return "Not all bytes are \(format.encoding). Saving would change those: try another --encoding."
        }
        return InvalidBytes(in: store.text)?.description
    }

    // MARK: Writing

    /// Whether it is being written.
    var isSaving: Bool { saver != nil }

    /// Begins to write the text as it is now, in the background and whole or not at all; what is typed meanwhile is not in
    /// it. Not while it is being saved already.
    ///
    /// - Parameters:
    ///   - other: a file to save to from now on, in place of the present one.
    ///   - overwriting: also if there is another file than the one that was read or saved last.
    ///   - report: what to tell the user, or why the file is as it was.
    /// - Throws: what can be known at once to stand against it, because later a question would meet keys that are not
    ///   meant for it.
    func save(
        to other: String? = nil, overwriting: Bool = false, post: @escaping TextFileLoader.Post,
        report: @escaping (Result<String, TextFileError>) -> Void
    ) throws(TextFileError) {
        precondition(!isSaving, "a save begins during another one")
        guard let path = other ?? path else { return }
        let expected = other == nil || other == self.path ? identity : nil
        if !overwriting { try TextFile.check(path, expecting: expected) }
        let point = store.makeSavePoint()
        saveDidEnd = { [unowned self] outcome in
            saver = nil
            saveDidEnd = nil
            report(
                outcome.map { saved in
                    identity = saved.identity
                    self.path = path
                    reading?.path = path
                    isLossless = true
                    store.markSaved(point)
                    return ["Saved \(displayName)", saved.notice].compactMap(\.self).joined(separator: ". ")
                })
        }
        saver = TextFileSaver(
            point.text, to: path, format: format, expecting: expected, overwriting: overwriting, post: post
        ) { [weak self] outcome in self?.saveDidEnd?(outcome) }
    }

    /// Waits until a save is done, but no longer than that many milliseconds: for a loop that is not run any more. If the
    /// disk takes longer, the text stays modified.
    func waitForSave(atMost milliseconds: Int) {
        // One that waited for it may begin then.
        while let outcome = saver?.wait(atMost: milliseconds) { saveDidEnd?(outcome) }
    }

    /// The file that a person means by a name: `~` is the home; what cannot be in a name is left out. Nil if it names none.
    static func path(typed text: String) -> String? {
        let line = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
        guard let last = line.last, last != "/", !line.allSatisfy({ $0 == " " }) else { return nil }
        if line.hasPrefix("~/"), let home = getenv("HOME") { return String(cString: home) + line.dropFirst() }
        return line
    }

    /// The folder that a file lies in, with a slash at its end.
    static func folder(of path: String) -> String {
        let path = absolute(path)
        return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }

    /// Whether two names are of one file, by links of any kind too, or would be if it existed.
    static func areSame(_ a: String, _ b: String) -> Bool {
        var (first, second) = (stat(), stat())
        if stat(a, &first) == 0, stat(b, &second) == 0 {
            return first.st_dev == second.st_dev && first.st_ino == second.st_ino
        }
        return absolute(a) == absolute(b)
    }

    /// The path from the root, with the links on the way followed: two names of one file are the same then.
    static func absolute(_ path: String) -> String {
        func real(_ path: String) -> String? {
            guard let resolved = realpath(path, nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if let whole = real(path) { return whole }
        guard let slash = path.lastIndex(of: "/") else { return (real(".") ?? "") + "/" + path }
        let directory = String(path[...slash])
        let parent = real(directory) ?? directory
        return parent + (parent.hasSuffix("/") ? "" : "/") + path[path.index(after: slash)...]
    }
}
