import Dispatch
import InkstoneBase
import InkstoneText
import Synchronization

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
    private let outcome = Mutex<Outcome?>(nil)
    /// Raised when the outcome is there.
    private let done = DispatchSemaphore(value: 0)
    private let progress: Monitor<Progress>

    /// Progress of a save.
    private struct Progress {
        var hasBegun = false
        var hasEnded = false
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
        let progress = Monitor(Progress())
        self.init(post: post, receive: receive, progress) {
            let isOwn = own.map { $0 == path || $0.isSameFile(as: path) } ?? true
            return Result { () throws(TextFileError) in
                try TextFile.write(
                    text, to: path, format: format, expecting: isOwn ? expecting : nil, overwriting: overwriting,
                    method: method, keeping: original, willReplace: willReplace,
                    willBegin: {
                        progress.withLock(waking: true) { $0.hasBegun = true }
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
        self.init(post: post, receive: receive, Monitor(Progress()), write: write)
    }

    private init(
        post: @escaping TextFileLoader.Post, receive: @escaping (Outcome) -> Void, _ progress: Monitor<Progress>,
        write: @escaping @Sendable () -> Outcome
    ) {
        self.write = write
        self.progress = progress
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
        let result = write()
        outcome.withLock { $0 = result }
        done.signal()
        progress.withLock(waking: true) { $0.hasEnded = true }
        post { [self] in
            if let outcome = end() { receive(outcome) }
        }
    }

    /// The outcome, once.
    private func end() -> Outcome? {
        if let thread { pthread_join(thread, nil) }
        thread = nil
        return outcome.withLock { outcome in
            defer { outcome = nil }
            return outcome
        }
    }

    /// Waits until it is known whether something stands against the save, but no longer than that many milliseconds. Gives the outcome in
    /// place of `receive` if it has ended without having begun: a question that follows meets the keys that are meant for it. Only on the
    /// owner's thread.
    public func refusal(within milliseconds: Int) -> Outcome? {
        let isKnown = progress.wait(atMost: milliseconds) { $0.hasBegun || $0.hasEnded }
        return isKnown && progress.withLock { !$0.hasBegun } ? wait(atMost: 0) : nil
    }

    /// Waits for the end, and gives the outcome in place of `receive`: for a loop that is not run any more. Nil if
    /// `receive` had it already, or if it takes longer than that many milliseconds, for which a disk may hang. Only on the
    /// owner's thread.
    public func wait(atMost milliseconds: Int = .max) -> Outcome? {
        guard thread != nil else { return end() }
        let limit = milliseconds == .max ? DispatchTime.distantFuture : .now() + .milliseconds(milliseconds)
        guard done.wait(timeout: limit) == .success else { return nil }
        return end()
    }
}
