import InkstoneBase
import InkstoneText

#if canImport(Glibc)
    import Glibc
#endif

/// Writes a text to a file on a thread of its own, as ``TextFile/write(_:to:format:expecting:overwriting:method:keeping:keepingIn:willReplace:willBegin:)`` does, while
/// the document is edited on: a ``Rope`` is a value.
///
/// The result comes once, on the owner's thread: through the closure that it passes in, or from ``wait(atMost:)``.
public final class TextFileSaver: Sendable {
    /// What a save comes to: what the file is now, or why it is as it was.
    public typealias Outcome = Result<SavedFile, TextFileError>

    private let write: @Sendable () -> Outcome
    private let post: TextFileLoader.Post
    // Not Sendable, but called only by what `post` runs on the owner's thread.
    nonisolated(unsafe) private let receive: (Outcome) -> Void
    // Used on the owner's thread alone.
    nonisolated(unsafe) private var thread: pthread_t?
    private let state: Monitor<State>

    /// The progress of a save.
    private enum State {
        /// Whether something stands against it is not known yet.
        case asking
        /// The save is writing.
        case writing
        /// The save has ended; with `isRefused` before it has written anything.
        case ended(Outcome, isRefused: Bool)
        /// The owner has the outcome.
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

    /// Starts to write. `post` runs a closure on the owner's thread; `willBegin` is called there when nothing is known to stand against the
    /// save, and `receive` with the outcome. With `own`, `expecting` is what that file was: one that is not the same is to be new.
    public convenience init(
        _ text: Rope, to path: FilePath, format: TextFileFormat = .utf8, expecting: FileIdentity?,
        of own: FilePath? = nil, overwriting: Bool = false, method: SaveMethod = .automatic,
        keeping original: OriginalFile? = nil,
        willReplace: @escaping @Sendable (FileContents) -> Void = { _ in },
        post: @escaping TextFileLoader.Post, willBegin: @escaping () -> Void = {}, receive: @escaping (Outcome) -> Void
    ) {
        // Called only by what `post` runs on the owner's thread.
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

    /// Does `write` on a thread of its own.
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
            // Without a thread it takes this one.
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

    /// The outcome, once. Only after the end.
    private func end() -> Outcome? {
        if let thread { pthread_join(thread, nil) }
        thread = nil
        return state.withLock { state in
            guard case .ended(let outcome, _) = state else { return nil }
            state = .received
            return outcome
        }
    }

    /// Waits until it is known whether something stands against the save, but no longer than that many milliseconds. Gives the outcome in
    /// place of `receive` if it has ended without having begun: a question that follows meets the keys that are meant for it. Only on the
    /// owner's thread.
    public func refusal(within milliseconds: Int) -> Outcome? {
        state.wait(atMost: milliseconds, until: \.isKnown) && state.withLock(\.isRefused) ? end() : nil
    }

    /// Waits for the end, and gives the outcome in place of `receive`: for a loop that is not run any more. Nil if
    /// `receive` had it already, or if it takes longer than that many milliseconds, for which a disk may hang. Only on the
    /// owner's thread.
    public func wait(atMost milliseconds: Int = .max) -> Outcome? {
        // Longer than anybody lives is for ever.
        state.wait(atMost: min(milliseconds, 1 << 40), until: \.hasEnded) ? end() : nil
    }
}
