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
        /// It cannot be read, or not further. There is no file behind the text.
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

    private var format = TextFileFormat.utf8
    /// What the file was when it was read or saved last; nil while it is new.
    private var identity: FileIdentity?
    private var loader: TextFileLoader?
    private var isStarted = false
    private var isFailed = false
    private var reading: (path: String, read: Int, size: Int)?

    init(store: TextStore) { self.store = store }

    /// The file's name, for titles and questions.
    var displayName: String {
        (path ?? reading?.path)?.split(separator: "/").last.map(String.init) ?? "Untitled"
    }

    var isModified: Bool { store.isModified }

    /// Whether the text is a file's, or one that has none yet: not what is left after a failure.
    var isUsable: Bool { !isFailed && (reading == nil || isStarted) }

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

    /// What a journal of the text's edits starts from.
    var journalBase: JournalBase {
        JournalBase(path: (path ?? reading?.path).map(Self.absolute), identity: identity, format: format)
    }

    // MARK: Reading

    /// Reads a file in the background, in place of the text. One that does not exist becomes the file to save to.
    ///
    /// The text may be edited meanwhile: what is read comes in at its end, and belongs to no step of undo.
    func open(
        _ path: String, encoding: TextEncoding?, acceptingBinary: Bool = false, poster: EventPoster,
        report: @escaping (Event) -> Void
    ) {
        cancel()
        self.path = nil
        isStarted = false
        isFailed = false
        reading = (path, 0, 0)
        loader = TextFileLoader(path: path, encoding: encoding, post: { poster.post($0) }) { [weak self] event in
            self?.take(event, acceptingBinary, encoding, report)
        }
    }

    /// Stops reading.
    func cancel() {
        loader?.cancel()
        loader = nil
    }

    private func take(
        _ event: TextFileLoader.Event, _ acceptingBinary: Bool, _ encoding: TextEncoding?, _ report: (Event) -> Void
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
            add(file.text, replacing: store.text.byteRange)
            store.removeAllUndo()
            store.markSaved()
            self.reading = (reading.path, file.text.metrics.bytes, size)
            isStarted = true
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
            isStarted = true
            report(.started)
            report(.finished(notice: "New file"))
        case .failed(let error):
            loader = nil
            self.reading = nil
            isFailed = true
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

    /// Writes the text to the file, whole or not at all. Returns what to tell the user; nil if there is no file.
    ///
    /// - Parameter overwriting: also if the file was changed by another program meanwhile.
    func save(overwriting: Bool = false) throws(TextFileError) -> String? {
        guard let path else { return nil }
        identity = try TextFile.write(
            store.text, to: path, format: format, expecting: identity, overwriting: overwriting)
        isLossless = true
        store.markSaved()
        return "Saved \(displayName)"
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
