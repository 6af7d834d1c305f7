import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// A saver that writes a text to a file on a background thread. The document may be edited meanwhile, because a
/// ``Rope`` is a value. See
/// ``TextFile/write(_:to:format:expecting:overwriting:method:keeping:keepingIn:willReplace:willBegin:)``.
///
/// The outcome is delivered once, on the owner's thread: through the closure passed in, ``refusal(within:)`` or
/// ``wait(atMost:)``.
public final class TextFileSaver: Sendable {
    /// The outcome of a save: the saved file, or the error that ended the save.
    public typealias Outcome = Result<SavedFile, TextFileError>

    private let write: @Sendable () -> Outcome
    private let post: TextFileLoader.Post
    // `receive` is not Sendable, but is called only in closures passed to `post`, which run on the owner's thread.
    nonisolated(unsafe) private let receive: (Outcome) -> Void
    // The thread that writes; nil if it could not be started, and once it was joined. Used on the owner's thread only.
    nonisolated(unsafe) private var thread: pthread_t?
    private let state: Monitor<State>

    /// The progress of a save.
    private enum State {
        /// The save is checking for obstacles, such as a file that has changed.
        case asking
        /// The save is writing.
        case writing
        /// The save has ended. `isRefused` is true if it has ended before anything was written.
        case ended(Outcome, isRefused: Bool)
        /// The outcome was delivered to the owner.
        case received

        var isKnown: Bool {
            if case .asking = self { false } else { true }
        }

        var isRefused: Bool {
            if case .ended(_, let isRefused) = self { isRefused } else { false }
        }

        var hasEnded: Bool {
            switch self {
            case .asking, .writing: false
            case .ended, .received: true
            }
        }
    }

    /// Creates a saver and starts writing.
    ///
    /// - Parameters:
    ///   - own: the file whose identity is `expecting`; nil for the file at `path`. If `path` leads to another file
    ///     than `own`, that file must not exist yet, unless `overwriting`.
    ///   - post: runs a closure on the owner's thread.
    ///   - willBegin: called on the owner's thread when the checks before writing have found no obstacle.
    ///   - receive: called on the owner's thread with the outcome.
    public convenience init(
        _ text: Rope, to path: FilePath, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        of own: FilePath? = nil, overwriting: Bool = false, method: SaveMethod = .automatic,
        keeping original: OriginalFile? = nil,
        willReplace: @escaping @Sendable (FileContents) -> Void = { _ in },
        post: @escaping TextFileLoader.Post, willBegin: @escaping () -> Void = {}, receive: @escaping (Outcome) -> Void
    ) {
        // `willBegin` is not Sendable, but is called only in closures passed to `post`, which run on the owner's
        // thread.
        nonisolated(unsafe) let willBegin = willBegin
        let state = Monitor(State.asking)
        self.init(post: post, receive: receive, state) {
            let isOwn = own.map { $0 == path || $0.isSameFile(as: path) } ?? true
            return Result { () throws(TextFileError) in
                try TextFile.write(
                    text, to: path, format: format, expecting: isOwn ? expecting : nil, overwriting: overwriting,
                    method: method, keeping: original, willReplace: willReplace,
                    willBegin: {
                        state.withLock(waking: true) { $0 = .writing }
                        post { willBegin() }
                    })
            }
        }
    }

    /// Creates a saver that runs `write` on a background thread.
    convenience init(
        post: @escaping TextFileLoader.Post, receive: @escaping (Outcome) -> Void,
        write: @escaping @Sendable () -> Outcome
    ) {
        self.init(post: post, receive: receive, Monitor(State.asking), write: write)
    }

    private init(
        post: @escaping TextFileLoader.Post, receive: @escaping (Outcome) -> Void, _ state: Monitor<State>,
        write: @escaping @Sendable () -> Outcome
    ) {
        self.write = write
        self.state = state
        self.post = post
        self.receive = receive
        do throws(BackgroundThread.Failure) {
            thread = try BackgroundThread.start { [self] in run() }
        } catch {
            // If no thread could be started, write on this thread.
            run()
        }
    }

    private func run() {
        let outcome = write()
        state.withLock(waking: true) { $0 = .ended(outcome, isRefused: !$0.isKnown) }
        post { [self] in
            if let outcome = end() { receive(outcome) }
        }
    }

    /// Returns the outcome once, then nil. Call only after the save has ended.
    private func end() -> Outcome? {
        if let thread { pthread_join(thread, nil) }
        thread = nil
        return state.withLock { state in
            guard case .ended(let outcome, _) = state else { return nil }
            state = .received
            return outcome
        }
    }

    /// Waits until the checks before writing have ended, but at most `milliseconds`. If an obstacle found by them has
    /// ended the save, returns the outcome; `receive` is then not called. Otherwise returns nil. A question about the
    /// obstacle can thus be shown before the user types further keys. Only on the owner's thread.
    public func refusal(within milliseconds: Int) -> Outcome? {
        state.wait(atMost: milliseconds, until: \.isKnown) && state.withLock(\.isRefused) ? end() : nil
    }

    /// Waits for the end of the save, and returns the outcome; `receive` is then not called. For a caller whose event
    /// loop no longer runs. Nil if the outcome was delivered already. Also nil after the given milliseconds, because a
    /// disk may hang. Only on the owner's thread.
    public func wait(atMost milliseconds: Int = .max) -> Outcome? {
        // Limit the wait: the end of a longer wait, as a time in milliseconds, would overflow.
        state.wait(atMost: min(milliseconds, 1 << 40), until: \.hasEnded) ? end() : nil
    }
}
