import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A loader that reads a file on a background thread and delivers its text piece by piece, so that the first screen
/// need not wait for the whole file.
///
/// Events are delivered on the owner's thread, through the closure passed in. No event follows ``cancel()``.
public final class TextFileLoader: Sendable {
    /// An event of the loader. One start comes first, then pieces, then one end. A failure may come at any time
    /// instead.
    public enum Event: Sendable {
        /// The file is open. `file` contains the first piece of its text; its other members are final, except
        /// ``TextFile/isLossless``. `size` is the file's length in bytes. If the file looks binary, ask the user
        /// before continuing.
        case started(TextFile, size: Int)
        /// The next piece of text, and the number of bytes of the file read so far. Append the piece as an edit of
        /// the origin ``Origin/load``. All pieces, including the first, end between grapheme clusters of the file.
        /// So text that is inserted at the end meanwhile splits no cluster and no CR LF.
        case piece(Rope, read: Int)
        /// The whole file was read. `isLossless` is false if saving the text would not produce the same bytes. It
        /// is never false for UTF-8.
        case finished(isLossless: Bool)
        /// The file could not be read, or not completely.
        case failed(TextFileError)
    }

    /// A function that runs a closure on the owner's thread, asynchronously.
    public typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// The size of the first piece in bytes: enough for a few screens.
    static let firstPiece = 256 << 10
    /// The size in bytes of the pieces after the first one.
    static let piece = 4 << 20

    private let path: FilePath
    private let descriptor: Int32?
    private let encoding: TextEncoding?
    private let guess: EncodingGuess?
    private let copy: InputCopy?
    private let removesLeftovers: Bool
    private let post: Post
    // `receive` is not Sendable, but is called only in closures passed to `post`, which run on the owner's thread.
    nonisolated(unsafe) private let receive: (Event) -> Void
    private let isCancelled = Atomic(false)
    private let isEnded = Atomic(false)
    /// The ends of a pipe that ends the reading of a stream, for reading and for writing; -1 without a stream.
    private let interruption: (waiting: Int32, sending: Int32)
    /// The absolute path of the file, with links resolved. Known when the first event comes. Nil for a descriptor.
    public var absolutePath: FilePath? { absolute.withLock(\.self) }
    private let absolute = Mutex<FilePath?>(nil)
    /// Whether encoding the text that was read again produces the same bytes. Final when the last event comes, also if
    /// that is a failure.
    package var isLossless: Bool { !isLossy.load(ordering: .relaxed) }
    private let isLossy = Atomic(false)
    private let pausesAfterStart: Bool
    /// The progress of reading while it is paused after the first piece. Set before the event
    /// ``Event/started(_:size:)`` is posted, and read by ``resume()``.
    nonisolated(unsafe) private var pausedAt: Place?

    /// The progress of reading a file.
    private struct Place {
        let source: FileSource
        var decoder: TextFileDecoder?
        /// The number of bytes read so far.
        var done = 0
        /// The end of the text read so far. It is not delivered yet, because following text may continue its last
        /// grapheme cluster.
        var held = Rope()

        /// Appends text that was read. Returns the text to deliver: all text that following text cannot change.
        mutating func take(_ text: Rope) -> Rope {
            held.append(text)
            // Deliver all of a text that ends with a newline: a newline ends a grapheme cluster, and a user who follows
            // a stream wants to see its last line.
            if held.byteRange.upperBound > 0, held.byte(at: held.byteRange.upperBound - 1) == 0x0a {
                defer { held = Rope() }
                return held
            }
            let end = held.utf16Range.upperBound
            // Keep back two clusters, because the last one may consist of the bytes of a truncated scalar, which may
            // belong to the cluster before.
            let cut = held.byteOffset(at: held.graphemeBoundary(before: held.graphemeBoundary(before: end)))
            let whole = held.slice(0..<cut)
            held = held.slice(cut..<held.byteRange.upperBound)
            return whole
        }
    }

    /// Creates a loader and starts reading.
    ///
    /// - Parameters:
    ///   - path: the file to read. With a `descriptor`, only the name used in errors.
    ///   - descriptor: a descriptor to read from its current position, in place of a file. Pieces of a pipe are
    ///     delivered as they arrive, up to 1 GB in all.
    ///   - guess: decides the encoding of a file without evidence for one.
    ///   - copy: gets all bytes as they are read, before their text is delivered.
    ///   - removingLeftovers: whether to call ``TextFile/removeLeftovers(of:)`` at the end. True for an owner that
    ///     will save the file.
    ///   - pausingAfterStart: whether to pause after the first piece until ``resume()`` is called. The processor is
    ///     then free to show that piece.
    ///   - post: runs a closure on the owner's thread.
    ///   - receive: called on the owner's thread with each event.
    public init(
        path: FilePath, descriptor: Int32? = nil, encoding: TextEncoding? = nil, guess: EncodingGuess? = nil,
        copy: InputCopy? = nil, removingLeftovers: Bool = false,
        pausingAfterStart: Bool = false,
        post: @escaping Post, receive: @escaping (Event) -> Void
    ) {
        self.path = path
        self.descriptor = descriptor
        interruption = descriptor == nil ? (-1, -1) : Self.makeInterruption()
        self.encoding = encoding
        self.guess = guess
        self.copy = copy
        removesLeftovers = removingLeftovers
        pausesAfterStart = pausingAfterStart
        self.post = post
        self.receive = receive
        begin { [self] in
            do throws(TextFileError) {
                if let descriptor {
                    read(from: Place(source: try FileSource(descriptor: descriptor, name: path)))
                } else {
                    absolute.withLock { $0 = path.absolute }
                    read(from: Place(source: try FileSource(path: path)))
                }
            } catch {
                send(.failed(error))
            }
        }
    }

    /// Continues after the first piece, if reading has paused there. Only on the owner's thread.
    public func resume() {
        guard let place = pausedAt else { return }
        pausedAt = nil
        nonisolated(unsafe) let taken = place
        begin { [self] in read(from: taken) }
    }

    private func begin(_ work: @escaping @Sendable () -> Void) {
        do throws(BackgroundThread.Failure) {
            pthread_detach(try BackgroundThread.start(work))
        } catch {
            send(.failed(.readFailed(path: path, code: error.code)))
        }
    }

    private static func makeInterruption() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    deinit {
        for end in [interruption.waiting, interruption.sending] where end >= 0 { close(end) }
    }

    /// Ends the reading of a descriptor that may have no end: the bytes that have arrived are delivered, and then the
    /// end. Without effect for a file. Only on the owner's thread.
    package func endInput() {
        guard interruption.sending >= 0 else { return }
        // Write a byte that is never read, so that the pipe stays readable.
        if !isEnded.exchange(true, ordering: .relaxed) { _ = write(interruption.sending, "x", 1) }
    }

    /// Stops reading; no event follows. Only on the owner's thread.
    public func cancel() { isCancelled.store(true, ordering: .relaxed) }

    private func send(_ event: Event) {
        post { [self] in
            if !isCancelled.load(ordering: .relaxed) { receive(event) }
        }
    }

    private func read(from place: Place) {
        var place = place
        var isPaused = false
        defer {
            if removesLeftovers, !isPaused { TextFile.removeLeftovers(of: path) }
        }
        do throws(TextFileError) {
            while !isCancelled.load(ordering: .relaxed) {
                let isFirst = place.decoder == nil
                // Once the end was requested, read one last piece: the bytes that had arrived by then.
                let isLast = isEnded.load(ordering: .relaxed)
                let count = isFirst ? Self.firstPiece : Self.piece
                let next =
                    place.source.isStream
                    ? try place.source.nextArrived(
                        count, least: isFirst ? 4 : 1, interruption: interruption.waiting)
                    : try place.source.next(count)
                guard let bytes = next else { break }
                var builder = RopeBuilder()
                place.done += bytes.count
                copy?.append(bytes)
                if let decoder = place.decoder {
                    decoder.append(bytes, to: &builder)
                    send(.piece(place.take(builder.finish()), read: place.done))
                    if isLast { break }
                    continue
                }
                let size = place.source.identity.size
                let isMore = place.source.isStream || size == 0 || size > place.done
                let decoder = TextFileDecoder(start: bytes, encoding: encoding, guess: guess, isWhole: !isMore)
                place.decoder = decoder
                let looksBinary = decoder.looksBinary(bytes)
                decoder.append(bytes, to: &builder)
                let text = isMore ? place.take(builder.finish()) : builder.finish()
                isPaused = pausesAfterStart && isMore
                if isPaused { pausedAt = place }
                start(place.source, text, decoder.format, looksBinary, isGuess: decoder.isGuess)
                if isPaused { return }
            }
            guard let decoder = place.decoder else {
                start(place.source, Rope(), TextFileFormat(encoding: encoding ?? .utf8), false)
                send(.finished(isLossless: true))
                return
            }
            sendRest(of: place, decoder)
            send(.finished(isLossless: decoder.isLossless))
        } catch {
            // The text that was read stays in the document, which has no file then: deliver all of it.
            if let decoder = place.decoder { sendRest(of: place, decoder) }
            send(.failed(error))
        }
    }

    /// Ends decoding, and delivers the end of the text, which was kept back.
    private func sendRest(of place: Place, _ decoder: TextFileDecoder) {
        var builder = RopeBuilder()
        decoder.finish(&builder)
        var rest = place.held
        rest.append(builder.finish())
        isLossy.store(!decoder.isLossless, ordering: .relaxed)
        if !rest.isEmpty { send(.piece(rest, read: place.done)) }
    }

    private func start(
        _ source: FileSource, _ text: Rope, _ format: TextFileFormat, _ looksBinary: Bool, isGuess: Bool = false
    ) {
        var file = TextFile(
            path: path, text: text, format: format, identity: source.identity, looksBinary: looksBinary)
        file.isEncodingGuessed = isGuess
        send(.started(file, size: source.identity.size))
    }
}
