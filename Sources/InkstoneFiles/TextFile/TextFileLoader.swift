import InkstoneBase
import InkstoneText
import InkstoneUnicode
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Reads a file on a thread of its own, and hands its text over piece by piece, so that the first screen need not wait
/// for the whole.
///
/// The events come on the owner's thread, through the closure that it passes in. After ``cancel()`` none come.
public final class TextFileLoader: Sendable {
    /// What the loader has to tell, in this order: one start, pieces, one end. Or a failure, at any time.
    public enum Event: Sendable {
        /// The file is open; its first piece of text is in `file`, whose other members are final but for
        /// ``TextFile/isLossless``. `size` is the file's length in bytes. Ask before going on if it looks binary.
        case started(TextFile, size: Int)
        /// The next piece of text, to be added at the end as an edit of the origin ``Origin/load``; and how many bytes of
        /// the file were read so far. Pieces, the start too, end between grapheme clusters of the file, so that nothing that is
        /// put where the text ends meanwhile splits one, or a CR LF.
        case piece(Rope, read: Int)
        /// All was read. False if saving the text would not give the same bytes (never so for UTF-8).
        case finished(isLossless: Bool)
        /// It could not be read, or not further.
        case failed(TextFileError)
    }

    /// Runs a closure on the owner's thread, soon.
    public typealias Post = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Bytes of the first piece: a few screens.
    static let firstPiece = 256 << 10
    /// Bytes of the others.
    static let piece = 4 << 20

    private let path: FilePath
    private let descriptor: Int32?
    private let encoding: TextEncoding?
    private let guess: EncodingGuess?
    private let copy: InputCopy?
    private let removesLeftovers: Bool
    private let post: Post
    // Not Sendable, but called only by what `post` runs on the owner's thread.
    nonisolated(unsafe) private let receive: (Event) -> Void
    private let isCancelled = Atomic(false)
    /// The name of the file from the root, with the links followed: known when the first event comes. Nil for a descriptor.
    public var absolutePath: FilePath? { absolute.withLock(\.self) }
    private let absolute = Mutex<FilePath?>(nil)
    private let pausesAfterStart: Bool
    /// What is left to read while it pauses. Set before the start is posted, taken by who has got that.
    nonisolated(unsafe) private var pausedAt: Place?

    /// How far a file was read.
    private struct Place {
        let source: FileSource
        var decoder: TextFileDecoder?
        var done = 0
        /// The end of the text that was read, which may go on in what follows.
        var held = Rope()

        /// The text to be handed over when more of it was read: all that nothing can be joined to any more.
        mutating func take(_ text: Rope) -> Rope {
            held.append(text)
            // Nothing is joined to a newline, and who follows a stream wants to see its last line.
            if held.byteRange.upperBound > 0, held.byte(at: held.byteRange.upperBound - 1) == 0x0a {
                defer { held = Rope() }
                return held
            }
            let end = held.utf16Range.upperBound
            // The last cluster may be bytes of a scalar that is cut, which may belong to the cluster before.
            let cut = held.byteOffset(at: held.graphemeBoundary(before: held.graphemeBoundary(before: end)))
            let whole = held.slice(0..<cut)
            held = held.slice(cut..<held.byteRange.upperBound)
            return whole
        }
    }

    /// Starts to read. `post` runs a closure on the owner's thread; `receive` is called there with each event. With a `guess` it decides the
    /// encoding of a file that does not tell it.
    ///
    /// With `removingLeftovers` it does in the end what ``TextFile/removeLeftovers(of:)`` does: for those who will save. With
    /// `pausingAfterStart` it reads no further than the first piece before ``resume()``: the processor is left to who
    /// shows that. With a `descriptor` that is read from where it is, in place of the file at `path`, which is what errors call it. Of a
    /// pipe each piece is what has come, and no more than 1 GB in all is taken. With a `copy` that gets all bytes as they were read, before their
    /// text is handed over.
    public init(
        path: FilePath, descriptor: Int32? = nil, encoding: TextEncoding? = nil, guess: EncodingGuess? = nil,
        copy: InputCopy? = nil, removingLeftovers: Bool = false,
        pausingAfterStart: Bool = false,
        post: @escaping Post, receive: @escaping (Event) -> Void
    ) {
        self.path = path
        self.descriptor = descriptor
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

    /// Reads on after the first piece, if it pauses there. Only on the owner's thread.
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

    /// Stops reading; no event comes after this. Only on the owner's thread.
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
                let count = isFirst ? Self.firstPiece : Self.piece
                let next =
                    place.source.isStream
                    ? try place.source.nextArrived(count, least: isFirst ? 4 : 1) : try place.source.next(count)
                guard let bytes = next else { break }
                var builder = RopeBuilder()
                place.done += bytes.count
                copy?.append(bytes)
                if let decoder = place.decoder {
                    decoder.append(bytes, to: &builder)
                    send(.piece(place.take(builder.finish()), read: place.done))
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
            var builder = RopeBuilder()
            decoder.finish(&builder)
            var rest = place.held
            rest.append(builder.finish())
            if !rest.isEmpty { send(.piece(rest, read: place.done)) }
            send(.finished(isLossless: decoder.isLossless))
        } catch {
            send(.failed(error))
        }
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
